"""The command that serves the explorer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..._errors import BadInput
from ._app import app, say
from ._stop import Stopped, stoppable


@app.command()
def explore(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[FILE]...", help="CSV or NPY files to choose from, one row per step."
        ),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes any free one.")] = 8050,
    host: Annotated[
        str,
        typer.Option(
            help="Address to listen at; anything but this machine's own opens the page to others."
        ),
    ] = "127.0.0.1",
) -> int:
    """Serve a page on which a network's dials can be moved: path, memory, stability and forecast,
    at once.
    """
    try:
        from ..explorer.app import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("dash", "plotly", "flask", "werkzeug"):
            raise
        raise BadInput(
            "explore must find the package dash, got none; pip install 'spheresn[explore]'"
        ) from None
    with stoppable():
        try:
            serve(files or [], host, port, say)
        except Stopped:
            return 0
    return 0
