"""Estimators: streaming equals fitting, series do not leak into each other, forecasts go on,
classes are found.
"""

import copy
import pickle
import weakref
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from sklearn.dummy import DummyRegressor
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Lasso, Ridge

import spheresn as sn
from spheresn.estimators import (
    OutOfClimate,
    OutOfRange,
    accumulate,
    features,
    forecast_search,
    present,
    regression_search,
)
from spheresn.estimators.learning import TrainingData
from spheresn.estimators.windows import Windows
from spheresn.readout import Gram, solve
from spheresn.selection.calibration import MemoryOutOfReach

REGRESSOR = {"units": 40, "bend": 0.5, "memory": 3, "random_state": 0}


def test_a_regressor_is_drive_and_ridge(rng):
    x, y = sn.datasets.narma(600, 1)
    model = sn.ESNRegressor(**REGRESSOR, penalty=1e-3).fit(x, y)
    states = sn.drive(model.reservoir_, (x - x.mean(axis=0)) / x.std(axis=0))
    weights = solve(Gram.of(states[model.washout_ :], y[model.washout_ :]), 1e-3)
    empty = np.zeros(model.units)
    assert np.allclose(model.predict(x, start=empty), weights(states), atol=1e-10)
    assert np.allclose(
        model.predict(x[300:], start=states[299]), model.predict(x)[300:], atol=1e-12
    )


@pytest.mark.parametrize("rows", [700, 1024, 6300])  # 1024: nothing is left over after whole blocks
@pytest.mark.parametrize(
    "options", [{}, {"features": "quadratic", "components": 3}, {"bend": "auto"}, {"penalty": 1e-6}]
)
def test_fitting_in_chunks_equals_fitting_at_once(rows, options):
    x, y = sn.datasets.narma(rows, 1)
    whole = sn.ESNRegressor(**{**REGRESSOR, **options}).fit(x, y)
    pieces = sn.ESNRegressor(**{**REGRESSOR, **options})
    for part in np.array_split(np.arange(rows), 17):
        pieces.partial_fit(x[part], y[part])
    assert np.array_equal(pieces.predict(x), whole.predict(x))
    assert pieces.penalty_ == whole.penalty_ and np.array_equal(pieces.state_, whole.state_)


def test_a_stream_can_be_asked_at_any_time_and_goes_on():
    x, y = sn.datasets.narma(8000, 1)
    model = sn.ESNRegressor(**REGRESSOR).partial_fit(x[:5500], y[:5500])
    early = model.score(x[7000:], y[7000:])
    model.partial_fit(x[5500:7000], y[5500:7000])
    assert model.predict(x[:5]).shape == (5, 1) and early != model.score(x[7000:], y[7000:])
    whole = sn.ESNRegressor(**REGRESSOR).fit(x[:7000], y[:7000])
    assert np.array_equal(model.predict(x), whole.predict(x))


def test_a_fit_to_a_list_ends_the_stream_of_an_earlier_fit(rng):
    """Before, rows that came later were added to the earlier series, and the list was forgotten."""
    rows = rng.standard_normal((3, 90, 2))
    targets = rows.sum(axis=2)
    model = sn.ESNRegressor(**REGRESSOR).fit(rows[0], targets[0]).fit(list(rows), list(targets))
    fresh = sn.ESNRegressor(**REGRESSOR).fit(list(rows), list(targets))
    assert not hasattr(model, "state_") and not hasattr(fresh, "state_")
    with pytest.raises(sn.BadInput, match="partial_fit must continue a stream"):
        model.partial_fit(rows[0], targets[0])
    assert np.array_equal(model.predict(rows[0]), fresh.predict(rows[0]))


def test_a_fit_keeps_nothing_of_an_earlier_one(rng):
    pandas = pytest.importorskip("pandas")
    rows = rng.standard_normal((90, 2))
    frame = pandas.DataFrame(rows, columns=["a", "b"])
    model = sn.ESNRegressor(**REGRESSOR).fit(frame, rows.sum(axis=1))
    model.set_params(penalty=1e-3).fit([rows[:, :1]], [rows.sum(axis=1)])
    assert not hasattr(model, "feature_names_in_") and not hasattr(model, "loo_error_")
    chosen = sn.ESNForecaster(20, bend=0.5, memory=2, random_state=0).fit(np.sin(rows))
    assert np.isfinite(chosen.score_)
    assert not hasattr(chosen.fit(rows[:5]), "score_")  # five rows have no window for a free run


