"""A sentence of the paper, what was measured, and whether it holds."""

from __future__ import annotations

from dataclasses import dataclass, field

VERDICTS = ("holds", "partly", "fails")


@dataclass(frozen=True)
class Claim:
    """One sentence judged by a rule that the report shows.

    id: a short name; figure: where it is drawn; source: the label in the paper; says: the sentence; measured: what we found, in words and
    numbers; rule: how the verdict follows from the numbers; verdict: "holds", "partly" or "fails"; evidence: the numbers themselves.
    """

    id: str
    figure: str
    source: str
    says: str
    measured: str
    rule: str
    verdict: str
    evidence: dict[str, float | str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise ValueError(f"verdict must be one of {', '.join(VERDICTS)}, got {self.verdict!r}; choose one of these")
