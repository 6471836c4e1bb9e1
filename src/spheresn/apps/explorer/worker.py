"""Forecasts of files in a process of their own, of low priority: in a thread they would take turns
with the panels, which then take up to twice as long.

Question, stage and answer are files: a process that is killed leaves no pipe behind to wait for.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from ..._errors import BadInput
from ..tables import TimeSeries
from .compute import Report
from .own import OwnForecast, own_forecast

LOOK = 0.1  # seconds between two looks at the process
NICE = 5  # at 10, a busy machine hardly gets to it


def forecast_aside(series: TimeSeries, steps: int, report: Report) -> OwnForecast:
    """What `own_forecast` gives. The process ends if `report` raises."""
    with TemporaryDirectory() as folder:
        question, stage, answer = (Path(folder, name) for name in ("question", "stage", "answer"))
        question.write_bytes(pickle.dumps((series, steps)))
        command = [sys.executable, "-W", "ignore", "-m", __name__, folder]
        places = os.pathsep.join(filter(None, sys.path))  # where this process found the library
        # A session of its own, since Ctrl-C is for the server, which ends this process
        process = subprocess.Popen(
            command,
            env={**os.environ, "PYTHONPATH": places},
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            while process.returncode is None:
                report(stage.read_text() if stage.exists() else "starting")
                with suppress(subprocess.TimeoutExpired):
                    process.wait(LOOK)
        finally:
            process.kill()
            process.wait()
        found: OwnForecast | BadInput = pickle.loads(answer.read_bytes())
    if isinstance(found, BadInput):
        raise found
    return found


def main(folder: Path) -> None:
    """In the process: read the question, write the answer."""
    if hasattr(os, "nice"):  # pragma: no branch - Windows has none
        os.nice(NICE)
    series, steps = pickle.loads((folder / "question").read_bytes())
    found: OwnForecast | BadInput
    try:
        found = own_forecast(series, steps, lambda stage: _note(folder, stage))
    except BadInput as error:
        found = error
    (folder / "answer").write_bytes(pickle.dumps(found))


def _note(folder: Path, stage: str) -> None:
    (folder / "stage").write_text(stage)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
