"""How well `ESNForecaster.watch` finds faults, beside CUSUM, Page-Hinkley and a z-score on the
errors of an autoregression; how many alarms and changes there are where nothing is wrong; what ten
million rows cost.

    python benchmarks/surprise.py             # calm series, injected faults, labelled series
    python benchmarks/surprise.py --stream    # ten million rows through a pipe

Labelled series are read from the wheel of aeon, whose code is not imported: others marked their
faults. Faults of known kinds are put into series of `spheresn.datasets`. A rival's threshold is in
units of its largest value on a calm stretch before, twice as long as the one to be watched, and is
chosen afterwards so that it raises as many false alarms as `watch`. Writes
benchmarks/surprise.json.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import os
import select
import subprocess
import sys
import time
import warnings
import zipfile
from collections.abc import Callable, Iterator
from copy import deepcopy
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import Ridge

import spheresn as sn
from spheresn.estimators.surprise import judged

HERE = Path(__file__).parent
WHEEL = HERE.parent / "build" / "surprise"
AEON = "aeon==1.6.0"
TRAINING, CALM, WATCHED = 2000, 2000, 1000  # rows: learned from; without a fault; from its begin
LAGS = 20  # of the autoregression
LEVEL, PATIENCE = 0.01, 100_000.0
PLACES = 10  # of each fault in each series
FAULTS: dict[str, Callable[[np.ndarray, np.random.Generator], np.ndarray]] = {
    "nothing": lambda x, rng: x,
    "offset of 0.3 deviations": lambda x, rng: x + 0.3 * x.std(),
    "stuck": lambda x, rng: np.full_like(x, x[0]),
    "noise of 0.1 deviations": lambda x, rng: x + 0.1 * x.std() * rng.standard_normal(x.shape),
    "gain of 0.8": lambda x, rng: x.mean() + 0.8 * (x - x.mean()),
    "drift of 1 deviation in 500 rows": lambda x, rng: x + x.std() * np.arange(len(x)) / 500,
}


def calm_series() -> dict[str, np.ndarray]:
    """Series (T,) without a fault, with noise where a sensor would have some."""
    rng, rows = np.random.default_rng(7), TRAINING + CALM + 12_000
    lorenz = sn.datasets.lorenz(rows)[:, 0]
    mackey = sn.datasets.mackey_glass(rows).ravel()
    waves = sn.datasets.mso(rows).ravel()
    clean = {"Lorenz x": lorenz, "Mackey-Glass": mackey, "two waves": waves}
    noisy = {
        f"{name}, noise of {share:.0%}": x + share * x.std() * rng.standard_normal(rows)
        for name, x in clean.items()
        for share in (0.01, 0.1)
    }
    return {"Mackey-Glass": mackey, **noisy, "laser": sn.datasets.santa_fe_laser().ravel()}


def fitted(rows: np.ndarray) -> sn.ESNForecaster:
    """The forecaster that `spheresn watch` learns."""
    return sn.ESNForecaster(200, observation_noise=0, random_state=0, verbose=False).fit(rows)


def autoregression(rows: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """Errors (T,) of a linear autoregression, learned from these rows, in deviations."""
    mean, scale = rows.mean(), rows.std()

    def lagged(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        z = (x - mean) / scale
        return np.lib.stride_tricks.sliding_window_view(z, LAGS)[:-1], z[LAGS:]

    model = Ridge(1e-6).fit(*lagged(rows))

    def errors(x: np.ndarray) -> np.ndarray:
        past, target = lagged(x)
        return np.r_[np.zeros(LAGS), target - model.predict(past)]

    return errors


def cusum(errors: np.ndarray) -> np.ndarray:
    """max of both one-sided sums of errors less half a deviation [PAG54]."""
    up = down = 0.0
    found = []
    for e in errors:
        up, down = max(up + e - 0.5, 0.0), max(down - e - 0.5, 0.0)
        found.append(max(up, down))
    return np.array(found)


def page_hinkley(errors: np.ndarray) -> np.ndarray:
    """How far the sum of absolute errors, less their running mean, is above its minimum [HIN71]."""
    total = lowest = mean = 0.0
    found = []
    for k, e in enumerate(np.abs(errors), 1):
        mean += (e - mean) / k
        total += e - mean - 0.005
        lowest = min(lowest, total)
        found.append(total - lowest)
    return np.array(found)


STATISTICS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "z-score": np.abs,
    "CUSUM": cusum,
    "Page-Hinkley": page_hinkley,
}


def rivals(errors: np.ndarray, begin: int) -> Iterator[tuple[str, np.ndarray]]:
    """Each statistic from `begin` on, in units of its largest value on the calm rows before."""
    scaled = errors / max(errors[:begin].std(), 1e-12)
    for name, statistic in STATISTICS.items():
        found = statistic(scaled)
        yield name, found[begin:] / found[begin - CALM : begin].max()


def ours(errors: np.ndarray, begin: int, stretch: int) -> tuple[int | None, int]:
    """Rows until a change is announced, and changes before."""
    early, changed = 0, False
    for k, one in enumerate(judged(iter(errors), LEVEL, PATIENCE)):
        if one.changed and not changed:
            if k >= begin:
                return (k - begin if k < begin + stretch else None), early
            early += 1
        changed = one.changed
        if k >= begin + stretch:
            break
    return None, early


def calm(x: np.ndarray) -> dict[str, Any]:
    """The share of alarms, and the changes, where nothing is wrong."""
    model, rest = fitted(x[:TRAINING]), x[TRAINING:]
    found = list(model.watch(rest, level=LEVEL, patience=PATIENCE))
    p = np.array([one.probability for one in found])
    known = p[np.isfinite(p)]
    begins = sum(b.changed and not a.changed for a, b in pairwise(found))
    inside = [one.lower <= one.value <= one.upper for one in found if np.isfinite(one.upper)]
    return {
        "rows": len(known),
        "alarms": float((known <= LEVEL).mean()),
        "inside": float(np.mean(inside)),
        "changes": int(begins),
    }


Found = dict[str, dict[str, list[Any]]]


def injected(x: np.ndarray) -> Found:
    """For all faults: delays of `watch`, None where it is missed, and statistics of the rivals."""
    rng = np.random.default_rng(3)
    model, linear = fitted(x[:TRAINING]), autoregression(x[:TRAINING])
    places = np.linspace(TRAINING + CALM, len(x) - WATCHED - 1, PLACES).astype(int)
    found: Found = {}
    for fault, change in FAULTS.items():
        methods = found.setdefault(fault, {})
        for place in places:
            rows = x[place - CALM : place + WATCHED].copy()
            rows[CALM:] = change(rows[CALM:], rng)
            before = x[place - CALM - 200 : place - CALM]  # for the state and the lags
            start = deepcopy(model).update(before)
            errors = np.array([one.value - one.forecast for one in start.watch(rows)])
            mine, early = ours(errors, CALM, WATCHED)
            methods.setdefault("watch", []).append(mine)
            methods.setdefault("watch, early", []).append(early)
            both = {"network": errors[:, 0], "AR": linear(np.r_[before, rows])[len(before) :]}
            for kind, one in both.items():
                for name, statistic in rivals(one, CALM):
                    methods.setdefault(f"{name} on {kind}", []).append(statistic)
    return found


def equally_careful(found: dict[str, Found]) -> dict[str, Any]:
    """The delays of the rivals, each with the one threshold at which it raises false alarms in as
    many of all calm stretches as `watch` does; and how often it does with the threshold of the calm
    rows before.
    """
    nothing = [series["nothing"] for series in found.values()]
    false = np.mean([delay is not None for one in nothing for delay in one["watch"]])
    plain = {}
    for method in [name for name in nothing[0] if " on " in name]:
        highest = np.array([part.max() for one in nothing for part in one[method]])
        threshold = float(np.quantile(highest, 1.0 - false, method="higher"))
        plain[method] = {"false": float((highest > 1.0).mean()), "threshold": threshold}
        for series in found.values():
            for faults in series.values():
                faults[method] = [_first(part > threshold) for part in faults[method]]
    return {"faults": found, "thresholds": plain}


def _first(which: np.ndarray) -> int | None:
    return int(np.argmax(which)) if which.any() else None


def wheel() -> zipfile.ZipFile:
    """The wheel of aeon, which has labelled series."""
    found = sorted(WHEEL.glob("aeon-*.whl"))
    if not found:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", AEON]
        subprocess.run([*command, "--dest", str(WHEEL)], check=True)
        found = sorted(WHEEL.glob("aeon-*.whl"))
    return zipfile.ZipFile(found[-1])


def table(package: zipfile.ZipFile, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Values (T, d) and labels (T,) of a series."""
    text = io.TextIOWrapper(package.open(f"aeon/datasets/data/{name}.csv"), encoding="utf-8")
    _, *rows = csv.reader(text)
    numbers = np.array([[float(cell) for cell in row[1:]] for row in rows])
    return numbers[:, :-1], numbers[:, -1] > 0.5


