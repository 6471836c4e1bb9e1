"""Commands on series of one's own."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from ..._errors import BadInput
from ._app import app

File = Annotated[
    Path,
    typer.Argument(
        metavar="FILE", help="Table: .csv, .tsv, .txt, .parquet or .npy, a row per time."
    ),
]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--column", help="A column to use; repeat it for more. By default all numbers but time."
    ),
]
Fill = Annotated[
    str | None,
    typer.Option(
        metavar="linear", help="Fill missing values with straight lines instead of stopping."
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
        typer.Option(help="Rows to forecast; by default 200, or fewer for a short table."),
    ] = None,
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Directory of the results.")
    ] = Path("forecast"),
    fill: Fill = None,
    units: Units = 300,
    seed: Seed = 0,
    as_json: Json = False,
) -> int:
    """Forecast a table of your own, with a backtest: DIR/report.html, forecast.csv and the
    figure.
    """
    from ..tables import read_table
    from .forecast import STAGES
    from .forecast import forecast as make_forecast
    from .output import progress, tell_forecast, tell_json
    from .summary import summary
    from .write import save_forecast, writable

    _not_over(file, out / "forecast.csv")
    writable(out)
    series = read_table(file).pick(column or [], fill)
    with progress(STAGES) as tell:
        outlook = make_forecast(series, steps, units, seed, tell)
    command = [
        "spheresn",
        "forecast",
        file.name,
        *(part for name in column or [] for part in ("--column", name)),
    ]
    command += [
        "--steps",
        str(outlook.steps),
        "--units",
        str(units),
        "--seed",
        str(seed),
        *(["--fill", fill] if fill else []),
    ]
    files = save_forecast(outlook, out, shlex.join(command))
    if as_json:
        tell_json(summary(outlook) | {"files": [str(path) for path in files]})
    else:
        tell_forecast(outlook, files)
    return 0


@app.command()
def fit(
    file: File,
    out: Annotated[
        Path, typer.Option("--out", metavar="MODEL", help="File of the model, such as m.spheresn.")
    ],
    target: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Learn this column from the others; else to forecast."),
    ] = None,
    column: Columns = None,
    fill: Fill = None,
    units: Units = 300,
    seed: Seed = 0,
    as_json: Json = False,
) -> int:
    """Fit a network to a table and save it: a forecaster, or with --target a regressor."""
    from ... import io
    from ..._validation import one_of
    from ..tables import read_table
    from . import models
    from .output import progress, tell_fit, tell_json
    from .write import writable

    _model_name(out, models.MODEL)
    writable(out.parent)
    table = read_table(file)
    if target is not None:
        one_of("--target", target, table.cells)
        names = [name for name in column or table.numeric if name != target]
        series = table.pick([*names, target], fill)
        model = models.fit_regressor(series, target, units, seed)
    else:
        with progress(models.STAGES) as tell:
            model, series = models.fit_forecaster(table.pick(column or [], fill), units, seed, tell)
    io.save(model, out)
    if as_json:
        tell_json(models.described(model, series, target) | {"model": str(out)})
    else:
        tell_fit(models.described(model, series, target), out)
    return 0


@app.command()
def predict(
    model: Annotated[
        Path, typer.Argument(metavar="MODEL", help="A model that `spheresn fit` saved.")
    ],
    file: File,
    steps: Annotated[
        int | None,
        typer.Option(help="Rows that a forecaster goes on after those of FILE; by default 200."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="CSV", help="File of the result instead of stdout."),
    ] = None,
    fill: Fill = None,
    as_json: Json = False,
) -> int:
    """Ask a saved model: a forecaster hears FILE and goes on, a regressor predicts a value for each
    row. Prints CSV.
    """
    from ...io.files import whole_file
    from ..tables import read_table
    from . import models
    from .output import print_rows, tell_json, tell_notes
    from .write import write_rows

    _not_over(file, out or file.with_suffix(".none"))
    asked = models.read_model(model)
    head, rows, notes = models.answers(asked, read_table(file), steps, fill)
    if out is not None:
        with whole_file(out) as draft:
            write_rows(draft, [head, *rows])
    tell_notes(notes)
    if as_json:
        tell_json(
            {
                "model": str(model),
                "rows": [dict(zip(head, models.numbers(row), strict=True)) for row in rows],
                "notes": notes,
            }
        )
    elif out is None:
        print_rows([head, *rows])
    return 0


@app.command()
def analyse(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE|MODEL", help="A table; or a saved model, then its data as DATA."
        ),
    ],
    data: Annotated[
        Path | None, typer.Argument(metavar="[DATA]", help="The table that drives a saved model.")
    ] = None,
    column: Columns = None,
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Directory of the figure.")
    ] = Path("analysis"),
    fill: Fill = None,
    units: Units = 300,
    seed: Seed = 0,
    as_json: Json = False,
) -> int:
    """Measure a network that your data drive: Lyapunov exponents, echo state, memory, capacity;
    DIR/analysis.png and .svg.
    """
    from ..tables import read_table
    from . import analyse as measure
    from . import models
    from .analysis_figure import figure
    from .output import progress, tell_analysis, tell_json
    from .write import save_drawing, writable

    writable(out)
    if (file.suffix == models.MODEL) != (data is not None):
        what = "a saved model without DATA" if data is None else "DATA beside a table"
        raise BadInput(
            "arguments must be a table, or a saved model and the table that drives it, got "
            f"{what}; mend that"
        )
    fitting = 0 if data is not None else models.STAGES
    with progress(fitting + measure.STAGES) as tell:
        if data is not None:
            model = models.read_model(file)
            series = models.rows_for(model, read_table(data), fill)
        else:
            model, series = models.fit_forecaster(
                read_table(file).pick(column or [], fill), units, seed, tell
            )
        found = measure.analyse(model, series, tell)
    save_drawing(lambda: figure(found), out, "analysis", "")
    files = [out / "analysis.png", out / "analysis.svg"]
    if as_json:
        tell_json(measure.measured(found) | {"files": [str(path) for path in files]})
    else:
        tell_analysis(found, files)
    return 0


def _model_name(path: Path, ending: str) -> None:
    if path.suffix != ending or path.is_dir():
        raise BadInput(
            f"--out must be the name of a file that ends in {ending}, got {str(path)!r}; write "
            f"m{ending}, say"
        )


def _not_over(source: Path, result: Path) -> None:
    """Results never take the place of the data they come from."""
    if source.exists() and result.exists() and source.samefile(result):
        raise BadInput(
            f"--out must not overwrite FILE, got {str(result)!r} for both; choose another place"
        )
