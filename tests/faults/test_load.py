"""Load: each job needs the memory that docs/scaling.md predicts; times are only printed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parent
# Beyond the formulas: pools of the allocator and buffers of linear algebra, which grow in steps of
# some MB, and code loaded late (drawing).
SLACK = 64e6
LOADS = {
    "million_rows": "a regressor of 500 units streams a million rows",
    "million_rows_taken": "a forecaster of 500 units takes in and predicts a million rows",
    "many_units": "5,000 units on 6,000 rows",
    "many_series": "10,000 ragged series of 10 to 90 rows, 500 units",
    "many_labels": "10,000 ragged series classified, 500 units",
    "many_targets": "1,000 targets, 500 units, 20,000 rows",
    "table_fit": "`fit` on a file of a million rows",
    "table_predict": "`predict` on a file of a million rows",
    "table_forecast": "`forecast` on a file of a million rows",
    "resumed": "resuming a run of 100,000 units that are all done",
}


def run(name: str, folder: Path) -> dict[str, Any]:
    path = os.pathsep.join([str(FOLDER.parent), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, str(FOLDER / "loads.py"), name, str(folder)]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-1500:]
    return dict(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")
@pytest.mark.parametrize("name", LOADS)
def test_a_load_needs_the_memory_predicted(attack, tmp_path, name):
    """Load"""
    attack.name = f"Load: {LOADS[name]}"
    with attack.attempt(name):
        found = run(name, tmp_path)
        sizes = f"{found['grew'] / 1e6:.0f} MB of {found['predicted'] / 1e6:.0f} predicted"
        least = (
            f", at least {found['least_core_seconds']:.1f} predicted"
            if found["least_core_seconds"]
            else ""
        )
        attack.note = f"{sizes}; {found['core_seconds']:.0f} s of a core{least}"
        assert found["grew"] <= found["predicted"] + SLACK, sizes
