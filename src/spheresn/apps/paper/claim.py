"""A sentence of the paper, what was measured, and whether it holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

Evidence = dict[str, float | str]
VERDICTS = ("holds", "partly", "fails")


@dataclass(frozen=True)
class Claim:
    """One sentence with its verdict; the report shows the rule that decides.

    id: a short name; figure: where it is drawn; source: the label in the paper; says: the sentence;
    measured: what we found, in words and numbers; rule: how the verdict follows from the numbers;
    verdict: "holds", "partly" or "fails"; evidence: the numbers themselves.
    """

    id: str
    figure: str
    source: str
    says: str
    measured: str
    rule: str
    verdict: str
    evidence: Evidence = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            words = ", ".join(VERDICTS)
            raise ValueError(
                f"verdict must be one of {words}, got {self.verdict!r}; choose one of these"
            )


def verdict(holds: bool, partly: bool = False) -> str:
    """The verdict as one word."""
    return "holds" if holds else "partly" if partly else "fails"


def drop_unmeasured(claims: Sequence[Claim]) -> list[Claim]:
    """The claims whose evidence is complete; NaN in the evidence means that a unit failed."""
    return [
        claim
        for claim in claims
        if not any(isinstance(v, float) and np.isnan(v) for v in claim.evidence.values())
    ]
