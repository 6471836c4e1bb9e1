"""Growth of orthonormal frames by repeated QR, and the statistics of the growth."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from .. import _validation, sphere
from .._errors import StateOverflow
from .._validation import Floats
from ._common import Carry

LONGEST_SPAN = 16  # steps between two QR decompositions, at most
# A direction that shrank to this share of its vector still has nine correct digits
SAFE_SHRINKING = 1e-7
ERROR_BLOCKS = 20  # block means of a trajectory at most: correlation in time stays inside a block

Growth = tuple[NDArray[np.int64], Floats]


def grow(
    carry: Carry, state: Floats, frame: Floats, rows: Floats, longest: int = LONGEST_SPAN
) -> tuple[Floats, Floats, Growth]:
    """The state, the frame (k, N), and the growth: spans (H,) in steps, log R_ii per span (H, k).

    A span is as long as the worst resolved direction allows; a span that was too long is repeated
    in single steps. If a direction is lost within a single step, its growth and that of all smaller
    ones is -inf from then on.
    """
    spans: list[int] = []
    logs: list[Floats] = []
    count, span, done = len(frame), 1, 0
    while done < len(rows):
        span = min(span, len(rows) - done)
        new_state, new_frame, log, resolved = _advance(
            carry, state, frame, rows[done : done + span]
        )
        if span > 1 and not resolved > SAFE_SHRINKING**1.5:
            span = 1
            continue
        state, frame, done = new_state, new_frame, done + span
        spans.append(span)
        logs.append(np.concatenate([log, np.full(count - len(log), -np.inf)]))
        frame, span = frame[: int(np.isfinite(log).sum())], _next_span(span, resolved, longest)
    return state, frame, (np.array(spans, np.int64), np.array(logs).reshape(len(logs), count))


def growth_after(carry: Carry, state: Floats, frame: Floats, rows: Floats, skipped: int) -> Growth:
    """The growth of all directions of the frame after the first rows, which are skipped."""
    state, kept, _ = grow(carry, state, frame, rows[:skipped])
    _, _, (spans, logs) = grow(carry, state, kept, rows[skipped:])
    lost = len(frame) - len(kept)  # among the rows that are skipped
    return spans, np.pad(logs, ((0, 0), (0, lost)), constant_values=-np.inf)


def _advance(
    carry: Carry, state: Floats, frame: Floats, rows: Floats
) -> tuple[Floats, Floats, Floats, float]:
    """The state, the new orthonormal frame, its log growth, and the resolution.

    The resolution is the share of its vector that the worst direction has kept; 0 if one is lost.
    """
    if len(frame) == 0:
        return carry(state, rows, frame)[0], frame, np.empty(0), 1.0
    state, carried = carry(state, rows, frame)
    with np.errstate(over="ignore", invalid="ignore"):
        lengths = sphere.norms(carried)
    if not np.isfinite(lengths).all():
        if len(rows) > 1:
            return state, frame, np.empty(0), 0.0
        raise StateOverflow(
            "the tangents left the range of their floating point type in one step; lower the "
            "scale of the system"
        )
    columns, upper = np.linalg.qr(carried.T)
    sizes = np.abs(upper.diagonal())
    lost = sizes <= 4 * carried.shape[1] * np.finfo(carried.dtype).eps * lengths
    with np.errstate(divide="ignore", invalid="ignore"):
        log = np.where(np.maximum.accumulate(lost), -np.inf, np.log(sizes))
        resolved = 0.0 if lost.any() else float((sizes / lengths).min())
    return state, np.ascontiguousarray(columns.T), log, resolved


def _next_span(span: int, resolved: float, longest: int) -> int:
    """The steps after which the worst direction keeps SAFE_SHRINKING; at most 2 · span."""
    if resolved <= 0.0:
        return 1
    if resolved >= 1.0:
        return min(2 * span, longest)
    return max(1, min(int(span * np.log(SAFE_SHRINKING) / np.log(resolved)), 2 * span, longest))


def running_mean(spans: NDArray[np.int64], growth: Floats) -> Floats:
    """The mean growth per step up to the end of each span."""
    return np.asarray(growth.cumsum(axis=0) / spans.cumsum()[:, None])


def block_errors(spans: NDArray[np.int64], growth: Floats) -> tuple[Floats, Floats]:
    """The mean growth per step (k,), and its standard error from at most 20 block means.

    The error is 0 where the mean is -inf.
    """
    mean = growth.sum(axis=0) / spans.sum()
    if len(growth) < 2:
        return mean, np.full(len(mean), np.inf)
    alive = np.isfinite(mean)
    steps, sums = block_sums(spans, growth[:, alive])
    errors = np.zeros(len(mean))
    errors[alive] = (sums / steps[:, None]).std(axis=0, ddof=1) / np.sqrt(len(steps))
    return mean, errors


def block_sums(spans: NDArray[np.int64], growth: Floats) -> tuple[NDArray[np.int64], Floats]:
    """The steps (B,) and the growth (B, k) of at most 20 blocks of at least two spans."""
    blocks = max(2, min(ERROR_BLOCKS, len(growth) // 2))
    edges = np.linspace(0, len(growth), blocks + 1).astype(int)[:-1]
    return np.add.reduceat(spans, edges), np.add.reduceat(growth, edges)


def student_interval(value: Any, error: Any, blocks: int, level: float) -> tuple[Any, Any]:
    """The ends of the interval of a mean of so many blocks."""
    share = _validation.real("level", level, 0.0, 1.0, above=True)
    width = stdtrit(max(blocks - 1, 1), 0.5 + share / 2.0) * error
    return value - width, value + width
