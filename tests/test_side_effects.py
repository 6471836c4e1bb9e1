"""Secondary outputs and side effects: what a call leaves behind, and numbers beside the result."""

import io
import os
import stat

import numpy as np
import pytest

import spheresn as sn
from spheresn import _running
from spheresn.analysis import echo_state
from spheresn.forecasting import NetworkSettings, SeriesForecaster
from spheresn.io.files import whole_file


@pytest.mark.parametrize("mask", [0o022, 0o027, 0o077])
def test_saving_leaves_the_umask_as_it_was_and_obeys_it(tmp_path, mask):
    before = os.umask(mask)
    try:
        with whole_file(tmp_path / "a.txt") as draft:
            draft.write_text("whole")
        after = os.umask(mask)
    finally:
        os.umask(before)
    assert after == mask
    assert stat.S_IMODE((tmp_path / "a.txt").stat().st_mode) == 0o666 & ~mask


@pytest.mark.parametrize("leak", [1.0, 0.4])
def test_the_contraction_of_tanh_is_attained_by_small_states(leak):
    """|W| = .9: tanh is the identity up to cubes, so that distances shrink by the very factor."""
    turn = np.array([[0.0, -0.9], [0.9, 0.0]]) if leak == 1.0 else 0.9 * np.eye(2)
    network = sn.Reservoir(turn, np.zeros(2), sn.Tanh(), leak=leak)
    found = echo_state(network, np.zeros(40), tolerance=0.4)
    states = sn.drive(network, np.zeros(40), [1e-7, 0.0])
    shrunk = np.linalg.norm(states, axis=1) / 1e-7
    assert np.allclose(np.exp(found.contraction), shrunk, rtol=1e-10)
    assert np.isclose(found.rate, np.log(1 - leak + 0.9 * leak), rtol=1e-12)
    assert found.washout == 1 + np.argmax(shrunk <= 0.4)


def test_the_contraction_of_the_sphere_is_attained_at_the_shortest_pre_activation():
    """W = ρI: near x = -û the step stretches by r ρ/(|u| - r ρ), which is q, to first order."""
    network = sn.Reservoir(0.5 * np.eye(3), [2.0, 0.0, 0.0])
    found = echo_state(network, np.ones(1))
    start = np.array([-1.0, 0.0, 0.0])
    near = sn.sphere.project(start + np.array([0.0, 1e-6, 0.0]))
    apart = np.linalg.norm(network.step(near, np.ones(1)) - network.step(start, np.ones(1)))
    factor = apart / np.linalg.norm(near - start)
    assert np.isclose(factor, 0.5 / 1.5, rtol=1e-6)
    assert np.isclose(np.exp(found.rate), factor, rtol=1e-6)
    assert np.allclose(found.contraction, [found.rate])


def months(rows=96, rng=None):
    season = 3.0 * np.sin(2 * np.pi * np.arange(rows) / 12)
    return 20.0 + season + (np.random.default_rng(0) if rng is None else rng).normal(0, 0.3, rows)


def test_fewer_steps_are_the_first_of_more_and_leave_the_model_as_it_was():
    """Also with exogenous columns, of which fewer rows are known."""
    rng = np.random.default_rng(1)
    known = rng.standard_normal((120, 1))
    rows = months() + 2.0 * known[:96, 0]
    model = SeriesForecaster(horizon=12, season=12).fit(rows, exogenous=known[:96])
    weights = dict(model.weights_)
    whole = model.forecast(12, exogenous=known[96:108])
    for steps in (1, 5, 12):
        part = model.forecast(steps, exogenous=known[96 : 96 + steps])
        assert np.array_equal(np.asarray(part.mean), np.asarray(whole.mean)[:steps])
    model.forecast(24, exogenous=known[96:120])
    assert model.horizon_ == 12
    assert model.weights_ == weights
    assert np.array_equal(
        np.asarray(model.forecast(12, exogenous=known[96:108]).mean), np.asarray(whole.mean)
    )


@pytest.mark.parametrize(
    ("rows", "season", "horizon"),
    [(200, 12, 24), (60, 12, 15), (96, None, 24), (40, None, 10), (12, None, 3)],
)
def test_the_horizon_that_is_left_open_is_two_seasons_or_a_day_but_at_most_a_quarter(
    rows, season, horizon
):
    model = SeriesForecaster(season=season).fit(months(rows))
    assert model.horizon_ == horizon
    assert len(np.asarray(model.forecast().mean)) == horizon


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_only_the_fit_that_the_user_asked_for_shows_how_far_it_is(monkeypatch):
    """A forecaster that is fitted within another method is silent on a terminal."""
    monkeypatch.setattr(_running, "QUIET_SECONDS", -1.0)
    monkeypatch.setattr("sys.stderr", terminal := Terminal())
    rows = sn.datasets.mackey_glass(300)
    model = sn.ESNForecaster(units=20, memory=2, bend=0.5, random_state=0).fit(rows)
    assert "spheresn: " in terminal.getvalue()
    terminal.truncate(0)
    NetworkSettings.of(model).fit(rows)
    sn.ESNForecaster(units=20, memory=2, bend=0.5, random_state=0, verbose=False).fit(rows)
    assert "spheresn" not in terminal.getvalue()


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ({"a": 1.0}, "100 % a. In"),
        ({"a": 0.6, "b": 0.4}, "60 % a and 40 % b. In"),
        ({"a": 0.5, "b": 0.3, "c": 0.2}, "50 % a, 30 % b and 20 % c. In"),
        ({"a": 0.5, "b": 0.4, "c": 0.096, "d": 0.004}, "50 % a, 40 % b and 10 % c. In"),
    ],
)
def test_a_forecast_says_what_it_is_made_of_as_people_list_things(monkeypatch, weights, words):
    from spheresn.forecasting import series

    model = SeriesForecaster(horizon=3, season=None).fit(months(40))
    monkeypatch.setattr(series, "shares", lambda given: weights)
    assert model.describe().startswith(f"The forecast is {words} {len(model.record_.origins)} ")


def test_a_season_may_be_half_of_the_rows_and_no_more():
    rows = months(40)
    assert SeriesForecaster(horizon=3, season=20).fit(rows).forecast().mean.shape[0] == 3
    with pytest.raises(sn.BadInput, match="season must be at most 20, half of the rows, got 21"):
        SeriesForecaster(horizon=3, season=21).fit(rows)
