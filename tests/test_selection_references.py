"""What is selected and how methods are combined, against plain loops that share no code with it."""

import itertools
import math

import numpy as np
import pytest

from spheresn.forecasting import Autoregression, DirectAutoregression
from spheresn.forecasting.combination import mixed, weights_of
from spheresn.forecasting.defaults import SERIES_DEFAULTS
from spheresn.forecasting.lagged import DIRECT_SHARES, LEFT_OUT_BLOCKS, _choose_share, seen_lags
from spheresn.selection.engine import Entry, lower_of_two, ranked, ranked_trials


def plain_ridge(x, y, share):
    """Centred ridge regression by the normal equations: a prediction, as a function."""
    mean, centre = x.mean(axis=0), y.mean(axis=0)
    square = (x - mean).T @ (x - mean)
    weights = np.linalg.solve(
        square + share * np.trace(square) * np.eye(len(square)), (x - mean).T @ (y - centre)
    )
    return lambda rows: centre + (rows - mean) @ weights


@pytest.mark.parametrize("noise", [0.01, 1.0, 30.0])
def test_the_penalty_of_direct_readouts_has_the_least_error_on_blocks_left_out(noise):
    """Each block is predicted from the rows that are farther than the gap from it."""
    rng, gap, chosen = np.random.default_rng(4), 3, []
    x = rng.standard_normal((90, 6)) * [1, 1, 1, 0.1, 0.1, 0.1]
    y = x @ rng.standard_normal((6, 2)) + noise * rng.standard_normal((90, 2))
    edges = [round(90 * k / LEFT_OUT_BLOCKS) for k in range(LEFT_OUT_BLOCKS + 1)]
    for share in DIRECT_SHARES:
        error = 0.0
        for first, stop in itertools.pairwise(edges):
            far = [k for k in range(90) if k < first - gap or k >= stop + gap]
            predict = plain_ridge(x[far], y[far], share)
            error += ((predict(x[first:stop]) - y[first:stop]) ** 2).sum()
        chosen.append(error)
    assert _choose_share(x, y, gap) == DIRECT_SHARES[np.argmin(chosen)]
    assert noise != 0.01 or np.argmin(chosen) < np.argmax(chosen)


def test_direct_readouts_learn_from_every_origin_up_to_the_last_row():
    """All windows of `steps` rows that are within the series, by a loop: the newest included."""
    rng = np.random.default_rng(5)
    rows = rng.standard_normal((70, 1)).cumsum(axis=0)
    recipe = DirectAutoregression(3)
    fitted = recipe.fit(rows)
    signal = (rows[:, 0] - rows.mean()) / rows.std()
    lags = seen_lags(70, 1)
    x, y = [], []
    for origin in range(70 + 1):
        if origin - lags[-1] >= 0 and origin + 3 <= 70:
            last = signal[origin - 1]
            x.append([signal[origin - lag] - last for lag in lags])
            y.append([signal[origin + k] - last for k in range(3)])
    assert len(x) == 70 - lags[-1] - 2
    x, y = np.array(x), np.array(y)
    ours = fitted.readout(x)
    gaps = [np.abs(plain_ridge(x, y, share)(x) - ours).max() for share in DIRECT_SHARES]
    assert min(gaps) < 1e-9 * np.abs(ours).max()
    without = [
        np.abs(plain_ridge(x[:-2], y[:-2], share)(x) - ours).max() for share in DIRECT_SHARES
    ]
    assert min(without) > 1e-6


def test_weights_are_powers_of_geometric_means_column_by_column():
    """By loops over forecasts: later ones count more, and who is far behind gets nothing."""
    rng = np.random.default_rng(6)
    truth = rng.standard_normal((7, 4, 2))
    sizes = {"good": 0.1, "fair": 0.11, "bad": 1.0}
    forecasts = {k: truth + s * rng.standard_normal(truth.shape) for k, s in sizes.items()}
    forecasts["half"] = forecasts["good"].copy()
    forecasts["half"][3, 2, 1] = np.inf  # one bad cell: no weight in this column, and only there
    found, least = weights_of(forecasts, truth)
    for column in range(2):
        errors = {}
        for name, values in forecasts.items():
            total = weight = 0.0
            for k in range(7):
                age = math.exp(-SERIES_DEFAULTS.recent * (1 - k / 6))
                mean = sum(abs(values[k, h, column] - truth[k, h, column]) for h in range(4)) / 4
                total += age * math.log(mean + SERIES_DEFAULTS.negligible)
                weight += age
            errors[name] = math.exp(total / weight)
        best = min(errors.values())
        raw = {
            name: error**-SERIES_DEFAULTS.power if error <= SERIES_DEFAULTS.worst * best else 0.0
            for name, error in errors.items()
        }
        assert math.isclose(least[column], best, rel_tol=1e-12)
        for name in forecasts:
            assert math.isclose(
                found[name][column], raw[name] / sum(raw.values()), rel_tol=1e-9, abs_tol=1e-15
            )
        assert found["bad"][column] == 0.0
    assert found["half"][1] == 0.0 < found["half"][0] == found["good"][0]


