"""Six short recordings of the Lorenz system: as a list, joined by hand, and the last one alone."""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import matplotlib
import numpy as np

import spheresn as sn

matplotlib.use("Agg")
import matplotlib.pyplot as plt

RECORDINGS, ROWS, CONTEXT, AHEAD, DT = 6, 300, 100, 1000, 0.02
EXPONENT, LIMIT = 0.906, 0.4  # of the Lorenz system; deviations within which a forecast is true


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("results"))
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)

    # Cut from far apart, as if someone had switched the instrument on six times
    series = sn.datasets.lorenz(1000 * RECORDINGS + CONTEXT + AHEAD, DT)
    recordings = [series[1000 * k :][:ROWS] for k in range(RECORDINGS)]
    ways = {
        "fit([a, b, c, d, e, f])": recordings,
        "joined by hand": np.concatenate(recordings),
        "the last one alone": recordings[-1],
    }
    start, truth = series[-CONTEXT - AHEAD : -AHEAD], series[-AHEAD:]
    times = EXPONENT * DT * np.arange(1, AHEAD + 1)
    figure, panels = plt.subplots(3, 1, figsize=(8, 5), sharex=True, layout="constrained")
    for axes, (name, rows) in zip(panels, ways.items(), strict=True):
        model = sn.ESNForecaster(units=200, observation_noise=0, random_state=0).fit(rows)
        with warnings.catch_warnings():  # the poor ones may leave the range, and say so
            warnings.simplefilter("ignore", RuntimeWarning)
            run = model.forecast(AHEAD, start=start)
        wrong = np.sqrt(np.square((run - truth) / series.std(axis=0)).mean(axis=1)) > LIMIT
        steps = int(np.argmax(wrong)) if wrong.any() else AHEAD
        print(f"{name}: true for {times[steps - 1]:.1f} Lyapunov times")
        axes.plot(times, truth[:, 0], color="0.25", lw=1, label="truth")
        axes.plot(times, run[:, 0], color="#0072B2", lw=1.6, label="forecast")
        axes.axvspan(
            0.0, times[steps - 1], color="#009E73", alpha=0.12, lw=0, label="within .4 deviations"
        )
        axes.set(ylabel="x", ylim=(-25, 25))
        axes.set_title(name, loc="left", fontsize=10)
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].legend(
        frameon=False, ncols=3, loc="lower right", bbox_to_anchor=(1, 0.96), fontsize=9
    )
    panels[-1].set(xlabel="time (Lyapunov times)", xlim=(0.0, times[-1]))
    figure.savefig(out / "several_recordings.png", dpi=100)


if __name__ == "__main__":
    main()
