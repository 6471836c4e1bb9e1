"""The flows of the comparison on noisy rows, and their series.

The rule was written down before any result was seen. From the league's own measurements
(league.json): chaotic, with an exponent that is known to 5 %, three or four columns, and a growth
of distances between .1 and 1.5 e-folds per period, so that a few periods of noisy rows still say
something and free runs have an end. Two integrators agree for at least 15 Lyapunov times from each
of the league's origins. The columns are the state itself, and none is an angle, so that the true
equations can begin at them. No repeated cycle stays valid for two Lyapunov times, because a method
that knows nothing but the phase would be ahead of the true equations there. This condition alone
was added later, when NG-RC was far beyond the limit on SprottO; it needs the clean series only, and
SprottO is the only system that it removed. Of each half (`league.systems.half`), the first eight in
the order of the SHA-256 of the name.

A system is left out of what sees only the first variable where even the true equations need the
others: where their valid time at 1 % noise, by the best start, is below half of that with all
variables (`shares.seen_by_first`).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
from league.systems import (
    LONGEST,
    PER_PERIOD,
    THRESHOLD,
    TOLERANCE,
    TRAIN,
    Floats,
    half,
    orbit,
    settled,
)

from spheresn.io import whole_file

DATA = Path("build/noise/data")
LEAGUE = Path(__file__).parents[1] / "league.json"
COLUMNS, GROWTH, KNOWN, AGREE = (3, 4), (0.1, 1.5), 0.05, 15.0
PAST, LAGS, CYCLE = (1, 3, 10, 40), range(20, 400), 2.0  # cycles; rows; Lyapunov times
EACH = 8  # systems of a half
ORIGINS = 40
# Half a Lyapunov time lies between origins, at least a period and at most five
NEAREST, FARTHEST = PER_PERIOD, 5 * PER_PERIOD
CLEAN, NOISY = 25.0, 15.0  # Lyapunov times for which free runs are followed


def candidates(league: dict[str, Any]) -> list[str]:
    """Systems that the rule names, as far as the league knows, in their order."""
    found = [
        name
        for name, one in league["systems"].items()
        if one["chaotic"]
        and one["columns"] in COLUMNS
        and GROWTH[0] <= one["lyapunov"] * one["period"] <= GROWTH[1]
        and one["lyapunov_error"] <= KNOWN * one["lyapunov"]
        and min(one["truth_time"]) >= AGREE
    ]
    return sorted(found, key=lambda name: hashlib.sha256(name.encode()).hexdigest())


def horizon(per_row: float, noise: float) -> int:
    """Rows for which a free run is followed."""
    return int(min(np.ceil((NOISY if noise else CLEAN) / per_row), LONGEST))


def repeated(series: Floats, origins: Floats, per_row: float) -> float:
    """Mean valid time of repeated cycles, in Lyapunov times: the length of a cycle is the lag of
    the training rows with the least error, the cycle the mean of so many past ones as is best.
    """
    rows = (series - series[:TRAIN].mean(axis=0)) / series[:TRAIN].std(axis=0)
    train, steps = rows[:TRAIN], horizon(per_row, 0.1)
    lag = min(LAGS, key=lambda one: ((train[one:] - train[:-one]) ** 2).mean())
    times = []
    for count in (one for one in PAST if one * lag <= TRAIN):
        valid = []
        for origin in origins:
            cycle = rows[origin - count * lag : origin].reshape(count, lag, -1).mean(axis=0)
            error = cycle[np.arange(steps) % lag] - rows[origin : origin + steps]
            parted = np.sqrt((error**2).mean(axis=1)) > THRESHOLD
            valid.append(parted.argmax() if parted.any() else steps)
        times.append(float(np.mean(valid)) * per_row)
    return max(times)


def reference(name: str, exponent: float) -> dict[str, Any]:
    """The series of a system; raises ValueError where the rule does not name it."""
    from league.flows import load
    from league.integrate import runge_kutta_row

    flow = load(name)
    if flow.wraps.any() or not np.array_equal(flow.observed(flow.start[None]), flow.start[None]):
        raise ValueError("its columns are not its state")
    begin, scale = settled(flow)
    per_row = exponent * flow.period / PER_PERIOD
    apart = int(np.clip(round(0.5 / per_row), NEAREST, FARTHEST))
    origins = TRAIN + apart * np.arange(ORIGINS)
    rows = int(origins[-1]) + horizon(per_row, 0.0)
    series = orbit(flow, runge_kutta_row, begin, rows, TOLERANCE * scale, "series")
    cycles = repeated(series, origins, per_row)
    if cycles > CYCLE:
        raise ValueError(f"its cycles repeat: they stay valid for {cycles:.1f} Lyapunov times")
    return {
        "series": series,
        "dt": flow.period / PER_PERIOD,
        "lyapunov": exponent,
        "half": half(name),
        "origins": origins,
        "scale": scale,
    }


def make(name: str, exponent: float, folder: Path) -> bool:
    """Write the file of a system, or why there is none; whether it is there."""
    if (folder / f"{name}.npz").exists():
        return True
    begin = time.perf_counter()
    try:
        found = reference(name, exponent)
    except ValueError as failure:  # the rule does not name it; any other failure stops the run
        reason = f"ValueError: {' '.join(str(failure).split())[:300]}"
        with whole_file(folder / f"{name}.excluded.json") as draft:
            draft.write_text(json.dumps({"name": name, "reason": reason}))
        print(f"{name}: excluded, {reason}", flush=True)
        return False
    with whole_file(folder / f"{name}.npz") as draft, draft.open("wb") as file:
        np.savez_compressed(file, **found)
    rows, apart = found["series"].shape, np.diff(found["origins"])[0]
    seconds = time.perf_counter() - begin
    print(f"{name}, {half(name)}: {rows}, origins {apart} apart, {seconds:.1f} s", flush=True)
    return True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA)
    asked = parser.parse_args()
    asked.data.mkdir(parents=True, exist_ok=True)
    league = json.loads(LEAGUE.read_text(encoding="utf-8"))
    for wanted in ("development", "report"):
        names = (name for name in candidates(league) if half(name) == wanted)
        there = 0
        while there < EACH:
            name = next(names)
            there += make(name, league["systems"][name]["lyapunov"], asked.data)


if __name__ == "__main__":
    main()
