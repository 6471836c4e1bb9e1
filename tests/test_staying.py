"""Long free runs: loops whose future is known, the search that they decide, what a model says."""

import itertools
import warnings
from typing import ClassVar

import numpy as np
import pytest

import spheresn as sn
from spheresn._errors import ModelFileError
from spheresn.closed_loop import ClosedLoop
from spheresn.estimators import OutOfClimate
from spheresn.readout import Weights
from spheresn.reservoir import Reservoir
from spheresn.selection.engine import Entry, lower_of_two, ranked
from spheresn.selection.staying import TOO_SHORT, LearnedClimate, LongRuns, StayingDefaults
from spheresn.topology import Dense

ANGLE = 2.0 * np.pi * 0.0618  # of a step: no whole number of steps is a turn
FEW = StayingDefaults(starts=4, steps=4000)


def linear_loop(matrix):
    """s' = M s: a network that forgets at once, and a readout that is M."""
    size = len(matrix)
    reservoir = Reservoir(
        Dense(np.zeros((size, size))), np.eye(size), sn.Linear(), np.zeros(size), 1.0
    )
    return ClosedLoop(reservoir, Weights(np.array(matrix).T.copy(), np.zeros(size)), 0.0)


def turning(growth=1.0):
    cos, sin = growth * np.cos(ANGLE), growth * np.sin(ANGLE)
    return linear_loop([[cos, -sin], [sin, cos]])


def circle(rows):
    turns = ANGLE * np.arange(rows)
    return np.sqrt(2.0) * np.column_stack([np.cos(turns), np.sin(turns)])


def runs_beside(series, errors=0.0, use=FEW):
    columns = series.shape[1]
    return LongRuns.of(series, np.zeros((len(series), 0)), 10, np.full(columns, float(errors)), use)


def test_a_rotation_stays_on_its_circle():
    runs = runs_beside(circle(2000))
    found = runs.climate(turning())
    assert runs.stays(turning()) and found.stays
    assert (found.starts, found.left, found.steps, found.lasting) == (4, 0, 4000, 4000)


@pytest.mark.parametrize("growth", [1.0 - 2e-3, 1.0 + 2e-3, 1.02])
def test_a_spiral_leaves_it(growth):
    """|s| = growthⁿ: after 2,000 steps e⁻⁴ or e⁴, out of all bins of the circle's range but one."""
    runs = runs_beside(circle(2000))
    found = runs.climate(turning(growth))
    assert not runs.stays(turning(growth))
    assert (found.verdict, found.left) == ("different", 4)
    assert found.histogram.value > 0.8 > found.histogram.limit
    assert found.lasting < 2000


def test_the_slower_a_run_leaves_the_longer_it_lasts():
    runs = runs_beside(circle(2000))
    lasting = [runs.climate(turning(1.0 - rate)).lasting for rate in (1e-4, 1e-3, 1e-2)]
    assert lasting == sorted(lasting, reverse=True) and lasting[0] > lasting[-1]


def test_an_autoregression_stays_with_its_own_errors_alone(rng):
    """s' = .9 s + e, var e = .19, has variance one; without errors it goes to zero."""
    errors = np.sqrt(0.19) * rng.standard_normal(4000)
    series = np.array(list(itertools.accumulate(errors, lambda s, e: 0.9 * s + e)))[:, None]
    loop = linear_loop([[0.9]])
    assert runs_beside(series, errors=0.19).stays(loop)
    assert not runs_beside(series, errors=0.0).stays(loop)


def test_chance_below_a_tenth_of_a_deviation_is_not_added():
    assert runs_beside(circle(200), errors=0.09**2).errors is None
    assert runs_beside(circle(200), errors=0.11**2).errors is not None


def test_known_columns_limit_the_runs_to_the_rows_they_have():
    series, beside = circle(2000), np.zeros((2000, 1))
    runs = LongRuns.of(series, beside, 10, np.zeros(2), FEW)
    assert runs.exogenous.shape == (4, 999, 1)
    assert (runs.places + 999 <= 1999).all() and runs.places.min() == 10


def test_few_rows_tell_nothing():
    assert runs_beside(circle(63)) is None
    assert runs_beside(circle(64)) is not None
    model = sn.ESNForecaster(20, random_state=0, verbose=False).fit(circle(60))
    assert model.climate_ is TOO_SHORT and model.climate_.stays
    assert "not enough rows to tell" in str(model.climate_)


class Trial:
    scores: ClassVar = dict(zip("abcdef", (6.0, 5.0, 4.0, 3.0, 2.0, 1.0), strict=True))


