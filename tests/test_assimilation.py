"""Filter and smoother where the answer is known: Kalman, and Rauch, Tung and Striebel."""

import numpy as np
import pytest

import spheresn as sn
from spheresn.assimilation import Estimate, advance, assimilate
from spheresn.assimilation.estimate import principal_axes


def linear(matrix, drive=None):
    """x' = A x + B s as a System."""
    n = len(matrix)
    inputs = np.zeros((n, 1)) if drive is None else drive
    return sn.Reservoir(matrix, inputs=inputs, activation=sn.Linear())


def kalman(a, h, q, r, x, p, rows, inputs, b):
    """The textbook filter in covariances; means and covariances before and after each row."""
    before, after, likelihood = [], [], 0.0
    for k, row in enumerate(rows):
        if k:
            x, p = a @ x + b @ inputs[k - 1], a @ p @ a.T + q
        before.append((x, p))
        seen = np.isfinite(row)
        if seen.any():
            hs, gap = h[seen], row[seen] - h[seen] @ x
            c = hs @ p @ hs.T + np.diag(r[seen])
            likelihood -= 0.5 * (
                np.linalg.slogdet(2 * np.pi * c)[1] + gap @ np.linalg.solve(c, gap)
            )
            gain = np.linalg.solve(c, hs @ p).T
            x, p = x + gain @ gap, p - gain @ hs @ p
        after.append((x, p))
    return before, after, likelihood


def smoothed(a, before, after):
    """Rauch, Tung and Striebel's pass backwards."""
    found = [after[-1]]
    for (x, p), (x1, p1) in zip(after[-2::-1], before[:0:-1], strict=True):
        gain = np.linalg.solve(p1, a @ p).T
        later, cov = found[-1]
        found.append((x + gain @ (later - x1), p + gain @ (cov - p1) @ gain.T))
    return found[::-1]


@pytest.fixture(params=[0, 1, 2])
def problem(request):
    rng = np.random.default_rng(request.param)
    n, q, T = 4, 2, 60
    a = rng.standard_normal((n, n))
    a *= (0.95, 1.02, 0.5)[request.param] / np.abs(np.linalg.eigvals(a)).max()
    b, places = rng.standard_normal((n, 1)), np.array([2, 0])
    noise = rng.uniform(0.1, 2.0, q)
    factor = rng.standard_normal((n, 2))  # of rank two: some directions have no noise of their own
    inputs = rng.standard_normal((T, 1))
    state, rows = rng.standard_normal(n), np.empty((T, q))
    for k in range(T):
        if k:
            state = a @ state + b @ inputs[k - 1] + factor @ rng.standard_normal(2)
        rows[k] = state[places] + np.sqrt(noise) * rng.standard_normal(q)
    rows[rng.uniform(size=rows.shape) < 0.15] = np.nan
    rows[20:28] = np.nan
    root = rng.standard_normal((n, n))
    return a, b, places, noise, factor, inputs, rows, Estimate(rng.standard_normal(n), root)


def test_on_a_linear_system_it_is_kalmans_filter(problem):
    a, b, places, noise, factor, inputs, rows, start = problem
    found = assimilate(linear(a, b), rows, places, noise, factor, start, inputs=inputs)
    h = np.eye(len(a))[places]
    _, after, likelihood = kalman(
        a, h, factor @ factor.T, noise, start.mean, start.covariance, rows, inputs, b
    )
    assert np.allclose(found.filtered, [h @ x for x, _ in after], rtol=0, atol=1e-10)
    covariances = [h @ p @ h.T for _, p in after]
    assert np.allclose(found.filtered_covariances, covariances, rtol=1e-10, atol=1e-10)
    assert found.log_likelihood == pytest.approx(likelihood, rel=1e-10)
    assert np.allclose(found.last.mean, after[-1][0], rtol=0, atol=1e-10)
    assert np.allclose(found.last.covariance, after[-1][1], rtol=0, atol=1e-10)


def test_with_all_later_rows_it_is_the_smoother_of_rauch_tung_and_striebel(problem):
    a, b, places, noise, factor, inputs, rows, start = problem
    found = assimilate(
        linear(a, b), rows, places, noise, factor, start, inputs=inputs, lag=len(rows)
    )
    h = np.eye(len(a))[places]
    before, after, _ = kalman(
        a, h, factor @ factor.T, noise, start.mean, start.covariance, rows, inputs, b
    )
    whole = smoothed(a, before, after)
    assert np.allclose(found.smoothed, [h @ x for x, _ in whole], rtol=0, atol=1e-9)
    covariances = [h @ p @ h.T for _, p in whole]
    assert np.allclose(found.smoothed_covariances, covariances, rtol=0, atol=1e-9)


