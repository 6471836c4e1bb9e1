"""What Lyapunov exponents cost: the maximal one beside `drive`, the full spectrum beside a plain numpy QR loop.

Run with one BLAS thread: OPENBLAS_NUM_THREADS=1 python benchmarks/lyapunov.py
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import numpy as np

import spheresn as sn
from spheresn.analysis import lyapunov_spectrum, max_lyapunov

ROUNDS = 5


def best_of(*calls: Callable[[], object]) -> list[float]:
    """The shortest time of each call over rounds that alternate between them, so that a busy machine slows all alike."""
    for call in calls:
        call()
    times = [[_seconds(call) for call in calls] for _ in range(ROUNDS)]
    return [min(column) for column in zip(*times, strict=True)]


def plain_spectrum(reservoir: sn.Reservoir, steps: int) -> np.ndarray:
    """The textbook loop: one derivative and one QR decomposition per step."""
    state = sn.sphere.random_point(reservoir.units, np.random.default_rng(0))
    frame = np.linalg.qr(sn.sphere.tangent(state, np.random.default_rng(1).standard_normal((reservoir.units, reservoir.units - 1))))[0]
    total = np.zeros(reservoir.units - 1)
    for _ in range(steps):
        state, frame = reservoir.tangent_step(state, np.zeros(1), frame)
        frame, upper = np.linalg.qr(frame)
        total += np.log(np.abs(upper.diagonal()))
    return total / steps


def _seconds(call: Callable[[], object]) -> float:
    begin = perf_counter()
    call()
    return perf_counter() - begin


def compare_with_drive(topology: str, activation: sn.OnSphere | sn.Tanh, steps: int) -> None:
    """Prints microseconds per step of drive and of max_lyapunov, and their ratio."""
    reservoir = sn.random_reservoir(1000, topology=topology, activation=activation, spectral_radius=0.9, input_scaling=0.1, rng=0)
    signal = sn.datasets.white_noise(steps, rng=1)
    driven, measured = best_of(lambda: sn.drive(reservoir, signal), lambda: max_lyapunov(reservoir, signal, transient=100))
    micro = 1e6 / steps
    print(f"{topology:9} {activation!s:32} {driven * micro:8.2f} {measured * micro:8.2f} {measured / driven:6.2f}")


def main() -> None:
    print("max_lyapunov at N = 1000         topology, activation; us/step of drive, of max_lyapunov, ratio (at most 2.5 wanted)")
    for topology, steps in (("gaussian", 500), ("sparse", 2000), ("ring", 5000), ("rotation", 5000)):
        for activation in (sn.OnSphere(), sn.OnSphere(bend=0.5), sn.Tanh()):
            compare_with_drive(topology, activation, steps)
    reservoir = sn.random_reservoir(100, spectral_radius=2.0, rng=0)
    lyapunov_spectrum(reservoir, 600)  # compiled now
    ours, plain = _seconds(lambda: lyapunov_spectrum(reservoir, 5000)), _seconds(lambda: plain_spectrum(reservoir, 5000))
    print(f"full spectrum, N = 100, 5000 steps: {ours:.2f} s (under 3 wanted); plain numpy QR loop {plain:.2f} s")


if __name__ == "__main__":
    main()
