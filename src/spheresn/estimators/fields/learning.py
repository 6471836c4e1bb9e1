"""What the readouts of a field are learned from: sums over patches and stretches of time.

A task is a group of patches times a span of time. It drives networks along stretches of this time,
each from rows before the stretch (the spin-up), and returns sums, which are added pairwise. A long
field has more states than a readout needs: then only some patches are driven along each stretch,
others along the next. The tasks, their stretches and the order of the additions depend on the shape
of the field alone, so that one process and a cluster give the same readout.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, repeat
from typing import Any, Protocol

import numpy as np

from ..._validation import Floats
from ...readout import Moments
from ...readout.gram import Sums
from ...readout.triangle import GrowingTriangle
from ..learning import LEAST_RESPONSES, NOISE_PROBE, RESPONSES_PER_FEATURE
from .geometry import Indices
from .loop import LocalNetworks
from .sources import BLOCK_VALUES

TASK_ROWS = 65_536  # of one task: states, summed over its patches
LONGEST_TASK = 16  # times as many, at most, where a task learns from a part of them
PATCHES_AT_ONCE = 1024  # patches that are driven side by side
BLOCK_ROWS = 256  # states that are driven at once: they stay in the cache
TASK_SPIN_UPS = 20  # a task is at least this much longer than its spin-up
# Length of a stretch: so many spin-ups, and at least so many rows
STRETCH_SPIN_UPS, LEAST_STRETCH = 3, 16
ENOUGH_PER_UNIT = 100  # states per unit; of more than twice as many some are left out


class Rows(Protocol):
    """A field in time, standardised, of which stretches can be read."""

    def read(self, first: int, stop: int, columns: Indices | None = None) -> Floats:
        """The fields (stop - first, size), or some of their values."""


@dataclass(frozen=True, eq=False)
class InMemoryRows:
    """A field in memory (T, size) as `Rows`; the first row has the number `first`."""

    fields: Floats
    first: int = 0

    def read(self, first: int, stop: int, columns: Indices | None = None) -> Floats:
        """The fields (stop - first, size), or some of their values."""
        fields = self.fields[first - self.first : stop - self.first]
        return fields if columns is None else fields[:, columns]


@dataclass(frozen=True, eq=False)
class FieldSums:
    """Sums of states and targets, and of their response to noise in the field.

    The targets are the step of each value of a patch, then the next value itself, as for a series.
    The responses are those to noise of deviation one. Both sums are triangles, or both are Gram
    matrices.
    """

    rows: Any
    response: Any | None

    def __add__(self, other: FieldSums) -> FieldSums:
        """The sums of both."""
        response = None if self.response is None else self.response + other.response
        return FieldSums(self.rows + other.rows, response)

    def moments(self, noise: float) -> Moments:
        """What rows with noise of this deviation would give: each has the mean response."""
        if self.response is None:
            return self.rows  # type: ignore[no-any-return]
        share = self.rows.count / self.response.count
        return self.rows.with_scatter(  # type: ignore[no-any-return]
            self.response, noise * np.sqrt(share)
        )


@dataclass(frozen=True)
class Task:
    """Patches first_patch to last_patch (not included), times first to stop (not included).

    Time k is the step from field k to field k + 1. Tasks with another number leave out others of
    their stretches.
    """

    first_patch: int
    last_patch: int
    first: int
    stop: int
    number: int = 0

    def stretches(self, length: int, thinning: int) -> Iterator[tuple[Indices, int, int]]:
        """Patches, first and stop (not included) of the stretches, one in `thinning` per patch.

        Each stretch has other patches than the one before, so that none is left out.

        >>> [(p.tolist(), a, b) for p, a, b in Task(0, 4, 10, 30).stretches(7, 3)]
        [([0, 3], 10, 17), ([2], 17, 24), ([1], 24, 30)]
        """
        patches = np.arange(self.first_patch, self.last_patch)
        if thinning == 1:
            yield patches, self.first, self.stop
            return
        for k, first in enumerate(range(self.first, self.stop, length)):
            chosen = patches[-(k + self.number) % thinning :: thinning]
            if len(chosen):
                yield chosen, first, min(first + length, self.stop)


@dataclass(frozen=True, eq=False)
class Learner:
    """How a task is done: the networks, the spin-up, and which sums.

    precise: whether they are triangles; thinning: one in so many states is learned from; stride:
    one in so many of these gives its response to noise, none if it is 0.
    """

    networks: LocalNetworks
    spin_up: int
    precise: bool
    stride: int
    seed: int
    thinning: int = 1

    def run(self, task: Task, rows: Rows) -> FieldSums:
        """The sums of one task."""
        units, outputs = self.networks.reservoir.units, 2 * self.networks.patches.inner.shape[1]
        kind: Any = GrowingTriangle if self.precise else Sums
        sums, responses = (kind.empty(units, outputs) for _ in range(2))
        length = max(STRETCH_SPIN_UPS * self.spin_up, LEAST_STRETCH)
        rng = np.random.default_rng([self.seed, task.first_patch, task.first])
        seen = 0
        for stretch in task.stretches(length, self.thinning):
            # Responses along all that is learned from make the steadiest loops
            moved = self._driven(*stretch, rows, rng) if self.stride else repeat(None)
            for clean, other in zip(self._driven(*stretch, rows), moved, strict=False):
                values = [_flat(part) for part in clean]
                if other is not None:
                    kept = slice(-seen % self.stride, None, self.stride)
                    pairs = zip(values, map(_flat, other), strict=True)
                    responses.take(*((b[kept] - a[kept]) / NOISE_PROBE for a, b in pairs))
                    seen += len(values[0])
                sums.take(*values)
        return FieldSums(sums.moments, responses.moments if self.stride else None)

    def _driven(
        self,
        which: Indices,
        first: int,
        stop: int,
        rows: Rows,
        rng: np.random.Generator | None = None,
    ) -> Iterator[tuple[Floats, Floats]]:
        """States (T, P, N) and targets (T, P, 2 m) of a stretch, block by block.

        With `rng` there is a trace of noise in the inputs of the networks.
        """
        places = self.networks.patches.group(which)
        state = self.networks.starts(len(which))
        block = max(min(BLOCK_ROWS // len(which), BLOCK_VALUES // self.networks.patches.size), 1)
        for begin in range(max(first - self.spin_up, 0), stop, block):
            end = min(begin + block, stop)
            fields = rows.read(begin, end + 1, places.columns)
            before, after = fields[:-1], fields[1:]
            if rng is not None:
                before = before + NOISE_PROBE * rng.standard_normal(before.shape)
            states = self.networks.drive(self.networks.inputs(before, places), state)
            state = states[-1].copy()
            late = slice(max(first - begin, 0), None)
            values, later = before[late, places.inner], after[late, places.inner]
            yield states[late], np.concatenate([later - values, later], axis=2)


def _flat(rows: Floats) -> Floats:
    return rows.reshape(-1, rows.shape[2])


def response_stride(rows: int, units: int) -> int:
    """Of a readout, one state in so many gives its response to noise."""
    return max(rows // max(RESPONSES_PER_FEATURE * units, LEAST_RESPONSES), 1)


def thinning(rows: int, units: int) -> int:
    """A readout is learned from one state in so many.

    >>> thinning(199_000, 1000), thinning(1_280_000, 1000)
    (1, 12)
    """
    return max(rows // (ENOUGH_PER_UNIT * units), 1)


def tasks(groups: Sequence[tuple[int, int]], first: int, stop: int, learner: Learner) -> list[Task]:
    """The tasks for groups of patches and the times from first to stop."""
    found: list[Task] = []
    states = TASK_ROWS * min(learner.thinning, LONGEST_TASK)
    for low, high in groups:
        length = max(states // (high - low), TASK_SPIN_UPS * learner.spin_up)
        parts = max((stop - first) // length, 1)
        cuts = np.linspace(first, stop, parts + 1).astype(int)
        for a, b in pairwise(cuts):
            found.append(Task(low, high, int(a), int(b), len(found)))
    return found


def groups_of(count: int, shared: bool) -> list[list[tuple[int, int]]]:
    """For each readout the groups of patches it learns from."""
    if not shared:
        return [[(p, p + 1)] for p in range(count)]
    return [[(low, min(low + PATCHES_AT_ONCE, count)) for low in range(0, count, PATCHES_AT_ONCE)]]


def merged(sums: Iterator[FieldSums], add: Callable[[Any, Any], Any]) -> FieldSums:
    """The sums added pairwise, always in the same order."""
    held: list[tuple[int, FieldSums]] = []
    for one in sums:
        level = 0
        while held and held[-1][0] == level:
            one, level = add(held.pop()[1], one), level + 1
        held.append((level, one))
    total = held.pop()[1]
    while held:
        total = add(held.pop()[1], total)
    return total
