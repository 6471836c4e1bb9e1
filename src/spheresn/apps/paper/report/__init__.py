"""From results to files: data sets, figures, claims and one self-contained page. The page itself is
a function from sections to text.
"""

from .page import page
from .publish import places, publish
from .section import Hole, Section

__all__ = ["Hole", "Section", "page", "places", "publish"]
