"""Learn from a million rows that never lie in memory together; the target lies under noise as large
as itself.
"""

from __future__ import annotations

import argparse
import resource
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import matplotlib
import numpy as np

import spheresn as sn

matplotlib.use("Agg")
import matplotlib.pyplot as plt

CHUNK = 5000


def chunks(rng: np.random.Generator) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Pieces of one endless series: inputs (5000, 1), uniform, and the target sin(2 u) of the input
    before.
    """
    before = np.zeros((1, 1))
    while True:
        signal = rng.uniform(-1, 1, (CHUNK, 1))
        yield signal, np.sin(2 * np.vstack([before, signal[:-1]])[:, 0])
        before = signal[-1:]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("results"))
    parser.add_argument("--rows", type=int, default=1_000_000)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    rng, (unseen, wanted) = np.random.default_rng(0), next(chunks(np.random.default_rng(1)))
    model = sn.ESNRegressor(units=200, bend=0.5, memory=2, penalty=1e-6, random_state=0)
    looks = {int(count) for count in np.geomspace(1, given.rows // CHUNK, 9)}
    seen, errors, megabytes = [], [], []
    for number, (signal, target) in enumerate(islice(chunks(rng), given.rows // CHUNK), 1):
        model.partial_fit(signal, target + rng.normal(0, 0.7, CHUNK))
        if number in looks:
            seen.append(number * CHUNK)
            errors.append(sn.metrics.nrmse(wanted[100:], model.predict(unseen)[100:]))
            megabytes.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)

    figure, panels = plt.subplots(1, 2, figsize=(7, 3), layout="constrained")
    drawn = {"error on unseen rows (NRMSE)": errors, "peak memory of the process (MB)": megabytes}
    for axes, (title, values) in zip(panels, drawn.items(), strict=True):
        axes.semilogx(seen, values, "o-", color="#0072B2")
        axes.set(xlabel="rows taken in", title=title, ylim=(0, 1.2 * max(values)))
    figure.savefig(given.out / "stream_a_million.png", dpi=110)
    print(
        f"{seen[-1]} rows: error {errors[0]:.3f} -> {errors[-1]:.3f}, memory {megabytes[0]:.0f} "
        f"-> {megabytes[-1]:.0f} MB"
    )


if __name__ == "__main__":
    main()
