"""ESNForecaster of version 0.2.0, in a process of its own that imports that version's sources.

They are exported from the repository to build/noise/0.2.0, once. One process serves all fits of
ours, so that its loops are loaded once.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

from league.methods import UNITS
from league.systems import Floats

COMMIT = "18d1b69"  # the last one of 0.2.0: what came next stands under 0.3.0 in the changelog
PLACE = Path("build/noise/0.2.0")
SERVER = f"""
import pickle, sys, time, warnings
import numpy as np
from threadpoolctl import threadpool_limits
import spheresn as sn
warnings.simplefilter("ignore")
np.seterr(all="ignore")
answers, sys.stdout = sys.stdout.buffer, sys.stderr
with threadpool_limits(limits=1):
    while True:
        try:
            what, *given = pickle.load(sys.stdin.buffer)
        except EOFError:
            break
        try:
            if what == "fit":
                rows, seed = given
                begin = time.process_time()
                forecaster = sn.ESNForecaster({UNITS}, random_state=seed).fit(rows)
                answer = sn.__file__, time.process_time() - begin
            elif what == "update":
                forecaster.update(*given)
                answer = None
            else:
                answer = forecaster.forecast(*given)
        except Exception as failure:
            answer = RuntimeError(f"{{type(failure).__name__}}: {{failure}}")
        pickle.dump(answer, answers)
        answers.flush()
"""


def exported(place: Path = PLACE) -> Path:
    """The folder of the sources."""
    if not (place / "src").is_dir():
        place.mkdir(parents=True, exist_ok=True)
        archive = subprocess.run(
            ["git", "archive", COMMIT, "src"], check=True, capture_output=True
        ).stdout
        subprocess.run(["tar", "-x", "-C", str(place)], check=True, input=archive)
    return (place / "src").resolve()


@cache
def server() -> subprocess.Popen[bytes]:
    environment = os.environ | {"PYTHONPATH": str(exported())}
    return subprocess.Popen(
        [sys.executable, "-c", SERVER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
    )


def asked(*question: Any) -> Any:
    """The answer of the process."""
    one = server()
    assert one.stdin is not None and one.stdout is not None
    pickle.dump(question, one.stdin)
    one.stdin.flush()
    answer = pickle.load(one.stdout)
    if isinstance(answer, RuntimeError):
        raise answer
    return answer


class Earlier:
    """As `league.methods.Ours`."""

    def __init__(self, train: Floats, seed: int) -> None:
        place, self.fit_seconds = asked("fit", train, seed)
        if not Path(place).is_relative_to(exported()):
            raise RuntimeError(f"version 0.2.0 was to be measured, got {place}")
        self.rows_seen = 0

    def forecast(self, context: Floats, steps: int) -> Floats:
        if len(context) > self.rows_seen:
            asked("update", context[self.rows_seen :])
        self.rows_seen = len(context)
        return asked("forecast", steps)
