"""A sentence of the paper, what was measured, and whether it holds."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from ..._errors import BadInput, printable

Evidence = dict[str, float | str]
# Each with the words of the page
VERDICTS = {"holds": "✓ holds", "partly": "◐ partly", "fails": "✗ fails"}


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


def read_claims(path: Path) -> dict[str, dict[str, Any]]:
    """The claims of a claims.json by id; `BadInput` when it is missing or damaged."""
    if not path.is_file():
        raise BadInput(
            f"--out must be a directory of results, got no {path}; run `spheresn reproduce --out "
            f"{path.parent}` first"
        )
    names = [one.name for one in fields(Claim)]
    try:
        claims = [
            {name: claim[name] for name in names}
            for claim in json.loads(path.read_text(encoding="utf-8"))
        ]
        return {
            str(claim["id"]): {**claim, "evidence": dict(claim["evidence"])} for claim in claims
        }
    except (ValueError, TypeError, KeyError, RecursionError):
        raise BadInput(
            f"{path} must hold the claims of a run, got a damaged file; run `spheresn report "
            f"{path.parent}`"
        ) from None


def format_claim(claim: dict[str, Any]) -> str:
    """A claim as lines of text."""
    head = f"{claim['id']}: {claim['verdict']}  ({claim['figure']}, {claim['source']})"
    body = [_block(name, str(claim[name])) for name in ("says", "measured", "rule")]
    evidence = [
        _block("evidence" if i == 0 else "", f"{name} = {value}")
        for i, (name, value) in enumerate(claim["evidence"].items())
    ]
    return "\n".join([printable(head), *body, *evidence])


def _block(name: str, text: str) -> str:
    return textwrap.fill(
        printable(text), 100, initial_indent=f"  {name:<10}", subsequent_indent=" " * 12
    )
