"""Figures and pages that the applications share: the same numbers give the same SVG, byte for byte,
and a page is one file that fetches nothing.
"""

from __future__ import annotations

import re
import warnings
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from .._errors import printable
from ..io.files import whole_file

# The same bytes each time, and letters as in every browser
STYLE: dict[Any, Any] = {"svg.hashsalt": "spheresn", "svg.fonttype": "path", "savefig.dpi": 150}
PIXELS = 1.45  # of a page per point of a figure


@contextmanager
def quiet() -> Iterator[None]:
    """Holes make numpy and matplotlib warn; the page names the holes instead."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def save_figure(figure: Any, folder: Path, stem: str) -> str:
    """Save as PNG and SVG, and return the source of the SVG: the place may be a pipe."""
    _save(figure, folder / f"{stem}.png", {})
    # Keep the places that were just found: finding them is half of the work
    figure.set_layout_engine("none")
    return _save(figure, folder / f"{stem}.svg", {"Date": None}).decode()


def _save(figure: Any, path: Path, metadata: dict[str, Any]) -> bytes:
    with whole_file(path) as draft:
        figure.savefig(draft, format=path.suffix[1:], metadata=metadata)
        return draft.read_bytes()


@dataclass(frozen=True)
class Drawing:
    """A figure: file stem, text below it, SVG source."""

    stem: str
    caption: str
    svg: str

    @property
    def width(self) -> float:
        """The width in points, from the viewBox.

        >>> Drawing("a", "", '<svg viewBox="0 0 360 216">').width
        360.0
        """
        found = re.search(r'viewBox="\S+ \S+ ([\d.]+) ', self.svg)
        return float(found[1]) if found else 480.0


def pages(folder: Path) -> Environment:
    """The templates in a folder, which may include `style.css`. Their values are escaped for HTML,
    without the characters that no page may hold.
    """
    settings: dict[str, Any] = {
        "autoescape": True,
        "undefined": StrictUndefined,
        "trim_blocks": True,
        "finalize": _visible,
    }
    loader = FileSystemLoader([folder, Path(__file__).parent])
    environment = Environment(loader=loader, **settings)
    environment.filters.update(drawing=_image)
    return environment


def _visible(value: Any) -> Any:
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _image(drawing: Drawing) -> Markup:
    """The drawing as an image: a browser runs nothing that an image holds and fetches nothing that
    it names.
    """
    return Markup('<img class="drawing" style="width:{:.0f}px" alt="{}" src="{}">').format(
        PIXELS * drawing.width,
        printable(drawing.caption),
        f"data:image/svg+xml;base64,{b64encode(drawing.svg.encode()).decode()}",
    )


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
