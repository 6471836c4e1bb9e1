"""Commands that put a saved model to use elsewhere: export."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

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
    name: Annotated[str, typer.Option(help="What files and functions are called.")] = "model",
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
