"""Rows whose past is unknown: scores leave them out, and predictions of them stay sane."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.metrics import r2_score
from sklearn.model_selection import TimeSeriesSplit, cross_val_score
from sklearn.pipeline import make_pipeline

import spheresn as sn
from spheresn.estimators.pasts import NEAREST, PASTS, Pasts

FIXED = {"units": 60, "bend": 0.5, "memory": 3, "random_state": 0}


def parity(rows, seed):
    """The product of the last three signs; signs before the first row are rolled in."""
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], rows + 2)
    return signs[2:, None], signs[2:] * signs[1:-1] * signs[:-2]


@pytest.fixture(scope="module")
def solved():
    x, y = parity(1500, 0)
    return sn.ESNRegressor(units=200, random_state=0).fit(x, y)


@pytest.mark.parametrize("seed", [0, 1])
def test_a_solved_task_is_reported_to_be_solved(seed):
    """Parity of three signs: before, R² between -.4 and .5 by rows whose signs nobody knows."""
    x, y = parity(2500, seed)
    folds = TimeSeriesSplit(4)
    model = sn.ESNRegressor(units=200, random_state=seed)
    assert model.fit(x[:2000], y[:2000]).score(x[2000:], y[2000:]) > 0.999
    assert cross_val_score(model, x, y, cv=folds).min() > 0.999
    # Two rows of each 500 cannot be known: an R² of .996 is the best
    assert cross_val_score(model, x, y, cv=folds, scoring="r2").min() > 0.98


def test_what_cannot_be_known_is_predicted_by_its_mean(solved):
    """Without the two signs before, parity is ±1 with equal chances: the mean of n draws of a past
    has the error 1 + 1/n. From the third row on it is known.
    """
    x, y = parity(4000, 7)
    parts = [(x[k : k + 40], y[k : k + 40]) for k in range(0, 4000, 40)]
    errors = np.mean([(solved.predict(u) - v) ** 2 for u, v in parts], axis=0)
    assert errors[:2].max() < 1.6 and errors[3:].max() < 0.05


def test_a_smooth_series_goes_on_from_pasts_like_its_own():
    """The second variable of a turning point is unknown at first: before, errors of 1e5."""
    x = sn.datasets.lorenz(3000, dt=0.02)
    model = sn.ESNRegressor(units=200, random_state=0).fit(x[:2000, :1], x[:2000, 2])
    cold = [model.predict(x[k : k + 100, :1]) - x[k : k + 100, 2] for k in range(2000, 2900, 50)]
    assert np.square(cold).mean() < x[:2000, 2].var()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"activation": "tanh"},
        {"features": "quadratic", "components": 2},
        {"readout": Ridge(1e-3)},
        {"topology": "gaussian"},
    ],
)
def test_only_the_washout_depends_on_the_past(options, rng):
    x = rng.standard_normal((500, 2))
    y = x * np.roll(x, 1, axis=0)
    model = sn.ESNRegressor(**{**FIXED, **options}).fit(x, y)
    w, empty = model.washout_, np.zeros(60)
    found, cold = model.predict(x), model.predict(x, start=empty)
    assert 0 < w < 100 and np.array_equal(found[w:], cold[w:])
    assert not np.array_equal(found[:w], cold[:w])
    assert (found[:w] >= model.low_).all() and (found[:w] <= model.high_).all()
    assert np.array_equal(model.low_, y.min(axis=0)) and np.array_equal(model.high_, y.max(axis=0))
    states = model.transform(x)
    assert np.array_equal(
        states[w:], sn.drive(model.reservoir_, model.frame_.scaler.forward(x))[w:]
    )
    if "activation" not in options:
        assert np.allclose(np.linalg.norm(states, axis=1), 1.0)
    # No row depends on a later one, and a list is series by series the same
    assert np.allclose(model.predict(x[:7]), found[:7], rtol=0, atol=1e-8)  # rounding times weights
    assert np.array_equal(model.predict([x, x[:9]])[0], found)


def test_a_washout_of_no_rows_means_that_series_begin_empty(rng):
    x = rng.standard_normal((200, 1))
    model = sn.ESNRegressor(**FIXED, washout=0).fit(x, x)
    assert model.frame_.pasts is None
    assert np.array_equal(model.predict(x), model.predict(x, start=np.zeros(60)))
    assert model.score(x, x) == r2_score(x, model.predict(x))


def test_a_score_is_of_the_rows_after_the_washout_and_so_are_its_weights(rng):
    x, y = sn.datasets.narma(900, 0)
    model = sn.ESNRegressor(**FIXED).fit(x[:500], y[:500])
    w, weights = model.washout_, rng.uniform(size=400)
    found, known = model.predict(x[500:]), slice(w, None)
    expected = r2_score(y[500:][known], found[known], sample_weight=weights[known])
    assert model.score(x[500:], y[500:], weights) == expected
    weights[:w] = 1e9
    assert model.score(x[500:], y[500:], weights) == expected
    # Of a short series, a quarter
    assert w > 6
    assert model.score(x[500:525], y[500:525]) == r2_score(
        y[506:525], model.predict(x[500:525])[6:]
    )
    assert np.isfinite(model.score(x[500:503], y[500:503]))


def test_weights_of_a_list_of_series(rng):
    lengths = (300, 12)
    x = [rng.standard_normal((n, 1)) for n in lengths]
    y = [np.roll(one, 2) for one in x]
    model = sn.ESNRegressor(**FIXED).fit(x, y)
    weights = [rng.uniform(size=n) for n in lengths]
    skips = [model.washout_, 3]
    found, wanted, given = (
        np.concatenate([one[skip:] for one, skip in zip(group, skips, strict=True)])
        for group in (model.predict(x), y, weights)
    )
    expected = r2_score(wanted, found, sample_weight=given)
    assert model.score(x, y, weights) == model.score(x, y, np.concatenate(weights)) == expected
    with pytest.raises(sn.BadInput, match="sample_weight must have as many rows as X, 312, got 12"):
        model.score(x, y, weights[1])


def test_steps_are_judged_after_the_washout_too(rng):
    x, _ = parity(1200, 3)
    y = np.where(x[:, 0] * np.roll(x[:, 0], 1) > 0, "same", "other")
    model = sn.ESNClassifier(**FIXED).fit(x[:800], y[:800])
    w, truth = model.washout_, y[800:].copy()
    assert model.score(x[800:], truth) == 1.0
    truth[:w] = "other"
    weights = np.ones(400)
    weights[:w] = 1e9
    assert model.score(x[800:], truth, weights) == model.score(x[800:], truth) == 1.0
    assert model.score([x[800:], x[:60]], [truth, y[:60]]) == 1.0
    outputs = model.frame_.read(x, model.weights_, limits=(0.0, 1.0))
    assert outputs[:w].min() >= 0.0 and outputs[:w].max() <= 1.0
    assert np.array_equal(outputs[w:], model.frame_.read(x, model.weights_, np.zeros(60))[w:])


def test_a_chain_of_states_and_a_readout_is_no_worse_at_the_start():
    x, y = parity(3000, 1)
    chain = make_pipeline(sn.ESNRegressor(units=200, random_state=0), Ridge(1e-6)).fit(
        x[:2000], y[:2000]
    )
    early = [
        np.mean((chain.predict(x[k : k + 20]) - y[k : k + 20]) ** 2) for k in range(2000, 2980)
    ]
    assert np.mean(early) < 0.5  # two of 20 rows cannot be known


def test_pasts_come_from_all_series_after_their_washout(rng):
    reservoir = sn.random_reservoir(20, rng=0, spectral_radius=0.9)
    signals = [rng.standard_normal((n, 1)) for n in (400, 1, 2, 300)]
    pasts = Pasts.of(reservoir, signals, 50)
    assert pasts.states.shape == (PASTS, 20) and pasts.following.shape == (PASTS, 1)
    states = [sn.drive(reservoir, one) for one in signals]
    places = [
        (one, k)
        for row in pasts.following
        for one, k in [
            next((i, int(np.flatnonzero(s == row)[0])) for i, s in enumerate(signals) if row in s)
        ]
    ]
    assert {one for one, _ in places} == {0, 3} and min(k for _, k in places) == 51
    for past, (one, k) in zip(pasts.states, places, strict=True):
        assert np.array_equal(past, states[one][k - 1])
    # The nearest is the own one
    assert np.array_equal(pasts.nearest(pasts.following[9])[0], pasts.states[9])
    assert len(pasts.nearest(np.zeros(1))) == NEAREST
    assert Pasts.of(reservoir, signals, 0) is None and Pasts.of(reservoir, signals[1:2], 5) is None
    # What an exponent of log .9 has forgotten changes no past
    short = Pasts.of(reservoir, signals, 50, 5)
    gaps = [np.abs(short.states - pasts.states).max()]
    reservoir = sn.random_reservoir(20, rng=0, spectral_radius=0.1)
    long = [Pasts.of(reservoir, [np.tile(signals[0], (10, 1))], 50, one) for one in (None, 20)]
    gaps += [np.abs(long[0].states - long[1].states).max()]
    assert gaps[0] > 1e-3 > 1e-10 > gaps[1]
    few = Pasts.of(reservoir, [signals[0][:4]], 1)
    assert len(few.states) == len(few.nearest(np.zeros(1))) == 2


def test_a_stream_has_the_range_and_the_pasts_of_one_fit():
    x, y = sn.datasets.narma(700, 0)
    whole, pieces = sn.ESNRegressor(**FIXED).fit(x, y), sn.ESNRegressor(**FIXED)
    for part in np.array_split(np.arange(700), 5):
        pieces.partial_fit(x[part], y[part])
    assert np.array_equal(pieces.predict(x), whole.predict(x))
    assert np.array_equal(pieces.low_, whole.low_) and np.array_equal(pieces.high_, y.max(axis=0))
    later = pieces.partial_fit(x[:9], y[:9] + 5.0)
    assert later.high_[0] == y[:9].max() + 5.0
    with pytest.raises(sn.BadInput, match="y must have 1 column"):
        later.partial_fit(x[:2], np.hstack([y[:2] + 99.0, y[:2]]))
    assert later.high_.shape == (1,)


def test_a_saved_model_knows_its_pasts(tmp_path, rng):
    x = rng.standard_normal((300, 2))
    labels = (x[:, 0] > 0).astype(int)
    for model in (sn.ESNRegressor(**FIXED).fit(x, x), sn.ESNClassifier(**FIXED).fit(x, labels)):
        sn.save(model, tmp_path / "m.spheresn")
        again = sn.load(tmp_path / "m.spheresn")
        assert np.array_equal(again.predict(x), model.predict(x))
        assert np.array_equal(again.frame_.states_from_pasts(x), model.frame_.states_from_pasts(x))
        assert again.frame_.pasts.rows == model.frame_.pasts.rows


def test_one_step_forecasts_without_a_past_stay_within_the_series():
    """Before, the first forecast of a series from its middle was off by 76 deviations."""
    x = sn.datasets.lorenz(1500, dt=0.02)
    model = sn.ESNForecaster(units=80, memory=1, bend=1, random_state=0).fit(x[:1000])
    found, w = model.predict(x[1000:]), model.washout_
    assert w > 0 and (found[:w] >= model.low_).all() and (found[:w] <= model.high_).all()
    assert sn.metrics.nrmse(x[1001 + w :], found[w:-1]) < 1e-2
