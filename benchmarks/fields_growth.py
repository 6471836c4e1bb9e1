"""How time and memory of a fit of a field grow with cells, times and units.

The field is white noise in a memory map: neither time nor memory depends on what it holds. Each fit
has a process of its own, with one thread, one readout for all patches of eight cells, and nothing
to search. `python benchmarks/fields_growth.py` writes to benchmarks/fields_growth.json.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from machine import described

import spheresn as sn

OUT = Path(__file__).parent / "fields_growth.json"
BASE = {"cells": 512, "times": 1000, "units": 500}
SIZES = {
    "cells": (256, 512, 1024, 2048),
    "times": (1000, 4000, 16_000),
    "units": (250, 500, 1000),
}


def measure(cells: int, times: int, units: int) -> dict[str, float]:
    """One fit and 100 steps of forecast; the memory beyond that of a first small fit."""
    options: dict[str, Any] = {
        "memory": 0.5,
        "bend": 1.0,
        "bias_ratio": 24.0,
        "noise": 1e-4,
        "target": "steps",
    }
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    sn.ESNFieldForecaster(20, 8, 8, **options).fit(rng.standard_normal((60, 64))).forecast(2)
    with tempfile.NamedTemporaryFile(suffix=".npy") as file:
        field = np.lib.format.open_memmap(file.name, "w+", float, (times, cells))
        for first in range(0, times, 100):
            field[first : first + 100] = rng.standard_normal((100, cells))
        field.flush()
        del field
        before = _peak()
        begin = time.process_time()
        mapped = np.load(file.name, mmap_mode="r")
        model = sn.ESNFieldForecaster(units, 8, 8, random_state=0, **options).fit(mapped)
        fit = time.process_time() - begin
        begin = time.process_time()
        model.forecast(100)
        step = 10.0 * (time.process_time() - begin)
    return {
        "fit_s": round(fit, 3),
        "step_ms": round(step, 4),
        "peak_mb": round(_peak() - before, 1),
        "file_mb": round(8e-6 * times * cells, 1),
    }


def _peak() -> float:
    """The largest resident memory so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Measure every size in a process of its own."""
    if len(sys.argv) > 1:
        print(json.dumps(measure(*(int(one) for one in sys.argv[1:4]))))
        return
    found: dict[str, Any] = {"base": BASE, "growth": {}, "machine": described()}
    for axis, sizes in SIZES.items():
        for size in sizes:
            asked = {**BASE, axis: size}
            command = [sys.executable, __file__, *(str(one) for one in asked.values())]
            printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            found["growth"].setdefault(axis, {})[str(size)] = json.loads(printed)
            print(axis, size, printed.strip(), flush=True)
    OUT.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
