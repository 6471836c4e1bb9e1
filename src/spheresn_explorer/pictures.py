"""Numbers as plotly figures (plain dictionaries), and the sentence under each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from spheresn._formatting import format_name
from spheresn.analysis import EchoState, LyapunovSpectrum
from spheresn.plotting import COLOURS

from .compute import Forecast, Trajectory
from .own import LABEL_LENGTH, OwnForecast
from .panels import Recall
from .settings import Settings
from .signals import Source

Figure = dict[str, Any]
# How all pictures look: the colours and letters of the page
INK, FAINT, GRID = "#1d2733", "#6b7785", "#e8ecf0"
FONT = {
    "family": "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif",
    "size": 12,
    "color": INK,
}
AXIS: dict[str, Any] = {
    "gridcolor": GRID,
    "zerolinecolor": "#c3ccd5",
    "linecolor": GRID,
    "ticks": "",
    "title": {"font": {"color": FAINT}, "standoff": 8},
}
POINTS = 2000  # of a trajectory; more is not seen better
DELAY_ENDS = (20, 50, 100, 200)  # ends of the delay axis
BLUE, ORANGE, BAND = "#0072b2", "#e69f00", "rgba(0,114,178,0.18)"  # of the forecast of a file
CLEAR = 0.05  # accuracy below which a curve has ended


def blank() -> Figure:
    """A panel without numbers."""
    return {
        "data": [],
        "layout": {**_layout(), "xaxis": {"visible": False}, "yaxis": {"visible": False}},
    }


def named(figure: Figure, shows: str | None) -> Figure:
    """A picture with the query that it shows in full; the page reads it once it is drawn."""
    return {**figure, "layout": {**figure["layout"], "meta": {"shows": shows}}}


def trajectory(result: Trajectory) -> Figure:
    """The path in three dimensions, dark at its start and bright at its end. The camera stays where
    it is while sliders move.
    """
    points = np.pad(result.points[:POINTS], ((0, 0), (0, 3 - result.points.shape[1])))
    # Four digits are more than a screen shows, and all of them would be most of the answer
    digits = 4 - int(np.frexp(np.abs(points).max(initial=0.0))[1] * np.log10(2.0))
    x, y, z = (column.tolist() for column in points.T.round(digits))
    bar = {
        "orientation": "h",
        "title": {"text": "step", "side": "right"},
        "thickness": 6,
        "len": 0.5,
        "outlinewidth": 0,
        "y": 0,
        "yanchor": "top",
    }
    line = {"width": 3, "color": list(range(len(x))), "colorscale": "Viridis", "colorbar": bar}
    axis = {
        "backgroundcolor": "#fbfcfd",
        "gridcolor": GRID,
        "showbackground": True,
        "nticks": 4,
        "tickfont": {"size": 10},
    }
    scene: dict[str, Any] = {
        f"{name}axis": {**axis, "title": {"text": f"PC {i}"}}
        for i, name in enumerate("xyz", start=1)
    }
    scene |= {
        "aspectmode": "cube",
        "camera": {"eye": {"x": 1.5, "y": 1.5, "z": 0.8}, "center": {"x": 0, "y": 0, "z": -0.1}},
    }
    trace = {
        "type": "scatter3d",
        "mode": "lines",
        "x": x,
        "y": y,
        "z": z,
        "line": line,
        "hoverinfo": "skip",
    }
    margin = {"l": 0, "r": 0, "t": 0, "b": 34}
    return {
        "data": [trace],
        "layout": {**_layout(), "scene": scene, "margin": margin, "uirevision": "camera"},
    }


def trajectory_words(result: Trajectory, settings: Settings) -> str:
    """What is seen, and how much of it."""
    share = (
        f"These three directions hold {_percent(float(result.shares.sum()))} of the variance of "
        f"{settings.units} units."
    )
    return f"Every state has length 1. {share}" if settings.activation == "spherical" else share


def memory(result: Recall, settings: Settings) -> Figure:
    """Accuracy by delay: the chosen network thick, the others thin."""
    reach = max(
        (int(c.delays[c.test > CLEAR].max(initial=0)) for c in result.curves.values()),
        default=0,
    )
    end = next((one for one in DELAY_ENDS if one >= reach), DELAY_ENDS[-1])
    data = [
        {
            "type": "scatter",
            "mode": "lines",
            "name": _name(name, settings),
            "x": curve.delays.tolist(),
            "y": _short(curve.test),
            "line": {
                "color": _colour(name, settings),
                "width": 3.5 if name == settings.activation else 1.8,
                "dash": {"spherical": "solid", "tanh": "dash", "linear": "dot"}[name],
            },
            "hovertemplate": "delay %{x}: %{y:.2f}",
        }
        for name, curve in reversed(result.curves.items())
    ]
    layout = _layout("delay in steps", "accuracy of recall")
    layout["xaxis"] |= {"range": [0, end]}
    layout["yaxis"] |= {"range": [-0.02, 1.04]}
    return {
        "data": data,
        "layout": {**layout, "hovermode": "x", "legend": _legend(), "showlegend": True},
    }


def memory_words(result: Recall, settings: Settings) -> str:
    """How far back the chosen network recalls, and why a curve is missing."""
    curve = result.curves.get(settings.activation)
    missing = [f"No {name} curve: {reason}." for name, reason in result.reasons.items()]
    if curve is None:
        return " ".join(missing)
    well = curve.delays[np.concatenate([[True], np.cumprod(curve.test[1:] > 0.5).astype(bool)])]
    far = (
        f"{_name(settings.activation, settings).capitalize()}: accuracy stays above one half up "
        f"to delay {well.max()}."
    )
    return " ".join(
        [
            far if curve.test[0] > 0.5 else "Even at delay 0 the accuracy is at most one half.",
            *missing,
        ]
    )


def spectrum(result: LyapunovSpectrum, settings: Settings) -> Figure:
    """The leading exponents with twice their standard error."""
    finite = np.isfinite(result.exponents)
    index, values = np.arange(1, len(finite) + 1)[finite], result.exponents[finite]
    errors = np.nan_to_num(2 * result.standard_errors[finite])  # few steps may give none
    colour = _colour(settings.activation, settings)
    bars = {
        "type": "data",
        "array": _short(errors),
        "thickness": 1.2,
        "width": 3,
        "color": colour,
    }
    trace = {
        "type": "scatter",
        "mode": "markers",
        "x": index.tolist(),
        "y": _short(values),
        "error_y": bars,
        "marker": {"color": colour, "size": 9},
        "hovertemplate": "exponent %{x}: %{y:.4f} per step<extra></extra>",
    }
    layout = _layout("index", "exponent per step")
    low = min(float((values - errors).min(initial=0.0)), -0.01)
    high = float((values + errors).max(initial=0.0))
    layout["yaxis"] |= {
        "range": [low * 1.05, high + 0.12 * (high - low)],
        "zeroline": True,
        "zerolinewidth": 1.5,
    }
    layout["xaxis"] |= {"dtick": 1, "range": [0.4, len(finite) + 0.6], "zeroline": False}
    note = {
        "text": "below zero: differences shrink",
        "x": 0.99,
        "y": 0,
        "xref": "paper",
        "yref": "y",
        "yanchor": "top",
        "xanchor": "right",
        "showarrow": False,
    }
    notes = [{**note, "font": {"color": FAINT, "size": 11}}]
    return {"data": [trace], "layout": {**layout, "annotations": notes}}


def spectrum_words(result: LyapunovSpectrum, settings: Settings) -> str:
    """The leading exponent as a memory."""
    first, error = float(result.exponents[0]), float(result.standard_errors[0])
    if first == -np.inf:
        return "Every difference vanishes within a few steps: all exponents are −∞."
    value = f"Leading exponent {first:.3f} ± {2 * error:.3f} per step"
    return (
        f"{value}: a trace fades to 1/e in {-1 / first:.3g} steps."
        if first < 0
        else f"{value}: differences grow."
    )


VERDICTS = {
    "certified": "Echo state: yes, proved",
    "refuted": "Echo state: no, proved",
    "likely": "Echo state: yes, by test",
    "doubtful": "Echo state: doubtful",
}


def echo_kind(result: EchoState) -> str:
    """The verdict in one word: a test that found all trajectories together counts as likely."""
    if result.verdict != "empirical":
        return result.verdict
    return "likely" if np.isfinite(result.washout) else "doubtful"


def echo_words(result: EchoState) -> tuple[str, str]:
    """The verdict, and the argument."""
    after = (
        f" It forgets its start (to a millionth) after {result.washout:.0f} steps."
        if np.isfinite(result.washout)
        else ""
    )
    return VERDICTS[echo_kind(result)], f"{result.reason[0].upper()}{result.reason[1:]}.{after}"


def forecast(result: Forecast, settings: Settings, dates: Sequence[str] = ()) -> Figure:
    """The first column of truth and free run; a thin line where the run stops being valid.

    dates: of the last training row and of all rows after it, where they are known.
    """
    places: list[Any] = list(dates) or list(range(len(result.truth) + 1))
    steps = places[1:]
    truth, run = result.truth[:, 0], result.run[:, 0]
    low, high = float(truth.min()), float(truth.max())
    margin = 0.25 * (high - low) or 1.0
    shown = np.clip(run, low - 10 * margin, high + 10 * margin)
    lines = [
        ("truth", truth, "#9aa5b1", 3),
        ("forecast", shown, _colour(settings.activation, settings), 1.8),
    ]
    data = [
        {
            "type": "scatter",
            "mode": "lines",
            "name": name,
            "x": steps,
            "y": _short(values),
            "line": {"color": colour, "width": width},
        }
        for name, values, colour, width in lines
    ]
    layout = _layout("" if dates else "steps after the training part", "signal")
    layout["xaxis"] |= {"type": "date"} if dates else {}
    layout["yaxis"] |= {"range": [low - margin, high + margin]}
    edge = {
        "type": "line",
        "x0": places[result.valid],
        "x1": places[result.valid],
        "y0": 0,
        "y1": 1,
        "yref": "paper",
    }
    label = {
        "text": "valid until here ",
        "textangle": 0,
        "textposition": "start",
        "xanchor": "right",
        "yanchor": "bottom",
        "font": {"color": FAINT, "size": 11},
    }
    ends = result.valid < len(steps)
    shapes = [
        {
            **edge,
            "line": {"color": INK, "width": 1, "dash": "dot"},
            "label": label if 4 * result.valid > len(steps) else {},
        }
    ]
    return {
        "data": data,
        "layout": {
            **layout,
            "shapes": shapes if ends else [],
            "legend": _legend(),
            "hovermode": "x",
        },
    }


def forecast_words(result: Forecast, source: Source) -> str:
    """The valid time, in steps and where known in Lyapunov times, and whether long runs stay."""
    times = (
        f" ({result.valid / source.lyapunov_time:.1f} Lyapunov times)"
        if source.lyapunov_time
        else ""
    )
    whole = result.valid >= len(result.truth)
    columns = result.truth.shape[1]
    shown = (
        f" The figure shows the first of {columns} columns; the error counts all."
        if columns > 1
        else ""
    )
    count = f"{'all ' if whole else ''}{result.valid} step{'s' if result.valid != 1 else ''}"
    stays = "" if result.climate is None else f" {result.climate.words}"
    return f"Valid for {count}{times}: error below 0.4 deviations.{shown}{stays}"


def own_forecast(result: OwnForecast, settings: Settings) -> Figure:
    """One column: the data, earlier forecasts, and the forecast in its interval."""
    column = min(settings.column, len(result.names)) - 1
    runs_x: list[Any] = []
    runs_y: list[Any] = []
    for times, run in result.runs:
        runs_x += [*times, None]  # a gap before the next one
        runs_y += [*run[:, column].tolist(), None]
    line = {"type": "scatter", "mode": "lines"}
    dots = {"mode": "lines+markers", "marker": {"size": 4}}
    edge = {**line, "x": result.times, "line": {"width": 0}, "hoverinfo": "skip"}
    data = [
        {**edge, "y": result.lower[:, column].tolist(), "showlegend": False},
        {
            **edge,
            "y": result.upper[:, column].tolist(),
            "fill": "tonexty",
            "fillcolor": BAND,
            "name": "90 % interval",
        },
        {
            **line,
            "name": "data",
            "x": result.past_times,
            "y": result.past[:, column].tolist(),
            "line": {"color": "#8a949e", "width": 1.6},
        },
        {
            **line,
            **(dots if len(result.times) == 1 else {}),
            "name": "earlier forecasts",
            "x": runs_x,
            "y": runs_y,
            "line": {"color": ORANGE, "width": 1.8},
            "hoverinfo": "skip",
        },
        {
            **line,
            **(dots if len(result.times) == 1 else {}),
            "name": "forecast",
            "x": result.times,
            "y": result.values[:, column].tolist(),
            "line": {"color": BLUE, "width": 2.4},
            "text": [columns[column] for columns in result.hover],
            "hovertemplate": "%{text}<extra></extra>",
        },
    ]
    layout = _layout("", format_name(result.names[column], LABEL_LENGTH))
    dates = isinstance(result.times[0], str)
    layout["xaxis"] |= {
        "type": "date" if dates else "linear",
        "title": {
            **AXIS["title"],
            "text": "" if dates else format_name(result.time_name, LABEL_LENGTH),
        },
    }
    layout["yaxis"] |= {"automargin": True, "zeroline": False}
    return {
        "data": data,
        "layout": {
            **layout,
            "legend": {**_legend(), "traceorder": "normal", "font": {"color": FAINT}},
        },
    }


def _layout(x: str = "", y: str = "") -> dict[str, Any]:
    axes = {
        f"{name}axis": {**AXIS, "title": {**AXIS["title"], "text": text}}
        for name, text in (("x", x), ("y", y))
    }
    margin = {"l": 52, "r": 14, "t": 8, "b": 42}
    return {
        "font": FONT,
        "margin": margin,
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        **axes,
    }


def _legend() -> dict[str, Any]:
    return {
        "orientation": "h",
        "x": 1,
        "xanchor": "right",
        "y": 1.02,
        "yanchor": "bottom",
        "traceorder": "reversed",
    }


def _name(activation: str, settings: Settings) -> str:
    return (
        "bent sphere"
        if activation == "spherical" and settings.bend
        else "sphere"
        if activation == "spherical"
        else activation
    )


def _colour(activation: str, settings: Settings) -> str:
    return COLOURS["bent" if activation == "spherical" and settings.bend else activation]


def _short(values: Any) -> list[float]:
    """Five digits are more than a screen shows."""
    return [float(f"{value:.5g}") for value in values]


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share < 0.995 else "more than 99 %"
