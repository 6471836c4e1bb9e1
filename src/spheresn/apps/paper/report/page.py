"""The page: a function from sections to HTML."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from jinja2 import BaseLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from spheresn._errors import printable
from spheresn._version import __version__

from .section import Drawing, Section
from .svg import inline, width

VERDICTS = {"holds": "✓ holds", "partly": "◐ partly", "fails": "✗ fails"}


def page(sections: Sequence[Section]) -> str:
    """Claims first, then each experiment with its figures and everything needed to redo it; one
    file that fetches nothing.
    """
    environment = pages(PackageLoader("spheresn.apps.paper.report", ""))
    environment.filters.update(
        duration=duration, size=size, value=_value, verdict=lambda word: VERDICTS.get(word, word)
    )
    claims = [claim for section in sections for claim in section.claims]
    counts = Counter(claim["verdict"] for claim in claims)
    tally = [(word, counts[word]) for word in VERDICTS if counts[word]]
    return environment.get_template("page.html").render(
        sections=sections, claims=claims, tally=tally, version=__version__
    )


def pages(loader: BaseLoader) -> Environment:
    """Templates whose values are escaped for HTML, without the characters that no page may hold."""
    settings: dict[str, Any] = {
        "autoescape": True,
        "undefined": StrictUndefined,
        "trim_blocks": True,
        "finalize": _visible,
    }
    environment = Environment(loader=loader, **settings)
    environment.filters.update(drawing=drawing)
    return environment


def _visible(value: Any) -> Any:
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def duration(seconds: float) -> str:
    """A time as people say it.

    >>> duration(0.25), duration(75.2), duration(4000)
    ('0.25 s', '1 min 15 s', '1 h 06 min')
    """
    if seconds < 60:
        return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    return (
        f"{minutes} min {rest:02d} s"
        if minutes < 60
        else f"{minutes // 60} h {minutes % 60:02d} min"
    )


def size(count: int) -> str:
    """A number of bytes as people say it.

    >>> size(512), size(20480), size(3 * 2**20)
    ('512 B', '20 kB', '3.0 MB')
    """
    if count < 1024:
        return f"{count} B"
    return f"{count / 1024:.0f} kB" if count < 2**20 else f"{count / 2**20:.1f} MB"


def _value(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def drawing(drawing: Drawing) -> Markup:
    """Safe to insert as it is: parsed, cleaned and written anew by `inline`."""
    style = f"max-width:{width(drawing.svg) * 1.45:.0f}px"
    return Markup('<div class="drawing" style="{}">{}</div>').format(
        style, Markup(inline(drawing.svg, f"{drawing.stem}-", drawing.caption))
    )
