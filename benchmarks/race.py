"""Timing side by side: candidates take turns, round by round, so that whatever else the machine
does slows all of them alike.

A case is one table of lines that do the same work; a line holds the values of its rounds. Cases are
plain dictionaries, as they go to results.json; what is concluded from them is computed in
verdicts.py.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Run = Callable[[], object]
Case = dict[str, Any]

OURS, PEER, REFERENCE = "ours", "peer", "reference"
# Seconds; a peer whose warm-up took longer is not run again: that is its only value. Ours may
# compile as long
PATIENCE = 10.0
# Seconds before every turn: until then the waiting threads of the candidate before fall asleep, and
# are in nobody's way
PAUSE = 0.1
# Seconds; a shorter run is repeated within one turn, so that the clock and what is cold after the
# pause do not count
SHORTEST = 0.1


@dataclass(frozen=True)
class Effort:
    """How much is measured: rounds, seconds that one candidate of one case may take (at least one
    turn), small sizes for a trial run.

    `without` names peers that killed a former process; `mark` is a file that says whose turn it
    is, for whoever finds this one dead.
    """

    rounds: int = 7
    seconds: float = 3.0
    quick: bool = False
    threads: int = 1
    without: frozenset[str] = frozenset()
    mark: Path | None = None

    def announce(self, name: str) -> None:
        if self.mark is not None:
            self.mark.write_text(name)


@dataclass(frozen=True)
class Entry:
    """A candidate. `prepare` does what is not timed and returns the run; factor: how many times the
    run the whole work would be.
    """

    name: str
    kind: str
    prepare: Callable[[], Run]
    note: str = ""
    factor: float = 1.0

    @property
    def package(self) -> str:
        """The peer's name: the first word."""
        return self.name.split()[0].strip(",")


@dataclass
class Turns:
    """What is known of one candidate while the race goes on."""

    entry: Entry
    run: Run
    repeats: int = 1
    rounds: int = 0
    values: list[float] = field(default_factory=list)


def race(entries: Sequence[Entry], effort: Effort) -> list[dict[str, Any]]:
    """One line per entry. A first turn warms up (and compiles), a second shows how many rounds
    there is time for; in every round another one begins. A candidate that has no time for more
    keeps the value of its second turn.
    """
    lines: dict[str, dict[str, Any]] = {}
    racing: list[Turns] = []
    for entry in entries:
        try:
            racing.append(_warmed(entry, effort))
        except (
            Exception
        ) as error:  # a peer that fails in whatever way is named, and the others race on
            if entry.kind != PEER:
                raise
            lines[entry.name] = line(
                entry.name, entry.kind, [], entry.note, f"{type(error).__name__}: {error}"
            )
    for number in range(effort.rounds):
        for turns in _rotated(racing, number):
            if number < turns.rounds:
                effort.announce(turns.entry.package)
                turns.values.append(_seconds(turns.run, turns.repeats))
    for turns in racing:
        e = turns.entry
        lines[e.name] = line(e.name, e.kind, [value * e.factor for value in turns.values], e.note)
    return [lines[entry.name] for entry in entries]


def line(
    name: str, kind: str, values: Sequence[float], note: str = "", missing: str = ""
) -> dict[str, Any]:
    """A line of a case: its values, or why there are none."""
    return {
        "name": name,
        "kind": kind,
        "values": [float(f"{value:.5g}") for value in values],
        "note": note,
        "missing": missing,
    }


def case(
    name: str, lines: list[dict[str, Any]], targets: Sequence[dict[str, Any]] = (), **options: Any
) -> Case:
    """options: steps (times are shown per step), unit ("s" unless given), note."""
    return {
        "name": name,
        "lines": lines,
        "targets": list(targets),
        "steps": None,
        "unit": "s",
        "note": "",
        **options,
    }


def faster(name: str, at_least: float, against: str = "fastest peer") -> dict[str, Any]:
    """The target that the time of `against` is at least so many times that of the line `name`."""
    return {"line": name, "against": against, "at_least": at_least}


def within(name: str, at_most: float, against: str | None) -> dict[str, Any]:
    """The target that the line is at most so many times `against`, or, against None, that its value
    is at most that.
    """
    return {"line": name, "against": against, "at_most": at_most}


def _warmed(entry: Entry, effort: Effort) -> Turns:
    if entry.package in effort.without:
        raise RuntimeError("ended the process it ran in")
    effort.announce(entry.package)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        turns = Turns(entry, entry.prepare())
        first = _seconds(turns.run)
        second = first if first > PATIENCE and entry.kind == PEER else _seconds(turns.run)
    if second > effort.seconds:
        turns.values = [second]
        return turns
    turns.repeats = max(1, round(SHORTEST / second))
    turns.rounds = max(1, min(effort.rounds, int(effort.seconds / (second * turns.repeats))))
    return turns


def _rotated(racing: list[Turns], number: int) -> list[Turns]:
    cut = number % max(len(racing), 1)
    return racing[cut:] + racing[:cut]


def _seconds(run: Run, repeats: int = 1) -> float:
    time.sleep(PAUSE)
    begin = time.perf_counter()
    for _ in range(repeats):
        run()
    return (time.perf_counter() - begin) / repeats