def test_a_stream_keeps_the_number_and_the_shape_of_its_outputs(rng):
    rows = rng.standard_normal((120, 2))
    model = sn.ESNRegressor(**REGRESSOR).partial_fit(rows[:60], rows[:60, 0])
    with pytest.raises(sn.BadInput, match=r"y must have 1 column\(s\), as in .*, got 2"):
        model.partial_fit(rows[60:], rows[60:])
    model.partial_fit(rows[60:], rows[60:, :1])  # one column is one output
    whole = sn.ESNRegressor(**REGRESSOR).fit(rows, rows[:, 0])
    assert np.array_equal(model.predict(rows), whole.predict(rows))
    with pytest.raises(sn.BadInput, match="y must have 1 column"):
        model.partial_fit(rows, rows)


def test_what_a_stream_has_learned_is_that_of_all_rows():
    """`predict(start=model.state_)` reads the state before anything else: it must not be old."""
    x, y = sn.datasets.narma(900, 1)
    whole = sn.ESNRegressor(**REGRESSOR).fit(x, y)
    model = sn.ESNRegressor(**REGRESSOR).fit(x[:500], y[:500]).partial_fit(x[500:], y[500:])
    assert np.array_equal(model.state_, model.transform(x)[-1])
    fresh = sn.ESNRegressor(**REGRESSOR).partial_fit(x, y)
    assert fresh.memory_ == whole.memory_ and fresh.penalty_ == whole.penalty_
    assert np.array_equal(fresh.state_, whole.state_)
    assert not hasattr(fresh, "score_") and not hasattr(sn.ESNRegressor(), "weights_")


def test_the_network_of_a_stream_is_chosen_for_the_one_that_is_asked():
    """A copy that is asked early chooses by the rows so far; the model that nobody asks, by all."""
    x, y = sn.datasets.narma(900, 1)
    options = {"units": 20, "random_state": 0}
    model = sn.ESNRegressor(**options).partial_fit(x[:200], y[:200])
    copies = [copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))]
    few = sn.ESNRegressor(**options).fit(x[:200], y[:200])
    all_rows = sn.ESNRegressor(**options).fit(x, y)
    assert few.memory_ != all_rows.memory_
    for one in copies:
        assert one.memory_ == few.memory_ and np.array_equal(one.predict(x), few.predict(x))
        one.partial_fit(x[200:], y[200:])
        assert one.memory_ == few.memory_ and not np.array_equal(one.state_, few.state_)
    assert np.array_equal(model.partial_fit(x[200:], y[200:]).predict(x), all_rows.predict(x))


@pytest.mark.parametrize("kind", [sn.ESNRegressor, sn.ESNClassifier])
def test_what_is_learned_is_there_after_a_fit_and_cannot_be_set(kind, rng):
    x = rng.standard_normal((90, 2))
    model, labels = kind(units=20, memory=2, bend=0.5, random_state=0), x[:, 0] > 0.0
    learned = ("weights_", "penalty_", "loo_error_")
    assert not any(hasattr(model, name) for name in learned)
    with pytest.raises(AttributeError, match=f"'{kind.__name__}' object has no attribute 'weig"):
        _ = model.weights_
    with pytest.raises(NotFittedError):
        model.predict(x)
    model.partial_fit(x, labels.astype(int))
    assert all(hasattr(model, name) for name in learned) and not hasattr(model, "score_")
    with pytest.raises(AttributeError, match=f"weights_ is learned; fit {kind.__name__} to change"):
        model.weights_ = None
    assert kind.weights_ is vars(kind)["weights_"]


