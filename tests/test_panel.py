"""One model for a panel: a linear program, invariances, panels without noise and random ones."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.optimize import linprog

from spheresn import BadInput
from spheresn._errors import ModelFileError
from spheresn.forecasting import Forecast, PanelForecaster
from spheresn.forecasting.panel.evaluation import PanelBacktest
from spheresn.forecasting.panel.frames import Names, read_panel
from spheresn.forecasting.panel.plan import Survey
from spheresn.forecasting.panel.pool import weighted_median
from spheresn.forecasting.panel.readouts import Features, StepSums, least_deviations
from spheresn.forecasting.panel.windows import (
    Block,
    Units,
    count_windows,
    last_windows,
    offsets_of,
    sampled_windows,
)
from spheresn.forecasting.panel.workers import LocalParts, pairwise_sum

MONTHS = pd.date_range("2015-01-01", periods=60, freq="MS")
WAVE = np.tile(np.sin(2 * np.pi * np.arange(12) / 12), 5)


def panel(values, times=MONTHS, names=None):
    """A long frame of series (n, T)."""
    names = [f"s{k:03}" for k in range(len(values))] if names is None else names
    parts = [
        pd.DataFrame({"unique_id": name, "ds": times[: len(one)], "y": one})
        for name, one in zip(names, values, strict=True)
    ]
    return pd.concat(parts, ignore_index=True)


def noisy(count=12, rows=60, seed=0, size=0.5):
    rng = np.random.default_rng(seed)
    scale = np.exp(rng.normal(size=count))[:, None]
    wave = np.tile(WAVE, 1 + rows // 60)[:rows]
    return scale * (20 + 3 * wave + np.cumsum(size * rng.normal(size=(count, rows)), axis=1))


def quiet(**options):
    return PanelForecaster(verbose=False, **options)


@pytest.fixture(scope="module")
def model():
    return quiet(horizon=6).fit(panel(noisy()))


def block_of(series):
    lengths = [len(one) for one in series]
    starts = np.concatenate([[0], np.cumsum(lengths)])
    count, values = len(series), np.concatenate(series)
    none = np.zeros((len(values), 0)), np.zeros((count, 0, 0)), np.zeros((count, 0))
    return Block.of(np.arange(count, dtype=np.uint64), values, starts, np.zeros(count, int), *none)


def test_least_deviations_are_those_of_a_linear_program():
    rng = np.random.default_rng(0)
    rows = np.hstack([np.ones((80, 1)), rng.normal(size=(80, 3))])
    target = rows @ [1.0, 2.0, -1.0, 0.5] + rng.standard_t(1.5, 80)
    features = Features(rows, np.zeros((1, 80, 0)))

    def summed(weights):
        return StepSums.weighted(features, target[:, None], weights)

    found = least_deviations(summed, 0.0, 200)[0]
    # min Σ u + v with X w + u - v = y, u >= 0, v >= 0
    cost = np.concatenate([np.zeros(8), np.ones(160)])
    matrix = np.hstack([rows, -rows, np.eye(80), -np.eye(80)])
    best = linprog(cost, A_eq=matrix, b_eq=target).fun
    ours = np.abs(target - rows @ found).sum()
    plain = np.abs(target - rows @ summed(None).solve(0.0)[0]).sum()
    assert best - 1e-9 <= ours < best * (1 + 1e-4) < plain


def test_sums_of_blocks_are_sums_of_the_whole():
    rng = np.random.default_rng(1)
    shared, beside = rng.normal(size=(40, 3)), rng.normal(size=(2, 40, 2))
    target, weights = rng.normal(size=(40, 2)), rng.normal(size=(2, 5))
    target[3, 1] = np.nan

    def sums(rows):
        return StepSums.weighted(Features(shared[rows], beside[:, rows]), target[rows], weights)

    every = sums(slice(None))
    parts = [sums(slice(first, first + 7)) for first in range(0, 40, 7)]
    merged = pairwise_sum((lambda part=part: part) for part in parts)
    np.testing.assert_allclose(merged.square, every.square, rtol=1e-13)
    np.testing.assert_allclose(merged.cross, every.cross, rtol=1e-12, atol=1e-12)


def test_a_readout_without_errors_is_found_and_a_penalty_shrinks_all_but_the_constant():
    rows = np.hstack([np.ones((30, 1)), np.random.default_rng(0).normal(size=(30, 2))])
    target = rows @ [[5.0], [1.0], [-2.0]]
    sums = StepSums.of(Features(rows, np.zeros((1, 30, 0))), target, np.ones_like(target))
    np.testing.assert_allclose(sums.solve(0.0), [[5.0, 1.0, -2.0]], atol=1e-10)
    shrunk = sums.solve(1e9)[0]
    np.testing.assert_allclose(shrunk, [target.mean(), 0.0, 0.0], atol=1e-6)


def test_weighted_median_is_the_best_constant():
    rng = np.random.default_rng(2)
    values, weights = rng.normal(size=(7, 5, 3)), rng.uniform(size=(7, 5))
    found = weighted_median(values, weights)
    costs = np.abs(values[:, None] - values[None]) * weights[:, None, :, None]
    best = costs.sum(axis=0).min(axis=0)
    ours = (np.abs(values - found) * weights[:, :, None]).sum(axis=0)
    np.testing.assert_allclose(ours, best)


def test_windows_end_before_the_origin_and_short_series_begin_with_their_season():
    rows = block_of([np.arange(10.0), np.array([7.0, 8.0, 9.0])])
    found = last_windows(rows, 5, 2, 2, back=2)
    assert found.past.tolist() == [[3, 4, 5, 6, 7], [7, 7, 7, 7, 7]]
    assert found.target.tolist() == [[8, 9], [8, 9]]
    every = sampled_windows(rows, 4, 3, 1, 1.0, 2)
    assert len(every.past) == count_windows(rows, 3, 2) == 6
    assert np.isfinite(every.target).all()


def test_shortened_rows_are_known_ahead():
    rows = block_of([np.arange(6.0), np.arange(4.0)])
    part = rows.shortened(2)
    assert part.values.tolist() == [0, 1, 2, 3, 0, 1] and part.starts.tolist() == [0, 4, 6]
    assert part.ahead.shape == (2, 2, 0)
    assert rows.shortened(0).values.tolist() == rows.values.tolist()


def test_the_same_windows_are_drawn_wherever_a_series_stands():
    rng = np.random.default_rng(0)
    series = [rng.normal(size=50) for _ in range(6)]
    rows = block_of(series)
    whole = sampled_windows(rows, 4, 2, 1, 0.3, 4)
    parts = [sampled_windows(rows.part(k, k + 2), 4, 2, 1, 0.3, 4).past for k in (0, 2, 4)]
    np.testing.assert_array_equal(np.concatenate(parts), whole.past)
    assert 0.15 < len(whole.past) / count_windows(rows, 2, 4) < 0.45


def test_units_are_those_of_the_window():
    past = np.array([[1.0, 2.0, 3.0, 6.0]])
    units = Units.of(past, 2, False, np.zeros(1))
    np.testing.assert_allclose(units.backward(units.forward(past)), past)
    larger = Units.of(1000 * past, 2, False, np.zeros(1))
    np.testing.assert_allclose(larger.forward(1000 * past), units.forward(past))
    logs = Units.of(np.log(past), 2, True, np.zeros(1)).forward(np.log(past))
    more = Units.of(np.log(50 * past), 2, True, np.zeros(1)).forward(np.log(50 * past))
    np.testing.assert_allclose(more, logs)
    flat = Units.of(np.zeros((1, 4)), 2, False, np.array([3.0]))
    assert flat.scale == 3.0 and (flat.forward(np.zeros((1, 4))) == 0).all()


def test_offsets_scale_with_the_series():
    values = np.array([0.0, 3.0, 5.0, 2.0, 0.0, 0.0])
    starts = np.array([0, 3, 4, 6])
    found = offsets_of(values, starts)
    np.testing.assert_allclose(found, [3.0, 0.0, 1.0])
    many = np.concatenate([[0.0], np.arange(1.0, 22.0)])
    assert offsets_of(many, np.array([0, 22])).tolist() == [3.0]
    np.testing.assert_allclose(offsets_of(7 * values, starts)[:2], 7 * found[:2])


def test_a_survey_of_parts_is_that_of_the_whole():
    series = [np.arange(5.0), np.ones(3), np.array([0.5, -1.0, 2.0])]
    rows = block_of(series)
    parts = LocalParts([rows.part(0, 1), rows.part(1, 3)])
    found = parts.total(Survey.of)
    assert found == Survey.of(rows)
    assert (found.count, found.usual, found.least, found.whole) == (3, 3, -1.0, False)
    assert found.windows(2, 1) == 3 + 1 + 1


def test_a_panel_without_noise_is_forecast_exactly():
    slopes, heights = np.linspace(-0.2, 0.5, 15), np.linspace(1.0, 4.0, 15)
    rows = np.arange(72)
    wave = np.sin(2 * np.pi * rows / 12)
    whole = 30 + slopes[:, None] * rows + heights[:, None] * wave
    model = quiet(season=12, horizon=12).fit(panel(whole[:, :60]))
    found = model.forecast(12).to_frame()
    errors = found["mean"].to_numpy().reshape(15, 12) - whole[:, 60:]
    assert np.abs(errors).max() < 1e-3  # of waves of 1 to 4
    width = (found["upper"] - found["lower"]).to_numpy()
    assert (width >= 0).all() and width.max() < 0.3


def test_constant_series_go_on_as_they_are():
    found = quiet(season=None, horizon=3).fit(panel([np.full(30, 5.0), np.full(30, 0.0)] * 2))
    assert found.forecast(3).mean.to_numpy().tolist() == pytest.approx([5, 5, 5, 0, 0, 0] * 2)


def test_another_unit_changes_nothing_else():
    """y -> c y gives c times the forecast and its interval, with zeros and without."""
    rows = noisy()
    for values in (rows, np.maximum(rows - rows.mean(axis=1, keepdims=True), 0)):
        one = quiet(horizon=6).fit(panel(values)).forecast(6).to_frame()
        two = quiet(horizon=6).fit(panel(1000 * values)).forecast(6).to_frame()
        for name in ("mean", "lower", "upper"):
            np.testing.assert_allclose(two[name], 1000 * one[name], rtol=1e-6, atol=1e-6)


def test_the_order_of_rows_and_series_changes_nothing(model):
    frame = panel(noisy()).sample(frac=1.0, random_state=1)
    again = quiet(horizon=6).fit(frame)
    pd.testing.assert_frame_equal(again.forecast(6).to_frame(), model.forecast(6).to_frame())


def test_blocks_change_nothing(model, monkeypatch):
    from spheresn.forecasting.panel import forecaster

    def threes(rows):
        return [rows.taken(np.arange(first, first + 3)) for first in range(0, 12, 3)]

    monkeypatch.setattr(forecaster, "blocks_of", threes)
    again = quiet(horizon=6).fit(panel(noisy()))
    one, two = (each.forecast(6).to_frame() for each in (model, again))
    for name in ("mean", "lower", "upper"):
        np.testing.assert_allclose(two[name], one[name], rtol=1e-8)


def test_intervals_cover_what_they_say_on_exchangeable_rows():
    rng = np.random.default_rng(3)
    rows = 10 + rng.normal(size=(150, 84))
    found = quiet(season=None, horizon=6).fit(panel(rows[:, :60]))
    for level in (0.5, 0.9):
        frame = found.forecast(6, level=level).to_frame()
        lower, upper = (frame[name].to_numpy().reshape(150, 6) for name in ("lower", "upper"))
        inside = (lower <= rows[:, 60:66]) & (rows[:, 60:66] <= upper)
        assert abs(inside.mean() - level) < 0.04  # 900 values, some of them together
    paths = found.forecast(6).sample_paths(200, random_state=0)
    low = np.quantile(paths, 0.25, axis=0)
    wanted = found.forecast(6).quantile(0.25).to_numpy()[:, None]
    assert np.abs(low - wanted).mean() < 0.15  # deviations


def test_quantiles_increase_and_counts_are_whole_numbers():
    rng = np.random.default_rng(4)
    rows = rng.poisson(0.7, size=(40, 60)).astype(float)
    found = quiet(season=None, horizon=4).fit(panel(rows)).forecast(4)
    shares = [0.05, 0.25, 0.5, 0.75, 0.95]
    values = found.quantile(shares)
    assert list(values.columns) == shares and len(values) == 160
    table = values.to_numpy()
    assert (np.diff(table, axis=1) >= 0).all() and (table == np.floor(table)).all()
    assert (table >= 0).all() and (found.mean >= 0).all()


def test_what_is_known_ahead_is_used():
    rng = np.random.default_rng(5)
    rows, count = 66, 10
    price = rng.normal(size=(count, rows))
    kind = rng.integers(0, 3, size=(count, rows))
    level = np.linspace(5, 50, count)[:, None]
    whole = level * (10 + price + np.array([0.0, 2.0, -1.0])[kind])
    times = pd.date_range("2015-01-01", periods=rows, freq="MS")
    frame = panel(whole, times)
    frame["price"], frame["kind"] = price.ravel(), np.array(["a", "b", "c"])[kind.ravel()]
    place = frame.groupby("unique_id").cumcount()
    past, ahead = frame[place < 60], frame[place >= 60].drop(columns="y")
    model = quiet(season=None, horizon=6).fit(past, exogenous=["price", "kind"])
    found = model.forecast(6, exogenous=ahead).to_frame()["mean"].to_numpy().reshape(count, 6)
    errors = np.abs(found / level - (whole / level)[:, 60:])
    assert errors.mean() < 0.3  # of deviations of 1.6
    shorter = model.forecast(2, exogenous=ahead).to_frame()["mean"].to_numpy().reshape(count, 2)
    np.testing.assert_allclose(shorter, found[:, :2])
    one = ahead[ahead["unique_id"] == "s000"].drop(columns="unique_id")
    for_all = model.forecast(6, exogenous=one)
    assert np.isfinite(for_all.mean.to_numpy()).all()
    with pytest.raises(BadInput, match="exogenous must have the columns"):
        model.forecast(6)
    with pytest.raises(BadInput, match="exogenous must have a row for"):
        model.forecast(6, exogenous=ahead[ahead["unique_id"] != "s003"])


def test_static_columns_tell_series_apart():
    """Two regions whose futures differ though their windows do not."""
    times = pd.date_range("2015-01-01", periods=60, freq="D")
    base = np.random.default_rng(0).normal(size=(20, 60)).cumsum(axis=1)
    frame = panel(base, times)
    frame["region"] = np.where(frame["unique_id"] < "s010", "north", "south")
    with_regions = quiet(season=None, horizon=5).fit(frame, static="region")
    assert with_regions._rows.block.static.shape == (20, 2)
    wrong = frame.copy()
    wrong.loc[3, "region"] = "south"
    with pytest.raises(BadInput, match="must be the same in all rows"):
        quiet(horizon=5).fit(wrong, static=["region"])


def test_all_forms_of_a_panel_are_the_same_panel(model):
    frame = panel(noisy())
    wide = frame.pivot(index="ds", columns="unique_id", values="y")
    series = {name: wide[name] for name in wide}
    named = frame.rename(columns={"unique_id": "shop", "ds": "month", "y": "sales"})
    expected = model.forecast(6).to_frame()
    for given, options in (
        (wide, {}),
        (series, {}),
        (named, {"id": "shop", "time": "month", "target": "sales"}),
        (pl.from_pandas(frame), {}),
    ):
        found = quiet(horizon=6).fit(given, **options).forecast(6).to_frame()
        assert found.shape == expected.shape
        np.testing.assert_array_equal(found["mean"].to_numpy(), expected["mean"].to_numpy())
    assert isinstance(found, pl.DataFrame) and found.columns == list(expected.columns)
    assert found["ds"][0] == expected["ds"][0]
    assert isinstance(model.forecast(6), Forecast)


def test_each_series_goes_on_after_its_own_end():
    values = noisy(10)
    frame = panel([one[: 60 - 3 * k] for k, one in enumerate(values)])
    found = quiet(horizon=4).fit(frame).forecast(4).to_frame()
    ends = frame.groupby("unique_id")["ds"].max()
    first = found.groupby("unique_id")["ds"].min()
    assert (first == ends + pd.offsets.MonthBegin()).all()
    assert (found.groupby("unique_id").size() == 4).all()


def test_whole_numbers_and_periods_are_times_too():
    rows = noisy(8, 40)
    years = quiet(season=None, horizon=3).fit(panel(rows, np.arange(1980, 2020)))
    assert years.forecast(3).to_frame()["ds"].tolist() == [2020, 2021, 2022] * 8
    quarters = pd.period_range("2000Q1", periods=40, freq="Q")
    found = quiet(horizon=3).fit(panel(rows, quarters)).forecast(3).to_frame()
    assert found["ds"][0] == pd.Period("2010Q1", freq="Q")


def test_gaps_are_interpolated_and_noted():
    rows = np.outer(np.arange(1, 9), np.arange(60.0)) + 5
    frame = panel(rows)
    gaps = frame.drop(index=[7, 8, 100, 130])
    model = quiet(season=None, horizon=5).fit(gaps)
    assert model.notes_ == ("interpolated linearly: 4 rows that were missing in 3 series",)
    whole = quiet(season=None, horizon=5).fit(frame)
    np.testing.assert_allclose(model.forecast(5).mean, whole.forecast(5).mean, rtol=1e-9)
    frame.loc[[7, 8, 100, 130], "y"] = np.nan  # what is missing may also stand there as NaN
    again = quiet(season=None, horizon=5).fit(frame)
    np.testing.assert_array_equal(again.forecast(5).mean, model.forecast(5).mean)


def test_updates_in_parts_are_one_update(model):
    values = noisy(13, 66, seed=0)[:12]
    times = pd.date_range("2015-01-01", periods=66, freq="MS")
    frame = panel(noisy(), MONTHS)
    more = panel(values[:, 60:], times[60:])
    once = quiet(horizon=6).fit(frame).update(more)
    twice = quiet(horizon=6).fit(frame).update(more[more["ds"] < "2020-04-01"])
    twice.update(more[more["ds"] >= "2020-04-01"])
    pd.testing.assert_frame_equal(once.forecast(6).to_frame(), twice.forecast(6).to_frame())
    assert once.forecast(6).to_frame()["ds"].min() == pd.Timestamp("2020-07-01")
    with pytest.raises(BadInput, match="must go on with the next time"):
        model.update(more[more["ds"] >= "2020-04-01"])
    assert model.forecast(6).to_frame()["ds"].min() == pd.Timestamp("2020-01-01")


def test_new_series_are_forecast_by_what_the_panel_taught(model):
    """A copy of a series by another name is forecast by the same readouts; new ones in an update
    are the same as new ones in a forecast.
    """
    fresh = panel(noisy(2, seed=9), names=["new a", "new b"])
    found = model.forecast(6, frame=fresh).to_frame()
    assert list(found["unique_id"].unique()) == ["new a", "new b"]
    added = quiet(horizon=6).fit(panel(noisy())).update(fresh).forecast(6).to_frame()
    added = added[added["unique_id"].str.startswith("new")].reset_index(drop=True)
    np.testing.assert_allclose(found["mean"], added["mean"])
    early = fresh.assign(ds=fresh["ds"] - pd.DateOffset(years=2))
    assert model.forecast(6, frame=early).to_frame()["ds"].min() == pd.Timestamp("2018-01-01")
    with pytest.raises(BadInput, match="must have the times of the fit"):
        model.forecast(6, frame=fresh.assign(ds=fresh["ds"] + pd.Timedelta(days=3)))


def test_saved_forecasters_are_the_same_to_the_last_bit(model, tmp_path):
    path = tmp_path / "panel.spheresn"
    model.save(path)
    again = PanelForecaster.load(path)
    pd.testing.assert_frame_equal(again.forecast(6).to_frame(), model.forecast(6).to_frame())
    assert again.describe() == model.describe() and again.get_params() == model.get_params()
    fresh = panel(noisy(2, seed=9), names=["new a", "new b"])
    pd.testing.assert_frame_equal(
        again.forecast(3, frame=fresh).to_frame(), model.forecast(3, frame=fresh).to_frame()
    )
    for content in (b"", b"nonsense", path.read_bytes()[:-9]):
        (tmp_path / "bad").write_bytes(content)
        with pytest.raises(ModelFileError, match="must be a whole file"):
            PanelForecaster.load(tmp_path / "bad")
    with pytest.raises(ModelFileError, match="does not exist"):
        PanelForecaster.load(tmp_path / "none")


def test_a_saved_panel_keeps_its_years_and_encodings(tmp_path):
    frame = panel(noisy(8, 40), np.arange(1980, 2020))
    frame["promotion"] = np.where(frame.index % 3 == 0, "yes", "no")
    model = quiet(season=None, horizon=3).fit(frame, exogenous="promotion")
    model.save(tmp_path / "one")
    ahead = pd.DataFrame({"ds": [2020, 2021, 2022], "promotion": ["yes", "no", "maybe"]})
    one, two = (
        each.forecast(3, exogenous=ahead).to_frame()
        for each in (model, PanelForecaster.load(tmp_path / "one"))
    )
    pd.testing.assert_frame_equal(one, two)


def test_more_steps_than_the_horizon_are_learned_for(model):
    longer = model.forecast(9).to_frame()
    same = quiet(horizon=9).fit(panel(noisy())).forecast(9).to_frame()
    pd.testing.assert_frame_equal(longer, same)
    assert model.horizon_ == 6
    shorter, all_steps = (
        model.forecast(k).to_frame().set_index(["unique_id", "ds"]) for k in (2, 6)
    )
    pd.testing.assert_frame_equal(shorter, all_steps.loc[shorter.index])


def test_backtest_knows_nothing_of_the_rows_it_is_judged_by(model):
    found = model.backtest()
    values = noisy()
    before = quiet(season=12, horizon=6).fit(panel(values[:, :54]))
    assert before.season_ == 12 or model.season_ != 12
    if model.season_ == 12:
        np.testing.assert_allclose(found.mean.ravel(), before.forecast(6).mean)
    np.testing.assert_array_equal(found.truth, values[:, 54:])
    frame = found.to_frame()
    assert len(frame) == 72 and (frame["truth"].to_numpy() == values[:, 54:].ravel()).all()
    table = found.summary()
    np.testing.assert_allclose(table["ratio"], table["mean |e|"] / table["seasonal naive"])
    assert 0.0 < found.coverage <= 1.0 and "WAPE" in repr(found)


def test_measures_of_a_backtest():
    truth = np.array([[2.0, 2.0], [4.0, 0.0]])
    forecast = np.array([[1.0, 3.0], [4.0, 2.0]])
    naive = np.array([[4.0, 0.0], [4.0, 4.0]])
    ends = np.array([[0.0, 2.0], [4.0, 1.0]]), np.array([[2.0, 4.0], [5.0, 2.0]])
    roots = np.array([1.0, 2.0])
    found = PanelBacktest(np.array(["a", "b"]), None, truth, forecast, *ends, naive, roots)
    assert found.wape == pytest.approx(4 / 8) and found.coverage == pytest.approx(3 / 4)
    assert found.relative_error == pytest.approx(np.sqrt(1 / 2 * 1 / 2))
    assert found.rmsse == pytest.approx((1 / 1 + np.sqrt(2) / 2) / 2)


def test_a_forecast_shows_and_draws_itself(model):
    from matplotlib import pyplot

    found = model.forecast(6)
    assert "12 series, 6 steps each" in repr(found) and "unique_id" in repr(found)
    assert "<table" in found._repr_html_()
    axes = found.plot(["s003", "s001"])
    titles = [one.get_title() for one in np.ravel(axes)]
    assert titles == ["s003", "s001"]
    pyplot.close("all")
    with pytest.raises(BadInput, match="ids must be names of series"):
        found.plot("nobody")
    assert "12 series of 60 to 60 rows" in model.describe()
    assert sum(model.weights_.values()) == pytest.approx(1.0)
    wide = model.forecast(3, level=[0.5, 0.9]).to_frame()
    assert list(wide.columns)[2:] == ["mean", "lower 50", "upper 50", "lower 90", "upper 90"]


GOOD = panel(noisy(4, 40))


@pytest.mark.parametrize(
    ("frame", "options", "words"),
    [
        (GOOD.rename(columns={"unique_id": "shop"}), {}, "must have the column 'unique_id'"),
        (GOOD, {"time": "when"}, "time must be"),
        (GOOD, {"exogenous": "price"}, "exogenous must be"),
        (pd.concat([GOOD, GOOD.iloc[:1]]), {}, "one row for each series and time"),
        (GOOD.assign(ds=GOOD["ds"].astype(str)), {}, "must hold dates or numbers"),
        (GOOD.assign(y="many"), {}, "must hold numbers"),
        (GOOD.assign(y=np.inf), {}, "must be finite"),
        (GOOD.assign(y=np.nan), {}, "must have numbers in 'y'"),
        (GOOD.assign(unique_id=None), {}, "must be known in every row"),
        (GOOD.groupby("unique_id").head(3), {}, "at least 4 rows"),
        ([1.0, 2.0], {}, "must be a data frame"),
        ({}, {}, "must have a series"),
        (GOOD.groupby("unique_id").head(40).iloc[[0, 1, 5, 39, 40, 79]], {}, "must"),
    ],
)
def test_bad_panels_get_a_sentence(frame, options, words):
    with pytest.raises(BadInput, match=words):
        quiet().fit(frame, **options)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"horizon": 0}, "horizon"),
        ({"horizon": 20}, "horizon must be at most 13"),
        ({"season": 30}, "season must be at most 20"),
        ({"random_state": -1}, "random_state"),
    ],
)
def test_bad_settings_get_a_sentence(options, words):
    with pytest.raises(BadInput, match=words):
        quiet(**options).fit(GOOD)


def test_an_error_leaves_the_forecaster_as_it_was(model):
    before = model.forecast(2).to_frame()
    with pytest.raises(BadInput):
        model.fit(GOOD.assign(y=np.inf))
    pd.testing.assert_frame_equal(model.forecast(2).to_frame(), before)
    with pytest.raises(BadInput, match="steps"):
        model.forecast(40)
    with pytest.raises(BadInput, match="level"):
        model.forecast(2, level=1.5)
    with pytest.raises(BadInput, match="exogenous must be left out"):
        model.forecast(2, exogenous=GOOD)


def test_two_series_and_few_rows_are_a_panel():
    found = quiet().fit(panel(noisy(2, 12))).forecast().to_frame()
    assert np.isfinite(found[["mean", "lower", "upper"]].to_numpy()).all()
    assert (found["lower"] <= found["upper"]).all()
    alone = quiet().fit(panel(noisy(1, 30))).forecast(3)
    assert np.isfinite(alone.mean.to_numpy()).all()


def test_rows_are_read_once_in_the_order_of_names_and_times():
    frame = panel([np.arange(4.0), 10 + np.arange(4.0)], names=["b", "a"])
    rows, _ = read_panel(frame, Names("unique_id", "ds", "y"))
    assert rows.labels.tolist() == ["a", "b"]
    assert rows.block.values.tolist() == [10, 11, 12, 13, 0, 1, 2, 3]


def test_a_series_of_zeros_stays_at_zero():
    rows = np.vstack([noisy(6), np.zeros((2, 60))])
    found = quiet(horizon=3).fit(panel(rows)).forecast(3).mean.to_numpy()[-6:]
    assert np.abs(found).max() < 1e-3


def in_files(frame, folder, parts=3):
    """A folder of Parquet files with whole series."""
    folder.mkdir()
    ids = sorted(frame["unique_id"].unique())
    for place, some in enumerate(np.array_split(ids, parts)):
        frame[frame["unique_id"].isin(some)].to_parquet(folder / f"part-{place}.parquet")
    return folder


def frames_in(files):
    found = pd.concat([pd.read_parquet(file) for file in files])
    return found.sort_values(["unique_id", "ds"]).reset_index(drop=True)


def test_a_folder_of_files_is_the_same_panel(model, tmp_path):
    frame = panel(noisy())
    folder = in_files(frame, tmp_path / "shops")
    files = quiet(horizon=6).fit(folder)
    found = frames_in(files.forecast_files(tmp_path / "out", 6))
    expected = model.forecast(6).to_frame()
    assert (found["unique_id"] == expected["unique_id"]).all()
    assert (found["ds"] == expected["ds"]).all()
    for name in ("mean", "lower", "upper"):
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-8)
    again = frames_in(model.forecast_files(tmp_path / "again"))
    pd.testing.assert_frame_equal(again, expected, check_dtype=False)
    new = frames_in(model.forecast_files(tmp_path / "new", frame=folder))
    same = model.forecast(6, frame=frame).to_frame()
    np.testing.assert_allclose(new["mean"], same["mean"], rtol=1e-9)
    files.save(tmp_path / "model")
    loaded = PanelForecaster.load(tmp_path / "model")
    np.testing.assert_allclose(
        loaded.forecast(6, frame=frame).mean, files.forecast(6, frame=frame).mean
    )
    assert "12 series of 60 to 60 rows" in loaded.describe()


def test_files_need_whole_series_and_what_they_cannot_do_gets_a_sentence(tmp_path):
    frame = panel(noisy(6))
    folder = in_files(frame, tmp_path / "shops")
    model = quiet(season=None, horizon=3).fit(folder)
    for act, words in (
        (lambda: model.forecast(3), "forecast_files"),
        (lambda: model.update(frame), "must have the rows"),
        (lambda: model.backtest(), "must have the rows"),
        (lambda: model.forecast_files(tmp_path / "out", 9), "at most 3 steps"),
        (lambda: quiet().fit(tmp_path / "nothing"), "must be a folder"),
        (lambda: quiet().fit(folder, target="sales"), "must have files with the columns"),
        (lambda: quiet().fit(frame, client="here"), "client must be"),
    ):
        with pytest.raises(BadInput, match=words):
            act()
    frame.iloc[:20].to_parquet(folder / "part-9.parquet")
    with pytest.raises(BadInput, match="all rows of a series in one file"):
        quiet().fit(folder)


def test_columns_of_files_are_encoded_as_those_of_a_frame(tmp_path):
    frame = panel(noisy(9, 40), np.arange(1980, 2020))
    frame["price"] = np.random.default_rng(0).normal(3.0, 2.0, len(frame))
    frame["kind"] = np.where(frame["unique_id"] < "s003", "a", "b")
    options = {"exogenous": ["price"], "static": ["kind"]}
    one = quiet(season=None, horizon=3).fit(frame, **options)
    two = quiet(season=None, horizon=3).fit(in_files(frame, tmp_path / "rows"), **options)
    for ours, theirs in zip(one._codes, two._codes, strict=True):
        assert ours.columns == theirs.columns
        np.testing.assert_allclose(ours.mean, theirs.mean, atol=1e-12)
        np.testing.assert_allclose(ours.scale, theirs.scale)
    for ours, theirs in zip(one._pool.readouts.weights, two._pool.readouts.weights, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-8)
