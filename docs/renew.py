"""Renew what the pages say about the paper, from the results of runs:

    spheresn reproduce --preset paper --out results
    spheresn reproduce --preset quick --seed 1 --out results-1
    spheresn reproduce --preset quick --seed 2 --out results-2
    python docs/renew.py results results-1 results-2

The claims of the first run become `_data/claims.json`, the verdicts of all runs
`_data/verdicts.json`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "_data"


def renew(runs: Sequence[Path], data: Path = DATA) -> None:
    """Write both files; each run is a directory with the results of all experiments."""
    claims = [_read(run / "claims.json") for run in runs]
    verdicts = {
        f"{found[0]['preset']}, seed {_seed(run)}": {one["id"]: one["verdict"] for one in found}
        for run, found in zip(runs, claims, strict=True)
    }
    _write(data / "claims.json", claims[0], 2)
    _write(data / "verdicts.json", verdicts, 1)


def _seed(run: Path) -> int:
    """The seed of a run, which must be one for all experiments."""
    seeds = {one["seed"] for one in _read(run / "runs.json")["runs"].values()}
    if len(seeds) != 1:
        raise SystemExit(f"{run} must come from one seed, got {sorted(seeds)}; run it anew")
    return int(seeds.pop())


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _write(path: Path, content: Any, indent: int) -> None:
    text = json.dumps(content, indent=indent, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        raise SystemExit("usage: python docs/renew.py RESULTS RESULTS..., the paper preset first")
    renew([Path(name) for name in sys.argv[1:]])
