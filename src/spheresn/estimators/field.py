"""A forecaster of fields on a grid: one small network for every patch, all in one closed loop."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from math import prod
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .. import _validation
from .._errors import BadInput
from .._plain import Parts, Saved, Tensors, Values, one_reservoir_from, reservoir_parts, scaler_from
from .._running import Progress, all_or_nothing
from .._validation import Floats, array, real, whole
from ..selection.free_runs import evenly_spaced
from ..selection.plan import Candidate, Chosen, candidates
from ..series.scaling import RANGE_MARGIN, Scaler
from .base import BaseESN, with_limited_threads
from .fields.geometry import Patches
from .fields.labels import Labels
from .fields.loop import FieldLoop, LocalNetworks
from .fields.search import (
    FIELD,
    FIELD_DEFAULTS,
    NOISES,
    TRACE_SHARES,
    FieldSearch,
    FieldSetting,
    observed,
)
from .fields.sources import ChannelStatistics, Source, Standardised, guess_gaps
from .fields.workers import Learning, client_workers
from .forecast_warnings import report_range

SPIN_UP_MEMORIES = 37  # times the memory: 1e-16 of a start is left
LONGEST_SPIN_UP = 1000  # steps; where a start is never forgotten, it must end somewhere
# What the readouts give: with carry 1 the step from one field to the next, with 0 the next field
TARGETS = {"auto": (1.0, 0.0), "steps": (1.0,), "values": (0.0,)}


@dataclass(eq=False, repr=False)
class ESNFieldForecaster(BaseESN):
    """Echo state networks that forecast a field on a grid, the same one at every patch of cells.

    `fit(field)` takes (T, *grid), with `channels=True` (T, *grid, channels): an array, a memory
    map, an iterator of blocks (rows, *grid), an xarray DataArray, a Dask array. The network of a
    patch takes its cells and `halo` cells on either side as inputs and forecasts its cells; all
    patches together run free in one closed loop. patch and halo: one number, or one for each axis;
    a patch must divide the grid. periodic: whether the grid goes around, for all axes or for each;
    beyond an edge the inputs are the mean. shared: one readout for all patches (True), one for each
    (False), or "auto", whichever runs longer in held-out windows. position: whether the place of
    its patch is an input of a network too. components: so many principal components of the window
    are the inputs instead of all its cells. target: whether readouts give the "steps" from one
    field to the next, or the next "values", or "auto". noise: in deviations of the field. precise:
    whether readouts come from an orthogonal factorisation, else from Gram matrices, in half the
    time. washout: rows that bring a network to its state. Other parameters as in ESNForecaster.
    Cells that are masked, or NaN at all times, are nothing to their neighbours and NaN in
    forecasts; a shared readout learns from patches without such cells. Other missing values are
    guessed from those before and after them.

    Learned: patches_, closed_loop_ (a `System`), reservoir_, shared_, noise_, penalty_, memory_,
    candidates_ and score_ as in ESNForecaster, state_ (P, N) and last_ (the newest field).

    >>> import spheresn as sn
    >>> field = sn.datasets.lorenz96(1100, rng=0)
    >>> model = ESNFieldForecaster(150, patch=2, halo=3, noise=1e-4, random_state=0)
    >>> forecast = model.fit(field[:1000]).forecast(100)
    >>> time = sn.metrics.valid_time(field[1000:], forecast, dt=0.01)  # threshold .4
    >>> time * 1.68 > 1.0  # Lyapunov times
    True
    """

    _penalty_rules: ClassVar[tuple[str, ...]] = ("auto",)
    _saved = Saved(
        "shared_",
        ("bias_ratio_", "noise_", "score_"),
        ("state_", "last_", "low_", "high_", "mean_", "scale_"),
        axes=("patch", "halo", "periodic"),
    )

    units: int = 1000
    patch: Any = 4
    halo: Any = 4
    _: KW_ONLY
    periodic: Any = True
    channels: bool = False
    shared: bool | str = True
    position: bool = False
    bias_ratio: float | str = "auto"
    target: str = "auto"
    penalty: float | str = "auto"
    noise: float | str = "auto"
    precise: bool = True
    verbose: bool = True

    @all_or_nothing
    @with_limited_threads
    def fit(self, X: Any, y: Any = None, client: Any = None, mask: Any = None) -> Self:
        """Learn the field; forecasts begin at its end. `y` is not used.

        client: a dask.distributed Client, on whose workers the field is learned. mask: of the shape
        of the grid, True where a cell is to be left out, such as land in an ocean.
        """
        workers = client_workers(client)
        source = Source.of(X, self._flag("channels")).masking(mask)
        _validation.at_least("field", len(source), FIELD_DEFAULTS.least_rows, "to learn from")
        patches = Patches.of(source.grid, source.n_channels, self.patch, self.halo, self.periodic)
        plan, settings = self._plan(), self._settings()
        tried = self._field_candidates()
        statistics = workers.channel_statistics(source)
        source = source.without(statistics.missing)
        if source.hidden is not None:
            patches = replace(patches, masked=source.hidden)
            _check_whole(patches, settings)
        rows = Standardised(source, Scaler(statistics.mean, statistics.scale()))
        position = patches.positions() if self._flag("position") else np.zeros((patches.count, 0))
        search = FieldSearch(
            plan,
            patches,
            rows,
            position,
            self._projection(patches, rows),
            self._spin_up,
            settings,
            self._flag("precise"),
            workers,
            Progress(self.verbose),
        )
        try:
            chosen = search.best(tried[:1] if plan.scalings else tried)
        finally:
            search.progress.close()
        networks = chosen.learner.networks
        found = Chosen.of(chosen.candidate, chosen.calibrated)
        self._remember(found, networks.reservoir, chosen.learner.spin_up)
        self._keep(rows, statistics, patches)
        self.labels_: Labels | None = source.labels
        self.closed_loop_, self.candidates_ = chosen.loop, chosen.table
        self.noise_, self.shared_ = chosen.setting.learning.noise, chosen.setting.shared
        self.penalty_ = float(chosen.readouts.penalty.mean())
        self.__dict__.pop("score_", None)  # that of an earlier fit
        if chosen.score is not None:
            self.score_ = chosen.score
        recent = rows.read(max(len(rows) - 1 - self.washout_, 0), len(rows))
        self.last_ = recent[-1].copy()
        self.state_ = observed(self.closed_loop_.networks, None, recent[:-1])
        return self

    @with_limited_threads
    def forecast(self, steps: int) -> Any:
        """The next `steps` fields (steps, *grid) or (steps, *grid, channels).

        The next call begins at the same time. A field that came as xarray comes back as one.
        """
        check_is_fitted(self)
        count = _validation.fitting("steps", steps, 1, 3 * self.n_features_in_)
        outputs, finite, _ = self.closed_loop_.run(count, self.state_, self.last_)
        result = self.scaler_.backward(outputs)
        masked = self.patches_.masked
        channels = self.patches_.channels
        flat = result.reshape(count, -1, channels)
        low, high = flat.min(axis=1), flat.max(axis=1)
        bounds = np.tile(self.low_, 2), np.tile(self.high_, 2)
        report_range(np.hstack([low, high]), finite, *bounds, kept=False, stacklevel=4)
        if masked is not None:
            result[:, masked] = np.nan
        shaped = result.reshape(count, *self.patches_.grid, *((channels,) * self.channels))
        return shaped if self.labels_ is None else self.labels_.attach(shaped)

    @all_or_nothing
    def update(self, X: Any) -> Self:
        """Observe fields that came after the fit or the last update; forecasts begin after them.

        The readouts stay as they are.
        """
        check_is_fitted(self)
        source = replace(Source.of(X, self.channels), hidden=self.patches_.masked)
        if source.grid != self.patches_.grid or source.n_channels != self.patches_.channels:
            raise BadInput(
                f"field must have the grid {self.patches_.grid} and {self.patches_.channels} "
                f"channel(s) of fit, got shape {tuple(source.values.shape)}; pass such fields"
            )
        _validation.at_least("field", len(source), 1, "to observe")
        states, last = self.state_, self.last_
        for first in range(0, len(source), source.block):
            stop = min(first + source.block, len(source))
            rows = source.read(first, stop)
            # Raises where a value is infinite
            ChannelStatistics.of(rows, source.n_channels, first)
            fields = self._followed(last, rows)
            states = observed(self.closed_loop_.networks, states, fields[:-1])
            last = fields[-1]
        self.state_, self.last_ = states, last.copy()
        if self.labels_ is not None:
            self.labels_ = self.labels_.after(X, len(source))
        return self

    def _followed(self, last: Floats, rows: Floats) -> Floats:
        """The last field and the rows (T, size) after it, standardised; gaps are guessed."""
        fields = np.vstack([last, self.scaler_.forward(rows)])
        if self.patches_.masked is not None:
            fields[:, self.patches_.masked] = 0.0
        gappy = np.flatnonzero(np.isnan(fields).any(axis=0))
        return guess_gaps(fields, gappy) if len(gappy) else fields

    @property
    def scaler_(self) -> Scaler:
        """Between fields and units of their deviations."""
        return Scaler(self.mean_, self.scale_).of_columns(np.arange(self.n_features_in_))

    @property
    def _columns(self) -> int:
        return len(self.last_)

    def _to_parts(self) -> Parts:
        loop, patches = self.closed_loop_, self.patches_
        reservoir, tensors = reservoir_parts(self.reservoir_)
        return {
            "reservoir": reservoir,
            "washout": int(self.washout_),
            "carry": float(loop.carry),
            "grid": list(patches.grid),
            "channels": int(patches.channels),
            "labels": None if self.labels_ is None else self.labels_.plain(),
        }, {
            **tensors,
            "weights": loop.matrix,
            "intercept": loop.intercept,
            "position": loop.networks.position,
            **({} if patches.masked is None else {"masked": patches.masked.astype(np.float64)}),
        }

    def _from_parts(self, found: Values, values: Values, tensors: Tensors) -> None:
        if self.noise != "auto":
            real("noise", self.noise, 0.0)
        self.__dict__.update(found)
        reservoir = one_reservoir_from(values["reservoir"], tensors)
        grid = [whole("grid", cells, 1) for cells in values["grid"]]
        channels = whole("channels", values["channels"], 1)
        # Before anything is built that is as large as the file promises
        if self.last_.shape != (prod(grid) * channels,):
            raise ValueError("the field does not fit its grid")
        if not self._flag("channels") and channels > 1:
            raise ValueError("the field has several channels and one")
        patches = Patches.of(grid, channels, self.patch, self.halo, self.periodic)
        if "masked" in tensors:
            masked = array("masked", tensors["masked"], 1) != 0.0
            if masked.shape != self.last_.shape or masked.all():
                raise ValueError("the mask does not fit the grid")
            patches = replace(patches, masked=masked)
        position = array("position", tensors["position"], 2)
        matrix = array("weights", tensors["weights"], 3)
        intercept = array("intercept", tensors["intercept"], 2)
        readouts, outputs = 1 if self.shared_ else patches.count, patches.inner.shape[1]
        if (
            matrix.shape != (readouts, reservoir.units, outputs)
            or intercept.shape != (readouts, outputs)
            or len(position) != patches.count
            or reservoir.n_inputs != patches.windows.shape[1] + position.shape[1]
        ):
            raise ValueError("the readout does not fit the network and its patches")
        if self.state_.shape != (patches.count, reservoir.units):
            raise ValueError("the state does not fit the patches")
        if any(one.shape != (channels,) for one in (self.low_, self.high_)):
            raise ValueError("the range does not fit the channels")
        scaler_from(self.mean_, self.scale_, channels)
        networks = LocalNetworks(patches, reservoir, position)
        self.closed_loop_ = FieldLoop(networks, matrix, intercept, real("carry", values["carry"]))
        self.patches_, self.reservoir_ = patches, reservoir
        self.washout_ = whole("washout", values["washout"], 0)
        self.labels_ = None if values["labels"] is None else Labels.from_plain(values["labels"])

    def _keep(self, rows: Standardised, statistics: ChannelStatistics, patches: Patches) -> None:
        self.patches_ = patches
        self.mean_: Floats = rows.scaler.mean
        self.scale_: Floats = rows.scaler.scale
        margin = RANGE_MARGIN * (statistics.high - statistics.low)
        self.low_: Floats = statistics.low - margin
        self.high_: Floats = statistics.high + margin
        self.n_features_in_ = patches.size

    def _flag(self, name: str) -> bool:
        value = getattr(self, name)
        if not isinstance(value, bool):
            raise BadInput(f"{name} must be True or False, got {value!r}; pass one of these")
        return value

    def _settings(self) -> list[FieldSetting]:
        """What may be chosen: sharing, noise, penalty, target."""
        if self.features != "linear":
            raise BadInput(
                f"features must be linear for fields, got {self.features!r}; leave it out"
            )
        if self.shared != "auto" and not isinstance(self.shared, bool):
            raise BadInput(
                f"shared must be True, False or 'auto', got {self.shared!r}; pass one of these"
            )
        _validation.one_of("target", self.target, TARGETS)
        choices = (True, False) if self.shared == "auto" else (bool(self.shared),)
        noises = NOISES if self.noise == "auto" else (_validation.real("noise", self.noise, 0.0),)
        share, penalty = (
            (TRACE_SHARES[self._flag("precise")], 0.0)
            if self.penalty == "auto"
            else (None, float(self.penalty))
        )
        return [
            FieldSetting(shared, Learning(noise, share, penalty), carry)
            for shared in choices
            for noise in noises
            for carry in TARGETS[self.target]
        ]

    def _field_candidates(self) -> list[Candidate]:
        return candidates(FIELD, self.activation, self.memory, self.bend, self.bias_ratio)

    def _spin_up(self, exponent: float) -> int:
        """Rows before a stretch of time that bring the networks to their states."""
        if self.washout != "auto":
            return _validation.whole("washout", self.washout, 0)
        if exponent >= 0.0:
            return LONGEST_SPIN_UP
        return min(int(np.ceil(-SPIN_UP_MEMORIES / exponent)), LONGEST_SPIN_UP)

    def _projection(self, patches: Patches, rows: Standardised) -> Floats | None:
        """The principal components of a window as columns (w, k), each of deviation one."""
        if self.components is None:
            return None
        width = patches.windows.shape[1]
        count = _validation.whole("components", self.components, 1)
        if count > width:
            raise BadInput(
                f"components must be at most the {width} values of a window, got {count}; choose "
                "fewer, or a wider halo"
            )
        times = evenly_spaced(0, len(rows) - 1, min(len(rows), 200))
        inputs = np.concatenate(
            [patches.places.inputs(rows.read(int(t), int(t) + 1))[0] for t in times]
        )
        values, vectors = np.linalg.eigh(inputs.T @ inputs / len(inputs))
        largest = np.argsort(values)[::-1][:count]
        mean = np.sqrt(values[largest].mean())
        return np.asarray(vectors[:, largest] / mean)


def _check_whole(patches: Patches, settings: list[FieldSetting]) -> None:
    """Require a patch without masked cells where one readout is for all."""
    if patches.teaching(True) == 0 and any(one.shared for one in settings):
        raise BadInput(
            f"patch must be so small that some patch has no masked cell, got {patches.patch}; "
            "choose a smaller one, or shared=False"
        )