def labelled() -> dict[str, Any]:
    """Series whose faults others have marked: which of them are found, and what else is.

    The other labelled series of the wheel have no mark, or too few rows before one.
    """
    package, found = wheel(), {}
    bleeding = [
        table(package, f"KDD-TSAD_135/135_UCR_Anomaly_InternalBleeding16_{part}")
        for part in ("TRAIN", "TEST")
    ]
    heart = [table(package, f"UnitTest/ecg-diff-count-3_{part}") for part in ("TRAIN_NA", "TEST")]
    found["internal bleeding (UCR 135)"] = judge_labels(bleeding[0][0], *bleeding[1])
    found["heart (ecg-diff-count-3)"] = judge_labels(heart[0][0][:4000], *heart[1])
    return found


def judge_labels(training: np.ndarray, rows: np.ndarray, labels: np.ndarray) -> dict[str, Any]:
    """For each method how many marked stretches have an alarm in them or within 100 rows behind,
    and alarms elsewhere per 1,000 rows. All methods have as many alarms as `watch`: the largest of
    their statistics.
    """
    model = fitted(training)
    judgements = list(model.watch(rows, level=LEVEL, patience=PATIENCE))
    p = np.array([one.probability for one in judgements])
    network = np.array([one.size for one in judgements])
    linear = np.sqrt(
        np.mean(
            [
                np.square(errors / max(errors[:500].std(), 1e-12))
                for errors in (
                    autoregression(training[:, k])(rows[:, k]) for k in range(rows.shape[1])
                )
            ],
            axis=0,
        )
    )
    edges = np.flatnonzero(np.diff(labels.astype(int), prepend=0, append=0)).reshape(-1, 2)
    near = np.zeros(len(rows), dtype=bool)
    for begin, end in edges:
        near[begin : end + 100] = True
    alarms = p <= LEVEL  # the first rows are not judged: NaN is no alarm
    count = int(alarms.sum())
    chosen = {"watch": alarms}
    for name, score in (("z-score on AR", linear), ("size on network", network)):
        score = np.where(np.isnan(p), 0.0, score)
        chosen[name] = score >= np.sort(score)[-max(count, 1)]
    changed = np.array([one.changed for one in judgements])
    return {
        "stretches": len(edges),
        "rows": len(rows),
        "alarms": count,
        "methods": {
            name: {
                "found": int(sum(which[begin : end + 100].any() for begin, end in edges)),
                "elsewhere": float(1000 * which[~near].sum() / max((~near).sum(), 1)),
            }
            for name, which in {**chosen, "watch, changes": changed}.items()
        },
    }


