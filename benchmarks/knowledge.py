"""What people know besides one series: several recordings, drift, parameters, their own equations.

All systems are integrated here, and each number is a median over runs from unseen trajectories. A
run is valid until its error exceeds .4 deviations; times are in Lyapunov times.
`python benchmarks/knowledge.py` writes benchmarks/knowledge.json, part by part; some parts only:
`python benchmarks/knowledge.py drift physics`.
"""

from __future__ import annotations

import copy
import json
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterable
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from machine import described
from scipy.integrate import solve_ivp

import spheresn as sn

Floats = np.ndarray
OUT = Path(__file__).parent / "knowledge.json"
UNITS, SEEDS, TESTS, CONTEXT, LIMIT = 300, 2, 12, 300, 0.4
TOLERANCE = 1e-11


class System(NamedTuple):
    """An equation, a point near its attractor, the time between rows, and its largest exponent."""

    equation: Callable[..., tuple[float, float, float]]
    start: tuple[float, float, float]
    dt: float
    exponent: float


def lorenz(_: float, u: Floats, rho: float = 28.0) -> tuple[float, float, float]:
    """Lorenz (1963)."""
    x, y, z = u
    return 10.0 * (y - x), x * (rho - z) - y, x * y - 8.0 / 3.0 * z


def halvorsen(_: float, u: Floats) -> tuple[float, float, float]:
    """Halvorsen, a = 1.4."""
    x, y, z = u
    return (
        -1.4 * x - 4.0 * (y + z) - y * y,
        -1.4 * y - 4.0 * (z + x) - z * z,
        -1.4 * z - 4.0 * (x + y) - x * x,
    )


def chen(_: float, u: Floats) -> tuple[float, float, float]:
    """Chen and Ueta (1999)."""
    x, y, z = u
    return 35.0 * (y - x), -7.0 * x - x * z + 28.0 * y, x * y - 3.0 * z


SYSTEMS = {
    "Lorenz": System(lorenz, (1.0, 1.0, 20.0), 0.02, 0.906),
    "Halvorsen": System(halvorsen, (-5.0, 0.1, 0.2), 0.03, 0.79),
    "Chen": System(chen, (-3.0, 2.0, 20.0), 0.01, 2.02),
}


@cache
def trajectory(name: str, rows: int, seed: int, *parameters: float) -> Floats:
    """A trajectory of its own for each seed, after a transient."""
    system = SYSTEMS[name]
    rng = np.random.default_rng(seed)
    first = system.dt * rng.uniform(200.0, 600.0)
    times = first + system.dt * np.arange(rows)
    found = solve_ivp(
        lambda t, u: system.equation(t, u, *parameters),
        (0.0, times[-1]),
        np.array(system.start) + rng.uniform(-0.3, 0.3, 3),
        method="DOP853",
        t_eval=times,
        rtol=TOLERANCE,
        atol=TOLERANCE,
    )
    return np.asarray(found.y.T)


def valid(system: System, truth: Floats, runs: Floats, deviations: Floats) -> float:
    """Lyapunov times until the error exceeds the limit."""
    errors = np.sqrt(np.square((truth - runs) / deviations).mean(axis=1))
    steps = int(np.argmax(errors > LIMIT)) if (errors > LIMIT).any() else len(errors)
    return steps * system.dt * system.exponent


def lasting(name: str, model: Any, noise: float = 0.0, seed: int = 0) -> float:
    """The median valid time of a model, or of a function of starts and steps."""
    system = SYSTEMS[name]
    steps = int(32.0 / system.exponent / system.dt)
    series = [trajectory(name, CONTEXT + steps, 5000 + k) for k in range(TESTS)]
    deviations = np.concatenate(series).std(axis=0)
    rng = np.random.default_rng(seed)
    starts = [
        one[:CONTEXT] + noise * deviations * rng.standard_normal((CONTEXT, 3)) for one in series
    ]
    runs = (
        model.forecast(steps, start=starts) if hasattr(model, "forecast") else model(starts, steps)
    )
    pairs = zip(series, runs, strict=True)
    return float(np.median([valid(system, one[CONTEXT:], run, deviations) for one, run in pairs]))


def fitted(rows: Any, seed: int, units: int = UNITS, **options: Any) -> Any:
    """A forecaster with its defaults."""
    exogenous = options.pop("exogenous", None)
    model = sn.ESNForecaster(units, random_state=seed, verbose=False, **options)
    return model.fit(rows, exogenous=exogenous)


