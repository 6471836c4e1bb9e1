"""Numbers with their errors, and verdicts that respect them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike
from scipy import stats

from .claim import Evidence

LEVEL = 0.95


@dataclass(frozen=True)
class Look:
    """One of `planned` looks at results that grow from look to look.

    An interval has the level 1 - (1 - LEVEL)/planned, so that those of all looks together contain
    their number with probability LEVEL (Bonferroni), whatever makes us stop. more: intervals as
    they would be with so many times the networks, at the centre and the spread that were measured.
    """

    planned: int = 1
    more: float = 1.0


ALONE = Look()
_LOOK: ContextVar[Look] = ContextVar("look", default=ALONE)


@contextmanager
def look(planned: int = 1, more: float = 1.0) -> Iterator[None]:
    """Intervals that are made meanwhile belong to this look.

    >>> with look(planned=2):
    ...     of_mean([1.0, 2.0, 3.0]).text(".2f")
    '2.00 (-1.58 to 5.58)'
    """
    token = _LOOK.set(Look(planned, more))
    try:
        yield
    finally:
        _LOOK.reset(token)


def _error_allowed() -> float:
    """The probability with which an interval of this look may miss its number."""
    return (1 - LEVEL) / _LOOK.get().planned


def _quantile(n: int, tests: int = 1) -> float:
    """Student's for n networks. Over √more, so that a reach with it is that of so many more."""
    more = _LOOK.get().more
    return float(stats.t.isf(_error_allowed() / 2 / tests, n * more - 1) / np.sqrt(more))


@dataclass(frozen=True)
class Interval:
    """A number and where it lies with 95 % confidence; NaN at the ends if they are not known."""

    centre: float
    low: float
    high: float

    def judge(self, rule: Callable[[float], str]) -> str:
        """The verdict of a rule, or "open" where it is not the same at both ends.

        The rule must be monotone: from one end to the other it may only get better or only worse.

        >>> Interval(0.04, 0.03, 0.06).judge(lambda gap: "holds" if gap <= 0.05 else "fails")
        'open'
        """
        low, high = rule(self.low), rule(self.high)
        return low if low == high else "open"

    def below(self, limit: float) -> str:
        """ "holds" if the number is at most the limit, "fails" if not, or "open"."""
        return self.judge(lambda value: "holds" if value <= limit else "fails")

    def above(self, limit: float) -> str:
        """ "holds" if the number is greater than the limit, "fails" if not, or "open"."""
        return self.judge(lambda value: "holds" if value > limit else "fails")

    def magnitude(self) -> Interval:
        """The interval of the absolute value."""
        ends = abs(self.low), abs(self.high)
        least = 0.0 if self.low <= 0.0 <= self.high else min(ends)
        return Interval(abs(self.centre), least, max(ends))

    def as_share(self) -> Interval:
        """The same, cut to [0, 1]."""
        return Interval(*(float(np.clip(one, 0, 1)) for one in (self.centre, self.low, self.high)))

    def evidence(self, name: str) -> Evidence:
        """The three numbers under their names."""
        return {name: self.centre, f"{name}_low": self.low, f"{name}_high": self.high}

    def text(self, form: str = ".3f") -> str:
        """The number with its interval in words.

        >>> Interval(0.5, 0.25, 0.75).text(".0%")
        '50% (25% to 75%)'
        """
        return f"{self.centre:{form}} ({self.low:{form}} to {self.high:{form}})"


def of_mean(values: ArrayLike, tests: int = 1) -> Interval:
    """The mean over networks and its interval by Student's law; missing networks are left out.

    tests: of so many intervals all contain their numbers with 95 % confidence (Bonferroni).

    >>> of_mean([1.0, 2.0, 3.0]).text(".2f")
    '2.00 (-0.48 to 4.48)'
    """
    known = np.asarray(values, float)
    known = known[np.isfinite(known)]
    n = len(known)
    if n < 2:
        return Interval(float(known.mean()) if n else np.nan, np.nan, np.nan)
    centre, spread = float(known.mean()), float(known.std(ddof=1))
    reach = float(_quantile(n, tests) * spread / np.sqrt(n))
    return Interval(centre, centre - reach, centre + reach)


def of_share(count: float, total: float) -> Interval:
    """A share of independent trials and its interval by Wilson.

    >>> of_share(0, 1440).text(".2%")
    '0.00% (0.00% to 0.27%)'
    """
    if not total > 0:
        return Interval(np.nan, np.nan, np.nan)
    more = _LOOK.get().more
    trials = stats.binomtest(round(count * more), round(total * more))
    found = trials.proportion_ci(1 - _error_allowed(), "wilson")
    return Interval(count / total, float(found.low), float(found.high))


def jackknife(data: xr.DataArray | xr.Dataset, statistic: Callable[..., float]) -> Interval:
    """A number that is computed from all networks, and its interval by the jackknife: by how much
    it moves when one network is left out. For a mean this is the interval of Student.

    >>> table = xr.DataArray([1.0, 2.0, 3.0], dims="network")
    >>> jackknife(table, lambda some: float(some.mean())).text(".2f")
    '2.00 (-0.48 to 4.48)'
    """
    n, centre = data.sizes["network"], statistic(data)
    if n < 2 or np.isnan(centre):
        return Interval(centre, np.nan, np.nan)
    others = np.array([statistic(data.drop_isel(network=i)) for i in range(n)])
    error = np.sqrt((n - 1) * others.var())
    reach = _quantile(n) * float(error)
    return Interval(centre, centre - reach, centre + reach)
