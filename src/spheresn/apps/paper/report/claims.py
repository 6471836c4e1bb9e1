"""Reading back the claims of a directory, and telling one of them in plain text."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

from spheresn._errors import BadInput, printable

FIELDS = ("id", "figure", "source", "says", "measured", "rule", "verdict", "evidence")


def read_claims(path: Path) -> dict[str, dict[str, Any]]:
    """Claims by id; `BadInput` when the file is missing or is not what `publish` wrote."""
    if not path.is_file():
        raise BadInput(
            f"--out must be a directory of results, got no {path}; run `spheresn reproduce --out "
            f"{path.parent}` first"
        )
    try:
        claims = {
            str(claim["id"]): {name: claim[name] for name in FIELDS}
            for claim in json.loads(path.read_text(encoding="utf-8"))
        }
        return {
            name: {**claim, "evidence": dict(claim["evidence"])} for name, claim in claims.items()
        }
    except (ValueError, TypeError, KeyError, RecursionError):
        raise BadInput(
            f"{path} must hold the claims of a run, got a damaged file; run `spheresn report "
            f"{path.parent}`"
        ) from None


def tell_claim(claim: dict[str, Any]) -> str:
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