def chosen(survivors, enough=2, entries=None):
    return lower_of_two(
        ranked([Trial]) if entries is None else entries,
        lambda entry: (entry.setting, entry.score),
        survivors.__contains__,
        enough,
    )


def test_the_best_that_survives_is_chosen():
    for survivors in itertools.chain.from_iterable(
        itertools.combinations("abcdef", count) for count in range(7)
    ):
        found = chosen(survivors)
        assert found.survives == bool(survivors)
        # Where none survives, it is the one that is best without a test
        assert found.learned == (survivors[0] if survivors else "a")


def test_the_lower_score_counts_among_survivors():
    again = {"a": 0.0, "b": 2.5, "c": 3.5, "d": 3.0, "e": 2.0, "f": 1.0}
    found = lower_of_two(
        ranked([Trial]),
        lambda entry: (entry.setting, again[entry.setting]),
        lambda learned: learned != "c",
        6,
    )
    assert (found.learned, found.score) == ("d", 3.0)


def test_spare_entries_are_not_made_before_they_are_needed():
    def entries():
        yield from ranked([Trial])[:2]
        raise AssertionError("nobody needs more")

    assert chosen("b", entries=entries()).learned == "b"
    with pytest.raises(AssertionError, match="nobody needs more"):
        chosen("", entries=entries())
    assert chosen("a", entries=iter([Entry(1.0, Trial, "z")])).survives is False


@pytest.fixture(scope="module")
def lorenz():
    return sn.datasets.lorenz(1500, 0.05)


@pytest.fixture(scope="module")
def model(lorenz):
    return sn.ESNForecaster(100, observation_noise=0, random_state=0, verbose=False).fit(lorenz)


def test_a_model_that_stays_is_the_one_without_the_test(model, lorenz):
    plain = sn.ESNForecaster(
        100, observation_noise=0, random_state=0, verbose=False, long_runs=False
    ).fit(lorenz)
    assert model.climate_.stays and not hasattr(plain, "climate_")
    assert np.array_equal(plain.closed_loop_.weights.matrix, model.closed_loop_.weights.matrix)
    assert plain.candidates_ == model.candidates_ and plain.score_ == model.score_


def test_a_file_holds_the_climate(model, tmp_path):
    path = tmp_path / "model.spheresn"
    sn.save(model, path)
    again = sn.load(path)
    assert again.climate_ == model.climate_
    assert LearnedClimate.from_plain(model.climate_.plain()) == model.climate_


@pytest.mark.parametrize(
    "wrong", [{"verdict": "fine"}, {"starts": -1}, {"spectrum": [0.1, np.nan, 0.2]}]
)
def test_a_file_with_an_impossible_climate_is_refused(model, tmp_path, wrong):
    broken = LearnedClimate.from_plain(model.climate_.plain())
    plain = broken.plain() | wrong
    path = tmp_path / "model.spheresn"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LearnedClimate, "plain", lambda self: plain)
        sn.save(model, path)
    with pytest.raises(ModelFileError):
        sn.load(path)


def test_a_forecast_beyond_the_climate_says_so_once(model, tmp_path):
    left = LearnedClimate("different", "as told", starts=4, left=1, steps=4000, lasting=1500)
    path = tmp_path / "model.spheresn"
    plain = left.plain()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LearnedClimate, "plain", lambda self: plain)
        sn.save(model, path)
    again = sn.load(path)
    again.forecast(1500)
    said = r"1 left the climate of the series .*none within 1,500 steps"
    with pytest.warns(OutOfClimate, match=said):
        again.forecast(1501)
    with warnings.catch_warnings():
        warnings.simplefilter("error", OutOfClimate)
        again.forecast(1600)


def test_a_loop_that_leaves_gives_way_to_one_that_stays(lorenz, monkeypatch):
    """The rank of what stays is the best among those that do."""
    tried = []
    stays = LongRuns.stays

    def counted(self, loop):
        tried.append(loop)
        return stays(self, loop) and len(tried) > 2

    monkeypatch.setattr(LongRuns, "stays", counted)
    fates = iter([LearnedClimate("different", "as told")])
    climate = LongRuns.climate
    monkeypatch.setattr(LongRuns, "climate", lambda self, loop: next(fates, climate(self, loop)))
    settings = {"observation_noise": 0, "random_state": 0, "verbose": False}
    found = sn.ESNForecaster(60, **settings).fit(lorenz[:600])
    assert found.closed_loop_ is tried[-1] and len(tried) > 2
    assert found.climate_.starts > 0
