"""Row 13: how the time grows with the size of the network and with the length of the series."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from peers import PENALTY, RADIUS, SCALING, sparse_links, white
from race import OURS, Case, Effort, Entry, Run, case, line, race, within
from verdicts import slope, summary

import spheresn as sn

TITLE = "Growth of the time with N and with T"
NOTE = """The exponent p of time ∝ sizeᵖ, by least squares on the logarithms of the medians. A step
costs O(N) on a ring and O(N²) with 10 % links; a fit costs O(T N²) for its Gram matrix and O(N³)
for the solution, whatever the network. The target 1.1 on the ring leaves room for states that no
longer fit into the caches."""
THREADS = (1,)


def measure(effort: Effort) -> Iterator[Case]:
    """Four sweeps."""
    quick, fixed = effort.quick, 60 if effort.quick else 500
    sizes, wide = (
        ((20, 40, 80), (20, 40, 80))
        if quick
        else ((250, 500, 1000, 2000), (100, 316, 1000, 3162, 10_000))
    )
    lengths = (200, 400, 800) if quick else (2000, 4000, 8000, 16_000)
    steps = 400 if quick else 2000
    yield _sweep("drive, ring, in N", wide, lambda n: _drive(n, "ring", steps // 4), effort, 1.1)
    yield _sweep(
        "drive, 10 % links, in N", sizes, lambda n: _drive(n, "sparse", steps // 4), effort
    )
    yield _sweep("drive, ring, in T", lengths, lambda t: _drive(fixed, "ring", t), effort)
    yield _sweep("fit (a), in N", sizes, lambda n: _fit(n, steps), effort)
    yield _sweep("fit (a), in T", lengths, lambda t: _fit(fixed, t), effort)


def _sweep(
    name: str,
    sizes: Sequence[int],
    prepare: Callable[[int], Run],
    effort: Effort,
    limit: float | None = None,
) -> Case:
    lines = race(
        [Entry(f"{size}", OURS, lambda size=size: prepare(size)) for size in sizes], effort
    )
    middles = [summary(one["values"]).median for one in lines]
    rounds = min(len(one["values"]) for one in lines)
    exponents = [slope(sizes, [one["values"][i] for one in lines]) for i in range(rounds)]
    note = ", ".join(
        f"{size:,}: {1e3 * middle:.3g} ms" for size, middle in zip(sizes, middles, strict=True)
    )
    found = [line("exponent", OURS, exponents, note)]
    return case(name, found, [within("exponent", limit, None)] if limit else [], unit="")


def _drive(units: int, topology: str, steps: int) -> Run:
    links = sparse_links(units) if topology == "sparse" else topology
    options = {
        "spectral_radius": None if topology == "sparse" else RADIUS,
        "input_scaling": SCALING,
    }
    network, signal = sn.random_reservoir(units, topology=links, rng=0, **options), white(steps)
    return lambda: sn.drive(network, signal)


def _fit(units: int, steps: int) -> Run:
    signal = white(steps)
    options = {"spectral_radius": RADIUS, "input_scaling": SCALING, "penalty": PENALTY}
    return lambda: sn.ESNRegressor(units, random_state=0, **options).fit(signal, signal[:, 0])
