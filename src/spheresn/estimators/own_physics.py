"""Whether a forecaster takes the user's own equations, and how far it trusts them."""

from __future__ import annotations

from dataclasses import replace

from ..closed_loop import trust_in_physics
from .examples import Examples
from .following import Followed
from .forecast_search import ForecastChoice

# E-folds by which free runs must be better with the user's own model, and how far they must follow
# it: with less, a few held-out rows take white noise for equations
PREFERRED, LEAST_TRUST = 0.3, 0.1


def with_physics(
    found: ForecastChoice, choice: ForecastChoice, followed: Followed | None, examples: Examples
) -> tuple[float, Examples] | None:
    """How far the physics of what was found are trusted, and what stands beside the rows then; None
    where the network alone, chosen and followed, is better.
    """
    alone = choice.score
    if followed is not None and followed.score is not None:
        alone = followed.score
    if alone is not None and found.score is not None and found.score < alone + PREFERRED:
        return None
    told = replace(examples, beside=examples.told(found.loop))
    share = trust_in_physics(found.loop, told.inputs())
    return None if share < LEAST_TRUST else (share, told)
