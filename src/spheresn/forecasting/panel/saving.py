"""Forecasters of panels on disk: the rows, the readouts, the scores and the counted errors."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save as to_bytes

from ..._errors import BadInput
from ..._plain import checked, plain
from ..._validation import Floats, whole
from ..._version import __version__
from ...io import whole_file
from ...series.calendar import whole_calendar
from ...series.form import SeriesForm
from ..saving import read_file
from .frames import Encoding, Names, PanelRows
from .members import Member
from .plan import Plan, calendar_features
from .pool import Pool, Readouts
from .spread import Spread
from .windows import Block, offsets_of

PANEL_FORMAT = 1  # of a file: a later one has parts that this version does not know
PANEL_KIND = "PanelForecaster"
PLANNED = ("season", "steps", "length", "least", "origins", "positive", "counts", "seed")


def write_panel(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted forecaster to one file, whole or not at all."""
    rows, pool, spread = model._rows, model._pool, model._spread
    header = {
        "format": PANEL_FORMAT,
        "library": __version__,
        "kind": PANEL_KIND,
        "parameters": {name: plain(one) for name, one in model.get_params().items()},
        "names": asdict(model._names),
        "labels": [str(one) for one in rows.labels],
        "library_of_rows": rows.library,
        "calendar": _plain_times(rows),
        "times": len(rows.times),
        "codes": [[[name, words] for name, words in one.columns] for one in model._codes],
        "plan": {name: getattr(pool.plan, name) for name in PLANNED},
        "members": [
            [one.logarithms, one.networks, one.deviations] for one in pool.readouts.members
        ],
        "penalties": list(pool.shares),
        "spread": [spread.factor, spread.persistence],
        "notes": list(rows.notes),
        "series": [model.n_series_, model._lengths[0][0], model._lengths[-1][0]],
    }
    block = rows.block
    tensors: dict[str, Any] = {
        "values": block.values,
        "lengths": block.lengths,
        "places": block.places,
        "known": block.known,
        "static": block.static,
        "own": model._own,
        "scores": pool.scores,
        "edges": spread.edges,
        "counts": spread.counts,
    }
    for place, one in enumerate(model._codes):
        tensors |= {f"mean {place}": one.mean, f"scale {place}": one.scale}
    for place, weights in enumerate(pool.readouts.weights):
        tensors[f"weights {place}"] = weights
    arrays = {name: np.ascontiguousarray(part, np.float64) for name, part in tensors.items()}
    with whole_file(Path(path)) as draft:
        draft.write_bytes(to_bytes(arrays, {"spheresn": json.dumps(header)}))


def _plain_times(rows: PanelRows) -> dict[str, Any]:
    """The calendar: its first time and step as a form of a series has them, and its length."""
    times = rows.times
    if not hasattr(times, "freq"):
        whole_numbers = bool(times.dtype.kind in "iu")
        return {"first": float(times[0]), "step": float(rows.step), "whole": whole_numbers}
    form = SeriesForm(index=times, calendar=whole_calendar(times[:1], rows.step))
    return {"form": form.plain()}


def read_panel_file(model: Any, path: str | os.PathLike[str]) -> None:
    """Give a forecaster what a file holds."""
    read_file(path, PANEL_KIND, PANEL_FORMAT, lambda *found: _take(model, *found))


def _take(model: Any, header: dict[str, Any], tensors: dict[str, Floats]) -> None:
    """Check what a file says, part against part, and take it over."""
    model.set_params(**{name: _parameter(one) for name, one in header["parameters"].items()})
    for name, part in tensors.items():
        _require(part.dtype == np.float64 and bool(np.isfinite(part).all()), f"{name} is damaged")
    rows = _rows_of(header, tensors)
    codes = [
        Encoding(
            tuple((str(name), None if words is None else tuple(words)) for name, words in columns),
            tensors[f"mean {place}"],
            tensors[f"scale {place}"],
        )
        for place, columns in enumerate(header["codes"])
    ]
    planned = {name: header["plan"][name] for name in PLANNED}
    for name in ("season", "steps", "length", "least", "origins"):
        whole(name, planned[name], 1)
    features = calendar_features(rows.times, planned["season"])
    plan = Plan(**planned, calendar=features)
    members = tuple(Member(*map(bool, one)) for one in header["members"])
    weights = tuple(tensors[f"weights {place}"] for place in range(len(members)))
    _require(all(one.shape[0] == plan.steps for one in weights), "weights have other steps")
    pool = Pool(plan, Readouts(members, weights), tensors["scores"], tuple(header["penalties"]))
    count = len(pool.names)
    _require(pool.scores.shape == (count,), "scores are missing")
    _require(tensors["own"].shape == (count, rows.block.count), "records are missing")
    edges, counts = tensors["edges"], tensors["counts"]
    _require(counts.shape[:2] == (len(edges) + 1, plan.steps), "counted errors are missing")
    named = header["names"]
    known, static = (tuple(map(str, named[part])) for part in ("known", "static"))
    ids, time, target = (str(named[part]) for part in ("id", "time", "target"))
    names = Names(ids, time, target, known, static)
    model._names, model._codes, model._rows = names, (codes[0], codes[1]), rows
    model._pool, model._own = pool, tensors["own"]
    model._spread = Spread(edges, counts, *map(float, header["spread"]))
    model.notes_, model.ids_ = rows.notes, list(rows.labels)
    model.season_, model.horizon_ = plan.season, plan.steps
    model.n_series_, model._parts = int(header["series"][0]), None
    model._lengths = tuple((int(one), 0) for one in header["series"][1:])


def _rows_of(header: dict[str, Any], tensors: dict[str, Floats]) -> PanelRows:
    from .frames import key_of

    labels = np.array([str(one) for one in header["labels"]], dtype=object)
    lengths, places = (tensors[name].astype(np.int64) for name in ("lengths", "places"))
    values = tensors["values"]
    fits = len(labels) == len(lengths) == len(places) and lengths.sum() == len(values)
    _require(bool(fits) and bool((lengths > 0).all()), "rows and lengths differ")
    starts = np.concatenate([[0], np.cumsum(lengths)])
    known, static = tensors["known"], tensors["static"]
    _require(len(known) == len(values) and len(static) == len(labels), "columns have other rows")
    block = Block(
        np.array([key_of(label) for label in labels], np.uint64),
        values,
        starts,
        places,
        known,
        np.zeros((len(labels), 0, known.shape[1])),
        static,
        offsets_of(values, starts),
    )
    count = int(header["times"])
    _require(count >= int((places + lengths).max(initial=0)), "times are missing")
    times, step = _times_of(header["calendar"], count)
    notes = tuple(map(str, header["notes"]))
    return PanelRows(labels, block, times, step, str(header["library_of_rows"]), notes)


def _times_of(found: dict[str, Any], count: int) -> tuple[Any, Any]:
    import pandas as pd

    from .frames import going_on

    if "form" in found:
        form = SeriesForm.from_plain(found["form"])
        assert form.calendar is not None  # dates and periods have one
        return going_on(form.index, form.calendar.step, count - 1), form.calendar.step
    times = found["first"] + found["step"] * np.arange(count)
    return pd.Index(times.astype(np.int64) if found["whole"] else times), float(found["step"])


def _parameter(value: Any) -> Any:
    return [checked(one) for one in value] if isinstance(value, list) else checked(value)


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise BadInput(what)
