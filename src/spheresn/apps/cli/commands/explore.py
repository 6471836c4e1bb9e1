"""The command that serves the explorer."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from ..._extras import require
from .._app import Stopped, app, say, stoppable


@app.command()
def explore(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FILE", help="CSV or NPY files to choose from, one row per time step."
        ),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes any free one.")] = 8050,
    host: Annotated[
        str,
        typer.Option(
            help="Address to listen at; any other than the default may let other machines in."
        ),
    ] = "127.0.0.1",
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A name by which browsers may open the page, besides the address; repeat it for "
            "more.",
        ),
    ] = None,
) -> int:
    """Serve a page that shows a network live. Change its parameters there and see its state,
    memory, stability and forecast.
    """
    require("explore", "explore")
    from ...explorer.app import serve

    with stoppable(), suppress(Stopped):
        serve(files or [], host, port, say, allow_host or [])
    return 0
