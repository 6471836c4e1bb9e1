"""The search of a forecaster: scores in closed form, noise as an average, refits that count."""

import io
from dataclasses import replace

import numpy as np
import pytest
from scipy.linalg import solve_discrete_lyapunov

import spheresn as sn
from spheresn import _running
from spheresn.estimators.features import FeatureMap
from spheresn.estimators.forecast_search import (
    FORECAST_DEFAULTS,
    Finalist,
    ForecastSearch,
    Setting,
    Solved,
    Trial,
)
from spheresn.estimators.learning import Stretch, TrainingData, learn
from spheresn.estimators.windows import Windows
from spheresn.readout import Sample, Triangle
from spheresn.selection.calibration import MemoryOutOfReach
from spheresn.selection.free_runs import LEAST_ERROR, Score
from spheresn.selection.plan import Candidate
from spheresn.series.scaling import Scaler


def data_of(series, seed=0):
    return TrainingData.of(series, np.zeros((len(series), 0)), np.random.default_rng(seed))


class Parting:
    """A loop whose error grows by a factor each step, from a first error."""

    exogenous = 0

    def __init__(self, series, first, growth, finite=None):
        self.series, self.first, self.growth, self.finite = series, first, growth, finite

    def runs(self, steps, states, lasts, exogenous):
        starts = [int(np.flatnonzero((self.series == last).all(axis=1))[0]) for last in lasts]
        errors = self.first * self.growth ** np.arange(steps)
        truth = np.array([self.series[start + 1 : start + 1 + steps] for start in starts])
        finite = steps if self.finite is None else self.finite
        return truth + errors[:, None], np.full(len(starts), finite)


@pytest.fixture
def windows(rng):
    return Windows.of([data_of(rng.standard_normal((400, 2)))])


def test_the_score_counts_e_folds_below_one_deviation(windows):
    """An error δ eᵏ/²⁰ is -log δ - k/20 e-folds below one, until it reaches one."""
    loop = Parting(windows.data[0].series, 1e-2, np.exp(0.05))
    found = windows.score(loop, np.zeros((8, 1)))
    k = np.arange(windows.horizon)
    below = np.maximum(np.log(1e2) - 0.05 * k, 0.0)
    assert found.folds == pytest.approx(below.mean(), rel=1e-6)
    assert found.steps == (below > 0.0).sum()


def test_the_score_does_not_saturate(windows):
    """Runs that stay valid to the end of their windows differ by their error, to rounding."""
    series, states = windows.data[0].series, np.zeros((8, 1))
    folds = [windows.score(Parting(series, error, 1.0), states).folds for error in (1e-3, 1e-6)]
    assert folds == pytest.approx([np.log(1e3), np.log(1e6)], rel=1e-6)
    exact = windows.score(Parting(series, 0.0, 1.0), states)
    assert exact.folds == pytest.approx(-np.log(LEAST_ERROR))


def test_the_mean_error_decides_between_runs_that_are_never_valid(windows):
    series, states = windows.data[0].series, np.zeros((8, 1))
    wrong, away = (windows.score(Parting(series, 2.0, growth), states) for growth in (1.0, 1.5))
    assert wrong.folds == away.folds == 0.0
    assert wrong > away


def test_an_error_that_shrinks_again_still_counts(windows):
    loop = Parting(windows.data[0].series, 0.5, 0.9)
    assert windows.score(loop, np.zeros((8, 1))).folds == pytest.approx(np.log(2.0))


def test_a_run_that_diverges_is_worth_nothing_from_there(windows):
    found = windows.score(Parting(windows.data[0].series, 1e-3, 1.0, finite=10), np.zeros((8, 1)))
    assert found.steps == 10
    assert found.folds == pytest.approx(10 * np.log(1e3) / windows.horizon, rel=1e-6)
    assert found.error < -5.0


def test_short_runs_get_more_and_shorter_windows():
    windows = Windows.of([data_of(np.random.default_rng(0).standard_normal((4000, 1)))])
    assert (windows.horizon, len(windows.starts)) == (640, 8)
    more = windows.about(40.0)
    assert (more.horizon, len(more.starts)) == (160, 32)
    assert more.starts[0] == windows.starts[0] and more.starts[-1] == 4000 - 1 - 160
    assert windows.about(0.0).horizon == FORECAST_DEFAULTS.windows.shortest
    assert windows.about(640.0) is windows
    assert [one[0].stop for one in more.stages()[:1]] == [2999]
    assert more.stages() == windows.stages()


