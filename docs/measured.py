"""What the pages say in numbers, read from the files of the measurements when the site is built;
nothing is typed in.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from statistics import median
from typing import Any

HERE = Path(__file__).parent
QUALITY = HERE.parent / "benchmarks" / "quality.json"
RESULTS = HERE.parent / "benchmarks" / "RESULTS.md"
CLAIMS = HERE / "_data" / "claims.json"
VERDICTS = HERE / "_data" / "verdicts.json"
REPORT = HERE.parent / "results" / "report.html"

FILES = (QUALITY, RESULTS, CLAIMS, VERDICTS, REPORT)

MODELS = {
    "spherical": "**bent sphere**, the default",
    "tanh": "**tanh**",
    "sphere, bend=0": "plain sphere, bend 0",
    "paper's model": "the paper's model",
    "AR(50)": "ridge on 50 lags",
    "persistence": "persistence",
    "reservoirpy sr=1.25": "reservoirpy",
    "reservoirpy sr=1.25, bias": "the same with a bias",
}
MARKS = {"holds": "✓ holds", "partly": "◐ partly", "fails": "✗ fails"}


def piece(wanted: str) -> str:
    """The text for {{ wanted }}: a kind, and for some kinds more words after slashes."""
    kind, *words = wanted.split("/")
    return str(KINDS[kind](*words))


def valid(series: str, model: str, path: Path = QUALITY) -> str:
    """How long free runs stay true, the median over the networks."""
    found = _json(path)
    if found is None:
        return _absent(path, "python benchmarks/quality.py")
    return _short(median(run["valid"] for run in found["forecasting"][series][model].values()))


def quality(path: Path = QUALITY) -> str:
    """All series and models as a table."""
    found = _json(path)
    if found is None:
        return _absent(path, "python benchmarks/quality.py")
    series = list(found["forecasting"])
    head = ["| |" + "|".join(series) + "|", "|---|" + "--:|" * len(series)]
    return "\n".join(
        head
        + [
            f"| {told} |" + "|".join(valid(name, model, path) for name in series) + "|"
            for model, told in MODELS.items()
        ]
    )


def classes(path: Path = QUALITY) -> str:
    """The classifiers' scores, medians over the seeds."""
    found = _json(path)
    if found is None:
        return _absent(path, "python benchmarks/quality.py")
    seeds = list(found["classification"].values())
    return ", ".join(
        f"{model} {100 * median(seed[model] for seed in seeds):.0f} %" for model in seeds[0]
    )


def claim(name: str, path: Path = CLAIMS) -> str:
    """One claim: its verdict and what was measured."""
    found = {one["id"]: one for one in _json(path) or []}
    if name not in found:
        return f"*not measured here; after `spheresn reproduce` see `spheresn show {name}`*"
    return f"**{MARKS[found[name]['verdict']]}**: {_cell(found[name]['measured'])} (`{name}`)"


def claims(path: Path = CLAIMS) -> str:
    """All claims as a table, after a line that counts the verdicts."""
    found = _json(path)
    if not found:
        return _absent(path, "spheresn reproduce --preset paper")
    counts = Counter(one["verdict"] for one in found)
    told = ", ".join(f"{mark}: {counts[verdict]}" for verdict, mark in MARKS.items())
    head = [
        f"{told}. Preset: {found[0]['preset']}.",
        "",
        "| verdict | the claim | what was measured |",
        "|---|---|---|",
    ]
    return "\n".join(
        head
        + [
            f"| {MARKS[one['verdict']]} | {_cell(one['says'])} *({one['figure']})* | "
            f"{_cell(one['measured'])} |"
            for one in found
        ]
    )


def seeds(path: Path = VERDICTS) -> str:
    """Which verdicts change with the seed and the preset."""
    found = _json(path)
    if not found:
        return _absent(path, "spheresn reproduce --seed 1")
    first, *others = found.values()
    changed = {
        name: [run[name] for run in found.values()]
        for name in first
        if any(run[name] != first[name] for run in others)
    }
    told = "; ".join(f"`{name}` ({', '.join(words)})" for name, words in changed.items())
    same = f"{len(first) - len(changed)} of {len(first)} verdicts are the same in all of them."
    return f"Runs compared: {'; '.join(found)}. {same} These differ: {told}."


def report(path: Path = REPORT) -> str:
    """The page that `spheresn reproduce` wrote, inside this one."""
    if not path.is_file():
        return _absent(path, "spheresn reproduce --preset paper")
    title = "report of spheresn reproduce"
    return f'<iframe class="report" src="report.html" title="{title}" loading="lazy"></iframe>'


def benchmarks(path: Path = RESULTS) -> str:
    """The table of the benchmarks, as a whole."""
    if not path.is_file():
        return _absent(path, "make bench")
    return f"```{{include}} ../benchmarks/{path.name}\n:relative-images:\n:heading-offset: 1\n```"


KINDS: dict[str, Any] = {
    one.__name__: one for one in (valid, quality, classes, claim, claims, seeds, report, benchmarks)
}


def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None


def _absent(path: Path, command: str) -> str:
    return f"*{path.parent.name}/{path.name} is missing; `{command}` makes it.*"


def _short(number: float) -> str:
    return f"{number:.0f}" if number >= 20 else f"{number:.1f}"


def _cell(text: str) -> str:
    """Text of a report as Markdown that cannot break a table or be taken for markup."""
    return "".join(
        "\\" + sign if sign in r"\`*_{}[]<>|#$" else sign for sign in " ".join(text.split())
    )
