"""Networks that follow whole series at several time scales, and what these show of a series.

A network of stride s takes every s-th row as input, beginning with each of the first s rows: the
state after a row depends on that row and on the state s rows before. A memory of one of its own
steps is s steps of the series. The inputs of some networks are the values, of some the changes from
one mean of s rows to the next, which noise hardly touches, of some the changes of these. Where
series differ in size, half of the networks take them in their own deviations. The units of a
network stand in groups. After each row one unit of a group leads, that with the largest state,
measured in deviations from its mean in training, and one trails. A series is described by the
square root of the share of time that each unit leads, and of the share that it trails. These are
the strides of dilated networks [CHAN17] and the competing kernels of [DEM23].
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from .. import kernels
from .._errors import DegenerateStep
from .._plain import (
    Parts,
    Tensors,
    Values,
    one_reservoir_from,
    readout_parts,
    reservoir_parts,
    scaler_from,
    weights_from,
)
from .._validation import Floats, array, real, whole
from ..driving import drive, network_of, writable
from ..kernels.codes import FINE, fast_path, guarded
from ..readout import Weights
from ..reservoir import Reservoir
from ..selection.free_runs import evenly_spaced
from ..selection.plan import Candidate, Plan
from ..series.scaling import Scaler, differ_in_size, in_own_deviations

# The memory of a network in its own steps, and its bend; chosen on the development half of the
# league (benchmarks/classification)
CLASSIFICATION = {
    "spherical": [Candidate(1.0, 1.0)],
    "tanh": [Candidate(1.0)],
    "linear": [Candidate(1.0)],
}


@dataclass(frozen=True)
class EnsembleDefaults:
    """The numbers of an ensemble, chosen like the candidates above."""

    orders: tuple[int, ...] = (0, 1, 2)  # values, changes, changes of changes
    stride_ratio: int = 3  # of one stride to the next
    least_steps: int = 6  # that the widest stride leaves of a series of median length
    least_units: int = 10  # of a network, unless there are fewer in all
    group_units: int = 64  # that compete with each other
    sample_rows: int = 1000  # of the training series: they calibrate drives and scale states
    rest_rows: int = 100  # of the mean of the series, after which a network is at rest
    farthest: float = 1e6  # deviations from the mean; beyond, single precision sees no difference
    still: float = 1e-6  # of the size of a state; a unit that varies less cannot lead
    block_rows: int = 2**16  # whose leads are counted at a time, so that many series fit in memory


ENSEMBLE_DEFAULTS = EnsembleDefaults()

Whole = Any  # an array of whole numbers


@dataclass(frozen=True, eq=False)
class Cases:
    """Series one below the other: case c has the rows starts[c] to starts[c + 1]."""

    rows: Floats
    starts: Whole

    @staticmethod
    def of(series: Sequence[Floats]) -> Cases:
        """From tables (T, d)."""
        return Cases(np.vstack(series), np.cumsum([0, *(len(one) for one in series)]))

    @property
    def lengths(self) -> Whole:
        """The number of rows of each case."""
        return np.diff(self.starts)

    def before(self, steps: int) -> Floats:
        """For each row the one `steps` rows before, or the first of its case.

        >>> cases = Cases.of([np.array([[1.0], [2.0]]), np.array([[3.0]])])
        >>> cases.before(1).ravel()
        array([1., 1., 3.])
        """
        here = np.arange(len(self.rows)) - steps
        return np.asarray(self.rows[np.maximum(here, np.repeat(self.starts[:-1], self.lengths))])

    def means(self, steps: int) -> Cases:
        """For each row the mean of the last `steps` rows, a power of `stride_ratio`. Before its
        first row a case is taken to be like that row.

        >>> Cases.of([np.array([[0.0], [3.0], [6.0], [9.0]])]).means(3).rows.ravel()
        array([0., 1., 3., 6.])
        """
        if steps == 1:
            return self
        shorter = steps // ENSEMBLE_DEFAULTS.stride_ratio
        parts = self.means(shorter)
        rows = parts.rows / ENSEMBLE_DEFAULTS.stride_ratio
        for k in range(1, ENSEMBLE_DEFAULTS.stride_ratio):
            rows += parts.before(k * shorter) / ENSEMBLE_DEFAULTS.stride_ratio
        return Cases(rows, self.starts)


@dataclass(frozen=True)
class DilatedView:
    """The inputs of a network, which takes every `stride`-th row: its values, or the differences of
    order 1 or 2 of means over `stride` rows. own: of series in their own deviations.
    """

    stride: int
    order: int
    own: bool = False

    def of(self, cases: Cases) -> Floats:
        """The rows in this view.

        >>> squares = Cases.of([np.arange(6.0)[:, None] ** 2])
        >>> DilatedView(1, 2).of(squares).ravel()
        array([0., 1., 2., 2., 2., 2.])
        """
        if self.order == 0:
            return cases.rows
        means = cases.means(self.stride)
        once = means.before(self.stride)
        if self.order == 1:
            return np.asarray(means.rows - once)
        return np.asarray(means.rows - 2.0 * once + means.before(2 * self.stride))


@dataclass(frozen=True, eq=False)
class SeriesNetwork:
    """A network with its view of a series.

    rest: the state at which each series begins. mean, scale: of the states in training. exponent:
    measured on the training series, per step of the network.
    """

    view: DilatedView
    scaler: Scaler
    reservoir: Reservoir
    rest: Floats
    mean: Floats
    scale: Floats
    exponent: float

    @property
    def memory(self) -> float:
        """The memory, in steps of the series."""
        return self.view.stride * (-1.0 / self.exponent if self.exponent < 0.0 else np.inf)

    @property
    def bend(self) -> float:
        """The bend of the sphere; 0 for other activations."""
        return float(getattr(self.reservoir.activation, "bend", 0.0))

    @property
    def edges(self) -> Whole:
        """The first unit of each group, and the number of units."""
        units = self.reservoir.units
        groups = max(round(units / ENSEMBLE_DEFAULTS.group_units), 1)
        return np.linspace(0, units, groups + 1).astype(np.int64)

    def leads(self, cases: Cases, skip: int) -> Floats:
        """Shares of time (cases, 2, N) that units lead and trail, after the first `skip` rows."""
        farthest = ENSEMBLE_DEFAULTS.farthest
        with np.errstate(over="ignore"):
            inputs = np.clip(self.scaler.forward(self.view.of(cases)), -farthest, farthest)
        signal = inputs.astype(self.reservoir.dtype)
        counts = np.zeros((len(cases.lengths), 2, self.reservoir.units), self.reservoir.dtype)
        if not self._counted(signal, cases, skip, counts):
            counts = self._counted_by_drive(signal, cases, skip)
        steps = np.maximum(cases.lengths - skip, 1).astype(counts.dtype)
        return np.asarray(counts / steps[:, None, None])

    def _counted(self, signal: Floats, cases: Cases, skip: int, counts: Floats) -> bool:
        """Whether the compiled loop could count."""
        network = network_of(self.reservoir)
        if network is None:
            return False
        status = kernels.lead_loop(
            fast_path(network),
            writable(signal),
            cases.starts,
            self.view.stride,
            skip,
            self.rest,
            1.0 / self.scale,
            self.mean / self.scale,
            self.edges,
            guarded((4, self.reservoir.units), self.reservoir.dtype),
            counts,
        )
        return bool(status == FINE)

    def _counted_by_drive(self, signal: Floats, cases: Cases, skip: int) -> Floats:
        """The counts for a network of the user's own, or for rare steps."""
        counts = np.zeros((len(cases.lengths), 2, self.reservoir.units), self.reservoir.dtype)
        for case, (first, stop) in enumerate(pairwise(cases.starts)):
            for phase in range(min(self.view.stride, stop - first)):
                rows = signal[first + phase : stop : self.view.stride]
                states = drive(self.reservoir, rows, self.rest)
                late = states[max(-(-(skip - phase) // self.view.stride), 0) :]
                z = late * (1.0 / self.scale) - self.mean / self.scale
                for low, high in pairwise(self.edges):
                    part = z[:, low:high]
                    counts[case, 0, low:high] += (part >= part.max(axis=1)[:, None]).sum(axis=0)
                    counts[case, 1, low:high] += (part <= part.min(axis=1)[:, None]).sum(axis=0)
        return counts


@dataclass(frozen=True, eq=False)
class Ensemble:
    """The networks of a classifier of whole series."""

    networks: tuple[SeriesNetwork, ...]

    @property
    def width(self) -> int:
        """The number of features."""
        return sum(2 * one.reservoir.units for one in self.networks)

    @property
    def mean(self) -> Floats:
        """The mean (d,) of the training series: the first network takes their values."""
        return self.networks[0].scaler.mean

    def features(self, series: Sequence[Floats], skip: int, n_jobs: int | None) -> Floats:
        """Roots of the shares of time (cases, width); the same for any number of jobs."""
        cases = _both(series, {one.view.own for one in self.networks})
        parts = Parallel(n_jobs=n_jobs, prefer="threads")(
            delayed(one.leads)(cases[one.view.own], skip) for one in self.networks
        )
        return np.asarray(np.sqrt(np.hstack([part.reshape(len(part), -1) for part in parts])))


def _both(series: Sequence[Floats], kinds: set[bool]) -> dict[bool, Cases]:
    """The series as they are (False) and in their own deviations (True), if they are needed."""
    return {
        own: Cases.of([in_own_deviations(one) for one in series] if own else series)
        for own in kinds
    }


def with_length(series: Sequence[Floats], features: Floats, typical: float) -> Floats:
    """Roots of shares of a typical length instead of the time, so that they show the length too; 0
    leaves them as they are.
    """
    if typical == 0.0:
        return features
    lengths = np.array([len(rows) for rows in series]) / typical
    return np.asarray(features * np.sqrt(lengths.astype(features.dtype))[:, None])


def views(length: int, several: bool, sizes: bool) -> list[DilatedView]:
    """The views of series of this length, those of stride one first; sizes: whether series differ
    in size.

    >>> [view.stride for view in views(60, several=True, sizes=False) if view.order == 0]
    [1, 3, 9]
    """
    strides = [1]
    while (
        several
        and ENSEMBLE_DEFAULTS.least_steps * ENSEMBLE_DEFAULTS.stride_ratio * strides[-1] <= length
    ):
        strides.append(ENSEMBLE_DEFAULTS.stride_ratio * strides[-1])
    kinds = (False, True) if sizes else (False,)
    return [
        DilatedView(stride, order, own)
        for stride in strides
        for order in ENSEMBLE_DEFAULTS.orders
        for own in kinds
    ]


def fit_ensemble(
    series: Sequence[Floats],
    plan: Callable[[int, int], Plan],
    choose: Callable[[Plan], Candidate],
    units: int,
    *,
    free: bool,
    divided: bool,
) -> Ensemble:
    """The networks for these series; they share the units.

    plan: that of the network with a seed and a number of units; choose: its settings. free: nobody
    has set a memory. Then there are several strides, and a memory out of reach is replaced by the
    nearest. Otherwise all strides are one. divided: whether there may be several networks.
    """
    lengths = [len(rows) for rows in series]
    found = views(int(np.median(lengths)), free, differ_in_size(series))
    found = found[: max(units // ENSEMBLE_DEFAULTS.least_units, 1) if divided else 1]
    cases = _both(series, {view.own for view in found})
    sizes = np.diff(np.linspace(0, units, len(found) + 1).astype(int)).tolist()
    plans = [plan(number, size) for number, size in enumerate(sizes)]
    return Ensemble(
        tuple(
            _fit_network(one, view, cases[view.own], choose(one), free)
            for one, view in zip(plans, found, strict=True)
        )
    )


def _fit_network(
    plan: Plan, view: DilatedView, cases: Cases, candidate: Candidate, nearest: bool
) -> SeriesNetwork:
    rows = view.of(cases)
    scaler = Scaler.of(rows)
    sample = _sample(view, cases, scaler.forward(rows))
    calibrated = plan.calibrated(np.vstack(sample), candidate, nearest=nearest)
    reservoir = calibrated.reservoir
    # Weights of the user's own may be too large or too small for single precision
    if plan.scalings is None and isinstance(plan.topology, str):
        reservoir = _in_single(reservoir)
    rest = _rest(reservoir)
    states = np.vstack([drive(reservoir, one.astype(reservoir.dtype), rest) for one in sample])
    mean, deviation = states.mean(axis=0), states.std(axis=0)
    still = deviation <= ENSEMBLE_DEFAULTS.still * np.sqrt(np.square(states).mean())
    # A scale of this size keeps a unit that does not vary at its mean
    scale = np.where(still, states.dtype.type(1e30), deviation)
    return SeriesNetwork(view, scaler, reservoir, rest, mean, scale, calibrated.exponent)


def _sample(view: DilatedView, cases: Cases, signal: Floats) -> list[Floats]:
    """The inputs of a network from some cases, about `sample_rows` rows, spread over all cases."""
    places = [
        slice(first + phase, stop, view.stride)
        for first, stop in pairwise(cases.starts)
        for phase in range(min(view.stride, stop - first))
    ]
    needed = min(-(-ENSEMBLE_DEFAULTS.sample_rows * len(places) // len(signal)), len(places))
    kept = evenly_spaced(0, len(places) - 1, needed)
    return [signal[places[i]] for i in kept]


def _in_single(reservoir: Reservoir) -> Reservoir:
    """The network in single precision: counting needs no more and takes half the time."""
    return Reservoir(
        reservoir.recurrent.astype(np.float32),
        reservoir.inputs.astype(np.float32),
        reservoir.activation,
        reservoir.bias,
        reservoir.leak,
    )


def _rest(reservoir: Reservoir) -> Floats:
    """The state after a long time at the mean of the series."""
    start = np.full(reservoir.units, 1.0 / np.sqrt(reservoir.units), reservoir.dtype)
    signal = np.zeros((ENSEMBLE_DEFAULTS.rest_rows, reservoir.n_inputs), reservoir.dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateStep)  # without a bias nothing drives it
        return np.asarray(drive(reservoir, signal, start)[-1].copy())


def blocks(series: Sequence[Floats]) -> list[slice]:
    """Neighbouring series with about `block_rows` rows together.

    >>> blocks([np.zeros((ENSEMBLE_DEFAULTS.block_rows // 2, 1))] * 3)
    [slice(0, 2, None), slice(2, 3, None)]
    """
    ends = np.cumsum([len(one) for one in series])
    cuts = np.flatnonzero(np.diff((ends - 1) // ENSEMBLE_DEFAULTS.block_rows)) + 1
    return [slice(first, stop) for first, stop in pairwise([0, *cuts.tolist(), len(series)])]


def ensemble_parts(ensemble: Ensemble, weights: Weights) -> Parts:
    """Networks and readout as plain values and arrays; the arrays of network k begin with `k.`."""
    values, tensors = readout_parts(weights, None)
    values["networks"] = []
    for k, one in enumerate(ensemble.networks):
        reservoir, arrays = reservoir_parts(one.reservoir)
        values["networks"].append(
            {
                "reservoir": reservoir,
                "stride": int(one.view.stride),
                "order": int(one.view.order),
                "own": bool(one.view.own),
                "exponent": float(one.exponent),
            }
        )
        arrays |= {
            "mean": one.scaler.mean,
            "scale": one.scaler.scale,
            "rest": one.rest,
            "state_mean": one.mean,
            "state_scale": one.scale,
        }
        tensors |= {f"{k}.{name}": tensor for name, tensor in arrays.items()}
    return values, tensors


def ensemble_from(values: Values, tensors: Tensors) -> tuple[Ensemble, Weights]:
    """What `ensemble_parts` described."""
    networks = tuple(
        _network_from(one, _beginning(f"{k}.", tensors)) for k, one in enumerate(values["networks"])
    )
    ensemble, weights = Ensemble(networks), weights_from(values, tensors)
    if (
        weights.matrix.shape != (ensemble.width, len(weights.intercept))
        or len({one.reservoir.n_inputs for one in networks}) != 1
    ):
        raise ValueError("the readout does not fit the networks")
    return ensemble, weights


def _beginning(prefix: str, tensors: Tensors) -> Tensors:
    return {
        name.removeprefix(prefix): tensor
        for name, tensor in tensors.items()
        if name.startswith(prefix)
    }


def _network_from(values: Values, tensors: Tensors) -> SeriesNetwork:
    reservoir = one_reservoir_from(values["reservoir"], tensors)
    rest, mean, scale = (
        array(name, tensors[name], 1, reservoir.dtype)
        for name in ("rest", "state_mean", "state_scale")
    )
    if {part.shape for part in (rest, mean, scale)} != {(reservoir.units,)} or not (
        scale > 0.0
    ).all():
        raise ValueError("the states do not fit the network")
    view = DilatedView(
        whole("stride", values["stride"], 1), whole("order", values["order"], 0), values["own"]
    )
    if view.order > 2:
        raise ValueError("the order of differences is not one of 0, 1 and 2")
    if ENSEMBLE_DEFAULTS.stride_ratio**40 % view.stride:
        raise ValueError("the stride is not a power of three")
    if not isinstance(view.own, bool):
        raise ValueError("own is not true or false")
    scaler = scaler_from(tensors["mean"], tensors["scale"], reservoir.n_inputs)
    return SeriesNetwork(
        view, scaler, reservoir, rest, mean, scale, real("exponent", values["exponent"])
    )
