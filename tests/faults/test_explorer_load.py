"""The explorer under many tabs at once: everybody is answered, memory and threads stay bounded, who
leaves leaves nothing behind.
"""

from __future__ import annotations

import json
import os
import random
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest

pytest.importorskip("dash")
PANELS = ("trajectory", "memory", "spectrum", "forecast", "echo")
SECONDS, SESSIONS = 45.0, 20
PATIENCE = 60.0  # seconds for one view, which takes a second or so alone
# Of memory beyond the first views: 256 answers of at most 0.3 MB (a trajectory of 2,200 × 3
# numbers, a spectrum with its 800 × 12 history, two curves), 4 matrices of at most 32 MB, and what
# the allocator keeps for 6 threads at work and 20 that answer.
GROWTH = 256 * 0.3e6 + 4 * 32e6 + 26 * 4e6
# The server, its pools (4 + 2), and those that libraries of linear algebra keep per core
IDLE_THREADS = 12 + 2 * (os.cpu_count() or 1)
Outputs = list[dict[str, str]]


class Server:
    """A running explorer, seen from outside."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "spheresn", "explore", "--port", "0"]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        found = re.search(r"http://\S+", self.process.stderr.readline())
        assert found, self.process.stderr.read()
        place = urlsplit(found[0])
        self.place = (str(place.hostname), int(place.port or 0))

    def ask(self, path: str, body: Any = None) -> Any:
        connection = HTTPConnection(*self.place, timeout=PATIENCE)
        try:
            text = None if body is None else json.dumps(body)
            connection.request(
                "GET" if body is None else "POST", path, text, {"Content-Type": "application/json"}
            )
            answer = connection.getresponse()
            content = answer.read()
        finally:
            connection.close()
        assert answer.status in (200, 204), f"{answer.status} {content[:200]!r}"
        return json.loads(content) if content else None

    def status(self, name: str) -> int:
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.findall(rf"{name}:\s+(\d+)", text)[0])

    @property
    def memory(self) -> float:
        return 1024.0 * self.status("VmRSS")


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    if not Path("/proc/self/status").exists():
        pytest.skip("memory and threads are read from /proc")
    running = Server()
    yield running
    running.process.terminate()
    said = running.process.communicate(timeout=PATIENCE)[1]
    assert running.process.returncode == 0 and said == ""


class Session:
    """A tab as a browser keeps one: it asks for each panel, and again while a panel is being
    computed.
    """

    def __init__(self, server: Server, seed: int) -> None:
        self.server, self.random, self.tab = server, random.Random(seed), f"tab{seed}"
        self.slowest, self.views = 0.0, 0
        server.ask("/_dash-layout")
        callbacks = server.ask("/_dash-dependencies")
        self.callbacks = {
            panel: next(one for one in callbacks if f"{panel}-poll.disabled" in one["output"])
            for panel in PANELS
        }

    def body(self, panel: str, query: str) -> dict[str, Any]:
        callback = self.callbacks[panel]
        values = {"query": query, f"{panel}-poll": 0, "tab": self.tab}
        outputs: Outputs = [
            dict(zip(("id", "property"), one.rsplit(".", 1), strict=True))
            for one in callback["output"][2:-2].split("...")
        ]
        given = {
            kind: [one | {"value": values[one["id"]]} for one in callback[kind]]
            for kind in ("inputs", "state")
        }
        return {
            "output": callback["output"],
            "outputs": outputs,
            **given,
            "changedPropIds": ["query.data"],
        }

    def done(self, panel: str, query: str) -> bool:
        answer = self.server.ask("/_dash-update-component", self.body(panel, query))["response"]
        assert answer[f"{panel}-note"]["children"], f"{panel} says nothing"
        return bool(answer[f"{panel}-poll"]["disabled"])

    def view(self, query: str) -> None:
        """Until all panels have their numbers."""
        began, left = time.monotonic(), list(PANELS)
        while left:
            left = [panel for panel in left if not self.done(panel, query)]
            waited = time.monotonic() - began
            assert waited < PATIENCE, f"{left} of {query!r} not there after {waited:.0f} s"
            time.sleep(0.35 if left else 0.0)
        self.views, self.slowest = self.views + 1, max(self.slowest, time.monotonic() - began)

    def moved(self) -> str:
        """The link of a view with some dials moved."""
        draw = self.random
        dials = {
            "units": draw.choice((20, 50, 100, 200)),
            "memory": f"{draw.uniform(1, 20):.3g}",
            "bend": f"{draw.uniform(0, 2):.3g}",
        }
        return urlencode(
            dials | {"signal": draw.choice(("lorenz", "mso", "henon")), "seed": draw.randrange(5)}
        )

    def play(self, seconds: float) -> None:
        """Move dials; some moves come before the last view was there."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.random.random() < 0.3:
                self.done(self.random.choice(PANELS), self.moved())
            self.view(self.moved())


