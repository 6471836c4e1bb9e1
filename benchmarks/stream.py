"""How much memory does `partial_fit` need for a million steps of a network of 500 units? Target: less than 100 MB above what imports take.

The series comes in chunks of 10,000 rows, each drawn when it is needed. Counted is the resident memory of the process, as Linux reports it
(VmRSS, and its peak VmHWM, reset before the stream begins): after the imports; after a fit of 20 units to 600 rows, which loads the
compiled code; and at its highest while the stream is taken in, the readout solved for and one more chunk predicted.
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


def stream(units: int, steps: int) -> tuple[float, float, float]:
    """Seconds to take in the stream, seconds to solve and predict the chunk after it, and the NRMSE there."""
    model = sn.ESNRegressor(units, random_state=0)
    begin = time.perf_counter()
    for taken, (signal, target) in enumerate(chunks(steps + CHUNK, np.random.default_rng(0))):
        if taken < steps // CHUNK:
            model.partial_fit(signal, target)
    middle = time.perf_counter()
    guess = model.predict(signal)
    return middle - begin, time.perf_counter() - middle, sn.metrics.nrmse(target[100:], guess[100:])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=1_000_000)
    parser.add_argument("--units", type=int, default=500)
    asked = parser.parse_args()
    imported = resident()
    warm_up()
    warm = resident()
    reset_peak()
    taking, solving, error = stream(asked.units, asked.steps)
    report(asked, imported, warm, resident("VmHWM"))
    print(f"{taking:.1f} s to take in the stream ({1e6 * taking / asked.steps:.1f} us per step), {solving:.1f} s to solve and predict")
    print(f"NRMSE on the next {CHUNK} rows: {error:.4f}")


def report(asked: argparse.Namespace, imported: float, warm: float, peak: float) -> None:
    whole = 8e-6 * asked.steps * asked.units
    print(f"N = {asked.units}, {asked.steps} steps in chunks of {CHUNK}; all states at once would take {whole:.0f} MB")
    print(f"resident: {imported:.0f} MB after the imports, {warm:.0f} MB with the compiled code loaded, {peak:.0f} MB at the peak")
    verdict = "yes" if peak - imported < TARGET_MB else "NO"
    print(f"added by streaming: {peak - warm:.0f} MB; by streaming and compiled code together: {peak - imported:.0f} MB")
    print(f"less than {TARGET_MB:.0f} MB above the imports: {verdict}")


if __name__ == "__main__":
    main()
