"""Commands for models in use: export to other places, watch a stream."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ...._errors import BadInput
from .._app import app


@app.command()
def export(
    model: Annotated[
        Path, typer.Argument(metavar="MODEL", help="A model that `spheresn fit` saved.")
    ],
    to: Annotated[
        str,
        typer.Option(
            metavar="c|onnx", help="c: C99 for microcontrollers. onnx: graphs for browsers."
        ),
    ],
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Directory of the files.")
    ] = Path("export"),
    name: Annotated[str, typer.Option(help="Name of the files and functions.")] = "model",
    single: Annotated[
        bool, typer.Option("--float", help="Single precision instead of double.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON for programs instead of lines.")
    ] = False,
) -> int:
    """Write a saved model as C for microcontrollers or as ONNX for browsers."""
    from ....io.exports import contents_of, write
    from ....io.models import load
    from ..output import print_json

    contents = contents_of(load(model), to, name, "float32" if single else "float64")
    files = write(contents, out, {"MODEL": model})
    if as_json:
        print_json({"model": str(model), "files": [str(path) for path in files]})
    else:
        for path in files:
            print(path)
    return 0


@app.command()
def watch(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE|-",
            help="Rows as CSV or JSON lines, from a file, or from standard input (-) without end.",
        ),
    ],
    model: Annotated[
        Path | None,
        typer.Option("--model", metavar="MODEL", help="A saved forecaster, which judges the rows."),
    ] = None,
    train: Annotated[int, typer.Option(help="Without MODEL: first rows to learn from.")] = 1000,
    column: Annotated[
        list[str] | None,
        typer.Option("--column", help="A column to watch; repeat the option for more."),
    ] = None,
    level: Annotated[float, typer.Option(help="Share of rows that are alarms by chance.")] = 0.001,
    patience: Annotated[
        float, typer.Option(help="Mean rows between changes that chance announces, at least.")
    ] = 100_000.0,
    learned: Annotated[int, typer.Option(help="Rows that show the usual size of errors.")] = 500,
    everything: Annotated[
        bool, typer.Option("--all", help="Print all rows, not alarms and changes only.")
    ] = False,
    units: Annotated[int, typer.Option(help="Without MODEL: size of the network.")] = 200,
    seed: Annotated[int, typer.Option(help="Seed of all random numbers.")] = 0,
) -> int:
    """Watch a stream of rows: print JSON lines for rows that a network did not expect, and for
    changes that stay.
    """
    import json
    import os
    import sys

    from ...._validation import fitting, whole
    from ....estimators import ESNForecaster
    from ....io.models import load
    from ..._terminal import Stopped, stoppable
    from .. import stream

    loaded = None if model is None else load(model)
    if loaded is not None and not isinstance(loaded, ESNForecaster):
        raise BadInput(
            f"MODEL must be a forecaster, got an {type(loaded).__name__}; fit one without --target"
        )
    said = stream.watch(
        file,
        loaded,
        column or [],
        fitting("--train", train, stream.LEAST_TRAINING),
        whole("--units", units, 1),
        whole("--seed", seed, 0),
        everything,
        level=level,
        patience=patience,
        learned=learned,
    )
    try:
        with stoppable():
            for content in said:
                print(json.dumps(content, allow_nan=False), flush=True)
    except Stopped as stop:
        return stop.code
    except BrokenPipeError:  # nobody reads any more
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
