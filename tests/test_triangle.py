"""Orthogonal factorisation: 50 digits as the judge, any order of pieces, the Gram as the rival."""

from functools import reduce
from itertools import permutations
from operator import add

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import spheresn as sn
from spheresn.readout import (
    Eigen,
    Gram,
    Quadratic,
    Sample,
    Triangle,
    factor,
    leave_one_out,
    solve,
)
from spheresn.readout import triangle as module
from spheresn.readout.loo import choose_penalty
from spheresn.readout.triangle import GrowingTriangle

EPS = np.finfo(float).eps


def conditioned(rng, condition, rows=40, states=6, targets=2):
    """Centred states with singular values from 1 to 1/condition, and targets that need them all."""
    left, _ = np.linalg.qr(rng.standard_normal((rows, states + 1)))
    left, _ = np.linalg.qr(left - left.mean(axis=0))
    right, _ = np.linalg.qr(rng.standard_normal((states, states)))
    values = np.geomspace(1.0, 1.0 / condition, states)
    x = (left[:, :states] * values) @ right.T
    return x, x @ (right / values) @ rng.standard_normal((states, targets))


def exact_ridge(x, y, penalty):
    """Weights of ridge regression in 50 digits, rounded."""
    with mp.workdps(50):
        xs, ys, n = mp.matrix(x.tolist()), mp.matrix(y.tolist()), len(x)
        centre = mp.eye(n) - mp.ones(n) / n
        scatter = xs.T * centre * xs + mp.mpf(penalty) * mp.eye(x.shape[1])
        columns = [mp.lu_solve(scatter, xs.T * centre * ys[:, j]) for j in range(y.shape[1])]
    return np.array([[float(value) for value in column] for column in columns]).T


@pytest.mark.parametrize("condition", [1e6, 1e10, 1e14])
def test_weights_are_exact_where_those_of_the_gram_are_lost(condition, rng):
    """An orthogonal factorisation loses eps times the condition, a Gram matrix eps times its square
    [GOL13, section 5.3]. The penalty leaves the least singular value as it is.
    """
    x, y = conditioned(rng, condition)
    penalty = 1e-2 / condition**2
    expected = exact_ridge(x, y, penalty)
    scale = np.abs(expected).max()
    triangle, gram = Triangle.of(x, y), Gram.of(x, y)
    for found in (solve(triangle, penalty), Eigen.of(triangle).solve(penalty)):
        assert np.abs(found.matrix - expected).max() < 100 * EPS * condition * scale
    if condition > 1e8:
        assert np.abs(solve(gram, penalty).matrix - expected).max() > 0.1 * scale


@pytest.mark.parametrize("penalty", [0.0, 1e-6, 1.0, 1e4])
def test_both_kinds_of_moments_agree_where_the_condition_is_small(penalty, rng):
    x = rng.standard_normal((300, 12)) + 5.0
    y = x @ rng.standard_normal((12, 3)) + 0.1 * rng.standard_normal((300, 3))
    gram, triangle = Gram.of(x, y), Triangle.of(x, y)
    assert triangle.trace == pytest.approx(gram.trace, rel=1e-12)
    assert triangle.target_scatter == pytest.approx(gram.target_scatter, rel=1e-12)
    assert np.allclose(np.tril(triangle.states.T @ triangle.states), np.tril(gram.scatter))
    assert np.allclose(triangle.states.T @ triangle.targets, gram.cross)
    one, other = solve(gram, penalty), solve(triangle, penalty)
    assert np.allclose(one.matrix, other.matrix, rtol=1e-9, atol=1e-12)
    assert np.allclose(one.intercept, other.intercept, rtol=1e-9)
    assert np.allclose(
        leave_one_out(factor(gram, penalty), x, y),
        leave_one_out(factor(triangle, penalty), x, y),
        atol=1e-9,
    )


