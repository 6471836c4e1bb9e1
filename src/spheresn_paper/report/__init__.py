"""From results to files: data sets, figures, claims and one self-contained page. The page itself is
a function from sections to text.
"""

from .findings import FOUND_BY
from .page import page
from .publish import places, publish
from .section import Hole, Section

__all__ = ["FOUND_BY", "Hole", "Section", "page", "places", "publish"]
