"""Forecast the systems of the league by every method, and collect what came out.

A unit is one method on one system with some number of training rows and some noise. Its result is
one small file, so a run that was stopped goes on where it was, and methods can be added later. The
noise is added to the training rows and to the rows up to the origin of a free run; forecasts are
judged against the clean rows. A method that raises an exception is missing on that system: its file
says why and holds no number, and the next run tries it again.

Results that are in the collected file already stay there, unless they are measured again.
"""

from __future__ import annotations

import argparse
import json
import re
import time
import warnings
from collections.abc import Callable
from concurrent.futures import as_completed
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from spheresn.io import whole_file
from spheresn.metrics import valid_time
from spheresn_paper.runner.local import LocalPool, WorkerLost

from .summary import judged
from .systems import DATA, LYAPUNOV_TIMES, THRESHOLD, TRAIN, Floats, half

OUT, COLLECTED = Path("build/league/results"), Path(__file__).parents[1] / "league.json"
SEED = 0


@dataclass(frozen=True)
class Unit:
    """What a result is a function of."""

    system: str
    rows: int
    noise: float
    method: str

    @property
    def setting(self) -> str:
        return f"{self.rows} rows, noise {self.noise:g}"

    def file(self, out: Path) -> Path:
        method = "".join(sign if sign.isalnum() else "-" for sign in self.method).strip("-")
        return out / f"{self.rows}-{self.noise:g}" / method / f"{self.system}.json"


def valid_rows(truth: Floats, forecast: Floats) -> int:
    """Rows until a forecast (T, d) has parted from the truth."""
    return round(valid_time(truth, forecast, THRESHOLD))


def lyapunov_times(rows: float, exponent: float, dt: float) -> float:
    """Rows as Lyapunov times, at most as many as free runs are followed for."""
    return min(rows * exponent * dt, LYAPUNOV_TIMES)


def observed(series: Floats, rows: int, noise: float, seed: int) -> tuple[Floats, Floats]:
    """The series from `rows` before the end of the training part on, clean and as it is seen, in
    units of the deviation of what is seen of the training part.
    """
    clean = series[TRAIN - rows :]
    rng = np.random.default_rng([seed, 1])
    seen = clean + noise * clean[:rows].std(axis=0) * rng.standard_normal(clean.shape)
    mean, deviation = seen[:rows].mean(axis=0), seen[:rows].std(axis=0)
    return (clean - mean) / deviation, (seen - mean) / deviation


@cache
def warm(method: Callable[[Floats, int], Any]) -> None:
    """Let a method compile what it compiles, once per process, so that no fit pays for it."""
    angle = 0.3 * np.arange(1500.0)[:, None] * np.array([1.0, np.sqrt(2.0)])
    method(np.sin(angle), SEED).forecast(np.zeros((0, 2)), 10)


def measure(unit: Unit, series: Floats, horizon: int, origins: Floats) -> dict[str, Any]:
    """Valid rows of the free runs from all origins, and seconds of the processor for the fit. A
    busy machine hardly changes them.
    """
    from .methods import METHODS

    clean, seen = observed(series, unit.rows, unit.noise, SEED)
    begin = time.process_time()
    fitted = METHODS[unit.method](seen[: unit.rows].copy(), SEED)
    seconds = time.process_time() - begin
    valid = []
    for origin in origins - TRAIN + unit.rows:
        forecast = fitted.forecast(seen[unit.rows : origin], horizon)
        valid.append(valid_rows(clean[origin : origin + horizon], forecast))
    return {"valid_rows": valid, "fit_seconds": seconds, "error": None}


def perform(unit: Unit, data: Path, out: Path) -> str:
    """Measure a unit with one thread and write its file; one line about it."""
    with np.load(data / f"{unit.system}.npz") as file:
        given = file["series"], int(file["horizon"]), file["origins"]
    begin = time.process_time()

    from .methods import METHODS

    def measured() -> dict[str, Any]:
        warm(METHODS[unit.method])
        return measure(unit, *given)

    found = attempted(measured)
    write(unit.file(out), asdict(unit) | found)
    outcome = found["error"] or f"valid rows {found['valid_rows']}"
    seconds = time.process_time() - begin
    return f"{unit.system}, {unit.setting}, {unit.method}: {outcome}, {seconds:.1f} s"[:300]


