"""A topology of your own: a class with the members of `spheresn.topology.Recurrent`, and every
measure of the library works with it.

100 units, each with one link, in one ring or in several. Which arrangement remembers longest? The
states of a spherical network lie in the space that W_in, W W_in, W² W_in, ... span, and its
dimension is at most the number of different eigenvalues of W. A ring of n units has the n-th roots
of unity. So two equal rings can recall no more than one of them; rings of 49 and 51 units share the
eigenvalue 1 only, and leave room for 99 inputs.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np

import spheresn as sn

matplotlib.use("Agg")
import matplotlib.pyplot as plt


@dataclass(frozen=True)
class Rings:
    """Separate rings: each unit feeds the next one of its ring."""

    lengths: tuple[int, ...]
    weight: float = 1.0
    dtype: Any = np.dtype(np.float64)  # noqa: RUF009  immutable

    @property
    def size(self) -> int:
        return sum(self.lengths)

    def matvec(self, vectors: np.ndarray) -> np.ndarray:
        return self._turned(vectors, 1)

    def rmatvec(self, vectors: np.ndarray) -> np.ndarray:
        return self._turned(vectors, -1)

    def spectral_radius(self) -> float:
        return abs(self.weight)  # all eigenvalues of a ring have modulus one

    def scaled(self, factor: float) -> Rings:
        return replace(self, weight=factor * self.weight)

    def astype(self, dtype: Any) -> Rings:
        return replace(self, dtype=np.dtype(dtype))

    def toarray(self) -> np.ndarray:
        return self.matvec(np.eye(self.size, dtype=self.dtype))

    def _turned(self, vectors: np.ndarray, by: int) -> np.ndarray:
        rings = np.split(vectors, np.cumsum(self.lengths)[:-1])
        turned = np.concatenate([np.roll(ring, by, axis=0) for ring in rings])
        return self.dtype.type(self.weight) * turned


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("results"))
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)

    learn, test = (sn.datasets.white_noise(4000, rng=seed) for seed in (1, 2))
    figure, axes = plt.subplots(figsize=(7, 3.6), layout="constrained")
    for lengths, name, colour in (
        ((51, 49), "rings of 51 and 49", "#0072B2"),
        ((50, 50), "two rings of 50", "#D55E00"),
        ((25, 25, 25, 25), "four rings of 25", "#999999"),
    ):
        network = sn.random_reservoir(100, topology=Rings(lengths), input_scaling=0.08, rng=0)
        found = sn.analysis.memory_capacity(network, learn, test, max_delay=120)
        different = len(np.unique(np.linalg.eigvals(Rings(lengths).toarray()).round(9)))
        axes.plot(found.per_delay, lw=2, color=colour, label=name)
        print(f"{name}: {different} different eigenvalues, memory capacity {found.total:.1f}")
    axes.set(xlabel="steps ago", ylabel="how well that input is recalled (R²)", ylim=(0, 1.02))
    axes.set_title("100 units, one link each: two equal rings remember only as long as one")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="center", bbox_to_anchor=(0.62, 0.4))
    figure.savefig(out / "own_topology.png", dpi=100)


if __name__ == "__main__":
    main()