def test_a_lag_takes_just_so_many_later_rows(problem):
    """The value at row k, smoothed with lag 5, is that of the rows up to k + 5 alone."""
    a, b, places, noise, factor, inputs, rows, start = problem
    arguments = linear(a, b), places, noise, factor, start
    found = assimilate(arguments[0], rows, *arguments[1:], inputs=inputs, lag=5)
    for k in (0, 17, 24, 40, 57):
        stop = min(k + 6, len(rows))
        alone = assimilate(
            arguments[0], rows[:stop], *arguments[1:], inputs=inputs[:stop], lag=stop
        )
        assert np.allclose(found.smoothed[k], alone.smoothed[k], rtol=0, atol=1e-10)
        assert np.allclose(
            found.smoothed_covariances[k], alone.smoothed_covariances[k], rtol=0, atol=1e-10
        )


def test_missing_rows_give_the_prediction(problem):
    a, b, places, noise, factor, inputs, _, start = problem
    found = assimilate(
        linear(a, b), np.full((9, 2), np.nan), places, noise, factor, start, inputs=inputs[:9]
    )
    x, p = start.mean, start.covariance
    for k in range(9):
        if k:
            x, p = a @ x + b @ inputs[k - 1], a @ p @ a.T + factor @ factor.T
        assert np.allclose(found.filtered[k], x[places])
        assert np.allclose(found.filtered_covariances[k], p[np.ix_(places, places)])
    assert found.log_likelihood == 0.0


def test_rows_without_noise_are_believed(problem):
    a, b, places, _, factor, inputs, rows, start = problem
    found = assimilate(linear(a, b), rows, places, np.zeros(2), factor, start, inputs=inputs)
    seen = np.isfinite(rows)
    assert np.allclose(found.filtered[seen], rows[seen], atol=1e-9)


def test_a_pass_can_be_cut(problem):
    """Going on from the last state gives what one pass over all rows gives."""
    a, b, places, noise, factor, inputs, rows, start = problem
    system = linear(a, b)
    whole = assimilate(system, rows, places, noise, factor, start, inputs=inputs)
    first = assimilate(system, rows[:25], places, noise, factor, start, inputs=inputs[:25])
    later = advance(system, first.last, inputs[24], factor)
    rest = assimilate(system, rows[25:], places, noise, factor, later, inputs=inputs[25:])
    both = np.vstack([first.filtered, rest.filtered])
    assert np.allclose(both, whole.filtered, rtol=0, atol=1e-10)
    assert first.log_likelihood + rest.log_likelihood == pytest.approx(whole.log_likelihood)


def test_principal_axes_keep_the_covariance_and_are_ordered():
    rng = np.random.default_rng(0)
    for shape in ((9, 4), (4, 9), (3, 3)):
        factor = rng.standard_normal(shape)
        turned = factor @ principal_axes(factor)
        assert np.allclose(turned @ turned.T, factor @ factor.T)
        products = turned.T @ turned
        assert np.allclose(products, np.diag(np.diag(products)), atol=1e-12)
        assert (np.diff(np.diag(products)) <= 1e-12).all()


def test_dropped_axes_matter_as_little_as_they_are_short():
    """Of a linear network that forgets, few axes of 40 give nearly the filter of all."""
    rng = np.random.default_rng(1)
    network = sn.random_reservoir(
        40, 1, activation=sn.Linear(), topology="ring", spectral_radius=0.6, rng=0
    )
    inputs = rng.standard_normal((200, 1))
    factor = 0.3 * network.inputs
    states = sn.drive(network, inputs + 0.3 * rng.standard_normal((200, 1)))
    rows = states[:, :2] + 0.1 * rng.standard_normal((200, 2))
    drives = np.vstack([inputs[1:], np.zeros((1, 1))])
    known = Estimate(np.asarray(sn.drive(network, inputs)[0]), factor)
    arguments = network, rows, [0, 1], [0.01, 0.01], factor, known
    whole, few = (assimilate(*arguments, inputs=drives, rank=rank) for rank in (40, 24))
    assert np.abs(whole.filtered - few.filtered).max() < 1e-3 * np.abs(rows).max()


