"""Let every method run free for long, and collect what came out.

A unit is one method on one system under one condition: which columns are seen (all, or the
first), how much noise, which network. As in the league its result is one small file, a run that was
stopped goes on where it was, and a method that raises an exception is missing there. Training rows
and those up to an origin are noisy; what comes out is compared with clean rows.

Two long runs, from the end of the training rows and from 4,000 rows later, are compared with the
reference as climates. Forecasts from twenty origins have a valid time, in periods. Of our own
forecaster the largest exponent is measured too.
"""

from __future__ import annotations

import argparse
import hashlib
import time
from dataclasses import asdict, dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from league.run import attempted, read, run, save, warm, write
from league.systems import PER_PERIOD, THRESHOLD, TRAIN, Floats, half

from spheresn.analysis import Climatology, max_lyapunov

from .systems import DATA, FORECAST

OUT, COLLECTED = Path("build/climate/results"), Path(__file__).parents[1] / "climate.json"
COLUMNS, NOISE = ("all", "first"), (0.0, 0.01, 0.05)
LONG, LATER = 8000, 4000  # steps of a long run; rows after which the second one begins
ORIGINS, APART, HORIZON = 20, 250, 3000  # of forecasts, and their steps: 100 periods
SEEDS = 3
EXPONENT_STEPS, TRANSIENT = 8000, 500
# Our own forecaster without the stage of the search that lets runs go on for long; and as 0.2 had
# it, which trusts the rows as well
VARIANTS: dict[str, dict[str, Any]] = {
    "spheresn, short runs": {"long_runs": False},
    "spheresn as 0.2": {"long_runs": False, "observation_noise": 0},
}
METHODS = ("spheresn", *VARIANTS, "reservoirpy bias", "NG-RC quadratic", "ResDAG")
ONE_NETWORK = ("NG-RC quadratic",)  # nothing in them is drawn


@dataclass(frozen=True)
class Unit:
    """What a result is a function of."""

    system: str
    columns: str
    noise: float
    seed: int
    method: str

    @property
    def setting(self) -> str:
        return f"{self.columns}, noise {self.noise:g}"

    def file(self, out: Path) -> Path:
        method = "".join(sign if sign.isalnum() else "-" for sign in self.method).strip("-")
        setting = f"{self.columns}-{self.noise:g}"
        return out / setting / method / f"{self.system}-{self.seed}.json"


def observed(unit: Unit, series: Floats) -> tuple[Floats, Floats]:
    """The rows clean and as they are seen, in units of the deviation of what is seen in training.
    The draw of the noise is the same for every level, and for one column as for all.
    """
    name = int.from_bytes(hashlib.sha256(unit.system.encode()).digest()[:4], "big")
    drawn = np.random.default_rng([unit.seed, 1, name]).standard_normal(series.shape)
    columns = slice(None) if unit.columns == "all" else slice(0, 1)
    clean, drawn = series[:, columns], drawn[:, columns]
    seen = clean + unit.noise * clean[:TRAIN].std(axis=0) * drawn
    mean, deviation = seen[:TRAIN].mean(axis=0), seen[:TRAIN].std(axis=0)
    return (clean - mean) / deviation, (seen - mean) / deviation


def distances(reference: Climatology, run: Floats) -> list[float]:
    """Of histograms and of spectra, of the column where they are largest; 1 of a run that is not
    finite.
    """
    if not np.isfinite(run).all():
        return [1.0, 1.0]
    found = reference.compare(run)
    return [float(part.values.max()) for part in (found.marginal, found.spectrum)]


def valid_rows(truth: Floats, forecast: Floats) -> int:
    """Rows until a forecast (T, d) has parted from the truth, in deviations of the rows."""
    errors = np.sqrt(((forecast - truth) ** 2).mean(axis=1))
    parted = ~(errors <= THRESHOLD)  # true for NaN
    return int(parted.argmax()) if parted.any() else len(forecast)


@cache
def variant(name: str) -> Any:
    """Our forecaster with other options, made as a method of the league is."""
    from league.methods import Ours

    return lambda train, seed: Ours(train, seed, **VARIANTS[name])


def method(name: str) -> Any:
    """What fits a method."""
    from league.methods import METHODS

    return variant(name) if name in VARIANTS else METHODS[name]


def measure(unit: Unit, series: Floats) -> dict[str, Any]:
    """What a unit's file holds besides its name."""
    clean, seen = observed(unit, series)
    begin = time.process_time()
    fitted: Any = method(unit.method)(seen[:TRAIN].copy(), unit.seed)
    seconds = time.process_time() - begin
    reference = Climatology.of(clean[TRAIN + FORECAST :])
    truth = distances(reference, clean[TRAIN : TRAIN + FORECAST])
    model = getattr(fitted, "forecaster", None)
    exponent = None
    if model is not None:
        found = max_lyapunov(model, TRANSIENT + EXPONENT_STEPS, TRANSIENT, dt=1.0 / PER_PERIOD)
        exponent = [found.exponent, found.standard_error]
    verdict = getattr(getattr(model, "climate_", None), "verdict", None)
    valid, runs = [], []
    for place in range(ORIGINS):
        origin = TRAIN + APART * place
        long = APART * place in (0, LATER)
        forecast = fitted.forecast(seen[TRAIN:origin], LONG if long else HORIZON)
        valid.append(valid_rows(clean[origin : origin + HORIZON], forecast[:HORIZON]))
        if long:
            runs.append(distances(reference, forecast))
    return {
        "valid_rows": valid,
        "runs": runs,
        "truth": truth,
        "exponent": exponent,
        "verdict": verdict,
        "fit_seconds": seconds,
        "error": None,
    }


