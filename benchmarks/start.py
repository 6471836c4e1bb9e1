"""Row 12: what it costs to begin: importing, compiling for the first time, starting with compiled code on disk."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence

from race import OURS, PEER, REFERENCE, Case, Effort, case, line, within

TITLE = "Beginning: import, first compilation, start with a warm cache"
NOTE = """Every value is a fresh process; the seconds are those of the import statement, or of the first fit, without the interpreter's own
start. scikit-learn is imported as somebody who wants a linear model does, `from sklearn.linear_model import Ridge`, and spheresn as
somebody who wants a network does; `import spheresn` alone imports next to nothing. Help is the processor time of `spheresn --help` from
the start of the interpreter to its end. The first fit is that
of ESNRegressor(100) to 600 rows, everything automatic, with an empty cache of compiled code, then with the cache that this left behind."""
THREADS = (1,)
IMPORTS = {
    "import spheresn": (OURS, "from spheresn import ESNRegressor"),
    "scikit-learn": (REFERENCE, "from sklearn.linear_model import Ridge"),
    "reservoirpy": (PEER, "import reservoirpy.nodes"),
    "rclib": (PEER, "import rclib"),
    "echoes": (PEER, "import echoes"),
}
FIT = """
import numpy as np, spheresn as sn, spheresn.estimators
u = np.random.default_rng(0).uniform(-1, 1, (600, 1))
begin = time.perf_counter()
sn.ESNRegressor(100, random_state=0).fit(u, u[:, 0])
"""


def measure(effort: Effort) -> Iterator[Case]:
    """Imports in turns, then the first fit."""
    rounds = 2 if effort.quick else effort.rounds
    yield case("import", _imports(rounds), [within("import spheresn", 1.5, "scikit-learn")])
    yield case("help, processor time", _help(rounds), [within("spheresn --help", 0.4, None)])
    yield case("first fit", _first_fits(2 if effort.quick else 3))


def _imports(rounds: int) -> list[dict[str, object]]:
    found: dict[str, list[float]] = {name: [] for name in IMPORTS}
    failed: dict[str, str] = {}
    for number in range(rounds + 1):  # the first round fills the cache of files
        for name, (_, statement) in IMPORTS.items():
            try:
                value = (
                    0.0 if name in failed else _seconds(f"begin = time.perf_counter()\n{statement}")
                )
            except RuntimeError as error:
                failed[name] = str(error)
                continue
            found[name] += [value] if number and name not in failed else []
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


def _processor(arguments: Sequence[str]) -> float:
    """Seconds of the processor that a new interpreter takes from its start to its end."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _first_fits(rounds: int) -> list[dict[str, object]]:
    empty, warm = [], []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as cache:
            empty.append(_seconds(FIT, NUMBA_CACHE_DIR=cache))
            warm.append(_seconds(FIT, NUMBA_CACHE_DIR=cache))
    return [
        line("empty cache", OURS, empty, "compiles the loops that the fit needs"),
        line("warm cache", OURS, warm, "loads them"),
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