def recordings() -> dict[str, Any]:
    """The same number of rows in one recording, in ten, and in many short ones; and joined."""
    found: dict[str, Any] = {}
    for name in SYSTEMS:
        cells: dict[str, list[float]] = {}
        for seed in range(SEEDS):
            ten = [trajectory(name, 500, 100 * seed + k) for k in range(10)]
            ways = {
                "one of 5,000": trajectory(name, 5000, 100 * seed),
                "ten of 500": ten,
                "forty of 100": [trajectory(name, 100, 100 * seed + k) for k in range(40)],
                "ten of 500, joined by hand": np.concatenate(ten),
                "the last of the ten alone": ten[-1],
            }
            for way, rows in ways.items():
                cells.setdefault(way, []).append(round(lasting(name, fitted(rows, seed)), 2))
        found[name] = cells
        print(name, cells, flush=True)
    return found


DRIFT_ROWS, FIRST_ROWS, PIECE, AHEAD = 20_000, 2000, 1000, 900
FORGETTING = (1.0, 0.999, 0.995, 0.99, 0.98)


def drifting(seed: int) -> Floats:
    """Lorenz, whose rho rises from 28 to 32."""
    dt, end = SYSTEMS["Lorenz"].dt, SYSTEMS["Lorenz"].dt * DRIFT_ROWS
    start = trajectory("Lorenz", 10, 300 + seed)[-1]
    found = solve_ivp(
        lambda t, u: lorenz(t, u, 28.0 + 4.0 * t / end),
        (0.0, end),
        start,
        method="DOP853",
        t_eval=dt * np.arange(DRIFT_ROWS),
        rtol=TOLERANCE,
        atol=TOLERANCE,
    )
    return np.asarray(found.y.T)


def learn_on(models: dict[str, Any], rows: Floats) -> dict[str, float]:
    """Each model learns these rows with its forgetting; the seconds that it took."""
    spent = {}
    for one in FORGETTING:
        begin = time.process_time()
        models[f"forgetting {one}"].partial_fit(rows, forgetting=one)
        spent[f"forgetting {one}"] = time.process_time() - begin
    return spent


