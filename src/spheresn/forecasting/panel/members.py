"""The members of the pool: readouts learned over all series, and simple forecasts of windows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from ..._validation import Floats
from ...driving import drive
from ...reservoir import Reservoir
from ..lagged import MEMORIES, small_network
from .defaults import PANEL_DEFAULTS
from .plan import Plan
from .readouts import Features
from .windows import Units, Windows

LARGEST_POWER = 700.0  # of e: beyond, a number is infinite
DAMPING = 0.85  # of a trend that fades
STEADY = 0.4  # of exponential smoothing that follows in two or three rows
SEASONAL_DRIFT = 0.7  # of the change over the last season that goes on
MEANT = 4  # seasons at most whose mean is a forecast


@dataclass(frozen=True)
class Member:
    """A readout for every step ahead: of values or of logarithms, with or without the states of
    small networks that the window drives, by least absolute deviations or least squares.
    """

    logarithms: bool
    networks: bool
    deviations: bool

    @property
    def name(self) -> str:
        """As people read it."""
        inputs = "networks" if self.networks else "linear"
        scale = "logarithms" if self.logarithms else "values"
        loss = "least absolute deviations" if self.deviations else "least squares"
        return f"{inputs}, {scale}, {loss}"

    def seen(self, windows: Windows, plan: Plan) -> tuple[Features, Units]:
        """The features of windows, and the units in which the forecast is read out."""
        past = self.forward(windows.past, windows.offset)
        units = Units.of(past, plan.season, self.logarithms, windows.offset)
        rows = units.forward(past)
        parts = [np.ones((len(rows), 1)), rows, windows.static]
        if self.networks:
            parts.append(driven(rows, plan.seed))
        size = 1.0 if self.logarithms else np.abs(past).mean(axis=1, keepdims=True)
        return Features(np.hstack(parts), _beside(windows, plan, size / units.scale)), units

    def targets(self, windows: Windows, units: Units) -> Floats:
        """What is to be read out (N, H)."""
        reach = PANEL_DEFAULTS.reach
        rows = (self.forward(windows.target, windows.offset) - units.base) / units.scale
        return np.clip(rows, -reach, reach)

    def forward(self, rows: Floats, offset: Floats) -> Floats:
        """Values, or their logarithms."""
        if not self.logarithms:
            return rows
        return np.asarray(np.log(np.maximum(rows, 0.0) + offset[:, None]))

    def backward(self, read: Floats, units: Units, offset: Floats) -> Floats:
        """What was read out, as values."""
        limit = 1.5 * PANEL_DEFAULTS.reach
        rows = units.backward(np.clip(read, -limit, limit))
        if not self.logarithms:
            return rows
        return np.asarray(np.exp(np.minimum(rows, LARGEST_POWER)) - offset[:, None])


def members_of(plan: Plan) -> tuple[Member, ...]:
    """The readouts for a panel; logarithms only where nothing is negative."""
    kinds = [(False, False, True), (False, True, True), (False, True, False)]
    if plan.positive:
        kinds += [
            (True, False, True),
            (True, False, False),
            (True, True, True),
            (True, True, False),
        ]
    return tuple(Member(*kind) for kind in kinds)


@cache
def _networks(seed: int) -> tuple[Reservoir, ...]:
    units = PANEL_DEFAULTS.units
    return tuple(
        small_network(units, 1, memory, seed + place) for place, memory in enumerate(MEMORIES)
    )


def driven(rows: Floats, seed: int) -> Floats:
    """The states of small networks that each window (N, L) has driven from rest."""
    if not len(rows):
        return np.zeros((0, PANEL_DEFAULTS.units * len(MEMORIES)))
    signals = np.ascontiguousarray(rows[:, :, None])
    return np.hstack([drive(network, signals)[:, -1] for network in _networks(seed)])


def _beside(windows: Windows, plan: Plan, size: Floats) -> Floats:
    """The features of each step (H, N, q): of its place in the calendar, and what is known ahead:
    there, a season before, and on average. What is known changes a value by a share of its size
    (N, 1), which is in units of the window.
    """
    found: list[list[Floats]] = [[] for _ in range(plan.steps)]
    length = windows.past.shape[1]
    mean = windows.known[:, :length].mean(axis=1)
    for step, parts in enumerate(found):
        if plan.calendar.shape[1]:
            parts.append(plan.calendar[windows.phase + step])
        if windows.known.shape[2]:
            before = length + step - plan.season * (step // plan.season + 1)
            now, then = windows.known[:, length + step], windows.known[:, before]
            parts += [size * now, size * then, size * mean]
    if not found[0]:
        return np.zeros((plan.steps, len(windows.past), 0))
    return np.stack([np.hstack(parts) for parts in found])


def simple(windows: Windows, plan: Plan) -> dict[str, Floats]:
    """Forecasts (N, H) that need no learning."""
    past, season, steps = windows.past, plan.season, plan.steps
    ahead = np.arange(steps)
    last = past[:, -season:]
    found = {"seasonal naive" if season > 1 else "naive": last[:, ahead % season]}
    found |= _seasonal(past, season, ahead) if season > 1 else _steady(past, ahead)
    found["median"] = np.repeat(np.median(past, axis=1, keepdims=True), steps, axis=1)
    return found


def _seasonal(past: Floats, season: int, ahead: Floats) -> dict[str, Floats]:
    count = min(past.shape[1] // season, MEANT)
    seasons = past[:, -count * season :].reshape(len(past), count, season)
    levels = seasons.mean(axis=2)
    phase = ahead % season
    found = {
        "mean of the last season": np.repeat(levels[:, -1:], len(ahead), axis=1),
        "mean of seasons": seasons.mean(axis=1)[:, phase],
        "median of seasons": np.median(seasons, axis=1)[:, phase],
    }
    if count > 1:
        change = (levels[:, -1] - levels[:, -2])[:, None] * (1 + ahead // season)
        found["seasonal drift"] = past[:, -season:][:, phase] + SEASONAL_DRIFT * change
    return found


def _steady(past: Floats, ahead: Floats) -> dict[str, Floats]:
    last, span = past[:, -1:], min(past.shape[1], 6) - 1
    shares = (1.0 - STEADY) ** np.arange(past.shape[1])[::-1]
    smooth = past @ (shares / shares.sum())
    fading = np.cumsum(DAMPING ** (ahead + 1.0))
    return {
        "drift": last + (last - past[:, -1 - span : past.shape[1] - span]) / span * (ahead + 1),
        "fading change": last + (last - past[:, -2:-1]) * fading,
        "exponential smoothing": np.repeat(smooth[:, None], len(ahead), axis=1),
    }


def simple_names(plan: Plan) -> Sequence[str]:
    """The names of the simple forecasts, in their order."""
    empty = np.zeros((0, plan.length))
    none = np.zeros((0, 0))
    windows = Windows(
        np.zeros(0, np.int64), empty, empty, np.zeros(0, np.int64), none, none, np.zeros(0)
    )
    return list(simple(windows, plan))
