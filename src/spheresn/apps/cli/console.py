"""How a run is told: bars with the time left on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bars
from rich.text import Text

from ..._validation import printable
from .._pages import duration
from ..paper.runner import Progress, Unit


@contextmanager
def watch(totals: dict[str, int]) -> Iterator[Progress]:
    """A progress for `run`, by what stderr is connected to."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield Lines(totals, lambda line: print(line, file=sys.stderr, flush=True))
        return
    columns = (
        TextColumn("{task.description:<10}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    with Bars(*columns, console=console) as bars:
        yield _on_bars(bars, totals)


def _on_bars(bars: Bars, totals: dict[str, int]) -> Progress:
    tasks = {name: bars.add_task(name, total=total, start=False) for name, total in totals.items()}
    found: Counter[str] = Counter()

    def tell(unit: Unit, error: str | None, seconds: float | None) -> None:
        task = tasks[unit.experiment]
        if seconds is None:  # found on disk: not to be taken for speed
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
            # Text: brackets in it are no markup
            bars.console.print(Text(failure(unit, error), style="red"))

    return tell


class Lines:
    """A line when an experiment has moved on by a tenth, and one for every failure."""

    def __init__(self, totals: dict[str, int], line: Callable[[str], None]) -> None:
        self.totals, self.line = totals, line
        self.ended: Counter[str] = Counter()
        self.computed: Counter[str] = Counter()
        self.began: dict[str, float] = {}

    def __call__(self, unit: Unit, error: str | None, seconds: float | None) -> None:
        """One unit has ended, or has a result already."""
        name, total = unit.experiment, self.totals[unit.experiment]
        before, self.ended[name] = self.ended[name], self.ended[name] + 1
        self.computed[name] += seconds is not None
        if error:
            self.line(failure(unit, error))
        if 10 * before // total != 10 * self.ended[name] // total:
            self.line(
                f"{name}: {self.ended[name]} of {total} units{self._left(name, seconds or 0.0)}"
            )

    def _left(self, name: str, seconds: float) -> str:
        began = self.began.setdefault(name, time.monotonic() - seconds)
        remaining = self.totals[name] - self.ended[name]
        if not remaining or not self.computed[name]:
            return ""
        return (
            ", "
            f"{duration(max(1.0, (time.monotonic() - began) / self.computed[name] * remaining))} "
            "left"
        )


def failure(unit: Unit, error: str) -> str:
    """One line about a unit that failed."""
    return printable(f"{unit.experiment} {unit.task} failed: {error}")
