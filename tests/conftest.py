"""What several tests share."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

import spheresn as sn

# The same examples every time, and none fails for being slow: a busy machine takes longer than the
# 0.2 s that hypothesis allows.
settings.register_profile(
    "steady",
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("steady")

CHROMIUM = shutil.which("chromium")
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)
ACTIVATIONS = {
    "sphere": sn.OnSphere(),
    "sphere of radius 2.5": sn.OnSphere(radius=2.5),
    "bent": sn.OnSphere(bend=0.5),
    "bent, radius 3": sn.OnSphere(radius=3.0, bend=1.0),
    "tanh": sn.Tanh(),
    "linear": sn.Linear(),
}
SPHERES = {name: act for name, act in ACTIVATIONS.items() if isinstance(act, sn.OnSphere)}


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20190811)


def network(units: int, activation, rng, topology: str = "gaussian", **kwargs) -> sn.Reservoir:
    """A random reservoir, contracting when linear, of any topology."""
    radius = None if topology == "delay_line" else 0.8
    # One link in ten of a few closes no cycle
    few = {"density": 1.0} if topology == "sparse" and units < 20 else {}
    options = {"spectral_radius": radius, "input_scaling": 0.7, **few, **kwargs}
    return sn.random_reservoir(units, activation=activation, topology=topology, rng=rng, **options)


def iterate(reservoir: sn.Reservoir, signal: np.ndarray, start: np.ndarray) -> np.ndarray:
    """The plain loop over `step`, which every kernel must equal."""
    states, state = [], start
    for row in signal:
        state = reservoir.step(state, row)
        states.append(state)
    return np.array(states)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Headless Chromium, the system's own."""
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS.split())
        yield chromium
        chromium.close()


def monthly(rows: int = 60) -> bytes:
    """Two columns of months with a season, and one of words."""
    noise = 2.0 * np.random.default_rng(0).normal(size=(rows, 2))
    lines = [
        f"{2020 + k // 12}-{k % 12 + 1:02d},{100 + k + 15 * np.sin(np.pi * k / 6) + one:.2f},"
        f"{50 - 5 * np.cos(np.pi * k / 6) + two:.2f},north"
        for k, (one, two) in enumerate(noise.tolist())
    ]
    return "\n".join(["month,sales,stock,region", *lines, ""]).encode()
