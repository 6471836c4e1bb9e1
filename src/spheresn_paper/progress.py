"""Progress of a run on stderr: bars on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from spheresn._errors import printable
from spheresn.apps._pages import duration
from spheresn.apps._terminal import say

if TYPE_CHECKING:  # these would import xarray
    from .runner import Progress as RunProgress
    from .runner import Unit


@contextmanager
def show_units(totals: dict[str, int]) -> Iterator[RunProgress]:
    """A function to call with each unit that has ended; `totals` counts the units of each
    experiment.
    """
    console = Console(stderr=True)
    if not console.is_terminal:
        yield Lines(totals, say)
        return
    columns = (
        TextColumn("{task.description:<10}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    with Progress(*columns, console=console) as bars:
        yield unit_bars(bars, totals)


def unit_bars(bars: Progress, totals: dict[str, int]) -> RunProgress:
    """One bar per experiment, and a line for each failure."""
    tasks = {name: bars.add_task(name, total=total, start=False) for name, total in totals.items()}
    found: Counter[str] = Counter()

    def advance(unit: Unit, error: str | None, seconds: float | None) -> None:
        task = tasks[unit.experiment]
        if seconds is None:  # found on disk, so it says nothing about the speed
            found[unit.experiment] += 1
            bars.reset(
                task,
                start=found[unit.experiment] == totals[unit.experiment],
                completed=found[unit.experiment],
            )
            return
        bars.start_task(task)
        bars.advance(task)
        if error:
            # As Text, because rich would read brackets in a plain string as markup
            bars.console.print(Text(failure(unit, error), style="red"))

    return advance


class Lines:
    """A line for every tenth of an experiment, and one for every failure."""

    def __init__(self, totals: dict[str, int], line: Callable[[str], None]) -> None:
        self.totals, self.line = totals, line
        self.ended: Counter[str] = Counter()
        self.computed: Counter[str] = Counter()
        self.began: dict[str, float] = {}

    def __call__(self, unit: Unit, error: str | None, seconds: float | None) -> None:
        """Count a unit that has ended, or whose result was found on disk (`seconds` None)."""
        name, total = unit.experiment, self.totals[unit.experiment]
        before, self.ended[name] = self.ended[name], self.ended[name] + 1
        self.computed[name] += seconds is not None
        if error:
            self.line(failure(unit, error))
        if 10 * before // total != 10 * self.ended[name] // total:
            left = self._time_left(name, seconds or 0.0)
            self.line(f"{name}: {self.ended[name]} of {total} units{left}")

    def _time_left(self, name: str, seconds: float) -> str:
        began = self.began.setdefault(name, time.monotonic() - seconds)
        remaining = self.totals[name] - self.ended[name]
        if not remaining or not self.computed[name]:
            return ""
        each = (time.monotonic() - began) / self.computed[name]
        return f", {duration(max(1.0, each * remaining))} left"


def failure(unit: Unit, error: str) -> str:
    """One line about a unit that failed."""
    return printable(f"{unit.experiment} {unit.task} failed: {error}")
