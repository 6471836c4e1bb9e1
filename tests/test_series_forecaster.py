"""Combinations by their record: exact on what has a closed form, never far from what is known."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure
from scipy.signal import lfilter

import spheresn as sn
from spheresn.closed_loop import ClosedLoop
from spheresn.forecasting import (
    Autoregression,
    DirectAutoregression,
    LogScale,
    Mean,
    Naive,
    SeasonalNaive,
    SeriesForecaster,
    Theta,
    combine,
)
from spheresn.forecasting.backtesting import spread_by_step
from spheresn.forecasting.combination import mixed, record_origins, weights_of
from spheresn.forecasting.lagged import DIRECT_SHARES, differenced, seen_lags, small_network, summed
from spheresn.forecasting.methods import Forecasts, seasonal_pattern
from spheresn.forecasting.seasons import (
    autocorrelations,
    given_seasons,
    is_confirmed,
    seasons_of,
    suggested_by,
)
from spheresn.readout import Weights
from spheresn.series.calendar import calendar_of
from spheresn.series.scaling import bounds, soft_clip, soft_clip_slope

MONTHS = np.arange(120)
SALES = 50.0 + 0.5 * MONTHS + 8.0 * np.sin(2 * np.pi * MONTHS / 12)


# Seasons


def test_autocorrelations_of_a_moving_average():
    """x_k = e_k + θ e_{k-1} has the autocorrelation θ/(1 + θ²) at lag 1 and none beyond."""
    noise = np.random.default_rng(0).standard_normal(200_001)
    found = autocorrelations(noise[1:] + 0.5 * noise[:-1], 3)
    assert np.allclose(found, [1.0, 0.4, 0.0, 0.0], atol=3 * np.sqrt(2 / 200_000))
    assert autocorrelations(np.ones(5), 2).tolist() == [0.0, 0.0, 0.0]


def test_a_season_is_confirmed_as_often_as_chance_allows():
    """In noise and in random walks a test at 1.645 deviations says yes in about one of twenty."""
    rng = np.random.default_rng(1)
    for walk in (False, True):
        draws = (rng.standard_normal(200) for _ in range(400))
        hits = np.mean([is_confirmed(one.cumsum() if walk else one, 12) for one in draws])
        assert 0.0 < hits < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)


def test_a_smooth_season_in_noise_is_confirmed():
    """Weekly data of four years, the wave twice as strong as the noise."""
    rng, weeks = np.random.default_rng(0), np.arange(260)
    wave = 2.0 * np.sin(2 * np.pi * weeks / 52)
    hits = [is_confirmed(wave + rng.standard_normal(260), 52) for _ in range(40)]
    assert np.mean(hits) > 0.8


@pytest.mark.parametrize(
    ("frequency", "seasons"),
    [
        *[("MS", (12,)), ("QE", (4,)), ("W", (52,)), ("B", (5,)), ("D", (7, 365)), ("YS", ())],
        *[("h", (24, 168)), ("30min", (48, 336)), ("7h", ()), ("2D", ()), ("2MS", ())],
        ("24h", (7, 365)),
    ],
)
def test_the_seasons_of_a_calendar(frequency, seasons):
    index = pd.date_range("2000-01-01", periods=9, freq=frequency)
    assert suggested_by(calendar_of(index)) == seasons


def test_seasons_of_periods_and_of_no_dates():
    assert suggested_by(calendar_of(pd.period_range("2000-01", periods=3, freq="M"))) == (12,)
    assert suggested_by(calendar_of(pd.RangeIndex(3))) is None and suggested_by(None) is None


def test_seasons_are_found_and_not_imagined():
    rng = np.random.default_rng(2)
    assert seasons_of(SALES[:, None], None) == (12,)
    assert seasons_of(rng.standard_normal((300, 2)), None) == ()
    assert seasons_of(np.ones((6, 1)), None) == ()
    assert SeriesForecaster().fit(rng.standard_normal(60).cumsum()).seasons_ == ()
    assert is_confirmed(SALES, 70) is False and is_confirmed(np.arange(90.0) / 7, 12) is False


@pytest.mark.parametrize("season", ["weekly", 0, 2.5, [12, "x"]])
def test_a_season_is_a_number_of_rows(season):
    with pytest.raises(sn.BadInput, match="season must be"):
        given_seasons(season)


# Methods


def test_differences_and_sums_are_inverse():
    rows = np.random.default_rng(0).standard_normal((40, 2)).cumsum(axis=0)
    places = np.array([20, 25])
    for shift in (0, 1, 7):
        ahead = np.array([differenced(rows, shift)[k - shift : k - shift + 15] for k in places])
        found = summed(ahead, rows, places, shift)
        assert np.allclose(found, [rows[k : k + 15] for k in places])


@pytest.mark.parametrize("difference", [0, 1, 12])
@pytest.mark.parametrize("units", [0, 20])
def test_a_wave_on_a_line_is_continued(difference, units):
    """Values obey a linear recurrence, so every autoregression can continue them."""
    rows = SALES[:, None] if difference else (SALES - 0.5 * MONTHS)[:, None]
    found = Autoregression(difference, (12,), units=units).fit(rows[:100]).forecast(rows, [100], 20)
    assert np.abs(found.values[0] - rows[100:]).max() < 0.5


def test_lags_reach_a_season_back():
    assert seen_lags(1100, 1, (168,))[-4:] == [167, 168, 169, 336]
    assert seen_lags(8, 1, (168,)) == [1, 2]
    assert seen_lags(4000, 50) == [1, 2, 3, 4]


def test_a_small_network_forgets_in_the_given_time():
    """For an input of square σ² in a direction of its own, every state is divided by √(1 + σ²),
    which is e^(1/memory); the directions are random, so this holds about.
    """
    signs = np.sign(np.random.default_rng(0).standard_normal((900, 1)))
    for memory in (3.0, 10.0):
        found = sn.analysis.max_lyapunov(small_network(50, 1, memory, 0), signs).exponent
        assert np.isclose(found, -1.0 / memory, rtol=0.4)
    network = small_network(50, 1, 3.0, 0)
    power = np.square(network.inputs).sum() + np.square(network.bias).sum()
    assert np.isclose(np.sqrt(1.0 + power), np.exp(1.0 / 3.0), rtol=0.1)


def test_exogenous_columns_are_used():
    """What only an exogenous column knows is forecast by it."""
    rng = np.random.default_rng(0)
    known = rng.standard_normal((160, 1))
    rows = 3.0 * known[:140] + 0.01 * rng.standard_normal((140, 1))
    recipe = Autoregression(exogenous=known[:140])
    fitted = recipe.fit(rows).given(known)
    assert np.abs(fitted.forecast(rows, [140], 20).values[0] - 3.0 * known[140:]).max() < 0.2
    model = SeriesForecaster(None, horizon=20).fit(rows[:, 0], exogenous=known[:140])
    found = model.forecast(20, exogenous=known[140:]).mean
    assert np.abs(found - 3.0 * known[140:, 0]).max() < 0.3
    assert np.array_equal(model.forecast(5, exogenous=known[140:145]).mean, found[:5])
    with pytest.raises(sn.BadInput, match=r"exogenous must have shape \(20, 1\), got none"):
        model.forecast(20)


SEASONAL = {  # methods of which a series without a season has none
    *("seasonal naive", "direct readouts from the last season"),
    *("linear autoregression of seasonal changes", "networks on seasonal changes"),
}


@pytest.mark.parametrize("season", [12, None])
def test_methods_of_the_season_are_tried_where_there_is_one(season):
    series = np.sin(np.pi * np.arange(48.0) / 6) - 0.01 * np.arange(48.0)
    tried = set(SeriesForecaster(season, verbose=False).fit(series).record_.forecasts)
    assert tried & SEASONAL == (SEASONAL if season else set())


def test_a_record_of_one_step_is_saved_and_loaded(tmp_path):
    model = SeriesForecaster(None, horizon=1, verbose=False).fit(np.cos(np.arange(10.0)))
    assert model.record_.truth.shape[1] == 1
    model.save(tmp_path / "short.spheresn")
    again = SeriesForecaster.load(tmp_path / "short.spheresn")
    assert np.array_equal(again.forecast().mean, model.forecast().mean)


def test_direct_readouts_follow_a_recurrence():
    rows = np.sin(0.3 * np.arange(300.0))[:, None]
    for season in (1, 21):
        found = DirectAutoregression(30, season).fit(rows[:250]).forecast(rows, [250, 260], 25)
        assert np.abs(found.values - [rows[250:275], rows[260:285]]).max() < 1e-2


def test_direct_readouts_solve_the_penalised_normal_equations():
    """(XᵀX + penalty) W = XᵀY of the centred rows, by least squares of the rows and √penalty I."""
    rows = np.sin(0.3 * np.arange(120.0))[:, None] + np.random.default_rng(2).normal(
        0, 0.1, (120, 1)
    )
    recipe = DirectAutoregression(4)
    fitted = recipe.fit(rows)
    signal, places = fitted.scaler.forward(rows), np.arange(fitted.lags[-1], 117)
    x = recipe.features(signal, fitted.lags, places)
    y = np.array([signal[place : place + 4, 0] - signal[place - 1, 0] for place in places])
    xc, yc = x - x.mean(axis=0), y - y.mean(axis=0)

    def ridge(share):
        root = np.sqrt(share * np.square(xc).sum()) * np.eye(x.shape[1])
        return np.linalg.lstsq(np.vstack([xc, root]), np.vstack([yc, np.zeros_like(x.T[:, :4])]))[0]

    away = [np.abs(fitted.readout.matrix - ridge(share)).max() for share in DIRECT_SHARES]
    assert min(away) < 1e-12 * np.abs(fitted.readout.matrix).max()
    intercept = y.mean(axis=0) - x.mean(axis=0) @ fitted.readout.matrix
    assert np.allclose(fitted.readout.intercept, intercept, atol=1e-12)


def test_direct_readouts_of_few_rows_are_naive_and_constants_stay():
    rows = np.arange(12.0)[:, None]
    few = DirectAutoregression(6, 1).fit(rows).forecast(rows, [12], 6)
    assert np.allclose(few.values, 11.0)
    flat = np.ones((80, 1))
    assert np.allclose(DirectAutoregression(5).fit(flat).forecast(flat, [80], 5).values, 1.0)


def test_theta_is_half_of_the_trend():
    """On a line, smoothing follows the line, and the forecast grows by half of its slope."""
    rows = 2.0 * np.arange(60.0)[:, None]
    found = Theta().fit(rows).forecast(rows, [60], 10).values[0, :, 0]
    assert np.allclose(np.diff(found), 1.0) and abs(found[0] - 120.0) < 2.0


def test_the_pattern_of_a_season_does_not_see_a_trend():
    values = 3.0 * np.arange(48.0) + np.tile([5.0, -1.0, -1.0, -3.0], 12)
    assert np.allclose(seasonal_pattern(values, 4), [5.0, -1.0, -1.0, -3.0])
    assert seasonal_pattern(values[:7], 4).tolist() == [0.0]


def test_logarithms_turn_growth_into_a_line():
    rows = np.column_stack([np.exp(0.1 * np.arange(80.0)), np.sin(np.arange(80.0))])
    found = LogScale(Autoregression(1).fit).fit(rows[:60]).forecast(rows, [60], 20).values[0]
    assert np.allclose(found[:, 0], rows[60:, 0], rtol=0.02)
    later = np.vstack([rows[:60], [[-1.0, 0.0]]])  # a value that no logarithm has
    fitted = LogScale(Naive.fit).fit(rows[:60])
    assert np.isfinite(fitted.forecast(later, [61], 3).values).all()
    assert fitted.given(np.zeros((0, 0))).forecast(rows, [60], 1).values.shape == (1, 1, 2)


# Limits


def test_a_soft_limit_is_smooth_and_firm():
    low, high = np.array([-1.0]), np.array([2.0])
    values = np.linspace(-9.0, 9.0, 3601)[:, None]
    found = soft_clip(values, low, high)
    assert (np.diff(found, axis=0) >= 0.0).all() and found.max() <= 2.3 and found.min() >= -1.3
    slope = np.gradient(found[:, 0], values[:, 0])
    exact = soft_clip_slope(values, low, high)[:, 0]
    assert np.allclose(slope, exact, atol=0.02)
    inside = values[(values > low) & (values < high)]
    assert np.array_equal(soft_clip(inside, low, high), inside)
    assert soft_clip(np.array([5.0]), np.zeros(1), np.zeros(1)).tolist() == [0.0]


def test_bounds_follow_a_trend_and_not_an_outlier():
    line = np.arange(100.0)[:, None]
    low, high = bounds(line, 10)
    assert np.isclose(high[0], 99 + 2 * 10 + 9.9) and np.isclose(low[0], -9.9)


def test_no_free_run_leaves_its_limits():
    """On noise a network may learn an unstable loop; it stays within a tenth of the bounds."""
    rng = np.random.default_rng(3)
    for seed in range(4):
        series = rng.standard_normal(60)
        model = sn.ESNForecaster(50, penalty=1e-12, noise=0.0, random_state=seed).fit(series)
        loop = model.closed_loop_
        wild = type(loop)(
            loop.reservoir,
            type(loop.weights)(40 * loop.weights.matrix, loop.weights.intercept),
            loop.carry,
            None,
            loop.low,
            loop.high,
        )
        outputs, finite = wild.run(400, model.state_, model.last_, np.zeros((400, 0)))
        width = 0.1 * (loop.high - loop.low)
        assert finite == 400
        assert (outputs <= loop.high + width).all() and (outputs >= loop.low - width).all()
        by_steps = np.empty((50, 1))
        still = np.zeros((50, 1))
        none = np.zeros((50, 0))
        assert wild._run_by_steps(model.state_, model.last_, none, still, by_steps) == 50
        assert np.allclose(by_steps[:5], outputs[:5], rtol=1e-6)


def test_a_loop_without_limits_may_diverge_at_a_rare_step():
    """The squares of the pre-activation overflow, the state does not; the output is too large."""
    reservoir = sn.random_reservoir(10, 1, topology="ring", input_scaling=1e60, rng=0)
    loop = ClosedLoop(reservoir, Weights(np.full((10, 1), 1e120), np.zeros(1)), 0.0)
    outputs, finite = loop.run(3, np.ones(10), np.array([1e90]), np.zeros((3, 0)))
    assert finite == 0 and (outputs == 1e90).all()


# Combination


def test_weights_follow_the_errors():
    """Errors 1 and 2 to the power of minus four are as 16 to 1, but 2 is beyond 1.3 times 1."""
    truth = np.zeros((10, 3, 1))
    forecasts = {"a": truth + 1.0, "b": truth + 1.2, "c": truth - 2.0}
    weights, least = weights_of(forecasts, truth)
    ratio = 1.2**-4
    assert np.isclose(weights["a"][0], 1 / (1 + ratio)) and np.isclose(least[0], 1.0)
    assert np.isclose(weights["b"][0], ratio / (1 + ratio)) and weights["c"][0] == 0.0


def test_one_bad_forecast_decides_nothing():
    truth = np.zeros((20, 2, 1))
    lucky, unlucky = truth + 1.0, truth + 0.5
    unlucky[0] = 100.0
    assert weights_of({"lucky": lucky, "unlucky": unlucky}, truth)[0]["lucky"][0] == 0.0


def test_a_method_without_a_number_gets_no_weight():
    truth = np.zeros((4, 2, 1))
    broken = np.full_like(truth, np.nan)
    assert weights_of({"a": truth + 1.0, "b": broken}, truth)[0]["b"][0] == 0.0


def test_a_mean_leaves_out_who_is_far_from_the_others():
    weights = {name: np.array([1 / 3]) for name in "abc"}
    parts = {"a": 1.0, "b": 1.2, "c": 50.0}
    values = {name: np.full((1, 4, 1), value) for name, value in parts.items()}
    assert np.allclose(mixed(values, weights, np.array([2.0])), 1.1)
    assert np.allclose(mixed(values, weights, np.array([0.0])), 1.2)  # the median itself
    for lost in (np.inf, np.nan):
        values["c"][:] = lost
        assert np.allclose(mixed(values, weights, np.array([2.0])), 1.1)


def test_the_record_never_sees_what_it_forecasts():
    seen: list[tuple[int, int]] = []

    class Watching:
        def __init__(self, rows):
            self.rows = len(rows)

        def forecast(self, series, origins, steps):
            seen.extend((self.rows, int(origin)) for origin in origins)
            return Forecasts(np.zeros((len(origins), steps, 1)), np.zeros(len(origins), bool))

    combine(SALES[:, None], 12, {"watching": Watching, "naive": Naive.fit})
    assert seen and all(rows <= origin for rows, origin in seen)


def test_the_future_changes_no_weight():
    rows = np.random.default_rng(5).standard_normal(90).cumsum()
    first = SeriesForecaster(None, horizon=6).fit(rows[:80])
    again = SeriesForecaster(None, horizon=6).fit(rows[:80])
    assert first.weights_ == again.weights_
    assert np.array_equal(first.forecast().mean, again.forecast().mean)


@pytest.mark.parametrize("rows", [10, 11, 13, 25, 60, 1000])
def test_every_length_has_origins(rows):
    for steps in (1, 12, rows):
        origins, reach = record_origins(rows, steps)
        assert 1 <= len(origins) <= 24 and origins[0] >= 3
        assert origins[-1] + reach <= rows and (np.diff(origins) > 0).all()


def test_spreads_of_normal_errors():
    """The mean of |e| of normal errors gives their deviation; a random walk grows with the root."""
    rng = np.random.default_rng(0)
    walk = rng.standard_normal((4000, 16)).cumsum(axis=1)
    found, _ = spread_by_step(walk, 24)
    assert np.allclose(found, np.sqrt(np.arange(1, 25)), rtol=0.06)
    assert spread_by_step(np.zeros((5, 2)), 3)[0].tolist() == [0.0, 0.0, 0.0]
    assert spread_by_step(rng.standard_normal((5, 2)), 3)[0].shape == (3,)


# The estimator


def test_a_season_with_a_trend_is_continued_with_dates():
    index = pd.date_range("2010-01-01", periods=120, freq="MS")
    model = SeriesForecaster().fit(pd.Series(SALES, index, name="sales"))
    found = model.forecast(24)
    coming = np.arange(120, 144)
    truth = 50.0 + 0.5 * coming + 8.0 * np.sin(2 * np.pi * coming / 12)
    assert model.seasons_ == (12,)
    assert np.abs(found.mean.to_numpy() - truth).max() < 0.5
    assert found.index[0] == pd.Timestamp("2020-01-01") and found.mean.name == "sales"
    frame = found.to_frame()
    assert list(frame.columns) == ["mean", "lower", "upper"] and frame.index.equals(found.index)
    assert (frame["lower"] <= frame["mean"]).all() and (frame["mean"] <= frame["upper"]).all()
    axes = Figure().add_subplot()
    assert found.plot(axes) is axes and len(axes.lines) == 2
    pyplot.close("all")
    assert len(found.plot().lines) == 2
    pyplot.close("all")


def test_periods_and_time_zones_are_drawn():
    for index in (
        pd.period_range("2010-01", periods=60, freq="M"),
        pd.date_range("2010-01-01", periods=60, freq="D", tz="Asia/Tokyo"),
    ):
        axes = Figure().add_subplot()
        SeriesForecaster(None, horizon=3).fit(pd.Series(SALES[:60], index)).forecast().plot(axes)
        assert axes.lines[0].get_xdata().dtype.kind == "M"


def test_several_columns_and_polars():
    values = np.column_stack([SALES, -SALES[::-1]])
    model = SeriesForecaster(12, horizon=6, verbose=False).fit(values)
    found = model.forecast()
    assert found.mean.shape == found.lower.shape == (6, 2)
    frame = found.to_frame()
    assert frame.shape == (6, 6) and frame.columns[0] == (0, "mean")
    assert all(len(weight) == 2 for weight in model.weights_.values())
    assert len(found.plot(Figure().add_subplot()).lines) == 4
    assert np.isclose(sum(weight[0] for weight in model.weights_.values()), 1.0)


def test_quantiles_rise_and_levels_enclose():
    found = SeriesForecaster(12).fit(SALES + np.random.default_rng(0).standard_normal(120))
    wide, narrow = found.forecast(5, level=0.99), found.forecast(5, level=0.5)
    assert (wide.upper > narrow.upper).all() and (wide.lower < narrow.lower).all()
    quantiles = [wide.quantile(share) for share in (0.1, 0.5, 0.9)]
    assert (np.diff(quantiles, axis=0) > 0).all() and np.allclose(quantiles[1], wide.mean)


def test_no_sales_are_negative():
    rng = np.random.default_rng(0)
    sales = np.maximum(rng.standard_normal(80), 0.0)
    found = SeriesForecaster(None).fit(sales).forecast(10, level=0.99)
    assert (found.lower >= 0.0).all()


def test_units_of_the_data_do_not_matter():
    series = SALES + np.random.default_rng(1).standard_normal(120)
    one = SeriesForecaster(12).fit(series).forecast(12)
    other = SeriesForecaster(12).fit(1e-6 * series).forecast(12)
    assert np.allclose(other.mean, 1e-6 * one.mean, rtol=1e-6)
    assert np.allclose(other.upper, 1e-6 * one.upper, rtol=1e-6)


def test_clean_chaos_is_left_to_a_network():
    series = sn.datasets.mackey_glass(700, rng=0)[:, 0]
    model = SeriesForecaster(None, horizon=30).fit(series[:660])
    assert model.weights_.get("echo state network", 0.0) > 0.5
    assert np.abs(model.forecast(30).mean - series[660:690]).max() < 0.1
    assert "echo state network" in model.describe()


def test_noisy_chaos_is_left_to_a_network_that_knows_the_noise(tmp_path):
    """Of noise with a deviation of .05 the network finds as much, and forecasts the truth."""
    rng = np.random.default_rng(0)
    truth = sn.datasets.mackey_glass(700, rng=0)[:, 0]
    noise = 0.05 * truth.std()
    series = 10.0 * (truth + noise * rng.standard_normal(700))  # in other units
    model = SeriesForecaster(None, horizon=20).fit(series[:660])
    assert model.weights_.get("echo state network", 0.0) > 0.5
    assert model.observation_noise_ == pytest.approx(10.0 * noise, rel=0.15)
    assert model.describe().endswith("The rows look noisy: about 5 % of their deviation.")
    error = np.abs(model.forecast(20).mean - 10.0 * truth[660:680]).mean()
    assert error < 10.0 * noise  # the rows themselves do not know it better
    model.save(tmp_path / "m.spheresn")
    again = SeriesForecaster.load(tmp_path / "m.spheresn")
    assert np.array_equal(again.predict(20), model.predict(20))


@pytest.mark.parametrize("kind", ["walk", "oscillation", "season"])
def test_a_linear_process_is_not_taken_for_chaos(kind):
    """Its best forecast is linear, so that no network can know more of it."""
    shocks = np.random.default_rng(1).standard_normal(600)
    series = {
        "walk": np.cumsum(shocks),
        "oscillation": lfilter([1.0], [1.0, -1.5, 0.8], shocks),
        "season": 5.0 * np.sin(2 * np.pi * np.arange(600) / 12) + shocks,
    }[kind]
    model = SeriesForecaster(None, horizon=5).fit(series)
    assert "echo state network" not in model.record_.forecasts
    assert model.observation_noise_.tolist() == [0.0] and model.describe_noise() == ""


def test_more_steps_than_the_horizon_are_judged_again():
    model = SeriesForecaster(None, horizon=3).fit(SALES)
    farther = SeriesForecaster(None, horizon=20).fit(SALES).forecast(20)
    assert np.array_equal(model.forecast(20).mean, farther.mean)
    assert np.array_equal(model.forecast(20).upper, farther.upper)
    assert model.horizon_ == 3  # the model stays
    with pytest.raises(sn.BadInput, match="steps must be at most 120"):
        model.forecast(121)


def test_a_constant_stays_constant():
    model = SeriesForecaster().fit(np.full(40, 7.0))
    found = model.forecast(5)
    assert np.allclose(found.mean, 7.0) and np.allclose(found.upper, 7.0)
    assert "0 times" in model.describe() or "1 times" in model.describe()


def test_a_backtest_fits_everything_again():
    noise = np.random.default_rng(0).standard_normal(100)
    test = SeriesForecaster(12, horizon=6).fit(SALES[:100] + noise).backtest()
    assert set(test.forecasts) == {"combination", "seasonal naive"}
    assert test.rmse("combination") < test.rmse("seasonal naive")
    plain = SeriesForecaster(None, horizon=6).fit(noise).backtest(3)
    assert set(plain.forecasts) == {"combination", "naive"} and plain.truth.shape[1] == 3


def test_a_backtest_sees_the_logarithms():
    """Growth by a tenth per row is a line of logarithms; centred rows would have none."""
    growth = np.exp(0.1 * np.arange(80.0))
    model = SeriesForecaster(None, horizon=4).fit(growth)
    test = model.backtest()
    assert test.rmse("combination") < 0.02 * test.rmse("naive")


@pytest.mark.parametrize("rows", [10, 11, 14])
@pytest.mark.parametrize("columns", [1, 2])
def test_few_rows_are_forecast(rows, columns):
    rng = np.random.default_rng(rows)
    tables = [
        rng.standard_normal((rows, columns)),
        np.ones((rows, columns)),
        np.zeros((rows, columns)),
        -np.arange(rows * columns, dtype=float).reshape(rows, columns),
        1e300 * rng.standard_normal((rows, columns)),
        1e-300 * rng.standard_normal((rows, columns)),
    ]
    for table in tables:
        for steps in (1, 2, rows):
            found = SeriesForecaster(horizon=steps).fit(table).forecast()
            assert found.mean.shape == (steps, columns)
            assert np.isfinite([found.mean, found.lower, found.upper]).all()


@pytest.mark.parametrize(
    ("fit", "words"),
    [
        (lambda: SeriesForecaster().fit([1.0, 2.0, 3.0]), "series must have at least 10 rows"),
        (lambda: SeriesForecaster(70).fit(SALES), "season must be at most 60, half of the rows"),
        (lambda: SeriesForecaster(horizon=0).fit(SALES), "horizon must be a whole number"),
        (lambda: SeriesForecaster().fit(SALES, exogenous=SALES[:5]), "exogenous must have shape"),
        (lambda: SeriesForecaster(horizon=121).fit(SALES), "horizon must be at most 120"),
        (lambda: SeriesForecaster().fit(SALES).forecast(3, level=1.5), "level must be in"),
        (lambda: SeriesForecaster().fit(SALES).forecast(3, level=1), "level must be above 0 and"),
        (lambda: SeriesForecaster().fit(SALES).forecast(3).quantile(0.0), "share must be in"),
    ],
)
def test_bad_arguments_get_a_sentence(fit, words):
    with pytest.raises(sn.BadInput, match=words):
        fit()


def test_the_mean_and_the_season_are_methods():
    rows = SALES[:, None]
    assert np.allclose(Mean.fit(rows).forecast(rows, [50], 2).values, SALES.mean())
    found = SeasonalNaive(12).fit(rows).forecast(rows, [60], 14).values[0, :, 0]
    assert np.array_equal(found, np.r_[SALES[48:60], SALES[48:50]])


def dated(rows: int, first: str = "2016-01-01") -> pd.DatetimeIndex:
    return pd.DatetimeIndex(list(pd.date_range(first, periods=rows, freq="MS")))  # as a file has it


def test_exogenous_rows_are_those_of_their_dates_and_columns():
    """One or two dated rows are enough; other dates or another order of columns are refused."""
    step = np.arange(60)
    known = pd.DataFrame({"p": step % 3, "q": np.cos(step)}, dated(60))
    model = SeriesForecaster(season=None).fit(pd.Series(step % 3 + 0.0, dated(60)), exogenous=known)
    for rows in (1, 2):
        future = pd.DataFrame({"p": [0, 1][:rows], "q": np.cos([60, 61][:rows])}, dated(rows))
        future.index = dated(rows, "2021-01-01")
        plain = model.forecast(rows, exogenous=future.to_numpy()).mean
        assert model.forecast(rows, exogenous=future).mean.equals(plain)
    with pytest.raises(ValueError, match=r"columns of fit, \['p', 'q'\], got \['q', 'p'\]; "):
        model.forecast(2, exogenous=future[["q", "p"]])
    with pytest.raises(ValueError, match=r"must have the date 2021-01-01 .* in row 0, got 2021-02"):
        model.forecast(2, exogenous=future.set_axis(dated(2, "2021-02-01")))
    with pytest.raises(ValueError, match=r"shape \(2, 2\), got none; "):
        model.forecast(2)


@pytest.mark.parametrize(
    ("series", "words"),
    [
        ([[1, 2], [3]] * 20, "rows of one length"),
        (np.exp(1j * np.arange(40)), "real numbers, got complex ones"),
        (np.ma.masked_equal(np.arange(40), 5), "number in every row, got none in row 5"),
        (
            pd.Series(np.arange(40.0), pd.MultiIndex.from_product([["a", "b"], range(20)])),
            "one level, got 2",
        ),
    ],
)
def test_series_that_are_no_table_of_real_numbers_are_refused(series, words):
    with pytest.raises(ValueError, match=words):
        SeriesForecaster().fit(series)


def test_a_series_that_repeats_itself_is_described_without_infinities():
    model = SeriesForecaster(season=4).fit(np.tile([1.0, 2, 4, 8], 20))
    assert "the seasonal naive method had no error" in model.describe()
    with pytest.raises(ValueError, match=r"name must be one of .*, got 'magic'; "):
        model.relative_error("magic", "naive")


def test_a_backtest_takes_the_steps_that_its_rows_allow():
    """60 rows leave 20 for the backtest, in which 10 origins have 11 rows ahead."""
    model = SeriesForecaster().fit(np.sin(np.arange(60.0)))
    assert model.horizon_ > 11 and model.backtest().truth.shape == (10, 11, 1)


def test_the_table_of_a_forecast_has_all_columns_also_those_of_one_name():
    rows = np.column_stack([np.arange(40.0), -np.arange(40.0)])
    found = SeriesForecaster().fit(pd.DataFrame(rows, columns=["a", "a"])).forecast(2)
    table = found.to_frame()
    assert list(table.columns) == [("a", part) for part in ("mean", "lower", "upper")] * 2
    assert np.array_equal(table.to_numpy()[:, [0, 3]], found.mean.to_numpy())
    assert np.array_equal(table.to_numpy()[:, [2, 5]], found.upper.to_numpy())
