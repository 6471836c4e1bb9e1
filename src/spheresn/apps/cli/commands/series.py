"""Commands on the user's own series: forecast, fit, predict, analyse."""

from __future__ import annotations

import dataclasses
import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from ...._errors import BadInput
from .._app import app

File = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="Table: .csv, .tsv, .txt, .xlsx, .ods, .parquet or .npy, one row per time step.",
    ),
]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        help="A column to use; repeat the option for more. By default all columns of numbers "
        "except the time.",
    ),
]
Fill = Annotated[
    str | None,
    typer.Option(
        metavar="linear|skip",
        help="linear: interpolate missing values and times instead of stopping at them. skip: "
        "count the rows as evenly spaced where times are missing.",
    ),
]
SheetName = Annotated[
    str | None,
    typer.Option("--sheet", metavar="NAME|NUMBER", help="Of a workbook: which sheet."),
]
Time = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="The column with the times, if it is not found."),
]
Dates = Annotated[
    str | None,
    typer.Option(metavar="day-first|month-first", help="How dates such as 1/2/2024 are read."),
]
Units = Annotated[int, typer.Option(help="Size of the network.")]
Seed = Annotated[int, typer.Option(help="Seed of all random numbers.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs instead of tables.")]


@app.command()
def forecast(
    file: File,
    column: Columns = None,
    steps: Annotated[
        int | None,
        typer.Option(
            help="Steps to forecast, at most the rows of the table; by default two seasons, or 24, "
            "or more if the series is nearly predictable; at most 200."
        ),
    ] = None,
    season: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ROWS|none",
            help="Rows of a season, such as 12 for months; repeat the option for several seasons. "
            "By default the dates suggest seasons and the data confirm them.",
        ),
    ] = None,
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Directory of the results.")
    ] = Path("forecast"),
    fill: Fill = None,
    known: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMNS",
            help="Columns that are known ahead, such as price,holiday: the last rows, which have "
            "these only, are forecast. Words are encoded.",
        ),
    ] = None,
    sheet: SheetName = None,
    time: Time = None,
    dates: Dates = None,
    ids: Annotated[
        list[str] | None,
        typer.Option(
            "--id",
            metavar="COLUMN",
            help="Of a table in long form: a column that tells the series apart; repeat the option "
            "for more. By default it is found.",
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Of a table in long form: the column to forecast."),
    ] = None,
    seed: Seed = 0,
    patch: Annotated[
        str | None,
        typer.Option(
            help="FILE is a field on a grid (.npy: T, *grid; .nc): cells of a patch, such as 8, or "
            "4,4 for two axes."
        ),
    ] = None,
    units: Annotated[
        int | None, typer.Option(help="For a field: size of each network; by default 300.")
    ] = None,
    halo: Annotated[
        str | None,
        typer.Option(
            help="For a field: cells on either side of a patch that are inputs too; by default 4."
        ),
    ] = None,
    edges: Annotated[
        bool, typer.Option("--edges", help="For a field: the grid has edges and is not periodic.")
    ] = False,
    variable: Annotated[
        str | None, typer.Option(help="For a field in a .nc file: which variable.")
    ] = None,
    as_json: Json = False,
) -> int:
    """Forecast a table by the methods that forecast it best so far. Writes report.html,
    forecast.csv and the figure to DIR. With --patch, FILE is a field on a grid; writes forecast.npy
    or .nc and the figure.
    """
    if patch is not None:
        of_tables: dict[str, object] = {"column": column, "season": season, "fill": fill}
        of_tables |= {"known": known, "id": ids, "target": target, "sheet": sheet}
        of_tables |= {"time": time, "dates": dates}
        _leave_out("a field, which is forecast as a whole", **of_tables)
        size = 300 if units is None else units
        return _forecast_field(
            file, steps, out, size, seed, patch, halo or "4", edges, variable, as_json
        )
    of_fields = {"units": units, "halo": halo, "edges": edges or None, "variable": variable}
    _leave_out("a table, whose methods have their own settings", **of_fields)
    from ....forecasting.defaults import SERIES_DEFAULTS
    from ....io.files import check_outputs
    from ...forecasts.many import MOST_TOGETHER, forecast_columns, forecast_panel, stages_of
    from ...forecasts.result import FORECAST_STAGES, ForecastResult, seasons_given
    from ...forecasts.result import forecast as make_forecast
    from ...forecasts.summary import summary, summary_of_many
    from ...tables.panel import PanelHints, long_table
    from ...tables.read import read_sheet
    from ...tables.table import table_of
    from ..forecast_report import FILES, save_forecast
    from ..output import print_json, report_forecast, report_many, show_stages

    check_outputs([out / name for name in FILES], {"FILE": file})
    hints = PanelHints(time, dates, tuple(ids or []), target)
    found = read_sheet(file, sheet=sheet)
    beside = _known_columns(known or [], list(found.frame.columns))
    long = None if column else long_table(found, hints)
    seasons = seasons_given(season or [])
    command = ["spheresn", "forecast", file.name]
    given = [("column", column), ("season", season), ("known", known), ("id", ids)]
    once = {"target": target, "sheet": sheet, "time": time, "dates": dates, "fill": fill}
    given += [(name, [one]) for name, one in once.items() if one]
    for name, values in given:
        command += [part for one in values or [] for part in (f"--{name}", one)]
    result: Any
    if long is not None:
        panel = long.pick(fill, beside, SERIES_DEFAULTS.least_rows)
        with show_stages(stages_of(panel) + 1) as report:
            result = forecast_panel(panel, steps, seasons, seed, report)
            report("drawing")
            files = save_forecast(result, out, _asked(command, steps, seed))
    else:
        _leave_out("a table whose times come once each", id=ids, target=target)
        series = table_of(found, hints).pick(column or [], fill, beside)
        wide = len(series.names) > MOST_TOGETHER
        with show_stages((len(series.names) if wide else FORECAST_STAGES) + 1) as report:
            make = forecast_columns if wide else make_forecast
            result = make(series, steps, seasons, seed, report)
            report("drawing")
            files = save_forecast(result, out, _asked(command, result.steps, seed))
    places = {"files": [str(path) for path in files]}
    if isinstance(result, ForecastResult):
        if as_json:
            print_json(summary(result) | places)
        else:
            report_forecast(result, files)
    elif as_json:
        print_json(summary_of_many(result) | places)
    else:
        report_many(result, files)
    return 0


