"""Rows of a series as a forecaster sees them: filtered, smoothed, or one step ahead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _validation
from .._errors import BadInput
from .._validation import Floats
from ..assimilation.tracking import Rows, Tracker, can_track
from ..closed_loop import ClosedLoop
from ..kernels.codes import Passed
from ..series.form import SeriesForm
from ..series.scaling import Scaler
from .features import FeatureMap
from .following import TRUSTED
from .present import Present


def tracker_of(present: Present, loop: ClosedLoop, columns: int) -> Tracker:
    """The tracker that estimates rows; of rows that are trusted, one that trusts them."""
    if present.tracker is not None:
        return present.tracker
    if not can_track(loop):
        raise BadInput(
            "a model with a topology, an activation or equations of one's own has no "
            "filter; fit one without to smooth rows"
        )
    return Tracker(loop, np.full(columns, TRUSTED), present.drift)


def one_step_ahead(loop: ClosedLoop, series: Floats, beside: Floats, washout: int) -> Floats:
    """For each standardised row (T, d) the next one, from a fresh start."""
    network = loop.reservoir
    feature_map = FeatureMap(Scaler.identity(network.n_inputs), network, washout, loop.quadratic)
    beside = loop.beside(series, beside)
    outputs = feature_map.read(np.hstack([series, beside]), loop.weights)
    return np.asarray(loop.base(series, beside) + outputs)


@dataclass(frozen=True, eq=False)
class Estimates:
    """Standardised rows of a form, the tracker that estimates them, and one (`Present.honest`) that
    knows how wrong these estimates are.
    """

    series: Rows
    form: SeriesForm
    scaler: Scaler
    tracker: Tracker
    honest: Tracker

    def __post_init__(self) -> None:
        _validation.at_least("X", len(self.series.rows), self.tracker.lags + 1, "to be filtered")

    def smoothed(self, return_std: bool) -> Any:
        """Each row by those before it and some after it."""
        found, honest = self._passed(self.tracker), self._passed(self.honest)
        return self._formed(found.smoothed, honest.smoothed_deviations, return_std)

    def filtered(self, return_std: bool) -> Any:
        """Each row by itself and those before it."""
        found, honest = self._passed(self.tracker), self._passed(self.honest)
        return self._formed(found.filtered, honest.deviations, return_std)

    def filled(self) -> Floats:
        """The standardised rows with what is missing in them filtered."""
        known = self._whole(self._passed(self.tracker).filtered)
        return np.where(np.isnan(self.series.rows), known, self.series.rows)

    def _passed(self, tracker: Tracker) -> Passed:
        return self.series.passed(tracker)[1]

    def _whole(self, found: Floats) -> Floats:
        """Estimates of the last rows, behind the rows as they are."""
        return np.vstack([self.series.filled[: len(self.series.rows) - len(found)], found])

    def _formed(self, found: Floats, deviations: Floats, return_std: bool) -> Any:
        """The estimates in the form of the rows, and their deviations."""
        index = self.form.index
        rows = self.form.shaped(self.scaler.backward(self._whole(found)), index)
        if not return_std:
            return rows
        known = np.isfinite(self.series.rows[: len(self.series.rows) - len(found)])
        first = np.where(known, np.sqrt(self.tracker.noise), 1.0)
        both = self.scaler.scale * np.vstack([first, deviations])
        return rows, self.form.shaped(both, index)
