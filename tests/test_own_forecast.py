"""Forecasts of the user's own series: nothing is fitted to rows that it forecasts, intervals cover
as many errors as they say, and no error is below the optimum.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import spheresn as sn
from spheresn.apps.cli.forecast_report import figure
from spheresn.apps.forecasts.result import (
    ForecastResult,
    forecast,
    observations,
    without_constant_columns,
)
from spheresn.apps.forecasts.summary import (
    badge,
    compared,
    describe_seasons,
    errors_by_column,
    errors_by_horizon,
    families,
    record_rows,
    rows_ahead,
    sentences,
    short_title,
    summary,
)
from spheresn.apps.tables import TimeSeries
from spheresn.apps.tables.clock import clock_of
from spheresn.forecasting import (
    Autoregression,
    Backtest,
    FittedNetwork,
    Forecasts,
    Mean,
    Naive,
    NetworkSettings,
    SeriesForecaster,
    backtest,
    backtesting,
    combine,
    first_origin,
    half_widths,
)
from spheresn.forecasting.backtesting import effective_count, horizon, origins_of
from spheresn.forecasting.defaults import SERIES_DEFAULTS
from spheresn.forecasting.lagged import FittedAutoregression
from spheresn.forecasting.methods import bounds, clip_divergent
from spheresn.readout import Weights
from spheresn.series.scaling import Scaler

SMALL = NetworkSettings(20, 0, "loo", 1e-5, 2.0, 0.5)
CHEAP = {"mean": Mean.fit, "naive": Naive.fit, "linear autoregression": Autoregression(lags=4).fit}
PHI, STEPS = 0.8, 10


def named(values: np.ndarray) -> TimeSeries:
    return TimeSeries("made", tuple(f"c{i}" for i in range(values.shape[1])), values, None)


def autoregressive(rows: int, rng: np.random.Generator) -> np.ndarray:
    """x_k = φ x_{k-1} + e_k with e of variance one, from its stationary distribution."""
    values = np.empty(rows)
    values[0] = rng.standard_normal() / np.sqrt(1 - PHI**2)
    for k in range(1, rows):
        values[k] = PHI * values[k - 1] + rng.standard_normal()
    return values[:, None]


@pytest.fixture(scope="module")
def results():
    """Forecasts of many independent series, and what came afterwards; by few methods, so that there
    can be many series.
    """
    rng, found = np.random.default_rng(1), []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SeriesForecaster, "_methods", lambda self, rows, steps: CHEAP)
        for _ in range(150):
            values = autoregressive(300 + STEPS, rng)
            found.append((forecast(named(values[:300]), STEPS, None), values[300:]))
    return found


@pytest.mark.parametrize("step", [1, 4, STEPS])
def test_the_interval_covers_nine_in_ten(results, step):
    """Within three binomial deviations; the series are independent, so at one horizon the hits
    are.
    """
    hits = [
        bool(one.lower[step - 1, 0] <= came[step - 1, 0] <= one.upper[step - 1, 0])
        for one, came in results
    ]
    assert abs(np.mean(hits) - 0.9) < 3 * np.sqrt(0.9 * 0.1 / len(hits))


def test_the_interval_has_the_known_width(results):
    """The errors of the best forecast have variance (1 - φ^2h)/(1 - φ²); 1.645 deviations hold 90 %
    of a normal distribution.
    """
    steps = np.arange(1, STEPS + 1)
    known = 1.645 * np.sqrt((1 - PHI ** (2 * steps)) / (1 - PHI**2))
    widths = np.mean([one.upper[:, 0] - one.values[:, 0] for one, _ in results], axis=0)
    assert (widths > 0.95 * known).all() and (widths < 1.4 * known).all()


def test_nothing_beats_the_optimum(results):
    """No forecast from the past has a smaller mean square error than φ^h x: the pooled ones stay
    above, but for chance.
    """
    best, ours = [], []
    for one, _ in results:
        values, origins = one.series.values[:, 0], one.record.origins
        ideal = values[origins - 1][:, None] * PHI ** np.arange(1, STEPS + 1)
        came = np.array([values[origin : origin + STEPS] for origin in origins])
        best.append(np.mean((ideal - came) ** 2))
        errors = one.record.errors("combination") * one.record.scaler.scale
        ours.append(np.mean(np.square(errors)))
    gain = np.array(ours) - np.array(best)
    assert gain.mean() > 2 * gain.std() / np.sqrt(len(gain))
    assert np.mean(ours) < 1.3 * np.mean(best)


def test_no_method_is_taught_a_row_that_it_forecasts():
    series, fitted = np.arange(200.0), []

    class Spy(Naive):
        def forecast(self, rows, origins, steps):
            assert origins.min() >= fitted[-1]
            return super().forecast(rows, origins, steps)

    def fit(rows):
        fitted.append(len(rows))
        return Spy()

    said = []
    test = backtest(series, 20, {"spy": fit}, said.append)
    assert (
        fitted == list(test.folds)
        and len(fitted) == SERIES_DEFAULTS.folds
        and fitted[0] == first_origin(200)
    )
    assert said == [
        f"backtest {number} of {SERIES_DEFAULTS.folds}"
        for number in range(1, SERIES_DEFAULTS.folds + 1)
    ]
    assert test.origins[-1] + 20 == 200
    in_units = test.errors("spy")[0, :, 0] * test.scaler.scale[0]
    assert np.allclose(in_units, -np.arange(1.0, 21.0), rtol=1e-12)


def test_the_future_does_not_change_the_past(monkeypatch):
    """Forecasts from early origins are the same to the last bit when the rows after their horizon
    are others; in the same units, which are those of the whole series.
    """
    monkeypatch.setattr(
        backtesting, "Scaler", SimpleNamespace(of=lambda rows: Scaler.identity(rows.shape[1]))
    )
    rng = np.random.default_rng(3)
    values = autoregressive(240, rng)
    other = values.copy()
    other[-40:] = 7.0 * rng.standard_normal((40, 1))
    methods = {"network": SMALL.fit, "linear": Autoregression().fit}
    one, two = (backtest(rows, 10, methods) for rows in (values, other))
    early = one.origins + 10 <= 200
    assert early.sum() > 20
    for name in methods:
        assert np.array_equal(one.forecasts[name][early], two.forecasts[name][early])
        assert not np.array_equal(one.forecasts[name], two.forecasts[name])


def test_a_linear_recurrence_is_continued_exactly():
    """A sine obeys s_{k+1} = 2 cos ω s_k - s_{k-1}: the linear method has no error, and wins or
    ties.
    """
    wave = np.sin(0.3 * np.arange(300))[:, None]
    run = Autoregression().fit(wave[:250]).forecast(wave, [250, 260], 40)
    assert np.abs(run.values[0, :, 0] - wave[250:290, 0]).max() < 1e-3
    assert np.array_equal(Naive().forecast(wave, [250], 3).values[0, :, 0], np.repeat(wave[249], 3))


def test_no_method_of_a_combination_is_taught_a_row_that_it_forecasts():
    fitted, asked = [], []

    class Spy(Naive):
        def forecast(self, rows, origins, steps):
            asked.append((fitted[-1], int(np.min(origins)), int(np.max(origins)) + steps))
            return super().forecast(rows, origins, steps)

    def fit(rows):
        fitted.append(len(rows))
        return Spy()

    found = combine(np.arange(120.0)[:, None], 10, {"spy": fit})
    assert all(taught <= first and last <= 120 for taught, first, last in asked)
    assert fitted == [*found.record.folds, 120] and len(asked) == len(found.record.folds)


def test_a_record_says_which_forecasts_diverged():
    """As a backtest does: where a network leaves the range of floats, the mean replaces it."""

    class Escaping(Naive):
        def forecast(self, rows, origins, steps):
            found = super().forecast(rows, origins, steps)
            return Forecasts(found.values, np.asarray(origins) > 90)

    rows = np.arange(120.0)[:, None]
    record = combine(rows, 10, {"naive": Naive.fit, "escaping": lambda rows: Escaping()}).record
    assert set(record.diverged) == set(record.forecasts)
    assert record.diverged["escaping"].tolist() == (record.origins > 90).tolist()
    assert not record.diverged["naive"].any() and not record.diverged["combination"].any()


def test_the_future_does_not_change_the_past_of_the_record():
    """All methods of the command line, to the last bit."""
    rng = np.random.default_rng(3)
    values = autoregressive(150, rng) + 2.0 * np.sin(2 * np.pi * np.arange(150) / 7)[:, None]
    other = values.copy()
    other[-20:] = 3.0 * rng.standard_normal((20, 1))
    model = SeriesForecaster(season=7, verbose=False).fit(values)
    methods = model._methods(values, 5)
    one, two = (combine(rows, 5, methods).record for rows in (values, other))
    early = one.origins + 5 <= 130
    assert early.sum() > 5 and len(methods) > 10
    for name in methods:
        assert np.array_equal(one.forecasts[name][early], two.forecasts[name][early])
    assert not np.array_equal(one.forecasts["mean"], two.forecasts["mean"])


def test_lorenz_is_forecast_by_the_network_and_said_so():
    stages = []
    result = forecast(named(sn.datasets.lorenz(600)), None, None, 0, stages.append)
    errors = result.relative_errors
    assert result.steps == 60  # of a series that is nearly predictable a tenth, up to 200
    assert result.best == "echo state network" and errors["combination"] < 0.05
    assert sentences(result)[0].startswith("The forecast is 100 % echo state network.")
    assert (result.lower <= result.values).all() and (result.values <= result.upper).all()
    assert stages == [f"record {number} of 4" for number in range(1, 5)] + ["fitting"]
    assert compared(result) == ["combination", "naive"]  # the network is all of the combination


def made_result(
    errors: dict[str, float], weights: dict[str, float], steps: int = 5
) -> ForecastResult:
    """A forecast of zeros by methods that were off by so much in the record."""
    truth = np.zeros((12, steps, 1))
    runs = {name: np.full_like(truth, error) for name, error in errors.items()}
    model = SeriesForecaster()
    model.record_ = Backtest(np.arange(60, 72), (60, 66), runs, truth, Scaler.identity(1))
    model.weights_, model.seasons_ = weights, (7,) if "seasonal naive" in errors else ()
    model._values, model.scale_ = np.arange(77.0)[:, None], np.ones(1)
    model._fitted = SimpleNamespace(methods={})  # no network, which would know the noise
    values = np.zeros((steps, 1))
    return ForecastResult(
        named(np.arange(77.0)[:, None]), model, values, values - 1.0, values + 2.0
    )


@pytest.mark.parametrize(
    ("ours", "naive", "mean", "mark", "says"),
    [
        (0.2, 0.4, 0.9, "✓ better than the naive method", None),
        (0.2, 0.201, 0.9, "◐ as good as the naive method", "The naive method alone had nearly the"),
        (0.4, 0.2, 0.9, "✗ worse than the naive method", "The naive method alone had a smaller"),
        (0.4, 0.0, 0.9, "✗ worse than the naive method", "The naive method alone had a smaller"),
        (0.0, 0.0, 0.9, "◐ as good as the naive method", "The naive method alone had nearly the"),
        (0.5, 0.9, 0.5, "✓ better than the naive method", "The mean of all rows alone had nearly"),
        (0.5, 0.9, 0.3, "✓ better than the naive method", "The mean of all rows alone had a small"),
    ],
)
def test_the_verdict_says_whether_a_simple_method_would_have_done(ours, naive, mean, mark, says):
    errors = {"theta": 0.5, "naive": naive, "mean": mean, "combination": ours}
    result = made_result(errors, {"theta": 1.0})
    colours = {"✓": "holds", "◐": "partly", "✗": "fails"}
    assert badge(result) == (colours[mark[0]], mark)
    first, *more = sentences(result)
    assert first.startswith("The forecast is 100 % theta. In 12 forecasts of rows")
    assert [one[: len(says or "")] for one in more] == ([says] if says else [])


def test_the_summary_lists_methods_from_best_to_worst_with_their_weights():
    errors = {
        "mean": 0.8,
        "seasonal naive": 0.4,
        "theta": 0.3,
        "networks on changes, of logarithms": 0.1,
        "combination": 0.2,
    }
    weights = {"networks on changes, of logarithms": 0.75, "theta": 0.25}
    result = made_result(errors, weights)
    assert result.naive == "seasonal naive" and result.best.startswith("networks")
    listed = [(name, round(error, 9), weight) for name, error, weight in record_rows(result)]
    assert listed == [
        ("networks on changes, of logarithms", 0.25, 0.75),
        ("combination", 0.5, None),
        ("theta", 0.75, 0.25),
        ("seasonal naive", 1.0, 0.0),
        ("mean", 2.0, 0.0),
    ]
    names = ["combination", "seasonal naive", "networks on changes, of logarithms"]
    assert compared(result) == names
    assert [short_title(result, name) for name in names] == [*names[:2], "best single method"]
    assert [name for name, _ in families(result)][:2] == ["networks", "combination"]
    assert errors_by_horizon(result)[0] == ("combination", pytest.approx([0.2] * 3))
    assert errors_by_column(result) == [("c0", pytest.approx([0.2, 0.4, 0.1]))]
    assert rows_ahead(result, 2) == [("78", ["0 (-1 to 2)"]), ("79", ["0 (-1 to 2)"])]
    said = summary(result)
    assert said["weights"]["mean"] == 0 and said["record"]["steps"] == 5
    assert list(said["record"]["error_by_column"]["c0"]) == names


@pytest.mark.parametrize(
    ("seasons", "words"),
    [((), "no season"), ((12,), "season of 12 rows"), ((7, 365), "seasons of 7 and 365 rows")],
)
def test_seasons_are_reported(seasons, words):
    result = SimpleNamespace(model=SimpleNamespace(seasons_=seasons))
    assert describe_seasons(result) == words


def test_even_dates_reach_the_forecaster_and_others_do_not():
    """Dates suggest seasons; a gap leaves only the values."""
    values = np.arange(12.0)[:, None]
    dates = pd.date_range("2020-01-01", periods=12, freq="MS")
    even = TimeSeries("made", ("a",), values, clock_of("date", pd.DatetimeIndex(dates.array), 2))
    assert observations(even).index.freqstr == "MS"
    gap = clock_of("date", dates.delete(3).append(pd.DatetimeIndex(["2021-01-01"])), 2)
    numbers = clock_of("t", pd.Index(values[:, 0]), 2)
    for clock in (gap, numbers, None):
        assert observations(TimeSeries("made", ("a",), values, clock)) is values


def test_long_tables_are_learned_from_their_end(monkeypatch):
    """The forecast is that of the last rows alone; rows are counted from the first one."""
    monkeypatch.setattr("spheresn.apps.forecasts.result.MOST_ROWS_TO_FIT", 80)
    values = autoregressive(120, np.random.default_rng(7))
    whole, end = forecast(named(values), 5, None), forecast(named(values[40:]), 5, None)
    assert np.array_equal(whole.values, end.values) and np.array_equal(whole.upper, end.upper)
    assert whole.times[0] == "121" and end.times[0] == "81" and end.skipped == 0
    assert whole.origins == [40 + origin for origin in end.origins]
    assert whole.series.notes == ("the forecast is learned from the last 80 of 120 rows",)
    figure(whole)


def test_a_straight_line_has_no_season_and_goes_on():
    """Its changes differ by rounding errors only, which must not pass for a season."""
    result = forecast(named(np.arange(40.0)[:, None] / 3.0))
    assert result.model.seasons_ == () and result.steps == 10
    assert np.allclose(result.values[:, 0], np.arange(40.0, 50.0) / 3.0, rtol=1e-6)


def test_intervals_end_where_numbers_end():
    rows = 1.7e308 * np.random.default_rng(0).random((40, 1))
    result = forecast(named(rows), 40)
    assert np.isfinite([result.lower, result.values, result.upper]).all()
    assert result.upper.max() == np.finfo(float).max


def test_constant_columns_have_no_model_and_stay_what_they_are():
    """Beside them the others are forecast as if these were not there."""
    rng = np.random.default_rng(0)
    walk = np.cumsum(rng.standard_normal(40))
    values = np.column_stack([np.full(40, 3.0), walk, np.zeros(40)])
    kept, constants = without_constant_columns(named(values))
    assert kept.names == ("c1",) and constants == (("c0", 3.0), ("c2", 0.0))
    result = forecast(named(values), 4)
    assert result.series.notes == ("constant, and forecast as such: c0, c2",)
    found = {name: parts for name, *parts in result.everything}
    assert list(found) == ["c0", "c1", "c2"]
    assert all((part == 3.0).all() for part in found["c0"]) and not np.any(found["c2"])
    alone = forecast(TimeSeries("made", ("c1",), values[:, 1:2], None), 4)
    assert np.array_equal(found["c1"][0], alone.values[:, 0])


@pytest.mark.parametrize("value", [0.0, 5.0])
def test_a_table_of_constant_columns_goes_on_as_it_is(value):
    result = forecast(named(np.full((30, 2), value)), 3)
    figure(result)
    assert all((part == value).all() for _, *parts in result.everything for part in parts)


def test_the_width_is_the_quantile_that_covers_one_more():
    """Of 19 independent errors the 18th largest: the next one is below it with probability
    18/20.
    """
    errors = np.random.default_rng(2).permutation(np.arange(1.0, 20.0))
    while effective_count(errors) < 19:
        errors = np.random.default_rng(int(errors[0])).permutation(errors)
    assert half_widths(errors[:, None])[0] == 18.0
    assert half_widths(-errors[:, None])[0] == 18.0


def test_repeated_errors_count_once():
    values = np.random.default_rng(0).standard_normal(400)
    assert effective_count(values) > 250
    assert effective_count(np.repeat(values[:40], 10)) < 80
    assert effective_count(np.ones(7)) == 7


def test_a_run_that_leaves_the_range_ends_in_the_mean_but_a_trend_goes_on():
    rng = np.random.default_rng(0)
    still, trend = rng.uniform(-1, 1, (400, 1)), np.arange(400.0)[:, None]
    run = np.array([[[0.5], [4.0], [0.5]]])
    ended = clip_divergent(run, still)
    assert ended.values[0, :, 0].tolist() == [
        0.5,
        still.mean(),
        still.mean(),
    ] and ended.diverged.tolist() == [True]
    onwards = np.arange(400.0, 450.0)[None, :, None]
    assert (
        np.array_equal(clip_divergent(onwards, trend).values, onwards)
        and not clip_divergent(onwards, trend).diverged.any()
    )
    low, high = bounds(still, 50)
    assert low[0] < still.min() and high[0] > still.max() and high[0] < 2


def test_a_run_that_ends_in_the_mean_by_itself_did_not_run_away():
    rows = np.tile([-1.0, 1.0], 50)[:, None]  # of mean exactly 0
    assert clip_divergent(np.array([[[0.5], [0.0]]]), rows).diverged.tolist() == [False]


@pytest.mark.parametrize("rows", [60, 61, 100, 999, 100_000])
def test_every_length_leaves_room_for_the_backtest(rows):
    steps = horizon(rows, None)
    origins = origins_of(rows, steps)
    assert (
        1 <= steps <= 200
        and len(origins) >= 10
        and origins[0] == first_origin(rows)
        and origins[-1] + steps == rows
    )
    with pytest.raises(ValueError, match="--steps must be at most"):
        horizon(rows, rows, ("FILE", "--steps"))


def test_the_forecast_does_not_depend_on_the_units_of_the_data():
    """s -> c s stretches the forecast and its interval alike, for huge and for tiny c; s -> s + d
    shifts them, as long as numbers of both signs remain (positive numbers also have logarithms).
    """
    values = autoregressive(120, np.random.default_rng(5))
    plain = forecast(named(values), 5, None)
    for factor, shift in ((2.0**600, 0.0), (2.0**-900, 0.0), (4.0, 1.0)):
        other = forecast(named(factor * values + shift), 5, None)
        for part in ("values", "lower", "upper"):
            assert np.allclose(
                (getattr(other, part) - shift) / factor, getattr(plain, part), rtol=1e-5, atol=1e-5
            )


def test_a_recipe_that_the_rows_do_not_allow_gets_another_memory():
    rows = np.sin(0.3 * np.arange(100.0))[:, None]
    learned = NetworkSettings(10, 0, memory=1e-3, bend=0.0).fit_forecaster(rows)
    assert learned.memory_ > 0.1 and np.abs(learned.forecast(5)).max() < 2.0


def test_a_fitted_network_forecasts_again_from_the_same_origins():
    """It observes the series on a copy, so that the first answer does not change the second."""
    rows = autoregressive(120, np.random.default_rng(2))
    model = SMALL.fit_forecaster(rows[:100])
    method = FittedNetwork(model, rows[:100])
    once, again = (method.forecast(rows, [100, 110, 120], 5) for _ in range(2))
    assert np.array_equal(once.values, again.values)
    assert np.array_equal(once.values[0], model.forecast(5))
    after = model.update(rows[100:]).forecast(5)
    assert np.allclose(once.values[2], after, atol=1e-12)


def test_the_settings_of_a_fitted_network_give_it_again():
    rows = sn.datasets.mackey_glass(300)
    chosen = sn.ESNForecaster(20, random_state=3, verbose=False).fit(rows)
    again = NetworkSettings.of(chosen).fit_forecaster(rows)
    assert again.get_params()["memory"] == chosen.memory_ and again.units == 20
    assert (again.bend_, again.bias_ratio_, again.noise_) == (
        chosen.bend_,
        chosen.bias_ratio_,
        chosen.noise_,
    )
    assert again.memory_ == pytest.approx(chosen.memory_, rel=2e-3)


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda: backtest(np.arange(59.0), 5, {}), "series must have at least 60 rows .* got 59"),
        (lambda: backtest(np.arange(90.0), 22, {}), "steps must be at most 21 .* got 22; ask for"),
        (lambda: backtest(np.arange(90.0), 0, {}), "steps must be a whole number of at least 1"),
        (lambda: backtest([np.nan] * 90, 5, {}), "series must be finite, got nan"),
        (lambda: half_widths(np.ones((5, 2)), 1.5), r"level must be in \(0, 1\], got 1.5"),
    ],
)
def test_bad_arguments_get_a_sentence(ask, sentence):
    with pytest.raises(sn.BadInput, match=sentence):
        ask()


@pytest.mark.parametrize("origins", [[99], [101, 100], [121], [100.5], [], 100])
def test_origins_rise_from_the_end_of_the_fit_to_the_end_of_the_series(origins):
    rows = autoregressive(120, np.random.default_rng(2))
    with pytest.raises(sn.BadInput, match="origins must be increasing row numbers from 100 to 120"):
        SMALL.fit(rows[:100]).forecast(rows, origins, 5)


def test_widths_of_columns_are_those_of_each_column_in_its_unit():
    """s -> c s widens the interval of that column c times."""
    rng = np.random.default_rng(6)
    values = np.hstack([autoregressive(150, rng), autoregressive(150, rng)])
    test = backtest(values * [1.0, 1024.0], 5, {"naive": Naive.fit})
    widths = test.half_widths("naive", 0.8)
    one = half_widths(test.errors("naive")[:, :, 1], 0.8)
    assert widths.shape == (5, 2) and np.array_equal(widths[:, 1], one * test.scaler.scale[1])
    alone = backtest(values[:, 1], 5, {"naive": Naive.fit}).half_widths("naive", 0.8)
    assert np.allclose(widths[:, 1], 1024.0 * alone[:, 0], rtol=1e-12)


def test_an_unstable_autoregression_stays_within_the_bounds_whatever_the_unit():
    """s_k = 2 s_{k-1} doubles until it reaches the bounds; numbers of 1e12 are no different."""
    rows = autoregressive(100, np.random.default_rng(4))
    weights = Weights(np.array([[2.0]]), np.zeros(1))
    for unit in (1.0, 2.0**40):
        scaler = Scaler(np.zeros(1), np.array([unit]))
        method = FittedAutoregression(
            Autoregression(), scaler, [1], [(None, weights)], None, unit * rows, 0.0
        )
        found = method.forecast(unit * rows, [100], 2000).values[0, :, 0]
        low, high = bounds(unit * rows, 2000)
        width = 0.1 * (high[0] - low[0])
        assert found[0] == 2.0 * unit * rows[-1, 0]
        assert low[0] - width <= found.min() and found.max() <= high[0] + width
