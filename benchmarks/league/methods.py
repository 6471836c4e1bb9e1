"""The methods of the league, each at one untouched setting.

`METHODS[name](train, seed)` fits standardised rows (T, d) and returns a `Fitted`: its
`forecast(context, steps)` runs free for `steps` rows after the training rows and the `context`
(k, d) that followed them. The context brings the method up to date; nothing is learned from it.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, Protocol

import numpy as np

import spheresn as sn
from spheresn.forecasting import Autoregression, Naive

from .ngrc import NextGeneration

Floats = np.ndarray
UNITS = 500


class Fitted(Protocol):
    """A fitted method; calls come with growing contexts."""

    def forecast(self, context: Floats, steps: int) -> Floats:
        """Rows (steps, d) that follow the training rows and the context."""
        ...


class Ours:
    """ESNForecaster with some options."""

    def __init__(self, train: Floats, seed: int, **options: Any) -> None:
        self.forecaster = sn.ESNForecaster(UNITS, random_state=seed, **options).fit(train)
        self.rows_seen = 0

    def forecast(self, context: Floats, steps: int) -> Floats:
        if len(context) > self.rows_seen:
            self.forecaster.update(context[self.rows_seen :])
        self.rows_seen = len(context)
        return self.forecaster.forecast(steps)


class Simple:
    """A recipe of `spheresn.forecasting`."""

    def __init__(self, train: Floats, seed: int, kind: Any) -> None:
        self.train, self.fitted = train, kind.fit(train)

    def forecast(self, context: Floats, steps: int) -> Floats:
        rows = np.concatenate([self.train, context])
        return self.fitted.forecast(rows, [len(rows)], steps).values[0]


class ReservoirPy:
    """reservoirpy as in quality.py, from its tutorial, with or without a bias."""

    def __init__(self, train: Floats, seed: int, bias: bool) -> None:
        from quality import Peer

        self.train = train
        self.peer = Peer(train, seed, sr=1.25, ridge=1e-8, bias=bias)

    def forecast(self, context: Floats, steps: int) -> Floats:
        rows = np.concatenate([self.train, context])
        return self.peer.free_run(rows, len(rows), steps)


class ResDAG:
    """The preset of ResDAG as its first page has it, in double precision."""

    rows_seen = 1000  # rows that bring it up to date

    def __init__(self, train: Floats, seed: int) -> None:
        import torch
        from resdag import ESN

        torch.set_num_threads(1)
        self.train, self.tensor = train, torch.as_tensor
        self.network = ESN(UNITS, spectral_radius=0.9, seed=seed).fit(torch.as_tensor(train))

    def forecast(self, context: Floats, steps: int) -> Floats:
        rows = np.concatenate([self.train, context])[-self.rows_seen :]
        return self.network.forecast(self.tensor(rows), horizon=steps).numpy()


METHODS: dict[str, Callable[[Floats, int], Fitted]] = {
    "spheresn": Ours,
    "spheresn tanh": lambda train, seed: Ours(train, seed, activation="tanh"),
    "NG-RC quadratic": lambda train, seed: NextGeneration(train, degree=2),
    "NG-RC cubic": lambda train, seed: NextGeneration(train, degree=3),
    "reservoirpy": lambda train, seed: ReservoirPy(train, seed, bias=False),
    "reservoirpy bias": lambda train, seed: ReservoirPy(train, seed, bias=True),
    "ResDAG": ResDAG,
    "AR(50)": lambda train, seed: Simple(train, seed, Autoregression()),
    "persistence": lambda train, seed: Simple(train, seed, Naive()),
}


def available() -> list[str]:
    """Methods whose packages are installed. torch, which ResDAG needs, asks for an older mpmath
    than the tests do, so it is measured in an environment of its own.
    """
    return [name for name in METHODS if name != "ResDAG" or find_spec("resdag") is not None]
