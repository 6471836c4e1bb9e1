"""Forecast the noisy flows by every method, and collect what came out.

A unit is one method on one system under one condition: which columns are seen, how many training
rows, how much noise, whether cells are missing, which draw of the noise, which network. As in the
league its result is one small file, a run that was stopped goes on where it was, and a method that
raises an exception is missing there. Training rows and those up to an origin are noisy and have
gaps; forecasts are judged by the clean rows: a run is valid until its error exceeds .4 deviations.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import asdict
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from league.run import attempted, run, warm, write
from league.systems import TRAIN, Floats, half

from .collected import COLUMNS, NOISE, ROWS, conditions
from .methods import EQUATIONS, KEEP_GAPS, METHODS, ONE_NETWORK, method
from .rivals import filled
from .rows import Rows, Unit
from .scores import EVERY, Intervals, leads
from .systems import DATA, horizon

OUT = Path("build/noise/results")
# Of the noise, by the kind of condition
DRAWS = {"complete": 3, "gaps": 2, "short": 1}
SEEDS = 2


def measure(unit: Unit, given: dict[str, Any], intervals: bool = True) -> dict[str, Any]:
    """What a unit's file holds besides its name."""
    rows = Rows.of(unit, given["series"])
    per_row = float(given["lyapunov"] * given["dt"])
    steps = horizon(per_row, unit.noise)
    origins = given["origins"] - TRAIN + unit.rows
    if unit.method in EQUATIONS:
        return by_equations(unit, rows, given, origins, steps)
    keep = unit.gaps and unit.method in KEEP_GAPS
    begin = time.process_time()
    train = rows.seen[: unit.rows]
    kind: Any = method(unit.method, unit.columns, unit.noise)
    fitted: Any = kind(train.copy() if keep else filled(train), unit.seed)
    seconds = getattr(fitted, "fit_seconds", None) or time.process_time() - begin
    ahead = leads(per_row, steps)
    judge = Intervals(rows, ahead) if intervals and hasattr(fitted, "interval") else None
    valid = []
    for place, origin in enumerate(origins):
        context = rows.seen[:origin] if keep else filled(rows.seen[:origin])
        forecast = fitted.forecast(context[unit.rows :], steps)
        valid.append(rows.valid(origin, forecast))
        if judge is not None:
            judge.point(origin, forecast)
            if place % EVERY == 0:
                judge.take(origin, fitted)
    found = {"valid_rows": valid, "fit_seconds": seconds, "error": None}
    if hasattr(fitted, "noise"):
        level = fitted.noise / (rows.sigma if unit.noise else 1.0)
        found["noise_found"] = [float(one) for one in level]
    if judge is not None:
        found["leads"] = judge.found()
    return found


@cache
def flow_of(system: str) -> Any:
    from league.flows import load

    return load(system)


def by_equations(
    unit: Unit, rows: Rows, given: dict[str, Any], origins: Floats, steps: int
) -> dict[str, Any]:
    """Valid rows of the true equations; of the limit also squared errors of the states that were
    found, in deviations, and their Cramér-Rao bounds.
    """
    from league.integrate import extrapolation_row

    from . import limit

    flow, series = flow_of(unit.system), given["series"]
    dt, scale = float(given["dt"]), given["scale"]
    columns = slice(None) if unit.columns == "all" else slice(0, 1)
    sees_all = rows.clean.shape[1] == series.shape[1]
    if unit.method != "limit" and not sees_all:
        raise ValueError("the other variables are not known")
    begin, valid = time.process_time(), []
    errors: list[float] = []
    bounds: list[float] = []
    unsettled = 0
    for origin in origins:
        at = int(origin) - unit.rows + TRAIN  # in the series
        kind = None
        if unit.method != "limit":
            state = filled(rows.seen[:origin])[-1] * rows.unit + rows.mean
        elif not unit.noise:  # how long another integrator agrees
            state, kind = series[at - 1], extrapolation_row
        else:
            window = rows.seen[origin - limit.ROWS : origin] * rows.unit + rows.mean
            shooting = limit.Shooting(
                flow.function, dt, scale, window, columns, rows.sigma * rows.unit
            )
            path = series[at - limit.ROWS : at]
            state, bound, settled = shooting.fit(path)
            unsettled += not settled
            errors.append(float((((state - path[-1]) / scale) ** 2).sum()))
            bounds.append(float(np.trace(bound)))
        forecast = limit.free_run(flow.function, dt, scale, state, steps, kind)
        valid.append(rows.valid(origin, (forecast[:, columns] - rows.mean) / rows.unit))
    found: dict[str, Any] = {"valid_rows": valid, "fit_seconds": time.process_time() - begin}
    if errors:
        found |= {"squared": errors, "bound": bounds, "unsettled": unsettled}
    return found | {"error": None}


