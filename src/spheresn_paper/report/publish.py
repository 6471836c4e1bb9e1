"""From results to the files that people read: data sets, figures, claims, the page."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import xarray as xr
from safetensors.numpy import save as to_bytes

from spheresn._errors import BadInput
from spheresn.apps._json import plain
from spheresn.apps._pages import STYLE, Drawing, quiet, save_figure

from ..rounds import format_looks, judge, looks, reached
from ..runner import (
    Arrays,
    CannotWrite,
    Outcome,
    ResultStore,
    Run,
    StoreError,
    Unit,
    canonical,
    whole_file,
)
from ..runner.unit import one_line
from .page import page
from .section import Hole, Section, numbers

Say = Callable[[str], None]


def publish(
    out: Path,
    store: ResultStore,
    experiments: Mapping[str, Any],
    say: Say,
    each: Callable[..., Iterable[Any]] = map,
) -> list[Section]:
    """Write everything but the results into `out`, each file whole. An experiment that lacks
    something does not stop the others.

    Drawing takes most of the time: `each` is `map`, or a pool's map that draws several experiments
    at once.
    """
    runs = store.runs()
    with quiet():
        collected = [
            _collect(out, store, experiments[name], runs[name])
            for name in experiments
            if name in runs
        ]
    say(f"drawing {', '.join(section.name for section, _ in collected)}")
    sketches = [
        Sketch(experiments[section.name].plot, out / f"{section.name}.nc", out / "figures")
        for section, has_data in collected
        if has_data
    ]
    drawn = iter(list(each(draw, sketches)))
    sections = [
        _with_drawings(section, experiments[section.name].CAPTIONS, out, *next(drawn))
        if has_data
        else section
        for section, has_data in collected
    ]
    claims = [claim for section in sections for claim in section.claims]
    text = json.dumps(claims, indent=2, ensure_ascii=False, allow_nan=False)
    _write(out / "claims.json", text + "\n")
    _write(out / "report.html", page(sections))
    return sections


def places(out: Path, experiments: Mapping[str, Any]) -> list[Path]:
    """What a run or `publish` may write into `out`, besides the results of units."""
    names = (".lock", "runs.json", "claims.json", "report.html")
    data = (f"{name}.nc" for name in experiments)
    figures = (
        f"figures/{stem}{ending}"
        for module in experiments.values()
        for stem in module.CAPTIONS
        for ending in (".png", ".svg")
    )
    return [out / name for name in (*names, *data, *figures)]


@dataclass(frozen=True)
class Sketch:
    """What a process needs to draw one experiment: its `plot`, the file of its data set, and where
    the figures go.
    """

    plot: Callable[[xr.Dataset], dict[str, Any]]
    dataset: Path
    folder: Path


def draw(sketch: Sketch) -> tuple[tuple[str, ...], str | None]:
    """Draw an experiment and save its figures; their file stems, or none and the reason."""
    try:
        with quiet():
            dataset = xr.load_dataset(sketch.dataset, engine="h5netcdf")
            return save_figures(sketch.plot, dataset, sketch.folder), None
    except CannotWrite:
        raise
    except Exception as error:  # the other experiments are still drawn
        return (), one_line(error)


def save_figures(
    plot: Callable[[xr.Dataset], dict[str, Any]], dataset: xr.Dataset, folder: Path
) -> tuple[str, ...]:
    """Draw a data set and save the figures; their file stems."""
    import matplotlib

    with matplotlib.rc_context(STYLE):
        figures = plot(dataset)
        for stem, figure in figures.items():
            save_figure(figure, folder, stem)
    return tuple(figures)


def _with_drawings(
    section: Section,
    captions: Mapping[str, str],
    out: Path,
    stems: Sequence[str],
    problem: str | None,
) -> Section:
    drawings = [
        Drawing(
            stem,
            fill_sizes(captions[stem], section.config),
            (out / "figures" / f"{stem}.svg").read_text(encoding="utf-8"),
        )
        for stem in stems
    ]
    return replace(section, drawings=tuple(drawings), problem=section.problem or problem)


def fill_sizes(text: str, settings: Mapping[str, Any]) -> str:
    """A text with the settings of the run in the place of their names in braces.

    >>> fill_sizes("N = {units}, {networks} networks", {"units": [100, 300], "networks": 5})
    'N = 100, 300, 5 networks'
    """
    words = {
        name: ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else value
        for name, value in settings.items()
    }
    return text.format_map(words)


def _collect(out: Path, store: ResultStore, module: Any, run: Run) -> tuple[Section, bool]:
    """The section of an experiment with its claims, and whether its data set was saved."""
    command = (
        f"spheresn reproduce {module.NAME} --preset {run.preset} --seed {run.seed} --out "
        f"{out.name or 'results'}"
    )
    section = Section(module.NAME, module.FIGURE, module.TITLE, run.preset, {}, run.seed, command)
    has_data = False
    try:
        settings = json.loads(run.config)
        check_sizes(settings, [asdict(known) for known in module.PRESETS.values()])
        section = replace(section, config=settings)
        config = module.Config(**{name: restore_tuples(value) for name, value in settings.items()})
        outcomes: dict[str, Outcome | None] = {}

        def load(task: dict[str, Any]) -> tuple[bool, Arrays | None]:
            unit = Unit(section.name, run.config, canonical(task), section.seed)
            found = outcomes[unit.key] = outcomes.get(unit.key) or store.load(unit)
            return found is not None, found.arrays if found else None

        planned = looks(module, run.preset, config)
        found = reached(module, run.preset, config, load)
        settings = json.loads(canonical(asdict(found.config)))
        sizes = fill_sizes(getattr(module, "SIZES", ""), settings)
        section = replace(
            section, config=settings, sizes=sizes, looks=format_looks(planned, found.config)
        )
        section = _with_units(section, run.config, found.tasks, outcomes)
        dataset = module.collect(found.config, found.results)
        section = replace(section, numbers=tuple(numbers(dataset)))
        _save(out / f"{module.NAME}.nc", dataset, section)
        has_data = True
        claims = (
            {**plain(asdict(claim)), "experiment": module.NAME, "preset": run.preset}
            for claim in judge(module, planned, dataset)
        )
        section = replace(section, claims=tuple(claims))
    except (StoreError, CannotWrite):
        raise
    except Exception as error:
        section = replace(section, problem=one_line(error))
    return section, has_data


def check_sizes(settings: Any, presets: Sequence[Any]) -> None:
    """Nothing in the settings may be larger than in the presets: sizes are allocated, and a
    directory of results may come from anybody.

    >>> check_sizes({"units": 500}, [{"units": 10}, {"units": 1000}])
    >>> try:
    ...     check_sizes({"units": 10**12}, [{"units": 10}, {"units": 1000}])
    ... except BadInput as error:
    ...     print(str(error).split(",")[0])
    settings must be of the size of the presets or less
    """
    for name, value in settings.items():
        if _extent(value) > max(_extent(preset.get(name)) for preset in presets):
            raise BadInput(
                f"settings must be of the size of the presets or less, got {name!r} larger; run "
                "the experiment anew"
            )


def _extent(value: Any) -> float:
    """The largest of a setting's numbers and lengths."""
    if isinstance(value, (list, tuple)):
        return max([len(value), *map(_extent, value)])
    return abs(value) if isinstance(value, (int, float)) else 0.0


