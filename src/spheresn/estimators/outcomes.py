"""A forecast with its intervals, in the form of the series."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr
from scipy.stats import nbinom, poisson
from scipy.stats import t as student

from .._errors import BadInput
from .._formatting import format_interval, format_name, format_number
from .._validation import Floats, real, whole
from ..series.form import SeriesForm
from ..series.scaling import LARGEST_FLOAT

SHOWN_STEPS, SHOWN_SERIES = 5, 4  # of a forecast in its `repr`
PER_CENT = 2.0  # levels from here on are per cent: 1.5 is a slip, 80 is .8
NEARLY_ONE = 1.0 - 2.0**-53  # the largest share below 1
NO_MORE = 1e-9  # of a mean: a variance that is no larger than that of Poisson's distribution


class Outcomes(Protocol):
    """The distribution of each future value."""

    def quantile(self, share: float) -> Floats:
        """The values (H, d) that a share of all outcomes lies below."""

    def sample(self, count: int, rng: np.random.Generator) -> Floats:
        """Ways (count, H, d) in which it may come."""


@dataclass(frozen=True)
class Dependence:
    """How errors depend on each other: from one step to the next, and between columns.

    The errors of a path come from normal variables: an autoregression of first order over the
    steps, with these correlations between columns. Each is then given the distribution of its step.
    """

    persistence: float
    correlations: Floats

    @staticmethod
    def none(columns: int) -> Dependence:
        """Independent errors."""
        return Dependence(0.0, np.eye(columns))

    def shares(self, count: int, steps: int, rng: np.random.Generator) -> Floats:
        """For each path the share (count, H, d) of outcomes that lie below it."""
        values, vectors = np.linalg.eigh(self.correlations)
        mix = vectors * np.sqrt(np.maximum(values, 0.0))
        shocks = rng.standard_normal((count, steps, len(mix))) @ mix.T
        rest = np.sqrt(1.0 - self.persistence**2)
        for step in range(1, steps):
            shocks[:, step] = self.persistence * shocks[:, step - 1] + rest * shocks[:, step]
        return np.asarray(np.clip(ndtr(shocks), 1.0 - NEARLY_ONE, NEARLY_ONE))


@dataclass(frozen=True, eq=False)
class StudentOutcomes:
    """Student's distribution about a mean (H, d), as wide as the errors were."""

    mean: Floats
    spread: Floats
    degrees: Floats
    dependence: Dependence | None = None

    def quantile(self, share: Any) -> Floats:
        """The values that a share of all outcomes lies below."""
        with np.errstate(over="ignore"):
            return np.asarray(self.mean + student.ppf(share, self.degrees) * self.spread)

    def sample(self, count: int, rng: np.random.Generator) -> Floats:
        """Ways (count, H, d) in which it may come."""
        steps, columns = self.mean.shape
        dependence = self.dependence or Dependence.none(columns)
        return self.quantile(dependence.shares(count, steps, rng))


@dataclass(frozen=True, eq=False)
class CountOutcomes:
    """Negative binomial distributions of counts, with these means and variances (H, d); Poisson's
    where the variance is no larger than the mean. Columns that are no counts have `others`.
    """

    counts: NDArray[np.bool_]
    means: Floats
    variances: Floats
    others: StudentOutcomes

    def quantile(self, share: Any) -> Floats:
        """The least counts that at least this share of all outcomes does not exceed."""
        found = self.others.quantile(share)
        mean, variance = self.means[:, self.counts], self.variances[:, self.counts]
        wide = variance > (1.0 + NO_MORE) * mean
        more = np.where(wide, variance - mean, 1.0)
        size, chance = mean**2 / more, np.where(wide, mean / np.where(wide, variance, 1.0), 0.5)
        part = np.broadcast_to(share, found.shape)[..., self.counts]
        found[..., self.counts] = np.where(
            wide, nbinom.ppf(part, size, chance), poisson.ppf(part, mean)
        )
        return found

    def sample(self, count: int, rng: np.random.Generator) -> Floats:
        """Ways (count, H, d) in which it may come."""
        steps, columns = self.means.shape
        dependence = self.others.dependence or Dependence.none(columns)
        return self.quantile(dependence.shares(count, steps, rng))


@dataclass(frozen=True, eq=False)
class Paths:
    """Paths (n, H, d), each as likely as the others."""

    rows: Floats

    def quantile(self, share: float) -> Floats:
        """The values that a share of all outcomes lies below."""
        return np.asarray(np.quantile(self.rows, share, axis=0))

    def sample(self, count: int, rng: np.random.Generator) -> Floats:
        """Some of the paths; more than there are repeat some."""
        return self.rows[rng.choice(len(self.rows), count, replace=count > len(self.rows))]


