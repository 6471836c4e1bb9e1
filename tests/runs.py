"""Runs of the command line as processes of their own, and what they left in a directory."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from safetensors import safe_open
from safetensors.numpy import save as to_bytes

from spheresn_paper.runner import LocalPool, WorkerLost
from spheresn_paper.runner.local import SHORT

HERE = Path(__file__).parent


def start(
    *arguments: object, fake: dict[str, object] | None = None, **options
) -> subprocess.Popen[str]:
    """`spheresn ARGUMENTS` with the fake experiment known to it and to its workers; `fake`: the
    disturbances of fake_cli.py.
    """
    environment = {
        **os.environ,
        **{name: str(value) for name, value in (fake or {}).items()},
        "PYTHONFAULTHANDLER": "1",
        "PYTHONPATH": os.pathsep.join(
            [str(HERE.parent / "src"), str(HERE), os.environ.get("PYTHONPATH", "")]
        ),
    }
    if "FAKE_LIMIT" in environment or "preexec_fn" in options:
        # Coverage could not save its data beyond a limit on the size of files, and would say so
        # with a traceback.
        environment.pop("COVERAGE_PROCESS_CONFIG", None)
    command = [sys.executable, str(HERE / "fake_cli.py"), *map(str, arguments)]
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        **options,
    )


def finish(process: subprocess.Popen[str], seconds: float = 180) -> tuple[int, str, str]:
    """Exit code, stdout, stderr."""
    out, error = process.communicate(timeout=seconds)
    return process.returncode, out, error


def rows(out: Path) -> dict[str, tuple[str, bytes | None]]:
    """Task -> (status, result) as the files of the units say."""
    found = {}
    for path in out.glob("units/[0-9a-f]*.safetensors"):
        with safe_open(path, framework="numpy") as file:
            header = json.loads(file.metadata()["spheresn"])
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  not a dict
        failed = header["record"]["error"] is not None
        found[header["unit"]["task"]] = ("failed", None) if failed else ("done", to_bytes(arrays))
    return dict(sorted(found.items()))


def children(parent: int) -> list[int]:
    """The processes that it has started and that live."""
    return list(_commands(parent))


def workers(parent: int) -> list[int]:
    """Those of its children that compute; another one watches over semaphores."""
    return [pid for pid, command in _commands(parent).items() if "spawn_main" in command]


def _commands(parent: int) -> dict[int, str]:
    found = subprocess.run(
        ["ps", "-ww", "-o", "pid=,args=", "--ppid", str(parent)],
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    return {int(pid): command for pid, command in map(_halves, found.splitlines())}


def _halves(line: str) -> tuple[str, str]:
    pid, _, command = line.strip().partition(" ")
    return pid, command


def killed_while_answering(rounds: int) -> int:
    """Kill a worker, each time, while it sends answers as long as they may be; how many calls were
    lost. The others have the right answer, and none waits for ever.
    """
    pool, text, lost = LocalPool(1), "x" * (SHORT - 100), 0
    try:
        for _ in range(rounds):
            pid = pool.call(os.getpid).result(timeout=150)
            answers = [pool.call(str, text) for _ in range(50)]
            assert answers[0].result(timeout=150) == text
            os.kill(pid, signal.SIGKILL)
            for answer in answers:
                try:
                    assert answer.result(timeout=150) == text
                except WorkerLost:
                    lost += 1
    finally:
        pool.close()
    assert lost <= rounds  # the calls after the lost one went to a new worker
    return lost


def until(condition, process: subprocess.Popen[str] | None = None, seconds: float = 150) -> None:
    """Wait for something to become true; what the process said when it ended or was too slow."""
    end = time.monotonic() + seconds
    while not condition():
        ended = process is not None and process.poll() is not None
        if ended or time.monotonic() > end:
            raise AssertionError(f"it never came true: {_last_words(process)}")
        time.sleep(0.02)


def _last_words(process: subprocess.Popen[str] | None) -> object:
    if process is None:
        return "no process to ask"
    if process.poll() is None:
        # PYTHONFAULTHANDLER makes it print where every thread is
        process.send_signal(signal.SIGABRT)
    return finish(process)
