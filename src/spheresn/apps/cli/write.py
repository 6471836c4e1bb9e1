"""The files of a forecast, each whole or absent."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ...io.files import CannotWrite, whole_file
from .._pages import STYLE, Drawing, quiet, save_figure
from .forecast import Outlook
from .forecast_figure import caption, figure
from .page import page

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def writable(folder: Path) -> None:
    """Before long work: a directory that exists and can be written, or can be made."""
    nearest = folder
    while not nearest.exists() and nearest != nearest.parent:
        nearest = nearest.parent
    if not nearest.is_dir() or not os.access(nearest, os.W_OK | os.X_OK):
        reason = "no permission" if nearest.is_dir() else f"{nearest} is not a directory"
        raise CannotWrite(
            f"{folder} must be writable, got {reason}; choose a directory that can be written and "
            "has room"
        )


def save_forecast(outlook: Outlook, folder: Path, command: str) -> list[Path]:
    """forecast.csv, forecast.png, forecast.svg and report.html."""
    with whole_file(folder / "forecast.csv") as draft:
        write_rows(draft, forecast_rows(outlook))
    picture = save_drawing(lambda: figure(outlook), folder, "forecast", caption(outlook))
    with whole_file(folder / "report.html") as draft:
        draft.write_text(page(outlook, picture, command), encoding="utf-8")
    return [
        folder / name for name in ("forecast.csv", "forecast.png", "forecast.svg", "report.html")
    ]


def save_drawing(draw: Callable[[], Figure], folder: Path, stem: str, words: str) -> Drawing:
    """As PNG and SVG."""
    import matplotlib

    with quiet(), matplotlib.rc_context(STYLE):
        save_figure(draw(), folder, stem)
    return Drawing(stem, words, (folder / f"{stem}.svg").read_text(encoding="utf-8"))


def forecast_rows(outlook: Outlook) -> list[list[str]]:
    """A header and a row per step: time, then value, lower and upper of each column."""
    head = [
        outlook.series.time_name,
        *(f"{name}{part}" for name in outlook.series.names for part in ("", " lower", " upper")),
    ]
    columns = [
        part[:, i]
        for i in range(len(outlook.series.names))
        for part in (outlook.values, outlook.lower, outlook.upper)
    ]
    return [
        head,
        *(
            [moment, *(repr(float(column[k])) for column in columns)]
            for k, moment in enumerate(outlook.times)
        ),
    ]


def write_rows(path: Path, rows: list[list[str]]) -> None:
    """As CSV."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)