@dataclass(frozen=True, eq=False)
class Forecast:
    """The next rows of a series: `mean`, and `lower` and `upper`, which enclose `level` of them.

    All three have the form of the series that was fitted: numbers, arrays, or pandas and polars
    objects with the same names; `index` holds the dates that follow. `levels` are all that were
    asked for; `level` is the first of them.

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
    _levels: tuple[float, ...] = ()

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

    @property
    def levels(self) -> tuple[float, ...]:
        """All levels that were asked for."""
        return self._levels or (self.level,)

    def quantile(self, share: Any) -> Any:
        """The value that a share of all outcomes lies below, at each step; 0 < share < 1.

        Of several shares, each: a data frame with a column for each share if the series is one of
        pandas, and otherwise an array with the shares on its first axis.
        """
        if np.ndim(share) == 0:
            return self._formed(self._quantiles(share))
        parts = [self._quantiles(one) for one in share]
        if not parts:
            raise BadInput("share must be a number or several, got none; pass 0.5, say")
        if self._form.library == "pandas":
            return self._table(dict(zip(share, parts, strict=True)))
        rows = np.stack([np.maximum(part, self._low) for part in parts])
        return rows[:, :, 0] if self._form.flat else rows

    def sample_paths(self, n: int = 100, random_state: Any = 0) -> Floats:
        """Ways (n, H, d) in which the series may go on, each as likely as the others.

        The values of all paths at a step have the distribution whose quantiles are `quantile`.
        Neighbouring steps and columns depend on each other as the errors of the record did.
        """
        rng = np.random.default_rng(random_state)
        rows = self._outcomes.sample(whole("n", n, 1), rng)
        return np.asarray(np.maximum(np.clip(rows, -LARGEST_FLOAT, LARGEST_FLOAT), self._low))

    def to_frame(self) -> Any:
        """A pandas DataFrame with the columns mean, lower and upper; of several columns, each; for
        several levels, lower and upper of each.
        """
        parts = {"mean": self._mean}
        for one in self.levels:
            said = "" if len(self.levels) == 1 else f" {100 * one:g}"
            parts[f"lower{said}"] = self._quantiles(0.5 - 0.5 * one)
            parts[f"upper{said}"] = self._quantiles(0.5 + 0.5 * one)
        return self._table(parts)

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

    def __repr__(self) -> str:
        """The first steps, with the digits that their intervals justify."""
        head, rows, more = self._shown()
        widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in (head, *rows)
        ]
        return "\n".join([self._title(), *lines, *more])

    def _repr_html_(self) -> str:
        """The same as a table."""
        head, rows, more = self._shown()
        cells = "".join(f"<th>{escape(cell)}</th>" for cell in head)
        body = "".join(
            f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows
        )
        below = f"<caption>{escape(self._title())}</caption>"
        end = "".join(f"<p>{escape(line)}</p>" for line in more)
        return f"<table>{below}<thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>{end}"

    def _title(self) -> str:
        steps = len(self._mean)
        last = self._moment(steps - 1)
        return (
            f"Forecast of {steps} step{'s' if steps > 1 else ''}"
            f"{f', {self._moment(0)} to {last}' if steps > 1 else f', {last}'}, with "
            f"{100 * self.level:g} % intervals"
        )

    def _shown(self) -> tuple[list[str], list[list[str]], list[str]]:
        """A header, some rows, and a line about those that are left out."""
        lower, upper = (self._quantiles(0.5 + sign * 0.5 * self.level) for sign in (-1, 1))
        parts = (self._mean, lower, upper)
        steps, columns = self._mean.shape
        names = [
            "forecast"
            if name is None or (self._form.library == "numpy" and columns == 1)
            else format_name(str(name), 24)
            for name in self._form.names[:SHOWN_SERIES]
        ]
        rows = [
            [
                self._moment(step),
                *(
                    format_interval(*(float(part[step, one]) for part in parts))
                    for one in range(len(names))
                ),
            ]
            for step in range(min(steps, SHOWN_STEPS))
        ]
        left = [
            f"{count} more {word}{'s' if count > 1 else ''}"
            for count, word in ((steps - len(rows), "step"), (columns - len(names), "column"))
            if count > 0
        ]
        return ["", *names], rows, [f"and {' and '.join(left)}; to_frame() has all"] if left else []

    def _moment(self, step: int) -> str:
        time = self.index[step]
        if isinstance(time, (int, np.integer)):
            return f"row {time}"
        if isinstance(time, (float, np.floating)):
            return format_number(float(time), 6)
        return str(time).removesuffix(" 00:00:00")

    def _quantiles(self, share: Any) -> Floats:
        rows = self._outcomes.quantile(inside_one("share", share))
        rows = np.clip(rows, -LARGEST_FLOAT, LARGEST_FLOAT)
        return np.asarray(np.maximum(rows, self._low))

    def _table(self, parts: dict[Any, Floats]) -> Any:
        import pandas as pd

        names = self._form.names
        tables = {name: np.maximum(part, self._low) for name, part in parts.items()}
        if len(names) == 1:
            return pd.DataFrame({name: part[:, 0] for name, part in tables.items()}, self.index)
        columns = pd.MultiIndex.from_tuples((label, name) for label in names for name in tables)
        rows = np.stack(list(tables.values()), axis=2).reshape(len(self._mean), -1)
        return pd.DataFrame(rows, self.index, columns)  # two columns may have the same name

    def _formed(self, rows: Floats) -> Any:
        with np.errstate(invalid="ignore"):
            return self._form.shaped(np.maximum(rows, self._low), self.index)


def levels_of(level: Any) -> tuple[float, ...]:
    """The levels that were asked for: a share as .8, per cent as 80, or several.

    >>> levels_of(0.8), levels_of([80, 95])
    ((0.8,), (0.8, 0.95))
    """
    found = tuple(_levels(level if np.ndim(level) else [level]))
    if not found:
        raise BadInput("level must be a number or several, got none; pass 0.9, say")
    return found


def _levels(given: Any) -> Iterator[float]:
    for one in given:
        is_share = isinstance(one, bool) or not np.isreal(one) or not PER_CENT <= one < 100.0
        yield inside_one("level", one if is_share else float(one) / 100.0)


def inside_one(name: str, share: Any) -> float:
    """A share above 0 and below 1: otherwise an interval would be infinite."""
    found = real(name, share, 0.0, 1.0, above=True)
    if found == 1.0:
        raise BadInput(f"{name} must be above 0 and below 1, got {share!r}; pass such a number")
    return found
