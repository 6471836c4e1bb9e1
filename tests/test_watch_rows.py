"""`ESNForecaster.watch`: each row beside the forecast of it, judged as it comes."""

from itertools import count, islice

import numpy as np
import pytest

import spheresn as sn


def begins(found):
    """Rows where a change is announced."""
    return [k for k in range(1, len(found)) if found[k].changed and not found[k - 1].changed]


def wave(rows, seed=0):
    noise = 0.1 * np.random.default_rng(seed).standard_normal((rows, 1))
    return np.sin(0.2 * np.arange(rows))[:, None] + noise


@pytest.fixture(scope="module")
def model():
    return sn.ESNForecaster(units=50, observation_noise=0, random_state=0).fit(wave(1000))


def test_a_row_is_beside_the_forecast_of_it(model):
    rows = wave(1300)[1000:]
    before = (model.state_.copy(), model.last_.copy())
    found = list(model.watch(rows, learned=50))
    assert [one.row for one in found] == list(range(300))
    for k in (0, 1, 299):
        ahead = sn.ESNForecaster(units=50, observation_noise=0, random_state=0).fit(wave(1000))
        ahead = (ahead.update(rows[:k]) if k else ahead).forecast(1)[0]
        assert found[k].forecast == pytest.approx(ahead, abs=1e-12)
        assert found[k].value == pytest.approx(rows[k], abs=1e-12)
    assert np.array_equal(model.state_, before[0]) and np.array_equal(model.last_, before[1])


def test_the_share_of_alarms_and_of_rows_in_the_interval(model):
    found = list(model.watch(wave(9000)[1000:], level=0.02))[500:]
    assert np.mean([one.alarm for one in found]) == pytest.approx(0.02, abs=0.006)
    inside = [bool((one.lower <= one.value <= one.upper).all()) for one in found]
    assert np.mean(inside) == pytest.approx(0.98, abs=0.006)
    assert not any(one.changed for one in found)


def test_a_fault_is_found(model):
    rows = wave(4000)[1000:]
    rows[2000:] += 0.5
    found = list(model.watch(rows))
    (begin,) = [k for k in begins(found) if k < 2300]
    assert 2000 < begin < 2040 and abs(found[begin].since - 2000) < 20


def test_pieces_and_streams_without_end(model):
    rows = wave(1700)[1000:]
    whole = list(model.watch(rows, learned=50))
    pieces = list(model.watch(iter([rows[:1], rows[1:600], rows[600:]]), learned=50))
    assert [one.probability for one in pieces[60:]] == pytest.approx(
        [one.probability for one in whole[60:]], abs=0.01
    )
    endless = (wave(1, seed) for seed in count())
    assert len(list(islice(model.watch(endless), 20))) == 20


def test_a_missing_cell_counts_as_its_forecast(model):
    rows = wave(1100)[1000:]
    rows[40] = np.nan
    holes = list(model.watch(rows, learned=10))
    filled = rows.copy()
    filled[40] = holes[40].forecast
    other = list(model.watch(filled, learned=10))
    assert np.isnan(holes[40].value).all() and not holes[40].alarm
    assert holes[99].forecast == pytest.approx(other[99].forecast, abs=1e-12)


def test_exogenous_columns_and_quadratic_features():
    t = np.arange(1500)
    beside = (t % 7 == 0).astype(float)[:, None]
    rows = wave(1500) + beside
    options = {"observation_noise": 0, "features": "quadratic", "components": 2, "random_state": 0}
    model = sn.ESNForecaster(units=40, **options).fit(rows[:1000], exogenous=beside[:1000])
    ahead = model.forecast(1, beside[1000:1001])[0]
    whole = list(model.watch(rows[1000:], beside[1000:], learned=100))
    pieces = (beside[1000:1100], beside[1100:])
    other = model.watch(iter([rows[1000:1100], rows[1100:]]), iter(pieces), learned=100)
    assert whole[0].forecast == pytest.approx(ahead, abs=1e-12)
    found = [np.array([one.forecast for one in each]) for each in (whole, other)]
    assert found[1] == pytest.approx(found[0])
    with pytest.raises(sn.BadInput, match="exogenous"):
        list(model.watch(rows[1000:]))


@pytest.mark.parametrize(
    "options", [{"level": 0.0}, {"level": 1.0}, {"patience": 1.0}, {"learned": 1}]
)
def test_what_cannot_be_is_refused_at_once(model, options):
    (name,) = options
    with pytest.raises(sn.BadInput, match=f"^{name} must be"):
        model.watch(wave(10), **options)