@pytest.mark.parametrize("lengths", [(60, 90), (70, 70)])
def test_the_score_of_a_list_is_that_of_all_its_rows(lengths, rng):
    """Before, series of the same length were taken for one row each of many outputs."""
    series = [rng.standard_normal((n, 2)) for n in lengths]
    targets = [rows.sum(axis=1) for rows in series]
    model = sn.ESNRegressor(**REGRESSOR).fit(series, targets)
    skips = [min(model.washout_, n // 4) for n in lengths]
    known = np.concatenate([one[skip:] for one, skip in zip(targets, skips, strict=True)])
    found = [one[skip:] for one, skip in zip(model.predict(series), skips, strict=True)]
    assert model.score(series, targets) == pytest.approx(
        1.0 - np.square(known - np.concatenate(found)).mean() / known.var(), rel=1e-12
    )
    with pytest.raises(sn.BadInput, match=r"y\[1\] must have 1 column\(s\), got 2"):
        model.fit(series, [targets[0], series[1]])


@pytest.mark.parametrize("readout", [None, Lasso(alpha=1e-3), Ridge()])
def test_predictions_have_the_shape_of_the_targets(readout, rng):
    """Also where a regressor of scikit-learn gives back one column without its axis."""
    rows = rng.standard_normal((90, 2))
    for targets in (rows[:, 0], rows[:, :1], rows):
        model = sn.ESNRegressor(**REGRESSOR, readout=readout).fit(rows, targets)
        assert model.predict(rows[:7]).shape == targets[:7].shape


def test_series_do_not_leak_into_each_other(rng):
    """The order of the series does not matter, and each is predicted as if it were alone."""
    series = [rng.standard_normal((n, 2)) for n in (60, 200, 90)]
    targets = [np.cumsum(s, axis=0) * 0.1 for s in series]
    model = sn.ESNRegressor(**REGRESSOR, penalty=1e-3).fit(series, targets)
    for rows, prediction in zip(series, model.predict(series), strict=True):
        assert np.array_equal(prediction, model.predict(rows))
    frame, gram = model.frame_, None
    for rows, wanted in zip(series, targets, strict=True):
        skip = min(model.washout_, len(rows) // 4)
        part = Gram.of(frame.states(rows)[skip:], wanted[skip:])
        gram = part if gram is None else gram + part
    assert np.allclose(model.weights_.matrix, solve(gram, 1e-3).matrix, rtol=1e-9)
    other = sn.ESNRegressor(**REGRESSOR, penalty=1e-3).fit(
        [series[0], 50.0 + series[1]], targets[:2]
    )
    assert not np.allclose(other.weights_.matrix, model.weights_.matrix)


def test_the_number_of_workers_changes_nothing(rng, monkeypatch):
    monkeypatch.setattr(accumulate, "GROUPED_ROWS", 300)  # three groups to share
    series = [rng.standard_normal((n, 1)) for n in (300, 80, 500, 120)]
    targets = [np.roll(s, 2) for s in series]
    alone = sn.ESNRegressor(**REGRESSOR).fit(series, targets)
    together = sn.ESNRegressor(**REGRESSOR, n_jobs=2).fit(series, targets)
    assert (
        np.array_equal(alone.weights_.matrix, together.weights_.matrix)
        and alone.penalty_ == together.penalty_
    )


@pytest.mark.parametrize("group", [1, 50, 10_000])
def test_sums_of_many_series_are_the_sums_of_their_rows(rng, monkeypatch, group):
    """However the series are grouped, and however short: one row each, some longer than a block of
    rows.
    """
    monkeypatch.setattr(accumulate, "GROUPED_ROWS", group)
    series = [rng.standard_normal((n, 1)) for n in (1, 1, 7, 1500, 1, 30)]
    model = sn.ESNRegressor(**REGRESSOR, washout=0, penalty=1e-3).fit(
        series, [2 * s for s in series]
    )
    states = np.vstack([model.frame_.states(s) for s in series])
    gram, sample = model._accumulate(model.frame_, series, series)
    assert gram.count == 1540 and np.allclose(gram.state_mean, states.mean(axis=0), atol=1e-14)
    assert np.allclose(np.tril(gram.scatter), np.tril(1539 * np.cov(states.T)), atol=1e-12)
    assert sample.seen == 1540 and all(
        np.abs(states - row).sum(axis=1).min() < 1e-14 for row in sample.states
    )


def test_predictions_of_a_long_series_do_not_hold_all_its_states(rng, monkeypatch):
    """Each estimator reads one piece of states after the other, and says the same as with all of
    them at once.
    """
    x, labels = rng.standard_normal((10_000, 1)), np.arange(10_000) % 2
    fixed = {"units": 20, "memory": 3, "bend": 0.5, "random_state": 0}
    regressor = sn.ESNRegressor(**fixed).fit(x, x)
    classifier, forecaster = (
        sn.ESNClassifier(**fixed).fit(x, labels),
        sn.ESNForecaster(**fixed).fit(x),
    )
    made: list[int] = []
    monkeypatch.setattr(
        features,
        "drive_chunks",
        lambda *a, **k: (made.append(len(s)) or s for s in sn.drive_chunks(*a, **k)),
    )
    empty = np.zeros(20)
    expected = regressor.weights_(regressor.frame_.states(x))
    assert np.allclose(regressor.predict(x, start=empty), expected, rtol=1e-12)
    assert made == [4096, 4096, 1808]
    scores = classifier.weights_(classifier.frame_.states(x))
    known = slice(classifier.washout_, None)
    assert np.allclose(
        classifier.decision_function(x)[known], (scores[:, 1] - scores[:, 0])[known], atol=1e-12
    )
    assert len(made) == 6
    assert forecaster.predict(x).shape == (10_000, 1) and len(made) == 9


def test_observing_a_long_series_keeps_its_last_state_only(monkeypatch):
    """`update` once held the states of all rows: 4 GB for a million rows and 500 units."""
    x = np.sin(0.1 * np.arange(9000.0))
    model = sn.ESNForecaster(units=20, memory=3, bend=0.5, random_state=0).fit(x[:500])
    held: list[weakref.ref] = []

    def watched(*arguments, **options):
        for states in sn.drive_chunks(*arguments, **options):
            held.append(weakref.ref(states))
            yield states
            del states
            assert sum(one() is not None for one in held) <= 2

    monkeypatch.setattr(present, "drive_chunks", watched)
    model.update(x)
    observed = model.scaler_.forward(np.concatenate([[x[499]], x[:-1]])[:, None])
    before = sn.drive(model.reservoir_, model.scaler_.forward(x[:499, None]))[-1]
    assert len(held) == 3 and np.array_equal(
        model.state_, sn.drive(model.reservoir_, observed, before)[-1]
    )


def test_a_network_for_few_long_series_is_chosen_by_all_of_them(rng):
    """Of two recordings of 10,000 rows the second counts too: its kind must not be missed."""
    series = [np.full((10_000, 1), number) for number in (1.0, 2.0)]
    assert [(len(part), part[0, 0]) for part in regression_search.selection(series)] == [
        (2500, 1.0),
        (2500, 2.0),
    ]
    many_short = [np.full((50, 1), float(i)) for i in range(1000)]
    assert [part[0, 0] for part in regression_search.selection(many_short)] == list(
        range(0, 1000, 10)
    )
    assert [len(part) for part in regression_search.selection(series[:1])] == [5000]
    assert [
        len(part) for part in regression_search.selection([series[0][:4000], series[1][:50]])
    ] == [4000, 50]


def test_a_dask_cluster_gives_the_same_fit(rng, monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(accumulate, "GROUPED_ROWS", 300)
    series = [rng.standard_normal((n, 1)) for n in (300, 80, 500)]
    targets = [np.roll(s, 2) for s in series]
    alone = sn.ESNRegressor(**REGRESSOR).fit(series, targets)
    with (
        distributed.LocalCluster(
            2, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0"
        ) as cluster,
        distributed.Client(cluster),
        parallel_config("dask"),
    ):
        spread = sn.ESNRegressor(**REGRESSOR, n_jobs=-1).fit(series, targets)
    assert np.array_equal(alone.weights_.matrix, spread.weights_.matrix)


def test_automatic_settings_follow_the_task():
    """Recall of the far past wants memory; a product of the last two inputs wants little of it, and
    a network that is not odd: the product keeps its sign where the input changes it.
    """
    signal = sn.datasets.white_noise(2500, 0)
    targets = np.roll(signal, 40), signal * np.roll(signal, 1)
    far, product = (sn.ESNRegressor(units=100, random_state=0).fit(signal, y) for y in targets)
    assert far.memory_ > 20.0 > 5.0 > product.memory_
    assert product.bias_ratio_ > 0.0
    assert far.score(signal, targets[0]) > 0.97 and product.score(signal, targets[1]) > 0.999


def test_a_given_matrix_is_the_one_that_is_chosen_with():
    """A matrix cannot be drawn anew at another size; the ring as a matrix gives the ring."""
    signal = sn.datasets.white_noise(400, 0)
    fixed = {"units": 30, "bend": 0.5, "random_state": 0}
    named, given = (
        sn.ESNRegressor(topology=topology, **fixed).fit(signal, np.roll(signal, 2))
        for topology in ("ring", np.roll(np.eye(30), 1, axis=0))
    )
    assert given.memory_ == pytest.approx(named.memory_, rel=1e-6)
    assert np.allclose(given.predict(signal), named.predict(signal), atol=1e-6)


def test_quadratic_features_help_where_products_are_asked():
    signal = sn.datasets.white_noise(2000, 0)
    target = signal * np.roll(signal, 1)
    plain, products = (
        sn.ESNRegressor(units=60, bend=0, memory=2, bias_ratio=0, features=f, random_state=0)
        for f in ("linear", "quadratic")
    )
    # The network is odd, the product is even
    assert plain.fit(signal, target).score(signal, target) < 0.05
    assert products.fit(signal, target).score(signal, target) > 0.6


@pytest.mark.parametrize("activation", ["spherical", "tanh"])
def test_a_forecaster_continues_lorenz_for_several_lyapunov_times(activation):
    series = sn.datasets.lorenz(3500)
    model = sn.ESNForecaster(units=200, activation=activation, random_state=0).fit(series[:3000])
    free = model.forecast(500)
    assert sn.metrics.valid_time(series[3000:], free, dt=0.02) * 0.906 > 3.0
    assert sn.metrics.nrmse(series[3001:], model.predict(series)[3000:-1]) < 1e-3


def test_the_learned_attractor_has_the_exponents_of_lorenz():
    """Known: +.906, 0, -14.57 per unit of time [SPR03]; the closed loop, measured by the same
    function as any system, has the first two.
    """
    series = sn.datasets.lorenz(6000)
    model = sn.ESNForecaster(units=200, bend=1, memory=1, random_state=0).fit(series)
    start = np.concatenate([model.state_, model.last_])
    exponents = (
        sn.analysis.lyapunov_spectrum(
            model.closed_loop_, 6000, count=2, transient=500, start=start
        ).exponents
        / 0.02
    )
    assert exponents[0] == pytest.approx(0.906, abs=0.12) and exponents[1] == pytest.approx(
        0.0, abs=0.12
    )


def test_the_closed_loop_is_a_system_with_its_derivative(rng):
    series = sn.datasets.henon(500)
    model = sn.ESNForecaster(
        units=12, bend=0.5, memory=1, features="quadratic", components=2, random_state=0
    ).fit(series)
    loop = model.closed_loop_
    state, tangents, h = (
        np.concatenate([model.state_, model.last_]),
        rng.standard_normal((14, 3)),
        1e-6,
    )
    _, carried = loop.tangent_step(state, np.empty(0), tangents)
    numeric = [
        (loop.step(state + h * v, np.empty(0)) - loop.step(state - h * v, np.empty(0))) / (2 * h)
        for v in tangents.T
    ]
    assert np.allclose(carried, np.transpose(numeric), atol=1e-6 * np.abs(carried).max())
    steps = [state]
    for _ in range(5):
        steps.append(loop.step(steps[-1], np.empty(0)))
    assert np.allclose(
        model.forecast(5), model.scaler_.backward(np.array(steps)[1:, 12:]), atol=1e-9
    )
    assert isinstance(loop, sn.System)


def test_updating_equals_having_been_there():
    series = sn.datasets.mackey_glass(1500)
    early = sn.ESNForecaster(units=60, bend=0.5, memory=4, random_state=0).fit(series[:1000])
    here = early.forecast(20)
    assert np.array_equal(early.forecast(20), here)
    early.update(series[1000:1200]).update(series[1200:1300])
    assert np.array_equal(early.last_, early.scaler_.forward(series[1299:1300])[0])
    again = (
        sn.ESNForecaster(units=60, bend=0.5, memory=4, random_state=0)
        .fit(series[:1000])
        .update(series[1000:1300])
    )
    assert np.allclose(early.forecast(50), again.forecast(50), atol=1e-12)
    assert sn.metrics.nrmse(series[1300:1310], early.forecast(10)) < 0.1


def test_exogenous_columns_are_used():
    """A series that follows a random signal cannot be forecast without it, and with it to the last
    few digits.
    """
    signal = sn.datasets.white_noise(1200, 0)
    series = np.zeros((1200, 1))
    for k in range(1, 1200):
        series[k] = 0.7 * series[k - 1] + signal[k]
    with_it = sn.ESNForecaster(units=80, bend=1, memory=0.5, random_state=0).fit(
        series[:1000], exogenous=signal[:1000]
    )
    assert sn.metrics.nrmse(series[1000:], with_it.forecast(200, exogenous=signal[1000:])) < 0.01
    with_it.update(series[1000:1100], exogenous=signal[1000:1100])
    assert sn.metrics.nrmse(series[1100:], with_it.forecast(100, exogenous=signal[1100:])) < 0.01
    with pytest.raises(ValueError, match=r"exogenous must have shape \(200, 1\), got none"):
        with_it.forecast(200)


def test_a_run_that_leaves_the_range_is_reported_and_never_nan():
    growing = np.exp(0.02 * np.arange(400.0))[:, None]
    model = sn.ESNForecaster(units=30, activation="linear", memory=5, random_state=0).fit(growing)
    said = r"leaves the range .* at step \d+ and is kept near it; do not trust"
    with pytest.warns(OutOfRange, match=said), pytest.warns(OutOfClimate, match="100,000 steps"):
        free = model.forecast(100_000)
    assert np.isfinite(free).all()


def test_short_and_constant_series():
    assert sn.ESNForecaster(units=10, random_state=0).fit(
        np.array([0.0, 1.0, 0.0, 1.0, 0.0])
    ).forecast(1).shape == (1,)
    assert np.allclose(
        sn.ESNForecaster(units=10, random_state=0).fit(np.full(60, 3.0)).forecast(4), 3.0
    )
    with pytest.raises(ValueError, match="minimum of 3 is required"):
        sn.ESNForecaster(units=10).fit(np.arange(2.0))
    with pytest.raises(ValueError, match="NaN"):
        sn.ESNForecaster(units=10, observation_noise=0).fit(np.array([1.0, np.nan, 2.0, 3.0]))
    filled = sn.ESNForecaster(units=10, random_state=0).fit(np.array([1.0, np.nan, 2.0, 3.0]))
    assert 1.0 < filled.smoothed_[1, 0] < 2.0
    with pytest.raises(ValueError, match="steps must be a whole number of at least 1"):
        sn.ESNForecaster(units=10, random_state=0).fit(np.arange(9.0)).forecast(0)


def windows(rng, length=50, count=40):
    sources = (
        sn.datasets.henon(6000)[:, :1],
        sn.datasets.mackey_glass(6000),
        sn.datasets.white_noise(6000, rng),
    )
    series, labels = [], []
    for label, source in zip("hmw", sources, strict=True):
        for _ in range(count):
            begin = rng.integers(6000 - length)
            series.append((source[begin : begin + length] - source.mean()) / source.std())
            labels.append(label)
    return series, np.array(labels)


def test_which_system_made_this_window(rng):
    series, labels = windows(rng)
    order = rng.permutation(len(series))
    series, labels = [series[i] for i in order], labels[order]
    model = sn.ESNClassifier(units=60, bend=0.5, memory=2, random_state=0).fit(
        series[:80], labels[:80]
    )
    assert model.score(series[80:], labels[80:]) > 0.95
    assert list(model.classes_) == ["h", "m", "w"] and model.decision_function(
        series[:7]
    ).shape == (7, 3)


def test_every_step_is_classified():
    """The class of a step is the sign of the input two steps before."""
    signal = sn.datasets.white_noise(2000, 0)
    labels = (np.roll(signal[:, 0], 2) > 0).astype(int)
    model = sn.ESNClassifier(units=100, bend=0.25, memory=3, random_state=0).fit(
        signal[:1500], labels[:1500]
    )
    assert model.score(signal[1500:], labels[1500:]) > 0.9
    parts = [signal[:700], signal[700:1500]]
    several = sn.ESNClassifier(units=100, bend=0.25, memory=3, random_state=0).fit(
        parts, [labels[:700], labels[700:1500]]
    )
    assert several.score(parts, [labels[:700], labels[700:1500]]) > 0.9


@pytest.mark.parametrize(
    ("x", "y", "sentence"),
    [
        (np.zeros(9), np.zeros(9), r"X must be a table \(rows, columns\), got 9 values without"),
        (
            [np.ones((5, 1)), np.ones((5, 2))],
            [np.ones(5), np.ones(5)],
            r"X\[1\] must have 1 column\(s\), got 2",
        ),
        ([np.ones((5, 1))], [np.ones(4)], r"y\[0\] must have as many rows as X, 5, got 4"),
        ([np.ones((5, 1))], [np.ones(5), np.ones(5)], "y must have one entry per series, 1, got 2"),
        ([np.full((5, 1), np.nan)], [np.ones(5)], r"X\[0\] must be finite"),
    ],
)
def test_bad_series_get_a_sentence(x, y, sentence):
    with pytest.raises(ValueError, match=sentence):
        sn.ESNRegressor(**REGRESSOR).fit(x, y)


def test_products_of_steps_tell_a_product_of_inputs(rng):
    """The class of a step is the sign of a product, which no linear readout sees."""
    x = rng.standard_normal((800, 2))
    labels = (x[:, 0] * x[:, 1] > 0).astype(int)
    options = {"units": 40, "bend": 0.0, "memory": 0.5, "random_state": 0}
    linear, quadratic = (
        sn.ESNClassifier(features=kind, **options).fit(x[:600], labels[:600])
        for kind in ("linear", "quadratic")
    )
    assert linear.score(x[600:], labels[600:]) < 0.65
    assert quadratic.score(x[600:], labels[600:]) > 0.8


def test_a_stream_begins_with_its_second_row():
    model = sn.ESNRegressor(units=5, bend=0.5, memory=2, random_state=0).partial_fit([[1.0]], [2.0])
    with pytest.raises(
        ValueError,
        match="X must have at least 2 rows in all before something can be learned, got 1",
    ):
        model.predict([[1.0]])
    assert np.isfinite(model.partial_fit([[2.0]], [3.0]).predict([[1.0]])).all()


def test_a_forecast_of_huge_values_ends_with_the_last_that_exists():
    series = np.linspace(0.0, 1.6e308, 60)
    model = sn.ESNForecaster(units=20, bend=0.5, memory=3, random_state=0).fit(series)
    with pytest.warns(OutOfRange, match="leaves the range"):
        ahead = model.update(np.array([1.79e308])).forecast(50)
    assert np.isfinite(ahead).all()


def test_rows_beyond_all_deviations_get_a_sentence():
    model = sn.ESNRegressor(units=10, bend=0.5, memory=3, random_state=0).fit(
        1e-200 * np.sin(np.arange(50.0))[:, None], np.ones(50)
    )
    with pytest.raises(
        ValueError,
        match=r"a row must be within 1e308 deviations .* got 1e\+200 in row 0 against",
    ):
        model.predict([[1e200]])


def test_labels_must_be_as_many_as_series(rng):
    series = [rng.standard_normal((40, 1)) for _ in range(3)]
    for labels in ([0, 1], None):
        with pytest.raises(ValueError, match="y must have one entry per series, 3"):
            sn.ESNClassifier(units=10).fit(series, labels)


def test_a_network_that_nothing_drives_says_that_it_has_no_memory_to_set():
    """A ring turns its state for ever: the maximal exponent is 0 whatever the strength of an input
    that is 0.
    """
    with pytest.raises(
        MemoryOutOfReach, match="got 3; its maximal exponent is not negative on this"
    ):
        sn.ESNRegressor(
            units=20, topology="ring", bend=0.0, memory=3, bias_ratio=0.0, random_state=0
        ).fit(np.ones((100, 1)), np.arange(100.0))


def test_a_forecaster_says_which_memory_can_be_reached():
    series = np.sin(0.3 * np.arange(400.0))
    with pytest.raises(
        MemoryOutOfReach, match=r"memory must be at least \S+ steps .* got 0\.001; choose"
    ):
        sn.ESNForecaster(units=20, bend=0.0, memory=1e-3, random_state=0).fit(series)


def test_of_a_long_series_the_last_rows_choose_the_network(monkeypatch):
    few = replace(forecast_search.FORECAST_DEFAULTS, most_rows=300)
    monkeypatch.setattr(forecast_search, "FORECAST_DEFAULTS", few)
    late = sn.datasets.lorenz(301)
    late = (late - late.mean(axis=0)) / late.std(axis=0)
    # As many rows of the same mean and deviation, without any order
    early = np.random.default_rng(0).permuted(late[:-1], axis=0)
    fixed = {"units": 20, "memory": 2, "bend": 0.5, "noise": 0.0, "random_state": 0}
    data = TrainingData.of(
        np.vstack([early, late]), np.empty((601, 0)), np.random.default_rng(0)
    ).last(300)
    alone = TrainingData.of(late, np.empty((301, 0)), np.random.default_rng(0))
    assert all(
        np.array_equal(getattr(data, part), getattr(alone, part))
        for part in ("series", "inputs", "targets")
    )
    seen = []
    monkeypatch.setattr(
        Windows,
        "of",
        staticmethod(
            lambda data, use, of=Windows.of: seen.append(len(data[0].inputs)) or of(data, use)
        ),
    )
    sn.ESNForecaster(**fixed).fit(np.vstack([early, late]))
    assert seen == [300]


def test_series_within_the_washout_add_nothing(rng, monkeypatch):
    """Whether a group of series has nothing else in it, and whether the washout is longer than a
    block of rows.
    """
    monkeypatch.setattr(accumulate, "GROUPED_ROWS", 1)
    short, long = rng.standard_normal((5, 1)), rng.standard_normal((1500, 1))
    frame = sn.ESNRegressor(**REGRESSOR, washout=1100).fit(long, long).frame_
    states = frame.states(long)[1100:]
    for series in ([short, long], [long, short]):
        parts = [accumulate.TrainingSeries(rows, rows, 1100) for rows in series]
        gram, sample = accumulate.accumulate_series(frame, parts, None)
        assert gram.count == sample.seen == 400 and np.allclose(
            gram.state_mean, states.mean(axis=0), atol=1e-14
        )
        assert np.allclose(np.tril(gram.scatter), np.tril(399 * np.cov(states.T)), atol=1e-12)


def test_only_the_ridge_streams(rng):
    x = rng.standard_normal((30, 1))
    for model, rows in ((sn.ESNRegressor(readout=Lasso()), x), (sn.ESNRegressor(), [x])):
        with pytest.raises(
            ValueError, match="partial_fit must get one table and use the ridge readout"
        ):
            model.partial_fit(rows, x)


def test_a_readout_that_answers_with_infinity_gets_a_sentence(rng):
    x = rng.standard_normal((60, 1))
    model = sn.ESNRegressor(
        **REGRESSOR, readout=DummyRegressor(strategy="constant", constant=1.0)
    ).fit(x, x[:, 0])
    model.weights_.constant_ = np.full_like(model.weights_.constant_, np.inf)
    with pytest.raises(
        sn.StateOverflow,
        match="the prediction left the range of its floating point type; bring input and target",
    ):
        model.predict(x)


@pytest.mark.parametrize(
    ("column", "words"),
    [
        (["a", "b"] * 20, "column 'x' must hold numbers, got 'a'; "),
        (pd.date_range("2020-01-01", periods=40), "column 'x' must hold numbers, got dates; "),
        ([1.0, np.nan] * 20, "finite numbers in every row, got NaN in row 1; "),
        ([1.0, 2.0, np.inf, 4.0] * 10, "finite numbers in every row, got infinity in row 2; "),
    ],
)
def test_what_is_no_number_is_named_by_column_or_row(column, words):
    frame = pd.DataFrame({"u": np.arange(40.0), "x": column})
    with pytest.raises(sn.BadInput, match=words):
        sn.ESNRegressor(10).fit(frame, np.arange(40.0))
