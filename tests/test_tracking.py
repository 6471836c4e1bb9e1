"""The filter of a network that forecasts its own inputs, and learning from its innovations.

A delay line forgets all but its last inputs. With a linear readout it is an autoregression, whose
filter, smoother and likelihood are those of Kalman in the companion form.
"""

from dataclasses import replace

import numpy as np
import pytest

import spheresn as sn
from spheresn import kernels
from spheresn.assimilation.innovations import (
    OUTLIER,
    SLOPE_ROWS,
    Directions,
    _normal_equations,
    learn_from_innovations,
    optimism,
)
from spheresn.assimilation.tracking import (
    Evidence,
    Recordings,
    Rows,
    Tracker,
    can_track,
    likeliest,
    one_step_errors,
)
from spheresn.closed_loop import ClosedLoop
from spheresn.driving import drive
from spheresn.readout import Gram, Quadratic, Triangle, Weights
from test_assimilation import kalman

WIDE = np.full(1, 1e9)  # bounds that nothing reaches


def delay_line(units, inputs=1, activation=None):
    """A network whose unit i holds the input of i steps ago."""
    shift = np.diag(np.ones(units - 1), -1)
    first = np.zeros((units, inputs))
    first[0, 0] = 1.0
    return sn.Reservoir(shift, inputs=first, activation=activation or sn.Linear())


def autoregression(coefficients, carry=0.0, exogenous=0):
    """s_{k+1} = carry s_k + Σ c_i s_{k-i} as a loop."""
    weights = Weights(np.array(coefficients, float)[:, None], np.zeros(1))
    reservoir = delay_line(len(coefficients), 1 + exogenous)
    return ClosedLoop(reservoir, weights, carry, None, -WIDE, WIDE)


def companion(coefficients, carry, size):
    matrix = np.diag(np.ones(size - 1), -1)
    matrix[0, : len(coefficients)] = coefficients
    matrix[0, 0] += carry
    return matrix


def plain(values, **beside):
    """Rows of one column of which none is missing."""
    rows = np.asarray(values, float).reshape(len(values), -1)
    return Rows(rows, rows, np.zeros((len(rows), 0)), **{"skip": 0, **beside})


def alone(series):
    return Recordings((series,))


def path(coefficients, carry, rows, noise, drift, seed):
    """An autoregression that is driven by noise, and measured with noise."""
    rng = np.random.default_rng(seed)
    matrix, state = companion(coefficients, carry, 24), np.zeros(24)
    seen = np.empty((rows, 1))
    for k in range(rows):
        state = matrix @ state
        state[0] += np.sqrt(drift) * rng.standard_normal()
        seen[k] = state[0] + np.sqrt(noise) * rng.standard_normal()
    return seen


