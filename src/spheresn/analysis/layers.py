"""The memory of each layer of several reservoirs as one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _validation
from .._errors import BadInput
from .._validation import Floats
from ..compose import Composition
from ..driving import drive, rows_of
from .memory import delayed, scores, split_rows, whole_delays


@dataclass(frozen=True, eq=False)
class LayerMemory:
    """The accuracy γ = max(1 - NRMSE, 0) of recalling the input `delays` (D,) steps back, on the
    test rows.

    together (D,): from the states of all layers. alone (L, D): from those of one layer. without
    (L, D): from those of all others; zero where there are none.

    >>> import spheresn as sn
    >>> line = sn.Reservoir(sn.topology.delay_line(2), [1.0, 0.0], sn.Linear())
    >>> found = memory_by_layer(sn.parallel(line), sn.datasets.white_noise(500, rng=0), [1, 2])
    >>> found.together.round(6), found.alone.round(6), found.without
    (array([1., 0.]), array([[1., 0.]]), array([[0., 0.]]))
    """

    delays: NDArray[np.int64]
    together: Floats
    alone: Floats
    without: Floats

    @property
    def own(self) -> Floats:
        """The memory that only this layer has (L, D): the accuracy that is lost without it."""
        return np.asarray(np.maximum(self.together - self.without, 0.0))


def memory_by_layer(
    network: Composition,
    signal: ArrayLike,
    delays: ArrayLike,
    *,
    washout: int = 0,
    train: int | None = None,
    penalty: float = 1e-8,
) -> LayerMemory:
    """The memory of each layer of `parallel` or `chain`, and what would be lost without it.

    `memory_curve` of the states of all layers, of each one alone, and of all but one. Rows and
    penalty are those of `memory_curve`. The layers are those of `network.layers`.

    Two delay lines in a chain: the second begins where the first ends.

    >>> import spheresn as sn
    >>> line = sn.topology.delay_line(3)
    >>> first = sn.Reservoir(line, [1.0, 0.0, 0.0], sn.Linear())
    >>> second = sn.Reservoir(line, np.outer([1.0, 0.0, 0.0], [0.0, 0.0, 1.0]), sn.Linear())
    >>> signal = sn.datasets.white_noise(500, rng=0)
    >>> memory_by_layer(sn.chain(first, second), signal, range(6)).alone.round(1)
    array([[1., 1., 1., 0., 0., 0.],
           [0., 0., 1., 1., 1., 0.]])
    """
    if not isinstance(network, Composition):
        raise BadInput(
            f"network must be made by parallel or chain, got {type(network).__name__}; use "
            "memory_curve for the states of one reservoir"
        )
    rows = rows_of(network, signal)
    lags = whole_delays(delays)
    parts = split_rows(rows, rows, max(lags), washout, train)
    targets, states = delayed(rows, lags), drive(network, rows)
    price = _validation.real("penalty", penalty, 0.0)

    def recalled(columns: NDArray[np.int64]) -> Floats:
        if not len(columns):
            return np.zeros(len(lags))
        return scores(states[:, columns], targets, parts, price)[1]

    every = np.arange(network.units)
    shares = [every[one.place] for one in network.layers]
    return LayerMemory(
        np.array(lags),
        recalled(every),
        np.array([recalled(share) for share in shares]),
        np.array([recalled(np.setdiff1d(every, share)) for share in shares]),
    )
