"""How a forecaster reads what it is given: tables, recordings, and how noisy they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .. import _validation
from .._errors import BadInput
from .._validation import Floats, whole
from ..series.form import SeriesForm
from ..series.observed import exogenous_columns, has_form, observed
from ..series.recordings import FEWEST_IN_RECORDING, beside_each, recordings_in
from ..series.scaling import Scaler
from .forecast_warnings import report_left_out
from .validation import validated

LEAST_MEASURED = 0.08  # of the rows of each column: one in ten, and some of these lost
Names = tuple[Any, ...] | None


class Recording(NamedTuple):
    """A table as it was given: its rows (T, d), NaN where one is missing, the exogenous columns
    (T, e), and its form.
    """

    rows: Floats
    beside: Floats
    form: SeriesForm | None


class Readings(NamedTuple):
    """The recordings to learn from, the names of their exogenous columns, whether there was a list
    of them, and whether the last was a series without columns.
    """

    recordings: list[Recording]
    names: Names
    several: bool
    one_column: bool


@dataclass(frozen=True, eq=False)
class Reader:
    """Reads tables for an estimator, which remembers their columns.

    trusting: whether the rows are to be taken as they are, so that none may be missing.
    """

    estimator: Any
    trusting: bool

    def recordings(
        self, X: Any, exogenous: Any, like: Recording | None = None, names: Names = None
    ) -> Readings:
        """The recordings to learn from, with the columns of one that they are to be like."""
        several = recordings_in(X)
        tables = [X] if several is None else several
        besides = [exogenous] if several is None else beside_each(exogenous, len(tables))
        kept = [0] if several is None else self._long_enough(tables)
        found: list[Recording] = []
        for place in kept:
            first = like or (found[0] if found else None)
            try:
                if several is not None and first is not None:
                    _same_columns(tables[place], first)
                one, names = self._recording(tables[place], besides[place], first, names)
            except BadInput as error:
                if several is None:
                    raise
                raise BadInput(f"recording X[{place}]: {error}") from None
            found.append(one)
        return Readings(found, names, several is not None, np.ndim(tables[kept[-1]]) == 1)

    def _recording(
        self, X: Any, exogenous: Any, like: Recording | None, names: Names
    ) -> tuple[Recording, Names]:
        """A table and what belongs to it, with the columns of another; the names of its exogenous
        columns.
        """
        rows, form = self.rows(X, reset=like is None)
        columns = None if like is None else like.beside.shape[1]
        index = None if form is None else form.index
        beside, found = exogenous_columns(exogenous, len(rows), columns, names, index, numbers)
        return Recording(rows, beside, form), found if like is None else names

    def _long_enough(self, tables: list[Any]) -> list[int]:
        """The places of recordings that something can be learned from; a warning names others."""
        washout = self.estimator.washout
        given = 0 if washout == "auto" else whole("washout", washout, 0)
        fewest = max(FEWEST_IN_RECORDING, given + 2)
        lengths = [len(one) for one in tables]
        short = [place for place, length in enumerate(lengths) if length < fewest]
        if len(short) == len(tables):
            raise BadInput(
                f"X must have a recording of at least {fewest} rows, got at most {max(lengths)}; "
                "pass longer ones"
            )
        report_left_out(short, fewest, stacklevel=8)
        return [place for place in range(len(tables)) if place not in short]

    def rows(self, X: Any, *, reset: bool) -> tuple[Floats, SeriesForm | None]:
        """The rows of a series, with NaN where one is missing, and their form."""
        holes = not self.trusting
        given = observed(X, "keep" if holes else "never", "X") if has_form(X) else None
        if np.ma.is_masked(X) and holes:
            X = np.where(np.ma.getmaskarray(X), np.nan, X.data)
        table = self.table(X, reset=reset, holes=holes)
        rows = table if given is None or given.form.calendar is None else given.values
        if reset and np.isnan(rows).any():
            _check_gaps(rows)
        return rows, None if given is None else given.form

    def table(self, X: Any, *, reset: bool, holes: bool = False) -> Floats:
        """The numbers of a table; `reset`: it says which columns there are."""
        one_column = reset or self.estimator.n_features_in_ == 1
        rows = np.asarray(X, np.float64) if isinstance(X, (list, tuple)) else X
        if isinstance(rows, np.ndarray) and rows.ndim == 1 and one_column:
            rows = rows.reshape(-1, 1)
        rows = rows.to_frame() if hasattr(rows, "to_frame") else rows
        table: Floats = validated(
            self.estimator,
            rows,
            reset=reset,
            ensure_min_samples=3 if reset else 1,
            ensure_all_finite="allow-nan" if holes else True,
        )
        return table


def trusting(observation_noise: Any) -> bool:
    """Whether the user trusts the rows."""
    return not isinstance(observation_noise, str) and not np.any(observation_noise)


def variances_of(observation_noise: Any, scaler: Scaler) -> Floats | None:
    """The variances of the noise of standardised rows, None if they are to be found."""
    if isinstance(observation_noise, str):
        _validation.one_of("observation_noise", observation_noise, ("auto",))
        return None
    columns = len(scaler.mean)
    given = _validation.floats("observation_noise", observation_noise, (0, 1), np.float64)
    if given.size not in (1, columns) or not (_validation.finite("it", given) >= 0.0).all():
        raise BadInput(
            f'observation_noise must be "auto", a deviation of at least 0, or one for each of '
            f"{columns} columns, got {observation_noise!r}; pass such numbers"
        )
    return np.asarray(np.square(np.broadcast_to(given, columns) / scaler.scale))


def starts_in(start: Any, beside: Any, future: Any) -> list[tuple[str, Any, Any, Any]] | None:
    """Of a list of starts: the name of each, its rows, the exogenous columns beside them and those
    of the rows to come; None if it is one start.
    """
    starts = None if start is None else recordings_in(start, "start")
    if starts is None:
        return None
    names = [f"start[{place}]" for place in range(len(starts))]
    besides = beside_each(beside, len(starts), "start_exogenous")
    table = isinstance(future, (list, tuple)) and recordings_in(future, "exogenous")
    futures = beside_each(future, len(starts)) if table else [future] * len(starts)
    return list(zip(names, starts, besides, futures, strict=True))


def numbers(exogenous: Any) -> Floats:
    """Exogenous columns without dates."""
    return _validation.table("exogenous", np.asarray(exogenous))


def _same_columns(X: Any, first: Recording) -> None:
    """Whether a recording has the columns of the first one."""
    columns = first.rows.shape[1]
    if np.shape(X)[1:] not in ((), (columns,)):
        raise BadInput(
            f"it must have {columns} column(s), as the first one has, got "
            f"{np.shape(X)[1]}; pass recordings of the same columns"
        )


def _check_gaps(rows: Floats) -> None:
    """Whether enough of each column was measured."""
    seen = np.isfinite(rows).sum(axis=0)
    if (seen < LEAST_MEASURED * len(rows)).any():
        column = int(np.argmin(seen))
        raise BadInput(
            f"X must be measured in at least {LEAST_MEASURED:.0%} of the rows of each column, got "
            f"{seen[column]} of {len(rows)} in column {column}; drop this column, or the stretches "
            "without it"
        )
