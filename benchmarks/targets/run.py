"""The errors of all methods on all tasks, one file per task, method and seed.

    python -m targets.run                      # what is missing, both halves
    python -m targets.run --half report --seeds 1 --methods spheresn

A second run leaves what is there alone, so a run can be stopped at any time. Everything that was
measured is joined in benchmarks/targets.json at the end.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from spheresn.io import whole_file

from .methods import METHODS, UNITS
from .real import PLACE, download
from .tasks import TASKS, TEST, TRAIN, Task

RESULTS = PLACE / "results"
JOINED = Path(__file__).parents[1] / "targets.json"
SEEDS = 3


def error(task: Task, method: str, seed: int) -> dict[str, Any]:
    """The root mean square error on the test rows, in their deviations, and seconds."""
    (inputs, targets), (later, wanted) = task.parts(seed)
    began = time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            outputs = METHODS[method](inputs, targets, later, seed)
    except Exception as failure:  # it is missing on this task, and nothing stands in for it
        reason, _, _ = str(failure).partition("\n")
        return {"error": None, "reason": f"{type(failure).__name__}: {reason[:200]}"}
    value = float(np.sqrt(np.square(wanted - outputs).mean() / wanted.var()))
    return {"error": value, "seconds": time.process_time() - began}


def file_of(task: Task, method: str, seed: int) -> Path:
    """Where one result is kept."""
    safe = "".join(letter if letter.isalnum() else "-" for letter in task.name)
    return RESULTS / method.replace(",", "").replace(" ", "-") / f"{safe}-{seed}.json"


def joined() -> dict[str, Any]:
    """All results that are there."""
    tasks = {}
    for task in TASKS:
        methods = {
            method: {
                str(seed): json.loads(file_of(task, method, seed).read_text())
                for seed in range(SEEDS)
                if file_of(task, method, seed).exists()
            }
            for method in METHODS
        }
        tasks[task.name] = {"half": task.half, "methods": methods}
    return {"units": UNITS, "train": TRAIN, "test": TEST, "tasks": tasks}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=["development", "report"])
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), default=list(METHODS))
    parser.add_argument("--seeds", type=int, default=SEEDS)
    asked = parser.parse_args()
    download()
    with threadpool_limits(1):
        for seed in range(asked.seeds):
            for task in TASKS:
                if asked.half in (None, task.half):
                    for method in asked.methods:
                        _measure(task, method, seed)
    with whole_file(JOINED) as draft:
        draft.write_text(json.dumps(joined(), indent=1, ensure_ascii=False) + "\n")


def _measure(task: Task, method: str, seed: int) -> None:
    file = file_of(task, method, seed)
    if file.exists():
        return
    found = error(task, method, seed)
    file.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(file) as draft:
        draft.write_text(json.dumps(found))
    outcome = found.get("reason") or f"{found['error']:.5f} {found['seconds']:7.2f} s"
    print(f"{seed} {task.name:28.28} {method:26} {outcome}", flush=True)


if __name__ == "__main__":
    main()
