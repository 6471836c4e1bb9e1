"""One reservoir at many (spectral radius, input scaling) points."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _validation
from ._errors import BadInput
from ._validation import Floats
from .driving import drive, network_of, rows_of, run_batch, starts_of, writable
from .reservoir import Reservoir, check_reservoir
from .topology import Dense

# Of a scaling to a spectral radius. A larger quotient may overflow and is not computed.
LARGEST_RATIO = 1e100


def drive_grid(
    reservoir: Reservoir,
    signal: Any,
    spectral_radius: ArrayLike,
    input_scaling: ArrayLike,
    start: ArrayLike | None = None,
) -> Floats:
    """States (R, S, T, N) at each of R spectral radii of W and each of S factors of W_in.

    All points share W, W_in and b. On the sphere the state depends on a point only through
    scaling/radius (and bias/radius), so each distinct ratio runs once; this is exact. With a dense
    W all points together are one matrix product per step.

    >>> from spheresn import random_reservoir
    >>> drive_grid(random_reservoir(20, rng=0), np.ones(5), [1.0, 2.0], [0.1, 0.2, 0.3]).shape
    (2, 3, 5, 20)
    """
    check_reservoir(reservoir)
    radii = _axis("spectral_radius", spectral_radius)
    factors = _axis("input_scaling", input_scaling)
    points = _points(reservoir, radii / _own_radius(reservoir), factors)
    distinct, index = _distinct(points)
    states = _drive_points(
        reservoir, rows_of(reservoir, signal), distinct, starts_of(reservoir, start, 1)[0]
    )
    chosen = states if len(distinct) == len(points) else states[index]
    return chosen.reshape(len(radii), len(factors), *states.shape[1:])


def _axis(name: str, values: ArrayLike) -> Floats:
    axis = _validation.array(name, np.atleast_1d(values), 1)
    if len(axis) == 0 or axis.min() < 0.0:
        raise BadInput(
            f"{name} must be one or more numbers of at least 0, got {values!r}; pass such a list"
        )
    return axis


def _own_radius(reservoir: Reservoir) -> float:
    own = float(reservoir.recurrent.spectral_radius())
    if own == 0.0:
        raise BadInput(
            "reservoir must have a W that is not nilpotent, got spectral radius 0; no factor "
            "gives a delay line another one"
        )
    return own


def _points(reservoir: Reservoir, factors: Floats, scalings: Floats) -> Floats:
    """The factors of W, W_in and b at each point (R·S, 3).

    On the sphere they are divided by the factor of W, which does not change the states.
    """
    w, w_in = (axis.ravel() for axis in np.meshgrid(factors, scalings, indexing="ij"))
    points = np.stack([w, w_in, np.ones_like(w)], axis=1)
    if reservoir.activation.sphere_radius is not None:
        usable = w > points.max(axis=1) / LARGEST_RATIO
        points[usable] /= points[usable, :1]
    return points if reservoir.bias.any() else points * [1.0, 1.0, 0.0]


def _distinct(points: Floats) -> tuple[Floats, NDArray[np.intp]]:
    """The points that differ by more than rounding, in their order, and the index of each point."""
    keys = [tuple(f"{value:.14g}" for value in point) for point in points]
    first = {key: i for i, key in reversed(list(enumerate(keys)))}
    order = sorted(first.values())
    place = {i: n for n, i in enumerate(order)}
    return points[order], np.array([place[first[key]] for key in keys])


def _drive_points(reservoir: Reservoir, rows: Floats, points: Floats, start: Floats) -> Floats:
    network = network_of(reservoir)
    if network is None or not isinstance(reservoir.recurrent, Dense):
        return np.stack([drive(reservoir.rescaled(*point), rows, start) for point in points])
    w, w_in, b = points.astype(reservoir.dtype).T
    starts = np.repeat(start[None], len(points), axis=0)
    networks = network._replace(
        inputs=w_in[:, None, None] * network.inputs, bias=b[:, None] * network.bias
    )
    return run_batch(networks, w, writable(rows)[None], starts)
