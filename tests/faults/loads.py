"""Large loads, each run in a process of its own: `python loads.py NAME FOLDER` prints its bytes and
seconds as JSON.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.linalg.blas import dsyrk
from threadpoolctl import threadpool_limits

import fake_experiment as fake
import spheresn as sn
from spheresn.apps.cli import main
from spheresn.readout.gram import block_rows
from spheresn_paper.reproduce import Request, reproduce
from spheresn_paper.runner import ResultStore, Unit, canonical, perform

SAMPLE = 512  # rows that judge a penalty
MILLION = 1_000_000
# The work, bytes predicted, floating point operations (0: not the measure)
Load = tuple[Callable[[], Any], float, float]


def fit_bytes(n: int, m: int) -> float:
    """Three N × N matrices (sums, their sum or copy, a factor), two blocks of states, the sample,
    and all of these for m targets.
    """
    block = block_rows(n)
    return 8.0 * (3 * n * n + n * (2 * block + 6 * SAMPLE) + m * (12 * n + 2 * block + 6 * SAMPLE))


def read_bytes(n: int) -> float:
    """Two chunks of states, while a long series is taken in or predicted."""
    return 8.0 * 2 * 4096 * n


def fit_flops(n: int, rows: int, factors: int = 3) -> float:
    """N² per row for half of a symmetric product; a factor N³/3, and the sample through it."""
    return float(rows * n**2 + factors * (n**3 / 3 + SAMPLE * n**2))


def million_rows(folder: Path) -> Load:
    rng, model = np.random.default_rng(0), sn.ESNRegressor(500, random_state=0)

    def work() -> None:
        for _ in range(50):
            rows = rng.standard_normal((MILLION // 50, 1))
            model.partial_fit(rows, np.roll(rows[:, 0], 1))
        assert model.predict(rows).shape == (MILLION // 50,)

    return work, fit_bytes(500, 1) + read_bytes(500), fit_flops(500, MILLION)


def million_rows_taken(folder: Path) -> Load:
    series = np.sin(0.1 * np.arange(float(MILLION)))
    model = sn.ESNForecaster(500, bend=0.5, memory=3, random_state=0).fit(series[:2000])
    return (
        lambda: (model.update(series), model.predict(series)),
        read_bytes(500) + 8.0 * 8 * MILLION,
        0.0,
    )


def many_units(folder: Path) -> Load:
    rows = np.random.default_rng(0).standard_normal((6000, 1))
    model = sn.ESNRegressor(5000, topology="rotation", bend=0.5, memory=3, random_state=0)
    return (
        lambda: model.fit(rows, np.roll(rows[:, 0], 1)),
        fit_bytes(5000, 1),
        fit_flops(5000, 6000),
    )


def ragged(count: int = 10_000) -> list[Any]:
    rng = np.random.default_rng(0)
    return [rng.standard_normal((length, 1)) for length in rng.integers(10, 90, count)]


def many_series(folder: Path) -> Load:
    series = ragged()
    rows = sum(map(len, series))
    model = sn.ESNRegressor(500, random_state=0)
    return (
        lambda: model.fit(series, series),
        fit_bytes(500, 1) + 16.0 * rows + 500 * len(series),
        fit_flops(500, rows),
    )


def many_labels(folder: Path) -> Load:
    series = ragged()
    labels = [i % 3 for i in range(len(series))]
    for rows, label in zip(series, labels, strict=True):
        rows += 3 * np.sin((0.3 + 0.2 * label) * np.arange(len(rows)))[:, None]
    model = sn.ESNClassifier(500, random_state=0)

    def work() -> None:
        assert model.fit(series, labels).score(series, labels) > 0.9

    predicted = fit_bytes(1000, 3) + 8.0 * 4 * sum(map(len, series)) + 500 * len(series)
    return work, predicted, fit_flops(1000, len(series))


def many_targets(folder: Path) -> Load:
    rows = np.random.default_rng(0).standard_normal((20_000, 3))
    targets = np.empty((20_000, 1000))
    for column in range(1000):
        targets[:, column] = np.roll(rows[:, column % 3], column // 3)
    products = 2.0 * 500 * 1000 * (20_000 + 7 * SAMPLE)
    return (
        lambda: sn.ESNRegressor(500, random_state=0).fit(rows, targets),
        fit_bytes(500, 1000),
        fit_flops(500, 20_000) + products,
    )


def table(folder: Path) -> tuple[Path, float]:
    """A file of a million rows, and the bytes of reading it: its text six times, its numbers four
    times.
    """
    path, times = folder / "million.csv", np.arange(float(MILLION))
    dates = pd.date_range("2020-01-01", periods=MILLION, freq="min").strftime("%Y-%m-%d %H:%M")
    with path.open("w") as file:
        file.write("date,load,temperature\n")
        for first in range(0, MILLION, 10_000):
            t = times[first : first + 10_000]
            load, warmth = np.sin(0.1 * t) + 0.3 * np.sin(0.0137 * t**1.01), np.cos(0.013 * t)
            file.writelines(
                f"{d},{a!r},{b!r}\n"
                for d, a, b in zip(dates[first:], load.tolist(), warmth.tolist(), strict=False)
            )
    return path, 6.0 * path.stat().st_size + 4 * 8.0 * 3 * MILLION


def command(folder: Path, *words: str) -> Callable[[], None]:
    def work() -> None:
        assert main([words[0], str(folder / "million.csv"), *words[1:]]) == 0

    return work


def table_fit(folder: Path) -> Load:
    _, reading = table(folder)
    return (
        command(folder, "fit", "--units", "100", "--out", str(folder / "m.spheresn")),
        reading + 12 * 16.0 * MILLION,
        0.0,
    )


def table_predict(folder: Path) -> Load:
    path, reading = table(folder)
    model = sn.ESNRegressor(100, bend=0.5, memory=3, random_state=0).fit(
        *np.random.default_rng(0).standard_normal((2, 500, 1))
    )
    sn.save(model, folder / "r.spheresn")
    frame = pd.read_csv(path, usecols=["date", "load"])
    frame.to_csv(folder / "one.csv", index=False)
    words = [
        "predict",
        str(folder / "r.spheresn"),
        str(folder / "one.csv"),
        "--out",
        str(folder / "out.csv"),
    ]
    # A row of text is a list and two strings
    return lambda: main(words), reading + 300.0 * MILLION, 0.0


def table_forecast(folder: Path) -> Load:
    _, reading = table(folder)
    return (
        command(folder, "forecast", "--out", str(folder / "out")),
        reading + 12 * 16.0 * MILLION,
        0.0,
    )


def resumed(folder: Path, count: int = 100_000) -> Load:
    """All units of a run have results: resuming computes nothing."""
    config = fake.Config(units=count, size=4)
    outcome = perform(fake.run, (config, {"index": 0}, 0))
    store, text = ResultStore(folder), canonical(vars(config))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda handle: None)  # they need not survive a power cut
        for task in fake.tasks(config):
            store.save(Unit("fake", text, canonical(task), 0), outcome)
    fake.PRESETS["smoke"] = config
    wanted, watch = (
        Request(("fake",), "smoke", folder, 1, 0),
        lambda totals: nullcontext(lambda *progress: None),
    )

    def work() -> None:
        (section,) = reproduce({"fake": fake}, wanted, watch, lambda words: None)
        assert section.units == count and not section.holes and section.problem is None

    return work, 4500.0 * count, 0.0


def speed() -> float:
    """Floating point operations that one core does per second, of the product that fits consist of;
    the best of some tries.
    """
    rows = 1024
    block, out, best = np.ones((500, rows), order="F"), np.zeros((500, 500), order="F"), np.inf
    with threadpool_limits(1):
        for _ in range(20):
            began = time.process_time()
            dsyrk(1.0, block, c=out, overwrite_c=1, lower=1)
            best = min(best, time.process_time() - began)
    return fit_flops(500, rows, 0) / best


def warmed_up() -> None:
    """With all code loaded and compiled, so that what grows afterwards is data."""
    x = np.random.default_rng(0).standard_normal((1200, 1))
    for topology in ("ring", "rotation"):
        sn.ESNRegressor(20, topology=topology, random_state=0).fit(x, x)
    sn.ESNForecaster(20, random_state=0).fit(x)
    sn.ESNRegressor(20, random_state=0).fit([x[:600], x[600:]], [x[:600], x[600:]])
    sn.ESNClassifier(20, random_state=0).fit([x[:600], x[600:]], [0, 1])


def memory(line: str) -> int:
    """Bytes, by a line of /proc/self/status."""
    (found,) = [
        row for row in Path("/proc/self/status").read_text().splitlines() if row.startswith(line)
    ]
    return 1024 * int(found.split()[1])


def measured(name: str, folder: Path) -> dict[str, float]:
    warmed_up()
    work, predicted, flops = globals()[name](folder)
    rate = speed() if flops else np.inf
    Path("/proc/self/clear_refs").write_text("5")  # the peak of compiling is forgotten
    before = memory("VmRSS")
    wall, core = time.perf_counter(), time.process_time()
    work()
    wall, core = time.perf_counter() - wall, time.process_time() - core
    grew = memory("VmHWM") - before
    return {
        "grew": grew,
        "predicted": predicted,
        "seconds": wall,
        "core_seconds": core,
        "least_core_seconds": flops / rate,
    }


if __name__ == "__main__":
    result = measured(sys.argv[1], Path(sys.argv[2]))
    print("\n" + json.dumps(result))
