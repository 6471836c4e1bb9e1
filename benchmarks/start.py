"""Row 12: what it costs to begin: importing, compiling for the first time, starting with compiled
code on disk.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from race import OURS, PEER, REFERENCE, Case, Effort, case, line, within

TITLE = "Beginning: import, first compilation, start with a warm cache"
NOTE = """Every value is a fresh process; the seconds are those of the import statement, or of the
first fit, without the interpreter's own start. scikit-learn is imported as somebody who wants a
linear model does, `from sklearn.linear_model import Ridge`, and spheresn as somebody who wants a
network does; `import spheresn` alone imports next to nothing. Help is the processor time of
`spheresn --help` from the start of the interpreter to its end, and so is that of
`spheresn forecast` of 500 days, with compiled code on disk. The first fits are whole, with
everything automatic: of ESNForecaster to 1,000 rows of one column and 5,000 of three, of
ESNRegressor to 1,000 rows. First with an empty cache of compiled code, then in a second process
with the cache that this left behind, then once more in one process: the difference is compiling and
loading. They include importing numba. What is missed: of a forecast of 500 days about two thirds
are imports (scikit-learn with scipy.stats, pandas, numba, matplotlib); compiling the loops of a
forecaster takes 3.5 s, and the search of 5,000 rows of three columns alone takes longer than the
target."""
THREADS = (1,)
IMPORTS = {
    "import spheresn": (OURS, "from spheresn import ESNRegressor"),
    "scikit-learn": (REFERENCE, "from sklearn.linear_model import Ridge"),
    "reservoirpy": (PEER, "import reservoirpy.nodes"),
    "rclib": (PEER, "import rclib"),
    "echoes": (PEER, "import echoes"),
}
FITS = {
    "ESNForecaster, 1000 x 1": (
        "sn.datasets.lorenz(1000)[:, :1]",
        "sn.ESNForecaster(random_state=0).fit(x)",
    ),
    "ESNForecaster, 5000 x 3": (
        "sn.datasets.lorenz(5000)",
        "sn.ESNForecaster(random_state=0).fit(x)",
    ),
    "ESNRegressor, 1000 x 1": (
        "np.random.default_rng(0).uniform(-1, 1, (1000, 1))",
        "sn.ESNRegressor(random_state=0).fit(x, x[:, 0])",
    ),
}
IMPORTED = "import numpy as np, spheresn as sn, spheresn.estimators\nx = {data}"
FIRST = IMPORTED + "\nbegin = time.perf_counter()\n{fit}"
AGAIN = IMPORTED + "\n{fit}\nbegin = time.perf_counter()\n{fit}"


def measure(effort: Effort) -> Iterator[Case]:
    """Imports in turns, then the first fit."""
    rounds = 2 if effort.quick else effort.rounds
    yield case("import", _imports(rounds), [within("import spheresn", 1.2, "scikit-learn")])
    yield case("help, processor time", _help(rounds), [within("spheresn --help", 0.4, None)])
    yield case(
        "forecast of a table, processor time",
        _forecast(rounds),
        [within("500 days", 3.0, None)],
    )
    for name, (data, fit) in FITS.items():
        fits = _first_fits(data, fit, 1 if effort.quick else 3)
        yield case(f"first fit, {name}", fits, [within("empty cache", 5.0, None)])


def _imports(rounds: int) -> list[dict[str, object]]:
    found: dict[str, list[float]] = {name: [] for name in IMPORTS}
    failed: dict[str, str] = {}
    for number in range(rounds + 1):  # the first round fills the cache of files
        for name, (kind, statement) in IMPORTS.items():
            if name in failed:
                continue
            try:
                value = _seconds(f"begin = time.perf_counter()\n{statement}")
            except RuntimeError as error:
                if kind != PEER:
                    raise
                failed[name], found[name] = str(error), []
                continue
            found[name] += [value] if number else []
    return [
        line(name, kind, found[name], f"`{code}`", failed.get(name, ""))
        for name, (kind, code) in IMPORTS.items()
    ]


def _help(rounds: int) -> list[dict[str, object]]:
    commands = {"spheresn --help": ["-m", "spheresn", "--help"], "Python alone": ["-c", "pass"]}
    found = {
        name: [_processor(command) for _ in range(rounds + 1)][1:]
        for name, command in commands.items()
    }
    return [
        line(name, OURS if "spheresn" in name else REFERENCE, values)
        for name, values in found.items()
    ]


def _forecast(rounds: int) -> list[dict[str, object]]:
    """A week's season on a random walk, from the start to the page."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "days.csv"
        days = np.datetime64("2015-01-01") + np.arange(500)
        level = np.cumsum(np.random.default_rng(0).standard_normal(500))
        values = 50.0 + level + 10.0 * np.sin(2.0 * np.pi * np.arange(500) / 7.0)
        rows = [f"{day},{value}" for day, value in zip(days, values, strict=True)]
        data.write_text("\n".join(["date,load", *rows]))
        command = ["-m", "spheresn", "forecast", str(data), "--out", str(Path(folder) / "out")]
        seconds = [_processor(command) for _ in range(rounds + 1)][1:]
    return [line("500 days", OURS, seconds, "reads, judges, forecasts, draws, writes the page")]


def _processor(arguments: Sequence[str]) -> float:
    """Seconds of the processor that a new interpreter takes from its start to its end."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _first_fits(data: str, fit: str, rounds: int) -> list[dict[str, object]]:
    first, again = (code.format(data=data, fit=fit) for code in (FIRST, AGAIN))
    empty, warm, steady = [], [], []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as cache:
            empty.append(_seconds(first, NUMBA_CACHE_DIR=cache))
            warm.append(_seconds(first, NUMBA_CACHE_DIR=cache))
            steady.append(_seconds(again, NUMBA_CACHE_DIR=cache))
    return [
        line("empty cache", OURS, empty, "compiles the loops that the fit needs"),
        line("warm cache", OURS, warm, "loads them"),
        line("second fit", OURS, steady, "has them in memory"),
    ]


def _seconds(code: str, **environment: str) -> float:
    """From `begin`, which the code sets, to its end."""
    script: Sequence[str] = [
        sys.executable,
        "-c",
        f"import time\n{code}\nprint(time.perf_counter() - begin)",
    ]
    done = subprocess.run(script, capture_output=True, text=True, env=os.environ | environment)
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
        raise RuntimeError(last[0])
    return float(done.stdout.split()[-1])