@cache
def warmed(name: str) -> None:
    """Once per process."""
    warm(method(name, "all", 0.01))


def perform(unit: Unit, data: Path, out: Path, intervals: bool = True) -> str:
    """Measure a unit and write its file; one line about it."""
    with np.load(data / f"{unit.system}.npz") as file:
        given = dict(file)
    begin = time.process_time()

    def measured() -> dict[str, Any]:
        if unit.method not in EQUATIONS:
            warmed(unit.method)
        return measure(unit, given, intervals)

    found = attempted(measured)
    write(unit.file(out), asdict(unit) | found)
    if found["error"] is None:
        per_row = float(given["lyapunov"] * given["dt"])
        outcome = f"{np.mean(found['valid_rows']) * per_row:.2f} Lyapunov times"
    else:
        outcome = found["error"]
    return (
        f"{unit.system}, {unit.setting}, draw {unit.draw}, seed {unit.seed}, {unit.method}: "
        f"{outcome}, {time.process_time() - begin:.1f} s"
    )[:400]


def units(asked: argparse.Namespace, systems: list[str]) -> list[Unit]:
    """All that is asked for. Clean rows without gaps have one draw, the equations one network."""
    return [
        Unit(system, seen, count, level, lost, draw, seed, method)
        for seen, count, level, lost, kind in conditions(
            asked.columns, asked.rows, asked.noise, asked.gaps
        )
        for system in systems
        for draw in range(min(asked.draws, DRAWS[kind]) if level or lost else 1)
        for method in asked.methods
        for seed in range(1 if method in ONE_NETWORK else asked.seeds)
        if method != EQUATIONS[1] or seen == "all"
    ]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--columns", nargs="+", choices=COLUMNS, default=COLUMNS)
    parser.add_argument("--rows", type=int, nargs="+", default=ROWS)
    parser.add_argument("--noise", type=float, nargs="+", default=NOISE)
    parser.add_argument("--gaps", choices=["no", "yes", "both"], default="both")
    parser.add_argument("--draws", type=int, default=max(DRAWS.values()), help="at most")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--methods", nargs="+", default=[*EQUATIONS, *METHODS])
    parser.add_argument("--systems", nargs="+")
    parser.add_argument("--half", choices=["development", "report"])
    parser.add_argument("--no-intervals", action="store_true", help="points alone, to be quick")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--out", type=Path, default=OUT)
    asked = parser.parse_args()
    unknown = {one.partition(" [")[0] for one in asked.methods} - {*EQUATIONS, *METHODS}
    if unknown:
        raise SystemExit(f"no such methods: {', '.join(sorted(unknown))}")
    asked.gaps = {"no": [False], "yes": [True], "both": [False, True]}[asked.gaps]
    return asked


def main() -> None:
    asked = arguments()
    there = [path.stem for path in sorted(asked.data.glob("*.npz"))]
    wanted = asked.systems or there
    if absent := set(wanted) - set(there):
        raise SystemExit(f"no series of {', '.join(sorted(absent))} in {asked.data}")
    wanted = [name for name in wanted if asked.half is None or half(name) == asked.half]
    work = partial(perform, intervals=not asked.no_intervals)
    run(units(asked, wanted), asked.data, asked.out, asked.jobs, work)


if __name__ == "__main__":
    main()