def test_where_all_methods_disagree_the_median_counts():
    """Each is far from the median somewhere, so none is kept: 2 at every step, and not 0."""
    forecasts = {
        name: np.array(values)[None, :, None]
        for name, values in {
            "a": [1.0, 2.0, 9.0],
            "b": [9.0, 1.0, 2.0],
            "c": [2.0, 9.0, 1.0],
        }.items()
    }
    equal = {name: np.full(1, 1 / 3) for name in forecasts}
    assert mixed(forecasts, equal, np.array([1.0])).ravel().tolist() == [2.0, 2.0, 2.0]
    # With a wide limit all are kept: the mean
    assert np.allclose(mixed(forecasts, equal, np.array([99.0])), 4.0)
    # The median is that of the weights: who has more than half of them is it
    heavy = {"a": np.full(1, 0.6), "b": np.full(1, 0.2), "c": np.full(1, 0.2)}
    assert mixed(forecasts, heavy, np.array([0.1])).ravel().tolist() == [1.0, 2.0, 9.0]


class Trial:
    def __init__(self, **scores):
        self.scores = scores


def test_the_ranking_and_the_lower_of_two_are_those_of_all_pairs():
    """Against all pairs of scores, for every order of three of them."""
    for first in itertools.permutations([5, 3, 8]):
        for second in itertools.permutations([4, 6, 7]):
            trials = [Trial(x=first[0], y=first[1]), Trial(z=first[2])]
            again = dict(zip("xyz", second, strict=True))
            entries = ranked(trials)
            assert [entry.score for entry in entries] == sorted(first, reverse=True)
            assert ranked_trials(trials)[0] is entries[0].trial
            choice = lower_of_two(entries, lambda one: (one.setting, again[one.setting]))  # noqa: B023
            lower = {name: min(a, again[name]) for name, a in zip("xyz", first, strict=True)}
            assert choice.score == max(lower.values()) == lower[choice.learned]
            assert choice.learned == choice.entry.setting


def test_of_equal_scores_the_first_is_taken_and_nothing_is_learned_in_vain():
    entries = [Entry(4, None, "a"), Entry(4, None, "b"), Entry(4, None, "c")]
    choice = lower_of_two(entries, lambda one: (one.setting, 4))
    assert choice.learned == "a" and choice.again == [4, None, None]


def test_an_autoregression_chooses_its_penalty_by_errors_left_out_one_by_one():
    """Its error is the least root mean square of these over all decades, in deviations of what is
    wanted, by a loop over the rows.
    """
    rng = np.random.default_rng(7)
    rows = np.zeros((60, 1))
    for k in range(2, 60):
        rows[k] = 1.2 * rows[k - 1] - 0.5 * rows[k - 2] + rng.standard_normal()
    fitted = Autoregression(lags=3).fit(rows)
    signal = (rows - rows.mean()) / rows.std()
    x = np.array([signal[k - 3 : k, 0][::-1] for k in range(3, 60)])
    y = signal[3:]

    def left_out(penalty):
        errors = []
        for k in range(len(x)):
            rest = np.arange(len(x)) != k
            mean, centre = x[rest].mean(axis=0), y[rest].mean(axis=0)
            square = (x[rest] - mean).T @ (x[rest] - mean)
            weights = np.linalg.solve(
                square + penalty * np.eye(3), (x[rest] - mean).T @ (y[rest] - centre)
            )
            errors.append(float(((centre + (x[k] - mean) @ weights) - y[k])[0]))
        return float(np.sqrt(np.mean(np.square(errors))))

    trace = np.square(x - x.mean(axis=0)).sum()
    least = min(left_out(10.0**decade * trace) for decade in range(-12, 2)) / y.std()
    assert math.isclose(fitted.error, least, rel_tol=1e-6)


def test_a_search_that_ended_above_the_mean_compares_all_decades_the_least_included(monkeypatch):
    """At the largest penalty the error left out one by one is that of the mean, n/(n - 1) > 1.

    Without noise the smallest penalty is best.
    """
    from spheresn.readout import Sample, loo
    from spheresn.readout.gram import Sums

    rng = np.random.default_rng(8)
    x = rng.standard_normal((30, 2))
    y = x @ [[1.0], [-2.0]] + 3.0
    sums, sample = Sums.empty(2, 1).take(x, y), Sample.empty(2, 1).taking(x, y)
    monkeypatch.setattr(loo, "LAST_DECADE", 6)
    monkeypatch.setattr(loo, "_descend", lambda *arguments: 6)
    penalty, error, weights = loo.choose_penalty(sums.moments, sample)
    trace = np.square(x - x.mean(axis=0)).sum()
    decade = round(math.log10(penalty / trace))
    assert (
        decade == sums.moments.least_decade
        and error < 1e-6
        and np.allclose(weights(x), y, atol=1e-6)
    )
