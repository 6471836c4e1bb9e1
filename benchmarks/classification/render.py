"""Tables of classification.json in the terminal, and the picture of what the features see."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

import spheresn as sn
from spheresn.io import whole_file

from .problems import load
from .run import COLLECTED
from .summary import HALVES, problems_table, table

PICTURE = Path(__file__).parents[2] / "docs" / "images" / "classification.png"
SHOWN = "GunPoint"


def weights_of_units(model: Any) -> Any:
    """The weights of leads and of trails (2, N) for the second class, one array per network."""
    difference = model.weights_.matrix[:, 1] - model.weights_.matrix[:, 0]
    parts, first = [], 0
    for one in model.ensemble_.networks:
        units = one.reservoir.units
        parts.append(difference[first : first + 2 * units].reshape(2, units))
        first += 2 * units
    return parts


def leaders(network: Any, rows: Any) -> tuple[Any, Any]:
    """For each row and group the unit that leads and the unit that trails (T, groups)."""
    from spheresn.estimators.ensemble import Cases

    signal = network.scaler.forward(network.view.of(Cases.of([rows])))
    signal = signal.astype(network.reservoir.dtype)
    stride, edges = network.view.stride, network.edges
    states = np.empty((len(rows), network.reservoir.units))
    for phase in range(stride):
        states[phase::stride] = sn.drive(network.reservoir, signal[phase::stride], network.rest)
    z = (states - network.mean) / network.scale
    groups = range(len(edges) - 1)
    parts = [z[:, edges[g] : edges[g + 1]] for g in groups]
    top = np.stack([edges[g] + parts[g].argmax(axis=1) for g in groups], axis=1)
    bottom = np.stack([edges[g] + parts[g].argmin(axis=1) for g in groups], axis=1)
    return top, bottom


def evidence(model: Any, rows: Any) -> Any:
    """What each row adds to the output for the second class; the sum over the rows is the output
    without its intercept.

    A unit that leads at n of T rows adds w √(n/T) in all, the same at each of the n rows.
    """
    total = np.zeros(len(rows))
    for network, weights in zip(model.ensemble_.networks, weights_of_units(model), strict=True):
        for places, weight in zip(leaders(network, rows), weights, strict=True):
            counts = np.bincount(places.ravel(), minlength=len(weight))
            each = weight * np.sqrt(counts / len(rows)) / np.maximum(counts, 1)
            total += each[places].sum(axis=1)
    return total


def picture(path: Path) -> None:
    """Two series, who leads in one group of units, and what each step speaks for."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    problem = load(SHOWN)
    model = sn.ESNClassifier(random_state=0).fit(problem.train, problem.train_labels)
    chosen = [int(np.flatnonzero(problem.test_labels == one)[1]) for one in model.classes_]
    series = [problem.test[i] for i in chosen]
    titles = [f"{SHOWN}, class {one}" for one in model.classes_]
    network = next(one for one in model.ensemble_.networks if one.view.stride == 3)
    traces = [evidence(model, rows) for rows in series]
    limit = max(float(np.abs(trace).max()) for trace in traces)
    figure, axes = plt.subplots(
        2,
        2,
        figsize=(8.0, 4.6),
        sharex=True,
        sharey="row",
        height_ratios=(3, 2),
        layout="constrained",
    )
    for column, (rows, trace, title) in enumerate(zip(series, traces, titles, strict=True)):
        steps = np.arange(len(rows))
        upper, lower = axes[0, column], axes[1, column]
        upper.plot(steps, rows[:, 0], color="0.75", lw=1.0, zorder=1)
        drawn = upper.scatter(
            steps, rows[:, 0], c=trace, cmap="coolwarm", vmin=-limit, vmax=limit, s=14, zorder=2
        )
        upper.set_title(title, fontsize=10)
        top, _ = leaders(network, rows)
        lower.scatter(steps, top[:, 0], s=5, color="C0")
        lower.set_xlabel("step")
    axes[0, 0].set_ylabel("series")
    axes[1, 0].set_ylabel("unit that leads\n(one group, stride 3)")
    bar = figure.colorbar(drawn, ax=axes, pad=0.01, shrink=0.6, ticks=[-limit, 0.0, limit])
    bar.ax.set_yticklabels([f"class {model.classes_[0]}", "neither", f"class {model.classes_[1]}"])
    bar.set_label("what a step speaks for")
    with whole_file(path) as draft:
        figure.savefig(draft, dpi=110, format="png")
    plt.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--collect", type=Path, default=COLLECTED)
    parser.add_argument("--picture", type=Path, default=PICTURE)
    asked = parser.parse_args()
    found = json.loads(asked.collect.read_text(encoding="utf-8"))
    for half in HALVES:
        print(f"\n{half}\n\n{table(found, half)}")
    print(f"\n{problems_table(found)}")
    picture(asked.picture)


if __name__ == "__main__":
    main()
