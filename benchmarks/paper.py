"""Row 11: the whole job, `spheresn reproduce --preset paper`, and where its time goes. Takes ten
minutes; run with --paper.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from race import OURS, Case, Effort, case, line

TITLE = "`spheresn reproduce --preset paper`, two processes"
NOTE = """Wall time of one run into an empty directory, sampled by py-spy five times a second in all
its processes (those that wait do not count). A sample belongs to what was running at that moment:
BLAS and LAPACK, the loops compiled by numba (code without a file), other libraries' compiled code,
or the interpreter and everything else, which includes imports, drawing and writing."""
THREADS = (2,)
PLACES = ("BLAS and LAPACK", "compiled loops", "other compiled code", "interpreter and the rest")


def measure(effort: Effort) -> Iterator[Case]:
    """Seconds, then shares in per cent."""
    with tempfile.TemporaryDirectory() as folder:
        samples = Path(folder) / "samples"
        command = [
            sys.executable,
            "-P",
            "-m",
            "spheresn",
            "reproduce",
            "--preset",
            "smoke" if effort.quick else "paper",
            "--jobs",
            "2",
        ]
        begin = time.perf_counter()
        subprocess.run(
            [*_sampler(samples), *command, "--out", f"{folder}/results"],
            check=True,
            capture_output=True,
        )
        seconds = time.perf_counter() - begin
        stacks = samples.read_text().splitlines() if samples.exists() else []
        counted = shares(stacks) if stacks else None
    yield case(
        "wall time",
        [
            line(
                "reproduce",
                OURS,
                [seconds],
                "" if counted else "not sampled: py-spy is not installed or saw nothing",
            )
        ],
    )
    if counted:
        both = counted[PLACES[0]] + counted[PLACES[1]]
        lines = [line(place, OURS, [counted[place]]) for place in PLACES]
        yield case(
            "share of the time", [line("BLAS and compiled loops", OURS, [both]), *lines], unit="%"
        )


def _sampler(samples: Path) -> list[str]:
    places = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    tool = shutil.which("py-spy", path=places)
    return (
        [
            tool,
            "record",
            "--format",
            "raw",
            "--native",
            "--subprocesses",
            "--rate",
            "5",
            "-o",
            str(samples),
            "--",
        ]
        if tool
        else []
    )


def shares(stacks: Iterable[str]) -> dict[str, float]:
    """Per cent of the samples by the place of their innermost frame; a line is `outer
    (file);...;inner (file) count`.
    """
    counts = Counter[str]()
    for stack in stacks:
        frames, _, number = stack.rpartition(" ")
        counts[_place(frames.rpartition(";")[2])] += int(number)
    total = counts.total()
    return {place: 100.0 * counts[place] / total for place in PLACES}


def _place(frame: str) -> str:
    if "openblas" in frame or "lapack" in frame:
        return PLACES[0]
    if frame.endswith("(?)"):
        return PLACES[1]
    return (
        PLACES[2]
        if re.search(r"\.so[.0-9]*\)$", frame) and not re.search(r"\((libpython|libc|ld-)", frame)
        else PLACES[3]
    )
