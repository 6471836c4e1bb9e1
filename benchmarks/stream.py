"""How much memory does `partial_fit` need for a million steps of a network of 500 units? Target: less than 100 MB above what imports take.

The series comes in chunks of 10,000 rows, each drawn when it is needed. Counted is the resident memory of the process, as Linux reports it
(VmRSS, and its peak VmHWM, reset before the stream begins): after the imports; after a fit of 20 units to 600 rows, which loads the
compiled code; at its highest while the stream is taken in and the readout solved for; and at its highest when a whole chunk is predicted
besides, whose states are held at once.
Run with `python benchmarks/stream.py [--steps 1000000] [--units 500]`, on Linux.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import spheresn as sn

CHUNK, MEMORY, TARGET_MB = 10_000, 5, 100.0


def resident(field: str = "VmRSS") -> float:
    """Megabytes (1e6 bytes) of this process."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(1024e-6 * float(line.split()[1]) for line in lines if line.startswith(field + ":"))


def reset_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def chunks(steps: int, rng: np.random.Generator) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """White noise u and y_k = u_{k-1} u_{k-2} + .3 u_{k-5}, in chunks of one series."""
    past = np.zeros(MEMORY)
    for _ in range(0, steps, CHUNK):
        u = np.concatenate([past, rng.uniform(-1.0, 1.0, CHUNK)])
        past = u[-MEMORY:]
        yield u[MEMORY:, None], u[4:-1] * u[3:-2] + 0.3 * u[:-5]


def warm_up() -> None:
    (signal, target), *_ = chunks(CHUNK, np.random.default_rng(1))
    sn.ESNRegressor(20, random_state=0).fit(signal[:600], target[:600]).predict(signal[:600])


def stream(units: int, steps: int) -> tuple[sn.ESNRegressor, float]:
    """The model after the stream, its readout solved for, and the seconds that took."""
    model = sn.ESNRegressor(units, random_state=0)
    begin = time.perf_counter()
    for signal, target in chunks(steps, np.random.default_rng(0)):
        model.partial_fit(signal, target)
    model.predict(signal[:100])
    return model, time.perf_counter() - begin


def error(model: sn.ESNRegressor) -> float:
    """NRMSE on a chunk of another series."""
    (signal, target), *_ = chunks(CHUNK, np.random.default_rng(2))
    return sn.metrics.nrmse(target[100:], model.predict(signal)[100:])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=1_000_000)
    parser.add_argument("--units", type=int, default=500)
    asked = parser.parse_args()
    imported = resident()
    warm_up()
    warm = resident()
    reset_peak()
    model, seconds = stream(asked.units, asked.steps)
    report(asked, imported, warm, resident("VmHWM"))
    print(f"{seconds:.1f} s, {1e6 * seconds / asked.steps:.1f} us per step")
    print(f"NRMSE on {CHUNK} fresh rows: {error(model):.4f}; peak with them predicted at once: {resident('VmHWM'):.0f} MB")


def report(asked: argparse.Namespace, imported: float, warm: float, peak: float) -> None:
    whole = 8e-6 * asked.steps * asked.units
    print(f"N = {asked.units}, {asked.steps} steps in chunks of {CHUNK}; all states at once would take {whole:.0f} MB")
    print(f"resident: {imported:.0f} MB after the imports, {warm:.0f} MB with the compiled code loaded, {peak:.0f} MB at the peak")
    verdict = "yes" if peak - imported < TARGET_MB else "NO"
    print(f"added by streaming: {peak - warm:.0f} MB; by streaming and compiled code together: {peak - imported:.0f} MB")
    print(f"less than {TARGET_MB:.0f} MB above the imports: {verdict}")


if __name__ == "__main__":
    main()
