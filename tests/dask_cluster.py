"""A real Dask cluster: a scheduler and two workers, each a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from runs import HERE, until

WORKER = (
    "worker",
    "--nworkers",
    "1",
    "--nthreads",
    "1",
    "--no-nanny",
    "--no-dashboard",
    "--death-timeout",
    "60",
)


@contextmanager
def cluster(
    folder: Path, fake: dict[str, object] | None = None
) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """The scheduler's address, and the processes: scheduler, worker, worker; `fake`: the
    disturbances of fake_experiment.py.
    """
    folder.mkdir(exist_ok=True)
    contact = folder / "scheduler.json"
    path = os.pathsep.join([str(HERE.parent / "src"), str(HERE), os.environ.get("PYTHONPATH", "")])
    environment = {
        **os.environ,
        **{name: str(value) for name, value in (fake or {}).items()},
        "PYTHONPATH": path,
    }

    def dask(*arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "dask", *arguments, "--scheduler-file", str(contact)]
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        stack.callback(process.wait)
        stack.callback(process.kill)
        return process

    with ExitStack() as stack:
        processes = [
            dask("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"),
            dask(*WORKER),
            dask(*WORKER),
        ]
        until(lambda: contact.exists() and contact.read_text().endswith("}"))  # written in pieces
        yield json.loads(contact.read_text())["address"], processes