def drift() -> dict[str, Any]:
    """Valid times along a drift, without adaptation, learning on, and learning again.

    After each piece all models forecast from four places among the next rows, which none has seen.
    """
    found: dict[str, Any] = {}
    for seed in range(SEEDS):
        rows = drifting(seed)
        deviations = rows.std(axis=0)
        base = fitted(rows[:FIRST_ROWS], seed)
        models = {"as it was": base}
        models |= {f"forgetting {one}": copy.deepcopy(base) for one in FORGETTING}
        for first in range(FIRST_ROWS + PIECE, DRIFT_ROWS - PIECE, PIECE):
            spent = learn_on(models, rows[first - PIECE : first])
            begin = time.process_time()
            models["fitted again"] = fitted(rows[first - FIRST_ROWS : first], seed)
            spent["fitted again"] = time.process_time() - begin
            places = range(first, first + PIECE, PIECE // 4)
            starts = [rows[place - 200 : place] for place in places]
            for name, model in models.items():
                cell = found.setdefault(name, {"valid": {}, "seconds": 0.0})
                runs = model.forecast(AHEAD, start=starts)
                cell["valid"].setdefault(str(first), []).extend(
                    round(valid(SYSTEMS["Lorenz"], rows[k : k + AHEAD], run, deviations), 2)
                    for k, run in zip(places, runs, strict=True)
                )
                cell["seconds"] = round(cell["seconds"] + spent.get(name, 0.0), 2)
        print(seed, {name: cell["seconds"] for name, cell in found.items()}, flush=True)
    return {"rows": DRIFT_ROWS, "window": FIRST_ROWS, "piece": PIECE, "ways": found}


KNOWN = (24.5, 26.0, 27.5, 30.0, 31.5, 33.0)
ASKED = (25.2, 29.0, 32.0, 35.0, 38.0)
KNOWN_ROWS, CLIMATE_ROWS, CELLS = 2500, 7000, 50


def distance(truth: Floats, run: Floats) -> float:
    """The mean Hellinger distance of the marginal histograms of the columns."""
    parts = []
    for one, other in zip(truth.T, run.T, strict=True):
        edges = np.linspace(one.min(), one.max(), CELLS + 1)
        edges[0], edges[-1] = -np.inf, np.inf
        counts = [np.histogram(values, edges)[0] for values in (one, other)]
        parts.append(float(sn.metrics.hellinger(*counts)))
    return float(np.mean(parts))


def at_parameters(seed: int, units: int) -> Any:
    """A model of six recordings of Lorenz, each at a rho of its own."""
    rows = [trajectory("Lorenz", KNOWN_ROWS, 100 * seed + k, rho) for k, rho in enumerate(KNOWN)]
    beside = [np.full((KNOWN_ROWS, 1), rho) for rho in KNOWN]
    return fitted(rows, seed, units, exogenous=beside)


def parameters() -> dict[str, Any]:
    """Climate and valid times at other values of rho than those of the recordings."""
    found: dict[str, Any] = {}
    system = SYSTEMS["Lorenz"]
    for units in (300, 500):
        for seed in range(3):
            model = at_parameters(seed, units)
            for rho in ASKED:
                truth = trajectory("Lorenz", CLIMATE_ROWS + CONTEXT + 500, 9000, rho)
                again = trajectory("Lorenz", CLIMATE_ROWS, 9001, rho)
                deviations, places = truth.std(axis=0), range(0, 6000, 500)
                starts = [truth[place : place + CONTEXT] for place in places]
                beside = [np.full((CONTEXT, 1), rho)] * len(starts)
                runs = model.forecast(
                    1000, np.full((1000, 1), rho), start=starts, start_exogenous=beside
                )
                times = [
                    valid(system, truth[k + CONTEXT : k + CONTEXT + 1000], run, deviations)
                    for k, run in zip(places, runs, strict=True)
                ]
                long = model.forecast(
                    CLIMATE_ROWS,
                    np.full((CLIMATE_ROWS, 1), rho),
                    start=starts[0],
                    start_exogenous=beside[0],
                )
                cell = found.setdefault(str(units), {}).setdefault(
                    str(rho), {"distance": [], "chance": 0.0, "valid": []}
                )
                part = truth[CONTEXT : CONTEXT + CLIMATE_ROWS]
                cell["distance"].append(round(distance(part, long), 3))
                cell["chance"] = round(distance(part, again), 3)
                cell["valid"].append(round(float(np.median(times)), 2))
        print(units, found[str(units)], flush=True)
    return found


SILENT_ROWS, SILENT_SHARE, PUBLISHED = 20_000, 0.05, 24.06
ABOVE = (25.0, 26.0, 27.0, 28.5, 30.0)
CANDIDATES = np.round(np.arange(22.6, 25.01, 0.1), 2)


def silent(rows: Floats) -> bool:
    """Whether the last rows hardly move: the run has fallen to rest."""
    return bool(rows[-500:, 0].std() < SILENT_SHARE * rows[:2000, 0].std())


def critical(run: Callable[[float], Floats]) -> float:
    """The middle between the largest rho at which a run falls to rest and the next one above."""
    fell = [rho for rho in CANDIDATES if silent(run(float(rho)))]
    return round(max(fell, default=float("nan")) + 0.05, 2)


def run_of(model: Any, start: Floats, beside: Floats, rho: float) -> Floats:
    """A free run of a model at this rho."""
    future = np.full((SILENT_ROWS, 1), rho)
    return np.asarray(model.forecast(SILENT_ROWS, future, start=start, start_exogenous=beside))


def transition() -> dict[str, Any]:
    """The rho below which the chaos of Lorenz dies out, from recordings above it."""

    def true_run(rho: float) -> Floats:
        start, dt = trajectory("Lorenz", 300, 40, 25.0)[-1], SYSTEMS["Lorenz"].dt
        times = dt * np.arange(1, SILENT_ROWS + 1)
        return np.asarray(
            solve_ivp(
                lambda t, u: lorenz(t, u, rho),
                (0.0, times[-1]),
                start,
                t_eval=times,
                rtol=1e-8,
                atol=1e-8,
            ).y.T
        )

    found: list[float] = []
    for seed in range(10):
        rows = [trajectory("Lorenz", 1500, 700 + 10 * seed + k, rho) for k, rho in enumerate(ABOVE)]
        model = fitted(rows, seed, exogenous=[np.full((1500, 1), rho) for rho in ABOVE])
        start, beside = trajectory("Lorenz", 300, 40, 25.0), np.full((300, 1), 25.0)

        found.append(critical(partial(run_of, model, start, beside)))
        print("critical", found, flush=True)
    return {"published": PUBLISHED, "equations": critical(true_run), "networks": found}


# The values of r of the recordings; runs begin after the last of them. Where the doublings end
# (Feigenbaum 1978). Other seeds were used to choose the numbers of recordings and of units.
CHAOTIC, ONSET, ONSET_UNITS, ONSET_SEEDS = (3.9, 3.6), 3.569946, 100, range(10, 20)
GRID = np.round(np.arange(3.54, 3.6, 0.0005), 4)


def logistic(r: float, rows: int) -> Floats:
    """The map x -> r x (1 - x), rows (T, 1)."""
    found = [0.3]
    for _ in range(rows - 1):
        found.append(r * found[-1] * (1.0 - found[-1]))
    return np.array(found)[:, None]


def first_chaos(run: Callable[[float], Floats]) -> float:
    """The first r of the grid at which a run takes more than 32 values after 3,000 steps."""
    many = (float(r) for r in GRID if len(np.unique(run(float(r))[3000:].round(4))) > 32)
    return next(many, float("inf"))


def onset() -> dict[str, Any]:
    """Where the logistic map becomes chaotic, from recordings above that value alone."""
    steps = 3500
    equations = first_chaos(lambda r: logistic(r, steps))
    found: dict[str, Any] = {"published": ONSET, "equations": equations, "networks": {}}
    for count in (4, 7):
        known = np.linspace(*CHAOTIC, count)
        rows, beside = [logistic(r, 150) for r in known], [np.full((150, 1), r) for r in known]
        models = [fitted(rows, seed, ONSET_UNITS, exogenous=beside) for seed in ONSET_SEEDS]
        found["networks"][str(count)] = [
            first_chaos(lambda r, model=model: model.forecast(steps, np.full((steps, 1), r)))
            for model in models
        ]
        print(count, found["networks"], flush=True)
    return found


def wrong(rho: float, steps: int = 4) -> Callable[[Floats, Any], Floats]:
    """Lorenz with this rho, one row ahead, by Runge and Kutta, for one row or several."""
    h = SYSTEMS["Lorenz"].dt / steps

    def slope(u: Floats) -> Floats:
        return np.stack(lorenz(0.0, np.moveaxis(u, -1, 0), rho), axis=-1)

    def ahead(row: Floats, _: Any) -> Floats:
        for _step in range(steps):
            a = slope(row)
            b = slope(row + h / 2.0 * a)
            c = slope(row + h / 2.0 * b)
            d = slope(row + h * c)
            row = row + h / 6.0 * (a + 2.0 * b + 2.0 * c + d)
        return row

    return ahead


def alone(
    ahead: Callable[[Floats, Any], Floats],
) -> Callable[[Iterable[Floats], int], list[Floats]]:
    """Runs of such equations from the last row of each start."""

    def runs(starts: Iterable[Floats], steps: int) -> list[Floats]:
        rows, found = np.stack([one[-1] for one in starts]), []
        for _ in range(steps):
            rows = ahead(rows, None)
            found.append(rows)
        return list(np.stack(found, axis=1))

    return runs


def physics() -> dict[str, Any]:
    """Equations with rho wrong by 5 %, and white noise instead of equations."""
    found: dict[str, Any] = {}
    near, rng = wrong(1.05 * 28.0), np.random.default_rng(0)
    models = {
        "the network alone": None,
        "with equations": near,
        "with white noise": lambda row, _: 10.0 * rng.standard_normal(3),
    }
    for noise in (0.0, 0.01):
        for rows in (500,):
            cells: dict[str, Any] = {"the equations alone": lasting("Lorenz", alone(near), noise)}
            for seed in range(SEEDS):
                clean = trajectory("Lorenz", rows, 77 + seed)
                own = np.random.default_rng(seed).standard_normal(clean.shape)
                seen = clean + noise * clean.std(axis=0) * own
                for name, ahead in models.items():
                    model = fitted(seen, seed, physics=ahead)
                    cell = cells.setdefault(name, {"valid": [], "share": []})
                    cell["valid"].append(round(lasting("Lorenz", model, noise), 2))
                    cell["share"].append(round(model.physics_share_, 2))
            found.setdefault(f"{noise:g}", {})[str(rows)] = cells
            print(noise, rows, cells, flush=True)
    return found


PARTS = {
    "recordings": recordings,
    "drift": drift,
    "parameters": parameters,
    "onset": onset,
    "transition": transition,
    "physics": physics,
}


def main() -> None:
    """Measure the parts that were asked for, and keep the others."""
    warnings.simplefilter("ignore")
    found: dict[str, Any] = json.loads(OUT.read_text()) if OUT.exists() else {}
    for name in sys.argv[1:] or PARTS:
        found[name] = PARTS[name]()
        found |= {"units": UNITS, "seeds": SEEDS, "machine": described()}
        OUT.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
