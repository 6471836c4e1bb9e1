"""The panel of a file: callbacks that ask for its forecast, and the words beside it."""

from __future__ import annotations

from typing import Any

from dash import Dash, Input, Output, State, html, no_update

from spheresn.apps.forecasts.summary import METHODS

from . import pictures
from .jobs import Answer, Jobs
from .own import OwnForecast, command_of, is_even
from .page import NO_COLUMN
from .panels import Panels
from .settings import Settings, from_query, to_query


def own_query(settings: Settings, panels: Panels) -> str:
    """All that the forecast of a file depends on, as a query; empty if the signal is no file."""
    if panels.source(settings).file is None:
        return ""
    return to_query(Settings(signal=settings.signal, column=settings.column, steps=settings.steps))


def own_callbacks(app: Dash, panels: Panels, jobs: Jobs) -> None:
    """The forecast of a file: asked for when the file, the column or the steps change."""

    @app.callback(
        Output("column", "options"),
        Output("column", "value", allow_duplicate=True),
        Output("column-field", "hidden"),
        Output("column-label", "children"),
        Input("signal", "value"),
        State("column", "value"),
        prevent_initial_call=True,
    )
    def offer(signal: Any, column: Any) -> tuple[Any, ...]:
        try:
            source = panels.catalogue.source(str(signal))
            names, label = source.columns, "Series" if source.parts else "Column"
        except ValueError:
            names, label = (), "Column"
        # One option stays at least, because a list without its value would empty the value
        shown = names or NO_COLUMN.values()
        options = [{"label": name, "value": str(k)} for k, name in enumerate(shown, start=1)]
        kept = any(option["value"] == column for option in options)
        return options, column if kept else "1", len(names) < 2, label

    @app.callback(
        Output("own-figure", "figure"),
        Output("own-note", "children"),
        Output("own-note", "data-shows"),
        Output("own-poll", "disabled"),
        Output("own-panel", "className"),
        Output("own-panel", "hidden"),
        Input("own", "data"),
        Input("own-poll", "n_intervals"),
        State("tab", "data"),
    )
    def update(query: str | None, looks: int | None, tab: Any) -> Any:
        asker = str(tab)[:64]
        if not query:
            jobs.leave((asker, "own"))
            return pictures.blank(), "", None, True, "panel wide", True
        try:
            settings = from_query(str(query))
            panels.source(settings)  # first: a file may be gone
            work = lambda report: panels.panel("own", settings, report)  # noqa: E731
            answer = jobs.ask((asker, "own"), panels.key("own", settings), work, "file")
        except ValueError as error:
            answer = Answer(problem=str(error))
        if answer.waiting:
            note = html.P(f"Trying all methods on past rows: {answer.waiting}")
            return no_update, note, None, False, "panel wide busy", False
        if answer.problem:
            figure, note = pictures.blank(), html.P(answer.problem)
        else:
            # One forecast for all columns, or one for each series of a table in long form
            place = min(settings.column, len(answer.value)) - 1
            figure = pictures.own_forecast(answer.value[place], settings)
            whole = panels.catalogue.source(settings.signal)
            command = command_of(whole.title, settings.steps, is_even(whole.file))
            note = _explained(answer.value[place], command)
        return pictures.named(figure, query), note, query, True, "panel wide", False


def _explained(result: OwnForecast, command: str) -> Any:
    """What the forecast is made of, and how good such forecasts were."""
    kind, verdict = result.badge
    bars = [
        html.Li(
            [
                html.Span(name),
                html.Span(f"{100 * share:.0f} %"),
                html.I(style={"width": f"{100 * share:.0f}%"}),
            ],
            title=METHODS[name],
        )
        for name, share in result.shares.items()
    ]
    notes = [html.P(f"{note[0].upper()}{note[1:]}.", className="hint") for note in result.notes]
    return html.Div(
        [
            html.P(html.B(verdict, className=kind), className="verdict"),
            html.P(result.judged),
            html.P(f"{result.seasons} found."),
            html.P(html.B("Made of")),
            html.Ul(bars, className="bars"),
            *notes,
            html.P(["The same in a terminal: ", html.Code(command)], className="hint"),
        ]
    )
