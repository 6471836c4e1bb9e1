"""SVG drawings inside of a page: names made unique, nothing that reaches beyond its own drawing."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

SVG, LINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
DROPPED = {f"{{{SVG}}}metadata", f"{{{SVG}}}style", f"{{{SVG}}}script", f"{{{SVG}}}foreignObject"}
ElementTree.register_namespace("", SVG)
ElementTree.register_namespace("xlink", LINK)


def inline(source: str, prefix: str, label: str) -> str:
    """The drawing as an element for HTML: every id begins with `prefix`, so that two drawings never
    share one.

    The style sheet that matplotlib adds would hold for the whole page; what it says goes to the
    root instead, where it is inherited.
    """
    root = ElementTree.fromstring(source)
    _clean(root, prefix)
    for name in ("width", "height"):
        root.attrib.pop(name, None)
    root.attrib.update(
        {"role": "img", "aria-label": label, "stroke-linejoin": "round", "stroke-linecap": "butt"}
    )
    return ElementTree.tostring(root, encoding="unicode")


def _clean(element: ElementTree.Element, prefix: str) -> None:
    for name, value in list(element.attrib.items()):
        if name == "id":
            element.set(name, prefix + value)
        elif name in ("href", f"{{{LINK}}}href"):
            _relink(element, name, value, prefix)
        elif name.lower().startswith("on"):
            del element.attrib[name]
        else:
            element.set(name, re.sub(r"url\(#", f"url(#{prefix}", value))
    for child in list(element):
        if child.tag in DROPPED:
            element.remove(child)
        else:
            _clean(child, prefix)


def _relink(element: ElementTree.Element, name: str, value: str, prefix: str) -> None:
    """Keep links into the drawing and embedded images; a page that fetches nothing has no
    others.
    """
    if value.startswith("#"):
        element.set(name, f"#{prefix}{value[1:]}")
    elif not value.startswith("data:image/"):
        del element.attrib[name]


def width(source: str) -> float:
    """The width of a drawing in points, by its viewBox."""
    box = ElementTree.fromstring(source).get("viewBox", "0 0 480 360").split()
    return float(box[2])
