"""What the pages say in numbers, read from the files of the measurements when the site is built;
nothing is typed in.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from statistics import mean, median, stdev
from typing import Any

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent / "benchmarks"))

from classification import summary as cases  # noqa: E402
from climate import summary as runs  # noqa: E402
from league import summary  # noqa: E402
from noise import tables as noisy  # noqa: E402
from panels import render as panelled  # noqa: E402
from series import render as rendered  # noqa: E402
from targets import names as regressors  # noqa: E402
from targets import summary as regressed  # noqa: E402

QUALITY = HERE.parent / "benchmarks" / "quality.json"
RESULTS = HERE.parent / "benchmarks" / "RESULTS.md"
FIELDS = HERE.parent / "benchmarks" / "fields.json"
GROWTH = HERE.parent / "benchmarks" / "fields_growth.json"
LEAGUE = HERE.parent / "benchmarks" / "league.json"
NOISE = HERE.parent / "benchmarks" / "noise.json"
SERIES = HERE.parent / "benchmarks" / "series.json"
PANELS = HERE.parent / "benchmarks" / "panels.json"
CLASSIFICATION = HERE.parent / "benchmarks" / "classification.json"
CLIMATE = HERE.parent / "benchmarks" / "climate.json"
TARGETS = HERE.parent / "benchmarks" / "targets.json"
PICTURE = HERE / "images" / "league.png"
CLIMATE_PICTURE = HERE / "images" / "climate.png"
NOISE_PICTURE = HERE / "images" / "noise.png"
DEVICE = HERE.parent / "benchmarks" / "device.json"
SURPRISE = HERE.parent / "benchmarks" / "surprise.json"
COMPOSE = HERE.parent / "benchmarks" / "compose.json"
KNOWLEDGE = HERE.parent / "benchmarks" / "knowledge.json"
CLAIMS = HERE / "_data" / "claims.json"
VERDICTS = HERE / "_data" / "verdicts.json"
REPORT = HERE.parent / "results" / "report.html"

FILES = (
    *(QUALITY, RESULTS, LEAGUE, NOISE, CLASSIFICATION, SERIES, PANELS, FIELDS, GROWTH, CLIMATE),
    *(DEVICE, SURPRISE, COMPOSE, CLAIMS, VERDICTS, REPORT, TARGETS, KNOWLEDGE),
)

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
MARKS = {
    "holds": "✓ holds",
    "partly": "◐ partly",
    "fails": "✗ fails",
    "open": "≈ too close to call",
}


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
            f"| {label} |" + "|".join(valid(name, model, path) for name in series) + "|"
            for model, label in MODELS.items()
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


def claims(by: str = "paper", path: Path = CLAIMS) -> str:
    """The claims of the paper or of this library as a table, the weightier ones first, after a line
    that counts the verdicts.
    """
    found = _json(path)
    if not found:
        return _absent(path, "spheresn reproduce --preset paper")
    found = sorted((one for one in found if one["by"] == by), key=lambda one: -one["weight"])
    counts = Counter(one["verdict"] for one in found)
    totals = ", ".join(f"{mark}: {counts[verdict]}" for verdict, mark in MARKS.items())
    head = [
        f"{totals}. Preset: {found[0]['preset']}.",
        "",
        "| verdict | the claim | what was measured |",
        "|---|---|---|",
    ]
    return "\n".join(
        head
        + [
            f"| {MARKS[one['verdict']]} | {_sentence(one)} *({_cell(one['source'])}; "
            f"{_cell(one['figure'])})* | {_cell(one['measured'])} |"
            for one in found
        ]
    )


def _sentence(claim: dict[str, Any]) -> str:
    """What is claimed; in quotation marks only if these are the paper's own words."""
    said = _cell(claim["says"])
    return f"“{said}”" if claim["quoted"] else said


def seeds(path: Path = VERDICTS) -> str:
    """Which verdicts change with the seed and the preset."""
    found = _json(path)
    if not found:
        return _absent(path, "spheresn reproduce --seed 1")
    first, *others = found.values()
    names = [name for name in first if all(name in run for run in others)]
    contrary, changed = {}, 0
    for name in names:
        words = [run[name] for run in found.values()]
        changed += len(set(words)) > 1
        if len(set(words) - {"open"}) > 1:
            contrary[name] = words
    contradictions = "; ".join(f"`{name}` ({', '.join(words)})" for name, words in contrary.items())
    same = f"{len(names) - changed} of {len(names)} verdicts are the same in all of them, "
    close = f"{changed - len(contrary)} differ only in that some runs are too close to call"
    runs, contradictions = "; ".join(found), contradictions or "none"
    return f"Runs compared: {runs}. {same}{close}. These contradict each other: {contradictions}."


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


