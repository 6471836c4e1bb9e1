"""Recorded series: santa_fe_laser.

Nothing is downloaded. The data is not part of this package, because no source states its licence.
"""

from __future__ import annotations

import hashlib
import importlib.util
import io
import os
from pathlib import Path

import numpy as np

from .. import _validation
from .._errors import BadInput, NotInstalled
from .._validation import Floats

LASER_SHA256 = "8c07281200935596f8e28bc94e1bb25e9964ab7d7f63c5e27ac87b810ac3b33a"
_FIX = "pip install 'spheresn[laser]' or pass path="


def santa_fe_laser(path: str | os.PathLike[str] | None = None) -> Floats:
    """The intensity of a far-infrared NH₃ laser, shape (10093, 1) [HUE89].

    Santa Fe set A with its continuation: whole numbers from 0 to 255. They are read from the files
    of an installed reservoirpy, which is not imported, or from `path`: the same .npy file, whose
    checksum must agree, or any text file with one number per line.

    >>> santa_fe_laser()[:3].ravel()  # doctest: +SKIP
    array([ 86., 141.,  95.])
    """
    content = (_locate() if path is None else _named(path)).read_bytes()
    if path is None or content.startswith(b"\x93NUMPY"):
        return _from_npy(content)
    return _from_text(content)


def _locate() -> Path:
    # For a top-level name this finds the folder without running its code
    spec = importlib.util.find_spec("reservoirpy")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        file = Path(folder, "datasets", "santafe_laser.npy")
        if file.is_file():
            return file
    raise NotInstalled(
        f"the laser recording must be installed, got no reservoirpy package that holds it; {_FIX}"
    )


def _named(path: str | os.PathLike[str]) -> Path:
    if not isinstance(path, str | os.PathLike):
        raise BadInput(f"path must be a file name, got {path!r}; pass a string or a Path")
    if not Path(path).is_file():
        raise FileNotFoundError(f"path must name an existing file, got {str(path)!r}; {_FIX}")
    return Path(path)


def _from_npy(content: bytes) -> Floats:
    found = hashlib.sha256(content).hexdigest()
    if found != LASER_SHA256:
        raise BadInput(
            f"the laser file must have the sha256 {LASER_SHA256}, got {found}; it is damaged or "
            f"another one: {_FIX}"
        )
    return _validation.table("laser", np.load(io.BytesIO(content), allow_pickle=False), columns=1)


def _from_text(content: bytes) -> Floats:
    lines = content.decode("utf-8", errors="replace").split("\n")
    values = [_number(line.strip(), row) for row, line in enumerate(lines, start=1) if line.strip()]
    _validation.at_least("the laser file", len(values), 1, "with a number each")
    return _validation.table("laser", values)


def _number(line: str, row: int) -> float:
    try:
        return float(line)
    except ValueError:
        raise BadInput(
            f"the laser file must hold one number per line, got {line[:40]!r} in line {row}; pass "
            "such a file"
        ) from None
