"""The estimators follow the conventions of scikit-learn.

A check that assumes exchangeable rows is declared here with the reason.
"""

import numpy as np
import pytest
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.linear_model import Lasso
from sklearn.model_selection import GridSearchCV, TimeSeriesSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import spheresn as sn

ORDER = (
    "the output at a row depends on the rows before it, so rows cannot be taken apart or reordered"
)
A_SERIES = "a one-dimensional array is a series here"


def expected_failures(estimator):
    reasons = {
        "check_methods_subset_invariance": ORDER,
        "check_methods_sample_order_invariance": ORDER,
    }
    return (
        {**reasons, "check_fit1d": A_SERIES} if isinstance(estimator, sn.ESNForecaster) else reasons
    )


SMALL = [
    sn.ESNRegressor(units=100, bend=0.25, memory=1, random_state=0),
    sn.ESNClassifier(units=20, bend=0.5, memory=2, random_state=0),
    sn.ESNForecaster(units=20, bend=0.5, memory=2, random_state=0),
]


@parametrize_with_checks(SMALL, expected_failed_checks=expected_failures)
@pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.SkipTestWarning", "ignore::spheresn.estimators.OutOfRange"
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.fixture
def narma():
    return sn.datasets.narma(1200, 3)


def test_grid_search_over_time(narma):
    x, y = narma
    search = GridSearchCV(
        make_pipeline(StandardScaler(), sn.ESNRegressor(units=60, bend=0.25, random_state=0)),
        {"esnregressor__memory": [0.7, 10.0]},
        cv=TimeSeriesSplit(3),
    ).fit(x, y[:, 0])
    assert search.best_params_ == {"esnregressor__memory": 10.0}  # the target needs ten past inputs


def test_clones_give_the_same_model(narma):
    x, y = narma
    model = sn.ESNRegressor(units=30, bend=0.5, memory=5, random_state=3)
    assert np.array_equal(clone(model).fit(x, y).predict(x), model.fit(x, y).predict(x))


def test_data_frames_in_and_out(narma):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    x, y = narma
    model = sn.ESNRegressor(units=30, bend=0.5, memory=5, random_state=3)
    plain = model.fit(x, y).predict(x)
    for frames in (pandas, polars):
        table = frames.DataFrame({"input": x[:, 0]})
        fitted = clone(model).fit(table, frames.DataFrame({"target": y[:, 0]}))
        assert np.array_equal(fitted.predict(table), plain)
        assert list(fitted.feature_names_in_) == ["input"]
    states = clone(model).set_output(transform="pandas").fit(x, y).transform(x)
    assert isinstance(states, pandas.DataFrame) and list(states.columns[:2]) == ["state0", "state1"]
    assert isinstance(
        clone(model).set_output(transform="polars").fit(x, y).transform(x), polars.DataFrame
    )
    forecaster = sn.ESNForecaster(units=30, bend=0, memory=5, random_state=0)
    series = pandas.Series(np.sin(np.arange(300.0)))
    found = forecaster.fit(series).forecast(5)
    assert isinstance(found, pandas.Series) and found.index.tolist() == [300, 301, 302, 303, 304]
    assert np.array_equal(found, forecaster.fit(series.to_numpy()).forecast(5))


def _score(seed, x, y):
    return sn.ESNRegressor(units=30, bend=0.5, memory=5, random_state=seed).fit(x, y).score(x, y)


def test_models_are_fitted_in_parallel_processes(narma):
    x, y = narma
    assert Parallel(n_jobs=2)(delayed(_score)(seed, x, y) for seed in range(3)) == [
        _score(seed, x, y) for seed in range(3)
    ]


def test_any_regressor_can_be_the_readout(narma):
    x, y = narma
    model = sn.ESNRegressor(
        units=40, bend=0.5, memory=5, readout=Lasso(alpha=1e-4), random_state=0
    ).fit(x, y[:, 0])
    features = model.transform(x)[model.washout_ :]
    alone = Lasso(alpha=1e-4).fit(features, y[model.washout_ :, 0])
    assert np.allclose(model.predict(x)[model.washout_ :], alone.predict(features))