@pytest.mark.parametrize("holes", [False, True], ids=["whole", "gappy"])
@pytest.mark.parametrize(
    ("coefficients", "carry"), [([0.9], 0.0), ([0.6, -0.5, 0.2], 0.3)], ids=["one", "three"]
)
def test_a_delay_line_is_filtered_and_smoothed_as_by_kalman(coefficients, carry, holes):
    noise, drift = 0.3, 0.5
    rows = path(coefficients, carry, 120, noise, drift, seed=1)
    if holes:
        rows[[40, 41, 42, 70]] = np.nan
    tracker = Tracker(autoregression(coefficients, carry), np.full(1, noise), np.full(1, drift))
    p = tracker.lags
    series = plain(np.nan_to_num(rows))
    series = replace(series, rows=rows)
    _, passed = series.passed(tracker)

    matrix, q, h = companion(coefficients, carry, p), np.zeros((p, p)), np.zeros((1, p))
    q[0, 0], h[0, 0] = drift, 1.0
    x, cov = rows[:p][::-1, 0], noise * np.eye(p)
    first = np.vstack([np.full((1, 1), np.nan), rows[p:]])  # what is known before the first row
    before, after, likelihood = kalman(
        matrix, h, q, np.full(1, noise), x, cov, first, np.zeros((len(first), 1)), np.zeros((p, 1))
    )
    assert np.nanmax(np.square(passed.innovations) / passed.variances) < 16  # none is an outlier
    np.testing.assert_allclose(passed.filtered[:, 0], [m[0] for m, _ in after[1:]], atol=1e-10)
    np.testing.assert_allclose(
        passed.deviations[:, 0], np.sqrt([c[0, 0] for _, c in after[1:]]), atol=1e-10
    )
    np.testing.assert_allclose(passed.expected[:, 0], [m[0] for m, _ in before[1:]], atol=1e-10)
    # The oldest of p values has been corrected by p - 1 rows after it, as in a fixed-lag smoother
    oldest = [(m[-1], c[-1, -1]) for m, c in after]
    np.testing.assert_allclose(
        passed.smoothed[: len(oldest), 0], [m for m, _ in oldest], atol=1e-10
    )
    np.testing.assert_allclose(
        passed.smoothed_deviations[: len(oldest), 0], np.sqrt([c for _, c in oldest]), atol=1e-10
    )
    # The last p values are those of the state at the end
    np.testing.assert_allclose(passed.smoothed[-p:, 0], after[-1][0][::-1], atol=1e-10)
    seen = int(np.isfinite(passed.innovations).sum())
    found = Evidence.of([passed], 0)
    total = found.log_likelihood * len(rows[p:]) - 0.5 * seen * np.log(2.0 * np.pi)
    np.testing.assert_allclose(total, likelihood, rtol=1e-10)


def test_variances_of_the_size_that_fits_are_likelier_than_any_other_size():
    tracker = Tracker(autoregression([0.8]), np.full(1, 1.6), np.full(1, 0.8))
    series = alone(plain(path([0.8], 0.0, 120, 0.8, 0.4, seed=5)))
    fitted, best = series.fitted(tracker, fixed=False)
    np.testing.assert_allclose(series.evidence(fitted).log_likelihood, best, rtol=1e-6)
    for factor in (0.5, 0.9, 1.1, 2.0):
        other = series.evidence(fitted.scaled(np.full(1, factor)))
        assert other.log_likelihood < best
    same, known = series.fitted(tracker, fixed=True)
    assert same is tracker
    assert known == series.evidence(tracker).log_likelihood


def test_the_likeliest_ratio_of_many_is_near_the_true_one():
    series = alone(plain(path([0.9], 0.0, 2000, 1.0, 0.25, seed=4)))
    ratios = (4.0, 2.0, 1.0, 0.5, 0.25, 0.125)
    tracker, _ = likeliest(autoregression([0.9]), series, None, ratios)
    np.testing.assert_allclose(np.sqrt(tracker.drift / tracker.noise), 0.5)
    np.testing.assert_allclose(tracker.noise, 1.0, rtol=0.15)
    given, _ = likeliest(autoregression([0.9]), series, np.ones(1), ratios)
    assert given.noise == 1.0
    assert given.drift == 0.25


def test_an_outlier_corrects_as_if_its_noise_had_put_it_at_the_limit():
    rows = path([0.9], 0.0, 60, 0.3, 0.5, seed=5)
    tracker = Tracker(autoregression([0.9]), np.full(1, 0.3), np.full(1, 0.5))
    p, moved = tracker.lags, []
    _, passed = plain(rows[: p + 1]).passed(tracker)
    expected, variance = float(passed.expected[0, 0]), float(passed.variances[0, 0])
    for far in (4.0, 40.0, 400.0):
        wild = rows[: p + 1].copy()
        wild[p] = expected + far * np.sqrt(variance)
        _, passed = plain(wild).passed(tracker)
        moved.append(float(passed.filtered[0, 0]) - expected)
        np.testing.assert_allclose(Evidence.of([passed], 0).scale, 16.0)
    known = variance - 0.3  # of the forecast; the gain is known / variance of the gap
    np.testing.assert_allclose(moved[0], known * 4.0 / np.sqrt(variance), rtol=1e-9)
    np.testing.assert_allclose(moved, [moved[0], moved[0] / 10.0, moved[0] / 100.0], rtol=1e-9)


