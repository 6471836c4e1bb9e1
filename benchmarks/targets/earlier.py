"""ESNRegressor of version 0.2.0, in a process of its own that imports that version's sources.

They are exported from the repository to build/targets/0.2.0, once.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

from noise.earlier import COMMIT, exported

from .real import PLACE, Floats

FOLDER = PLACE / "0.2.0"
SERVER = """
import pickle, sys, warnings
import numpy as np
from threadpoolctl import threadpool_limits
import spheresn as sn
warnings.simplefilter("ignore")
np.seterr(all="ignore")
answers, sys.stdout = sys.stdout.buffer, sys.stderr
with threadpool_limits(limits=1):
    while True:
        try:
            units, seed, inputs, targets, later = pickle.load(sys.stdin.buffer)
        except EOFError:
            break
        model = sn.ESNRegressor(units, random_state=seed).fit(inputs, targets)
        answer = sn.__file__, model.predict(later, start=model.state_)
        pickle.dump(answer, answers)
        answers.flush()
"""


@cache
def _server() -> subprocess.Popen[bytes]:
    environment = os.environ | {"PYTHONPATH": str(exported(FOLDER))}
    return subprocess.Popen(
        [sys.executable, "-c", SERVER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
    )


def earlier(inputs: Floats, targets: Floats, later: Floats, units: int, seed: int) -> Floats:
    """The predictions of version 0.2.0 for the rows that come next."""
    one: Any = _server()
    pickle.dump((units, seed, inputs, targets, later), one.stdin)
    one.stdin.flush()
    place, outputs = pickle.load(one.stdout)
    if not Path(place).is_relative_to(exported(FOLDER)):
        raise RuntimeError(f"version 0.2.0 ({COMMIT}) was to be measured, got {place}")
    return outputs
