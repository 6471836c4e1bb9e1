"""The page: a function from sections to HTML."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from spheresn._version import __version__
from spheresn.apps._pages import duration, pages

from ..claim import VERDICTS, in_order
from .findings import findings
from .section import Section

PRESETS = {  # what the names of the presets mean
    "smoke": "tiny networks, only to see whether it runs",
    "quick": "networks smaller or fewer than the paper's",
    "paper": "the paper's sizes",
}


def page(sections: Sequence[Section]) -> str:
    """Three findings, the claims of the paper and ours, then each experiment with its figures and
    everything needed to redo it; one file that fetches nothing.
    """
    environment = pages(Path(__file__).parent)
    environment.filters.update(
        duration=duration, size=size, value=_value, verdict=lambda word: VERDICTS.get(word, word)
    )
    claims = [claim for section in sections for claim in section.claims]
    runs = dict.fromkeys((section.preset, section.seed) for section in sections)
    return environment.get_template("page.html").render(
        sections=sections,
        findings=findings(sections),
        tables=[_table(claims, by) for by in ("paper", "library")],
        runs=[(preset, PRESETS.get(preset, ""), seed) for preset, seed in runs],
        version=__version__,
    )


def _table(claims: Sequence[dict[str, Any]], by: str) -> dict[str, Any]:
    """The claims of one side with the count of their verdicts."""
    chosen = in_order(claims, by)
    counts = Counter(claim["verdict"] for claim in chosen)
    tally = [(word, counts[word]) for word in VERDICTS if counts[word]]
    return {"by": by, "claims": chosen, "tally": tally}


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
