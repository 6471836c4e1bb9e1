"""Fingerprints of what the library computes from fixed seeds, for comparing processes: `python
digest.py [NAME...]` prints them as JSON.
"""

from __future__ import annotations

import hashlib
import json
import sys

import numpy as np
from threadpoolctl import threadpool_limits

import spheresn as sn
from spheresn import analysis


def _network(activation=None, **options):
    return sn.random_reservoir(
        40, activation=activation or sn.OnSphere(), bias_scaling=0.3, rng=3, **options
    )


def _signal():
    return sn.datasets.white_noise(700, rng=4)


def states():
    return [sn.drive(_network(sn.OnSphere(bend=0.5)), _signal())]


def states_of_all_kinds():
    kinds = [sn.OnSphere(), sn.OnSphere(2.0, 1.0), sn.Tanh(), sn.Linear()]
    return [
        sn.drive(_network(kind, topology=name), _signal())
        for kind in kinds
        for name in ("gaussian", "sparse", "ring", "rotation")
    ]


def exponents():
    return [
        analysis.lyapunov_spectrum(_network(), _signal()).exponents,
        analysis.max_lyapunov(_network(), _signal()).history,
    ]


def memory():
    one, two = _signal(), sn.datasets.white_noise(700, rng=5)
    found = analysis.memory_capacity(_network(), one, two)
    return [found.per_delay, analysis.memory_profile(_network(), one, 20).sensitivity]


def series():
    return [
        sn.datasets.lorenz(300),
        sn.datasets.mackey_glass(300),
        sn.datasets.narma(300, rng=1)[1],
        sn.datasets.henon(300),
    ]


def regressor():
    x = _signal()
    model = sn.ESNRegressor(60, random_state=0).fit(x, np.roll(x, 3, axis=0))
    return [
        model.weights_.matrix,
        np.array([model.penalty_, model.lyapunov_, model.loo_error_]),
        model.predict(x),
    ]


def forecaster():
    return [
        np.asarray(
            sn.ESNForecaster(60, bend=0.5, memory=3, random_state=0)
            .fit(sn.datasets.henon(700))
            .forecast(5)
        )
    ]


PARTS = {
    part.__name__: part
    for part in (states, states_of_all_kinds, exponents, memory, series, regressor, forecaster)
}


def fingerprint(name: str) -> str:
    """Of every bit of the arrays, computed with one thread."""
    with threadpool_limits(1):
        return hashlib.sha256(
            b"".join(np.ascontiguousarray(array).tobytes() for array in PARTS[name]())
        ).hexdigest()


if __name__ == "__main__":
    print(json.dumps({name: fingerprint(name) for name in sys.argv[1:] or PARTS}))
