"""The sphere, activations, metrics and grids against plain numpy and against 60 digits."""

import mpmath as mp
import numpy as np
import pytest

import plain
import spheresn as sn
from spheresn import metrics, sphere

TINY = float(np.finfo(float).tiny)


def exact_unit(vector):
    length = mp.sqrt(mp.fsum(mp.mpf(float(v)) ** 2 for v in vector))
    return [mp.mpf(float(v)) / length for v in vector], length


def check_geometry(rng):
    """Lengths from 1e-300 to 1e300: unit vectors to a few units of the last place, lengths
    likewise.
    """
    vector = rng.standard_normal(6) * 10.0 ** rng.uniform(-300, 300)
    with mp.workdps(60):
        unit, length = exact_unit(vector)
        assert abs(sphere.norm(vector) / length - 1) < 4 * plain.EPS
        assert (
            max(abs(got - want) for got, want in zip(sphere.unit(vector), unit, strict=True))
            < 4 * plain.EPS
        )
        v, radius = rng.standard_normal(6), 10.0 ** rng.uniform(-3, 3)
        along = mp.fsum(u * float(t) for u, t in zip(unit, v, strict=True))
        pushed = [
            mp.mpf(radius) / length * (float(t) - along * u) for u, t in zip(unit, v, strict=True)
        ]
        size = mp.mpf(radius) / length * float(np.linalg.norm(v))
        got = sphere.project_pushforward(vector, v, radius)
        assert (
            max(abs(float(g) - p) for g, p in zip(got, pushed, strict=True))
            < 16 * plain.EPS * size + TINY
        )


def check_distance(rng):
    """Angles from 1e-15 to π - 1e-15. Rounding the two directions moves each by eps, so eps is what
    any method can promise.
    """
    x = rng.standard_normal(5)
    gap = 10.0 ** rng.uniform(-15, 0)
    y = (x + gap * rng.standard_normal(5)) * [1, -1][rng.integers(2)] * 10.0 ** rng.uniform(-5, 5)
    with mp.workdps(60):
        (u, _), (v, _) = exact_unit(x), exact_unit(y)
        apart, together = (
            mp.sqrt(mp.fsum((a + s * b) ** 2 for a, b in zip(u, v, strict=True))) for s in (-1, 1)
        )
        assert (
            abs(sphere.geodesic_distance(x, y, 3.0) - 6 * mp.atan2(apart, together))
            < 12 * plain.EPS
        )


def check_activation(rng):
    """Value and derivative of every activation; Tanh beyond 1, where 1 - tanh² cancels, to the
    digits of tanh.
    """
    for act in plain.KINDS:
        a, v = rng.standard_normal(7) * 10.0 ** rng.uniform(-1, 1), rng.standard_normal((7, 2))
        value, slope = plain.activation(act, a)
        scale = np.linalg.norm(slope, 2) * np.linalg.norm(v)
        assert np.allclose(act.value(a), value, rtol=0, atol=8 * plain.EPS * np.abs(value).max())
        assert np.allclose(
            act.pushforward(a, v),
            slope @ v,
            rtol=0,
            atol=20 * plain.EPS * max(scale, np.linalg.norm(v)),
        )


def check_states(rng):
    """The compiled loop against the formula; contracting networks do not let rounding grow."""
    reservoir, signal, start = plain.random_case(rng)
    states = plain.run(reservoir, signal, start)[0]
    assert np.allclose(
        sn.drive(reservoir, signal, start), states, rtol=0, atol=1e-11 * np.abs(states).max()
    )


