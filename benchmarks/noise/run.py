"""Forecast the noisy flows by every method, and collect what came out.

A unit is one method on one system under one condition: which columns are seen, how many training
rows, how much noise, whether cells are missing, which draw of the noise, which network. As in the
league its result is one small file, a run that was stopped goes on where it was, and a method that
raises an exception is missing there. Training rows and those up to an origin are noisy and have
gaps; forecasts are judged by the clean rows: a run is valid until its error exceeds .4 deviations.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from league.run import attempted, read, run, warm, write
from league.systems import THRESHOLD, TRAIN, Floats, half

from .methods import EQUATIONS, KEEP_GAPS, METHODS, ONE_NETWORK, method
from .rivals import filled
from .scores import covered, crps
from .summary import JUDGED
from .systems import DATA, horizon

OUT = Path("build/noise/results")
COLUMNS, ROWS, NOISE = ("all", "first"), (5000, 1000), (0.0, 0.01, 0.05, 0.1)
GAP_NOISE = (0.0, 0.01)
LOST, STRETCH = 0.08, 60  # share of the cells; rows in a row, of the training rows
DRAWS = {"complete": 3, "gaps": 2, "short": 1}  # of the noise, by the kind of condition
SEEDS = 2
LEVEL, PATHS, EVERY = 0.9, 100, 2  # of the intervals; every second origin has one
STEPS_AHEAD, TIMES_AHEAD = (1, 10, 50), (1.0, 3.0, 10.0)  # rows; Lyapunov times


@dataclass(frozen=True)
class Unit:
    """What a result is a function of."""

    system: str
    columns: str
    rows: int
    noise: float
    gaps: bool
    draw: int
    seed: int
    method: str

    @property
    def setting(self) -> str:
        gaps = ", gaps" if self.gaps else ""
        return f"{self.columns}, {self.rows} rows, noise {self.noise:g}{gaps}"

    def file(self, out: Path) -> Path:
        method = "".join(sign if sign.isalnum() else "-" for sign in self.method).strip("-")
        setting = f"{self.columns}-{self.rows}-{self.noise:g}{'-gaps' if self.gaps else ''}"
        return out / setting / method / f"{self.system}-{self.draw}-{self.seed}.json"


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of a unit from the begin of its training part on, standardised as they are seen.

    clean, seen (T, m); deviation (m,): of the clean training rows; sigma (m,): of the noise;
    mean, unit (m,): clean = (state - mean) / unit; missing: which cells are not seen.
    """

    clean: Floats
    seen: Floats
    deviation: Floats
    sigma: Floats
    mean: Floats
    unit: Floats
    train: int

    @staticmethod
    def of(unit: Unit, series: Floats) -> Rows:
        """The draw is the same for every level of noise, and for one column as for all."""
        name = int.from_bytes(hashlib.sha256(unit.system.encode()).digest()[:4], "big")
        drawn = np.random.default_rng([unit.draw, 1, name]).standard_normal(series.shape)
        columns = slice(None) if unit.columns == "all" else slice(0, 1)
        begin = TRAIN - unit.rows
        clean, drawn = series[begin:, columns], drawn[begin:, columns]
        sigma = unit.noise * clean[: unit.rows].std(axis=0)
        seen = clean + sigma * drawn
        if unit.gaps:
            lost = gaps(series.shape, np.random.default_rng([unit.draw, 2, name]))
            seen = np.where(lost[begin:, columns], np.nan, seen)
        known = seen[: unit.rows]
        mean, deviation = np.nanmean(known, axis=0), np.nanstd(known, axis=0)
        clean, seen = (clean - mean) / deviation, (seen - mean) / deviation
        own = clean[: unit.rows].std(axis=0)
        return Rows(clean, seen, own, sigma / deviation, mean, deviation, unit.rows)

    def valid(self, origin: int, forecast: Floats) -> int:
        """Rows until a forecast (steps, m) has parted from the truth at an origin."""
        truth = self.clean[origin : origin + len(forecast)]
        errors = np.sqrt((((forecast - truth) / self.deviation) ** 2).mean(axis=1))
        parted = ~(errors <= THRESHOLD)  # true for NaN
        return int(parted.argmax()) if parted.any() else len(forecast)


