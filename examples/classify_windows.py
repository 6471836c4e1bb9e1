"""Which system made this window? 40 noisy steps of one column, of random size and level, from three
chaotic systems and from noise.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib
import numpy as np
from scipy.stats import zscore
from sklearn.metrics import ConfusionMatrixDisplay

import spheresn as sn

matplotlib.use("Agg")
import matplotlib.pyplot as plt

LENGTH, EACH = 40, 60
SYSTEMS = {
    "Lorenz": sn.datasets.lorenz(2000, 0.1),
    "Rössler": sn.datasets.rossler(2000, 0.5),
    "Mackey-Glass": sn.datasets.mackey_glass(2000, 3.0),
    "noise": sn.datasets.white_noise(2000, 0),
}


def windows(part: slice, rng: np.random.Generator) -> tuple[list[np.ndarray], list[str]]:
    """Windows (40, 1) from a part of each series, and their names; a fifth of their variance is
    noise.
    """
    series, names = [], []
    for name, rows in SYSTEMS.items():
        column = zscore(rows[:, 0])[part]
        for start in rng.integers(0, len(column) - LENGTH, EACH):
            noisy = column[start : start + LENGTH] + rng.normal(0, 0.5, LENGTH)
            series.append(rng.uniform(0.5, 2) * (noisy + rng.normal())[:, None])
            names.append(name)
    return series, names


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("results"))
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    series, names = windows(slice(0, 1000), np.random.default_rng(0))
    unseen, wanted = windows(slice(1000, None), np.random.default_rng(1))
    model = sn.ESNClassifier(random_state=0).fit(series, names)
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.4, 3.3), layout="constrained")
    for level, name in enumerate(reversed(SYSTEMS)):
        left.plot(zscore(series[names.index(name)]) + 5 * level, lw=1.4)
    left.set(
        yticks=5 * np.arange(len(SYSTEMS)),
        yticklabels=list(reversed(SYSTEMS)),
        xlabel="step",
        title="one window of each",
    )
    style = {
        "normalize": "true",
        "values_format": ".2f",
        "cmap": "Blues",
        "colorbar": False,
        "xticks_rotation": 30,
    }
    ConfusionMatrixDisplay.from_predictions(
        wanted, model.predict(unseen), labels=list(SYSTEMS), ax=right, **style
    )
    for label in right.get_xticklabels():
        label.set(ha="right", rotation_mode="anchor")
    right.set(xlabel="predicted", ylabel="true", title="share of unseen windows")
    figure.savefig(out / "classify_windows.png", dpi=110)
    score = model.score(unseen, wanted)
    print(f"{100 * score:.0f} % of {len(unseen)} unseen windows classified correctly")


if __name__ == "__main__":
    main()
