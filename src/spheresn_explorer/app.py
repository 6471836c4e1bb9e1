"""The server: callbacks that connect the page with its panels, and checks that refuse others."""

from __future__ import annotations

import logging
import socket
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import BoundedSemaphore, Thread
from time import perf_counter
from typing import Any

from dash import ClientsideFunction, Dash, Input, Output, State, html, no_update
from dash.exceptions import DependencyException
from flask import Response, g, request
from threadpoolctl import threadpool_limits
from werkzeug.exceptions import BadRequest, UnsupportedMediaType
from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server

from spheresn._errors import BadInput, DegenerateStep

from . import pictures
from .admission import Admission
from .jobs import Answer, Jobs
from .own_panel import own_callbacks, own_query
from .page import CONTROLS, PANELS, layout
from .panels import Panels, Recall
from .settings import ACTIVATIONS, DIALS, Settings, from_query, from_texts, to_query
from .signals import MOST_BYTES, Catalogue
from .uploads import take_upload
from .wellformed import check_callback

# Seconds that a request for quick and for heavy work waits: a browser has few connections, and
# heavy work must not block them. Quick work mostly takes half a second; who asks again loses time.
ANSWER_SECONDS = {"quick": 0.8, "heavy": 0.05}
LARGE = 1_000_000  # bytes of a request; only an upload has as many
LONGEST_WAIT = 300.0  # seconds until it is the turn of an upload
# By the time from their start until they are drawn: computing a forecast takes longest, drawing a
# trajectory
SLOWEST_FIRST = ("forecast", "trajectory", "memory", "spectrum", "echo")
CALLBACKS = "/_dash-update-component"  # where the page sends what has changed
POLICY = (
    "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; form-action 'none'; "
    "frame-ancestors 'none'"
)


class Patient(WSGIRequestHandler):
    """Closes a connection that is silent for a minute, which would otherwise block its thread for
    ever.
    """

    timeout = 60  # seconds

    def log_error(self, *_: Any) -> None:
        """Print nothing: a closed connection is no error."""


def build(panels: Panels, jobs: Jobs) -> Dash:
    """The application. It reads no files but those in the catalogue of its panels."""
    app = Dash(
        "spheresn",
        title="spheresn explorer",
        update_title="",
        assets_folder=str(Path(__file__).with_name("assets")),
    )
    app.layout = lambda: layout(panels.catalogue.titles())
    _settings_callbacks(app, panels, jobs)
    take_upload(app, panels.catalogue)
    for name in (*PANELS, "echo", "code"):
        _panel_callback(app, name, panels, jobs)
    own_callbacks(app, panels, jobs)
    return app


def server(
    files: Sequence[Path],
    host: str,
    port: int,
    jobs: Jobs | None = None,
    allowed: Sequence[str] = (),
) -> BaseWSGIServer:
    """A server at host and port (0: any free one). It answers only requests that carry an address
    of its own, or an allowed name, and come from its own page.
    """
    panels = Panels(Catalogue(files))
    app = build(panels, jobs or Jobs())
    # Uploads come in base 64
    app.server.config["MAX_CONTENT_LENGTH"] = MOST_BYTES * 4 // 3 + 100_000
    with _bound(host, port) as place:
        _refuse_others(app, Admission(place.getsockname()[0], allowed))
        listening = make_server(
            host, port, app.server, threaded=True, request_handler=Patient, fd=place.fileno()
        )
    Thread(target=_warm_up, args=(panels,), daemon=True).start()
    return listening


