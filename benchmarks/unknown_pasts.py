"""Where should a series begin whose past is unknown? `python benchmarks/unknown_pasts.py`

A network is fitted to one part of a task and reads pieces of another part from their middle, from
different starts. A start costs how many rows of pure loss: the squared errors of all rows of the
washout, in variances of the target, beyond those with the true past.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np

import spheresn as sn
from spheresn._validation import Floats
from spheresn.estimators.pasts import Pasts

TRAIN, TEST, PIECES = 3000, 2500, 60
Starts = Callable[[Floats], Floats]  # the states to begin at, from the first row


def past(signal: Floats, delay: int) -> Floats:
    return np.roll(signal, delay)


def white(function: Callable[[Floats], Floats]) -> Any:
    """A function of uniform noise."""

    def task(rows: int, seed: int) -> tuple[Floats, Floats]:
        u = np.random.default_rng(seed).uniform(-1.0, 1.0, rows)
        return u[:, None], function(u)

    return task


def parity(rows: int, seed: int) -> tuple[Floats, Floats]:
    u = np.random.default_rng(seed).choice([-1.0, 1.0], rows)
    return u[:, None], u * past(u, 1) * past(u, 2)


def channel(rows: int, seed: int) -> tuple[Floats, Floats]:
    """The symbols that went into a channel with echoes, distortion and noise, two steps later."""
    rng = np.random.default_rng(seed)
    symbols = rng.choice([-3.0, -1.0, 1.0, 3.0], rows)
    echoes = [0.08, -0.12, 1.0, 0.18, -0.1, 0.091, -0.05, 0.04, 0.03, 0.01]
    q = sum(weight * past(symbols, k - 2) for k, weight in enumerate(echoes))
    u = q + 0.036 * q**2 - 0.011 * q**3 + rng.normal(0.0, 0.04, rows)
    return u[:, None], past(symbols, 2)


def mackey_glass(rows: int, seed: int) -> tuple[Floats, Floats]:
    x = sn.datasets.mackey_glass(rows + 37 * seed)[37 * seed :, 0]
    return x[:, None], past(x, 17) ** 2 - past(x, 3)


def lorenz(rows: int, seed: int) -> tuple[Floats, Floats]:
    x = sn.datasets.lorenz(rows + 500 * seed, dt=0.02)[500 * seed :]
    return x[:, :1], x[:, 2]


def drifting(rows: int, seed: int) -> tuple[Floats, Floats]:
    u = np.zeros(rows)
    for k, shock in enumerate(np.random.default_rng(seed).normal(size=rows - 1), 1):
        u[k] = 0.98 * u[k - 1] + shock
    return u[:, None], past(u, 2) / 2.0 + np.tanh(past(u, 20) / 3.0)


TASKS = {
    "parity-3": parity,
    "NARMA-10": lambda rows, seed: sn.datasets.narma(rows, seed),
    "channel": channel,
    "Volterra": white(lambda u: past(u, 5) * past(u, 10) + 0.5 * past(u, 3) ** 2),
    "memory 12": white(lambda u: past(u, 12)),
    "products": white(lambda u: u * past(u, 3) * past(u, 6)),
    "Mackey-Glass": mackey_glass,
    "Lorenz x to z": lorenz,
    "drifting": drifting,
}


def measure(
    task: Any, seed: int, units: int = 300, train: int = TRAIN, **settings: Any
) -> dict[str, float]:
    """The rows that each start loses, by a network with these settings."""
    x, y = task(train + TEST, seed)
    y = y.reshape(len(y), -1)
    model = sn.ESNRegressor(units=units, random_state=seed, **settings).fit(x[:train], y[:train])
    frame, states = model.frame_, model.frame_.states(x)
    length, known = frame.pasts.rows, states[frame.pasts.rows : train]
    begins = train + np.linspace(50, TEST - length, PIECES).astype(int)

    def lost(starts: Starts, clipped: bool = True) -> float:
        errors = np.zeros(length)
        for begin in begins:
            rows, wanted = x[begin : begin + length], y[begin : begin + length]
            first = frame.scaler.forward(rows[:1])[0]
            found = [frame.read(rows, model.weights_, one) for one in starts(first)]
            if clipped:
                found = [np.clip(one, model.low_, model.high_) for one in found]
            errors += np.square(np.mean(found, axis=0) - wanted)[:, 0]
        return float(errors.sum() / PIECES / y[:train].var())

    empty, mean = np.zeros((1, units)), known.mean(axis=0, keepdims=True)
    fixed = sn.drive(model.reservoir_, np.zeros((1000, x.shape[1])))[-1:]
    table = {
        "empty, as it is": lost(lambda _: empty, clipped=False),
        "empty": lost(lambda _: empty),
        "last state of training": lost(lambda _: states[train - 1 : train]),
        "mean state": lost(lambda _: mean),
        "fixed point under the mean input": lost(lambda _: fixed),
        "32 pasts": lost(lambda _: known[:: -(-len(known) // 32)]),
    }
    for count in (32, 64, 256):
        places = length + np.linspace(0, train - length - 2, count).astype(int)
        pasts = Pasts(states[places], frame.scaler.forward(x[places + 1]), length)
        for nearest in (1, 4, 8, 16):
            table[f"{nearest} nearest of {count} pasts"] = lost(
                lambda first, pasts=pasts, nearest=nearest: pasts.nearest(first, nearest)
            )
    outputs = model.weights_(frame.features(states))
    cold = [np.square(outputs[k : k + length] - y[k : k + length]).sum() for k in begins]
    true = float(np.mean(cold) / y[:train].var())
    return {name: value - true for name, value in table.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    seeds = parser.parse_args().seeds
    found = {name: [measure(task, seed) for seed in range(seeds)] for name, task in TASKS.items()}
    print(f"rows lost, means of {seeds} seeds")
    print("| start |", " | ".join([*TASKS, "geometric mean"]), "|")
    print("|---" * (len(TASKS) + 2) + "|")
    for start in next(iter(found.values()))[0]:
        means = [np.mean([one[start] for one in runs]) for runs in found.values()]
        last = np.exp(np.mean(np.log(np.maximum(means, 1e-3))))
        print(f"| {start} |", " | ".join(f"{value:.3g}" for value in [*means, last]), "|")


if __name__ == "__main__":
    main()
