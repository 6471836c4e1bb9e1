"""`SeriesForecaster` as a forecaster of sktime, with prediction intervals.

Needs the extra `sktime`; nothing else imports this module.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pandas as pd
from sktime.forecasting.base import BaseForecaster

from ..forecasting import SeriesForecaster


class SphereForecaster(BaseForecaster):  # type: ignore[misc]
    """Forecasts by the combination of `SeriesForecaster`, in the manner of sktime.

    season and random_state as there; horizon: the steps by which methods are judged, by default the
    farthest of the forecasting horizon if fit is given one.

    >>> import numpy as np
    >>> import pandas as pd
    >>> from spheresn.adapters.sktime import SphereForecaster
    >>> index = pd.period_range("2010-01", periods=60, freq="M")
    >>> sales = pd.Series(50.0 + np.tile(np.arange(12.0), 5), index)
    >>> found = SphereForecaster(season=12).fit(sales, fh=[1, 2, 3]).predict()
    >>> found.round(1).tolist()
    [50.0, 51.0, 52.0]
    """

    _tags: ClassVar[dict[str, Any]] = {
        "authors": "the authors of spheresn",
        "y_inner_mtype": "pd.DataFrame",
        "X_inner_mtype": "pd.DataFrame",
        "scitype:y": "both",
        "capability:exogenous": False,
        "capability:insample": False,
        "capability:pred_int": True,
        "capability:pred_int:insample": False,
        "capability:missing_values": False,
        "requires-fh-in-fit": False,
        "capability:random_state": True,
    }

    def __init__(
        self, season: Any = "auto", horizon: int | None = None, random_state: int = 0
    ) -> None:
        self.season = season
        self.horizon = horizon
        self.random_state = random_state
        super().__init__()

    def _fit(self, y: Any, X: Any = None, fh: Any = None) -> SphereForecaster:
        horizon = self.horizon
        if horizon is None and fh is not None:
            horizon = max(int(np.max(self._steps(fh))), 1)
        model = SeriesForecaster(
            self.season, horizon=horizon, random_state=self.random_state, verbose=False
        )
        # sktime sees to the dates of the result; here they only suggest a season
        has_dates = isinstance(y.index, (pd.DatetimeIndex, pd.PeriodIndex))
        self.forecaster_ = model.fit(y if has_dates and self.season == "auto" else y.to_numpy())
        return self

    def _predict(self, fh: Any, X: Any = None) -> Any:
        steps = self._steps(fh)
        found = self.forecaster_.forecast(int(np.max(steps)))
        return self._table(found.mean, fh, steps)

    def _predict_quantiles(self, fh: Any, X: Any, alpha: Any) -> Any:
        steps = self._steps(fh)
        found = self.forecaster_.forecast(int(np.max(steps)))
        names = self._get_varnames()
        columns = pd.MultiIndex.from_product([names, alpha])
        parts = {share: self._table(found.quantile(share), fh, steps) for share in alpha}
        values = [parts[share].iloc[:, place] for place in range(len(names)) for share in alpha]
        return pd.DataFrame(np.column_stack(values), parts[alpha[0]].index, columns)

    def _steps(self, fh: Any) -> Any:
        return np.asarray(fh.to_relative(self.cutoff).to_pandas(), dtype=int)

    def _table(self, part: Any, fh: Any, steps: Any) -> Any:
        rows = np.asarray(part).reshape(int(np.max(steps)), -1)[steps - 1]
        return pd.DataFrame(rows, fh.to_absolute_index(self.cutoff), self._get_columns("predict"))

    @classmethod
    def get_test_params(cls, parameter_set: str = "default") -> list[dict[str, Any]]:
        """Parameters for the tests of sktime."""
        return [{"season": None, "horizon": 3}, {"season": 4}]
