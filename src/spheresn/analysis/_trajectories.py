"""Several trajectories of one system under the same signal."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import _validation, sphere
from .._scale import power_of_two
from .._validation import BadInput, Floats
from ..driving import drive, starts_of
from ..reservoir import Reservoir
from ..system import System

CHUNK = 512  # rows at a time, so that long signals need little memory


def several_starts(
    system: System, starts: ArrayLike | None, count: int, rng: np.random.Generator
) -> Floats:
    """The given starts (m, N); else random ones, the second the antipode of the first."""
    if starts is not None:
        given = _validation.array("starts", starts, 2)
        _validation.at_least("starts", len(given), 2, "to have a distance")
        return starts_of(system, given, len(given)) if isinstance(system, Reservoir) else given
    if not isinstance(system, Reservoir):
        raise BadInput(
            "starts must be given for a system that is not a Reservoir, got None; pass states of "
            "shape (m, N)"
        )
    radius = system.activation.sphere_radius
    if radius is None:
        points = rng.uniform(-1.0, 1.0, (count, system.units))
    else:
        points = np.array([sphere.random_point(system.units, rng, radius) for _ in range(count)])
    points[1] = -points[0]
    return points.astype(system.dtype)


def distances_between(system: System, rows: Floats, starts: Floats) -> Floats:
    """The largest distance from the first trajectory after each step (T,)."""
    pieces = []
    for first in range(0, len(rows), CHUNK):
        states = _together(system, rows[first : first + CHUNK], starts)
        unit = power_of_two(states)
        pieces.append(unit * np.linalg.norm((states[1:] - states[:1]) / unit, axis=2).max(axis=0))
        starts = states[:, -1].copy()
    return np.concatenate(pieces)


def _together(system: System, rows: Floats, starts: Floats) -> Floats:
    """States (m, T, N)."""
    if isinstance(system, Reservoir):
        return np.asarray(drive(system, np.broadcast_to(rows, (len(starts), *rows.shape)), starts))
    states = np.empty((len(starts), len(rows), starts.shape[1]))
    for i, state in enumerate(starts):
        for k, row in enumerate(rows):
            states[i, k] = state = system.step(state, row)
    return states
