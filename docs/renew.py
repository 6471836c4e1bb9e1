"""Renew what the pages say about the paper, from the results of runs:

    spheresn reproduce --preset paper --out results
    spheresn reproduce --preset quick --out results-0
    spheresn reproduce --preset quick --seed 1 --out results-1
    spheresn reproduce --preset quick --seed 2 --out results-2
    python docs/renew.py results results-0 results-1 results-2

The claims of the run of the preset paper become `_data/claims.json`, the verdicts of all runs
`_data/verdicts.json`. Runs of a preset replace all earlier ones of it; a preset that is not given
stays as it is.
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
    claims = {run: _read(run / "claims.json") for run in runs}
    given = {found[0]["preset"] for found in claims.values()}
    path = data / "verdicts.json"
    verdicts = {
        name: words
        for name, words in (_read(path) if path.exists() else {}).items()
        if name.partition(",")[0] not in given
    }
    for run, found in claims.items():
        preset = found[0]["preset"]
        verdicts[f"{preset}, seed {_seed(run)}"] = {one["id"]: one["verdict"] for one in found}
        if preset == "paper":
            _write(data / "claims.json", found, 2)
    _write(path, dict(sorted(verdicts.items())), 1)


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
    if len(sys.argv) < 2:
        raise SystemExit("usage: python docs/renew.py RESULTS...")
    renew([Path(name) for name in sys.argv[1:]])
