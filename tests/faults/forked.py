"""The command line in processes forked from one that has imported everything: hundreds of runs in
minutes, each as real as any other.
"""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(
    [
        "fake_cli",
        "spheresn_paper.report",
        "matplotlib.backends.backend_agg",
        "matplotlib.backends.backend_svg",
        "h5netcdf",
    ]
)


class Run:
    """`spheresn ARGUMENTS` with the disturbances of fake_cli.py, in a session of its own; looks
    like a `subprocess.Popen`.
    """

    def __init__(self, arguments: tuple[object, ...], fake: dict[str, object]) -> None:
        self._folder = TemporaryDirectory()
        self._process = FORKS.Process(
            target=_main, args=(self._folder.name, [str(one) for one in arguments], fake)
        )
        self._process.start()
        self.pid = self._process.pid

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def poll(self) -> int | None:
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        """To the session, as a terminal does; SIGKILL to the run alone, which cannot signal its
        workers then. Nothing when it has ended.
        """
        with suppress(ProcessLookupError):
            (os.kill if number == signal.SIGKILL else os.killpg)(self.pid, number)

    def communicate(self, timeout: float) -> tuple[str, str]:
        self._process.join(timeout)
        if self.returncode is None:
            raise subprocess.TimeoutExpired("spheresn", timeout)
        with self._folder as folder:
            out, error = (Path(folder, name).read_text() for name in ("1", "2"))
        return out, error


def _main(folder: str, arguments: list[str], fake: dict[str, object]) -> None:
    os.setsid()
    for handle in (1, 2):
        os.dup2(os.open(Path(folder, str(handle)), os.O_WRONLY | os.O_CREAT), handle)
    faulthandler.enable()
    os.environ.update({name: str(value) for name, value in fake.items()})
    import fake_cli

    sys.exit(fake_cli.disturbed(arguments))
