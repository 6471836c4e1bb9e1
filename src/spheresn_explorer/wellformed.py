"""What a page may send to the server when something changes: a callback that exists, with its
inputs and states, each of a type that it can have.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from spheresn._errors import BadInput


def check_callback(body: Any, known: Mapping[str, Any]) -> None:
    """Raise `BadInput` unless a request calls one of the known callbacks as its page does."""
    if not isinstance(body, dict):
        raise _bad("a JSON object", body)
    name = body.get("output")
    if not isinstance(name, str) or name not in known:
        raise _bad("one of the outputs of the page", name)
    if _places(body.get("outputs")) != [tuple(one.rsplit(".", 1)) for one in _parts(name)]:
        raise _bad("given with the outputs that it names", body.get("outputs"))
    for kind, listed in (("inputs", known[name]["inputs"]), ("state", known[name]["state"])):
        given = body.get(kind, [])
        if _places(given) != [(one["id"], one["property"]) for one in listed]:
            raise _bad(f"given with its {kind}", given)
        for one in given:
            _check_value(one["id"], one["property"], one.get("value"))
    changed = body.get("changedPropIds", [])
    if not isinstance(changed, list) or not all(isinstance(one, str) for one in changed):
        raise _bad("given with the names of what changed", changed)


def _parts(output: str) -> list[str]:
    """`..a.x...b.y@1..` names two outputs, `a.x` one; what follows @ distinguishes callbacks."""
    parts = output[2:-2].split("...") if output.startswith("..") else [output]
    return [one.partition("@")[0] for one in parts]


def _places(items: Any) -> Any:
    """The ids and properties of a list of items, or of a single one."""
    listed = [items] if isinstance(items, dict) else items
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        return None
    return [(one.get("id"), str(one.get("property")).partition("@")[0]) for one in listed]


def _check_value(name: str, prop: str, value: Any) -> None:
    words, fits = VALUES.get(f"{name}.{prop}") or VALUES[prop]
    if not fits(value) and not (value is None and prop in EMPTY):
        raise BadInput(f"{name}.{prop} must be {words}, got {_short(value)}; load the page again")


def _is_number(value: Any) -> bool:
    """A number of 64 bits: orjson, which plotly takes where it is installed, writes no other."""
    if isinstance(value, int):
        return not isinstance(value, bool) and abs(value) < 2**63
    return isinstance(value, float)


def _is_text(value: Any) -> bool:
    """A text without half characters, which no UTF-8 has."""
    return isinstance(value, str) and not re.search("[\ud800-\udfff]", value)


def _is_options(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(one, dict) and _is_text(one.get("value")) and _is_text(one.get("label"))
        for one in value
    )


TEXT = ("a text", _is_text)
COUNT = ("a whole number", lambda value: isinstance(value, int) and _is_number(value))
# By property, and for some places alone
VALUES: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "search": TEXT,
    "data": TEXT,
    "upload-content.data": ("a file", lambda value: isinstance(value, dict)),
    "value": ("a text or a number", lambda value: _is_text(value) or _is_number(value)),
    "n_clicks": COUNT,
    "n_intervals": COUNT,
    "options": ("a list of options", _is_options),
}
EMPTY = {"search", "data", "value", "n_intervals"}  # before the page has set them


def _bad(rule: str, value: Any) -> BadInput:
    return BadInput(f"callback must be {rule}, got {_short(value)}; load the page again")


def _short(value: Any) -> str:
    """A value of any depth in a few words."""
    if isinstance(value, dict | list):
        return f"a {'list' if isinstance(value, list) else 'JSON object'} of {len(value)}"
    return repr(value)[:40]
