"""How good forecasts of a panel would have been: the errors of a hold-out, series by series."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._validation import Floats
from .frames import PanelRows
from .outcome import PanelForecast


@dataclass(frozen=True, eq=False)
class PanelBacktest:
    """Forecasts (n, H) of the last rows of each series, the ends of their intervals, the seasonal
    naive forecast and the truth; labels of the series; roots (n,): the root mean square change
    from row to row in the rows before.

    >>> from spheresn.forecasting import PanelForecaster
    >>> shops = {name: k * np.sqrt(np.arange(40.0)) for k, name in enumerate("abc", 1)}
    >>> found = PanelForecaster(season=None, horizon=3).fit(shops).backtest()
    >>> found.truth.shape, found.relative_error < 0.1
    ((3, 3), True)
    """

    labels: NDArray[Any]
    index: Any
    truth: Floats
    mean: Floats
    lower: Floats
    upper: Floats
    naive: Floats
    roots: Floats

    @property
    def relative_error(self) -> float:
        """The geometric mean over series of the mean |e| relative to that of the seasonal naive
        forecast; series in which one of both made no error are left out.
        """
        ours, naive = (np.abs(one - self.truth).mean(axis=1) for one in (self.mean, self.naive))
        both = (ours > 0.0) & (naive > 0.0)
        return (
            float(np.exp(np.log(ours[both] / naive[both]).mean())) if both.any() else float("nan")
        )

    @property
    def wape(self) -> float:
        """The sum of |e| relative to that of |y|."""
        total = float(np.abs(self.truth).sum())
        return float(np.abs(self.mean - self.truth).sum()) / total if total > 0.0 else float("nan")

    @property
    def rmsse(self) -> float:
        """The mean over series of the root mean square error relative to that of the last value one
        step ahead, in the rows before [MAK20].
        """
        errors = np.sqrt(np.square(self.mean - self.truth).mean(axis=1))
        varies = self.roots > 0.0
        return float((errors[varies] / self.roots[varies]).mean()) if varies.any() else float("nan")

    @property
    def coverage(self) -> float:
        """The share of true values within the intervals."""
        return float(((self.lower <= self.truth) & (self.truth <= self.upper)).mean())

    def to_frame(self) -> Any:
        """A long data frame of pandas: ids, times, truth, mean, lower, upper, seasonal naive."""
        frame = self.index.to_frame(index=False)
        parts = {"truth": self.truth, "mean": self.mean, "lower": self.lower, "upper": self.upper}
        for name, part in {**parts, "seasonal naive": self.naive}.items():
            frame[name] = part.ravel()
        return frame

    def summary(self) -> Any:
        """A pandas DataFrame with a row for each series, the worst first: the mean of |e|, that of
        the seasonal naive forecast, and their ratio.
        """
        import pandas as pd

        ours, naive = (np.abs(one - self.truth).mean(axis=1) for one in (self.mean, self.naive))
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = ours / naive
        columns = {"mean |e|": ours, "seasonal naive": naive, "ratio": ratio}
        return pd.DataFrame(columns, self.labels).sort_values("ratio", ascending=False)

    def __repr__(self) -> str:
        """The measures of all series together."""
        series, steps = self.truth.shape
        return (
            f"PanelBacktest of the last {steps} rows of {series} series: "
            f"{self.relative_error:.3g} of the seasonal naive error, WAPE {self.wape:.3g}, "
            f"coverage {self.coverage:.3g}"
        )


def judge(found: PanelForecast, whole: PanelRows, before: PanelRows, season: int) -> PanelBacktest:
    """A forecast of the rows before, beside the rows that followed them in the whole panel."""
    series = len(before.labels)
    steps = len(found.index) // series
    lower, upper, mean = (
        np.asarray(part).reshape(series, steps) for part in (found.lower, found.upper, found.mean)
    )
    block = whole.block
    after = block.starts[1:, None] - steps + np.arange(steps)[None]
    back = after[:, :1] - season + np.arange(steps)[None] % season
    back = np.maximum(back, block.starts[:-1, None])
    return PanelBacktest(
        whole.labels,
        found.index,
        block.values[after],
        mean,
        lower,
        upper,
        block.values[back],
        _roots(before),
    )


def _roots(rows: PanelRows) -> Floats:
    block = rows.block
    squares = np.square(np.diff(block.values, append=0.0))
    squares[block.starts[1:] - 1] = 0.0  # from one series to the next
    sums = np.add.reduceat(squares, block.starts[:-1])
    return np.asarray(np.sqrt(sums / np.maximum(block.lengths - 1, 1)))
