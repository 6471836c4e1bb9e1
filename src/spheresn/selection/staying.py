"""Long free runs: whether a closed loop stays what the series was.

A loop that forecasts well may still leave the attractor after thousands of steps, and then it stays
away: at the bounds, at a point, on a cycle. So it runs free from many rows of the series, for
longer than anybody looks at one forecast, and where each run ends up is compared with the series as
a climate (`analysis.climate`).

A series with chance of its own is none of its free run, which goes to the mean. Where the model
does not know the next row well, its errors belong to the system, and the runs have such errors too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._validation import Floats, one_of, real, whole
from ..analysis.climates import (
    BLOCKS,
    LEAST_BLOCK,
    TELLING,
    Climate,
    Climatology,
    Distances,
)
from ..closed_loop import ClosedLoop
from ..driving import drive
from .free_runs import evenly_spaced


@dataclass(frozen=True)
class StayingDefaults:
    """The numbers of the check.

    starts, steps: of free runs. Runs that leave did so after 2,000 to 6,000 steps, some in one of
    eight; so many steps cost a tenth of a fit with a ring of 500 units. columns: at most, that are
    compared; pairs of columns grow with their square. chance: deviations; where one-step errors are
    larger, they belong to the system. sure: times the largest distance that halves of the series
    have; a smaller one is no proof, because many runs are compared.
    """

    starts: int = 16
    steps: int = 16_000
    columns: int = 12
    chance: float = 0.1
    sure: float = 1.5


STAYING_DEFAULTS = StayingDefaults()
VERDICTS = ("same", "close", "different", "too short")


class Distance(NamedTuple):
    """Of the column or pair where it is largest beside its limit; see `analysis.climate`."""

    value: float
    chance: float
    limit: float

    @staticmethod
    def of(found: Distances) -> Distance:
        """That of the worst column."""
        worst = found.worst
        return Distance(*(float(one[worst]) for one in (found.values, found.chance, found.limit)))


NOTHING = Distance(0.0, 1.0, 1.0)  # before anything was compared: all may be chance


@dataclass(frozen=True)
class LearnedClimate:
    """What long free runs of a model were like, beside the series that it learned.

    verdict: "same", "close" (a good model may be as far), "different" or "too short" (the rows do
    not tell), of the worst run. reason: one sentence. histogram, joint, spectrum:
    Hellinger distances of that run, with what halves of the series differ by, and the limit.
    starts: runs, from rows all over the series; left: how many of them were of another climate at
    their end. steps: of each. lasting: the steps after which no run had left yet.

    >>> found = LearnedClimate("different", "as told", starts=16, left=2, steps=16_000)
    >>> found.stays, found.words.partition(":")[0]
    (False, 'Long free runs do not stay what the series is')
    """

    verdict: str
    reason: str
    histogram: Distance = NOTHING
    joint: Distance = NOTHING
    spectrum: Distance = NOTHING
    starts: int = 0
    left: int = 0
    steps: int = 0
    lasting: int = 0

    @property
    def stays(self) -> bool:
        """Whether no run left, as far as the rows can tell."""
        return self.verdict != "different"

    def __str__(self) -> str:
        if self.verdict == "too short":
            return f"not enough rows to tell whether long free runs stay: {self.reason}"
        runs = f"{self.starts} free runs of {self.steps:,} steps"
        if self.stays:
            return f"{runs}: none left the climate of the series ({self.reason})"
        kept = f"none within {self.lasting:,} steps" if self.lasting else "some from the start"
        return f"{runs}: {self.left} left the climate of the series ({self.reason}), {kept}"

    @property
    def words(self) -> str:
        """The verdict in one sentence for everybody."""
        if self.verdict == "too short":
            return "Too few rows to tell whether long free runs stay what the series is."
        if self.stays:
            return (
                f"Long free runs stay what the series is: {self.starts} of {self.starts}, of "
                f"{self.steps:,} steps each."
            )
        kept = f"none within {self.lasting:,} steps" if self.lasting else "some from the start"
        return (
            f"Long free runs do not stay what the series is: {self.left} of {self.starts} end as "
            f"something else, {kept}."
        )

    def plain(self) -> dict[str, Any]:
        """As a file holds it."""
        return asdict(self) | {
            name: list(getattr(self, name)) for name in ("histogram", "joint", "spectrum")
        }

    @staticmethod
    def from_plain(found: dict[str, Any]) -> LearnedClimate:
        """The climate of a file, whose parts are checked."""
        one_of("verdict", found["verdict"], VERDICTS)
        parts: dict[str, Any] = {"verdict": found["verdict"], "reason": str(found["reason"])}
        for name in ("histogram", "joint", "spectrum"):
            parts[name] = Distance(*(real(name, one, 0.0) for one in found[name]))
        for name in ("starts", "left", "steps", "lasting"):
            parts[name] = whole(name, found[name], 0)
        return LearnedClimate(**parts)


TOO_SHORT = LearnedClimate("too short", f"a climate needs {BLOCKS * LEAST_BLOCK} rows")


@dataclass(frozen=True, eq=False)
class LongRuns:
    """Long free runs beside the climate of a standardised series.

    inputs (T - 1, m + e): what drives a network along the series; places: the rows at which runs
    begin. exogenous (R, steps, e). errors (m,): variances of the chance in each step, None where
    there is none.
    """

    climatology: Climatology
    series: Floats
    inputs: Floats
    places: NDArray[np.int64]
    exogenous: Floats
    errors: Floats | None
    use: StayingDefaults

    @staticmethod
    def of(
        series: Floats,
        beside: Floats,
        skip: int,
        errors: Floats,
        use: StayingDefaults = STAYING_DEFAULTS,
    ) -> LongRuns | None:
        """From a standardised series (T, m) and its exogenous columns (T, e); None if it has too
        few rows to have a climate.

        The first `skip` rows are for the network to forget its start. With exogenous columns, whose
        future nobody knows, runs are as long as half of the series. errors (m,): variances of
        one-step forecasts.
        """
        total, steps = len(series), use.steps
        if total < BLOCKS * LEAST_BLOCK:
            return None
        first, last = min(max(skip, 1), total // 2), total - 1
        if beside.shape[1]:
            last = max(total // 2, first)
            steps = total - 1 - last
        places = evenly_spaced(last, first, use.starts)
        rows = places[:, None] + 1 + np.arange(steps if beside.shape[1] else 0)
        exogenous = beside[rows] if beside.shape[1] else np.zeros((len(places), steps, 0))
        climatology = Climatology.of(series[:, : use.columns], max(steps - steps // 2, LEAST_BLOCK))
        chance = bool((np.sqrt(errors) > use.chance).any())
        inputs = np.hstack([series[:-1], beside[1:]])
        return LongRuns(
            climatology, series, inputs, places, exogenous, errors if chance else None, use
        )

    def stays(self, loop: ClosedLoop) -> bool:
        """Whether no run of a loop leaves; the first that does ends the check."""
        return not any(self._leaves(self._ending(run)) for run in self._runs(loop))

    def climate(self, loop: ClosedLoop) -> LearnedClimate:
        """What the runs of a loop are like."""
        runs = list(self._runs(loop))
        ends = [self._ending(run) for run in runs]
        left = [run for run, end in zip(runs, ends, strict=True) if self._leaves(end)]
        worst = max(ends, key=self._excess)
        return LearnedClimate(
            "different" if left else _unsure(worst),
            worst.reason,
            Distance.of(worst.marginal),
            Distance.of(worst.joint),
            Distance.of(worst.spectrum),
            len(runs),
            len(left),
            len(runs[0]),
            min(map(self._lasting, left), default=len(runs[0])),
        )

    def _runs(self, loop: ClosedLoop) -> Iterator[Floats]:
        """The runs (steps, m), one after the other."""
        states = drive(loop.reservoir, self.inputs)[self.places - 1]
        rng, steps = np.random.default_rng(0), self.exogenous.shape[1]
        for state, place, beside in zip(states, self.places, self.exogenous, strict=True):
            shocks = None
            if self.errors is not None:
                shocks = rng.standard_normal((1, steps, loop.outputs)) * np.sqrt(self.errors)
            runs, _ = loop.runs(steps, state[None], self.series[place][None], beside[None], shocks)
            yield runs[0]

    def _ending(self, run: Floats) -> Climate:
        """The climate of the later half of a run: where it ends up."""
        return self._compared(run[len(run) // 2 :])

    def _lasting(self, run: Floats) -> int:
        """The steps for which a run has the climate of the series: all, a half, a quarter, ..."""
        steps = len(run)
        while steps >= self.climatology.segment:
            if not self._leaves(self._compared(run[:steps])):
                return steps
            steps //= 2
        return 0

    def _leaves(self, found: Climate) -> bool:
        """Whether it is surely another climate."""
        return self._excess(found) > 1.0

    def _excess(self, found: Climate) -> float:
        """The largest distance in units of what is surely too much."""
        return max(
            float((part.values / np.maximum(part.limit, self.use.sure * part.most)).max())
            for part in (found.marginal, found.joint, found.spectrum)
        )

    def _compared(self, run: Floats) -> Climate:
        return self.climatology.compare(run[:, : self.use.columns])


def _unsure(found: Climate) -> str:
    """The verdict about a run that is not surely of another climate."""
    if found.verdict != "different":
        return found.verdict
    most = max(float(part.most.max()) for part in (found.marginal, found.joint, found.spectrum))
    return "too short" if most > TELLING else "close"
