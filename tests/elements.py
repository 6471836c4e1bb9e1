"""What a page consists of."""

from __future__ import annotations

import re
from html.parser import HTMLParser


class Elements(HTMLParser):
    """Tags, ids and links of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.feed(text)

    def only_drawings(self) -> bool:
        """Whether every image is an SVG that the page itself holds."""
        sources = [value for name, value in self.attributes if name == "src"]
        assert len(sources) == self.tags.count("img") > 0
        return all(re.fullmatch(r"data:image/svg\+xml;base64,[\w+/=]+", one) for one in sources)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
