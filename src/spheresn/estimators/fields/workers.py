"""Where the sums of a field are made: in this process, or on a Dask cluster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import add
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..._errors import BadInput
from ..._running import limit_threads
from ..._validation import Floats
from ...readout import solve
from ...series.scaling import Scaler
from ..solution import THREADS_PAY
from .learning import FieldSums, InMemoryRows, Learner, Rows, Task, groups_of, merged, tasks
from .sources import (
    ChannelStatistics,
    Mapped,
    Source,
    Standardised,
    channel_statistics,
    rows_of,
    standardised,
)


class Learning(NamedTuple):
    """How a readout follows from its sums.

    noise: in deviations of the field; share: the penalty as a share of the trace, or None where
    `penalty` gives it.
    """

    noise: float
    share: float | None
    penalty: float = 0.0


class Readouts(NamedTuple):
    """Readouts (R, N, 2 m) with intercepts (R, 2 m) and penalties (R,), for one `Learning`."""

    matrix: Floats
    intercept: Floats
    penalty: Floats

    def half(self, carry: float) -> tuple[Floats, Floats]:
        """The half that gives steps (carry 1), or that which gives values (carry 0)."""
        columns = self.matrix.shape[2] // 2
        half = slice(0, columns) if carry else slice(columns, None)
        return np.ascontiguousarray(self.matrix[:, :, half]), self.intercept[:, half]


class Workers(Protocol):
    """What measures a source and learns readouts from it."""

    def channel_statistics(self, source: Source) -> ChannelStatistics:
        """The statistics of all rows."""

    def readouts(
        self, learner: Learner, rows: Standardised, shared: bool, ways: Sequence[Learning]
    ) -> list[Readouts]:
        """The readouts of all rows, in each of these ways."""


class LocalWorkers:
    """This process."""

    def channel_statistics(self, source: Source) -> ChannelStatistics:
        """The statistics of all rows."""
        return channel_statistics(source)

    def readouts(
        self, learner: Learner, rows: Standardised, shared: bool, ways: Sequence[Learning]
    ) -> list[Readouts]:
        """The readouts of all rows, in each of these ways."""
        return learn_readouts(learner, rows, shared, ways, len(rows) - 1)


def span(learner: Learner, steps: int) -> tuple[int, int]:
    """The steps that the readouts learn from: after the spin-up, to the end."""
    return min(learner.spin_up, steps // 4), steps


def learn_readouts(
    learner: Learner, rows: Rows, shared: bool, ways: Sequence[Learning], steps: int
) -> list[Readouts]:
    """The readouts of the first steps, in each of these ways.

    One readout is finished before the next begins, so that the sums of one are held at a time.
    """
    found = []
    for groups in groups_of(learner.networks.patches.teaching(shared), shared):
        todo = tasks(groups, *span(learner, steps), learner)
        sums = merged((learner.run(task, rows) for task in todo), add)
        found.append(solutions(sums, ways))
    return together(found)


def solutions(sums: FieldSums, ways: Sequence[Learning]) -> list[tuple[Floats, Floats, float]]:
    """Matrix, intercept and penalty of one readout, in each of these ways."""
    found = []
    with limit_threads(len(sums.rows.state_mean), THREADS_PAY):
        for way in ways:
            moments = sums.moments(way.noise)
            penalty = way.penalty if way.share is None else way.share * moments.trace
            weights = solve(moments, penalty)
            found.append((np.ascontiguousarray(weights.matrix), weights.intercept, penalty))
    return found


def together(found: Sequence[list[tuple[Floats, Floats, float]]]) -> list[Readouts]:
    """From one list for each readout to one `Readouts` for each way."""
    return [
        Readouts(
            np.stack([one[0] for one in same]),
            np.stack([one[1] for one in same]),
            np.array([one[2] for one in same]),
        )
        for same in zip(*found, strict=True)
    ]


@dataclass(frozen=True, eq=False)
class Cluster:
    """A Dask cluster by its client.

    Every task is a node of one graph; what a lost worker held is computed again. Sums stay on the
    workers, and only readouts come back. A Dask array is read by the workers, a memory map too,
    by the name of its file; rows of other arrays travel with the tasks.
    """

    client: Any

    def channel_statistics(self, source: Source) -> ChannelStatistics:
        """The statistics of all rows."""
        from dask.delayed import delayed

        cuts = [*range(0, len(source), source.block), len(source)]
        parts = [
            delayed(_part_statistics)(_piece(source, a, b), source.n_channels, a, b, source.hidden)
            for a, b in pairwise(cuts)
        ]
        total: ChannelStatistics = self._computed([merged(iter(parts), delayed(add))])[0]
        return total

    def readouts(
        self, learner: Learner, rows: Standardised, shared: bool, ways: Sequence[Learning]
    ) -> list[Readouts]:
        """The readouts of all rows, in each of these ways."""
        from dask.delayed import delayed

        sent = delayed(learner, traverse=False)
        nodes = []
        for groups in groups_of(learner.networks.patches.teaching(shared), shared):
            parts = []
            for task in tasks(groups, *span(learner, len(rows) - 1), learner):
                first = max(task.first - learner.spin_up, 0)
                piece = _piece(rows.source, first, task.stop + 1)
                parts.append(delayed(_run_task)(sent, task, piece, first, rows.scaler))
            nodes.append(delayed(solutions)(merged(iter(parts), delayed(add)), list(ways)))
        return together(self._computed(nodes))

    def _computed(self, nodes: list[Any]) -> list[Any]:
        futures = self.client.compute(nodes)
        try:
            return list(self.client.gather(futures))
        finally:
            self.client.cancel(futures)


def client_workers(client: Any) -> Workers:
    """The workers of a client, or this process without one."""
    if client is None:
        return LocalWorkers()
    if not hasattr(client, "compute") or not hasattr(client, "gather"):
        raise BadInput(
            f"client must be a dask.distributed Client, got {type(client).__name__}; pass "
            "Client(address)"
        )
    return Cluster(client)


def _piece(source: Source, first: int, stop: int) -> Any:
    """Rows of a source in a form that a task may have as its argument."""
    values = source.values
    if hasattr(values, "coords"):
        values = values.data if hasattr(values.data, "dask") else values
    if isinstance(values, np.memmap):
        mapped = Mapped.of(values)
        if mapped is not None:
            return mapped
    if hasattr(values, "dask"):
        return values[first:stop]
    return np.asarray(values[first:stop])


def _rows_of(piece: Any, first: int, stop: int, hidden: Any) -> Floats:
    values = piece[first:stop] if isinstance(piece, Mapped) else piece
    return rows_of(values, stop - first, hidden)


def _part_statistics(
    piece: Any, channels: int, first: int, stop: int, hidden: Any
) -> ChannelStatistics:
    return ChannelStatistics.of(_rows_of(piece, first, stop, hidden), channels, first)


def _run_task(learner: Learner, task: Task, piece: Any, first: int, scaler: Scaler) -> FieldSums:
    """One task on a worker, with one thread: a worker may do several tasks at once."""
    rows = _rows_of(piece, first, task.stop + 1, learner.networks.patches.masked)
    rows = standardised(rows, scaler, np.arange(rows.shape[1]))
    with limit_threads(0):
        return learner.run(task, InMemoryRows(rows, first))
