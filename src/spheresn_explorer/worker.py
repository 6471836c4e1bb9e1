"""Forecasts of files in a process of their own, of low priority: in a thread they would take turns
with the panels, which then take up to twice as long.

Question and answer are files without a name: nothing is left of them, however the two processes
end, and a process that is killed leaves no pipe behind to wait for.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from contextlib import suppress
from mmap import ACCESS_READ, mmap
from tempfile import TemporaryFile

from spheresn._errors import BadInput
from spheresn.apps.tables import TimeSeries
from spheresn.apps.tables.panel import Panel

from .compute import Report
from .own import OwnForecast, own_forecast

LOOK = 0.1  # seconds between two looks at the process
NICE = 5  # at 10, a busy machine hardly gets to it
STAGE = 80  # bytes at the beginning of the answer, for what the process is doing


def forecast_aside(file: TimeSeries | Panel, steps: int, report: Report) -> tuple[OwnForecast, ...]:
    """What `own_forecast` gives. The process ends if `report` raises."""
    with TemporaryFile() as question, TemporaryFile() as answer:
        pickle.dump((file, steps), question)
        question.seek(0)
        answer.write(b"starting".ljust(STAGE, b"\0"))
        answer.flush()
        # -P: a file in the current folder that is called as a module is not that module
        command = [sys.executable, "-P", "-W", "ignore", "-m", __name__]
        places = os.pathsep.join(filter(None, sys.path))  # where this process found the library
        # A session of its own, since Ctrl-C is for the server, which ends this process
        process = subprocess.Popen(
            command,
            env={**os.environ, "PYTHONPATH": places},
            stdin=question,
            stdout=answer,
            start_new_session=True,
        )
        try:
            with mmap(answer.fileno(), STAGE, access=ACCESS_READ) as stage:
                while process.returncode is None:
                    report(stage[:].rstrip(b"\0").decode(errors="replace"))
                    with suppress(subprocess.TimeoutExpired):
                        process.wait(LOOK)
        finally:
            process.kill()
            process.wait()
        answer.seek(STAGE)
        found: tuple[OwnForecast, ...] | BadInput = pickle.load(answer)
    if isinstance(found, BadInput):
        raise found
    return found


def main() -> None:
    """In the process: read the question from stdin, write stage and answer to stdout."""
    if hasattr(os, "nice"):  # pragma: no branch - Windows has none
        os.nice(NICE)
    server = os.getppid()
    with os.fdopen(os.dup(1), "r+b") as answer, mmap(answer.fileno(), STAGE) as shown:
        os.dup2(2, 1)  # what a library prints is no part of the answer

        def note(stage: str) -> None:
            if os.getppid() != server:
                sys.exit("the server was killed")
            shown[:] = stage.encode()[:STAGE].ljust(STAGE, b"\0")

        file, steps = pickle.load(sys.stdin.buffer)
        found: tuple[OwnForecast, ...] | BadInput
        try:
            found = own_forecast(file, steps, note)
        except BadInput as error:
            found = error
        answer.seek(STAGE)
        pickle.dump(found, answer)


if __name__ == "__main__":
    main()
