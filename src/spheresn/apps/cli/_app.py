"""The application that the commands of this package are registered with, and what holds for all of
them.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from ..._version import __version__

app = typer.Typer(
    add_completion=True, no_args_is_help=True, rich_markup_mode=None, pretty_exceptions_enable=False
)


def _version(asked: bool) -> None:
    if asked:
        print(__version__)
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Echo state networks on a hyper-sphere: forecast series of your own, analyse networks, redo
    the paper.
    """


def say(line: str) -> None:
    """To the person at the terminal, beside the output."""
    print(line, file=sys.stderr, flush=True)
