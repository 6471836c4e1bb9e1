"""The fixed points of a system, or of what a forecaster has learned, and their stability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _validation
from .._errors import BadInput
from .._running import limit_threads
from .._validation import Floats
from ..kernels import DIVERGED
from ..reservoir import check_system
from ..system import FreeRunning, System

RUN = 2000  # steps of the free run around which fixed points of a forecaster are looked for
MARGIN_OF_RUN = 0.25  # of its range: the saddle of Lorenz is .15 below the rows of a run
# The networks are driven by one row until they change by less, or so many times
AT_REST, LONGEST_REST = 1e-9, 300
ITERATIONS, HALVINGS = 40, 12  # of Newton's method, and of one of its steps
# A step of so many deviations ends it: precise readouts have weights so large that rounding alone
# moves their fixed points by 1e-8
LAST_STEP = 1e-6
APART = 1e-3  # deviations between fixed points that are two
MOST_DIRECTIONS = 5000  # of a state, whose derivative is a full matrix here: 200 megabytes


@dataclass(frozen=True, eq=False)
class FixedPoints:
    """The fixed points of a system, and how small differences grow there.

    points (k, m): in units of the series; of a System, whole states. multipliers (k, n): the
    eigenvalues of the derivative of a step, in decreasing modulus; below one in modulus a direction
    shrinks. rates (k, n): log(multipliers)/dt, the eigenvalues in continuous time; those of the
    system lead, those of the network, which are about its `conditional` exponent, follow.

    unstable (k,): the number of directions that grow. distances (k,): in deviations of the series,
    from the nearest row of a free run; far from the rows nothing was learned. outside: the number
    of fixed points that were found beyond the range of the run, and left out.

    >>> import spheresn as sn
    >>> halving = sn.Reservoir([[0.5]], [1.0], sn.Linear(), bias=[1.0])
    >>> found = fixed_points(halving, starts=[[0.0]], inputs=[0.0])
    >>> found.points.round(6).tolist(), found.multipliers.tolist(), found.unstable.tolist()
    ([[2.0]], [[(0.5+0j)]], [0])
    """

    points: Floats
    states: Floats
    multipliers: NDArray[np.complex128]
    rates: NDArray[np.complex128]
    distances: Floats
    outside: int

    @property
    def unstable(self) -> NDArray[np.int64]:
        """The number of directions (k,) in which differences grow."""
        return np.asarray((np.abs(self.multipliers) > 1.0).sum(axis=1))

    @property
    def stable(self) -> NDArray[np.bool_]:
        """Whether all differences shrink (k,)."""
        return np.asarray(self.unstable == 0)


def fixed_points(
    system: System | FreeRunning,
    starts: ArrayLike | int = 40,
    inputs: ArrayLike | None = None,
    dt: float = 1.0,
    rng: np.random.Generator | int = 0,
) -> FixedPoints:
    """The solutions of F(x) = x that Newton's method finds from many starts, with the known
    derivative.

    Of a fitted forecaster, starts is a number: half of them are the rows of a free run where it
    moves least, the others are random in its range; the networks begin at rest with each. Of
    another System, starts are states (R, N). inputs (d,): one row of the signal, which stays the
    same; of a forecaster the exogenous columns, if it has any. dt: time from one step to the next.

    A forecaster has learned from rows on an attractor. Fixed points beside the attractor are
    extrapolated. They are right where the equations are smooth and the rows came near.

    >>> import spheresn as sn
    >>> model = sn.ESNForecaster(100, random_state=0).fit(sn.datasets.henon(2000))
    >>> found = fixed_points(model)  # x = 1 - 1.4 x² + .3 x: x = .631 or -1.131
    >>> found.points.round(2).ravel().tolist(), found.unstable.tolist()
    ([-1.13, -0.34, 0.63, 0.19], [1, 1])
    """
    step, generator = _validation.real("dt", dt, 0.0, above=True), _validation.generator(rng)
    if isinstance(system, FreeRunning) and not isinstance(system, type):
        count = _validation.whole("starts", starts, 1)
        with limit_threads(np.size(system.state_)):
            return _of_model(system, count, inputs, step, generator)
    check_system(system)
    assert isinstance(system, System)
    if isinstance(starts, int):
        raise BadInput(
            "starts must be states (R, N) for a system that is not a fitted forecaster, got "
            f"{starts!r}; pass such states"
        )
    states = _validation.array("starts", starts, 2)
    row = np.empty(0) if inputs is None else _validation.array("inputs", inputs, 1)
    found = _distinct(_found(system, states, row), np.eye(states.shape[1]))
    return _described(system, found, row, found, np.zeros(len(found)), 0, step)


def _of_model(
    model: FreeRunning, count: int, inputs: ArrayLike | None, dt: float, rng: np.random.Generator
) -> FixedPoints:
    loop, m = model.closed_loop_, len(model.last_)
    row = _exogenous_row(model, inputs)
    state = np.concatenate([np.ravel(model.state_), model.last_])
    if len(state) > MOST_DIRECTIONS:
        raise BadInput(
            f"system must have a state of at most {MOST_DIRECTIONS} numbers to find its fixed "
            f"points, got {len(state)}; use fewer units"
        )
    run = np.empty((RUN, m))
    for k in range(RUN):
        with np.errstate(over="ignore", invalid="ignore"):
            state = loop.step(state, row)
        run[k] = state[-m:]
        if not (np.abs(run[k]) < DIVERGED).all():
            raise BadInput(
                f"system must stay in the range of numbers to find its fixed points, got a free "
                f"run that diverges at step {k}; learn with more noise"
            )
    low, high = run.min(axis=0), run.max(axis=0)
    margin = MARGIN_OF_RUN * (high - low)
    ends: Any = getattr(loop, "bounds", (-np.inf, np.inf))  # beyond them a loop is bent back
    low, high = np.maximum(low - margin, ends[0]), np.minimum(high + margin, ends[1])
    slow = np.argsort(np.linalg.norm(np.diff(run, axis=0), axis=1), kind="stable")
    # Not all from one slow passage
    first = slow[: 8 * count][:: max(8 * count // max(count // 2, 1), 1)]
    rows = np.vstack([run[first], rng.uniform(low, high, (count - len(first), m))])
    network = _Network(loop, m, row)
    with np.errstate(all="ignore"):
        rests = [network.fixed_point(one, state) for one in rows]
    seen = np.eye(len(state))[-m:]
    starts = _distinct([one for one in rests if one is not None], seen)
    found = _distinct(_found(loop, starts, row), seen)
    values = found[:, -m:]
    inside = ((values >= low) & (values <= high)).all(axis=1)
    found, values = found[inside], values[inside]
    apart = np.sqrt(np.square(values[:, None] - run).mean(axis=2))
    scaler: Any = getattr(model, "scaler_", None)
    points = values if scaler is None else scaler.backward(values)
    distances = apart.min(axis=1) if len(apart) else np.empty(0)
    return _described(loop, found, row, points, distances, int((~inside).sum()), dt)


def _exogenous_row(model: FreeRunning, inputs: ArrayLike | None) -> Floats:
    """The exogenous columns in units of their deviations."""
    scaler: Any = getattr(model, "exogenous_scaler_", None)
    columns = 0 if scaler is None else len(scaler.mean)
    given = np.empty(0) if inputs is None else _validation.array("inputs", inputs, 1)
    if len(given) != columns:
        raise BadInput(
            f"inputs must be a row of the {columns} exogenous columns of the forecaster, got "
            f"{len(given)} values; pass {columns}"
        )
    return given if scaler is None else np.asarray(scaler.forward(given))


@dataclass(frozen=True, eq=False)
class _Network:
    """The networks of a loop at rest with a row s, which they are driven by again and again.

    Their fixed points are those of s -> G(s), of as many numbers as there are columns: G(s) is the
    forecast after x(s), and dx/ds follows from the tangents of the same steps.
    """

    loop: System
    columns: int
    inputs: Floats

    def at_rest(self, both: Floats, tangents: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """(x(s), s) and its derivative (N + m, m), from any x and guess of it; G(s) and dG/ds."""
        m, slope = self.columns, np.eye(self.columns)
        row = both[-m:]
        for _ in range(LONGEST_REST):
            after, carried = self.loop.tangent_step(both, self.inputs, tangents)
            forecast, slopes = after[-m:].copy(), carried[-m:].copy()
            after, carried = np.concatenate([after[:-m], row]), np.vstack([carried[:-m], slope])
            moved = np.abs(after - both).max(), np.abs(carried - tangents).max()
            both, tangents = after, carried
            if moved[0] < AT_REST and moved[1] < AT_REST * (1.0 + np.abs(tangents).max()):
                break
        return both, tangents, forecast, slopes

    def fixed_point(self, row: Floats, state: Floats) -> Floats | None:
        """Where Newton's method on G(s) = s ends from a row, if it does."""
        m = self.columns
        both = np.concatenate([state[:-m], row])
        tangents = np.vstack([np.zeros((len(state) - m, m)), np.eye(m)])
        here = self.at_rest(both, tangents)
        for _ in range(ITERATIONS):
            both, tangents, forecast, slopes = here
            rest = forecast - both[-m:]
            step = _solved(np.eye(m) - slopes, rest)
            if step is None:
                return None
            for halving in range(HALVINGS):
                there = both + 0.5**halving * (tangents @ step)
                here = self.at_rest(there, tangents)
                if np.linalg.norm(here[2] - here[0][-m:]) < np.linalg.norm(rest):
                    break
            else:
                return both
            if np.abs(step).max() <= LAST_STEP:
                return here[0]
        return None


