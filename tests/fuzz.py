"""Hostile files read in a process of their own: what crashes, hangs, swells or runs a stranger's code ends that process, not the tests.

`python fuzz.py DOOR FIRST LAST` reads the files FIRST ... LAST - 1 of a door and prints a line of JSON for each that broke something.
"""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random

HERE = Path(__file__).parent
SECONDS, ROOM = 5.0, 256 * 2**20  # for one file, each of which has a few kilobytes
SENTENCE = re.compile(r"[^\x00-\x1f\x7f\x1b\ud800-\udfff]+")


def attack(door_name: str, count: int) -> Iterator[tuple[int, str]]:
    """Read `count` hostile files, the same each time; yield the number and the fault of those that broke something."""
    first = 0
    while first < count:
        process, last = _child(door_name, first, count), first
        for line in process.stdout.splitlines():
            last, fault = json.loads(line)
            if fault:
                yield last, fault
        first = last + 1 if process.returncode == 0 else last + 2
        if process.returncode:  # the last number that was told is that of the last file that did not end the process
            yield last + 1, f"the process ended with code {process.returncode} ({_why(process.returncode)}) {process.stderr[-300:]}"


def _child(door_name: str, first: int, last: int) -> subprocess.CompletedProcess[str]:
    paths = [str(HERE.parent / "src"), str(HERE), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "ARROW_DEFAULT_MEMORY_POOL": "system", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-X", "faulthandler", __file__, door_name, str(first), str(last)]
    return subprocess.run(command, env=environment, capture_output=True, text=True)


def _why(code: int) -> str:
    if code == 77:
        return "a pickle was run"
    return {signal.SIGALRM: "a hang", signal.SIGSEGV: "a segmentation fault"}.get(-code, "")  # type: ignore[call-overload, no-any-return]


def main(door_name: str, first: int, last: int) -> None:
    from doors import DOORS

    door = DOORS[door_name]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"file{door.ending}")
        for number in range(first, last):
            path.write_bytes(door.make(Random(f"{door_name} {number}")))
            if number == first:
                fault = _fault(door, path)  # compiles and imports what the others need
                _bound_memory()
            signal.setitimer(signal.ITIMER_REAL, SECONDS)
            fault = _fault(door, path)
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            if fault or number % 50 == 0 or number == last - 1:
                pass
            print(json.dumps([number, fault]), flush=True)


def _bound_memory() -> None:
    """From here on a file may take a little more than the process has by now."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + ROOM
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _fault(door, path: Path) -> str:
    """What is wrong with how a file was received; nothing if it was refused in one sentence or put to use."""
    before = path.read_bytes()
    try:
        door.enter(path)
    except door.refusals as error:
        if not SENTENCE.fullmatch(str(error)) or not re.search(r"\bmust .*, got .*; |; (save|update) ", str(error)):
            return f"not a sentence of ours: {type(error).__name__}: {str(error)[:300]!r}"
        if path.read_bytes() != before and path.suffix != ".sqlite":
            return "the file was changed"
    except Exception as error:
        place = error.__traceback__
        while place and place.tb_next:
            place = place.tb_next
        return f"{type(error).__name__}: {str(error)[:300]!r} at {place and place.tb_frame.f_code.co_filename}:{place and place.tb_lineno}"
    return ""


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
