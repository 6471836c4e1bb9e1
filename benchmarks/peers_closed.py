"""The peers running free, on their own output."""

from __future__ import annotations

from typing import Any

import numpy as np
from peers import WASHOUT, rclib_model
from race import PEER, Entry, Run

from spheresn.closed_loop import ClosedLoop

Floats = np.ndarray


def closed_entries(loop: ClosedLoop, series: Floats, steps: int) -> list[Entry]:
    """reservoirpy by hand, as its tutorials do (a feedback link is slower); rclib and echoes by
    what they have for it.
    """
    few = max(steps // 10, 10)
    tenth, shorter = steps / few, f"{few} steps, times {steps / few:g}"
    return [
        Entry(
            "reservoirpy",
            PEER,
            lambda: _by_hand(loop, series, few),
            f"our W, W_in and readout; {shorter}",
            tenth,
        ),
        Entry("rclib", PEER, lambda: _rclib(loop.reservoir.units, series, steps), "W of its own"),
        Entry(
            "echoes",
            PEER,
            lambda: _echoes(loop, series, few),
            f"our W as a full matrix; {shorter}",
            tenth,
        ),
    ]


def _by_hand(loop: ClosedLoop, series: Floats, steps: int) -> Run:
    model = _reservoirpy(loop)
    _compare(loop, model, series[:1])

    def run() -> Floats:
        value = series[0]
        for _ in range(steps):
            value = model(value)
        return value

    return run


def _reservoirpy(loop: ClosedLoop) -> Any:
    from reservoirpy.nodes import Reservoir, Ridge

    ours = loop.reservoir
    reservoir = Reservoir(
        W=ours.recurrent.matrix, Win=ours.inputs, bias=np.zeros(ours.units), lr=1.0
    )
    return reservoir >> Ridge(Wout=loop.weights.matrix, bias=loop.weights.intercept)


def _compare(loop: ClosedLoop, model: Any, first: Floats, steps: int = 30) -> None:
    """The first outputs are the same; later ones may part, where the loop is chaotic."""
    ours, _ = loop.run(steps, np.zeros(loop.reservoir.units), first[0], np.zeros((steps, 0)))
    value, theirs = first[0], []
    for _ in range(steps):
        value = model(value)
        theirs.append(value)
    gap = float(np.abs(ours - np.array(theirs)).max())
    if not gap < 1e-8:
        raise AssertionError(f"its outputs differ from ours by {gap:.1e}: not the same computation")


def _rclib(units: int, series: Floats, steps: int) -> Run:
    model = rclib_model(series[:-1], series[1:], units)
    return lambda: model.predict_generative(series[:1], steps)


def _echoes(loop: ClosedLoop, series: Floats, steps: int) -> Run:
    from echoes import ESNGenerator

    ours = loop.reservoir
    model = ESNGenerator(
        n_steps=steps,
        W=ours.recurrent.matrix.toarray(),
        W_fb=ours.inputs,
        W_in=np.zeros((ours.units, 1)),
        bias=0.0,
        spectral_radius=0.9,
        regression_method="ridge",
        ridge_alpha=1e-6,
        n_transient=min(WASHOUT, len(series) // 4),
        random_state=0,
    )
    model.fit(None, series)
    return model.predict