class Lorenz:
    """One Runge-Kutta step of .02 of the Lorenz system, and its derivative."""

    tangent_dim = 3

    def _slope(self, x, v):
        value = np.array(
            [10 * (x[1] - x[0]), x[0] * (28 - x[2]) - x[1], x[0] * x[1] - 8 / 3 * x[2]]
        )
        jacobian = np.array([[-10, 10, 0], [28 - x[2], -1, -x[0]], [x[1], x[0], -8 / 3]])
        return value, jacobian @ v

    def step(self, x, s):
        return self.tangent_step(x, s, np.zeros((3, 1)))[0]

    def tangent_step(self, x, s, v, dt=0.02):
        k1, d1 = self._slope(x, v)
        k2, d2 = self._slope(x + dt / 2 * k1, v + dt / 2 * d1)
        k3, d3 = self._slope(x + dt / 2 * k2, v + dt / 2 * d2)
        k4, d4 = self._slope(x + dt * k3, v + dt * d3)
        return x + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4), v + dt / 6 * (d1 + 2 * d2 + 2 * d3 + d4)


@pytest.mark.parametrize("places", [[0, 1, 2], [0]])
def test_on_a_chaotic_system_the_innovations_are_as_large_as_expected(places):
    """e²/c has mean 1: 3,000 rows leave a standard error of √(2/3000) for each column.

    The estimate is better than the rows, smoothing better still, and hidden variables are found.
    """
    rng, T, sigma, q = np.random.default_rng(3), 3000, 1.0, 0.02
    x = np.empty((T, 3))
    x[0] = sn.datasets.lorenz(600)[-1]
    for k in range(1, T):
        x[k] = Lorenz().step(x[k - 1], None) + q * rng.standard_normal(3)
    rows = x[:, places] + sigma * rng.standard_normal((T, len(places)))
    start = Estimate(x[0] + rng.standard_normal(3), np.eye(3))
    noise = np.full(len(places), sigma**2)
    found = assimilate(Lorenz(), rows, places, noise, q * np.eye(3), start, lag=40)
    ratio = np.square(found.innovations) / found.variances
    assert ratio.mean() == pytest.approx(1.0, abs=4 * np.sqrt(2 / ratio.size))
    errors = [
        np.sqrt(np.square(part - x[:, places])[100:-100].mean())
        for part in (rows, found.filtered, found.smoothed)
    ]
    assert errors[1] < 0.4 * errors[0] and errors[2] < 0.75 * errors[1]
    claimed = np.trace(found.smoothed_covariances, axis1=1, axis2=2)[100:-100].mean() / len(places)
    assert errors[2] ** 2 == pytest.approx(claimed, rel=0.3)
    assert np.abs(found.last.mean - x[-1]).max() < 5 * found.last.deviations.max()


def test_more_noise_than_there_is_and_less_are_less_likely(problem):
    """The likelihood of many rows is highest near the noise that they have."""
    a, _, places, noise, factor, _, _, start = problem
    rng, T = np.random.default_rng(9), 4000
    state, rows = start.mean.copy(), np.empty((T, 2))
    system = linear(0.9 * a / max(1.0, np.abs(np.linalg.eigvals(a)).max()))
    for k in range(T):
        state = system.step(state, np.zeros(1)) + factor @ rng.standard_normal(2)
        rows[k] = state[places] + np.sqrt(noise) * rng.standard_normal(2)
    likely = [
        assimilate(system, rows, places, scale * noise, factor, start, inputs=np.zeros((T, 1)))
        for scale in (0.5, 1.0, 2.0)
    ]
    found = [one.log_likelihood for one in likely]
    assert found[1] > max(found[0], found[2])


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"rows": np.zeros((5, 3))}, "rows must have one column for each of the 2 places"),
        ({"observation": [1.0, -1.0]}, "observation must hold a variance of at least 0"),
        ({"process": np.zeros((3, 1))}, "process must be a factor of 4 rows"),
        ({"rank": 0}, "rank must be a whole number of at least 1"),
        ({"lag": -1}, "lag must be a whole number of at least 0"),
        ({"places": [0, 4]}, "places must be components of the state, 0 to 3, got 4"),
        ({"rows": np.full((5, 2), np.inf)}, "rows must be numbers, or NaN where they are missing"),
        ({"inputs": np.zeros((4, 1))}, "inputs must have as many rows as rows"),
        ({"system": sn.ESNForecaster()}, "system must be a System"),
    ],
)
def test_bad_input_is_one_sentence(change, sentence):
    arguments = {
        "system": linear(np.eye(4)),
        "rows": np.zeros((5, 2)),
        "places": [0, 1],
        "observation": [1.0, 1.0],
        "process": np.zeros((4, 1)),
        "start": Estimate(np.zeros(4), np.eye(4)),
        "inputs": np.zeros((5, 1)),
    }
    with pytest.raises(sn.BadInput, match=sentence):
        assimilate(**(arguments | change))