def league(what: str, *words: str, path: Path = LEAGUE) -> str:
    """Something that the league says, by its name in `LEAGUE_PIECES`."""
    found = _json(path)
    if found is None:
        return _absent(path, "make league")
    return LEAGUE_PIECES[what](found, *words)


def classification(what: str, *words: str, path: Path = CLASSIFICATION) -> str:
    """Something that the chapter classification of the league says."""
    found = _json(path)
    if found is None:
        return _absent(path, "make league-classification")
    return str(CLASSIFICATION_PIECES[what](found, *words))


def _case_accuracy(found: Any, method: str, half: str) -> str:
    return f"{cases.line(found, method, half)['accuracy']:.3f}"


def _case_better(found: Any, half: str) -> str:
    return f"{100 * cases.line(found, cases.OURS, half)['better']:.0f} %"


def _case_times(found: Any, half: str) -> str:
    """Our time as a multiple of MiniRocket's."""
    ours, rival = (cases.line(found, one, half)["seconds"] for one in (cases.OURS, cases.RIVAL))
    return f"{ours / rival:.1f}"


def _league_systems(found: Any, half: str = "both") -> str:
    return str(len(summary.chosen(found, half)))


def _league_median(found: Any, setting: str, method: str, half: str = "both") -> str:
    """Lyapunov times."""
    medians = {line.method: line.median for line in summary.lines(found, setting, half)}
    return _short(medians[method]) if method in medians else "*not measured*"


def _league_wins(found: Any, setting: str, half: str = "both") -> str:
    won = summary.wins(found, setting, half)
    return "*not measured*" if won is None else f"{100 * won:.0f} %"


def _league_excluded(found: Any) -> str:
    """Systems that are left out and why, those with the same reason together."""
    reasons: dict[str, list[str]] = {}
    for name, reason in found["excluded"].items():
        reasons.setdefault(reason.partition(": ")[2].partition(":")[0], []).append(name)
    tame = [name for name, one in found["systems"].items() if not one["chaotic"]]
    lines = [f"- {_cell(reason)}: {', '.join(names)}" for reason, names in reasons.items()]
    return "\n".join([*lines, f"- distances hardly grow or not at all: {', '.join(tame)}"])


def _league_picture(found: Any) -> str:
    if not PICTURE.is_file():
        return "*the picture is not here: `make league` draws it.*"
    alt = "Valid times on all systems, our default beside the best of all others"
    return f"```{{image}} images/{PICTURE.name}\n:alt: {alt}\n:width: 700px\n```"


def climate(what: str, half: str = "both", path: Path = CLIMATE) -> str:
    """Something that the benchmark of long free runs says, by its name in `CLIMATE_PIECES`."""
    found = _json(path)
    if found is None:
        return _absent(path, "make climate")
    return CLIMATE_PIECES[what](found, half)


def _climate_systems(found: Any, half: str) -> str:
    return ", ".join(
        name for name, one in found["systems"].items() if half in ("both", one["half"])
    )


def _climate_failures(found: Any, half: str) -> str:
    lines = [f"- {_cell(one)}" for one in runs.failures(found, half=half)]
    return "\n".join(lines) or "None."


def _climate_missing(found: Any, half: str) -> str:
    lines = [f"- {_cell(one)}" for one in runs.missing(found, half)]
    return "\n".join(lines) or "Nothing is missing."


def _climate_picture(found: Any, half: str) -> str:
    if not CLIMATE_PICTURE.is_file():
        return "*the picture is not here: `make climate` draws it.*"
    alt = "Distances of long free runs from the climate of each system"
    return f"```{{image}} images/{CLIMATE_PICTURE.name}\n:alt: {alt}\n:width: 800px\n```"


CLIMATE_PIECES: dict[str, Any] = {
    "table": runs.table,
    "systems": _climate_systems,
    "failures": _climate_failures,
    "missing": _climate_missing,
    "picture": _climate_picture,
}


