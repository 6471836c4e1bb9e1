"""The adapter for sktime passes all checks of sktime; `make sktime` runs this, as sktime wants an
older pandas than the other tests.
"""

import warnings

import numpy as np
import pandas as pd
from sktime.utils.estimator_checks import check_estimator

from spheresn.adapters.sktime import SphereForecaster


def test_all_checks_pass():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = check_estimator(SphereForecaster, verbose=False)
    assert len(found) > 50
    assert {name: result for name, result in found.items() if result != "PASSED"} == {}


def test_intervals_enclose_the_forecast():
    index = pd.period_range("2010-01", periods=72, freq="M")
    noise = np.random.default_rng(0).standard_normal(72)
    sales = pd.Series(100.0 + 5.0 * np.tile(np.arange(12.0), 6) + noise, index)
    model = SphereForecaster().fit(sales, fh=[1, 2, 12])
    mean, interval = model.predict(), model.predict_interval(coverage=0.8)
    assert mean.index.equals(pd.PeriodIndex(["2016-01", "2016-02", "2016-12"], freq="M"))
    low, high = interval.iloc[:, 0], interval.iloc[:, 1]
    assert (low < mean).all() and (mean < high).all()
    assert model.forecaster_.seasons_ == (12,)
