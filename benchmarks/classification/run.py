"""Measure all methods on all problems: `python -m classification.run`. It goes on where it was
stopped; build/classification/results has one file per problem, method and seed.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from spheresn.io import whole_file

from .methods import METHODS, available
from .problems import PACKAGES, Problem, half, load
from .problems import available as problems

ROOT = Path(__file__).parents[2]
OUT = ROOT / "build" / "classification-results"
COLLECTED = Path(__file__).parents[1] / "classification.json"
SLOW = ("MultiRocket", "1-NN DTW", "reservoir-computing")  # one seed is enough for these
PEERS = ("aeon", "reservoir-computing", "sktime", "tslearn", "pyts", "spheresn")
WARM = Problem(
    "warm",
    [np.sin(np.arange(60.0) * (1 + i % 2))[:, None] for i in range(12)],
    np.array(["a", "b"] * 6),
    [np.sin(np.arange(60.0))[:, None]] * 3,
    np.array(["a"] * 3),
)

# Two channels: some methods compile another loop for these
TWO = Problem(
    "two",
    [np.hstack([rows, -rows]) for rows in WARM.train],
    WARM.train_labels,
    [np.hstack([rows, -rows]) for rows in WARM.test],
    WARM.test_labels,
)


def measure(problem: Problem, method: str, seed: int) -> dict[str, Any]:
    """Accuracy and seconds of processor time of one method, with one thread, or what stopped it and
    no number.

    A busy machine hardly changes the processor time.
    """
    found = {"problem": problem.name, "method": method, "seed": seed, "error": None}
    try:
        fit, predict = METHODS[method][1](problem, seed)
        start = time.process_time()
        fitted = fit()
        middle = time.process_time()
        predicted = np.asarray(predict(fitted)).astype(str)
        end = time.process_time()
    except Exception as error:  # it is missing on this problem
        reason, _, _ = str(error).partition("\n")
        return found | {"error": f"{type(error).__name__}: {reason[:200]}"}
    return {
        **found,
        "accuracy": float((predicted == problem.test_labels).mean()),
        "fit": middle - start,
        "predict": end - middle,
    }


def place(out: Path, name: str, method: str, seed: int) -> Path:
    return out / name / f"{method}-{seed}.json"


def done(path: Path) -> bool:
    """Whether there is a result; what failed is tried again."""
    return path.exists() and json.loads(path.read_text(encoding="utf-8"))["error"] is None


def run(names: list[str], methods: list[str], seeds: int, out: Path) -> None:
    """Measure what is missing; a method is warmed up first, so that compiling is not counted."""
    for method in methods:
        missing = [
            (name, seed)
            for name in names
            for seed in range(1 if method in SLOW else seeds)
            if not done(place(out, name, method, seed))
        ]
        if missing:
            for warm in (WARM, TWO):
                measure(warm, method, 0)
        for name, seed in missing:
            found = measure(load(name), method, seed)
            path = place(out, name, method, seed)
            path.parent.mkdir(parents=True, exist_ok=True)
            with whole_file(path) as draft:
                draft.write_text(json.dumps(found), encoding="utf-8")
            print(f"{name}, {method}, seed {seed}: {outcome_text(found)}", flush=True)


def outcome_text(found: dict[str, Any]) -> str:
    """A result in a few words."""
    if found["error"] is not None:
        return f"missing, {found['error']}"
    return f"{found['accuracy']:.3f}, {found['fit'] + found['predict']:.2f} s"


def collect(out: Path) -> dict[str, Any]:
    """All that was measured: problems, versions, and method -> problem -> means over the seeds."""
    whole: dict[str, Any] = {"packages": _versions(), "problems": {}, "results": {}}
    for name in problems():
        problem = load(name)
        lengths = sorted(len(rows) for rows in problem.train + problem.test)
        whole["problems"][name] = {
            "half": half(name),
            "from": PACKAGES[name],
            "train": len(problem.train),
            "test": len(problem.test),
            "channels": int(problem.train[0].shape[1]),
            "shortest": lengths[0],
            "longest": lengths[-1],
            "classes": len(np.unique(problem.train_labels)),
        }
    for path in sorted(out.glob("*/*.json")):
        found = json.loads(path.read_text(encoding="utf-8"))
        rows = whole["results"].setdefault(found["method"], {})
        rows.setdefault(found["problem"], []).append(found)
    # A method that was not tried on all problems cannot be compared yet
    whole["results"] = {
        method: {name: _entry(runs) for name, runs in rows.items()}
        for method, rows in whole["results"].items()
        if set(rows) == set(whole["problems"])
    }
    return whole


def _entry(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """Means over the seeds; the reason alone where one of them failed."""
    errors = [one["error"] for one in runs if one["error"] is not None]
    if errors:
        return {"error": errors[0]}
    return {
        "accuracy": round(float(np.mean([one["accuracy"] for one in runs])), 4),
        "each": [round(one["accuracy"], 4) for one in runs],
        "seconds": round(float(np.median([one["fit"] + one["predict"] for one in runs])), 3),
        "error": None,
    }


def _versions() -> dict[str, str]:
    found = {}
    for name in (*PEERS, "numpy", "numba", "scikit-learn"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problems", nargs="+", choices=problems(), default=problems())
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), default=available())
    parser.add_argument("--half", choices=["development", "report"])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--collect", type=Path, default=COLLECTED)
    asked = parser.parse_args()
    names = [name for name in asked.problems if asked.half in (None, half(name))]
    with threadpool_limits(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run(names, asked.methods, asked.seeds, asked.out)
    found = collect(asked.out)
    missing = sorted(set(METHODS) - set(found["results"]))
    if missing:
        print(f"{asked.collect.name} stays as it is: not all is measured of {', '.join(missing)}")
        return
    with whole_file(asked.collect) as draft:
        draft.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