@cache
def series_of(path: Path) -> Floats:
    with np.load(path) as file:
        return np.asarray(file["series"])


def perform(unit: Unit, data: Path, out: Path) -> str:
    """Measure a unit and write its file; one line about it."""
    begin = time.process_time()

    def measured() -> dict[str, Any]:
        warm(method(unit.method))
        return measure(unit, series_of(data / f"{unit.system}.npz"))

    found = attempted(measured)
    write(unit.file(out), asdict(unit) | found)
    outcome = found["error"]
    if outcome is None:
        worst = np.max(found["runs"], axis=0).round(3).tolist()
        periods = np.mean(found["valid_rows"]) / PER_PERIOD
        outcome = f"valid {periods:.1f} periods, distances {worst} (truth {found['truth']})"
    seconds = time.process_time() - begin
    name = f"{unit.system}, {unit.setting}, seed {unit.seed}, {unit.method}"
    return f"{name}: {outcome}, {seconds:.1f} s"[:300]


def collect(data: Path, out: Path) -> dict[str, Any]:
    """All that was measured: systems, and setting -> method -> "system, seed" -> unit."""
    systems: dict[str, Any] = {}
    for path in sorted(data.glob("*.npz")):
        with np.load(path) as file:
            systems[path.stem] = {
                "half": str(file["half"]),
                "columns": int(file["series"].shape[1]),
                "exponent": float(file["exponent"]),
                "exponent_error": float(file["error"]),
            }
    results: dict[str, Any] = {}
    for path in sorted(out.glob("*/*/*.json")):
        found = read(path)
        unit = Unit(*(found[field.name] for field in fields(Unit)))
        if unit.system in systems:
            methods = results.setdefault(unit.setting, {}).setdefault(unit.method, {})
            methods[f"{unit.system}, {unit.seed}"] = entry(found)
    return {"threshold": THRESHOLD, "systems": systems, "results": results}


def entry(found: dict[str, Any]) -> dict[str, Any]:
    """What is kept of a unit; of one that failed the reason alone."""
    if found["error"] is not None:
        return {"error": found["error"]}
    exponent = found["exponent"]
    return {
        "valid": [round(rows / PER_PERIOD, 2) for rows in found["valid_rows"]],
        "runs": [[round(one, 3) for one in run] for run in found["runs"]],
        "truth": [round(one, 3) for one in found["truth"]],
        "exponent": None if exponent is None else [round(one, 4) for one in exponent],
        "verdict": found.get("verdict"),
        "fit": float(f"{found['fit_seconds']:.3g}"),
        "error": None,
    }


def joined(former: dict[str, Any], fresh: dict[str, Any]) -> dict[str, Any]:
    """All that was measured now, and of the former results what was not."""
    results: dict[str, Any] = {}
    for setting in sorted(former["results"] | fresh["results"]):
        old, new = (one["results"].get(setting, {}) for one in (former, fresh))
        results[setting] = {
            method: dict(sorted((old.get(method, {}) | new.get(method, {})).items()))
            for method in sorted(old | new)
        }
    systems = dict(sorted((former["systems"] | fresh["systems"]).items()))
    return {**fresh, "systems": systems, "results": results}


def arguments() -> argparse.Namespace:
    from league.methods import available

    there = [name for name in METHODS if name in VARIANTS or name in available()]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--columns", nargs="+", choices=COLUMNS, default=list(COLUMNS))
    parser.add_argument("--noise", type=float, nargs="+", default=list(NOISE))
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=there)
    parser.add_argument("--systems", nargs="+")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="networks")
    parser.add_argument("--half", choices=["development", "report"])
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--collect", type=Path, default=COLLECTED, help="the file of all results")
    return parser.parse_args()


def units(asked: argparse.Namespace, systems: list[str]) -> list[Unit]:
    """The first network of all methods first."""
    return [
        Unit(system, columns, noise, seed, method)
        for seed in range(asked.seeds)
        for method in asked.methods
        for columns in asked.columns
        for noise in asked.noise
        for system in systems
        if not seed or method not in ONE_NETWORK
    ]


def main() -> None:
    asked = arguments()
    there = [path.stem for path in sorted(asked.data.glob("*.npz"))]
    wanted = [
        name for name in asked.systems or there if asked.half is None or half(name) == asked.half
    ]
    if absent := set(wanted) - set(there):
        raise SystemExit(f"no series of {', '.join(sorted(absent))} in {asked.data}")
    run(units(asked, wanted), asked.data, asked.out, asked.jobs, perform)
    found = collect(asked.data, asked.out)
    save(joined(read(asked.collect), found) if asked.collect.exists() else found, asked.collect)


if __name__ == "__main__":
    main()