def test_a_filter_that_lost_the_series_finds_it_again():
    """The map says that nothing changes and is sure of it; the series moves on."""
    tracker = Tracker(autoregression([0.0], carry=1.0), np.full(1, 1e-4), np.full(1, 1e-12))
    rows = np.concatenate([np.zeros(60), np.full(60, 1.0)])[:, None]
    _, passed = plain(rows).passed(tracker)
    assert abs(passed.filtered[-1, 0] - 1.0) < 0.02


def known(tracker, series):
    """The beginning of a pass, known without error."""
    track = series.begin(tracker)
    return track._replace(covariance=np.zeros_like(track.covariance))


def sensitivity(tracker, rows, column):
    """-de/dW by finite differences of the whole pass."""
    loop, found, series = tracker.loop, [], plain(rows)
    for shift in (1e-6, -1e-6):
        matrix = loop.weights.matrix.copy()
        matrix[column] += shift
        moved = replace(tracker, loop=loop.with_weights(replace(loop.weights, matrix=matrix)))
        _, passed = moved.follow(known(moved, series), *series.part(moved.lags))
        found.append(passed.innovations[:, 0])
    return -(found[0] - found[1]) / 2e-6


@pytest.mark.parametrize("noise", [1e-12, 1e12], ids=["rows that are trusted", "a free run"])
def test_slopes_of_innovations_are_those_of_finite_differences(noise):
    """At both ends the gains do not depend on the readout: they are one, or nought."""
    coefficients = [0.5, -0.3, 0.1]
    rows = path(coefficients, 0.2, 70, 0.0, 0.5, seed=6)
    tracker = Tracker(autoregression(coefficients, 0.2), np.full(1, noise), np.full(1, 1e-12))
    if noise < 1.0:
        tracker = replace(tracker, drift=np.ones(1))
    series = plain(rows)
    part = series.part(tracker.lags)
    _, passed = tracker.follow(known(tracker, series), *part, learning=True)
    width = len(coefficients)
    slopes = np.zeros((passed.forward.shape[2], width))
    found = np.empty((len(passed.states), 1, width))
    kernels.innovation_slopes(
        passed.forward, passed.gains, passed.innovations, passed.states, slopes, found
    )
    for column in range(width):
        wanted = sensitivity(tracker, rows, column)
        np.testing.assert_allclose(found[:, 0, column], wanted, atol=1e-5)


@pytest.mark.parametrize("passes", [1, 2])
def test_the_normal_equations_are_sums_over_the_rows_after_the_filter_has_settled(passes):
    """Of slopes and innovations by their deviation; an outlier counts as if it lay at its limit."""
    rows = path([0.5, -0.3], 0.0, 2 * SLOPE_ROWS + 90, 0.3, 0.5, seed=6)
    rows[-20] += 40.0
    tracker = Tracker(autoregression([0.5, -0.3]), np.full(1, 0.3), np.full(1, 0.5))
    _, passed = plain(rows).passed(tracker, learning=True)
    count = len(passed.states)
    directions = Directions.of(Triangle.of(passed.states, passed.states), 2)
    information, slope = _normal_equations(tracker, [passed] * passes, count, directions)

    entries = np.ascontiguousarray(directions.of_features(passed.states, count))
    width, first = entries.shape[1], SLOPE_ROWS if passes == 1 else tracker.lags
    found, start = np.empty((count, 1, width)), np.zeros((passed.forward.shape[2], width))
    kernels.innovation_slopes(
        passed.forward, passed.gains, passed.innovations, entries, start, found
    )
    slopes = found[first:, 0]
    error, size = (part[first:, 0] for part in (passed.innovations, passed.variances))
    weight = np.minimum(1.0, OUTLIER * size / error**2) / size
    assert (weight < 0.99 / size).any()
    np.testing.assert_allclose(information, passes * (slopes.T * weight) @ slopes, rtol=1e-9)
    np.testing.assert_allclose(
        slope, passes * (slopes.T * weight) @ error, rtol=1e-9, atol=1e-9 * np.abs(slope).max()
    )


