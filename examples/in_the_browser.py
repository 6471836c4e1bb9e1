"""Write a forecaster as ONNX, with the series that the page of the guide shows, and run the graphs
with onnxruntime as the page does.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import matplotlib
import numpy as np
import onnxruntime

import spheresn as sn

matplotlib.use("Agg")
import matplotlib.pyplot as plt

DT, EXPONENT = 0.02, 0.906  # of Lorenz: between rows, and per unit of time
SEEN, AHEAD = 1000, 1400  # rows of the slider, and steps of each forecast


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("results"))
    given = parser.parse_args()
    series = sn.datasets.lorenz(4000 + SEEN + AHEAD, DT)
    rows, truth = series[:4000], series[4000:]
    model = sn.ESNForecaster(units=200, observation_noise=0, random_state=0).fit(rows)
    files = sn.export(model, given.out, "onnx", name="lorenz")
    page = {"rows": truth.round(9).tolist(), "seen": SEEN, "dt": DT, "exponent": EXPONENT}
    (given.out / "series.json").write_text(json.dumps(page))

    start, update, forecast = (onnxruntime.InferenceSession(file) for file in files)
    (state,) = start.run(None, {})
    figure, panels = plt.subplots(3, 1, figsize=(8, 5), sharex=True, layout="constrained")
    for panel, first in zip(panels, (0, 400, 800), strict=True):
        for row in truth[max(0, first - 400) : first]:
            state, _ = update.run(None, {"state": state, "row": row})
        run, _ = forecast.run(None, {"state": state, "steps": np.array(AHEAD)})
        true = truth[first : first + AHEAD]
        valid = sn.metrics.valid_time(true, run, dt=DT) * EXPONENT
        times = DT * EXPONENT * np.arange(AHEAD)
        panel.plot(times, true[:, 0], "k", label="what happened")
        panel.plot(times, run[:, 0], "C0--", label="forecast by ONNX")
        panel.axvline(valid, color="C1")
        panel.set(ylabel="x", title=f"from row {first}: true for {valid:.1f} Lyapunov times")
    panels[0].legend(loc="lower left", ncols=2)
    panels[-1].set_xlabel("Lyapunov times")
    figure.savefig(given.out / "in_the_browser.png", dpi=80)
    print(*(f"{file.name}: {file.stat().st_size / 1000:.0f} kB" for file in files), sep="\n")


if __name__ == "__main__":
    main()
