"""Numbers with their errors, and verdicts that respect them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike
from scipy import stats

from .claim import Evidence

LEVEL = 0.95


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
    reach = float(stats.t.isf((1 - LEVEL) / 2 / tests, n - 1) * spread / np.sqrt(n))
    return Interval(centre, centre - reach, centre + reach)


def of_share(count: float, total: float) -> Interval:
    """A share of independent trials and its interval by Wilson.

    >>> of_share(0, 1440).text(".2%")
    '0.00% (0.00% to 0.27%)'
    """
    if not total > 0:
        return Interval(np.nan, np.nan, np.nan)
    found = stats.binomtest(int(count), int(total)).proportion_ci(LEVEL, "wilson")
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
    reach = float(stats.t.isf((1 - LEVEL) / 2, n - 1)) * float(error)
    return Interval(centre, centre - reach, centre + reach)
