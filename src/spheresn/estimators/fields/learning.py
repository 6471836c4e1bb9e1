"""What the readouts of a field are learned from: sums over patches and stretches of time.

A task is a group of patches times a stretch of time. It drives the networks of its patches from
rows before the stretch (the spin-up) and returns sums, which are added pairwise. The tasks and the
order of the additions depend on the shape of the field alone, so that one process and a cluster
give the same readout.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import gcd
from typing import Any, Protocol

import numpy as np

from ..._validation import Floats
from ...readout import Moments
from ...readout.gram import Sums
from ...readout.triangle import GrowingTriangle
from ..learning import FEWEST_RESPONSES, PROBE, RESPONSES
from .geometry import Indices
from .loop import LocalNetworks

TASK_ROWS = 65_536  # of one task: states, summed over its patches
GROUP = 1024  # patches that are driven side by side
BLOCK_ROWS = 1024  # states that are held at once
SPIN_UPS = 20  # a stretch is at least this much longer than its spin-up
MOST_PER_UNIT = 200  # states per unit that a readout is learned from


class Rows(Protocol):
    """A field in time, standardised, of which stretches can be read."""

    def read(self, first: int, stop: int, columns: Indices | None = None) -> Floats:
        """The fields (stop - first, size), or some of their values."""


@dataclass(frozen=True, eq=False)
class Held:
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
    Both are triangles, or both are Gram matrices.
    """

    rows: Any
    response: Any | None

    def __add__(self, other: FieldSums) -> FieldSums:
        """The sums of both."""
        response = None if self.response is None else self.response + other.response
        return FieldSums(self.rows + other.rows, response)

    def moments(self, noise: float) -> Moments:
        """What rows with noise of this deviation would give."""
        if self.response is None:
            return self.rows  # type: ignore[no-any-return]
        return self.rows.with_scatter(self.response, noise)  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Task:
    """Patches first_patch to last_patch (not included), times first to stop (not included).

    Time k is the step from field k to field k + 1.
    """

    first_patch: int
    last_patch: int
    first: int
    stop: int


@dataclass(frozen=True, eq=False)
class Learner:
    """How a task is done: the networks, the spin-up, and which sums.

    precise: whether they are triangles; stride: every so many states the response to noise is
    summed; 0 for never; thinning: every so many states are learned from.
    """

    networks: LocalNetworks
    spin_up: int
    precise: bool
    stride: int
    seed: int
    thinning: int = 1

    def run(self, task: Task, rows: Rows) -> FieldSums:
        """The sums of one task."""
        places = self.networks.patches.group(task.first_patch, task.last_patch)
        count, inner = len(places.inner), places.inner
        units, outputs = self.networks.reservoir.units, 2 * inner.shape[1]
        kind: Any = GrowingTriangle if self.precise else Sums
        sums, responses = (kind.empty(units, outputs) for _ in range(2))
        rng = np.random.default_rng([self.seed, task.first_patch, task.first])
        start = max(task.first - self.spin_up, 0)
        clean, moved = self.networks.starts(count), self.networks.starts(count)
        block = max(BLOCK_ROWS // count, 1)
        scale, seen = np.sqrt(max(self.stride, 1) / self.thinning) / PROBE, 0
        for first in range(start, task.stop, block):
            stop = min(first + block, task.stop)
            fields = rows.read(first, stop + 1, places.columns)
            skip = min(max(task.first - first, 0), stop - first)
            inputs = self.networks.inputs(fields[:-1], places)
            states = self.networks.drive(inputs, clean)
            clean = states[-1].copy()
            targets = _targets(fields, inner)
            flat = _flat(states[skip:])
            learned = slice(-seen % self.thinning, None, self.thinning)
            sums.take(flat[learned], _flat(targets[skip:])[learned])
            if self.stride:
                noise = PROBE * rng.standard_normal(fields[:-1].shape)
                with_noise = self.networks.inputs(fields[:-1] + noise, places)
                response = self.networks.drive(with_noise, moved)
                moved = response[-1].copy()
                response = _flat(response[skip:])
                kept = slice(-seen % self.stride, None, self.stride)
                shift = np.concatenate([-noise[:, inner], np.zeros_like(noise[:, inner])], axis=2)
                responses.take(
                    scale * (response[kept] - flat[kept]), scale * _flat(shift[skip:])[kept]
                )
            seen += len(flat)
        return FieldSums(sums.moments, responses.moments if self.stride else None)


def _targets(fields: Floats, inner: Any) -> Floats:
    """Steps and next values (T, P, 2 m) of fields (T + 1, size)."""
    values = fields[:, inner]
    return np.concatenate([values[1:] - values[:-1], values[1:]], axis=2)


def _flat(rows: Floats) -> Floats:
    return rows.reshape(-1, rows.shape[2])


def response_stride(rows: int, units: int) -> int:
    """Of so many states of one readout, every how many give their response to noise."""
    return max(rows // max(RESPONSES * units, FEWEST_RESPONSES), 1)


def thinning(rows: int, units: int, groups: Sequence[tuple[int, int]]) -> int:
    """Of so many states of one readout, every how many are learned from.

    A long field has more states than a readout needs. The number has no divisor in common with the
    sizes of the groups of patches, so that all patches are learned from.

    >>> thinning(200_000, 1000, [(0, 64)]), thinning(1_280_000, 1000, [(0, 64)])
    (1, 7)
    """
    every = max(-(-rows // (MOST_PER_UNIT * units)), 1)
    while any(gcd(every, last - first) > 1 for first, last in groups):
        every += 1
    return every


def tasks(groups: Sequence[tuple[int, int]], first: int, stop: int, spin_up: int) -> list[Task]:
    """The tasks for groups of patches and the times from first to stop."""
    found = []
    for low, high in groups:
        length = max(TASK_ROWS // (high - low), SPIN_UPS * spin_up)
        parts = max((stop - first) // length, 1)
        cuts = np.linspace(first, stop, parts + 1).astype(int)
        found += [Task(low, high, int(a), int(b)) for a, b in pairwise(cuts)]
    return found


def groups_of(count: int, shared: bool) -> list[list[tuple[int, int]]]:
    """For each readout the groups of patches it learns from."""
    if not shared:
        return [[(p, p + 1)] for p in range(count)]
    return [[(low, min(low + GROUP, count)) for low in range(0, count, GROUP)]]


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
