"""A panel and the rows that follow it."""

from __future__ import annotations

import numpy as np

from ..._errors import BadInput
from .frames import PanelRows
from .windows import Block, Places, offsets_of


def appended(rows: PanelRows, more: PanelRows) -> tuple[PanelRows, Places]:
    """The panel with more rows, each series going on where it ended, and with new series; and for
    each series its number before, -1 for a new one.
    """
    labels = np.array(sorted({*rows.labels, *more.labels}), dtype=object)
    old = {label: place for place, label in enumerate(rows.labels)}
    new = {label: place for place, label in enumerate(more.labels)}
    kept = np.array([old.get(label, -1) for label in labels], np.int64)
    one, two = rows.block, more.block
    parts, known, places, static = [], [], [], []
    for label in labels:
        before, after = old.get(label), new.get(label)
        if before is not None and after is not None:
            end = int(one.places[before] + one.lengths[before])
            if int(two.places[after]) != end:
                raise BadInput(
                    f"frame must go on with the next time of {label!r}, got "
                    f"{more.times[int(two.places[after])]}; pass all rows that follow, each once"
                )
        for block, place in ((one, before), (two, after)):
            if place is not None:
                span = slice(int(block.starts[place]), int(block.starts[place + 1]))
                parts.append(block.values[span])
                known.append(block.known[span])
        first = (one, before) if before is not None else (two, after)
        places.append(first[0].places[first[1]])
        static.append(first[0].static[first[1]])
    lengths = [
        (int(one.lengths[old[label]]) if label in old else 0)
        + (int(two.lengths[new[label]]) if label in new else 0)
        for label in labels
    ]
    keys = {
        **dict(zip(more.labels, two.keys, strict=True)),
        **dict(zip(rows.labels, one.keys, strict=True)),
    }
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    values = np.concatenate(parts)
    block = Block(
        np.array([keys[label] for label in labels], np.uint64),
        values,
        starts,
        np.array(places, np.int64),
        np.concatenate(known),
        np.zeros((len(labels), 0, one.known.shape[1])),
        np.array(static),
        offsets_of(values, starts),
    )
    times = more.times if len(more.times) > len(rows.times) else rows.times
    return PanelRows(labels, block, times, rows.step, rows.library, rows.notes), kept