def _refuse_others(app: Dash, admission: Admission) -> None:
    """Check all requests before Dash sees them. What is refused gets one sentence. Large ones take
    turns, from their first byte to their answer: memory is that of one upload, however many come.
    """
    turn = BoundedSemaphore()

    @app.server.before_request  # type: ignore[untyped-decorator]
    def refuse() -> Any:
        problem = admission.problem(request.headers.get("Host", ""), request.headers.get("Origin"))
        if problem:
            return _said(problem, 403)
        if request.path != CALLBACKS or request.method != "POST":
            return None
        if (request.content_length or 0) > LARGE:
            g.has_turn = turn.acquire(timeout=LONGEST_WAIT)
            if not g.has_turn:
                return _said("file must wait for others, got no turn; upload it again", 503)
        try:
            check_callback(request.get_json(), app.callback_map)
        except (BadRequest, UnsupportedMediaType, RecursionError):
            return _said("callback must be JSON, got something else; load the page again", 400)
        except BadInput as error:
            return _said(str(error), 400)
        return None

    @app.server.teardown_request  # type: ignore[untyped-decorator]
    def give_turn(_: Any) -> None:
        if g.pop("has_turn", False):
            turn.release()

    @app.server.errorhandler(DependencyException)  # type: ignore[untyped-decorator]
    def unknown(error: Exception) -> Any:
        return _said("path must be that of a part of the page, got another one; open /", 404)

    @app.server.after_request  # type: ignore[untyped-decorator]
    def keep_inside(response: Any) -> Any:
        response.headers["Content-Security-Policy"] = POLICY
        response.headers["X-Content-Type-Options"] = "nosniff"
        return response


def _said(sentence: str, status: int) -> Any:
    return Response(f"{sentence}\n", status, mimetype="text/plain")


