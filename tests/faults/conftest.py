"""Attacks are counted: every test here says how often it tried and what broke, and `make faults` writes the table."""

from __future__ import annotations

import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import spheresn

TOLD: list[Attack] = []
HEAD = "# What was tried to break it\n\nWritten by `make faults`: spheresn {version}, Python {python}, {date}, {minutes:.1f} minutes.\n"


class Attack:
    """One kind of attack: how often it was tried, and a line for each try that broke something."""

    def __init__(self) -> None:
        self.name, self.note, self.tries, self.broke = "", "", 0, list[str]()
        self.began, self.seconds = time.monotonic(), 0.0

    @contextmanager
    def attempt(self, what: object = "") -> Iterator[None]:
        """A try: an exception inside is written down, and the attack goes on."""
        self.tries += 1
        try:
            yield
        except Exception as error:
            self.broke.append(f"{what}: {type(error).__name__}: {error}"[:2000])


@pytest.fixture
def attack(request: pytest.FixtureRequest) -> Iterator[Attack]:
    """The attack of this test, named by the first line of its docstring."""
    one = Attack()
    one.name = str(request.function.__doc__).strip().splitlines()[0].rstrip(".")
    yield one
    one.seconds = time.monotonic() - one.began
    TOLD.append(one)
    assert one.tries and not one.broke, "\n".join(one.broke[:5])


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--table", type=Path, help="where to write what was tried")


def pytest_terminal_summary(terminalreporter: Any) -> None:
    table = "\n".join(["| attack | tries | broke | seconds | note |", "|---|--:|--:|--:|---|", *map(_line, TOLD)])
    terminalreporter.write_line(table)
    path = terminalreporter.config.getoption("--table")
    if path is not None:
        minutes = sum(one.seconds for one in TOLD) / 60
        facts = {"version": spheresn.__version__, "python": platform.python_version(), "date": datetime.now(UTC).date(), "minutes": minutes}
        path.write_text(f"{HEAD.format(**facts)}\n{table}\n")


def _line(one: Attack) -> str:
    return f"| {one.name} | {one.tries:,} | {len(one.broke)} | {one.seconds:.0f} | {one.note} |"