def restore_tuples(value: Any) -> Any:
    """JSON's lists as the tuples that they were."""
    return tuple(restore_tuples(item) for item in value) if isinstance(value, list) else value


def _with_units(
    section: Section,
    config: str,
    tasks: Sequence[dict[str, Any]],
    known: Mapping[str, Outcome | None],
) -> Section:
    """The section with the records of its units, known by their keys."""
    units = [Unit(section.name, config, canonical(task), section.seed) for task in tasks]
    outcomes = [known[unit.key] for unit in units]
    results = [outcome.arrays if outcome else None for outcome in outcomes]
    records = [outcome.record for outcome in outcomes if outcome]
    holes = [
        Hole(unit.task, outcome.record.error or "unknown", outcome.record.kind)
        if outcome
        else Hole(unit.task, "not computed")
        for unit, outcome in zip(units, outcomes, strict=True)
        if not outcome or outcome.arrays is None
    ]
    computed = dict.fromkeys(_computed(record.versions, record.source) for record in records)
    protocols = dict.fromkeys(str(task["protocol"]) for task in tasks if "protocol" in task)
    notes = dict.fromkeys(record.notes for record in records if record.notes)
    return replace(
        section,
        units=len(units),
        seconds=sum(record.seconds for record in records),
        size=sum(len(to_bytes(arrays)) for arrays in results if arrays is not None),
        holes=tuple(holes),
        computed=tuple(computed),
        protocols=tuple(protocols),
        notes=tuple(notes)[:5],
    )


def _computed(versions: Mapping[str, str], source: str | None) -> str:
    """What computed a unit, in words."""
    commit, changed, _ = (source or "").partition("-dirty")
    place = f" at commit {commit[:12]}{' with changes' if changed else ''}" if source else ""
    others = [f"{name} {version}" for name, version in versions.items() if name != "spheresn"]
    return ", ".join([f"spheresn {versions.get('spheresn', '?')}{place}", *others])


def _save(path: Path, dataset: xr.Dataset, section: Section) -> None:
    """The data set with where it comes from."""
    origin = {
        "experiment": section.name,
        "preset": section.preset,
        "seed": section.seed,
        "configuration": canonical(section.config),
        "computed_with": "; ".join(section.computed),
        "missing_units": len(section.holes),
    }
    # In memory, as HDF5's errors about a full disk are unreadable
    content = bytes(dataset.assign_attrs(origin).to_netcdf(engine="h5netcdf"))
    with whole_file(path) as draft:
        draft.write_bytes(content)


def _write(path: Path, text: str) -> None:
    with whole_file(path) as draft:
        draft.write_text(text, encoding="utf-8")