def test_the_response_of_a_linear_network_has_its_stationary_covariance(rng):
    """d = Σ Wʲ w ξ_{n-j} has the covariance P = W P Wᵀ + w wᵀ; the step from s + ξ moves by -ξ."""
    series = np.cumsum(rng.standard_normal((40_000, 1)), axis=0)
    series = (series - series.mean()) / series.std()
    reservoir = sn.random_reservoir(
        5, 1, activation=sn.Linear(), topology="gaussian", spectral_radius=0.7, rng=0
    )
    frame = FeatureMap(Scaler.identity(1), reservoir, 50)
    (found,) = learn(frame, [data_of(series)], [50], [[Stretch(0, 0, 39_999)]], noisy=True)
    clean, noisy = (part.factor.T @ part.factor for part in (found.rows, found.moments(0.3)))
    added = (noisy - clean) / (0.3**2 * found.rows.count)
    matrix, inputs = reservoir.recurrent.toarray(), reservoir.inputs
    covariance = solve_discrete_lyapunov(matrix, inputs @ inputs.T)
    # 1,000 rows of the response are summed: a sampling error of a few per cent
    assert added[:5, :5] == pytest.approx(covariance, abs=0.2 * np.abs(covariance).max())
    assert added[:5, 5:6] == pytest.approx(-inputs, abs=0.2 * np.abs(inputs).max())
    assert added[5, 5] == pytest.approx(1.0, abs=0.2)
    assert added[:, 6] == pytest.approx(0.0, abs=1e-9)


def test_one_pass_gives_the_rows_before_every_stop(rng):
    series = rng.standard_normal((900, 2))
    reservoir = sn.random_reservoir(20, 2, topology="ring", input_scaling=0.3, rng=0)
    frame, data = FeatureMap(Scaler.identity(2), reservoir, 30), data_of(series)
    stages = [[Stretch(0, 0, 600)], [Stretch(0, 600, 899)]]
    both = learn(frame, [data], [30], stages, noisy=False)
    for part, rows in zip(both, (600, 899), strict=True):
        (alone,) = learn(frame, [data.first(rows)], [30], [[Stretch(0, 0, rows)]], noisy=False)
        assert part.rows.count == alone.rows.count == rows - 30
        assert np.allclose(np.abs(part.rows.factor), np.abs(alone.rows.factor), atol=1e-12)
        assert part.response is None and part.moments(0.5) is part.rows


def test_a_finalist_has_the_freedom_of_all_rows(rng):
    """Σ d/(d + penalty) over the eigenvalues d of the scatter of its states, of every stage."""
    data = data_of(rng.standard_normal((200, 1)))
    reservoir = sn.random_reservoir(6, 1, activation=sn.OnSphere(), rng=0)
    frame = FeatureMap(Scaler.identity(1), reservoir, 20)
    stages = [[Stretch(0, 0, 60)], [Stretch(0, 60, 199)]]
    learned = learn(frame, [data], [20], stages, noisy=False)
    trial = Trial(Candidate(1.0), None, frame, learned, {})
    penalties = {1e-3: 0.7, 1e-2: 7.0}
    finalist = Finalist(
        trial, Setting(0.0, 1.0, 1.0), False, lambda one: Solved(None, penalties[one.share])
    )
    states = sn.drive(reservoir, data.inputs)[20:]
    sizes = np.linalg.eigvalsh(np.cov(states.T, bias=True) * len(states))
    found = list(finalist.loops(list(penalties)))
    assert [(setting.share, solved.penalty) for setting, solved, _ in found] == [*penalties.items()]
    for _, solved, free in found:
        assert free == pytest.approx((sizes / (sizes + solved.penalty)).sum(), rel=1e-9)


