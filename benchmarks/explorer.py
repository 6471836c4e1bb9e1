"""How long a move of a slider in `spheresn explore` takes until all panels show it, at 200 units.

A move is a key on the slider of the memory, which changes every panel. The page itself (Debian's
Chromium) takes the time, from the key to its sign that all panels have settled.
`python benchmarks/explorer.py` writes to benchmarks/explorer.json: medians of 15 moves, in ms.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from machine import described
from playwright.sync_api import Page, sync_playwright

import spheresn as sn

OUT = Path(__file__).parent / "explorer.json"
SIGNALS = {"Lorenz": "lorenz", "file of one column": "file1"}
WARM_UP, MOVES = 5, 15
PATIENCE = 300_000  # ms; the first view may wait for compilers
TIMED = """
addEventListener("keydown", () => { window.begun = performance.now(); window.took = null; }, true);
new MutationObserver(() => {
    if (document.documentElement.dataset.settled) window.took = performance.now() - window.begun;
}).observe(document, { subtree: true, attributeFilter: ["data-settled"] });
"""


def measure(page: Page, address: str, server: int) -> dict[str, Any]:
    """The page's time of each move, and the server's processor time."""
    page.goto(address)
    page.wait_for_selector("html[data-settled]", state="attached")
    _wait_until_idle(server)
    page.focus("#memory [role=slider]")
    for _ in range(WARM_UP):
        _move(page)
    before = _processor_ms(server)
    took = [_move(page) for _ in range(MOVES)]
    spent = (_processor_ms(server) - before) / MOVES
    return {"ms": round(median(took)), "server_ms": round(spent), "moves": [round(t) for t in took]}


def _move(page: Page) -> float:
    page.keyboard.press("ArrowRight")
    page.wait_for_function("window.took !== null")
    return float(page.evaluate("window.took"))


def _wait_until_idle(process: int) -> None:
    """The server compiles its loops when it starts, and the first page does not wait for that."""
    before = -1.0
    while before < _processor_ms(process):
        before = _processor_ms(process)
        time.sleep(1.0)


def _processor_ms(process: int) -> float:
    """Processor time that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return 1000.0 * (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Measure both signals, each in a page of its own."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = Path(folder, "height.csv")
        np.savetxt(file, sn.datasets.mackey_glass(2400), header="height", comments="")
        server = subprocess.Popen(
            [sys.executable, "-P", "-m", "spheresn", "explore", str(file), "--port", "0"],
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            assert server.stderr is not None
            (address,) = re.findall(r"http://\S+", server.stderr.readline())
            browser = playwright.chromium.launch(
                executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"]
            )
            found: dict[str, Any] = {}
            for title, signal in SIGNALS.items():
                page = browser.new_page(viewport={"width": 1400, "height": 900})
                page.set_default_timeout(PATIENCE)
                page.add_init_script(TIMED)
                found[title] = measure(page, f"{address}?signal={signal}&memory=0.5", server.pid)
                page.close()
                print(title, found[title], flush=True)
            browser.close()
        finally:
            server.terminate()
            server.wait()
    # Other processes lengthen the moves, hardly the processor time
    result = {"moves": found, "load": round(os.getloadavg()[0], 1), "machine": described()}
    OUT.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
