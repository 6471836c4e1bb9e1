"""Tables of numbers from the bytes of a file that was sent or given; read as the command line reads
them.
"""

from __future__ import annotations

from pathlib import Path, PurePath
from tempfile import TemporaryDirectory

from ... import _validation
from ..._errors import BadInput
from ..._validation import Floats
from ..tables import read_table

KINDS = (".npy", ".csv", ".tsv", ".txt")
LARGEST = 5_000_000  # bytes
FEWEST_ROWS, MOST_COLUMNS = 300, 12


def table_from(name: str, content: bytes) -> Floats:
    """The numbers (T, d) in a file called `name`, one row per time step; its ending says how to
    read it.
    """
    ending = PurePath(name).suffix.lower()
    _validation.one_of("ending of the file", ending, KINDS)
    if len(content) > LARGEST:
        raise BadInput(
            f"file must have at most {LARGEST / 1e6:g} MB, got {len(content) / 1e6:.1f} MB; cut "
            "it or thin it out"
        )
    with TemporaryDirectory() as folder:  # of the name that was sent only the ending is used
        path = Path(folder, f"table{ending}")
        path.write_bytes(content)
        try:
            rows = read_table(path).pick().values
        except BadInput as error:
            raise BadInput(
                str(error).replace(str(path), path.name).replace(path.name, PurePath(name).name)
            ) from None
    _validation.at_least("file", len(rows), FEWEST_ROWS, "to learn from and to forecast")
    if rows.shape[1] > MOST_COLUMNS:
        raise BadInput(
            f"file must have at most {MOST_COLUMNS} columns of numbers, got {rows.shape[1]}; keep "
            "the ones that matter"
        )
    return rows