def _solved(matrix: Floats, right: Floats) -> Floats | None:
    """The solution of linear equations, None where there is none."""
    if not np.isfinite(matrix).all() or not np.isfinite(right).all():
        return None
    try:
        return np.linalg.solve(matrix, right)
    except np.linalg.LinAlgError:
        return None


def _found(system: System, starts: Floats, inputs: Floats) -> list[Floats]:
    """Where Newton's method ends from each start, if it does."""
    with np.errstate(all="ignore"):
        ends = [_newton(system, start, inputs) for start in starts]
    return [one for one in ends if one is not None]


def _newton(system: System, state: Floats, inputs: Floats) -> Floats | None:
    """A fixed point, or None where the method does not come to an end.

    Steps are halved until |F(x) - x| falls. Rounding ends that too, so the size of the step counts.
    """
    identity = np.eye(len(state))
    for _ in range(ITERATIONS):
        after, slope = system.tangent_step(state, inputs, identity)
        rest = after - state
        step = _solved(identity - slope, rest)
        if step is None:
            return None
        small = bool(np.abs(step).max() <= LAST_STEP * (1.0 + np.abs(state).max()))
        for halving in range(HALVINGS):
            there = state + 0.5**halving * step
            if np.linalg.norm(system.step(there, inputs) - there) < np.linalg.norm(rest):
                state = there
                break
        else:
            return state if small else None
        if small:
            return state
    return None


def _distinct(states: list[Floats], seen: Floats) -> Floats:
    """The states (k, n) whose visible parts differ, in the order of these."""
    kept: list[Floats] = []
    for state in states:
        if all(np.abs(seen @ (state - other)).max() > APART for other in kept):
            kept.append(state)
    kept.sort(key=lambda state: (seen @ state).round(3).tolist())
    return np.array(kept).reshape(len(kept), seen.shape[1])


def _described(
    system: System,
    states: Floats,
    inputs: Floats,
    points: Floats,
    distances: Floats,
    outside: int,
    dt: float,
) -> FixedPoints:
    size = states.shape[1]
    multipliers = np.empty((len(states), size), np.complex128)
    for k, state in enumerate(states):
        values = np.linalg.eigvals(system.tangent_step(state, inputs, np.eye(size))[1])
        multipliers[k] = values[np.argsort(-np.abs(values), kind="stable")]
    with np.errstate(divide="ignore"):
        rates = np.log(np.abs(multipliers)) / dt + 1j * (np.angle(multipliers) / dt)
    return FixedPoints(points, states, multipliers, rates, distances, outside)
