"""RESULTS.md as a function of what results.json holds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from verdicts import Verdict, summary, verdicts

Entry = dict[str, Any]
HEAD = """# Benchmarks

`make bench` writes this page; do not edit it. All candidates of a case run in one process, with the
same number of threads. After a warm-up they take turns, round by round. A pause before each turn
lets the threads of the previous candidate fall asleep. The tables show the median, the quartiles
and the best of the rounds. A ratio is that of the medians, with the least and the largest ratio of
a single round in brackets. A target is judged by the ratio of the medians. A row says so if its
time was scaled up from a part of the work. The raw numbers are in `results.json`.
"""


def rendered(results: dict[str, Any], sections: dict[str, tuple[str, str]]) -> str:
    """results: {"entries": {"fit/1": entry}}; sections: {"fit": (title, note)} in the order
    wanted.
    """
    entries: dict[str, Entry] = results["entries"]
    known = [(name, _of(entries, name)) for name in sections if _of(entries, name)]
    newest = max(
        (entry for _, found in known for entry in found.values()),
        key=lambda entry: entry["date"],
        default=None,
    )
    if newest is None:
        return HEAD
    blocks = [HEAD, _machine(newest), "## Targets\n", _targets(known)]
    for name, found in known:
        title, note = sections[name]
        blocks.append(f"## {title}\n\n{note}\n")
        blocks += [_section(threads, entry, newest) for threads, entry in found.items()]
    return "\n".join(blocks)


def _of(entries: dict[str, Entry], name: str) -> dict[str, Entry]:
    """The entries of one section by their number of threads."""
    return {key.split("/")[1]: entries[key] for key in sorted(entries) if key.split("/")[0] == name}


def _machine(entry: Entry) -> str:
    m = entry["machine"]
    software = ", ".join(f"{name} {number}" for name, number in m["versions"].items())
    where = (
        f"{m['cpu']}, {m['cores']} cores, {m['memory_gb']} GB, {m['system']}, Python "
        f"{m['python']}, {', '.join(m['blas'])}"
    )
    return f"Measured on {entry['date'][:10]}: {where}.\nVersions: {software}.\n"


def _targets(known: list[tuple[str, dict[str, Entry]]]) -> str:
    """Every target with what each number of threads made of it."""
    counts = sorted({threads for _, found in known for threads in found})
    header = ["what", "case", "against", "wanted", *(f"{_threads(count)}" for count in counts)]
    rows: dict[tuple[str, ...], dict[str, str]] = {}
    for name, found in known:
        for threads, entry in found.items():
            for case in entry["cases"]:
                for number, verdict in enumerate(verdicts(case)):
                    target = case["targets"][number]
                    key = (
                        f"{name}: {target['line']}",
                        case["name"],
                        target["against"] or "",
                        _wanted(target, case),
                    )
                    rows.setdefault(key, {})[threads] = _verdict_text(verdict, target["against"])
    return _table(
        header, [[*key, *(cells.get(count, "") for count in counts)] for key, cells in rows.items()]
    )


def _wanted(target: dict[str, Any], case: dict[str, Any]) -> str:
    if "at_least" in target:
        return f"≥ {target['at_least']:g}×"
    return f"≤ {target['at_most']:g}" + ("×" if target["against"] else f" {case['unit']}".rstrip())


def _verdict_text(verdict: Verdict | None, against: str | None) -> str:
    if verdict is None:
        return "not measured: nobody to compare with"
    r = verdict.ratio
    times = "×" if against else ""
    rival = f" {verdict.against}" if against == "fastest peer" else ""
    return (
        f"{'yes' if verdict.reached else '**no**'}: {_number(r.value)}{times} ({_number(r.low)} "
        f".. {_number(r.high)}){rival}"
    )


def _section(threads: str, entry: Entry, newest: Entry) -> str:
    older = (
        "" if entry["date"][:10] == newest["date"][:10] else f", measured on {entry['date'][:10]}"
    )
    changed = _differences(entry["machine"], newest["machine"])
    rows = [row for case in entry["cases"] for row in _rows(case)]
    header = [
        "case",
        "candidate",
        "median",
        "quartiles",
        "best",
        "rounds",
        "times the first line",
        "remark",
    ]
    trouble = f"\nNot complete: {entry['failed']}.\n" if entry.get("failed") else ""
    return f"### {_threads(threads)}{older}{changed}\n{trouble}\n{_table(header, rows)}"


def _differences(then: dict[str, Any], now: dict[str, Any]) -> str:
    """What was not the same when an older entry was measured."""
    changed = [
        f"{name} {number}"
        for name, number in then["versions"].items()
        if now["versions"].get(name) != number
    ]
    changed += [then["cpu"]] if then["cpu"] != now["cpu"] else []
    return f" (with {', '.join(changed)})" if changed else ""


def _rows(case: dict[str, Any]) -> Iterator[list[str]]:
    base = next((summary(line["values"]).median for line in case["lines"] if line["values"]), None)
    for line in case["lines"]:
        if not line["values"]:
            yield [case["name"], line["name"], "missing", "", "", "", "", line["missing"]]
            continue
        s = summary(line["values"])
        show = [_quantity(value, case) for value in (s.median, s.low, s.high, s.best)]
        ratio = f"{_number(s.median / base)}" if base else ""
        yield [
            case["name"],
            line["name"],
            show[0],
            f"{show[1]} .. {show[2]}",
            show[3],
            str(s.rounds),
            ratio,
            line["note"],
        ]


def _quantity(value: float, case: dict[str, Any]) -> str:
    """With its unit; a time per step where the case has steps."""
    if case["unit"] != "s":
        return f"{_number(value)} {case['unit']}".rstrip()
    if case["steps"]:
        return f"{_number(1e6 * value / case['steps'])} µs/step"
    return f"{_number(value)} s" if value >= 1.0 else f"{_number(1e3 * value)} ms"


def _number(value: float) -> str:
    """Three digits, without an exponent."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _threads(count: str) -> str:
    return {"1": "one thread", "2": "two threads"}.get(count, f"{count} threads")


def _table(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return (
        "\n".join(
            "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in row) + " |"
            for row in lines
        )
        + "\n"
    )
