"""The peers, each built as its documentation recommends for speed; imported where they run, so that
a missing one stops no other.

reservoirpy: numpy and scipy.sparse, one step at a time in Python; W given or drawn (10 % links, its
default), nodes joined by >>. rclib: C++ (Eigen, OpenMP); draws W itself, 10 % links. Its penalised
readout needs include_bias. echoes: scikit-learn's manners, compiled by numba, W always a full
matrix; regression_method "ridge", which is faster than its default.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from race import PEER, Entry, Run
from scipy import sparse

import spheresn as sn

Floats = np.ndarray
NAMES = ("reservoirpy", "rclib", "echoes")
RADIUS, SCALING, DENSITY, PENALTY, WASHOUT = 0.9, 0.1, 0.1, 1e-6, 100


def versions() -> dict[str, str]:
    """Of everything that can make a difference; "missing" where it is not installed."""
    return {
        name: _version(name)
        for name in ("spheresn", "numpy", "scipy", "numba", "scikit-learn", *NAMES)
    }


def _version(name: str) -> str:
    try:
        return sn.__version__ if name == "spheresn" else version(name)
    except PackageNotFoundError:
        return "missing"


def sparse_links(units: int, density: float = DENSITY, seed: int = 0) -> Any:
    """W in CSR form with the same number of Gaussian links in each row; spectral radius close to
    RADIUS by the circular law.
    """
    rng, count = np.random.default_rng(seed), max(round(density * units), 1)
    columns = np.concatenate(
        [np.sort(rng.choice(units, count, replace=False, shuffle=False)) for _ in range(units)]
    )
    weights = rng.standard_normal(units * count) * RADIUS / np.sqrt(count)
    return sparse.csr_array(
        (weights, columns.astype(np.int32), np.arange(0, units * count + 1, count, dtype=np.int32)),
        (units, units),
    )


def input_weights(units: int, seed: int = 1) -> Floats:
    return SCALING * np.random.default_rng(seed).uniform(-1.0, 1.0, (units, 1))


def white(steps: int, seed: int = 2) -> Floats:
    """The signal of all races: one column of white noise."""
    return np.random.default_rng(seed).uniform(-1.0, 1.0, (steps, 1))


def fit_entries(signal: Floats, target: Floats, units: int) -> list[Entry]:
    """Fits of a ridge readout with a given penalty; constructing the model counts, and so does
    drawing W where it is not given.
    """
    links, inputs = sparse_links(units), input_weights(units)
    return [
        Entry("reservoirpy", PEER, lambda: lambda: _reservoirpy_fit(signal, target, units)),
        Entry(
            "reservoirpy, W given",
            PEER,
            lambda: lambda: _reservoirpy_fit(signal, target, units, W=links, Win=inputs),
        ),
        Entry("rclib", PEER, lambda: lambda: rclib_model(signal, target, units)),
        Entry(
            "rclib, cholesky", PEER, lambda: lambda: rclib_model(signal, target, units, "cholesky")
        ),
        Entry("echoes", PEER, lambda: lambda: _echoes_fit(signal, target, units)),
    ]


def _reservoirpy_fit(signal: Floats, target: Floats, units: int, **given: Any) -> Any:
    from reservoirpy.nodes import Reservoir, Ridge

    options = given or {
        "sr": RADIUS,
        "input_scaling": SCALING,
        "rc_connectivity": DENSITY,
        "seed": 0,
    }
    model = Reservoir(units, **options) >> Ridge(ridge=PENALTY)
    return model.fit(signal, target, warmup=WASHOUT)


def rclib_model(signal: Floats, target: Floats, units: int, solver: str = "auto") -> Any:
    import rclib

    model = rclib.ESN()
    model.add_reservoir(
        rclib.reservoirs.RandomSparse(units, RADIUS, sparsity=DENSITY, input_scaling=SCALING)
    )
    model.set_readout(rclib.readouts.Ridge(PENALTY, include_bias=True, solver=solver))
    model.fit(signal, target, min(WASHOUT, len(signal) // 4))
    return model


def _echoes_fit(signal: Floats, target: Floats, units: int) -> Any:
    from echoes import ESNRegressor

    options = {
        "regression_method": "ridge",
        "ridge_alpha": PENALTY,
        "ridge_fit_intercept": True,
        "n_transient": WASHOUT,
    }
    model = ESNRegressor(
        n_reservoir=units,
        spectral_radius=RADIUS,
        input_scaling=SCALING,
        sparsity=1 - DENSITY,
        bias=0.0,
        random_state=0,
        **options,
    )
    return model.fit(signal, target)


def reservoirpy_states(reservoir: sn.Reservoir, signal: Floats) -> Run:
    """The same W and W_in as ours; the states are compared before the race, to 1e-10."""
    from reservoirpy.nodes import Reservoir

    peer = Reservoir(
        W=reservoir.recurrent.matrix, Win=reservoir.inputs, bias=np.zeros(reservoir.units), lr=1.0
    )
    gap = float(np.abs(peer.run(signal[:50]) - sn.drive(reservoir, signal[:50])).max())
    if not gap < 1e-10:
        raise AssertionError(f"its states differ from ours by {gap:.1e}: not the same computation")
    return lambda: peer.run(signal)


def rclib_states(units: int, signal: Floats) -> Run:
    """Predicting is its way to run; the readout of one output costs N of the 0.1 N² products of a
    step.
    """
    few = signal[: max(len(signal) // 10, 20)]
    model = rclib_model(few, few, units)
    return lambda: model.predict(signal)


def states_entries(reservoir: sn.Reservoir, signal: Floats) -> list[Entry]:
    """States of a tanh network with 10 % links."""
    return [
        Entry("reservoirpy", PEER, lambda: reservoirpy_states(reservoir, signal), "our W and W_in"),
        Entry(
            "rclib",
            PEER,
            lambda: rclib_states(reservoir.units, signal),
            "W of its own, with a readout of one output",
        ),
    ]
