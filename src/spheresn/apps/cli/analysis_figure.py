"""The figure of an analysis: four panels, each with its answer in the title."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...plotting import plot_echo_state, plot_memory_profile, plot_spectrum
from .analyse import Analysis
from .numbers import rounded

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLUE, FLOOR = "#0072B2", 1e-16  # below it is rounding


def figure(found: Analysis) -> Figure:
    """Exponents, echo state, memory profile, recall."""
    from matplotlib.figure import Figure  # here, so that commands that draw nothing start fast

    drawing = Figure(figsize=(8.0, 6.4), layout="constrained")
    axes = drawing.subplots(2, 2)
    plot_spectrum(axes[0, 0], found.exponents, color=BLUE)
    largest = float(found.exponents.exponents[0])
    axes[0, 0].set_title(
        f"largest exponent {rounded(largest, 3)}: "
        + ("the past fades" if largest < 0 else "the past does not fade")
    )
    plot_echo_state(axes[0, 1], found.echo, color=BLUE)
    axes[0, 1].set_title(f"echo state: {found.echo.verdict}")
    plot_memory_profile(axes[1, 0], found.profile, color=BLUE)
    axes[1, 0].set(
        xlabel="steps back", ylabel="influence on the state, relative", ylim=(FLOOR, 3.0)
    )
    axes[1, 0].set_xlim(
        0, max(int((found.profile.sensitivity > FLOOR * found.profile.sensitivity[0]).sum()), 2)
    )
    axes[1, 0].set_title("how fast an input fades")
    _draw_recall(axes[1, 1], found)
    for panel in axes.flat:
        panel.title.set_fontsize(9.5)
        panel.spines[["top", "right"]].set_visible(False)
    return drawing


def _draw_recall(axes: Axes, found: Analysis) -> None:
    per_delay, inputs = found.recall.per_delay, found.model.reservoir_.n_inputs
    axes.plot(np.arange(len(per_delay)), per_delay / inputs, color=BLUE)
    axes.set(xlabel="steps back", ylabel="share recalled (R²)", ylim=(-0.02, 1.02))
    axes.set_title("recall of your data from the state")
