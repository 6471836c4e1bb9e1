"""Formulas as MathML, made when the site is built: browsers draw it without a script and without a
font to load.
"""

from __future__ import annotations

import re
from html import escape
from itertools import cycle
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

logger = logging.getLogger(__name__)
BAR = re.compile(r'<mo stretchy="false">\|</mo>')
APPLIED = re.compile(r"<mo>&ApplyFunction;</mo>(?!\s*(<mrow>\s*)?<mo)")
EXTREME = re.compile(r"<mo>(max|min)</mo>(?=\s*(<mrow>\s*)?<mo[^>]*>\()")


def mathml(tex: str, as_block: bool = False) -> str:
    """The formula as MathML, with the spaces that TeX sets: bars come in pairs, one that opens and
    one that closes; a slash takes no room; the name of a function stands apart from its argument,
    unless a fence does that.
    """
    found = tex2mathml(tex, as_block=as_block)
    forms = cycle(("prefix", "postfix"))
    paired, bars = BAR.subn(lambda _: f'<mo stretchy="false" form="{next(forms)}">|</mo>', found)
    if bars % 2:
        raise MathError("a bar | must have a partner")
    slashed = paired.replace(
        '<mo stretchy="false">/</mo>', '<mo stretchy="false" lspace="0" rspace="0">/</mo>'
    )
    return EXTREME.sub(r"<mi>\1</mi>", APPLIED.sub('<mspace width="0.17em"></mspace>', slashed))


def typeset(node: nodes.Element, as_block: bool = False) -> str:
    """The formula of a node; one that cannot be read is a warning, which `make docs` takes for an
    error.
    """
    try:
        return mathml(node.astext(), as_block)
    except MathError as error:
        logger.warning("cannot typeset %r: %s", node.astext(), error, location=node)
        return f"<code>{escape(node.astext())}</code>"


def inline(writer: Any, node: nodes.math) -> None:
    """A formula within a sentence."""
    writer.body.append(typeset(node))
    raise nodes.SkipNode


def block(writer: Any, node: nodes.math_block) -> None:
    """A formula on lines of its own; it scrolls where it is wider than the page."""
    writer.body.append(f'<div class="formula">{typeset(node, as_block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    app.add_html_math_renderer(
        "mathml", inline_renderers=(inline, None), block_renderers=(block, None)
    )
    return {"parallel_read_safe": True, "parallel_write_safe": True}
