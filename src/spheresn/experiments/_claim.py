"""A sentence of the paper, what was measured, and whether it holds."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Claim:
    """`says` is the sentence, `source` its label in the paper, `rule` in words how `verdict` follows from `evidence`.

    verdict: "holds", "partly" or "fails".
    """

    id: str
    figure: str
    source: str
    says: str
    measured: str
    rule: str
    verdict: str
    evidence: dict[str, float | str] = field(default_factory=dict)