def _known_columns(given: list[str], columns: list[str]) -> list[str]:
    """The columns that `--known` names: one, or several between commas."""
    found = []
    for words in given:
        parts = [words] if words in columns else [one.strip() for one in words.split(",")]
        found += [one for one in parts if one]
    return found


def _asked(command: list[str], steps: int | None, seed: int) -> str:
    """The command that gives the same forecast."""
    ahead = [] if steps is None else ["--steps", str(steps)]
    return shlex.join([*command, *ahead, "--seed", str(seed)])


@app.command()
def fit(
    file: File,
    out: Annotated[
        Path, typer.Option("--out", metavar="MODEL", help="File of the model, such as m.spheresn.")
    ],
    target: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Predict this column from the others; without it, forecast all columns.",
        ),
    ] = None,
    column: Columns = None,
    fill: Fill = None,
    sheet: SheetName = None,
    time: Time = None,
    dates: Dates = None,
    units: Units = 500,
    seed: Seed = 0,
    as_json: Json = False,
) -> int:
    """Fit a network to a table and save it. The model is a forecaster, or with --target a
    regressor.
    """
    from .... import io
    from ...._validation import one_of
    from ....io.files import check_outputs
    from ...tables import Hints, read_table
    from .. import models
    from ..output import print_json, report_fit

    if out.suffix != models.ENDING or out.is_dir():
        raise BadInput(
            f"--out must be the name of a file that ends in {models.ENDING}, got {str(out)!r}; "
            f"choose m{models.ENDING}, for example"
        )
    check_outputs([out], {"FILE": file})
    table = read_table(file, sheet=sheet, hints=Hints(time, dates))
    if target is not None:
        one_of("--target", target, table.cells)
        names = [name for name in column or table.numeric if name != target]
        series = table.pick([*names, target], fill)
        if not column:
            notes = (*series.notes, *table.left_out([*names, target]))
            series = dataclasses.replace(series, notes=notes)
        model = models.fit_regressor(series, target, units, seed)
    else:
        model, series = models.fit_forecaster(table.pick(column or [], fill), units, seed)
    io.save(model, out)
    content = models.describe_fit(model, series, target)
    if as_json:
        print_json(content | {"model": str(out)})
    else:
        report_fit(content, out)
    return 0