def stream(rows: int) -> dict[str, Any]:
    """Rows through a pipe into the command: seconds, and the memory after each tenth."""
    command = [sys.executable, "-m", "spheresn", "watch", "-", "--units", "50"]
    run = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert run.stdin is not None and run.stdout is not None
    rng, began, memory, block = np.random.default_rng(0), time.perf_counter(), [], 10_000
    os.set_blocking(run.stdout.fileno(), False)
    for first in range(0, rows, block):
        t = np.arange(first, first + block)
        x = np.sin(0.2 * t) + 0.1 * rng.standard_normal(block)
        lines = [f"{value:.4f}" for value in x]
        if first == 50 * block:
            lines[77] = "no number"
        run.stdin.write(("\n".join(lines) + "\n").encode())
        os.read(run.stdout.fileno(), 2**20) if _readable(run.stdout.fileno()) else b""
        if (first // block + 1) % (rows // block // 10) == 0:
            with open(f"/proc/{run.pid}/status", encoding="ascii") as status:
                (line,) = (one for one in status if one.startswith("VmRSS"))
            memory.append(int(line.split()[1]) / 1000)
            print(first + block, "rows", memory[-1], "MB", flush=True)
    run.stdin.close()
    os.set_blocking(run.stdout.fileno(), True)
    last = run.stdout.read().splitlines()[-1]
    assert run.wait() == 0
    seconds = time.perf_counter() - began
    return {"summary": json.loads(last), "seconds": seconds, "memory_mb": memory}


def _readable(handle: int) -> bool:
    return bool(select.select([handle], [], [], 0)[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stream", action="store_true")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--parts", nargs="+", default=["calm", "labelled", "faults"])
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if given.stream:
        keep(stream=stream(given.rows))
        return
    series = calm_series()
    if "calm" in given.parts:
        keep(calm={name: calm(x) for name, x in series.items()})
    if "labelled" in given.parts:
        keep(labelled=labelled())
    if "faults" in given.parts:
        keep(**equally_careful({name: injected(x) for name, x in series.items()}))


def keep(**results: Any) -> None:
    """Write results beside the others."""
    path = HERE / "surprise.json"
    found = json.loads(path.read_text()) if path.is_file() else {}
    path.write_text(json.dumps(found | results, indent=1) + "\n")
    print(json.dumps(results), flush=True)


if __name__ == "__main__":
    main()
