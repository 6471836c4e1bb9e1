"""Figures on disk: the same numbers give the same SVG, byte for byte, and a PNG beside it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import xarray as xr

from spheresn.apps.paper.runner import CannotWrite, whole_file
from spheresn.apps.paper.runner.unit import one_line

STYLE: dict[Any, Any] = {"svg.hashsalt": "spheresn", "svg.fonttype": "path", "savefig.dpi": 150}


@contextmanager
def quiet() -> Iterator[None]:
    """Holes make numpy and matplotlib warn; the page names the holes instead."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


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


def save_figure(figure: Any, folder: Path, stem: str) -> None:
    """As PNG and SVG."""
    _save(figure, folder / f"{stem}.png", {})
    # Keep the places that were just found: finding them is half of the work
    figure.set_layout_engine("none")
    _save(figure, folder / f"{stem}.svg", {"Date": None})


def _save(figure: Any, path: Path, metadata: dict[str, Any]) -> None:
    with whole_file(path) as draft:
        figure.savefig(draft, format=path.suffix[1:], metadata=metadata)
