"""The whole harness: `python benchmarks/run.py [--rows NAME ...] [--threads 1 2] [--quick]
[--paper] [--out DIR]`.

Every group of rows runs in a process of its own for each number of threads, which is set before
that process starts. results.json and RESULTS.md are written after each of them, so that an
interrupted run loses nothing; rows that were not run keep their former entry, with its date.
--quick takes tiny sizes, to try the harness itself, and writes to build/bench.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

from machine import with_threads
from peers import NAMES
from render import rendered

HERE = Path(__file__).parent
ROWS = (
    "fit",
    "states",
    "closed",
    "ridge",
    "grid",
    "lyapunov",
    "stream",
    "start",
    "growth",
    "paper",
)
LONG = "paper"  # not unless asked for


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what is asked for, one process after the other."""
    asked = _parsed(arguments)
    asked.out.mkdir(parents=True, exist_ok=True)
    results = _former(asked.out)
    failures = 0
    for row in asked.rows:
        for threads in import_module(row).THREADS:
            if threads in asked.threads or row == LONG:
                entry = _measured(row, threads, asked.quick)
                failures += bool(entry.get("failed"))
                if entry["cases"]:
                    results["entries"][f"{row}/{threads}"] = entry
                    _write(asked.out, results)
    print(f"written: {asked.out / 'RESULTS.md'}, {asked.out / 'results.json'}")
    return 1 if failures else 0


def _parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--rows",
        nargs="+",
        choices=ROWS,
        metavar="NAME",
        help=f"of {', '.join(ROWS)}; all but {LONG} by default",
    )
    parser.add_argument(
        "--threads", nargs="+", type=int, choices=(1, 2), default=[1, 2], help="1, 2 or both"
    )
    parser.add_argument("--quick", action="store_true", help="tiny sizes, to try the harness")
    parser.add_argument("--paper", action="store_true", help="with the row that takes ten minutes")
    parser.add_argument("--out", type=Path, help="directory of results.json and RESULTS.md")
    asked = parser.parse_args(arguments)
    asked.rows = asked.rows or [row for row in ROWS if row != LONG]
    asked.rows += [LONG] if asked.paper and LONG not in asked.rows else []
    asked.out = asked.out or (HERE.parent / "build" / "bench" if asked.quick else HERE)
    return asked


def _measured(row: str, threads: int, quick: bool) -> dict[str, Any]:
    """One entry. A peer that ends its process is left out the next time, the rest runs again."""
    gone: list[str] = []
    while True:
        entry, culprit = _process(row, threads, quick, gone)
        if culprit not in NAMES or culprit in gone:
            return entry
        print(
            f"{row}, {threads} thread(s): {culprit} ended the process; again without it", flush=True
        )
        gone.append(culprit)


def _process(row: str, threads: int, quick: bool, gone: list[str]) -> tuple[dict[str, Any], str]:
    """The entry, and whose turn it was when the process ended badly."""
    with tempfile.TemporaryDirectory() as folder:
        order = {"row": row, "threads": threads, "quick": quick, "without": gone, "folder": folder}
        command = [sys.executable, str(HERE / "worker.py"), json.dumps(order)]
        done = subprocess.run(command, env=with_threads(threads))
        files = {name: _text(Path(folder) / name) for name in ("cases", "machine", "mark")}
    entry = {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "quick": quick,
        "machine": json.loads(files["machine"] or "null"),
        "cases": [json.loads(text) for text in files["cases"].splitlines()],
    }
    if done.returncode:
        entry["failed"] = f"the process ended with code {done.returncode}"
    return entry, files["mark"] if done.returncode < 0 else ""


def _text(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def _former(out: Path) -> dict[str, Any]:
    return json.loads(_text(out / "results.json") or '{"entries": {}}')


def _write(out: Path, results: dict[str, Any]) -> None:
    sections = {row: (import_module(row).TITLE, import_module(row).NOTE) for row in ROWS}
    for name, text in (
        ("results.json", json.dumps(results, indent=1) + "\n"),
        ("RESULTS.md", rendered(results, sections)),
    ):
        half = out / f"{name}.part"
        half.write_text(text)
        os.replace(half, out / name)


if __name__ == "__main__":
    sys.exit(main())
