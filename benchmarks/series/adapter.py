"""Runs all checks of sktime on `spheresn.adapters.sktime`: make sktime.

Here and not among the tests, because sktime wants an older pandas than they have.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
import pandas as pd
from sktime.utils.estimator_checks import check_estimator

from spheresn.adapters.sktime import SphereForecaster


def intervals() -> None:
    """Forecasts have the dates asked for, and the intervals enclose them."""
    index = pd.period_range("2010-01", periods=72, freq="M")
    noise = np.random.default_rng(0).standard_normal(72)
    sales = pd.Series(100.0 + 5.0 * np.tile(np.arange(12.0), 6) + noise, index)
    model = SphereForecaster().fit(sales, fh=[1, 2, 12])
    mean, interval = model.predict(), model.predict_interval(coverage=0.8)
    assert mean.index.equals(pd.PeriodIndex(["2016-01", "2016-02", "2016-12"], freq="M"))
    assert (interval.iloc[:, 0] < mean).all() and (mean < interval.iloc[:, 1]).all()
    assert model.forecaster_.seasons_ == (12,)


def main() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        intervals()
        found = check_estimator(SphereForecaster, verbose=False)
    failed = {name: result for name, result in found.items() if result != "PASSED"}
    for name, result in failed.items():
        print(f"{name}: {str(result)[:300]}")
    print(f"{len(found) - len(failed)} of {len(found)} checks of sktime passed")
    sys.exit(bool(failed) or not found)


if __name__ == "__main__":
    main()