def test_leave_one_out_equals_leaving_one_out_at_a_condition_that_the_gram_cannot_have(rng):
    x, y = conditioned(rng, 1e10)
    y = y + 1e-3 * rng.standard_normal(y.shape)
    penalty = 1e-18
    errors = leave_one_out(factor(Triangle.of(x, y), penalty), x, y)
    for i in range(0, len(x), 7):
        others = np.arange(len(x)) != i
        alone = solve(Triangle.of(x[others], y[others]), penalty)
        assert errors[i] == pytest.approx(y[i] - alone(x[i : i + 1])[0], rel=1e-4)


@given(st.lists(st.integers(1, 2500), min_size=1, max_size=5))
def test_triangles_of_pieces_add_up_in_any_order(lengths):
    rng = np.random.default_rng(sum(lengths))
    x = rng.standard_normal((sum(lengths), 5)) @ rng.standard_normal((5, 5)) + 100.0
    y = x[:, :2] + rng.standard_normal((len(x), 2))
    cuts = np.cumsum(lengths)[:-1]
    whole = Triangle.of(x, y)
    parts = [
        Triangle.of(*piece) for piece in zip(np.split(x, cuts), np.split(y, cuts), strict=True)
    ]
    size = np.abs(whole.factor).max()
    for order in list(permutations(parts))[:6]:
        joined = reduce(add, order)
        assert joined.count == len(x)
        assert np.allclose(joined.state_mean, x.mean(axis=0), rtol=1e-12)
        # The same triangle up to the signs of its rows
        assert np.allclose(np.abs(joined.factor), np.abs(whole.factor), atol=1e-9 * size)


def test_growth_does_not_depend_on_how_rows_are_cut(rng, monkeypatch):
    monkeypatch.setattr(module, "REDUCED_ROWS", 64)
    x, y = rng.standard_normal((300, 4)) + 7.0, rng.standard_normal((300, 1))
    grown = GrowingTriangle.empty(4, 1)
    for first, last in [(0, 1), (1, 70), (70, 70), (70, 299), (299, 300)]:
        grown.take(x[first:last], y[first:last])
        copied = grown.copy()
    assert np.array_equal(grown.moments.factor, Triangle.of(x, y).factor)
    assert np.array_equal(copied.moments.factor, grown.moments.factor)
    copied.take(x, y)
    assert copied.moments.count == 600 and grown.moments.count == 300


def test_a_million_rows_far_from_zero_keep_their_scatter(rng):
    """Against the covariance from which they are drawn: its sampling error is 1e-3."""
    mixed = np.tril(rng.standard_normal((4, 4))) + 2 * np.eye(4)
    grown = GrowingTriangle.empty(4, 1)
    for _ in range(1000):
        x = rng.standard_normal((1000, 4)) @ mixed.T + 1e6
        grown.take(x, x[:, :1])
    moments = grown.moments
    assert moments.count == 10**6
    assert moments.states.T @ moments.states / 10**6 == pytest.approx(mixed @ mixed.T, abs=0.1)
    assert solve(moments, 0.0).matrix[:, 0] == pytest.approx([1.0, 0.0, 0.0, 0.0], abs=1e-9)


def test_noise_adds_the_scatter_of_the_response(rng):
    """E Σ (x + εd)(x + εd)ᵀ = S + ε² Σ ddᵀ; targets that do not move shrink the weights."""
    x, d = rng.standard_normal((500, 3)), rng.standard_normal((500, 3))
    y = x @ rng.standard_normal((3, 2))
    rows, response = Triangle.of(x, y), Triangle.of(d, np.zeros((500, 2)))
    noisy = rows.with_scatter(response, 0.5)
    centred = x - x.mean(axis=0), d - d.mean(axis=0)
    scatter = centred[0].T @ centred[0] + 0.25 * centred[1].T @ centred[1]
    assert np.allclose(noisy.states.T @ noisy.states, scatter)
    assert np.allclose(
        solve(noisy, 0.0).matrix, np.linalg.solve(scatter, centred[0].T @ (y - y.mean(axis=0)))
    )
    assert noisy.count == 500 and rows.with_scatter(response, 0.0) is rows


