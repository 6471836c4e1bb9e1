"""Commands on series of one's own."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from ..own.forecast import STAGES
from ..own.forecast import forecast as make_forecast
from ..own.summary import summary
from ..own.write import save_forecast, writable
from ..tables import read_table
from ._app import app
from .told import progress, tell_forecast, tell_json

File = Annotated[Path, typer.Argument(metavar="FILE", help="Table: .csv, .tsv, .txt, .parquet or .npy, a row per time.")]
Columns = Annotated[
    list[str] | None, typer.Option("--column", help="A column to use; repeat it for more. By default all numbers but time.")
]
Fill = Annotated[str | None, typer.Option(metavar="linear", help="Fill missing values with straight lines instead of stopping.")]
Units = Annotated[int, typer.Option(help="Size of the network.")]
Seed = Annotated[int, typer.Option(help="Seed of all random numbers.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs instead of tables.")]


@app.command()
def forecast(
    file: File,
    column: Columns = None,
    steps: Annotated[int | None, typer.Option(help="Rows to forecast; by default 200, or fewer for a short table.")] = None,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Directory of the results.")] = Path("forecast"),
    fill: Fill = None,
    units: Units = 300,
    seed: Seed = 0,
    as_json: Json = False,
) -> int:
    """Forecast a table of your own, with a backtest: DIR/report.html, forecast.csv and the figure."""
    _not_over(file, out / "forecast.csv")
    writable(out)
    series = read_table(file).pick(column or [], fill)
    with progress(STAGES) as tell:
        outlook = make_forecast(series, steps, units, seed, tell)
    command = ["spheresn", "forecast", file.name, *(part for name in column or [] for part in ("--column", name))]
    command += ["--steps", str(outlook.steps), "--units", str(units), "--seed", str(seed), *(["--fill", fill] if fill else [])]
    files = save_forecast(outlook, out, shlex.join(command))
    if as_json:
        tell_json(summary(outlook) | {"files": [str(path) for path in files]})
    else:
        tell_forecast(outlook, files)
    return 0


def _not_over(source: Path, result: Path) -> None:
    """Results never take the place of the data they come from."""
    if source.exists() and result.exists() and source.samefile(result):
        raise ValueError(f"--out must not overwrite FILE, got {str(result)!r} for both; choose another place")