def test_innovations_teach_the_slope_that_least_squares_on_noisy_rows_flattens():
    slope, noise, drift = 0.95, 1.0, 0.3
    rows = path([slope], 0.0, 6000, noise, drift, seed=7)
    signal = drift / (1.0 - slope * slope)
    flat = float((rows[1:] * rows[:-1]).sum() / np.square(rows[:-1]).sum())
    np.testing.assert_allclose(flat, slope * signal / (signal + noise), rtol=0.05)  # attenuation

    series = alone(plain(rows))
    tracker, _ = likeliest(autoregression([flat]), series, None, (1.0, 0.5))
    states = drive(tracker.loop.reservoir, rows[:-1])
    scatter = Triangle.of(states, rows[1:])
    found = learn_from_innovations(tracker, series, scatter)
    learned = float(found.tracker.loop.weights.matrix[0, 0])
    # The error of an estimate from T rows is about sqrt((1 - slope²)/T), times the noise's share
    assert abs(learned - slope) < 0.02
    assert abs(flat - slope) > 0.1
    assert found.score > series.fitted(tracker, fixed=False)[1]
    np.testing.assert_allclose(np.sqrt(found.tracker.noise), np.sqrt(noise), rtol=0.1)

    known = learn_from_innovations(
        replace(tracker, noise=np.ones(1), drift=np.full(1, drift)), series, scatter, fixed=True
    )
    assert known.tracker.noise == 1.0
    assert abs(float(known.tracker.loop.weights.matrix[0, 0]) - slope) < 0.02


@pytest.mark.parametrize(("rows", "fitted", "outputs"), [(20, 6, 1), (12, 3, 2), (40, 25, 1)])
def test_optimism_is_what_least_squares_gains_in_its_own_rows(rows, fitted, outputs):
    """With σ̂² of the rows, E (log p(these) - log p(new)) = E (σ²(1 + k/T)/σ̂² - 1)/2 per row."""
    rng, draws = np.random.default_rng(5), 20_000
    x = np.linalg.qr(rng.standard_normal((rows, fitted)))[0]
    noise = rng.standard_normal((draws, outputs, rows))
    found = noise @ x  # the coefficients that are found; the true ones are 0
    variance = ((noise - found @ x.T) ** 2).mean(axis=2)
    expected = 1.0 + (found**2).sum(axis=2) / rows  # of new noise at the same x
    gained = 0.5 * (expected / variance - 1.0).sum(axis=1)
    exact = optimism(float(outputs * fitted), rows, outputs)
    assert abs(gained.mean() - exact) < 4.0 * gained.std() / np.sqrt(draws)


def test_what_is_learned_already_is_not_learned_again():
    """Rows without noise, of which the map makes no error: no step can gain anything."""
    rows = np.cos(0.3 * np.arange(400.0))[:, None]
    loop = autoregression([2.0 * np.cos(0.3), -1.0])
    tracker = Tracker(loop, np.full(1, 1e-6), np.full(1, 1e-8))
    scatter = Triangle.of(drive(loop.reservoir, rows[:-1]), rows[1:])
    found = learn_from_innovations(tracker, alone(plain(rows)), scatter, fixed=True)
    np.testing.assert_allclose(found.tracker.loop.weights.matrix, loop.weights.matrix, atol=1e-6)


