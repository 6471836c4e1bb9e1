"""Choosing by trials: try all candidates, rank what was tried, learn the best again from all rows.

A setting that was chosen by held-out rows is then learned from all rows. That is another model: it
may fail where the first did not. So the best are scored twice, and the lower of two scores counts.
What is chosen may have to survive a longer test as well, which only few have to take.

This module knows nothing of networks. A trial is any object with `scores`, from the settings that
were tried on one candidate to their scores. Scores are compared, and larger ones are better.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from joblib import Parallel, delayed

from .._running import Progress, environment

C = TypeVar("C")


class Tried(Protocol):
    """A trial: the scores of all settings that were tried on one candidate."""

    @property
    def scores(self) -> Mapping[Any, Any]:
        """Larger ones are better."""
        ...


T = TypeVar("T", bound=Tried)
P = TypeVar("P")


class Entry(NamedTuple, Generic[T]):
    """One setting of one trial."""

    score: Any
    trial: T
    setting: Any


def try_all(
    attempt: Callable[[C], T | None],
    found: Sequence[C],
    progress: Progress | None = None,
    n_jobs: int | None = 1,
) -> list[T]:
    """The trials of the candidates that can be tried, in their order; None says that one cannot.

    n_jobs: trials side by side (joblib; None leaves it to its context).

    >>> class Guess:
    ...     def __init__(self, number):
    ...         self.scores = {"plain": -abs(number - 7), "doubled": -abs(2 * number - 7)}
    >>> guesses = try_all(lambda number: Guess(number) if number else None, [0, 3, 9])
    >>> [one.scores["plain"] for one in guesses]
    [-4, -2]
    """
    if progress is not None:
        progress.expect(len(found))
    running: Iterable[T | None] = map(attempt, found)
    if n_jobs != 1:
        with environment():
            running = Parallel(n_jobs, return_as="generator")(
                delayed(attempt)(one) for one in found
            )
    trials = []
    for trial in running:
        if progress is not None:
            progress.advance()
        if trial is not None:
            trials.append(trial)
    return trials


def ranked(trials: Iterable[T]) -> list[Entry[T]]:
    """All settings of all trials, the best first; of equal ones, that which was tried first."""
    entries = [
        Entry(score, one, setting) for one in trials for setting, score in one.scores.items()
    ]
    return sorted(entries, key=lambda entry: entry.score, reverse=True)


def ranked_trials(trials: Iterable[T]) -> list[T]:
    """The trials in the order of their best scores."""
    return sorted(trials, key=lambda one: max(one.scores.values()), reverse=True)


@dataclass(frozen=True, eq=False)
class Choice(Generic[T, P]):
    """The entry that was chosen, what it gave when it was learned again, and its lower score.

    again: the second score of each entry in the ranking, None where it could not decide any more.
    survives: whether it survives the longer test.
    """

    entry: Entry[T]
    learned: P
    score: Any
    again: list[Any]
    survives: bool = True


def lower_of_two(
    entries: Iterable[Entry[T]],
    learn_again: Callable[[Entry[T]], tuple[P, Any]],
    survives: Callable[[P], bool] = lambda learned: True,
    enough: int | None = None,
) -> Choice[T, P]:
    """The entry whose lower score is best: that of its trial, or that after learning it again.

    Entries are learned again in their order, until none that is left can be better.

    survives: whether what was learned survives a longer test. One that does not is chosen only if
    none does. enough: entries after so many first ones are there only for this case.

    >>> class Trial:
    ...     scores = {"fragile": 9, "robust": 7, "weak": 5}
    >>> again = {"fragile": 1, "robust": 8}
    >>> found = lower_of_two(ranked([Trial]), lambda entry: ("learned", again[entry.setting]))
    >>> found.entry.setting, found.score, found.again
    ('robust', 7, [1, 8, None])
    >>> found = lower_of_two(
    ...     ranked([Trial]), lambda entry: (entry.setting, 9), lambda learned: learned == "weak"
    ... )
    >>> found.entry.setting, found.score, found.survives
    ('weak', 5, True)
    """
    best: Choice[T, P] | None = None
    again: list[Any] = []
    for place, entry in enumerate(entries):
        if best is not None and best.survives and not entry.score > best.score:
            again.append(None)
        else:
            learned, second = learn_again(entry)
            again.append(second)
            best = _better(best, Choice(entry, learned, min(entry.score, second), again), survives)
        if best.survives and enough is not None and place + 1 >= enough:
            break
    assert best is not None  # there is at least one entry
    return best


def _better(
    best: Choice[T, P] | None, new: Choice[T, P], survives: Callable[[P], bool]
) -> Choice[T, P]:
    """The choice that survives, or of two alike that with the larger score."""
    larger = best is None or new.score > best.score
    if best is not None and best.survives and not larger:
        return best
    new = replace(new, survives=survives(new.learned))
    if best is None or new.survives > best.survives:
        return new
    return new if larger and new.survives == best.survives else best