def attempted(measure: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What is measured with one thread, or the reason why a method is missing."""
    with (
        threadpool_limits(limits=1),
        np.errstate(all="ignore"),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")  # runs that leave the range are what is measured
        try:
            return measure()
        except Exception as failure:  # missing here: no part of it becomes a number
            reason = f"{type(failure).__name__}: {' '.join(str(failure).split())[:300]}"
            return {"error": reason}


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def write(path: Path, content: Any) -> None:
    with whole_file(path) as draft:
        draft.write_text(json.dumps(content), encoding="utf-8")


def todo(units: list[Any], out: Path) -> list[Any]:
    """Those without a result, and those that failed."""
    return [unit for unit in units if not unit.file(out).exists() or read(unit.file(out))["error"]]


def run(
    units: list[Any],
    data: Path,
    out: Path,
    jobs: int,
    perform: Callable[[Any, Path, Path], str] = perform,
) -> None:
    """Perform what is missing. `units` know the file of their result."""
    left = todo(units, out)
    print(f"{len(units) - len(left)} units are there, {len(left)} to do", flush=True)
    pool = LocalPool(jobs)
    try:
        running = {pool.call(perform, unit, data, out): unit for unit in left}
        for count, future in enumerate(as_completed(running), 1):
            try:
                print(f"{count}/{len(left)} {future.result()}", flush=True)
            except WorkerLost as lost:  # not written: the next run tries it again
                print(f"{count}/{len(left)} {running[future]}: {lost}", flush=True)
    finally:
        pool.close()


def collect(data: Path, out: Path) -> dict[str, Any]:
    """All that was measured: systems, excluded systems, and setting -> method -> system -> runs."""
    systems: dict[str, Any] = {}
    for path in sorted(data.glob("*.npz")):
        with np.load(path) as file:
            systems[path.stem] = {
                "half": str(file["half"]),
                "chaotic": bool(file["chaotic"]),
                "columns": int(file["series"].shape[1]),
                "dt": float(file["dt"]),
                "period": float(file["period"]),
                "lyapunov": float(file["lyapunov"]),
                "lyapunov_error": float(file["lyapunov_error"]),
                "lyapunov_dysts": float(file["lyapunov_dysts"]),
                "horizon": int(file["horizon"]),
                "truth_time": [round(float(one), 2) for one in file["truth_time"]],
            }
    excluded = {
        found["name"]: found["reason"] for found in map(read, sorted(data.glob("*.excluded.json")))
    }
    whole: dict[str, Any] = {
        "threshold": THRESHOLD,
        "cap": LYAPUNOV_TIMES,
        "systems": systems,
        "excluded": excluded,
        "results": {},
    }
    for path in sorted(out.glob("*/*/*.json")):
        found = read(path)
        unit = Unit(found["system"], found["rows"], found["noise"], found["method"])
        if unit.system in systems:
            methods = whole["results"].setdefault(unit.setting, {})
            methods.setdefault(unit.method, {})[unit.system] = entry(whole, found)
    return whole


def entry(whole: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    """A unit in Lyapunov times, their median, and the median as a share of what can be judged; of
    one that failed the reason alone.
    """
    if found["error"] is not None:
        return {"error": found["error"]}
    one = whole["systems"][found["system"]]
    valid = [lyapunov_times(rows, one["lyapunov"], one["dt"]) for rows in found["valid_rows"]]
    shares = [v / j for v, j in zip(valid, judged(whole, found["system"]), strict=True)]
    return {
        "valid": [round(value, 3) for value in valid],
        "median": round(median(valid), 3),
        "share": round(min(median(shares), 1.0), 4),
        "fit": float(f"{found['fit_seconds']:.3g}"),
        "error": None,
    }


def merged(former: dict[str, Any], fresh: dict[str, Any]) -> dict[str, Any]:
    """All that was measured now, and of the former results what was not; stops where these are on
    another series than the one that is there now.
    """
    systems = {
        name: one
        for name, one in sorted((former["systems"] | fresh["systems"]).items())
        if name not in fresh["excluded"]
    }
    excluded = {
        name: reason
        for name, reason in sorted((former["excluded"] | fresh["excluded"]).items())
        if name not in systems
    }
    results: dict[str, Any] = {}
    for setting in sorted(former["results"] | fresh["results"]):
        old, new = (one["results"].get(setting, {}) for one in (former, fresh))
        for method in sorted(old | new):
            kept = {
                name: one
                for name, one in old.get(method, {}).items()
                if name in systems and name not in new.get(method, {})
            }
            moved = [name for name in kept if _moved(former["systems"][name], systems[name])]
            if moved:
                raise SystemExit(
                    f"the results of {method}, {setting}, are on other series of "
                    f"{', '.join(moved)}; measure these again, or collect in another file"
                )
            rows = sorted((kept | new.get(method, {})).items())
            results.setdefault(setting, {})[method] = dict(rows)
    return {**fresh, "systems": systems, "excluded": excluded, "results": results}


def _moved(before: dict[str, Any], now: dict[str, Any]) -> bool:
    """Whether this is another series: the ground truth times follow from every digit of it."""
    return any(before[key] != now[key] for key in now if key != "lyapunov_error")


def save(found: dict[str, Any], path: Path) -> None:
    """One line per system and method, so that a change can be read."""
    text = json.dumps(found, indent=1, ensure_ascii=False)
    with whole_file(path) as draft:
        draft.write_text(_short_lists(text) + "\n", encoding="utf-8")


def _short_lists(text: str) -> str:
    text = re.sub(r"\[\s+([^\[\]{}]*?)\s+\]", lambda m: "[" + " ".join(m[1].split()) + "]", text)
    return re.sub(r"\{\s+([^{}]*?)\s+\}", lambda m: "{" + " ".join(m[1].split()) + "}", text)


def arguments() -> argparse.Namespace:
    from .methods import METHODS, available

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[5000, 1000])
    parser.add_argument("--noise", type=float, nargs="+", default=[0.0, 0.01, 0.1])
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), default=available())
    parser.add_argument("--systems", nargs="+")
    parser.add_argument("--half", choices=["development", "report"])
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--collect", type=Path, default=COLLECTED, help="the file of all results")
    return parser.parse_args()


def main() -> None:
    asked = arguments()
    there = [path.stem for path in sorted(asked.data.glob("*.npz"))]
    wanted = [
        name for name in asked.systems or there if asked.half is None or half(name) == asked.half
    ]
    if absent := set(wanted) - set(there):
        raise SystemExit(f"no series of {', '.join(sorted(absent))} in {asked.data}")
    units = [
        Unit(system, rows, noise, method)
        for rows in asked.rows
        for noise in asked.noise
        for method in asked.methods
        for system in wanted
    ]
    run(units, asked.data, asked.out, asked.jobs)
    found = collect(asked.data, asked.out)
    save(merged(read(asked.collect), found) if asked.collect.exists() else found, asked.collect)


if __name__ == "__main__":
    main()
