"""A forecast with its intervals, in the form of the series."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy.stats import t as student

from .._errors import BadInput
from .._validation import Floats, real
from ..series.form import SeriesForm
from ..series.scaling import LARGEST_FLOAT


class Outcomes(Protocol):
    """What may come: a distribution of each value."""

    def quantile(self, share: float) -> Floats:
        """The values (H, d) that a share of all outcomes lies below."""


@dataclass(frozen=True, eq=False)
class StudentOutcomes:
    """Student's distribution about a mean (H, d), as wide as errors were."""

    mean: Floats
    spread: Floats
    degrees: Floats

    def quantile(self, share: float) -> Floats:
        """The values that a share of all outcomes lies below."""
        with np.errstate(over="ignore"):
            return np.asarray(self.mean + student.ppf(share, self.degrees) * self.spread)


@dataclass(frozen=True, eq=False)
class Paths:
    """Paths (n, H, d), each as likely as the others."""

    rows: Floats

    def quantile(self, share: float) -> Floats:
        """The values that a share of all outcomes lies below."""
        return np.asarray(np.quantile(self.rows, share, axis=0))


@dataclass(frozen=True, eq=False)
class Forecast:
    """The next rows of a series: `mean`, and `lower` and `upper`, which enclose `level` of them.

    All three have the form of the series that was fitted: numbers, arrays, or pandas and polars
    objects with the same names; `index` holds the dates that follow.

    >>> from spheresn.forecasting import SeriesForecaster
    >>> forecast = SeriesForecaster().fit(np.sin(0.5 * np.arange(60.0))).forecast(4, level=0.8)
    >>> forecast.mean.shape, bool((forecast.lower <= forecast.quantile(0.5)).all())
    ((4,), True)
    """

    level: float
    index: Any
    _form: SeriesForm
    _known: Floats
    _mean: Floats
    _outcomes: Outcomes
    _low: Any = -np.inf

    @property
    def mean(self) -> Any:
        """The forecast (H,) or (H, d)."""
        return self._formed(self._mean)

    @property
    def lower(self) -> Any:
        """The lower end of the interval."""
        return self.quantile(0.5 - 0.5 * self.level)

    @property
    def upper(self) -> Any:
        """The upper end of the interval."""
        return self.quantile(0.5 + 0.5 * self.level)

    def quantile(self, share: float) -> Any:
        """The value that a share of all outcomes lies below, at each step; 0 < share < 1."""
        rows = self._outcomes.quantile(inside_one("share", share))
        return self._formed(np.clip(rows, -LARGEST_FLOAT, LARGEST_FLOAT))

    def to_frame(self) -> Any:
        """A pandas DataFrame with the columns mean, lower and upper; of several columns, each."""
        import pandas as pd

        parts = {"mean": self.mean, "lower": self.lower, "upper": self.upper}
        tables = {
            name: np.asarray(part).reshape(len(self._mean), -1) for name, part in parts.items()
        }
        names = self._form.names
        if len(names) == 1:
            return pd.DataFrame({name: part[:, 0] for name, part in tables.items()}, self.index)
        columns = pd.MultiIndex.from_tuples((label, name) for label in names for name in tables)
        rows = np.stack(list(tables.values()), axis=2).reshape(len(self._mean), -1)
        return pd.DataFrame(rows, self.index, columns)  # two columns may have the same name

    def plot(self, axes: Any = None, past: int | None = None) -> Any:
        """Draw the end of the series and the forecast with its interval; returns the axes."""
        from ..plotting import plot_forecast

        if axes is None:
            from matplotlib import pyplot

            axes = pyplot.gca()
        index = self._form.index
        rows = self._known if index is None else self._known[-len(index) :]
        known = self._form.shaped(rows, None if index is None else index[-len(rows) :])
        plot_forecast(axes, self, known, past)
        return axes

    def _formed(self, rows: Floats) -> Any:
        with np.errstate(invalid="ignore"):
            return self._form.shaped(np.maximum(rows, self._low), self.index)


def inside_one(name: str, share: Any) -> float:
    """A share above 0 and below 1: beyond, an interval has no end."""
    found = real(name, share, 0.0, 1.0, above=True)
    if found == 1.0:
        raise BadInput(f"{name} must be above 0 and below 1, got {share!r}; pass such a number")
    return found
