"""A field that stops a worker of a cluster in the middle, until a test lets it go on."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np


def gated(block: np.ndarray, folder: str, block_info: Any = None) -> np.ndarray:
    """The block itself; the last one waits for the file `go` once there is a file `armed`."""
    place = Path(folder)
    _, last = block_info[0]["array-location"][0]
    if last == block_info[0]["shape"][0] and (place / "armed").exists():
        (place / "reached").touch()
        while not (place / "go").exists():
            time.sleep(0.02)
    return block
