"""Files from the page: the catalogue takes small ones of known kinds and refuses all others."""

from __future__ import annotations

import base64
from typing import Any

from dash import ClientsideFunction, Dash, Input, Output, State, no_update

from ..._errors import BadInput
from .signals import Catalogue


def take_upload(app: Dash, catalogue: Catalogue) -> None:
    """A file that is too large does not leave the browser. One that arrives becomes a signal."""
    app.clientside_callback(  # type: ignore[no-untyped-call]
        ClientsideFunction("explorer", "small"),
        Output("upload-content", "data"),
        Output("message", "children", allow_duplicate=True),
        Input("upload", "contents"),
        State("upload", "filename"),
        prevent_initial_call=True,
    )

    @app.callback(
        Output("signal", "options", allow_duplicate=True),
        Output("signal", "value", allow_duplicate=True),
        Output("message", "children", allow_duplicate=True),
        Output("upload-content", "data", allow_duplicate=True),
        Input("upload-content", "data"),
        State("signal", "options"),
        prevent_initial_call=True,
    )
    def take(upload: Any, options: list[Any]) -> tuple[Any, ...]:
        if not isinstance(upload, dict):
            return (no_update,) * 4
        try:
            file_name = _text(upload.get("name"))
            name = catalogue.take(file_name, _decoded(upload.get("contents")))
        except ValueError as error:
            return no_update, no_update, str(error), None
        others = [option for option in options if option["value"] != name]
        return [*others, {"label": file_name[-60:], "value": name}], name, "", None


def _decoded(contents: Any) -> bytes:
    try:
        return base64.b64decode(_text(contents).partition(",")[2], validate=True)
    except ValueError:
        raise BadInput("file must arrive whole, got a broken upload; try again") from None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
