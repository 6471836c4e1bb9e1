"""Forecasts of fields: how long they stay true, and what they cost, beside other methods.

Each network is fitted to one series and runs free from 24 origins of another one, which begins at
another random state. A run is valid until its error exceeds .4 deviations; valid times are in units
of the Lyapunov time, which is measured here. `python benchmarks/fields.py [PROBLEM ...]` adds what
is missing to benchmarks/fields.json, with one thread.
"""

from __future__ import annotations

import argparse
import json
import os
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import fields_peers
import numpy as np
from machine import described
from numpy.typing import NDArray

import spheresn as sn
from spheresn.datasets.fields import lorenz96_slope
from spheresn.estimators.fields.geometry import Patches
from spheresn.estimators.fields.search import observed

Fields = NDArray[np.float64]
OUT = Path(__file__).parent / "fields.json"
NETWORKS, ORIGINS, THRESHOLD, FOLLOWED = 3, 24, 0.4, 14.0
SPIN_UP = 200


@dataclass(frozen=True)
class Problem:
    """A field, how it is cut into patches, and how much of it is learned.

    `rows`: states summed over all patches; `goal`: the valid time to be reached.
    """

    make: Callable[..., Fields]
    dt: float
    patch: Any
    halo: Any
    rows: int
    goal: float | None
    units: int = 1000
    options: dict[str, Any] = field(default_factory=dict)
    periodic: bool = True

    def series(self, steps: int, seed: int) -> Fields:
        """The field (steps, *grid)."""
        return self.make(steps, dt=self.dt, rng=seed)

    @property
    def steps(self) -> int:
        """Times to learn from."""
        grid = self.series(1, 0).shape[1:]
        patches = int(np.prod([cells // self.patch for cells in grid]))
        return self.rows // patches


def ks(length: float, cells: int, **options: Any) -> Callable[..., Fields]:
    """Kuramoto-Sivashinsky of one length."""
    return lambda steps, dt, rng, **more: sn.datasets.kuramoto_sivashinsky(
        steps, length, cells, dt, rng=rng, **options, **more
    )


def plane(steps: int, dt: float, rng: Any, **more: Any) -> Fields:
    """Kuramoto-Sivashinsky in the plane."""
    return sn.datasets.kuramoto_sivashinsky_2d(steps, 36.0, 48, dt, rng=rng, **more)


def lorenz96(steps: int, dt: float, rng: Any) -> Fields:
    """Lorenz-96 with 40 cells."""
    return sn.datasets.lorenz96(steps, 40, dt, rng=rng)


# Where a search would take long: dials found on other series of KS, L = 200
DIALS = {"memory": 0.5, "bend": 1.0, "bias_ratio": 100.0}
FIXED = {**DIALS, "noise": 1e-4, "target": "steps"}
COARSE = {"bias_ratio": 24.0, "noise": 3e-4}  # instead, for Gram matrices
LARGE = Problem(ks(200.0, 512), 0.25, 8, 8, 200_000, 7.0)
PROBLEMS = {
    "KS, L = 22": Problem(ks(22.0, 64), 0.25, 8, 8, 200_000, 6.0),
    "KS, L = 60": Problem(ks(60.0, 128), 0.25, 4, 8, 200_000, 7.0),
    "KS, L = 200": LARGE,
    "KS, L = 200, 2,000 units": replace(
        LARGE, units=2000, rows=300_000, goal=8.0, options={**DIALS, "target": "steps"}
    ),
    "KS, L = 200, 500 steps": replace(LARGE, units=800, rows=32_000, goal=6.5, options=FIXED),
    "KS, L = 200, 12,500 steps": replace(LARGE, units=800, rows=800_000, goal=None, options=FIXED),
    "Lorenz-96": Problem(lorenz96, 0.01, 2, 3, 200_000, 8.0),
    "inhomogeneous KS": Problem(
        ks(200.0, 512, forcing=0.01, wavelength=100.0),
        0.25,
        8,
        8,
        640_000,
        6.0,
        options={"shared": "auto", "memory": 0.5, "bend": 1.0, "bias_ratio": 24.0, "noise": 1e-4},
    ),
    "KS in the plane": Problem(plane, 0.25, 4, 4, 200_000, None),
    "KS in the plane, 40 components": Problem(
        plane, 0.25, 4, 4, 200_000, None, options={"components": 40}
    ),
}


def exponent(problem: Problem) -> tuple[float, float]:
    """The maximal exponent per time unit and its standard error.

    It is the growth of a small difference, kept small over 1,000 spans (in the plane 200).
    """
    rng = np.random.default_rng(0)
    span, skipped = 1.0 if problem.make is lorenz96 else 10.0, 20
    spans = skipped + (200 if problem.make is plane else 1000)
    state = problem.series(1, 5)[0]
    gap = rng.standard_normal(state.shape)
    gap *= 1e-7 / np.linalg.norm(gap)
    grown = []
    for _ in range(spans):
        after, beside = (_evolved(problem, one, span) for one in (state, state + gap))
        size = np.linalg.norm(beside - after)
        grown.append(np.log(size / 1e-7))
        state, gap = after, (beside - after) * (1e-7 / size)
    kept = np.array(grown[skipped:]) / span
    blocks = kept.reshape(20, -1).mean(axis=1)
    return float(kept.mean()), float(blocks.std(ddof=1) / np.sqrt(len(blocks)))


def _evolved(problem: Problem, state: Fields, span: float) -> Fields:
    if problem.make is lorenz96:
        h = problem.dt
        for _ in range(round(span / h)):
            a = lorenz96_slope(state, 8.0)
            b = lorenz96_slope(state + h / 2 * a, 8.0)
            c = lorenz96_slope(state + h / 2 * b, 8.0)
            d = lorenz96_slope(state + h * c, 8.0)
            state = state + h / 6 * (a + 2 * b + 2 * c + d)
        return np.asarray(state)
    steps = round(span / problem.dt)
    return problem.make(2, dt=span, rng=0, start=state, transient=0.0, substeps=steps)[1]


def valid_times(truth: Fields, runs: Fields, deviation: float, unit: float) -> list[float]:
    """How long each of the runs (R, T, *grid) stays true, in Lyapunov times (`unit` per step)."""
    axes = tuple(range(2, truth.ndim))
    with np.errstate(over="ignore", invalid="ignore"):
        errors = np.sqrt(np.square(runs - truth).mean(axis=axes)) / deviation
    wrong = ~(errors <= THRESHOLD)
    steps = np.where(wrong.any(axis=1), wrong.argmax(axis=1), wrong.shape[1])
    return [round(float(k * unit), 3) for k in steps]


def origins(problem: Problem, unit: float) -> tuple[Fields, NDArray[np.int64], int]:
    """A fresh series, where runs begin in it, and how long they are."""
    horizon = int(FOLLOWED / unit)
    fresh = problem.series(SPIN_UP + horizon + ORIGINS * horizon // 4, 1000)
    starts = np.linspace(SPIN_UP, len(fresh) - horizon - 1, ORIGINS).astype(np.int64)
    return fresh, starts, horizon


@cache
def warm_up() -> None:
    """Load the compiled loops, which takes a second, once in a process."""
    field = sn.datasets.lorenz96(100, 12, rng=0)
    sn.ESNFieldForecaster(20, 2, 2, random_state=0, verbose=False, **FIXED).fit(field).forecast(2)


def ours(problem: Problem, unit: float, network: int) -> dict[str, Any]:
    """One network of ESNFieldForecaster."""
    warm_up()
    train = problem.series(problem.steps, 1)
    model = sn.ESNFieldForecaster(
        problem.units,
        problem.patch,
        problem.halo,
        random_state=network,
        periodic=problem.periodic,
        verbose=False,
        **problem.options,
    )
    begin = time.process_time()
    model.fit(train)
    fit = time.process_time() - begin
    fresh, starts, horizon = origins(problem, unit)
    rows = (fresh.reshape(len(fresh), -1) - model.mean_) / model.scale_
    networks = model.closed_loop_.networks
    runs = []
    begin = time.process_time()
    for start in starts:
        states = observed(networks, None, rows[start - SPIN_UP : start])
        runs.append(model.closed_loop_.run(horizon, states, rows[start])[0])
    spent = time.process_time() - begin
    truth = np.stack([rows[t + 1 : t + 1 + horizon] for t in starts])
    return {
        "valid": valid_times(truth, np.stack(runs), 1.0, unit),
        "fit_s": round(fit, 2),
        "step_ms": round(1e3 * spent / (len(starts) * (horizon + SPIN_UP)), 3),
        "noise": model.noise_,
        "bias_ratio": model.bias_ratio_,
        "shared": model.shared_,
        "steps_learned": len(train),
    }


def gram(problem: Problem, unit: float, network: int) -> dict[str, Any]:
    """The same with readouts from Gram matrices instead of triangles."""
    options = {**problem.options, **COARSE, "precise": False}
    return ours(replace(problem, options=options), unit, network)


def separate_gram(problem: Problem, unit: float, network: int) -> dict[str, Any]:
    """The same with a readout for each patch, from Gram matrices."""
    return gram(replace(problem, options={**problem.options, "shared": False}), unit, network)


def separate(problem: Problem, unit: float, network: int) -> dict[str, Any]:
    """The same with a readout for each patch."""
    return ours(replace(problem, options={**problem.options, "shared": False}), unit, network)


# What the documentation of xesn 0.2 uses for Lorenz-96, and what `fields_peers.search` found
DOCUMENTED = {"radius": 0.9, "inputs": 0.5, "bias": 0.5, "leak": 0.5, "ridge": 1e-6}
TUNED = {"radius": 0.168, "inputs": 2.74, "bias": 1.403, "leak": 0.75, "ridge": 1e-8}
# Pathak et al., Phys. Rev. Lett. 120, 024102 (2018)
RECIPE = {"radius": 0.6, "inputs": 0.3, "ridge": 1e-4}
XESN_STEPS = 20  # of its own forecast: a step takes long


def xesn(problem: Problem, unit: float, network: int) -> dict[str, Any]:
    """One network of xesn, with a readout for each patch.

    Its free runs are made by the loop of `fields_peers`, which is compared with a short one of its
    own.
    """
    import dask
    import xarray

    train, patches, scaled = standardised(problem)

    def labelled(rows: Fields) -> Any:
        places = {"x": np.arange(rows.shape[1]), "time": np.arange(rows.shape[0])}
        return xarray.DataArray(rows.T, places, ("x", "time"))

    begin = time.process_time()
    esn = fields_peers.xesn_network(patches, problem.units, network, DOCUMENTED)
    with dask.config.set(scheduler="synchronous"):
        esn.train(labelled(train), n_spinup=SPIN_UP)
        fit = time.process_time() - begin
        fresh, starts, horizon = origins(problem, unit)
        rows, first = scaled(fresh), int(starts[0])
        given = labelled(rows[first - SPIN_UP : first + 1 + XESN_STEPS])
        begin = time.process_time()
        own = esn.predict(given, n_steps=XESN_STEPS, n_spinup=SPIN_UP)
        own = np.asarray(own.values).T[1:]
        spent = time.process_time() - begin
    weights = fields_peers.readouts_of(esn, patches)
    runs = fields_peers.as_local(esn, patches).runs(weights, rows, starts, horizon, SPIN_UP)
    if not np.allclose(own[:5], runs[0, :5], atol=1e-6):
        raise RuntimeError("the loop of fields_peers.py is not that of xesn")
    truth = np.stack([rows[t + 1 : t + 1 + horizon] for t in starts])
    return {
        "valid": valid_times(truth, runs, 1.0, unit),
        "fit_s": round(fit, 2),
        "step_ms": round(1e3 * spent / XESN_STEPS, 3),
        "dials": DOCUMENTED,
    }


def tuned(problem: Problem, unit: float, network: int) -> dict[str, Any]:
    """The same with the settings of the search, taught and run by the loop of `fields_peers`.

    the inputs of xesn itself do not reach beyond a neighbouring patch.
    """
    return local(
        problem,
        unit,
        lambda patches: fields_peers.as_local(
            fields_peers.xesn_network(patches, problem.units, network, TUNED), patches
        ),
        TUNED,
    )


def pathak(problem: Problem, unit: float, network: int) -> dict[str, Any]:
    """The recipe of Pathak et al., with one readout for all patches."""
    return local(
        problem,
        unit,
        lambda patches: fields_peers.pathak(
            patches, problem.units, network, RECIPE["radius"], RECIPE["inputs"]
        ),
        RECIPE,
    )


def local(
    problem: Problem,
    unit: float,
    build: Callable[[Patches], fields_peers.Local],
    dials: dict[str, float],
) -> dict[str, Any]:
    """Networks of others in the loop of `fields_peers`."""
    train, patches, scaled = standardised(problem)
    begin = time.process_time()
    model = build(patches)
    weights = model.learn(train, SPIN_UP, [dials["ridge"]])[0]
    fit = time.process_time() - begin
    fresh, starts, horizon = origins(problem, unit)
    rows = scaled(fresh)
    begin = time.process_time()
    runs = model.runs(weights, rows, starts, horizon, SPIN_UP)
    spent = time.process_time() - begin
    truth = np.stack([rows[t + 1 : t + 1 + horizon] for t in starts])
    return {
        "valid": valid_times(truth, runs, 1.0, unit),
        "fit_s": round(fit, 2),
        "step_ms": round(1e3 * spent / (len(starts) * (horizon + SPIN_UP)), 3),
        "dials": dials,
    }


def standardised(problem: Problem) -> tuple[Fields, Patches, Callable[[Fields], Fields]]:
    """The training series, its patches, and what standardises any series as this one."""
    train = problem.series(problem.steps, 1)
    middle, deviation = train.mean(), train.std()
    patches = Patches.of(train.shape[1:], 1, problem.patch, problem.halo, problem.periodic)
    return (train - middle) / deviation, patches, lambda rows: (rows - middle) / deviation


SHORT, LONG = "KS, L = 200, 500 steps", "KS, L = 200, 12,500 steps"
METHODS: dict[str, tuple[Callable[..., dict[str, Any]], tuple[str, ...]]] = {
    "spheresn": (ours, tuple(PROBLEMS)),
    "spheresn, a readout each": (separate, (SHORT, LONG)),
    "spheresn, a readout each, Gram matrix": (separate_gram, (SHORT, LONG)),
    "spheresn, Gram matrix": (gram, (SHORT, LONG)),
    "xesn 0.2, as documented": (xesn, (SHORT, LONG)),
    "xesn 0.2, tuned": (tuned, ("KS, L = 60",)),
    "recipe of Pathak et al.": (pathak, ("KS, L = 200",)),
}


def saved() -> dict[str, Any]:
    """What was measured so far."""
    if OUT.is_file():
        return dict(json.loads(OUT.read_text()))
    return {"exponents": {}, "goals": {}, "runs": {}}


def save(found: dict[str, Any]) -> None:
    """Write the results."""
    found["machine"] = described()
    found["goals"] = {name: one.goal for name, one in PROBLEMS.items() if one.goal is not None}
    order = {name: found["runs"][name] for name in PROBLEMS if name in found["runs"]}
    found["runs"] = order
    OUT.write_text(json.dumps(found, indent=1) + "\n")


def system_of(name: str) -> str:
    """Problems on the same field have the same exponent."""
    same = [one for one in PROBLEMS if PROBLEMS[one].make is PROBLEMS[name].make]
    return same[0]


def main() -> None:
    """Measure what is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("problems", nargs="*", default=list(PROBLEMS))
    parser.add_argument("--networks", type=int, default=NETWORKS)
    parser.add_argument("--methods", nargs="*", default=list(METHODS))
    asked = parser.parse_args()
    for name in asked.problems:
        system, problem = system_of(name), PROBLEMS[name]
        found = saved()
        if system not in found["exponents"]:
            found["exponents"][system] = exponent(problem)
            save(found)
        value = found["exponents"][system][0]
        for method in asked.methods:
            measure, known = METHODS[method]
            for network in map(str, range(asked.networks)):
                runs = found["runs"].setdefault(name, {}).setdefault(method, {})
                if name in known and network not in runs:
                    with warnings.catch_warnings(action="ignore"):
                        runs[network] = measure(problem, value * problem.dt, int(network))
                    save(found)
                    shown = {key: one for key, one in runs[network].items() if key != "valid"}
                    middle = np.mean(runs[network]["valid"])
                    print(f"{name}, {method}, {network}: {middle:.2f}, {shown}", flush=True)
            if not runs:
                del found["runs"][name][method]


if __name__ == "__main__":
    main()
