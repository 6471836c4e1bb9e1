"""Hostile files read one after another, here or in a process of its own, where a crash, a hang or
strange code ends only that process.

`python fuzz.py PLAN PLACE` reads the files of a plan, {door: [first, last]} as JSON, prints a line
of JSON for each that broke something, and keeps in the file PLACE which one it is at.
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
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

from doors import DOORS, Door

HERE = Path(__file__).parent
MEMORY = Path("/dev/shm")  # a place where writing costs no time, where there is one
SECONDS, ROOM = 20.0, 256 * 2**20  # for a file of a few kilobytes, on a machine that may be busy
OURS = re.compile(r"must .*, got .*; |^the file has .*; (save|update|fit) ")
ENDS = {
    77: "a pickle was run",
    -signal.SIGALRM: "a hang",
    -signal.SIGSEGV: "a segmentation fault",
    -signal.SIGKILL: "killed",
}


def read(name: str, numbers: range, place: int | None = None) -> Iterator[tuple[int, str]]:
    """Read the hostile files of a door with these numbers, the same files each time; yield number
    and fault where something broke.
    """
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        path = Path(folder, f"file{DOORS[name].ending}")
        for number in numbers:
            if place is not None:
                os.pwrite(place, f"{name} {number} ".encode(), 0)
                signal.setitimer(signal.ITIMER_REAL, SECONDS)
            path.write_bytes(DOORS[name].make(Random(f"{name} {number}")))
            found = fault(DOORS[name], path)
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            if found:
                yield number, found


def fault(door: Door, path: Path) -> str:
    """What is wrong with how a file was received; nothing if it was put to use, or refused in one
    sentence and left as it is.
    """
    before = path.read_bytes()
    try:
        with warnings.catch_warnings(action="ignore"):
            door.enter(path)
    except door.refusals as error:
        if not str(error).isprintable() or not OURS.search(str(error)):
            return f"not a sentence of ours: {type(error).__name__}: {str(error)[:300]!r}"
    except Exception as error:
        place = error.__traceback__
        while place and place.tb_next:
            place = place.tb_next
        where = f"{place.tb_frame.f_code.co_filename}:{place.tb_lineno}" if place else ""
        return f"{type(error).__name__}: {str(error)[:300]!r} at {where}"
    return "" if not door.kept or path.read_bytes() == before else "the file was changed"


@contextmanager
def bounded_memory() -> Iterator[None]:
    """A little more than the process has by now: whoever believes a header's promises runs into
    it.
    """
    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (size + ROOM, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def attack(plan: dict[str, int]) -> Iterator[tuple[str, int, str]]:
    """Read so many hostile files of each door in a child, in another one if that ends early; yield
    door, number and fault.
    """
    left = {name: [0, count] for name, count in plan.items()}
    with tempfile.NamedTemporaryFile() as place:
        while left:
            process = _child(left, place.name)
            yield from (tuple(json.loads(line)) for line in process.stdout.splitlines())
            if not process.returncode:
                return
            name, number, *_ = Path(place.name).read_text().split()
            yield (
                name,
                int(number),
                f"the process ended: {ENDS.get(process.returncode, process.returncode)} "
                f"{process.stderr[-300:]}",
            )
            left = dict(list(left.items())[list(left).index(name) :])
            left[name][0] = int(number) + 1


def _child(plan: dict[str, list[int]], place: str) -> subprocess.CompletedProcess[str]:
    paths = [str(HERE.parent / "src"), str(HERE), os.environ.get("PYTHONPATH", "")]
    one_thread = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    environment = {
        **os.environ,
        **one_thread,
        "PYTHONPATH": os.pathsep.join(paths),
        "ARROW_DEFAULT_MEMORY_POOL": "system",
    }
    return subprocess.run(
        [sys.executable, __file__, json.dumps(plan), place],
        env=environment,
        capture_output=True,
        text=True,
    )


def main(plan: dict[str, list[int]], place: str) -> None:
    with open(place, "wb") as log:
        # Imports and compiles what the files need; within the bounds that would look like swelling
        for name in plan:
            list(read(name, range(-3, 0)))
        with bounded_memory():
            for name, (first, last) in plan.items():
                for number, found in read(name, range(first, last), log.fileno()):
                    print(json.dumps([name, number, found]), flush=True)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]), sys.argv[2])
