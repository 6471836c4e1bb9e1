"""The tasks: an input, and a target that depends on the input so far.

Half of the tasks served to choose candidates and numbers of the search, `development`; the others,
`report`, were looked at when nothing was chosen any more. Each kind of task is in both halves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import spheresn as sn

from . import real

Floats = np.ndarray
Pair = tuple[Floats, Floats]
Make = Callable[[int, int], Pair]

TRAIN, TEST = 3000, 2000
BEFORE = 100  # rows that are made and left out, so that every target has a past


@dataclass(frozen=True)
class Task:
    """make(rows, seed): inputs (T, d) and targets (T, 1)."""

    name: str
    half: str
    make: Make

    def parts(self, seed: int) -> tuple[Pair, Pair]:
        """Rows to learn from, and the rows that come next."""
        inputs, targets = self.make(TRAIN + TEST, seed)
        return (inputs[:TRAIN], targets[:TRAIN]), (inputs[TRAIN:], targets[TRAIN:])


def of_noise(rule: Callable[..., Floats]) -> Make:
    """A rule on white noise u, uniform in [-1, 1]; it is given u(-lag) as a function of the lag."""

    def make(rows: int, seed: int) -> Pair:
        noise = sn.datasets.white_noise(rows + BEFORE, seed)[:, 0]
        return _after(noise, rule(lambda lag: np.roll(noise, lag)))

    return make


def narma(order: int) -> Make:
    """NARMA of order 10, 20 or 30, each as it is usually set."""
    settings = {
        10: (0.3, 0.05, 0.1, False),
        20: (0.3, 0.05, 0.01, True),
        30: (0.2, 0.04, 0.001, False),
    }

    def make(rows: int, seed: int) -> Pair:
        if order == 10:
            inputs, target = sn.datasets.narma(rows + BEFORE, seed)
            return inputs[BEFORE:], target[BEFORE:]
        own, window, constant, bounded = settings[order]
        u = np.random.default_rng(seed).uniform(0.0, 0.5, rows + BEFORE)
        y = np.zeros(len(u))
        for k in range(order, len(u)):
            past = y[k - order : k].sum()
            y[k] = (
                own * y[k - 1] + window * y[k - 1] * past + 1.5 * u[k - order] * u[k - 1] + constant
            )
            y[k] = np.tanh(y[k]) if bounded else y[k]
        return _after(u, y)

    return make


def parity(bits: int) -> Make:
    """The product of the last signs."""

    def make(rows: int, seed: int) -> Pair:
        signs = np.random.default_rng(seed).choice([-1.0, 1.0], rows + BEFORE)
        return _after(signs, np.prod([np.roll(signs, lag) for lag in range(bits)], axis=0))

    return make


def channel(decibels: float) -> Make:
    """Symbols that went through a channel with echoes, a nonlinearity and noise: the one two steps
    ago is wanted [JAE04].
    """
    echoes = {
        -2: 0.08,
        -1: -0.12,
        0: 1.0,
        1: 0.18,
        2: -0.1,
        3: 0.091,
        4: -0.05,
        5: 0.04,
        6: 0.03,
        7: 0.01,
    }

    def make(rows: int, seed: int) -> Pair:
        rng = np.random.default_rng(seed)
        symbols = rng.choice([-3.0, -1.0, 1.0, 3.0], rows + BEFORE)
        q = sum(weight * np.roll(symbols, lag) for lag, weight in echoes.items())
        received = q + 0.036 * q**2 - 0.011 * q**3
        received += 10 ** (-decibels / 20) * received.std() * rng.standard_normal(len(q))
        return _after(received, np.roll(symbols, 2))

    return make


def sine(delay: int, frequency: float) -> Make:
    """sin(nu u(-tau)), the plane of Figures 7 to 9."""
    return of_noise(lambda u: np.sin(frequency * u(delay)))


def flow(make_series: Callable[[int, int], Floats], seen: int, wanted: int) -> Make:
    """One variable of a flow from another."""

    def make(rows: int, seed: int) -> Pair:
        series = make_series(rows, seed)
        return series[:, [seen]], series[:, [wanted]]

    return make


def ahead(delay: float, steps: int) -> Make:
    """The Mackey-Glass series so many steps ahead."""

    def make(rows: int, seed: int) -> Pair:
        series = sn.datasets.mackey_glass(rows + steps, delay=delay, rng=seed)
        return series[:rows], series[steps:]

    return make


def _after(inputs: Floats, targets: Floats) -> Pair:
    return inputs[BEFORE:, None], targets[BEFORE:, None]


def _lorenz(rows: int, seed: int) -> Floats:
    return sn.datasets.lorenz(rows, dt=0.05, rng=seed)


def _rossler(rows: int, seed: int) -> Floats:
    return sn.datasets.rossler(rows, dt=0.2, rng=seed)


def _tasks(half: str, found: dict[str, Any]) -> list[Task]:
    return [Task(name, half, make) for name, make in found.items()]


TASKS = [
    *_tasks(
        "development",
        {
            "NARMA-10": narma(10),
            "Volterra, two squares": of_noise(lambda u: u(2) * u(7) + 0.4 * u(4) ** 2 - 0.3 * u(1)),
            "product of three": of_noise(lambda u: u(0) * u(3) * u(6)),
            "parity of 3": parity(3),
            "channel, 28 dB": channel(28.0),
            "channel, 20 dB": channel(20.0),
            "sine, delay 1, nu 5": sine(1, 5.0),
            "sine, delay 4, nu 1": sine(4, 1.0),
            "sine, delay 12, nu .3": sine(12, 0.3),
            "sine, delay 6, nu 2.5": sine(6, 2.5),
            "sine, delay 3, nu 2": sine(3, 2.0),
            "Mackey-Glass 17, 20 ahead": ahead(17.0, 20),
            "Mackey-Glass 23, 15 ahead": ahead(23.0, 15),
            "Lorenz, x to y": flow(_lorenz, 0, 1),
            "Rössler, x to z": flow(_rossler, 0, 2),
            "electricity demand": real.demand,
            "bicycles": real.bicycles,
        },
    ),
    *_tasks(
        "report",
        {
            "NARMA-20": narma(20),
            "NARMA-30": narma(30),
            "Volterra, one product": of_noise(lambda u: u(5) * u(10) + 0.5 * u(3) ** 2),
            "Volterra, cubic": of_noise(lambda u: u(1) * u(2) * u(5) + 0.5 * u(3) * u(4)),
            "parity of 5": parity(5),
            "channel, 16 dB": channel(16.0),
            "sine, delay 0, nu 8": sine(0, 8.0),
            "sine, delay 2, nu 3": sine(2, 3.0),
            "sine, delay 8, nu 1.5": sine(8, 1.5),
            "sine, delay 15, nu .6": sine(15, 0.6),
            "Mackey-Glass 30, 10 ahead": ahead(30.0, 10),
            "Lorenz, x to z": flow(_lorenz, 0, 2),
            "temperature of a room": real.room,
            "fine dust": real.dust,
        },
    ),
]