def gaps(shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
    """Which cells are missing: single ones anywhere, and one stretch of all columns in the last
    thousand of the training rows, not at their ends.
    """
    lost = rng.random(shape) < LOST
    begin = TRAIN - rng.integers(200, 900)
    lost[begin : begin + STRETCH] = True
    return lost


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


def leads(per_row: float, steps: int) -> dict[str, int]:
    """Name -> rows ahead at which intervals are judged."""
    times = {f"{time:g} T": round(time / per_row) for time in TIMES_AHEAD}
    found = {f"{step} rows": step for step in STEPS_AHEAD} | times
    return {name: ahead for name, ahead in found.items() if 1 <= ahead <= steps}


class Intervals:
    """Coverage and CRPS at some leads, beside those of the climate, which are the training rows,
    and of an interval of fixed width: the forecast and the errors that were made from origins of
    the other half of them.
    """

    def __init__(self, rows: Rows, ahead: dict[str, int]) -> None:
        self.rows, self.ahead = rows, ahead
        self.longest = max(ahead.values())
        known = rows.seen[: rows.train]
        places = np.linspace(0, len(known) - 1, 1000).astype(int)
        self.climate = filled(known)[places]
        self.points: dict[int, Floats] = {}
        self.taken: list[tuple[int, Floats, Floats, Floats]] = []

    def at(self, forecast: Floats) -> Floats:
        """The rows of the leads, along the last axis but one."""
        return forecast[..., [ahead - 1 for ahead in self.ahead.values()], :]

    def truth(self, origin: int) -> Floats:
        return self.at(self.rows.clean[origin:])

    def point(self, origin: int, forecast: Floats) -> None:
        self.points[origin] = self.at(forecast)

    def take(self, origin: int, fitted: Any) -> None:
        lower, upper = fitted.interval(self.longest, LEVEL)
        paths = fitted.paths(self.longest, PATHS)
        self.taken.append((origin, self.at(lower), self.at(upper), self.at(paths)))

    def found(self) -> dict[str, dict[str, float]]:
        """Lead -> rows ahead, share covered, CRPS of ours, of the climate, of the fixed interval,
        in deviations of the clean rows, averaged over origins and columns.
        """
        origins = list(self.points)
        errors = {one: self.truth(one) - self.points[one] for one in origins}
        halves = origins[: len(origins) // 2], origins[len(origins) // 2 :]
        totals = []
        for origin, lower, upper, paths in self.taken:
            truth, unit = self.truth(origin), self.rows.deviation
            others = halves[origin in halves[0]]
            fixed = self.points[origin] + np.array([errors[one] for one in others])
            climate = np.broadcast_to(self.climate[:, None], (len(self.climate), *truth.shape))
            low, high = np.quantile(fixed, [0.5 - LEVEL / 2, 0.5 + LEVEL / 2], axis=0)
            totals.append(
                [
                    covered(truth, lower, upper).mean(axis=1),
                    (crps(paths, truth) / unit).mean(axis=1),
                    (crps(climate, truth) / unit).mean(axis=1),
                    (crps(fixed, truth) / unit).mean(axis=1),
                    covered(truth, low, high).mean(axis=1),
                ]
            )
        means = np.mean(totals, axis=0).T
        return {
            lead: {"rows": ahead} | dict(zip(JUDGED, map(float, line), strict=True))
            for (lead, ahead), line in zip(self.ahead.items(), means, strict=True)
        }


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


def collect(data: Path, *outs: Path) -> dict[str, Any]:
    """All that was measured: systems, and setting -> method -> system -> units. A method that is in
    several folders is named by its folder in those after the first.
    """
    systems: dict[str, Any] = {}
    for path in sorted(data.glob("*.npz")):
        with np.load(path) as file:
            systems[path.stem] = {
                "half": str(file["half"]),
                "columns": int(file["series"].shape[1]),
                "dt": float(file["dt"]),
                "lyapunov": float(file["lyapunov"]),
                "apart": int(file["origins"][1] - file["origins"][0]),
                "horizon": int(horizon(float(file["lyapunov"] * file["dt"]), 0.0)),
            }
    results: dict[str, Any] = {}
    for seen, count, level, lost, _ in conditions(COLUMNS, ROWS, NOISE, (False, True)):
        results[Unit("", seen, count, level, lost, 0, 0, "").setting] = {}
    for place, out in enumerate(outs):
        before = {method for methods in results.values() for method in methods} if place else ()
        for path in sorted(out.glob("*/*/*.json")):
            found = read(path)
            unit = Unit(*(found[field.name] for field in fields(Unit)))
            name = f"{unit.method} @{out.name}" if unit.method in before else unit.method
            if unit.system in systems:
                methods = results.setdefault(unit.setting, {}).setdefault(name, {})
                methods.setdefault(unit.system, []).append(entry(systems[unit.system], found))
    return {
        "threshold": THRESHOLD,
        "systems": systems,
        "results": {setting: methods for setting, methods in results.items() if methods},
    }


def entry(system: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    """A unit with its valid times in Lyapunov times; of one that failed the reason alone."""
    name = {"draw": found["draw"], "seed": found["seed"]}
    if found["error"] is not None:
        return name | {"error": found["error"]}
    per_row = system["lyapunov"] * system["dt"]
    kept: dict[str, Any] = {"valid": [round(one * per_row, 2) for one in found["valid_rows"]]}
    kept["fit"] = float(f"{found['fit_seconds']:.3g}")
    if "squared" in found:
        sums = {one: float(f"{sum(found[one]):.3g}") for one in ("squared", "bound")}
        kept |= sums | {"unsettled": found["unsettled"]}
    if "noise_found" in found:
        kept["noise"] = [float(f"{one:.3g}") for one in found["noise_found"]]
    if "leads" in found:
        kept["leads"] = {
            lead: [float(f"{one[name]:.3g}") for name in JUDGED]
            for lead, one in found["leads"].items()
        }
    return name | kept | {"error": None}


def conditions(
    columns: Sequence[str], rows: Sequence[int], noise: Sequence[float], gaps: Sequence[bool]
) -> list[tuple[str, int, float, bool, str]]:
    """Columns, rows, noise, gaps and the kind of condition, which says how many draws it has."""
    return [
        (seen, count, level, lost, "gaps" if lost else "complete" if count == TRAIN else "short")
        for count, lost, seen, level in itertools.product(rows, gaps, columns, noise)
        if not lost or (count == TRAIN and level in GAP_NOISE)
    ]


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
