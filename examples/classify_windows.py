"""Which system made this window? 40 noisy steps of one column, of random size and level, from four chaotic systems."""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib
import numpy as np
from sklearn.metrics import confusion_matrix

import spheresn as sn

matplotlib.use("Agg")
import matplotlib.pyplot as plt

LENGTH, EACH = 40, 120
SYSTEMS = {
    "Lorenz": sn.datasets.lorenz(2000, 0.1),
    "Rössler": sn.datasets.rossler(2000, 0.5),
    "Mackey-Glass": sn.datasets.mackey_glass(2000, 3.0),
    "noise": sn.datasets.white_noise(2000, 0),
}


def windows(rng: np.random.Generator) -> tuple[list[np.ndarray], list[str]]:
    """Windows (40, 1) and their names, in random order; a third of each window is noise."""
    pairs = []
    for name, rows in SYSTEMS.items():
        column = (rows[:, 0] - rows[:, 0].mean()) / rows[:, 0].std()
        for start in rng.integers(0, len(column) - LENGTH, EACH):
            noisy = column[start : start + LENGTH] + rng.normal(0, 0.5, LENGTH)
            pairs.append((rng.uniform(0.5, 2) * (noisy + rng.normal())[:, None], name))
    series, names = zip(*(pairs[i] for i in rng.permutation(len(pairs))), strict=True)
    return list(series), list(names)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("results"))
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    series, names = windows(np.random.default_rng(0))
    half = len(series) // 2
    model = sn.ESNClassifier(units=100, bend=0.5, memory=3, random_state=0).fit(series[:half], names[:half])
    counts = confusion_matrix(names[half:], model.predict(series[half:]), labels=list(SYSTEMS), normalize="true")

    figure, (left, right) = plt.subplots(1, 2, figsize=(7.4, 3.3), layout="constrained")
    for level, name in enumerate(reversed(SYSTEMS)):
        window = series[names.index(name)]
        left.plot((window - window.mean()) / window.std() + 5 * level, lw=1.4)
    left.set(yticks=5 * np.arange(len(SYSTEMS)), yticklabels=list(reversed(SYSTEMS)), xlabel="step", title="one window of each")
    right.imshow(counts, cmap="Blues", vmin=0, vmax=1)
    for (i, j), share in np.ndenumerate(counts):
        right.text(j, i, f"{share:.2f}", ha="center", va="center", color="white" if share > 0.5 else "black")
    right.set_xticks(range(len(SYSTEMS)), list(SYSTEMS), rotation=30)
    right.set_yticks(range(len(SYSTEMS)), list(SYSTEMS))
    right.set(xlabel="told", ylabel="true", title="share of unseen windows")
    figure.savefig(out / "classify_windows.png", dpi=110)
    print(f"{100 * model.score(series[half:], names[half:]):.0f} % of {len(series) - half} unseen windows named rightly")


if __name__ == "__main__":
    main()
