"""The page: what stands where."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from dash import dcc, html

from spheresn.topology.build import TOPOLOGIES

from .pictures import blank
from .settings import DIALS, UNITS, Dial, Settings

PANELS = {
    "trajectory": ("Path of the state", "Rotate it with the mouse or a finger."),
    "memory": ("Memory", "How well the network recalls the signal, by delay."),
    "spectrum": ("Stability", "Lyapunov exponents: how fast small differences grow or shrink."),
    "forecast": (
        "Free-running forecast",
        "After training, the input of the network is its own forecast.",
    ),
}
# Every control's id, the fields of Settings
CONTROLS = (
    "signal",
    "activation",
    "topology",
    "units",
    "drive",
    *DIALS,
    "seed",
    "column",
    "steps",
)
NO_COLUMN = {"1": "–"}  # while the signal is no file
POLL = 350  # milliseconds between two looks at work under way
TICKS = {
    "memory": (0.5, 1, 3, 10, 30, 100),
    "spectral_radius": (0.5, 1, 1.5, 2),
    "input_scaling": (0.001, 0.01, 0.1, 1, 10),
    "bend": (0, 0.5, 1, 1.5, 2),
    "bias": (0, 2.5, 5, 7.5, 10),
    "leak": (0.25, 0.5, 0.75, 1),
}
NAMES = {"spherical": "sphere", "tanh": "tanh", "linear": "linear"}
WAYS = {"memory": "memory", "scaling": "radius and scaling"}


def layout(titles: Mapping[str, str]) -> Any:
    """The whole page, with a name of its own for every tab that opens it."""
    stores = [
        dcc.Store(id="tab", data=uuid4().hex),
        *(
            dcc.Store(id=name)
            for name in (
                "query",
                "code-query",
                "own",
                "answered",
                "upload-content",
                "link-problem",
            )
        ),
    ]
    return html.Div(
        [
            dcc.Location(id="url", refresh=False),
            *stores,
            html.Header(
                [
                    html.H1("spheresn explorer"),
                    html.P("An echo state network, live: move a slider and watch what changes."),
                ]
            ),
            html.Div(id="message", role="alert", className="message"),
            html.Main(
                [
                    _controls(titles),
                    html.Div([_own_panel(), *map(_panel, PANELS)], className="panels"),
                ]
            ),
        ],
        className="page",
    )


def _controls(titles: Mapping[str, str]) -> Any:
    usual = Settings()
    # Any file may be chosen: one of another kind gets a sentence instead of nothing
    upload = dcc.Upload(html.Button("Use your own file", className="plain"), id="upload")
    limits = html.P(
        "CSV, Excel, ODS, Parquet or NPY, one row per step, up to 50 MB. Dates are recognised.",
        className="hint",
    )
    children = [
        _field("Signal", _choice("signal", titles, usual.signal)),
        upload,
        limits,
        _field("Kind of network", _radio("activation", NAMES, usual.activation)),
        html.Div(
            [
                _field(
                    "Topology",
                    _choice(
                        "topology",
                        {name: name.replace("_", " ") for name in TOPOLOGIES},
                        usual.topology,
                    ),
                ),
                _field("Units", _typed("units", usual.units, f"{UNITS[0]} to {UNITS[1]}")),
                _field("Seed", _typed("seed", usual.seed, "of the random numbers")),
            ],
            className="row",
        ),
        _field("Strength set by", _radio("drive", WAYS, usual.drive)),
        *(_slider(name, dial, getattr(usual, name)) for name, dial in DIALS.items()),
        html.Button("Python code of this view", id="code-button", className="plain", n_clicks=0),
        html.P("This page's address is a link to this view.", className="hint"),
        _code(),
    ]
    return html.Aside(children, className="controls")


def _panel(name: str) -> Any:
    title, hint = PANELS[name]
    verdict = [
        html.P(id="echo-note", className="verdict"),
        dcc.Interval(id="echo-poll", interval=POLL, disabled=True),
    ]
    return html.Section(
        [
            html.H2(title),
            html.P(hint, className="hint"),
            _graph(name),
            html.P(id=f"{name}-note", className="note"),
            *(verdict if name == "spectrum" else []),
            dcc.Interval(id=f"{name}-poll", interval=POLL, disabled=True),
        ],
        id=f"{name}-panel",
        className="panel",
    )


def _own_panel() -> Any:
    """The forecast of a file, beside what it is made of; hidden while the signal is no file."""
    choices = [
        html.Div(
            _field("Column", _choice("column", NO_COLUMN, "1", searchable=True)),
            id="column-field",
            hidden=True,
        ),
        _field("Steps", _typed("steps", "", "automatic")),
    ]
    head = html.Div(
        [
            html.H2("Forecast of your file"),
            html.P("It does not depend on the sliders.", className="hint"),
        ]
    )
    return html.Section(
        [
            html.Div([head, html.Div(choices, className="choices")], className="head"),
            html.Div(
                [_graph("own"), html.Div(id="own-note", className="note aside")], className="beside"
            ),
            dcc.Interval(id="own-poll", interval=POLL, disabled=True),
        ],
        id="own-panel",
        className="panel wide",
        hidden=True,
    )


def _graph(name: str) -> Any:
    return dcc.Graph(
        id=f"{name}-figure",
        figure=blank(),
        config={"displayModeBar": False, "responsive": True},
        className="figure",
    )


def _code() -> Any:
    text = html.Pre(id="code-note")
    copy = dcc.Clipboard(target_id="code-note", title="copy", className="copy")
    return html.Div(
        [copy, text, dcc.Interval(id="code-poll", interval=POLL, disabled=True)],
        id="code-panel",
        className="code",
        hidden=True,
    )


def _field(label: str, control: Any) -> Any:
    """A control with its label, by which screen readers call it."""
    words = html.Span(label, id=f"{control.id}-label", className="label")
    return html.Label([words, control], className="field")


def _choice(name: str, titles: Mapping[str, str], value: str, searchable: bool = False) -> Any:
    options = [{"label": title, "value": key} for key, title in titles.items()]
    return dcc.Dropdown(
        id=name, options=options, value=value, clearable=False, searchable=searchable
    )


def _radio(name: str, titles: Mapping[str, str], value: str) -> Any:
    return dcc.RadioItems(
        id=name,
        options=[{"label": title, "value": key} for key, title in titles.items()],
        value=value,
        className="radio",
    )


def _typed(name: str, value: int | str, title: str) -> Any:
    return dcc.Input(
        id=name,
        value=str(value),
        type="text",
        inputMode="numeric",
        debounce=True,
        className="typed",
        placeholder=title,
    )


def _slider(name: str, dial: Dial, value: float) -> Any:
    marks = {dial.position(tick): f"{tick:g}" for tick in TICKS[name]}
    ends = dial.position(dial.low), dial.position(dial.high)
    slider = dcc.Slider(
        *ends,
        dial.step,
        id=name,
        value=dial.position(value),
        marks=marks,
        included=False,
        allow_direct_input=False,
        updatemode="mouseup",
    )
    words = html.Span(
        [html.Span(dial.label, id=f"{name}-label"), " ", html.B(f"{value:g}", id=f"{name}-value")],
        className="label",
        title=dial.hint,
    )
    hint = html.Span(dial.hint, id=f"{name}-hint", className="hint")
    kind = "field dial logarithmic" if dial.logarithmic else "field dial"
    return html.Div([words, hint, slider], id=f"{name}-field", className=kind)
