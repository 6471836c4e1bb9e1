"""A sentence of the paper or of this library, what was measured, and whether it holds."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Sequence
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from spheresn._errors import BadInput, printable

Evidence = dict[str, float | str]
# Each with the words of the page
VERDICTS = {
    "holds": "✓ holds",
    "partly": "◐ partly",
    "fails": "✗ fails",
    "open": "≈ too close to call",
}
OURS = "this library"  # the source of our own sentences
FIRST, MAIN, USUAL, DETAIL = 4, 3, 2, 1  # weights


@dataclass(frozen=True)
class Claim:
    """One sentence with its verdict; the report shows the rule that decides.

    id: a short name; figure: where it is drawn; source: the label or the section in the paper, or
    "this library" and a place there; says: the sentence; measured: what we found, in words and
    numbers; rule: how the verdict follows from the numbers; verdict: "holds", "partly", "fails", or
    "open" where the error of a number reaches over a threshold; evidence: the numbers themselves.

    by: "paper" or "library", whose sentence it is; by default that of the source. quoted: whether
    `says` are the paper's own words, letter by letter except that labels stand for the numbers of
    equations and plain text for formulas. weight: 4 for the promises that the findings of the
    report are about, 3 for other promises of abstract, introduction and discussion, 2 for what a
    section or a figure says, 1 for details. networks: the setting that says on how many networks
    the verdict rests; if it is open, more of them may settle it (`rounds`).
    """

    id: str
    figure: str
    source: str
    says: str
    measured: str
    rule: str
    verdict: str
    evidence: Evidence = field(default_factory=dict)
    by: str = ""
    quoted: bool = False
    weight: int = USUAL
    networks: str = "networks"

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            words = ", ".join(VERDICTS)
            raise ValueError(
                f"verdict must be one of {words}, got {self.verdict!r}; choose one of these"
            )
        ours = self.source.startswith(OURS)
        object.__setattr__(self, "by", self.by or ("library" if ours else "paper"))
        if self.by != ("library" if ours else "paper") or (ours and self.quoted):
            raise ValueError(
                f"by must be library, without a quotation, where the source is {OURS!r}, and paper "
                f"elsewhere, got {self.by!r} from {self.source!r}; name the place in the paper"
            )


def verdict(holds: bool, partly: bool = False) -> str:
    """The verdict as one word."""
    return "holds" if holds else "partly" if partly else "fails"


def all_of(parts: Sequence[str]) -> str:
    """Whether all parts hold: "holds", "fails", or "open"."""
    return "fails" if "fails" in parts else "open" if "open" in parts else "holds"


def any_of(parts: Sequence[str]) -> str:
    """Whether some part holds: "holds", "fails", or "open"."""
    return "holds" if "holds" in parts else "open" if "open" in parts else "fails"


def graded(holds: str, partly: str) -> str:
    """The verdict of two conditions, each "holds", "fails" or "open": "holds" under the first,
    "partly" under the second only.
    """
    if holds == "fails":
        return "partly" if partly == "holds" else partly
    return holds


def all_or_some(parts: Sequence[str]) -> str:
    """ "holds" if all parts hold, "partly" if some do, "fails" if none does; "open" where that
    depends on parts that are open.

    >>> all_or_some(["holds", "fails"]), all_or_some(["holds", "open"])
    ('partly', 'open')
    """
    return graded(all_of(parts), any_of(parts))


def in_order(claims: Sequence[dict[str, Any]], by: str) -> list[dict[str, Any]]:
    """The claims of the paper or of this library, those of the most weight first."""
    return sorted((one for one in claims if one["by"] == by), key=lambda one: -one["weight"])


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
    needed = [one.name for one in fields(Claim) if one.default is MISSING]
    known = {one.name: one.default for one in fields(Claim) if one.default is not MISSING}
    try:
        claims = [
            {name: claim[name] for name in needed}
            | {name: claim.get(name, default) for name, default in known.items()}
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
    word = "too close to call" if claim["verdict"] == "open" else claim["verdict"]
    head = f"{claim['id']}: {word}  ({claim['figure']}, {claim['source']})"
    body = [_block(name, str(claim[name])) for name in ("says", "measured", "rule")]
    if claim["quoted"] is True:
        body[0] = _block("says", f"“{claim['says']}”")
    evidence = [
        _block("evidence" if i == 0 else "", f"{name} = {value}")
        for i, (name, value) in enumerate(claim["evidence"].items())
    ]
    return "\n".join([printable(head), *body, *evidence])


def _block(name: str, text: str) -> str:
    return textwrap.fill(
        printable(text), 100, initial_indent=f"  {name:<10}", subsequent_indent=" " * 12
    )