def check_metrics(rng):
    """Sums by Python's exact fsum in 60 digits, from errors of 1e-12 of the spread to a
    thousandfold of it.
    """
    rows, columns = int(rng.integers(2, 40)), int(rng.integers(1, 4))
    target = rng.standard_normal((rows, columns)) * 10.0 ** rng.uniform(
        -3, 3
    ) + rng.standard_normal(columns) * 10.0 ** rng.uniform(-3, 5)
    guess = target + target.std() * 10.0 ** rng.uniform(-12, 3) * rng.standard_normal(
        (rows, columns)
    )
    with mp.workdps(60):
        exact = [[mp.mpf(float(v)) for v in row] for row in target]
        mean = [mp.fsum(column) / rows for column in zip(*exact, strict=True)]
        spread = mp.fsum((v - m) ** 2 for row in exact for v, m in zip(row, mean, strict=True))
        errors = [
            mp.fsum((v - float(g)) ** 2 for v, g in zip(*pair, strict=True))
            for pair in zip(exact, guess, strict=True)
        ]
        wanted = mp.sqrt(mp.fsum(errors) / spread)
        digits = 8 * plain.EPS * (1 + np.abs(target).max() / float(mp.sqrt(spread / rows)))
        assert abs(metrics.nrmse(target, guess) - wanted) <= digits * max(wanted, 1)
        assert abs(metrics.accuracy(target, guess) - max(1 - wanted, 0)) <= digits * max(wanted, 1)
        relative = [mp.sqrt(error / (spread / rows)) for error in errors]
        limit = (
            float(np.exp(rng.uniform(-3, 3))) * float(np.median([float(r) for r in relative]))
            + 1e-15
        )
        left = next((k for k, error in enumerate(relative) if error > limit), rows)
    assert metrics.valid_time(target, guess, limit, dt=0.25) == 0.25 * left


def check_grid(rng):
    """W rescaled by its own largest eigenvalue, W_in by the scaling, b as it is: each point run by
    itself in plain numpy.
    """
    reservoir, signal, start = plain.random_case(rng, steps=25)
    radii, scalings = rng.uniform(0.1, 0.9, 2), 10.0 ** rng.uniform(-2, 1, 3)
    states = sn.drive_grid(reservoir, signal, radii, scalings, start)
    w = reservoir.recurrent.toarray()
    own = np.abs(np.linalg.eigvals(w)).max()
    for i, radius in enumerate(radii):
        for j, scaling in enumerate(scalings):
            point = sn.Reservoir(
                w * radius / own,
                reservoir.inputs * scaling,
                reservoir.activation,
                reservoir.bias,
                reservoir.leak,
            )
            expected = plain.run(point, signal, start)[0]
            assert np.allclose(states[i, j], expected, rtol=0, atol=1e-11 * np.abs(expected).max())


CHECKS = [check_geometry, check_distance, check_activation, check_states, check_metrics, check_grid]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_core_equals_its_plain_version(check, seed):
    check(np.random.default_rng([2, seed]))


def test_single_precision_vectors_longer_than_their_type_keep_their_direction():
    """Four entries of 3e38 are 6e38 long, beyond float32; they were projected to zero."""
    vector = np.full(4, 3e38, np.float32)
    assert np.array_equal(sphere.project(vector), np.full(4, 0.5, np.float32))


def test_the_derivative_at_a_vanishing_vector_is_named_and_never_nan():
    with pytest.raises(
        sn.StateOverflow, match=r"r/\|a\|, overflows at \|a\| = 4.94e-324; add a bias"
    ):
        sphere.project_pushforward(np.array([5e-324, 0.0]), np.array([1.0, 0.0]))


def test_errors_beyond_the_largest_number_are_measured():
    """The prediction is the target with the wrong sign: twice its root mean square, in units of
    that.
    """
    assert metrics.nrmse([1e308, -1e308], [-1e308, 1e308]) == 2.0
    assert metrics.nrmse([1.7e308, 1.6e308, 1.7e308, 1.6e308], [1.65e308] * 4) == pytest.approx(
        1.0, rel=1e-14
    )


def test_a_grid_reaches_any_ratio(rng):
    """A scaling 1e320 times the spectral radius: the quotient overflowed, though every point can be
    run. Only the input counts there.
    """
    reservoir, signal = sn.random_reservoir(8, rng=0), rng.standard_normal((10, 1))
    expected = np.sign(signal) * sphere.unit(reservoir.inputs[:, 0])
    for radius, scaling in ((1e-320, 1.0), (1e-300, 1e20), (1e-200, 1e5)):
        assert np.allclose(
            sn.drive_grid(reservoir, signal, radius, scaling)[0, 0], expected, atol=1e-15
        )