def targets(what: str, half: str, *words: str, path: Path = TARGETS) -> str:
    """Something that the comparison from input to target says, by its name in `TARGETS_PIECES`."""
    found = _json(path)
    if found is None:
        return _absent(path, "make targets")
    return TARGETS_PIECES[what](found, half, *words)


def _targets_against(found: Any, half: str, rival: str) -> str:
    name = {"0.2.0": regressors.EARLIER, "reservoirpy": regressors.PEER, "ridge": regressors.LAGS}
    return f"{regressed.against(found, half, name[rival]):.2f}"


def _targets_behind(found: Any, half: str, rivals: str) -> str:
    grids, peers = (
        (regressors.SPHERE, regressors.TANH),
        (regressors.PEER, regressors.LAGS),
    )
    names = regressed.behind(found, half, {"grids": grids, "peers": peers}[rivals])
    return f"{'; '.join(map(_cell, names)) or 'none'}."


TARGETS_PIECES: dict[str, Any] = {
    "table": regressed.table,
    "against": _targets_against,
    "behind": _targets_behind,
}


def noise(what: str, *words: str, path: Path = NOISE) -> str:
    """Something that the comparison on noisy rows says, by its name in `NOISE_PIECES`."""
    found = _json(path)
    if found is None:
        return _absent(path, "make noise")
    return str(NOISE_PIECES[what](found, *words))


def _noise_picture(found: Any) -> str:
    if not NOISE_PICTURE.is_file():
        return "*the picture is not here: `make noise` draws it.*"
    alt = "Valid times as a share of the limit, by noise, with all variables and with one"
    return f"```{{image}} images/{NOISE_PICTURE.name}\n:alt: {alt}\n:width: 700px\n```"


NOISE_PIECES: dict[str, Any] = {
    "picture": _noise_picture,
    "share": noisy.noisy_share,
    "table": noisy.share_table,
    "each": noisy.system_table,
    "worse": noisy.worse_text,
    "gaps": noisy.gap_table,
    "levels": noisy.noise_table,
    "cover": noisy.cover_table,
    "crps": noisy.crps_table,
    "bound": noisy.bound_text,
    "times": noisy.fit_times,
    "systems": noisy.systems_text,
    "missing": noisy.missing,
    "settings": noisy.settings_table,
}


def fields(what: str, path: Path = FIELDS) -> str:
    """Something that the benchmark of fields says, by its name in `FIELD_PIECES`."""
    found = _json(path)
    if found is None:
        return _absent(path, "python benchmarks/fields.py")
    return FIELD_PIECES[what](found)


def _field_line(runs: dict[str, Any]) -> list[str]:
    """How many networks, valid time with its standard error over networks and origins, costs."""
    times = [time for run in runs.values() for time in run["valid"]]
    middle, spread = mean(times), stdev(times) / len(times) ** 0.5
    seconds, step = (median(run[name] for run in runs.values()) for name in ("fit_s", "step_ms"))
    step_text = f"{step:.2g}" if step < 100.0 else f"{step:.0f}"
    return [str(len(runs)), f"{middle:.1f} ± {spread:.1f}", _short(seconds), step_text]


