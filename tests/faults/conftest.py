"""Attacks are counted: every test here says how often it tried and what broke, and `make faults`
writes the table.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from common import complete

import spheresn

HEAD = (
    "# What was tried to break it\n\nWritten by `make faults`: spheresn {version}, Python "
    "{python}, {date}.\n"
)
COLUMNS = ("attack", "tries", "broke", "seconds", "note")


class Attack:
    """One kind of attack: how often it was tried, and a line for each try that broke something."""

    def __init__(self, name: str) -> None:
        self.name, self.tries, self.note, self.broke, self.began = (
            name,
            0,
            "",
            list[str](),
            time.monotonic(),
        )

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
    """The attack of this test, named by the first line of its docstring and its parameters."""
    name, (_, _, parameters) = (
        str(request.function.__doc__).strip().splitlines()[0].rstrip("."),
        request.node.name.partition("["),
    )
    one = Attack(f"{name} ({parameters[:-1]})" if parameters else name)
    yield one
    cells = [
        one.name,
        f"{one.tries:,}",
        str(len(one.broke)),
        f"{time.monotonic() - one.began:.0f}",
        one.note,
    ]
    request.node.user_properties.append(("attack", cells))
    assert one.tries and not one.broke, "\n".join(one.broke[:5])


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a run that nobody disturbs."""
    out = tmp_path_factory.mktemp("undisturbed") / "out"
    complete(out)
    return out


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--table", type=Path, help="where to write what was tried")


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """The table, from the reports, which also come from other processes."""
    reports = [
        one
        for kind in ("", "error")
        for one in terminalreporter.stats.get(kind, [])
        if getattr(one, "when", "") == "teardown"
    ]
    cells = sorted(
        value for one in reports for name, value in one.user_properties if name == "attack"
    )
    table = "\n".join(
        f"| {' | '.join(row)} |" for row in [COLUMNS, ("---", "--:", "--:", "--:", "---"), *cells]
    )
    terminalreporter.write_line(table)
    path = terminalreporter.config.getoption("--table")
    if path is not None:
        facts = {
            "version": spheresn.__version__,
            "python": platform.python_version(),
            "date": datetime.now(UTC).date(),
        }
        path.write_text(f"{HEAD.format(**facts)}\n{table}\n")
