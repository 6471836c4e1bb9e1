"""Who forecasts best, how far ahead, in plain words."""

from __future__ import annotations

import numpy as np

from ..._validation import Floats
from ...forecasting.backtesting import Backtest
from .forecast import LINEAR, NETWORK, PERSISTENCE

WORDS = {
    NETWORK: "the network",
    PERSISTENCE: "persistence (the last value repeated)",
    LINEAR: "the linear autoregression",
}
SHORT = {NETWORK: "the network", PERSISTENCE: "persistence", LINEAR: "the linear autoregression"}
TITLES = {NETWORK: "network", PERSISTENCE: "persistence", LINEAR: "linear autoregression"}
EQUAL = 0.03  # relative: errors this close are called equal
NEGLIGIBLE = 1e-3  # deviations
MANY = 1000
MOST_STRETCHES = 4  # in a sentence; more are chance


def shown_horizons(steps: int) -> list[int]:
    """A few steps ahead that tell the story: 1, 10, 50, ... and the last.

    >>> shown_horizons(200), shown_horizons(3)
    ([1, 10, 50, 200], [1, 2, 3])
    """
    if steps <= 4:
        return list(range(1, steps + 1))
    return sorted({1, *(step for step in (10, 50, 200, 1000) if step < 0.7 * steps), steps})


def winner(test: Backtest) -> str:
    """The method with the least error over all horizons."""
    return min(test.forecasts, key=test.rmse)


def sentences(test: Backtest, steps: int) -> list[str]:
    """The verdict: over all steps, then step by step where the best one changes."""
    errors = {name: test.rmse(name) for name in test.forecasts}
    rival = min((name for name in errors if name != NETWORK), key=lambda name: errors[name])
    span = f"over {steps} steps" if steps > 1 else "one step ahead"
    if is_tie(errors[NETWORK], errors[rival]):
        return [
            f"A tie {span}: the network and {WORDS[rival]} are equally good; prefer the simpler "
            "one.",
            *_useless(errors),
        ]
    return [
        _overall(errors[NETWORK], errors[rival], rival, span),
        *_step_by_step(test),
        *_useless(errors),
    ]


def is_tie(error: float, other: float) -> bool:
    """Errors that nobody should choose by."""
    return abs(error - other) <= max(EQUAL * other, NEGLIGIBLE)


def _overall(error: float, other: float, rival: str, span: str) -> str:
    if error < other:
        share = f"{_share(error / other)} of that of {WORDS[rival]}"
        return (
            f"The network wins {span}: its error is {share}, the better of the two simple methods."
        )
    times = f"{error / other:.3g} times" if error < MANY * other else f"more than {MANY} times"
    return (
        f"{_capital(WORDS[rival])} wins {span}: the network's error is {times} as large. Use "
        f"{TITLES[rival]} for that."
    )


def _step_by_step(test: Backtest) -> list[str]:
    """Which method has the least error how far ahead, if it is not always the same one."""
    stretches = best_by_step(test)
    if not 1 < len(stretches) <= MOST_STRETCHES:
        return []
    told = [f"{SHORT[name]} up to {_steps(until)}" for name, until in stretches[:-1]]
    return [f"Step by step the least error has: {', '.join(told)}, then {SHORT[stretches[-1][0]]}."]


def best_by_step(test: Backtest) -> list[tuple[str, int]]:
    """Stretches of horizons with one best method each: its name and the last step ahead of the
    stretch.
    """
    names = list(test.forecasts)
    best = np.argmin([_smooth(test.rmse_by_step(name)) for name in names], axis=0)
    ends = [*np.flatnonzero(np.diff(best)).tolist(), len(best) - 1]
    return [(names[best[end]], end + 1) for end in ends]


def _useless(errors: dict[str, float]) -> list[str]:
    if min(errors.values()) < 1.0 - EQUAL:
        return []
    return ["On average over all these steps none of them is better than always saying the mean."]


def _smooth(errors: Floats) -> Floats:
    """Mean over neighbouring horizons, so that one lucky step decides nothing."""
    width = max(len(errors) // 10, 1)
    padded = np.pad(errors, (width // 2, width - 1 - width // 2), mode="edge")
    return np.convolve(padded, np.ones(width) / width, "valid")


def _share(ratio: float) -> str:
    return f"{100 * ratio:.3g} %"


def _steps(count: int) -> str:
    return f"{count} step{'s' if count != 1 else ''}"


def _capital(words: str) -> str:
    return words[0].upper() + words[1:]
