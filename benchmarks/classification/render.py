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
SHOWN, SHOWN_UNITS = "GunPoint", 6
MEANING = ("a hand draws a gun", "a hand points")


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
    from spheresn.series.scaling import in_own_deviations

    rows = in_own_deviations(rows) if network.view.own else rows
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
    """Of two series: the unit of a group that leads at each step, the share of time that each unit
    leads, and what each step speaks for.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    problem = load(SHOWN)
    model = sn.ESNClassifier(random_state=0).fit(problem.train, problem.train_labels)
    chosen = [int(np.flatnonzero(problem.test_labels == one)[1]) for one in model.classes_]
    series = [problem.test[i] for i in chosen]
    network = next(one for one in model.ensemble_.networks if one.view.stride == 3)
    first = [leaders(network, rows)[0][:, 0] for rows in series]
    traces = [evidence(model, rows) for rows in series]
    limit = float(np.quantile(np.abs(traces), 0.98))
    # The units that lead most; all others are grey
    counts = sum(np.bincount(lead, minlength=network.reservoir.units) for lead in first)
    most = np.argsort(-counts, kind="stable")[:SHOWN_UNITS]
    colours = np.full(network.reservoir.units, SHOWN_UNITS)
    colours[most] = np.arange(SHOWN_UNITS)
    palette = [*plt.get_cmap("tab10").colors[:SHOWN_UNITS], (0.75, 0.75, 0.75)]
    figure, axes = plt.subplots(
        3, 2, figsize=(8.0, 7.0), sharey="row", height_ratios=(3, 2, 3), layout="constrained"
    )
    for column, (rows, lead, trace) in enumerate(zip(series, first, traces, strict=True)):
        steps, values = np.arange(len(rows)), rows[:, 0]
        upper, bars, lower = axes[:, column]
        for one in (upper, lower):
            one.plot(steps, values, color="0.75", lw=1.0, zorder=1)
            one.set_xlabel("step")
        upper.scatter(steps, values, c=[palette[k] for k in colours[lead]], s=14, zorder=2)
        upper.set_title(f"a series of class {model.classes_[column]}: {MEANING[column]}")
        shares = np.bincount(colours[lead], minlength=SHOWN_UNITS + 1) / len(rows)
        bars.bar(np.arange(SHOWN_UNITS + 1), 100 * shares, color=palette)
        names = [f"unit {unit}" for unit in most] + ["others"]
        bars.set_xticks(np.arange(SHOWN_UNITS + 1), names, rotation=30)
        drawn = lower.scatter(
            steps, values, c=trace, cmap="coolwarm", vmin=-limit, vmax=limit, s=14, zorder=2
        )
    for one, text in zip(
        axes[:, 0],
        (
            "1. At each step one unit\nof a group leads (colour)",
            "2. Features: its share\nof the time, in %",
            "3. What each step\nspeaks for (colour)",
        ),
        strict=True,
    ):
        one.set_ylabel(text)
    bar = figure.colorbar(drawn, ax=axes[2, :], pad=0.01, ticks=[-limit, 0.0, limit])
    bar.ax.set_yticklabels([f"class {model.classes_[0]}", "neither", f"class {model.classes_[1]}"])
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