@pytest.mark.parametrize("quadratic", [False, True], ids=["linear", "products"])
@pytest.mark.parametrize("activation", [sn.OnSphere(bend=0.5), sn.Tanh()], ids=["sphere", "tanh"])
def test_derivatives_of_the_forecast_are_those_of_finite_differences(quadratic, activation, rng):
    reservoir = sn.random_reservoir(
        12, 3, activation=activation, topology="ring", spectral_radius=0.3, input_scaling=0.5,
        bias_scaling=0.4, rng=rng,
    )  # fmt: skip
    rows = 0.5 * np.cumsum(rng.standard_normal((60, 2)), axis=0) / np.sqrt(60)
    beside = rng.standard_normal((60, 1))
    states = drive(reservoir, np.hstack([rows, beside]))
    products = Quadratic.of(Gram.of(states, states), 3) if quadratic else None
    width = states.shape[1] if products is None else products(states[:1]).shape[1]
    weights = Weights(0.3 * rng.standard_normal((width, 2)), rng.standard_normal(2))
    loop = ClosedLoop(reservoir, weights, 0.7, products, np.full(2, -4.0), np.full(2, 4.0))
    tracker = Tracker(loop, np.full(2, 0.1), np.full(2, 0.1))
    series = Rows(rows, rows, beside, 0)
    track, first = series.begin(tracker), series.first(tracker)
    _, passed = tracker.follow(track, *series.part(first, first + 1), learning=True)

    def forecast(recent):
        moved = track._replace(recent=recent)
        values = recent.reshape(-1, 2)[::-1]
        inputs = np.hstack([values[:-1], moved.beside[::-1][1:]])
        state = drive(reservoir, inputs, track.base)[-1]
        value = loop.step(np.concatenate([state, values[-1]]), beside[first])
        return value[12:]

    np.testing.assert_allclose(passed.expected[0], forecast(track.recent), atol=1e-10)
    for j in range(len(track.recent)):
        shift = np.zeros_like(track.recent)
        shift[j] = 1e-6
        wanted = (forecast(track.recent + shift) - forecast(track.recent - shift)) / 2e-6
        np.testing.assert_allclose(passed.forward[0, :, j], wanted, atol=1e-8)


def test_samples_have_the_mean_and_the_covariance_that_are_known():
    rows = path([0.5, 0.2], 0.0, 80, 0.3, 0.5, seed=8)
    tracker = Tracker(autoregression([0.5, 0.2]), np.full(1, 0.3), np.full(1, 0.5))
    track, _ = plain(rows).passed(tracker)
    states, lasts = tracker.sample(track, 40_000, np.random.default_rng(0))
    np.testing.assert_allclose(lasts.mean(axis=0), track.recent[:1], atol=0.02)
    both = np.cov(np.hstack([lasts, states]).T)
    # A delay line holds the values before the newest
    np.testing.assert_allclose(both, track.covariance[:3, :3], atol=0.02)


def test_one_step_errors_are_those_of_the_driven_loop():
    rows = path([0.5], 0.0, 300, 0.1, 0.5, seed=9)
    rows[[50, 51]] = np.nan
    series = replace(plain(np.nan_to_num(rows)), rows=rows, skip=10)
    wanted = np.nanmean(np.square(rows[1:] - 0.5 * np.nan_to_num(rows[:-1]))[10:])
    np.testing.assert_allclose(one_step_errors(autoregression([0.5]), alone(series)), wanted)


def test_a_filter_of_columns_that_were_never_seen_has_no_likelihood():
    series = plain(np.zeros((80, 1)))
    series = replace(series, rows=np.full((80, 1), np.nan))
    tracker = Tracker(autoregression([0.5]), np.ones(1), np.ones(1))
    assert alone(series).evidence(tracker).best == -np.inf


def test_a_network_of_ones_own_has_no_filter():
    class Own:
        def value(self, a):
            return np.sin(a)

        def pushforward(self, a, v):
            return np.cos(a) * v

        sphere_radius = None

    loop = replace(autoregression([0.5]), reservoir=delay_line(1, activation=Own()))
    assert not can_track(loop)
    assert can_track(autoregression([0.5]))


def test_a_track_of_another_network_is_refused():
    tracker = Tracker(autoregression([0.5]), np.ones(1), np.ones(1))
    track = plain(np.zeros((60, 1))).begin(tracker)
    tracker.check(track)
    with pytest.raises(ValueError, match="does not fit"):
        tracker.check(track._replace(recent=np.zeros(3)))
