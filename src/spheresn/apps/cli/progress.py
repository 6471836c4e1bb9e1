"""Stages of a command on stderr: a bar on a terminal, nothing elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn


@contextmanager
def show_stages(stages: int) -> Iterator[Callable[[str], None]]:
    """A function to call with the name of each stage that begins; without a terminal it prints
    nothing.
    """
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda stage: None
        return
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bars:
        task = bars.add_task("reading", total=stages + 1)
        yield lambda stage: bars.update(task, description=f"{stage:<20}", advance=1)
