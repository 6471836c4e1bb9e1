"""Row 9: what Lyapunov exponents cost: the maximal one beside `drive`, the full spectrum beside a
plain QR loop.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from peers import RADIUS, SCALING, input_weights, sparse_links, white
from race import OURS, REFERENCE, Case, Effort, Entry, case, race, within

import spheresn as sn
from spheresn.analysis import lyapunov_spectrum, max_lyapunov

TITLE = "Lyapunov exponents"
NOTE = """reservoirpy, rclib and echoes do not compute them, so the cost is compared with driving
the network (the same number of steps), and for the full spectrum with the textbook loop in numpy:
one derivative and one QR decomposition per step."""
THREADS = (1, 2)


def measure(effort: Effort) -> Iterator[Case]:
    """The maximal exponent at N = 1000, all of them at N = 100."""
    units = 60 if effort.quick else 1000
    full = np.random.default_rng(0).standard_normal((units, units)) * RADIUS / np.sqrt(units)
    ring = sn.random_reservoir(units, topology="ring", spectral_radius=RADIUS, rng=0).recurrent
    for name, links, steps in (
        ("full W", full, 500),
        ("10 % links", sparse_links(units), 2000),
        ("ring", ring, 5000),
    ):
        yield from _maximal(name, links, steps // 10 + 150 if effort.quick else steps, effort)
    yield _spectrum(effort)


def _maximal(name: str, links: object, steps: int, effort: Effort) -> Iterator[Case]:
    units, signal = links.shape[0] if hasattr(links, "shape") else links.size, white(steps)
    for kind, activation in (
        ("spherical", sn.OnSphere()),
        ("bent", sn.OnSphere(bend=0.5)),
        ("tanh", sn.Tanh()),
    ):
        network = sn.Reservoir(links, input_weights(units) / SCALING, activation)
        entries = [
            Entry(
                "maximal exponent",
                OURS,
                lambda network=network: lambda: max_lyapunov(network, signal, transient=100),
            ),
            Entry("drive", REFERENCE, lambda network=network: lambda: sn.drive(network, signal)),
        ]
        yield case(
            f"{name}, {kind}, N = {units}",
            race(entries, effort),
            [within("maximal exponent", 2.5, "drive")],
            steps=steps,
        )


def _spectrum(effort: Effort) -> Case:
    units, steps = (20, 600) if effort.quick else (100, 5000)
    network, few = sn.random_reservoir(units, spectral_radius=2.0, rng=0), steps // 10
    signal = np.zeros((steps, 1))
    plain = Entry(
        "plain QR loop",
        REFERENCE,
        lambda: lambda: plain_spectrum(network, few),
        f"{few} of {steps} steps taken",
        steps / few,
    )
    entries = [
        Entry("full spectrum", OURS, lambda: lambda: lyapunov_spectrum(network, signal)),
        plain,
        Entry("drive", REFERENCE, lambda: lambda: sn.drive(network, signal, start=np.ones(units))),
    ]
    targets = [within("full spectrum", 3.0, None)]
    return case(f"full spectrum, N = {units}, T = {steps:,}", race(entries, effort), targets)


def plain_spectrum(reservoir: sn.Reservoir, steps: int) -> np.ndarray:
    """The textbook loop: one derivative and one QR decomposition per step."""
    state = sn.sphere.random_point(reservoir.units, np.random.default_rng(0))
    frame = np.linalg.qr(
        sn.sphere.tangent(
            state, np.random.default_rng(1).standard_normal((reservoir.units, reservoir.units - 1))
        )
    )[0]
    total = np.zeros(reservoir.units - 1)
    for _ in range(steps):
        state, frame = reservoir.tangent_step(state, np.zeros(1), frame)
        frame, upper = np.linalg.qr(frame)
        total += np.log(np.abs(upper.diagonal()))
    return total / steps