@app.command()
def predict(
    model: Annotated[
        Path, typer.Argument(metavar="MODEL", help="A model that `spheresn fit` saved.")
    ],
    file: File,
    steps: Annotated[
        int | None,
        typer.Option(help="Steps that a forecaster continues after FILE; by default 200."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="CSV", help="File of the result instead of stdout."),
    ] = None,
    fill: Fill = None,
    sheet: SheetName = None,
    time: Time = None,
    dates: Dates = None,
    as_json: Json = False,
) -> int:
    """Apply a saved model to a table and print CSV. A forecaster continues the table; a regressor
    predicts a value for each row.
    """
    from ....io.files import check_outputs, whole_file
    from ...tables import Hints, read_table
    from .. import models
    from ..output import print_json, print_notes, print_rows, write_rows

    check_outputs([] if out is None else [out], {"MODEL": model, "FILE": file})
    loaded = models.read_model(model)
    table = read_table(file, sheet=sheet, hints=Hints(time, dates))
    head, rows, notes = models.predict(loaded, table, steps, fill)
    if out is not None:
        with whole_file(out) as draft:
            write_rows(draft, [head, *rows])
    print_notes(notes)
    if as_json:
        cells = [dict(zip(head, models.row_for_json(row), strict=True)) for row in rows]
        print_json({"model": str(model), "rows": cells, "notes": notes})
    elif out is None:
        print_rows([head, *rows])
    return 0


@app.command()
def analyse(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE|MODEL", help="A table; or a saved model, followed by DATA."),
    ],
    data: Annotated[
        Path | None, typer.Argument(metavar="DATA", help="The table that drives a saved model.")
    ] = None,
    column: Columns = None,
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Directory of the figure.")
    ] = Path("analysis"),
    fill: Fill = None,
    sheet: SheetName = None,
    time: Time = None,
    dates: Dates = None,
    units: Units = 500,
    seed: Seed = 0,
    as_json: Json = False,
) -> int:
    """Measure a network while your data drive it. Prints Lyapunov exponents, echo state, memory and
    capacity, and draws DIR/analysis.png and .svg.
    """
    from ....io.files import check_outputs
    from ...tables import Hints, read_table
    from .. import analyse as analysis
    from .. import models
    from ..output import print_json, report_analysis, save_drawing, show_stages

    files = [out / "analysis.png", out / "analysis.svg"]
    check_outputs(files, {"FILE" if data is None else "MODEL": file, "DATA": data})
    if (file.suffix == models.ENDING) != (data is not None):
        given, advice = (
            ("a saved model without DATA", "add the table")
            if data is None
            else ("a table and DATA", "leave DATA out")
        )
        raise BadInput(
            "arguments must be a table, or a saved model and the table that drives it, got "
            f"{given}; {advice}"
        )
    if data is not None:
        model = models.read_model(file)
        table = read_table(data, sheet=sheet, hints=Hints(time, dates))
        series = models.series_for(model, table, fill)
    else:
        table = read_table(file, sheet=sheet, hints=Hints(time, dates))
        series = table.pick(column or [], fill)
        model, series = models.fit_forecaster(series, units, seed)
    with show_stages(analysis.ANALYSIS_STAGES) as report:
        found = analysis.analyse(model, series, report)
    save_drawing(lambda: analysis.figure(found), out, "analysis", "")
    if as_json:
        print_json(analysis.measures(found) | {"files": [str(path) for path in files]})
    else:
        report_analysis(found, files)
    return 0


def _leave_out(what: str, **options: object) -> None:
    """Refuse options that would be ignored."""
    for name, given in options.items():
        if given not in (None, []):
            raise BadInput(
                f"--{name} must be left out for {what}, got {given}; --patch says that FILE is a "
                "field"
            )


def _forecast_field(
    file: Path,
    steps: int | None,
    out: Path,
    units: int,
    seed: int,
    patch: str,
    halo: str,
    edges: bool,
    variable: str | None,
    as_json: bool,
) -> int:
    """`forecast` of a field."""
    from ....io.files import check_outputs
    from .. import field
    from ..output import print_json

    check_outputs(field.places(out, file.suffix), {"FILE": file})
    result = field.forecast_field(
        field.read_field(file, variable),
        steps,
        seed,
        units=units,
        patch=field.axes_of("--patch", patch),
        halo=field.axes_of("--halo", halo),
        periodic=not edges,
    )
    files = field.save_field(result, out, file.suffix)
    if as_json:
        print_json(field.summary(result) | {"files": [str(path) for path in files]})
    else:
        for line in (*field.sentences(result), *map(str, files)):
            print(line)
    return 0
