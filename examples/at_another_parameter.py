"""Seven recordings of the logistic map, all above the onset of chaos, and what the model says of
other values of r: where does chaos begin?
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib
import numpy as np

import spheresn as sn

matplotlib.use("Agg")
import matplotlib.pyplot as plt

# Free runs begin at the end of the last recording: the one that is nearest to what is asked
KNOWN, ROWS = np.linspace(3.9, 3.6, 7), 150
ASKED = np.linspace(3.3, 3.9, 301)
ONSET = 3.569946  # of chaos, where the periods have doubled without end (Feigenbaum 1978)
STEPS, TRANSIENT = 700, 500


def logistic(r: float, rows: int) -> np.ndarray:
    """The map x -> r x (1 - x), rows (T, 1)."""
    found = [0.3]
    for _ in range(rows - 1):
        found.append(r * found[-1] * (1.0 - found[-1]))
    return np.array(found)[:, None]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("results"))
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)

    recordings = [logistic(r, ROWS) for r in KNOWN]
    beside = [np.full((ROWS, 1), r) for r in KNOWN]
    model = sn.ESNForecaster(units=100, observation_noise=0, random_state=0)
    model.fit(recordings, exogenous=beside)

    figure, (above, below) = plt.subplots(2, 1, figsize=(8, 5.4), sharex=True, layout="constrained")
    for r in ASKED:
        run = logistic(r, STEPS)[TRANSIENT:, 0]
        above.plot(np.full(len(run), r), run, ",", color="0.25")
    options = {"steps": STEPS, "transient": TRANSIENT, "extremes": False}
    sn.plotting.bifurcation(model, ASKED, below, **options)
    for axes, name in ((above, "the map"), (below, "the model")):
        for r in KNOWN:
            axes.axvline(r, color="#D55E00", lw=1, label="recorded" if r == KNOWN[0] else None)
        axes.axvline(ONSET, color="#009E73", ls="--", lw=1, label="chaos begins")
        axes.set(ylabel="x", xlabel="", ylim=(0, 1))
        axes.set_title(name, loc="left", fontsize=10)
        axes.spines[["top", "right"]].set_visible(False)
    above.legend(frameon=False, ncols=2, loc="lower right", bbox_to_anchor=(1, 0.96), fontsize=9)
    below.set(xlabel="r", xlim=(ASKED[0], ASKED[-1]))
    figure.savefig(out / "at_another_parameter.png", dpi=100)
    for r in (3.4, 3.5, 3.56):
        run = model.forecast(STEPS, np.full((STEPS, 1), r))[TRANSIENT:]
        truth = logistic(r, STEPS)[TRANSIENT:]
        print(f"r = {r}: {np.unique(run.round(4))}; the map: {np.unique(truth.round(4))}")


if __name__ == "__main__":
    main()
