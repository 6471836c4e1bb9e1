"""A file in the current folder that is called like a module is not that module: whatever program is
started, nothing there is executed.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from textwrap import indent

import pytest

from conftest import monthly

# Python itself imports others before a program started by `python -m` can leave the folder out
LATE = {"numpy", "scipy", "pandas", "pickle", "subprocess", "tempfile", "json"}
NAMES = {*sys.stdlib_module_names, "numpy", "scipy", "numba", "pandas", "joblib", "dash", "flask"}


@pytest.fixture
def folder(tmp_path) -> Path:
    """A folder of modules that note when they are executed."""
    place = tmp_path / "hostile"
    place.mkdir()
    for name in NAMES - {"__main__"}:
        witness = f"open({str(tmp_path / 'executed')!r}, 'a').write({name!r} + ' ')"
        (place / f"{name}.py").write_text(f"{witness}\nraise ImportError({name!r})\n")
    return place


def run(folder: Path, *arguments: str) -> str:
    """What Python says in that folder, where it executes nothing."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONSAFEPATH"}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True
    )
    executed = folder.with_name("executed")
    assert not executed.exists(), executed.read_text()
    assert done.returncode == 0, done.stderr
    return done.stdout


PROGRAMS = {
    "worker of the explorer": """
from spheresn_explorer.signals import series_from
from spheresn_explorer.worker import forecast_aside
print(forecast_aside(series_from("a.csv", {table!r}), 2, lambda stage: None)[0].names)
""",
    "workers of the paper": """
from spheresn_paper.runner import LocalPool
pool = LocalPool(2)
print(list(pool.map(abs, [-1, -2])))
pool.close()
""",
    "workers of a search": """
import spheresn as sn
model = sn.ESNForecaster(units=10, n_jobs=2, random_state=0)
print(model.fit(sn.datasets.mackey_glass(300)).forecast(2).shape)
""",
    "workers of a fit": """
import numpy as np
import spheresn as sn
from spheresn.estimators import accumulate
accumulate.GROUPED_ROWS = 100
series = list(sn.datasets.mackey_glass(600).reshape(3, 200, 1))
model = sn.ESNRegressor(units=10, n_jobs=2, random_state=0)
print(len(model.fit(series, series).predict(series)))
""",
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_workers_do_not_execute_what_lies_in_the_current_folder(folder, program):
    if "explorer" in program:
        pytest.importorskip("dash")
    script = folder.with_name("script.py")  # Python searches its folder, as that of a command
    body = indent(PROGRAMS[program].format(table=monthly()), "    ")
    script.write_text(f"if __name__ == '__main__':\n{body}")
    said = run(folder, str(script))
    wanted = ("('sales', 'stock')", "[1, 2]", "(2, 1)", "3")
    assert said.strip() == dict(zip(PROGRAMS, wanted, strict=True))[program]


def test_neither_does_the_command_in_either_form(folder):
    (folder / "sales.csv").write_bytes(monthly())
    arguments = ("forecast", "sales.csv", "--steps", "2")
    assert "sales" in run(folder, "-P", "-m", "spheresn", *arguments)
    for name in NAMES - LATE - {"__main__"}:
        (folder / f"{name}.py").unlink()
    assert "sales" in run(folder, "-m", "spheresn", *arguments)


def test_a_module_of_ones_own_is_found_by_workers(tmp_path):
    """What the parent has on its path stays there, the current folder of a script included."""
    (tmp_path / "mine.py").write_text("def twice(x):\n    return 2 * x\n")
    program = (
        "import sys; sys.path.insert(0, '')\nimport mine\n"
        "from spheresn_paper.runner import LocalPool\n"
        "pool = LocalPool(2); print(list(pool.map(mine.twice, [1, 2]))); pool.close()\n"
    )
    assert run(tmp_path, "-P", "-c", program).strip() == "[2, 4]"