def together(sessions: list[Session], seconds: float, attack: Any) -> None:
    with ThreadPoolExecutor(len(sessions)) as threads:
        for one, future in [(one, threads.submit(one.play, seconds)) for one in sessions]:
            with attack.attempt(one.tab):
                future.result()


def settled(server: Server, threads: int) -> int:
    """The number of threads once those of the last requests have ended, or too long after; nothing
    says so, so one has to look.
    """
    end = time.monotonic() + PATIENCE
    while server.status("Threads") > threads and time.monotonic() < end:
        time.sleep(0.1)
    return server.status("Threads")


def test_many_sessions(attack, server):
    """Explorer: 20 tabs move dials at random, all are answered, memory and threads are bounded"""
    sessions = [Session(server, seed) for seed in range(SESSIONS)]
    measured = []
    for count, share in ((1, 0.15), (10, 0.25), (SESSIONS, 0.6)):
        together(sessions[:count], share * SECONDS, attack)
        measured.append((count, server.memory))
    views, slowest = sum(one.views for one in sessions), max(one.slowest for one in sessions)
    with attack.attempt("memory"):
        assert measured[-1][1] - measured[0][1] < GROWTH, measured
    with attack.attempt("threads"):
        assert settled(server, IDLE_THREADS) <= IDLE_THREADS
    sizes = ", ".join(f"{size / 1e6:.0f} MB after {count}" for count, size in measured)
    attack.note = (
        f"{views} views, the slowest after {slowest:.1f} s; {sizes}; {server.status('Threads')} "
        "threads at rest"
    )


def test_clients_that_vanish(attack, server):
    """Explorer: clients vanish in the middle of a request and leave no thread, no file and no work
    behind
    """
    steady = Session(server, 1000)
    steady.view("units=50")
    before, files = settled(server, IDLE_THREADS), _files(server)
    for number in range(60):
        with attack.attempt(number):
            _vanish(
                server,
                json.dumps(steady.body("forecast", f"units=60&seed={number}")).encode(),
                number % 3,
            )
    with attack.attempt("goes on"):
        steady.view("units=70")
    with attack.attempt("nothing left"):
        assert settled(server, before) <= before + 6 and _files(server) <= files + 2, (
            before,
            files,
            _files(server),
        )
    attack.note = (
        f"{before} threads and {files} files before, {server.status('Threads')} and "
        f"{_files(server)} after"
    )


def _files(server: Server) -> int:
    return len(list(Path(f"/proc/{server.process.pid}/fd").iterdir()))


def _vanish(server: Server, body: bytes, how: int) -> None:
    """Gone before the headers end, before the body ends, or before the answer comes."""
    kind = b"Host: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: %d\r\n" % len(
        body
    )
    head = b"POST /_dash-update-component HTTP/1.1\r\n" + kind
    sent = (head, head + b"\r\n" + body[:40], head + b"\r\n" + body)[how]
    with socket.create_connection(server.place, timeout=10) as connection:
        connection.sendall(sent)
