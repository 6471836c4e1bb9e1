"""Settings of sphinx. The site needs no network, neither to be built nor to be read; the runtime of
the page "In the browser" is fetched beforehand (docs/browser.py), and may be missing.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "src")]

from measured import FILES, REPORT, piece  # noqa: E402

import spheresn  # noqa: E402

project, version, author = "spheresn", spheresn.__version__, "the authors of spheresn"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "mathml"]
exclude_patterns = ["_data"]
myst_heading_anchors = 3
myst_enable_extensions = ["dollarmath"]
html_math_renderer = "mathml"
autodoc_typehints = "none"  # the docstrings give shapes, which types do not
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}

html_theme = "pydata_sphinx_theme"
html_title = "spheresn"
html_static_path = ["_static"]
html_css_files = ["site.css"]
# What docs/browser.py has made: the page "In the browser" says so where it is missing
BROWSER = HERE.parent / "build" / "browser"
html_extra_path = [str(path) for path in (REPORT, BROWSER) if path.exists()]
html_show_sourcelink = html_copy_source = False
# They have no pages below them
html_sidebars = {page: [] for page in ("index", "start", "gallery", "reproducing")}
html_theme_options = {
    "logo": {"text": "spheresn"},
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "footer_start": ["footer"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "show_prev_next": True,
}
templates_path = ["_templates"]


def plain(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Docstrings are plain text, where |a| and x_ mean what they look like. Only `names`, "values",
    examples and what stands before a colon (a parameter, mostly) are special."""
    example = False
    for number, line in enumerate(lines):
        example = line.lstrip().startswith(">>>") or (example and bool(line.strip()))
        if not example:
            escaped = re.sub(r"([\\*|]|_(?!\w))", r"\\\1", line)
            valued = re.sub(r'"([a-z_]+)"', r'`"\1"`', escaped)
            named = re.sub(
                r"(^\s*|[.;)] )([a-z]\w*)((?: \([\w, ]+\))?):(?= |$)", r"\1**\2**\3:", valued
            )
            lines[number] = re.sub(
                r"`+([^`]+)`+", lambda found: f"``{found[1]}``".replace("\\", ""), named
            )


def without_requests(
    app: Any, what: str, name: str, obj: Any, skip: bool, options: Any
) -> bool | None:
    """Leave out the methods that scikit-learn adds for routing metadata."""
    return True if re.fullmatch(r"set_\w+_request|get_metadata_routing", name) else None


def fill_in(app: Any, name: str, source: list[str]) -> None:
    """Replace {{ what }} by what was measured."""
    source[0], found = re.subn(r"\{\{ (.+?) \}\}", lambda found: piece(found[1]), source[0])
    for path in FILES if found else ():  # built anew when a measurement is
        app.env.note_dependency(path, docname=name)


def breakable(app: Any, name: str, template: str, context: dict[str, Any], tree: Any) -> None:
    """Let the long names in the table of equations break after an underscore, dot or colon."""
    if name == "equations":
        context["body"] = re.sub(
            r'(?<=<span class="pre">)[^<]+',
            lambda found: re.sub(r"([_.]|:+)", r"\1<wbr>", found[0]),
            context["body"],
        )


def setup(app: Any) -> None:
    app.connect("autodoc-process-docstring", plain)
    app.connect("autodoc-skip-member", without_requests)
    app.connect("source-read", fill_in)
    app.connect("html-page-context", breakable)
