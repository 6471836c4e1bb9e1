"""Panels in folders of Parquet files, each with whole series: read, learned from and forecast block
by block, so that no more than a block is in memory.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._errors import BadInput
from ..._validation import Floats
from .frames import Encoding, Names, PanelRows, calendar_of_times, encoded, key_of, read_panel
from .windows import Block


def is_folder(frame: Any) -> bool:
    """Whether a panel is named by a path."""
    return isinstance(frame, (str, os.PathLike))


def files_in(path: str | os.PathLike[str]) -> list[str]:
    """The Parquet files of a folder, or the file itself, in the order of their names."""
    place = Path(path)
    found = [place] if place.is_file() else sorted(place.rglob("*.parquet"))
    if not found:
        raise BadInput(
            f"frame must be a folder with .parquet files, got {str(path)!r} without any; check the "
            "path"
        )
    return [str(one) for one in found]


def table_of(file: str, names: Names) -> Any:
    """The columns of one file that a panel needs."""
    import pandas as pd

    columns = [names.id, names.time, names.target, *names.known, *names.static]
    try:
        return pd.read_parquet(file, columns=columns)
    except (ValueError, KeyError, OSError) as error:
        reason, _, _ = str(error).partition("\n")
        raise BadInput(
            f"frame must have files with the columns {columns}, got {Path(file).name!r} "
            f"({reason[:120]}); write it anew, or name the columns"
        ) from None


@dataclass(frozen=True, eq=False)
class Glance:
    """What all files must agree on: their times, the series that they hold, the categories of
    columns of words, and sums of the other known and static columns.
    """

    times: Any
    keys: NDArray[np.uint64]
    words: tuple[frozenset[str] | None, ...]
    sums: Floats

    def __add__(self, other: Glance) -> Glance:
        words = tuple(
            None if one is None or two is None else one | two
            for one, two in zip(self.words, other.words, strict=True)
        )
        keys = np.concatenate([self.keys, other.keys])
        return Glance(self.times.union(other.times), keys, words, self.sums + other.sums)


def glance_at(file: str, names: Names) -> Glance:
    """The glance at one file."""
    import pandas as pd

    table = table_of(file, names)
    columns = [table[name] for name in (*names.known, *names.static)]
    words = tuple(
        None if one.dtype.kind in "biuf" else frozenset(one.astype(str).unique()) for one in columns
    )
    labels = table[names.id].astype(str).unique()
    keys = np.array([key_of(label) for label in labels], np.uint64)
    return Glance(pd.Index(table[names.time].unique()), keys, words, np.zeros(0))


def moments_of(file: str, names: Names, codes: Sequence[Encoding]) -> Floats:
    """Rows, sums and squares of the encoded known columns, and of the static ones once a series."""
    table = table_of(file, names)
    parts = []
    for code, rows in ((codes[0], table), (codes[1], table.drop_duplicates(names.id))):
        values = encoded(rows, code)
        parts += [[float(len(values))], values.sum(axis=0), np.square(values).sum(axis=0)]
    return np.concatenate(parts)


def codes_of(glance: Glance, names: Names) -> tuple[Encoding, Encoding]:
    """How columns become numbers, by all files; not yet standardised."""
    words = [None if one is None else tuple(sorted(one)) for one in glance.words]
    count = len(names.known)
    plain = np.zeros(0), np.ones(0)
    known = tuple(zip(names.known, words[:count], strict=True))
    static = tuple(zip(names.static, words[count:], strict=True))
    return Encoding(known, *plain), Encoding(static, *plain)


def standardised(codes: tuple[Encoding, Encoding], sums: Floats) -> tuple[Encoding, Encoding]:
    """The encodings with means and deviations from the sums of all files."""
    found, at = [], 0
    for code in codes:
        width = sum(1 if words is None else len(words) for _, words in code.columns)
        count, total, square = sums[at], sums[at + 1 :][:width], sums[at + 1 + width :][:width]
        at += 1 + 2 * width
        mean = total / max(count, 1.0)
        spread = np.sqrt(np.maximum(square / max(count, 1.0) - mean**2, 0.0))
        found.append(replace(code, mean=mean, scale=np.where(spread > 0.0, spread, 1.0)))
    return found[0], found[1]


def empty_rows(glance: Glance, names: Names) -> PanelRows:
    """The calendar of all files, without rows."""
    if len(np.unique(glance.keys)) < len(glance.keys):
        raise BadInput(
            "frame must have all rows of a series in one file, got a series in several; partition "
            "the rows by series"
        )
    times, step, _ = calendar_of_times(glance.times.to_series().reset_index(drop=True), names)
    none = np.zeros(0)
    places = np.zeros(0, np.int64)
    block = Block(
        np.zeros(0, np.uint64),
        none,
        np.zeros(1, np.int64),
        places,
        np.zeros((0, 0)),
        np.zeros((0, 0, 0)),
        np.zeros((0, 0)),
        none,
    )
    return PanelRows(np.zeros(0, object), block, times, step, "pandas")


def rows_in(
    file: str, names: Names, codes: tuple[Encoding, Encoding], within: PanelRows
) -> PanelRows:
    """The rows of one file, in the calendar of all."""
    return read_panel(table_of(file, names), names, codes, within)[0]


def file_itself(file: str) -> str:
    """The name of a file, as a part that stays on a worker."""
    return file
