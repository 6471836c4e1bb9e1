"""The files of a forecast: CSV, figure and HTML page; each is whole or absent."""

from __future__ import annotations

from pathlib import Path

from ..._version import __version__
from ...forecasting.combination import COMBINATION
from ...io import whole_file
from .._pages import Drawing, pages
from ..forecasts.formatting import format_number
from ..forecasts.result import ForecastResult
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
from .forecast_figure import DRAWN_COLUMNS, caption, figure
from .output import save_drawing, write_rows

NEXT_ROWS = 10  # of the forecast in the table; all of them are in the file
FILES = ("forecast.csv", "forecast.png", "forecast.svg", "report.html")


def save_forecast(result: ForecastResult, folder: Path, command: str) -> list[Path]:
    """Write forecast.csv, forecast.png, forecast.svg and report.html."""
    with whole_file(folder / "forecast.csv") as draft:
        write_rows(draft, forecast_rows(result))
    picture = save_drawing(lambda: figure(result), folder, "forecast", caption(result))
    with whole_file(folder / "report.html") as draft:
        draft.write_text(page(result, picture, command), encoding="utf-8")
    return [folder / name for name in FILES]


def forecast_rows(result: ForecastResult) -> list[list[str]]:
    """A header and a row per step: the time, then value, lower and upper of each column."""
    names = result.series.names
    head = [
        result.series.time_name,
        *(f"{name}{part}" for name in names for part in ("", " lower", " upper")),
    ]
    columns = [
        part[:, i]
        for i in range(len(names))
        for part in (result.values, result.lower, result.upper)
    ]
    rows = [
        [moment, *(repr(float(column[k])) for column in columns)]
        for k, moment in enumerate(result.times)
    ]
    return [head, *rows]


def page(result: ForecastResult, picture: Drawing, command: str) -> str:
    """The page as HTML that fetches nothing: the verdict, the figure, the record, the next rows and
    how all that was found.
    """
    environment = pages(Path(__file__).parent)
    environment.filters.update(rounded=format_number)
    return environment.get_template("forecast.html").render(
        result=result,
        picture=picture,
        command=command,
        version=__version__,
        sentences=sentences(result),
        badge=badge(result),
        seasons=describe_seasons(result),
        combination=COMBINATION,
        record=record_rows(result),
        families=families(result),
        reach=reach(result),
        horizons=shown_horizons(reach(result)),
        by_horizon=errors_by_horizon(result),
        methods=[short_title(result, name) for name in compared(result)],
        by_column=errors_by_column(result),
        ahead=rows_ahead(result, NEXT_ROWS),
        drawn=DRAWN_COLUMNS,
    )
