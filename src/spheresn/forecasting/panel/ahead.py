"""The known columns at the times that are forecast."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._errors import BadInput
from ..._validation import Floats
from .frames import Encoding, Names, PanelRows, encoded, home_of


def known_ahead(
    given: Any, rows: PanelRows, names: Names, encoding: Encoding, steps: int, reach: int
) -> Floats:
    """The columns (n, reach, e) after the end of each series, of which `steps` are given; the last
    of them stands in where nothing is read.
    """
    if not names.known:
        if given is not None:
            raise BadInput(
                "exogenous must be left out, as the fit had none, got some; name the columns in fit"
            )
        return np.zeros((rows.block.count, 0, 0))
    if given is None:
        raise BadInput(
            f"exogenous must have the columns {list(names.known)} at the times that are forecast, "
            "got none; pass a frame with them"
        )
    import pandas as pd

    table = given
    if home_of(given) == "polars":
        table = pd.DataFrame({one.name: one.to_numpy() for one in given.get_columns()})
    if not isinstance(table, pd.DataFrame) or names.time not in table.columns:
        raise BadInput(
            f"exogenous must be a data frame with the column {names.time!r}, got "
            f"{type(given).__name__}; pass such a frame"
        )
    columns = encoded(table, encoding)
    wanted = rows.times_after_ends(steps)
    keys = pd.Index(table[names.time])
    if names.id in table.columns:
        ids = np.repeat(rows.labels, steps)
        asked = pd.MultiIndex.from_arrays([ids, wanted])
        known = pd.MultiIndex.from_arrays([table[names.id].astype(str), keys])
    else:
        asked, known = wanted, keys
    if known.has_duplicates:
        raise BadInput("exogenous must have each time once for a series, got some twice; drop them")
    places = known.get_indexer(asked)
    if (places < 0).any():
        at = int(np.argmax(places < 0))
        label = rows.labels[at // steps]
        raise BadInput(
            f"exogenous must have a row for {wanted[at]} of {label!r}, got none; pass all times "
            "that are forecast"
        )
    found = columns[places].reshape(rows.block.count, steps, -1)
    after = np.repeat(found[:, -1:], max(reach - steps, 0), axis=1)
    return np.concatenate([found, after], axis=1)
