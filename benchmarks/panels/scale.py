"""What a panel of many series costs: processor seconds and memory of a fit and a forecast of 30,000
daily series of 400 rows, which are made here, from a folder of Parquet files.

    python -m panels.scale            # writes build/panels/scale.json
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import time
from pathlib import Path

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from .sources import PLACE

MEASURED = PLACE / "scale.json"
ROWS, FILE = 400, 1000  # of a series; series of a file


def write(folder: Path, series: int) -> None:
    """The files: a week's wave of its own in every series, a level, and noise."""
    folder.mkdir(parents=True, exist_ok=True)
    days = pd.date_range("2022-01-01", periods=ROWS)
    for first in range(0, series, FILE):
        file = folder / f"part-{first // FILE:04d}.parquet"
        if file.exists():
            continue
        rng = np.random.default_rng(first)
        count = min(FILE, series - first)
        phase, level = rng.uniform(0, 2 * np.pi, (count, 1)), rng.normal(3, 1, (count, 1))
        wave = 0.3 * np.sin(2 * np.pi * np.arange(ROWS) / 7 + phase)
        values = np.exp(level) * (1 + wave + 0.1 * rng.normal(size=(count, ROWS)))
        names = np.repeat([f"series {first + k:07d}" for k in range(count)], ROWS)
        frame = pd.DataFrame({"unique_id": names, "ds": np.tile(days, count), "y": values.ravel()})
        frame.to_parquet(file)


def learn(folder: str, out: str, found: dict[str, float]) -> None:
    """The seconds and the memory of a fit and a forecast, in a process of their own."""
    from spheresn.forecasting import PanelForecaster

    with threadpool_limits(1):
        began = time.process_time()
        model = PanelForecaster(verbose=False).fit(folder)
        found["fit"] = time.process_time() - began
        began = time.process_time()
        model.forecast_files(out)
        found["forecast"] = time.process_time() - began
    found["megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    found["series"], found["steps"] = float(model.n_series_), float(model.horizon_)
    found["season"] = float(model.season_)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--series", type=int, default=30_000)
    asked = parser.parse_args()
    folder = PLACE / f"scale-{asked.series}"
    context = multiprocessing.get_context("spawn")
    writer = context.Process(target=write, args=(folder, asked.series))
    writer.start()
    writer.join()
    with context.Manager() as manager:
        found = manager.dict()
        process = context.Process(target=learn, args=(str(folder), str(PLACE / "out"), found))
        process.start()
        process.join()
        content = dict(found) | {"rows": ROWS}
    MEASURED.write_text(json.dumps(content, indent=1) + "\n")
    print(content)


if __name__ == "__main__":
    main()
