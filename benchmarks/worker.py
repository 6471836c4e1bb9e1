"""One group of rows in this process; run.py starts it with the number of threads in its environment
and reads what it leaves behind.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path

from machine import described
from race import Case, Effort
from threadpoolctl import threadpool_limits
from verdicts import summary, verdicts


def main(order: dict[str, object]) -> None:
    """Cases go to the file one by one, so that those before a crash are kept."""
    folder, threads = Path(str(order["folder"])), int(str(order["threads"]))
    (folder / "machine").write_text(json.dumps(described()))
    size = {"rounds": 2, "seconds": 0.2} if order["quick"] else {}
    effort = Effort(
        **size,
        quick=bool(order["quick"]),
        threads=threads,
        without=frozenset(order["without"]),
        mark=folder / "mark",
    )
    with threadpool_limits(threads), (folder / "cases").open("a") as cases:
        for case in import_module(str(order["row"])).measure(effort):
            cases.write(json.dumps(case) + "\n")
            cases.flush()
            _tell(str(order["row"]), threads, case)


def _tell(row: str, threads: int, case: Case) -> None:
    """One line for whoever watches."""
    medians = "  ".join(
        f"{one['name']} {summary(one['values']).median:.3g}"
        if one["values"]
        else one["name"] + " missing"
        for one in case["lines"]
    )
    reached = " ".join(
        "-" if found is None else f"{found.ratio.value:.3g}{'' if found.reached else '!'}"
        for found in verdicts(case)
    )
    print(
        f"{row}/{threads}  {case['name']}: {medians}" + (f"  [{reached}]" if reached else ""),
        flush=True,
    )


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
