"""Reference series of the flows of `dysts`, one file per system, which a second run leaves alone.

30 rows per dominant period, after a transient: 5,000 rows to learn from, and free runs from 5
origins after them, each followed for 25 Lyapunov times (at most 10,000 rows). The exponent is
measured here, because those of dysts are rough; both are kept. Where distances do not grow, the
system is marked as not chaotic, and dysts' exponent is the unit. *Ground truth time*: how long two
accurate integrators, begun at the same state, agree; no forecast can be judged beyond it.

Half of the systems are for development, the other half only for the report.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from concurrent.futures import as_completed
from pathlib import Path
from typing import Any

import numpy as np

from spheresn.io import whole_file
from spheresn.metrics import valid_time
from spheresn_paper.runner.local import LocalPool

DATA = Path("build/league/data")
PER_PERIOD, TRAIN, ORIGINS = 30, 5000, 5
LYAPUNOV_TIMES, LONGEST, APART = 25.0, 10_000, 2000  # of a free run; rows of one; between origins
JUDGED = 45.0  # Lyapunov times over which the two integrators are compared
THRESHOLD = 0.4
TRANSIENT = 300  # periods before the series
BLOCK, SETTLE = 100, 30  # periods: of a block of the exponent, and before the first one
FEWEST, BLOCKS = 10, 100  # blocks
PATIENCE = 5_000_000  # steps after which no further block is begun
TOLERANCE, ROUGH = 1e-14, 1e-10  # of the deviation, per step
STEPS = 50_000_000  # at most, for one series
LEAST = 1e-2  # growth per period below which a system does not count as chaotic
Floats = np.ndarray


def half(name: str) -> str:
    """The half of a system, development or report, by a hash of its name: nobody chooses."""
    return "report" if hashlib.sha256(name.encode()).digest()[0] % 2 else "development"


def agreement(reference: Floats, other: Floats, dt: float) -> float:
    """Time until two series (T, d) part by more than the threshold, as for a forecast."""
    rows = min(len(reference), len(other))
    return valid_time(reference[:rows], other[:rows], THRESHOLD, dt)


def reference(name: str) -> dict[str, Any]:
    """All that is kept of a system; raises ValueError with the reason where it has no series."""
    from . import integrate
    from .flows import load

    flow, first_kind = load(name), integrate.runge_kutta_row
    dt = flow.period / PER_PERIOD
    begin, scale = settled(flow)
    exponent, error = _exponent(flow, begin, dt, scale)
    chaotic = exponent * flow.period >= LEAST
    unit = exponent if chaotic else flow.exponent
    per_row = unit * dt
    horizon = int(min(np.ceil(LYAPUNOV_TIMES / per_row), LONGEST))
    apart = min(horizon, APART)
    origins = TRAIN + apart * np.arange(ORIGINS)
    fine = TOLERANCE * scale
    states = orbit(flow, first_kind, begin, int(origins[-1]) + horizon, fine, "series")
    series = flow.observed(states)
    if not np.isfinite(series).all() or not (series[:TRAIN].std(axis=0) > 0.0).all():
        raise ValueError("a column does not vary or is not finite")

    judged = int(min(np.ceil(JUDGED / per_row), 3 * LONGEST))
    truth = []
    for origin in origins:
        again = orbit(flow, first_kind, states[origin], judged, fine, "ground truth")
        second_kind = integrate.extrapolation_row
        other = orbit(flow, second_kind, states[origin], judged, 10.0 * fine, "ground truth")
        if not np.array_equal(again[:horizon], states[origin : origin + judged][:horizon]):
            raise ValueError("its series is not repeated from one of its rows")
        truth.append(agreement(flow.observed(again), flow.observed(other), per_row))
    return {
        "series": series,
        "dt": dt,
        "lyapunov": unit,
        "lyapunov_measured": exponent,
        "lyapunov_error": error,
        "chaotic": chaotic,
        "lyapunov_dysts": flow.exponent,
        "period": flow.period,
        "half": half(name),
        "truth_time": np.array(truth),
        "truth_limit": judged * per_row,
        "origins": origins,
        "horizon": horizon,
    }


def settled(flow: Any) -> tuple[Floats, Floats]:
    """A state (d,) after the transient, and the deviations (d,) of the columns."""
    from .integrate import runge_kutta_row

    first = ROUGH * np.maximum(np.abs(flow.start), np.abs(flow.start).max() * 1e-3)
    rough = orbit(flow, runge_kutta_row, flow.start, TRANSIENT * PER_PERIOD, first, "transient")
    scale = np.where(flow.wraps > 0.0, 1.0, rough[len(rough) // 2 :].std(axis=0))
    if not (scale > 1e-9 * np.abs(rough).max(axis=0)).all():
        raise ValueError("it comes to rest, at least in one column")
    return rough[-1], scale


def orbit(flow: Any, kind: Any, state: Floats, rows: int, tolerance: Floats, what: str) -> Floats:
    """States (rows, d) from the given one on, by one kind of integrator."""
    from . import integrate

    dt = flow.period / PER_PERIOD
    path = integrate.orbit(kind, flow.function, state, dt, rows, tolerance, flow.wraps, STEPS)
    if len(path) < rows:
        raise ValueError(f"its {what} takes too many steps: stopped at row {len(path)} of {rows}")
    return path


def _exponent(flow: Any, state: Floats, dt: float, scale: Floats) -> tuple[float, float]:
    """The largest exponent and its standard error, from two orbits at a small distance; more
    carefully where the first pair leaves the attractor.
    """
    for small, share in ((1e-8, ROUGH), (1e-10, TOLERANCE)):
        means = _growth_rates(flow, state, small, dt, scale, share * np.tile(scale, 2))
        if len(means) >= FEWEST:
            return float(np.mean(means)), _error(means)
    raise ValueError("its exponent takes too many steps")


def _growth_rates(
    flow: Any, state: Floats, small: float, dt: float, scale: Floats, tolerance: Floats
) -> list[float]:
    """Means over blocks of 100 periods: as many as an error of one per cent takes or a number of
    steps allows, fewer where the integrator stops.
    """
    from . import integrate

    both = np.concatenate([state, state + small * scale / np.sqrt(len(state))])

    def logs(periods: int) -> tuple[Floats, int]:
        rows = periods * PER_PERIOD
        return integrate.growth(
            flow.pair, both, small, dt, rows, scale, tolerance, flow.wraps, STEPS
        )

    means: list[float] = []
    _, taken = logs(SETTLE)
    while len(means) < BLOCKS and (len(means) < FEWEST or taken < PATIENCE):
        found, steps = logs(BLOCK)
        taken += steps
        if len(found) < BLOCK * PER_PERIOD:
            break
        means.append(float(found.mean()) / dt)
        if len(means) >= FEWEST and _error(means) < 0.01 * np.mean(means):
            break
    return means


def _error(means: list[float]) -> float:
    return float(np.std(means)) / np.sqrt(len(means) - 1)


def make(name: str, folder: Path) -> str:
    """Integrate one system and write its file, or why there is none; one line about it."""
    begin = time.perf_counter()
    try:
        found = reference(name)
    except ValueError as failure:  # it has no series; any other failure is ours and stops the run
        reason = f"ValueError: {' '.join(str(failure).split())[:300]}"
        with whole_file(folder / f"{name}.excluded.json") as draft:
            draft.write_text(json.dumps({"name": name, "reason": reason}))
        return f"{name}: excluded, {reason}"
    with whole_file(folder / f"{name}.npz") as draft, draft.open("wb") as file:
        np.savez_compressed(file, **found)
    truth = np.median(found["truth_time"])
    return (
        f"{name}: {len(found['series'])} rows of {found['series'].shape[1]}, exponent "
        f"{found['lyapunov_measured']:.4g} ± {found['lyapunov_error']:.1g} (dysts "
        f"{found['lyapunov_dysts']:.4g}), horizon {found['horizon']} rows, truth {truth:.1f}, "
        f"{time.perf_counter() - begin:.1f} s"
    )


def missing(wanted: list[str], folder: Path) -> list[str]:
    """Systems without a file, those of the development half first."""
    absent = [
        name
        for name in wanted
        if not (folder / f"{name}.npz").exists() and not (folder / f"{name}.excluded.json").exists()
    ]
    return sorted(absent, key=lambda name: (half(name), name))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--systems", nargs="*")
    parser.add_argument("--jobs", type=int, default=1)
    asked = parser.parse_args()
    from .flows import names

    todo = missing(asked.systems or names(), asked.data)
    asked.data.mkdir(parents=True, exist_ok=True)
    pool = LocalPool(asked.jobs)
    try:
        for future in as_completed([pool.call(make, name, asked.data) for name in todo]):
            print(future.result(), flush=True)
    finally:
        pool.close()


if __name__ == "__main__":
    main()
