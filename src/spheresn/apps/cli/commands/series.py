"""Commands on the user's own series: forecast, fit, predict, analyse."""

from __future__ import annotations

import dataclasses
import shlex
from pathlib import Path
from typing import Annotated

import typer

from ...._errors import BadInput
from .._app import app

File = Annotated[
    Path,
    typer.Argument(
        metavar="FILE", help="Table: .csv, .tsv, .txt, .parquet or .npy, one row per time step."
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
        _leave_out("a field, which is forecast as a whole", column=column, season=season, fill=fill)
        size = 300 if units is None else units
        return _forecast_field(
            file, steps, out, size, seed, patch, halo or "4", edges, variable, as_json
        )
    of_fields = {"units": units, "halo": halo, "edges": edges or None, "variable": variable}
    _leave_out("a table, whose methods have their own settings", **of_fields)
    from ....io.files import check_outputs
    from ...forecasts.result import FORECAST_STAGES, seasons_given
    from ...forecasts.result import forecast as make_forecast
    from ...forecasts.summary import summary
    from ...tables import read_table
    from ..forecast_report import FILES, save_forecast
    from ..output import print_json, report_forecast, show_stages

    check_outputs([out / name for name in FILES], {"FILE": file})
    series = read_table(file).pick(column or [], fill)
    seasons = seasons_given(season or [])
    command = ["spheresn", "forecast", file.name]
    command += [part for name in column or [] for part in ("--column", name)]
    command += [part for one in season or [] for part in ("--season", one)]
    command += ["--fill", fill] if fill else []
    with show_stages(FORECAST_STAGES + 1) as report:
        result = make_forecast(series, steps, seasons, seed, report)
        report("drawing")
        command += ["--steps", str(result.steps), "--seed", str(seed)]
        files = save_forecast(result, out, shlex.join(command))
    if as_json:
        print_json(summary(result) | {"files": [str(path) for path in files]})
    else:
        report_forecast(result, files)
    return 0


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
    from ...tables import read_table
    from .. import models
    from ..output import print_json, report_fit

    if out.suffix != models.ENDING or out.is_dir():
        raise BadInput(
            f"--out must be the name of a file that ends in {models.ENDING}, got {str(out)!r}; "
            f"choose m{models.ENDING}, for example"
        )
    check_outputs([out], {"FILE": file})
    table = read_table(file)
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
    as_json: Json = False,
) -> int:
    """Apply a saved model to a table and print CSV. A forecaster continues the table; a regressor
    predicts a value for each row.
    """
    from ....io.files import check_outputs, whole_file
    from ...tables import read_table
    from .. import models
    from ..output import print_json, print_notes, print_rows, write_rows

    check_outputs([] if out is None else [out], {"MODEL": model, "FILE": file})
    loaded = models.read_model(model)
    head, rows, notes = models.predict(loaded, read_table(file), steps, fill)
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
    units: Units = 500,
    seed: Seed = 0,
    as_json: Json = False,
) -> int:
    """Measure a network while your data drive it. Prints Lyapunov exponents, echo state, memory and
    capacity, and draws DIR/analysis.png and .svg.
    """
    from ....io.files import check_outputs
    from ...tables import read_table
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
        series = models.series_for(model, read_table(data), fill)
    else:
        series = read_table(file).pick(column or [], fill)
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