def _field_table(found: Any) -> str:
    head = [
        "| | goal | networks | valid time | fit, s | step, ms |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    lines = []
    for name, methods in found["runs"].items():
        goal = found["goals"].get(name)
        cells = _field_line(methods["spheresn"])
        lines.append(f"| {name} | {'' if goal is None else goal} | " + " | ".join(cells) + " |")
    return "\n".join(head + lines)


def _field_peers(found: Any) -> str:
    """The other methods, on the problems that they were tried on."""
    lines = [
        f"| {name} | {method} | " + " | ".join(_field_line(runs)) + " |"
        for name, methods in found["runs"].items()
        for method, runs in sorted(methods.items(), key=lambda one: one[0] != "spheresn")
        if len(methods) > 1
    ]
    if not lines:
        return "Other methods were not measured."
    head = ["| | | networks | valid time | fit, s | step, ms |", "|---|---|--:|--:|--:|--:|"]
    return "\n".join(head + lines)


def _field_exponents(found: Any) -> str:
    return ", ".join(
        f"{name} {value:.4f} ± {error:.4f}" for name, (value, error) in found["exponents"].items()
    )


FIELD_PIECES: dict[str, Any] = {
    "table": _field_table,
    "peers": _field_peers,
    "exponents": _field_exponents,
}


def growth(path: Path = GROWTH) -> str:
    """How a fit of a field grows with cells, times and units, as a table."""
    found = _json(path)
    if found is None:
        return _absent(path, "python benchmarks/fields_growth.py")
    base = ", ".join(f"{value:,} {name}" for name, value in found["base"].items())
    lines = [
        f"| {int(size):,} {axis} | {one['fit_s']:.2g} | {one['step_ms']:.2g} | {one['peak_mb']:.0f}"
        f" | {one['file_mb']:.0f} |"
        for axis, sizes in found["growth"].items()
        for size, one in sizes.items()
    ]
    head = [f"| of {base} | fit, s | step, ms | peak, MB | field, MB |", "|---|--:|--:|--:|--:|"]
    return "\n".join(head + lines)


def device(what: str, number: str = "", path: Path = DEVICE) -> str:
    """Something of exported models on a microcontroller: a table of single or double precision, the
    rows per second at so many megahertz with one instruction per cycle, how long runs of so many
    units stay true in single precision without a penalty, or what measured all that.
    """
    found = _json(path)
    if found is None:
        return _absent(path, "make device")
    if what == "tools":
        tools = found["tools"]
        return f"{tools['compiler']}, `{tools['options']}`; {tools['emulator']}"
    if what == "rate":
        return f"{round(1e6 * float(number) / found['float32']['500']['update'], -2):,.0f}"
    if what == "careless":
        return _short(found["careless"][number]["valid"])
    lines = [
        f"| {units} | {one['flash'] / 1000:.1f} | {one['state'] / 1000:.1f} | "
        f"{one['stack'] / 1000:.1f} | {one['update']:,} | {one['forecast']:,} | "
        f"{one['valid']:.1f} |"
        for units, one in found[what].items()
    ]
    names = "units | flash, kB | state, kB | stack, kB | a row | a step | Lyapunov times"
    return "\n".join([f"| {names} |", "|" + "--:|" * 7, *lines])


def compose(path: Path = COMPOSE) -> str:
    """What several reservoirs as one cost, in units of their parts."""
    found = _json(path)
    if found is None:
        return _absent(path, "make compose")
    rows = {}
    for one in found["ratios"]:
        place = (f"{one['kind']}, {one['topology']}", one["units"])
        rows.setdefault(place, {})[one["work"]] = one["ratio"]
    works = list(dict.fromkeys(one["work"] for one in found["ratios"]))
    lines = [
        f"| {name}, {units} units each | "
        + " | ".join(f"{row[work]:.2f}" if work in row else "–" for work in works)
        + " |"
        for (name, units), row in rows.items()
    ]
    head = f"| | {' | '.join(works)} |"
    return "\n".join([head, "|---|" + "--:|" * len(works), *lines])


def surprise(what: str, path: Path = SURPRISE) -> str:
    """A table of what was found in streams."""
    found = _json(path)
    if found is None or what not in found:
        return _absent(path, "python benchmarks/surprise.py")
    return SURPRISE_PIECES[what](found[what])


def _calm_streams(found: Any) -> str:
    lines = [
        f"| {name} | {one['rows']:,} | {one['alarms']:.2%} | {one['inside']:.2%} | "
        f"{one['changes']} |"
        for name, one in found.items()
    ]
    head = "| | rows | alarms | inside | changes |"
    return "\n".join([head, "|---|--:|--:|--:|--:|", *lines])


def _faults_of_streams(found: Any) -> str:
    """Median delays of all series together, and the share that is missed."""
    kinds = list(next(iter(found.values())))
    methods = [name for name in found[next(iter(found))][kinds[0]] if name != "watch, early"]
    lines = []
    for kind in kinds:
        cells = []
        for method in methods:
            delays = [delay for series in found.values() for delay in series[kind][method]]
            known = [delay for delay in delays if delay is not None]
            missed = 1.0 - len(known) / len(delays)
            cells.append(
                f"{1.0 - missed:.0%}"
                if kind == "nothing"
                else f"{median(known):.0f} ({missed:.0%})"
                if known
                else "–"
            )
        label = "nothing: false alarms" if kind == "nothing" else kind
        lines.append(f"| {label} | {' | '.join(cells)} |")
    head = f"| | {' | '.join(methods)} |"
    return "\n".join([head, "|---|" + "--:|" * len(methods), *lines])


def _labelled_streams(found: Any) -> str:
    methods = list(next(iter(found.values()))["methods"])
    lines = [
        f"| {name}: {one['stretches']} in {one['rows']:,} rows | "
        + " | ".join(
            f"{one['methods'][m]['found']}; {one['methods'][m]['elsewhere']:.1f}" for m in methods
        )
        + " |"
        for name, one in found.items()
    ]
    head = f"| found; elsewhere | {' | '.join(methods)} |"
    return "\n".join([head, "|---|" + "--:|" * len(methods), *lines])


def _long_stream(found: Any) -> str:
    memory, summary = found["memory_mb"], found["summary"]
    share = summary["alarms"] / summary["rows"]
    return (
        f"{summary['rows']:,} rows of one column through a pipe: {found['seconds'] / 60:.0f} "
        f"minutes on a busy machine, {memory[0]:.0f} MB after a tenth of them and "
        f"{memory[-1]:.0f} MB at the end. {share:.3%} of rows were alarms where 0.1% was asked "
        f"for, and {summary['changes']} changes were announced where chance may announce 100."
    )


def _thresholds_of_streams(found: Any) -> str:
    shares = [one["false"] for one in found.values()]
    return f"{min(shares):.0%} to {max(shares):.0%}"


SURPRISE_PIECES: dict[str, Any] = {
    "calm": _calm_streams,
    "faults": _faults_of_streams,
    "labelled": _labelled_streams,
    "thresholds": _thresholds_of_streams,
    "stream": _long_stream,
}


def knowledge(what: str, *words: str, path: Path = KNOWLEDGE) -> str:
    """Something of several recordings, drift, or other parameters, by its name in
    `KNOWLEDGE_PIECES`.
    """
    found = _json(path)
    if found is None or what not in found:
        return _absent(path, f"make knowledge KNOWLEDGE={what}")
    return KNOWLEDGE_PIECES[what](found[what], *words)


def _recordings_table(found: Any) -> str:
    """Both networks of each system."""
    lines = [
        f"| {way} | " + " | ".join(_several(one[way], 1) for one in found.values()) + " |"
        for way in next(iter(found.values()))
    ]
    return "\n".join([f"| | {' | '.join(found)} |", "|---|" + "--:|" * len(found), *lines])


def _several(numbers: list[float], digits: int) -> str:
    return ", ".join(f"{one:.{digits}f}" for one in numbers)


def _drift_words(found: Any, what: str) -> str:
    """The table, sizes of the benchmark, or how many fits one run of `partial_fit` costs less."""
    if what in ("rows", "window", "piece"):
        return f"{found[what]:,}"
    if what == "times":
        ways = found["ways"]
        return f"{ways['fitted again']['seconds'] / ways['forgetting 0.99']['seconds']:.0f}"
    return _drift_table(found["ways"])


def _drift_table(ways: Any) -> str:
    """Medians over the quarters of the way, and the time of learning as a share of that of fits."""
    places = list(next(iter(ways.values()))["valid"])
    size = len(places) // 4
    quarters = [places[k : k + size] for k in range(0, 4 * size, size)]
    head = " | ".join(f"rows {int(one[0]):,} on" for one in quarters)
    longest = max(one["seconds"] for one in ways.values())
    lines = []
    for name, one in ways.items():
        cells = [
            f"{median(time for place in part for time in one['valid'][place]):.1f}"
            for part in (*quarters, places)
        ]
        lines.append(f"| {name} | {' | '.join(cells)} | {one['seconds'] / longest:.1%} |")
    return "\n".join([f"| | {head} | all | time |", "|---|" + "--:|" * 6, *lines])


def _parameters_table(found: Any) -> str:
    """Distances of three networks beside chance, and their valid times, by size and value."""
    lines = [
        f"| {units} | {float(value):g} | {_several(one['distance'], 2)} | {one['chance']:.2f} | "
        f"{_several(one['valid'], 1)} |"
        for units, values in found.items()
        for value, one in values.items()
    ]
    head = "| units | ρ | distance | chance | Lyapunov times |"
    return "\n".join([head, "|--:|--:|---|--:|---|", *lines])


def _onset_words(found: Any, what: str) -> str:
    """The published value, that of the equations by the same rule, or the networks as a table."""
    if what != "table":
        return f"{found[what]}"
    lines = []
    for count, onsets in found["networks"].items():
        errors = [abs(one - found["published"]) for one in onsets]
        near = sum(error < 0.001 for error in errors)
        lines.append(
            f"| {count} | {near} of {len(onsets)} | {median(errors):.4f} | {max(errors):.4f} |"
        )
    head = "| recordings | within .001 | median error | largest error |"
    return "\n".join([head, "|--:|--:|--:|--:|", *lines])


def _physics_table(found: Any) -> str:
    """Valid times of both networks, and in brackets how far the equations are trusted."""
    cells = [cell for rows in found.values() for cell in rows.values()]
    lines = []
    for way, first in cells[0].items():
        values = [cell[way] for cell in cells]
        words = [
            f"{one:.1f}"
            if isinstance(first, float)
            else f"{_several(one['valid'], 1)} ({_several(one['share'], 2)})"
            for one in values
        ]
        lines.append(f"| {way} | {' | '.join(words)} |")
    names = [f"{float(noise):.0%} noise, {n} rows" for noise, rows in found.items() for n in rows]
    return "\n".join([f"| | {' | '.join(names)} |", "|---|" + "--:|" * len(names), *lines])


KNOWLEDGE_PIECES: dict[str, Any] = {
    "recordings": _recordings_table,
    "drift": _drift_words,
    "parameters": _parameters_table,
    "onset": _onset_words,
    "physics": _physics_table,
}

LEAGUE_PIECES: dict[str, Any] = {
    "systems": _league_systems,
    "median": _league_median,
    "wins": _league_wins,
    "excluded": _league_excluded,
    "picture": _league_picture,
    "table": summary.table,
    "extremes": summary.extremes,
}

CLASSIFICATION_PIECES: dict[str, Any] = {
    "accuracy": _case_accuracy,
    "better": _case_better,
    "times": _case_times,
    "table": cases.table,
    "problems": cases.problems_table,
    "versions": lambda found: ", ".join(f"{k} {v}" for k, v in found["packages"].items()),
}


def series(what: str, *words: str, path: Path = SERIES) -> str:
    """Something that the comparison on ordinary series says."""
    found = _json(path)
    if found is None:
        return _absent(path, "make series")
    return SERIES_PIECES[what](found, *words)


def _series_count(found: Any) -> str:
    return str(sum(half["count"] for half in found["halves"].values()))


def _series_error(found: Any, method: str, half: str = "report") -> str:
    return f"{found['halves'][half]['methods'][method]['error']:.2f}"


def _series_picture(found: Any) -> str:
    alt = "Errors of the methods on all series of the report half"
    return f"```{{image}} images/series.png\n:alt: {alt}\n:width: 700px\n```"


SERIES_PIECES: dict[str, Any] = {
    "count": _series_count,
    "error": _series_error,
    "picture": _series_picture,
    "table": rendered.table,
}


def panels(what: str, *words: str, path: Path = PANELS) -> str:
    """Something that the comparison on panels says."""
    found = _json(path)
    if found is None:
        return _absent(path, "make panels")
    return PANEL_PIECES[what](found, *words)


def _panels_picture(found: Any) -> str:
    alt = "Errors of PanelForecaster, LightGBM, AutoETS and AutoTheta on all panels"
    return f"```{{image}} images/panels.png\n:alt: {alt}\n:width: 700px\n```"


PANEL_PIECES: dict[str, Any] = {
    "by_panel": panelled.by_panel,
    "means": panelled.means,
    "counts": panelled.counts,
    "coverage": panelled.coverage,
    "error": panelled.error,
    "ratio": panelled.ratio,
    "worst": panelled.worst,
    "scale": panelled.scale,
    "picture": _panels_picture,
}

KINDS: dict[str, Any] = {
    one.__name__: one
    for one in (
        *(valid, quality, classes, claim, claims, seeds, report, benchmarks, league),
        *(
            noise,
            classification,
            series,
            panels,
            fields,
            growth,
            climate,
            device,
            surprise,
            compose,
            knowledge,
        ),
        targets,
    )
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
