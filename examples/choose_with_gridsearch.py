"""Which memory and which bend suit NARMA-10? A grid search by scikit-learn, each fold judged on
rows that come after its training.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib
import numpy as np
from sklearn.model_selection import GridSearchCV, TimeSeriesSplit

import spheresn as sn

matplotlib.use("Agg")
import matplotlib.pyplot as plt

MEMORIES, BENDS = [2, 4, 8, 16], [0.0, 0.1, 0.2, 0.4]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("results"))
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)

    signal, target = sn.datasets.narma(4000, 0)
    search = GridSearchCV(
        sn.ESNRegressor(units=100, topology="ring", bias_ratio=3.0, random_state=0),
        {"memory": MEMORIES, "bend": BENDS},
        cv=TimeSeriesSplit(3),
    ).fit(signal, target)
    # Bend varies slowest: names are sorted
    scores = search.cv_results_["mean_test_score"].reshape(len(BENDS), len(MEMORIES))

    figure, axes = plt.subplots(figsize=(5.4, 3.8), layout="constrained")
    mesh = axes.imshow(scores, cmap="viridis", vmin=0, vmax=1, origin="lower")
    for (i, j), score in np.ndenumerate(scores):
        axes.text(
            j,
            i,
            f"{score:.2f}",
            ha="center",
            va="center",
            color="white" if score < 0.6 else "black",
        )
    axes.set(xticks=range(len(MEMORIES)), xticklabels=MEMORIES, xlabel="memory (steps)")
    axes.set(
        yticks=range(len(BENDS)),
        yticklabels=BENDS,
        ylabel="bend",
        title="NARMA-10: R² on rows that come later",
    )
    figure.colorbar(mesh, label="R²")
    figure.savefig(out / "choose_with_gridsearch.png", dpi=110)
    print(f"best: {search.best_params_}, R² {search.best_score_:.2f}")


if __name__ == "__main__":
    main()
