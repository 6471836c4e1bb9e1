"""What several reservoirs as one cost, beside their parts: the processor time of `parallel` and
`chain`, divided by that of their parts one after the other.

    python benchmarks/compose.py [--quick]

Both sides take turns in one process, and the median over the rounds of their ratio counts. A part
of a chain is driven by the states of the one before it, which it must read as well when it runs
alone; so the sum has all the work that the chain has. In a closed loop each part has a readout of
its own, and the composition one of all states. Writes benchmarks/compose.json.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import spheresn as sn
from spheresn.closed_loop import ClosedLoop
from spheresn.readout import Weights

HERE = Path(__file__).parent
ROUNDS, SHORTEST = 9, 0.2  # rounds; seconds that a turn lasts at least
EXPONENTS = 10  # of the spectrum

Run = Callable[[], object]


def networks(units: int, topology: str) -> dict[str, tuple[Any, list[Any]]]:
    """Compositions and their parts, each with the signal that drives it."""
    options: dict[str, Any] = {"topology": topology, "bias_scaling": 0.1}
    sphere = sn.random_reservoir(units, input_scaling=0.1, rng=0, **options)
    tanh = {"activation": sn.Tanh(), "spectral_radius": 0.9, **options}
    beside = sn.random_reservoir(units, input_scaling=0.1, rng=1, **tanh)
    after = sn.random_reservoir(units, units, input_scaling=0.1, rng=1, **tanh)
    return {
        "parallel": (sn.parallel(sphere, beside), [sphere, beside]),
        "chain": (sn.chain(sphere, after), [sphere, after]),
    }


def works(network: Any, signal: np.ndarray) -> dict[str, Run]:
    """What is done with a network."""
    short = signal[:600]
    found = {
        "drive": lambda: sn.drive(network, signal),
        "largest exponent": lambda: sn.analysis.max_lyapunov(network, signal),
        f"{EXPONENTS} exponents": lambda: sn.analysis.lyapunov_spectrum(network, short, EXPONENTS),
    }
    weights = Weights(np.full((network.units, network.n_inputs), 1e-3), np.zeros(network.n_inputs))
    loop, start = ClosedLoop(network, weights), np.full(network.units, 0.01)
    exogenous = np.empty((len(signal), 0))
    found["closed loop"] = lambda: loop.run(
        len(signal), start, np.zeros(network.n_inputs), exogenous
    )
    return found


def seconds(run: Run) -> float:
    """Of the processor, for one run."""
    begin, count = time.process_time(), 0
    while time.process_time() - begin < SHORTEST:
        run()
        count += 1
    return (time.process_time() - begin) / count


def ratio(together: Run, apart: list[Run], rounds: int) -> float:
    """The median over rounds in which both take turns."""
    for run in (together, *apart):
        run()  # compiles
    found = [seconds(together) / sum(map(seconds, apart)) for _ in range(rounds)]
    return median(found)


def measured(sizes: tuple[int, ...], rounds: int) -> list[dict[str, Any]]:
    """Ratios by composition, topology, size and work."""
    found = []
    for topology in ("gaussian", "ring"):
        for units in sizes:
            signal = sn.datasets.white_noise(3000 if units < 300 else 1200, rng=0)
            for kind, (network, parts) in networks(units, topology).items():
                driven = [signal, signal if kind == "parallel" else sn.drive(parts[0], signal)]
                alone = [works(*pair) for pair in zip(parts, driven, strict=True)]
                for name, run in works(network, signal).items():
                    if kind == "chain" and name == "closed loop":
                        continue  # a later layer alone has as many outputs as the first has units
                    value = ratio(run, [one[name] for one in alone], rounds)
                    place = {"kind": kind, "topology": topology, "units": units, "work": name}
                    found.append({**place, "ratio": round(value, 3)})
                    print(found[-1], flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small, and nothing is written")
    quick = parser.parse_args().quick
    found = measured((20,), 1) if quick else measured((100, 500), ROUNDS)
    if not quick:
        (HERE / "compose.json").write_text(json.dumps({"ratios": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
