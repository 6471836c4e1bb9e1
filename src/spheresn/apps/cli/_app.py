"""The typer application with which every command registers."""

from __future__ import annotations

from typing import Annotated

import typer

from ..._version import __version__

app = typer.Typer(add_completion=True, rich_markup_mode=None, pretty_exceptions_enable=False)


def _print_version(asked: bool) -> None:
    if asked:
        print(__version__)
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Echo state networks on a hyper-sphere: forecast your own series, analyse networks, reproduce
    the paper.
    """