def _bound(host: str, port: int) -> socket.socket:
    """A socket at that address, or one sentence; the server's own error would be three lines."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        if not host:  # would be every address of this machine
            raise OSError(None, "no address")
        return socket.create_server((host, port), family=family)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or "not the name of a host"
        sentence = (
            f"--host and --port must be a free address of this machine, got {host} and {port} "
            f"({reason})"
        )
        raise BadInput(f"{sentence}; choose another port, or 0 for any") from None


def serve(
    files: Sequence[Path],
    host: str,
    port: int,
    say: Callable[[str], None],
    allowed: Sequence[str] = (),
) -> None:
    """Serve until interrupted. One thread per matrix product: panels are computed side by side."""
    warnings.simplefilter("ignore", DegenerateStep)
    logging.getLogger("werkzeug").setLevel(logging.ERROR)  # a line for every request helps nobody
    jobs = Jobs()
    with threadpool_limits(1):
        listening = server(files, host, port, jobs, allowed)
        bound = listening.socket.getsockname()[0]
        name = f"[{bound}]" if ":" in bound else bound
        say(f"explorer: http://{name}:{listening.port}/ (Ctrl-C ends it)")
        try:
            listening.serve_forever()
        finally:
            jobs.close()
            listening.server_close()


def _warm_up(panels: Panels) -> None:
    """Compile what the first moves need: every activation, on a ring and on a dense matrix."""
    for topology in ("ring", "gaussian"):
        for activation in ACTIVATIONS:
            settings = Settings(
                activation=activation, topology=topology, units=200 if topology == "ring" else 50
            )
            for name in ("trajectory", "spectrum", "echo", "forecast", activation):
                panels.panel(name, settings, lambda stage: None)


def _settings_callbacks(app: Dash, panels: Panels, jobs: Jobs) -> None:
    values = [Output(name, "value") for name in CONTROLS]

    @app.callback(
        *values,
        Output("signal", "options"),
        Output("link-problem", "data"),
        Input("url", "search"),
        State("signal", "options"),
    )
    def restore(search: str | None, options: list[Any]) -> tuple[Any, ...]:
        try:
            settings, problem = from_query(search or ""), ""
            title = panels.source(settings).title
        except ValueError as error:
            settings, problem, title = (
                Settings(),
                f"{error} (the page ignores the link and shows the defaults)",
                "",
            )
        known = any(option["value"] == settings.signal for option in options)
        options = options if known else [*options, {"label": title, "value": settings.signal}]
        return *(_shown(settings, name) for name in CONTROLS), options, problem

    @app.callback(
        Output("query", "data"),
        Output("own", "data"),
        Output("message", "children"),
        Output("answered", "data"),
        Output("code-query", "data"),
        *(Output(f"{name}-field", "hidden") for name in DIALS),
        *(Output(f"{name}-value", "children") for name in DIALS),
        *(Input(name, "value") for name in CONTROLS),
        State("link-problem", "data"),
        State("own", "data"),
        State("tab", "data"),
        State("code-button", "n_clicks"),
    )
    def gather(*given: Any) -> tuple[Any, ...]:
        *controls, link_problem, own_before, tab, clicks = given
        try:
            settings = from_texts(
                {name: _meant(name, value) for name, value in zip(CONTROLS, controls, strict=True)}
            )
            own = own_query(settings, panels)
            # The page asks for its panels once it has this answer; by then they are under way
            for name in SLOWEST_FIRST:
                _ask(jobs, panels, settings, tab, name, patience=0.0)
        except ValueError as error:
            return no_update, no_update, str(error), controls, *[no_update] * (1 + 2 * len(DIALS))
        query = to_query(settings)
        hidden = (_unused(settings, name) for name in DIALS)
        return (
            query,
            own if own != own_before else no_update,  # a slider does not ask for the file again
            "" if query else link_problem,
            controls,
            query if clicks % 2 else no_update,  # nobody sees the code while it is closed
            *hidden,
            *(f"{getattr(settings, name):g}" for name in DIALS),
        )

    inputs = {
        "asked": [Input(name, "value") for name in CONTROLS],
        "answered": [Input(name, "data") for name in ("query", "own", "answered")],
    }
    for name, given in inputs.items():
        app.clientside_callback(ClientsideFunction("explorer", name), *given)  # type: ignore[no-untyped-call]


def _shown(settings: Settings, name: str) -> Any:
    value = getattr(settings, name)
    if name == "steps" and not value:
        return ""
    return DIALS[name].position(value) if name in DIALS else str(value)


def _meant(name: str, value: Any) -> Any:
    if name == "steps" and not value:
        return 0
    return DIALS[name].value(value) if name in DIALS and isinstance(value, int | float) else value


def _unused(settings: Settings, name: str) -> bool:
    """Whether a slider would change nothing; the page hides it then."""
    by_memory = settings.drive == "memory"
    unused = {
        "memory": not by_memory,
        "spectral_radius": by_memory,
        "input_scaling": by_memory,
        "bend": settings.activation != "spherical",
    }
    return unused.get(name, False)


def _panel_callback(app: Dash, name: str, panels: Panels, jobs: Jobs) -> None:
    drawn = [Output(f"{name}-figure", "figure")] if name in PANELS else []
    panel = "spectrum" if name == "echo" else name
    busy = [Output(f"{panel}-panel", "className")] if name in PANELS else []
    opened = (
        [Output("code-panel", "hidden"), Input("code-button", "n_clicks")] if name == "code" else []
    )

    @app.callback(
        *drawn,
        Output(f"{name}-note", "children"),
        Output(f"{name}-note", "data-shows"),
        Output(f"{name}-poll", "disabled"),
        *busy,
        *opened[:1],
        Input("code-query" if name == "code" else "query", "data"),
        Input(f"{name}-poll", "n_intervals"),
        *opened[1:],
        State("tab", "data"),
        State("query", "data"),
    )
    def update(changed: str | None, looks: int | None, *others: Any) -> Any:
        *clicks, tab, query = others
        if clicks and not clicks[0] % 2:
            return no_update, no_update, True, True
        if query is None:
            return (no_update,) * (3 + len(drawn) + len(busy) + len(opened[:1]))
        try:
            settings = from_query(str(query))
            answers = _ask(jobs, panels, settings, tab, name)
            figure, words = SHOWN[name](settings, panels, answers)
        except ValueError as error:
            figure, words, answers = pictures.blank(), str(error), {}
        waiting = any(answer.waiting for answer in answers.values())
        seconds = max((answer.seconds for answer in answers.values()), default=0.0)
        took = (
            [html.Span(f" {1000 * seconds:.0f} ms", className="took")]
            if not waiting and name != "code"
            else []
        )
        note = words if isinstance(words, str) and name == "code" else [words, *took]
        state = ["panel busy" if waiting else "panel"] if busy else []
        shows = None if waiting else str(query)
        if drawn and figure is not no_update:
            figure = pictures.named(figure, shows)
        picture = [figure] if drawn else []
        return *picture, note, shows, not waiting, *state, *([False] if clicks else [])


def _ask(
    jobs: Jobs,
    panels: Panels,
    settings: Settings,
    tab: Any,
    name: str,
    patience: float | None = None,
) -> dict[str, Answer]:
    """The answers to all parts of a panel: start all of them, then wait for them together."""
    panels.source(settings)
    lane = "heavy" if settings.heavy else "quick"
    end = perf_counter() + (ANSWER_SECONDS[lane] if patience is None else patience)
    parts = ACTIVATIONS if name == "memory" else (name,)
    answers: dict[str, Answer] = {}
    for patient in (False, True):
        for part in parts:
            left = max(end - perf_counter(), 0.0) if patient else 0.0
            work = lambda report, part=part: panels.panel(part, settings, report)  # noqa: E731
            asker, key = (str(tab)[:64], part), panels.key(part, settings)
            answers[part] = jobs.ask(asker, key, work, lane, left)
    return answers


def _show_one(
    draw: Callable[[Any, Settings], Any] | None, explain: Callable[[Any, Settings, Panels], Any]
) -> Callable[[Settings, Panels, dict[str, Answer]], Any]:
    """A panel of one part. While the part is not there, the panel stays as it is."""

    def show(settings: Settings, panels: Panels, answers: dict[str, Answer]) -> Any:
        (answer,) = answers.values()
        if answer.value is None:
            return (
                no_update if answer.waiting else pictures.blank()
            ), answer.waiting or answer.problem
        return draw(answer.value, settings) if draw else None, explain(
            answer.value, settings, panels
        )

    return show


def _show_memory(settings: Settings, panels: Panels, answers: dict[str, Answer]) -> Any:
    curves = {name: answer.value for name, answer in answers.items() if answer.value is not None}
    reasons = {
        name: answer.problem or answer.waiting
        for name, answer in answers.items()
        if answer.value is None
    }
    chosen = answers[settings.activation]
    if chosen.waiting:
        return no_update, chosen.waiting
    result = Recall(curves, reasons)
    return pictures.memory(result, settings), pictures.memory_words(result, settings)


def _show_echo(result: Any, settings: Settings, panels: Panels) -> Any:
    verdict, reason = pictures.echo_words(result)
    return html.Span([html.B(verdict, className=pictures.echo_kind(result)), " ", reason])


def _show_forecast(settings: Settings, panels: Panels, answers: dict[str, Answer]) -> Any:
    show = _show_one(
        lambda result, settings: pictures.forecast(result, settings, panels.dates(settings)),
        lambda result, settings, panels: pictures.forecast_words(result, panels.source(settings)),
    )
    return show(settings, panels, answers)


SHOWN: dict[str, Callable[[Settings, Panels, dict[str, Answer]], Any]] = {
    "trajectory": _show_one(
        lambda result, settings: pictures.trajectory(result),
        lambda r, s, _: pictures.trajectory_words(r, s),
    ),
    "memory": _show_memory,
    "spectrum": _show_one(pictures.spectrum, lambda r, s, _: pictures.spectrum_words(r, s)),
    "forecast": _show_forecast,
    "echo": _show_one(None, _show_echo),
    "code": _show_one(None, lambda text, s, _: text),
}
