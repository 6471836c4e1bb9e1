"""The cost of one step of `drive`, beside bare BLAS and two peers, in one run with one thread.

Run with `make bench`. All networks of a row have the same size; where a peer accepts W, it gets ours and its states are compared first.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import rclib
from reservoirpy.nodes import Reservoir as PeerReservoir
from scipy.linalg.blas import dgemv

import spheresn as sn

REPEATS = 7


def best_of(runs: dict[str, Callable[[], object]], steps: int) -> dict[str, float]:
    """Microseconds per step, the best of several rounds in which all candidates take turns."""
    times: dict[str, list[float]] = {name: [] for name in runs}
    for run in runs.values():
        run()
    for _ in range(REPEATS):
        for name, run in runs.items():
            begin = time.perf_counter()
            run()
            times[name].append(time.perf_counter() - begin)
    return {name: 1e6 * min(values) / steps for name, values in times.items()}


def ours(units: int, topology: str, activation: object, **options: float) -> sn.Reservoir:
    return sn.random_reservoir(units, activation=activation, topology=topology, spectral_radius=0.9, rng=0, **options)


def reservoirpy_run(reservoir: sn.Reservoir, signal: np.ndarray) -> Callable[[], object]:
    matrix = reservoir.recurrent.matrix
    peer = PeerReservoir(W=matrix, Win=reservoir.inputs, bias=np.zeros(reservoir.units), lr=1.0, sr=None)
    assert np.abs(peer.run(signal[:200]) - sn.drive(reservoir, signal[:200])).max() < 1e-10
    peer.reset()
    return lambda: peer.run(signal)


def rclib_run(units: int, signal: np.ndarray, density: float) -> Callable[[], object]:
    """rclib draws its own W; predicting is its way to run, the readout of one output costs it N of N² density operations."""
    model = rclib.ESN()
    model.add_reservoir(rclib.reservoirs.RandomSparse(units, 0.9, sparsity=density))
    model.set_readout(rclib.readouts.Ridge(1e-6, include_bias=True))
    model.fit(signal[:300], signal[:300])
    return lambda: model.predict(signal)


def gemv_loop(units: int, steps: int) -> Callable[[], object]:
    matrix, state, out = np.random.default_rng(0).standard_normal((units, units)), np.ones(units), np.empty(units)

    def run() -> None:
        for _ in range(steps):
            dgemv(1.0, matrix.T, state, trans=1, y=out, overwrite_y=1)

    return run


def dense_rows() -> None:
    for units, steps in ((100, 5000), (500, 2000), (1000, 500), (2000, 200)):
        signal = np.random.default_rng(1).standard_normal((steps, 1))
        sphere, tanh = ours(units, "gaussian", sn.OnSphere()), ours(units, "gaussian", sn.Tanh())
        runs = {
            "spherical": lambda r=sphere, s=signal: sn.drive(r, s),
            "tanh": lambda r=tanh, s=signal: sn.drive(r, s),
            "bare GEMV": gemv_loop(units, steps),
            "reservoirpy": reservoirpy_run(tanh, signal),
        }
        show("dense", units, best_of(runs, steps))


def sparse_rows() -> None:
    for units, steps in ((100, 5000), (500, 3000), (1000, 2000), (2000, 500)):
        signal = np.random.default_rng(1).standard_normal((steps, 1))
        sphere, tanh = ours(units, "sparse", sn.OnSphere()), ours(units, "sparse", sn.Tanh())
        runs = {
            "spherical": lambda r=sphere, s=signal: sn.drive(r, s),
            "tanh": lambda r=tanh, s=signal: sn.drive(r, s),
            "reservoirpy": reservoirpy_run(tanh, signal),
            "rclib": rclib_run(units, signal, 0.1),
        }
        show("10 % sparse", units, best_of(runs, steps))


def structured_rows() -> None:
    for units, steps in ((100, 5000), (1000, 3000), (10000, 300)):
        signal = np.random.default_rng(1).standard_normal((steps, 1))
        networks = {
            "ring": ours(units, "ring", sn.OnSphere()),
            "rotation": ours(units, "rotation", sn.OnSphere()),
            "bent ring": ours(units, "ring", sn.OnSphere(bend=0.5)),
            "tanh ring": ours(units, "ring", sn.Tanh()),
        }
        runs: dict[str, Callable[[], object]] = {name: lambda r=r, s=signal: sn.drive(r, s) for name, r in networks.items()}
        if units <= 1000:
            runs["reservoirpy"] = reservoirpy_run(ours(units, "sparse", sn.Tanh()), signal)
            runs["rclib"] = rclib_run(units, signal, 0.1)
        show("O(N)", units, best_of(runs, steps))


def show(title: str, units: int, times: dict[str, float]) -> None:
    print(f"{title:>12} N={units:<6}" + "  ".join(f"{name} {value:.2f} us" for name, value in times.items()), flush=True)


if __name__ == "__main__":
    dense_rows()
    sparse_rows()
    structured_rows()
