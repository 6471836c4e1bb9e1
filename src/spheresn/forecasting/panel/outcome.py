"""The forecast of a panel: a `Forecast` whose rows are those of a long table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._errors import BadInput
from ..._formatting import format_number
from ..._validation import Floats
from ...estimators.outcomes import Dependence, Forecast
from .frames import PanelRows
from .spread import Spread
from .windows import Places

SHOWN_LONG, DRAWN = 6, 6  # of a forecast in its `repr`, and series in its picture
PAST_OF_STEPS = 3  # times as many rows as are forecast are drawn before them
BLUE = "#0072B2"


@dataclass(frozen=True, eq=False)
class PanelOutcomes:
    """What may come: the forecast (n, H) of each series plus errors of windows as rough as its own,
    in units of its window (n,); whole numbers where everything is counted.
    """

    centre: Floats
    scale: Floats
    bins: Places
    spread: Spread
    counts: bool

    def quantile(self, share: Any) -> Floats:
        """The values (n H, 1) that a share of all outcomes lies below."""
        errors = self.spread.quantiles(float(share))[self.bins, : self.centre.shape[1]]
        return self._whole(self.centre + self.scale[:, None] * errors).reshape(-1, 1)

    def sample(self, count: int, rng: np.random.Generator) -> Floats:
        """Ways (count, n H, 1) in which it may come; neighbouring steps err alike."""
        series, steps = self.centre.shape
        dependence = Dependence(self.spread.persistence, np.eye(series))
        shares = dependence.shares(count, steps, rng).transpose(0, 2, 1)  # (count, n, H)
        levels = np.linspace(0.005, 0.995, 199)  # as fine as the counted errors can tell
        table = np.stack([self.spread.quantiles(one) for one in levels])[:, :, :steps]
        found = np.empty_like(shares)
        for one, place in enumerate(self.bins):
            for step in range(steps):
                drawn = np.interp(shares[:, one, step], levels, table[:, place, step])
                found[:, one, step] = self.centre[one, step] + self.scale[one] * drawn
        return self._whole(found).reshape(count, -1, 1)

    def _whole(self, rows: Floats) -> Floats:
        return np.floor(rows + 0.5) if self.counts else rows


@dataclass(frozen=True, eq=False)
class PanelForecast(Forecast):
    """The next rows of all series, as a long table: a row for each series and step.

    `mean`, `lower`, `upper` and `quantile` have an index of ids and times, or are those of polars
    if the panel was. `mean` is the forecast itself, the weighted median of the pool: it has small
    absolute errors, and lies below the expected value where large values are rare. `quantile` has
    the distribution. `to_frame` has ids and times as columns.

    >>> from spheresn.forecasting import PanelForecaster
    >>> shops = {name: k * (5.0 + np.tile([0.0, 2.0], 12)) for k, name in enumerate("abc", 1)}
    >>> forecast = PanelForecaster(season=2, horizon=2).fit(shops).forecast(2)
    >>> forecast.to_frame()["mean"].round(2).tolist()
    [5.0, 7.0, 10.0, 14.0, 15.0, 21.0]
    """

    _names: tuple[str, str] = ("unique_id", "ds")
    _rows: PanelRows | None = None

    @property
    def ids(self) -> list[str]:
        """The names of the series."""
        return list(self._rows.labels) if self._rows is not None else []

    def to_frame(self) -> Any:
        """A long data frame: ids, times, mean, lower and upper; for several levels, lower and upper
        of each. Of polars if the panel was.
        """
        parts = {"mean": np.maximum(self._mean, self._low)[:, 0]}
        for one in self.levels:
            said = "" if len(self.levels) == 1 else f" {100 * one:g}"
            parts[f"lower{said}"] = self._quantiles(0.5 - 0.5 * one)[:, 0]
            parts[f"upper{said}"] = self._quantiles(0.5 + 0.5 * one)[:, 0]
        ids, times = (self.index.get_level_values(place) for place in (0, 1))
        head = dict(zip(self._names, (ids, times), strict=True))
        if self._form.library == "polars":
            import polars as pl

            columns = {name: np.asarray(part) for name, part in head.items()}
            columns[self._names[0]] = np.asarray(ids, dtype=str)
            return pl.DataFrame({**columns, **parts})
        import pandas as pd

        return pd.DataFrame({**head, **parts})

    def plot(self, ids: Any = None, axes: Any = None) -> Any:  # type: ignore[override]  # of series
        """Draw some series, by default the first ones: the rows before the forecast, the forecast
        and its interval, each in a picture of its own; returns the axes.
        """
        chosen = self._chosen(ids)
        if axes is None:
            from matplotlib import pyplot

            across = min(len(chosen), 3)
            down = -(-len(chosen) // across)
            size = (4.0 * across, 2.4 * down)
            _, axes = pyplot.subplots(down, across, figsize=size, squeeze=False)
        flat = np.ravel(np.asarray(axes, dtype=object))
        if len(flat) < len(chosen):
            raise BadInput(
                f"axes must be at least {len(chosen)}, one for each series, got {len(flat)}; pass "
                "more axes, or fewer ids"
            )
        for one, place in zip(flat, chosen, strict=False):
            self._draw(one, place)
        for one in flat[len(chosen) :]:
            one.set_visible(False)
        return axes

    def _chosen(self, ids: Any) -> list[int]:
        labels = self.ids
        if ids is None:
            return list(range(min(DRAWN, len(labels))))
        several: Sequence[Any] = [ids] if isinstance(ids, str) or np.ndim(ids) == 0 else list(ids)
        places = {label: place for place, label in enumerate(labels)}
        lacking = [one for one in several if str(one) not in places]
        if lacking:
            raise BadInput(
                f"ids must be names of series of the forecast, got {lacking[0]!r}; choose from ids"
            )
        return [places[str(one)] for one in several]

    def _draw(self, axes: Any, place: int) -> None:
        assert self._rows is not None  # every forecast of a panel has its rows
        steps = len(self._mean) // len(self.ids)
        rows = slice(place * steps, (place + 1) * steps)
        block = self._rows.block
        values = block.values[block.starts[place] : block.starts[place + 1]]
        past = values[-max(PAST_OF_STEPS * steps, 24) :]
        last = int(block.places[place]) + len(values)
        known = self._rows.times[last - len(past) : last]
        ahead = self.index.get_level_values(1)[rows]
        before, after = (_drawable(times) for times in (known, ahead))
        low, high = (self._quantiles(0.5 + sign * 0.5 * self.level)[rows, 0] for sign in (-1, 1))
        axes.plot(before, past, color="0.45", lw=1.0)
        axes.fill_between(after, low, high, color=BLUE, alpha=0.2, lw=0)
        axes.plot(after, np.maximum(self._mean, self._low)[rows, 0], color=BLUE, lw=1.5)
        axes.set_title(self.ids[place], fontsize=9)
        axes.tick_params(labelsize=7)
        if hasattr(after, "day"):
            from matplotlib.dates import ConciseDateFormatter

            axes.xaxis.set_major_formatter(ConciseDateFormatter(axes.xaxis.get_major_locator()))  # type: ignore[no-untyped-call]
        axes.spines[["top", "right"]].set_visible(False)

    def __repr__(self) -> str:
        """How many series and steps, and the first rows."""
        frame = self.to_frame().head(SHOWN_LONG)
        shown = (
            frame.to_string(index=False, float_format=lambda one: format_number(one, 4))
            if (self._form.library != "polars")
            else str(frame)
        )
        return f"{self._title()}\n{shown}"

    def _repr_html_(self) -> str:
        frame = self.to_frame().head(SHOWN_LONG)
        return f"<p>{self._title()}</p>{getattr(frame, 'to_html', frame._repr_html_)()}"

    def _title(self) -> str:
        count = max(len(self.ids), 1)
        steps = len(self._mean) // count
        return (
            f"Forecast of {count} series, {steps} step{'s' if steps > 1 else ''} each, with "
            f"{100 * self.level:g} % intervals"
        )


def _drawable(times: Any) -> Any:
    return times.to_timestamp() if hasattr(times, "to_timestamp") else times


def long_index(labels: NDArray[Any], times: Any, places: Places, names: tuple[str, str]) -> Any:
    """The index of ids and times: series i has the times at places[i] (H,)."""
    import pandas as pd

    series, steps = places.shape
    codes = [np.repeat(np.arange(series), steps), places.ravel()]
    return pd.MultiIndex(levels=[pd.Index(labels), pd.Index(times)], codes=codes, names=names)
