"""From what a ledger holds to the files that people read: data sets, figures, claims, the page."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import xarray as xr

from spheresn.apps.paper.runner import CannotWrite, Ledger, LedgerError, Unit, canonical, whole_file
from spheresn.apps.paper.runner.unit import one_line

from ...._errors import BadInput
from .draw import Sketch, draw, quiet
from .page import page
from .section import Drawing, Hole, Section, numbers

Say = Callable[[str], None]


def publish(
    out: Path,
    ledger: Ledger,
    experiments: Mapping[str, Any],
    say: Say,
    each: Callable[..., Iterable[Any]] = map,
) -> list[Section]:
    """Write everything but the ledger into `out`, each file whole; what one experiment lacks does
    not stop the others.

    Drawing takes most of the time: `each` is `map`, or a pool's map that draws several experiments
    at once.
    """
    runs = ledger.runs()
    with quiet():
        read = [
            _read(out, ledger, experiments[name], *runs[name])
            for name in experiments
            if name in runs
        ]
    say(f"drawing {', '.join(section.name for section, _ in read)}")
    sketches = [
        _sketch(experiments[section.name], data, out) for section, data in read if data is not None
    ]
    drawn = iter(list(each(draw, sketches)))
    sections = [
        section if data is None else _with_drawings(section, *next(drawn)) for section, data in read
    ]
    claims = [claim for section in sections for claim in section.claims]
    _write(
        out / "claims.json",
        json.dumps(claims, indent=2, ensure_ascii=False, allow_nan=False) + "\n",
    )
    _write(out / "report.html", page(sections))
    return sections


def _sketch(module: Any, dataset: xr.Dataset, out: Path) -> Sketch:
    return Sketch(module.plot, module.CAPTIONS, dataset, out / "figures")


def _with_drawings(section: Section, drawn: tuple[Drawing, ...], problem: str | None) -> Section:
    return replace(section, drawings=drawn, problem=section.problem or problem)


def _read(
    out: Path, ledger: Ledger, module: Any, preset: str, config_text: str, seed: int
) -> tuple[Section, xr.Dataset | None]:
    """What the ledger says about an experiment, its data set, saved, and its claims judged."""
    command = (
        f"spheresn reproduce {module.NAME} --preset {preset} --seed {seed} --out "
        f"{out.name or 'results'}"
    )
    section, dataset = (
        Section(module.NAME, module.FIGURE, module.TITLE, preset, {}, seed, command),
        None,
    )
    try:
        settings = json.loads(config_text)
        bounded(settings, [asdict(known) for known in module.PRESETS.values()])
        section = replace(section, config=settings)
        config = module.Config(**{name: frozen(value) for name, value in settings.items()})
        tasks = module.tasks(config)
        section, results = _told(
            section,
            ledger,
            [Unit(module.NAME, config_text, canonical(task), seed) for task in tasks],
            tasks,
        )
        dataset = module.collect(config, results)
        section = replace(section, numbers=tuple(numbers(dataset)))
        _save(out / f"{module.NAME}.nc", dataset, section)
        section = replace(
            section,
            claims=tuple(
                _plain_claim(module.NAME, preset, claim) for claim in module.claims(dataset)
            ),
        )
    except (LedgerError, CannotWrite):
        raise  # no other experiment will do better
    except Exception as error:
        section = replace(section, problem=one_line(error))
    return section, dataset


def bounded(settings: Any, presets: Sequence[Any]) -> None:
    """Nothing in the settings is larger than in the presets: sizes are allocated, and a ledger may
    come from anybody.

    >>> bounded({"units": 500}, [{"units": 10}, {"units": 1000}])
    >>> bounded({"units": 10**12}, [{"units": 10}, {"units": 1000}])
    Traceback (most recent call last):
    spheresn._errors.BadInput: settings must be of the size of the presets or less, got 'units' larger; run the experiment anew
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


def frozen(value: Any) -> Any:
    """JSON's lists as the tuples that they were."""
    return tuple(frozen(item) for item in value) if isinstance(value, list) else value


def _told(
    section: Section, ledger: Ledger, units: Sequence[Unit], tasks: Sequence[dict[str, Any]]
) -> tuple[Section, list[Any]]:
    """The section with what the ledger says about its units, and the results in the order of the
    tasks.
    """
    rows, results = [ledger.row(unit) for unit in units], [ledger.result(unit) for unit in units]
    found = [row for row in rows if row is not None]
    holes = [
        Hole(
            unit.task,
            (row.error or "unknown") if row else "not computed",
            row.kind if row else None,
        )
        for unit, row in zip(units, rows, strict=True)
        if not row or row.error
    ]
    computed = dict.fromkeys(_computed(row.versions, row.source) for row in found)
    protocols = dict.fromkeys(str(task["protocol"]) for task in tasks if "protocol" in task)
    told: dict[str, Any] = {
        "seconds": sum(row.seconds for row in found),
        "size": sum(row.bytes for row in found),
        "units": len(units),
    }
    notes = dict.fromkeys(row.notes for row in found if row.notes)
    return replace(
        section,
        **told,
        holes=tuple(holes),
        computed=tuple(computed),
        protocols=tuple(protocols),
        notes=tuple(notes)[:5],
    ), results


def _computed(versions: Mapping[str, str], source: str | None) -> str:
    ours = [
        f"spheresn {versions.get('spheresn', '?')}"
        + (f" at commit {_short(source)}" if source else "")
    ]
    return ", ".join(
        ours + [f"{name} {version}" for name, version in versions.items() if name != "spheresn"]
    )


def _short(commit: str) -> str:
    name, changed, _ = commit.partition("-dirty")
    return name[:12] + (" with changes" if changed else "")


def _save(path: Path, dataset: xr.Dataset, section: Section) -> None:
    """The data set with where it comes from."""
    origin = {
        "experiment": section.name,
        "preset": section.preset,
        "seed": section.seed,
        "configuration": canonical(section.config),
    }
    told = {
        **origin,
        "computed_with": "; ".join(section.computed),
        "missing_units": len(section.holes),
    }
    # In memory, as HDF5's errors about a full disk are unreadable
    content = bytes(dataset.assign_attrs(told).to_netcdf(engine="h5netcdf"))
    with whole_file(path) as draft:
        draft.write_bytes(content)


def _plain_claim(name: str, preset: str, claim: Any) -> dict[str, Any]:
    """A claim as JSON, which knows no NaN and no numpy."""
    plain = asdict(claim)
    return {
        **plain,
        "evidence": {str(key): _plain(value) for key, value in plain["evidence"].items()},
        "experiment": name,
        "preset": preset,
    }


def _plain(value: Any) -> Any:
    number = value.item() if hasattr(value, "item") else value
    return None if isinstance(number, float) and not math.isfinite(number) else number


def _write(path: Path, text: str) -> None:
    with whole_file(path) as draft:
        draft.write_text(text, encoding="utf-8")