def test_the_penalty_of_a_triangle_reaches_below_that_of_a_gram(rng):
    """A law that needs the last singular value: the leave-one-out error falls to rounding."""
    x, y = conditioned(rng, 1e10, rows=200)
    y = y / np.abs(y).max()
    sample = Sample.empty(*map(len, (x.T, y.T))).taking(x, y)
    coarse = choose_penalty(Gram.of(x, y), sample)
    fine = choose_penalty(Triangle.of(x, y), sample)
    assert fine[0] < 1e-4 * coarse[0]
    assert fine[1] < 1e-4 < 1e-2 < coarse[1]


def test_every_nth_state_is_the_triangle_of_these_states(rng):
    x, y = rng.standard_normal((100, 7)), rng.standard_normal((100, 2))
    some, direct = Triangle.of(x, y).every(3), Triangle.of(x[:, ::3], y)
    assert np.allclose(np.abs(some.factor), np.abs(direct.factor))


def test_degenerate_columns_get_no_weight(rng):
    """A constant column, one column twice, fewer rows than states, a single row."""
    x = rng.standard_normal((50, 3))
    y = x[:, :1] + 2.0
    wide = np.hstack([x, x, np.full((50, 1), 0.1)])
    found = solve(Triangle.of(wide, y), 0.0)
    assert found.matrix[[0, 3], 0] == pytest.approx([0.5, 0.5], abs=1e-12)
    assert found.matrix[[1, 2, 4, 5, 6], 0] == pytest.approx(0.0, abs=1e-12)
    few = solve(Triangle.of(wide[:4], y[:4]), 0.0)
    assert few(wide[:4]) == pytest.approx(y[:4], abs=1e-10)
    alone = solve(Triangle.of(x[:1], y[:1]), 1.0)
    assert not alone.matrix.any() and alone.intercept == pytest.approx(y[0])


def test_principal_components_are_those_of_the_gram(rng):
    x = rng.standard_normal((80, 5)) * [5.0, 3.0, 1.0, 0.5, 0.1]
    one, other = (Quadratic.of(kind.of(x, x), 3) for kind in (Gram, Triangle))
    assert np.allclose(np.abs(one(x)), np.abs(other(x)))


def test_bad_rows_get_a_sentence(rng):
    x = rng.standard_normal((5, 2))
    with pytest.raises(ValueError, match="at least one column each, got 0 and 1"):
        GrowingTriangle.empty(0, 1)
    with pytest.raises(ValueError, match="squares that fit into a float"):
        _ = GrowingTriangle.empty(2, 1).take(1e200 * x, x[:, :1]).moments
    with pytest.raises(ValueError, match="targets"):
        GrowingTriangle.empty(2, 1).take(x, x[:4, :1])
    empty = GrowingTriangle.empty(2, 1).moments
    assert (empty + Triangle.of(x, x[:, :1])).count == 5 == (Triangle.of(x, x[:, :1]) + empty).count


def test_states_of_a_network_have_directions_that_only_a_triangle_keeps():
    """The one-step error of Lorenz on rows not learned from, at the best penalty of either kind."""
    series = sn.datasets.lorenz(4000)
    series = (series - series.mean(axis=0)) / series.std(axis=0)
    reservoir = sn.random_reservoir(
        200, 3, activation=sn.OnSphere(bend=1.0), topology="ring", input_scaling=0.02,
        bias_scaling=0.4, rng=0,
    )  # fmt: skip
    states, targets = sn.drive(reservoir, series[:-1])[100:], np.diff(series, axis=0)[100:]
    errors = {}
    for kind, decades in {Gram: range(-14, -8), Triangle: range(-30, -8, 2)}.items():
        moments = kind.of(states[:3000], targets[:3000])
        solved = [solve(moments, moments.trace * 10.0**decade) for decade in decades]
        errors[kind] = min(np.abs(targets[3000:] - one(states[3000:])).max() for one in solved)
    assert errors[Triangle] < 0.02 * errors[Gram]