def test_the_lower_of_two_scores_counts(monkeypatch, rng):
    """The best of the search is unstable when learned from all rows; the second is not."""
    series = rng.standard_normal((200, 1))
    windows = Windows.of([data_of(series)])
    reservoir = sn.random_reservoir(3, 1, rng=0)
    frame = FeatureMap(Scaler.identity(1), reservoir, 0)
    learned = learn(frame, windows.data, [0], [[Stretch(0, 0, 199)]], noisy=True)
    first, second, third = (Setting(noise, 1e-3, 1.0) for noise in (0.0, 1e-2, 1e-1))
    scores = {first: Score(9.0, 0, 0), second: Score(7.0, 0, 0), third: Score(5.0, 0, 0)}
    trial = Trial(Candidate(1.0), None, frame, learned, scores)
    again = iter([Score(0.5, 0, 0), Score(8.0, 0, 0)])
    monkeypatch.setattr(Windows, "score", lambda *_: next(again))
    found = ForecastSearch(
        None, windows.data, None, (None, None), None, "auto", "auto", None, _running.Progress(False)
    )._learned_again([trial], windows)
    assert found.setting == second and found.score == 7.0
    assert [row["refit"] for row in found.table] == [0.5, 8.0, None]


def test_the_penalty_of_a_setting_is_a_share_of_the_trace(rng):
    x, y = rng.standard_normal((50, 3)), rng.standard_normal((50, 2))
    asked = ForecastSearch(
        None, None, None, None, None, "auto", "auto", None, _running.Progress(False)
    )
    moments = Triangle.of(x, y)
    assert asked._solve(moments, Sample.empty(3, 2), 1e-3)[1] == 1e-3 * moments.trace
    fixed = replace(asked, penalty=2.5)
    assert fixed._solve(moments, Sample.empty(3, 2), None)[1] == 2.5


def test_what_the_user_fixed_is_not_searched():
    asked = ForecastSearch(
        None, None, None, None, None, 0.25, "loo", None, _running.Progress(False)
    )
    assert asked._settings(FORECAST_DEFAULTS.grid) == [
        Setting(0.25, None, 1.0),
        Setting(0.25, None, 0.0),
    ]
    model = sn.ESNForecaster(
        30, memory=1.0, bend=1.0, bias_ratio=7.0, noise=1e-3, random_state=0
    ).fit(sn.datasets.henon(400))
    assert (model.bias_ratio_, model.noise_, model.bend_) == (7.0, 1e-3, 1.0)
    assert {row["bias_ratio"] for row in model.candidates_} == {7.0}


def test_a_default_fit_says_what_it_chose_and_why():
    series = sn.datasets.lorenz(4000, tolerance=1e-13)
    model = sn.ESNForecaster(200, random_state=0).fit(series[:3000])
    best = max(model.candidates_, key=lambda row: min(row["score"], row["refit"] or -np.inf))
    assert model.score_ == min(best["score"], best["refit"])
    assert (model.noise_, model.bias_ratio_) == (best["noise"], best["bias_ratio"])
    assert model.memory_ == pytest.approx(best["memory"], rel=2e-3)
    # 500 units with a readout from a Gram matrix reach 10 (benchmarks/quality.json of 0.1.0)
    valid = sn.metrics.valid_time(series[3000:], model.forecast(1000), dt=0.02) * 0.906
    assert valid > 14.0


def test_candidates_side_by_side_give_the_same_fit():
    series = sn.datasets.henon(500)
    one, two = (sn.ESNForecaster(20, n_jobs=jobs, random_state=0).fit(series) for jobs in (1, 2))
    assert np.array_equal(one.forecast(20), two.forecast(20))
    assert one.candidates_ == two.candidates_


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(("shown", "patience"), [(True, -1.0), (True, 1e9), (False, -1.0)])
def test_progress_is_shown_on_a_terminal_after_a_while_and_removed(shown, patience, monkeypatch):
    monkeypatch.setattr(_running, "QUIET_SECONDS", patience)
    monkeypatch.setattr("sys.stderr", terminal := Terminal())
    sn.ESNForecaster(10, memory=1.0, verbose=shown, random_state=0).fit(sn.datasets.henon(100))
    text = terminal.getvalue()
    if shown and patience < 0:
        assert " of " in text and "network 1 of" in text and text.endswith("\r\x1b[K")
    else:
        assert "network" not in text


def test_a_memory_that_no_candidate_reaches_is_an_error_that_names_the_limit():
    with pytest.raises(MemoryOutOfReach, match="memory must be at least"):
        sn.ESNForecaster(20, memory=1e-3, random_state=0).fit(sn.datasets.henon(100))
