"""The files of a forecast: CSV, figure and HTML page; each is whole or absent."""

from __future__ import annotations

from pathlib import Path

from jinja2 import FileSystemLoader

from ..._version import __version__
from ...forecasting.combination import COMBINATION
from ...io import whole_file
from .._pages import Drawing, pages
from ..forecasts.formatting import format_number
from ..forecasts.outlook import Outlook
from ..forecasts.summary import (
    badge,
    compared,
    describe_seasons,
    errors_by_column,
    errors_by_horizon,
    families,
    reach,
    record_rows,
    rows_ahead,
    sentences,
    short_title,
    shown_horizons,
)
from .forecast_figure import DRAWN, caption, figure
from .output import save_drawing, write_rows

NEXT_ROWS = 10
FILES = ("forecast.csv", "forecast.png", "forecast.svg", "report.html")


def save_forecast(outlook: Outlook, folder: Path, command: str) -> list[Path]:
    """Write forecast.csv, forecast.png, forecast.svg and report.html."""
    with whole_file(folder / "forecast.csv") as draft:
        write_rows(draft, forecast_rows(outlook))
    picture = save_drawing(lambda: figure(outlook), folder, "forecast", caption(outlook))
    with whole_file(folder / "report.html") as draft:
        draft.write_text(page(outlook, picture, command), encoding="utf-8")
    return [folder / name for name in FILES]


def forecast_rows(outlook: Outlook) -> list[list[str]]:
    """A header and a row per step: the time, then value, lower and upper of each column."""
    names = outlook.series.names
    head = [
        outlook.series.time_name,
        *(f"{name}{part}" for name in names for part in ("", " lower", " upper")),
    ]
    columns = [
        part[:, i]
        for i in range(len(names))
        for part in (outlook.values, outlook.lower, outlook.upper)
    ]
    rows = [
        [moment, *(repr(float(column[k])) for column in columns)]
        for k, moment in enumerate(outlook.times)
    ]
    return [head, *rows]


def page(outlook: Outlook, picture: Drawing, command: str) -> str:
    """The page as HTML that fetches nothing: the verdict, the figure, the record, the next rows and
    how all that was found.
    """
    here = Path(__file__).parent
    # Found by its place, because importing the paper's report would import xarray
    environment = pages(FileSystemLoader([here, here.parent / "paper" / "report"]))
    environment.filters.update(rounded=format_number)
    return environment.get_template("forecast.html").render(
        outlook=outlook,
        picture=picture,
        command=command,
        version=__version__,
        sentences=sentences(outlook),
        badge=badge(outlook),
        seasons=describe_seasons(outlook),
        combination=COMBINATION,
        record=record_rows(outlook),
        families=families(outlook),
        reach=reach(outlook),
        horizons=shown_horizons(reach(outlook)),
        by_horizon=errors_by_horizon(outlook),
        methods=[short_title(outlook, name) for name in compared(outlook)],
        by_column=errors_by_column(outlook),
        ahead=rows_ahead(outlook, NEXT_ROWS),
        drawn=DRAWN,
    )
