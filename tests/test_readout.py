"""Readouts: algebra against the definition, brute force and known answers."""

from dataclasses import replace
from functools import reduce
from operator import add

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import Ridge

import spheresn as sn
from conftest import network
from spheresn.readout import (
    Eigen,
    Gram,
    Quadratic,
    RecursiveLeastSquares,
    Sample,
    Weights,
    factor,
    force,
    leave_one_out,
    solve,
)
from spheresn.readout.gram import product
from spheresn.readout.loo import LEAST_SAMPLE_ROWS, choose_penalty, cross_validate, screen_penalty
from spheresn.readout.ridge import solve_within


def problem(rng, rows=200, states=12, targets=3):
    x = rng.standard_normal((rows, states)) @ rng.standard_normal((states, states)) + 5.0
    return x, x @ rng.standard_normal((states, targets)) + 0.1 * rng.standard_normal(
        (rows, targets)
    ) - 3.0


@pytest.mark.parametrize("penalty", [1e-8, 1.0, 1e4])
def test_ridge_satisfies_its_normal_equations(penalty, rng):
    """Xᵀ(y - b - XW) = penalty W, and the residuals sum to zero because the intercept is free."""
    x, y = problem(rng)
    for weights in (solve(Gram.of(x, y), penalty), Eigen.of(Gram.of(x, y)).solve(penalty)):
        residuals = y - weights(x)
        assert np.allclose(residuals.sum(axis=0), 0.0, atol=1e-7)
        assert np.allclose(x.T @ residuals, penalty * weights.matrix, atol=1e-6 * max(penalty, 1.0))
        assert np.allclose(
            weights.matrix, Ridge(alpha=penalty).fit(x, y).coef_.T, rtol=1e-6, atol=1e-9
        )


def test_an_exact_law_is_found_whatever_the_offset(rng):
    x = rng.standard_normal((100, 4)) + 1e6
    law = rng.standard_normal((4, 2))
    weights = solve(Gram.of(x, x @ law + 7.0), 0.0)
    assert np.allclose(weights.matrix, law, atol=1e-7)


@given(st.lists(st.integers(1, 3000), min_size=1, max_size=5))
def test_gram_matrices_of_pieces_add_up(lengths):
    rng = np.random.default_rng(sum(lengths))
    x, y = problem(rng, sum(lengths), 5, 2)
    cuts = np.cumsum(lengths)[:-1]
    parts = reduce(
        add, (Gram.of(a, b) for a, b in zip(np.split(x, cuts), np.split(y, cuts), strict=True))
    )
    scatter = (x - x.mean(axis=0)).T @ (x - x.mean(axis=0))
    assert parts.count == len(x)
    assert np.allclose(np.tril(parts.scatter), np.tril(scatter), rtol=1e-10, atol=1e-9)
    assert np.allclose(
        parts.cross, (x - x.mean(axis=0)).T @ (y - y.mean(axis=0)), rtol=1e-10, atol=1e-8
    )
    assert np.allclose(parts.target_scatter, ((y - y.mean(axis=0)) ** 2).sum(axis=0), rtol=1e-10)


def test_single_precision_states_are_summed_in_double(rng):
    x, y = (part.astype(np.float32) for part in problem(rng))
    assert np.array_equal(Gram.of(x, y).scatter, Gram.of(x.astype(float), y.astype(float)).scatter)


def test_no_penalty_on_a_singular_matrix_is_the_minimum_norm_solution(rng):
    x, y = problem(rng, rows=30, states=6)
    doubled = np.hstack([x, x, np.zeros((30, 2))])
    weights = solve(Gram.of(doubled, y), 0.0)
    expected = np.linalg.pinv(doubled - doubled.mean(axis=0)) @ (y - y.mean(axis=0))
    assert np.allclose(weights.matrix, expected, atol=1e-9)
    assert (
        np.allclose(weights.matrix[:6], weights.matrix[6:12], atol=1e-10)
        and not weights.matrix[12:].any()
    )
    constant = solve(Gram.of(np.ones((5, 2)), np.arange(5.0)[:, None]), 0.0)
    assert not constant.matrix.any() and constant.intercept[0] == 2.0


def test_states_with_tiny_variances_stay_solvable(rng):
    """In the paper's setting the states hardly move; the readout must still recall the input.

    Its weights must stay finite.
    """
    reservoir = network(1000, sn.OnSphere(), rng, spectral_radius=15.0, input_scaling=0.01)
    signal = sn.datasets.white_noise(4500, rng)
    states, target = sn.drive(reservoir, signal)[500:], np.roll(signal, 5, axis=0)[500:]
    gram = Gram.of(states[:3000], target[:3000])
    for share in (0.0, 1e-14, 1e-12, 1e-10):
        weights = solve(gram, share * gram.trace)
        assert sn.metrics.accuracy(target[3000:], weights(states[3000:])) > 0.95


@pytest.mark.parametrize("penalty", [0.0, 1e-3, 10.0])
def test_leave_one_out_equals_leaving_one_out(penalty, rng):
    x, y = problem(rng, rows=40)
    errors = leave_one_out(factor(Gram.of(x, y), penalty), x, y)
    for i in range(40):
        others = np.arange(40) != i
        alone = solve(Gram.of(x[others], y[others]), penalty)
        assert np.allclose(errors[i], y[i] - alone(x[i : i + 1])[0], rtol=1e-6, atol=1e-8)


def test_a_matrix_that_rounding_made_indefinite_is_solved_all_the_same():
    """S = [[1, 1 + δ], [1 + δ, 1]] has the eigenvalues 2 + δ and -δ, so no Cholesky factor.

    The second counts as 0, and C lies along the first eigenvector.
    """
    gap, penalty = 1e-10, 1e-11
    scatter = np.asfortranarray([[1.0, 1.0 + gap], [1.0 + gap, 1.0]])
    gram = Gram(10, np.zeros(2), np.zeros(1), scatter, np.ones((2, 1), order="F"), np.ones(1))
    assert np.allclose(solve(gram, penalty).matrix, 1.0 / (2.0 + gap + penalty), rtol=0, atol=1e-4)
    assert solve_within(gram, penalty) is None


def test_a_readout_made_in_place_is_the_same_to_the_last_bit(rng):
    gram = Gram.of(*problem(rng, rows=60, states=50))
    beside = solve(gram, 0.1).matrix
    within = solve_within(gram, 0.1)
    assert within is not None and np.array_equal(within.matrix, beside)


def test_several_penalties_at_once_are_the_same_as_one_by_one(rng):
    x, y = problem(rng, rows=60, states=50)
    eigen, penalties = Eigen.of(Gram.of(x, y)), [0.0, 1e-3, 2.0]
    for together, penalty in zip(eigen.solve_each(penalties), penalties, strict=True):
        alone = np.linalg.lstsq(_with_ones(x, penalty), np.vstack([y, np.zeros((50, 3))]))[0]
        assert np.allclose(together.matrix, alone[1:], rtol=1e-7, atol=1e-9)


def test_no_penalties_no_readouts(rng):
    x, y = problem(rng, rows=60, states=50)
    assert Eigen.of(Gram.of(x, y)).solve_each([]) == []


@pytest.mark.parametrize("sizes", [(0, 2), (2, 0)])
def test_nothing_to_learn_from_or_to_learn_is_said(sizes):
    x, y = (np.zeros((9, size)) for size in sizes)
    with pytest.raises(
        ValueError,
        match=r"states and targets must have at least one column each, got . and .; say what",
    ):
        Gram.of(x, y)


@pytest.mark.parametrize(
    "shape", [(3, 4, 5), (1, 4, 1), (1, 1, 1), (0, 4, 2), (3, 4, 0), (3, 0, 2)]
)
def test_products_in_any_order_of_memory(shape, rng):
    n, k, m = shape
    orders = [np.ascontiguousarray, np.asfortranarray, lambda z: np.repeat(z, 2, axis=1)[:, ::2]]
    for a, b in (
        (mine(rng.standard_normal((n, k))), its(rng.standard_normal((k, m))))
        for mine in orders
        for its in orders
    ):
        expected = np.array([[sum(a[i, :] * b[:, j]) for j in range(m)] for i in range(n)]).reshape(
            n, m
        )
        assert product(a, b).flags.c_contiguous and np.allclose(
            product(a, b), expected, rtol=0, atol=1e-14
        )


def _with_ones(x, penalty):
    """Ridge as least squares: a column of ones, a row √penalty e_i for each penalised weight."""
    return np.block(
        [
            [np.ones((len(x), 1)), x],
            [np.zeros((x.shape[1], 1)), np.sqrt(penalty) * np.eye(x.shape[1])],
        ]
    )


@pytest.mark.parametrize("noise", [0.0, 0.1, 20.0])
def test_the_chosen_penalty_is_the_best_of_the_ladder(noise, rng):
    x, y = problem(rng, rows=60, states=50)
    y = y + noise * rng.standard_normal(y.shape)
    gram = Gram.of(x, y)
    penalty, error, weights = choose_penalty(gram, Sample.empty(50, 3).taking(x, y))
    ladder = gram.trace * 10.0 ** np.arange(-14.0, 1.0)
    left_out = [leave_one_out(factor(gram, one), x, y) for one in ladder]
    errors = [
        np.sqrt((np.square(e).mean(axis=0) / (gram.target_scatter / 60)).mean()) for e in left_out
    ]
    assert error == pytest.approx(min(errors), rel=1e-9) and penalty == pytest.approx(
        ladder[np.argmin(errors)]
    )
    assert np.allclose(weights.matrix, Eigen.of(gram).solve(penalty).matrix, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_a_large_network_gets_a_penalty_as_good_as_the_best(noise, rng):
    """On new rows no decade is more than a tenth better than the chosen penalty.

    The search over 1,100 states starts from the best penalty of a subset of the states.
    """
    reservoir = network(1100, sn.OnSphere(bend=0.5), rng, topology="ring", bias_scaling=1.0)
    signal = sn.datasets.mackey_glass(4000)
    states, target = (
        sn.drive(reservoir, signal[:-1])[100:],
        signal[101:] + noise * rng.standard_normal((3899, 1)),
    )
    gram = Gram.of(states[:2900], target[:2900])
    _, _, chosen = choose_penalty(gram, Sample.empty(1100, 1).taking(states[:2900], target[:2900]))
    errors = [
        sn.metrics.nrmse(target[2900:], solve(gram, gram.trace * 10.0**decade)(states[2900:]))
        for decade in range(-14, 1)
    ]
    assert sn.metrics.nrmse(target[2900:], chosen(states[2900:])) < 1.1 * min(errors)


@pytest.mark.parametrize("penalty", [1e-3, 10.0])
def test_generalised_cross_validation_is_its_formula(penalty, rng):
    """√(|(1 - H) y|² n/tr(1 - H)²/V), with the matrix H that maps targets to fitted values."""
    x, y = problem(rng, rows=60, states=20)
    y = y + 0.1 * rng.standard_normal(y.shape)
    z, n = x - x.mean(axis=0), len(x)
    hat = 1.0 / n + z @ np.linalg.solve(z.T @ z + penalty * np.eye(20), z.T)
    rest = np.eye(n) - hat
    ratios = np.square(rest @ y).sum(axis=0) / np.square(y - y.mean(axis=0)).sum(axis=0)
    expected = np.sqrt(ratios.mean()) * n / np.trace(rest)
    assert cross_validate(Gram.of(x, y), penalty) == pytest.approx(expected)


def test_equal_leverages_make_it_the_leave_one_out_error(rng):
    """Three cosine and sine waves have the same leverage at all twelve times."""
    times = 2.0 * np.pi * np.arange(12.0)[:, None] / 12.0
    x = np.hstack([f(k * times) for k in (1, 2, 3) for f in (np.cos, np.sin)])
    y = rng.standard_normal((12, 1))
    gram = Gram.of(x, y)
    errors = leave_one_out(factor(gram, 0.5), x, y)
    assert cross_validate(gram, 0.5) == pytest.approx(
        np.sqrt(np.square(errors).mean() / y.var()), rel=1e-12
    )


def test_rows_that_determine_nothing_left_out_have_an_infinite_error(rng):
    """As many rows as states; and states whose scatter rounding has made indefinite."""
    x = rng.standard_normal((6, 5))
    assert cross_validate(Gram.of(x, x[:, :1]), 1e-12) == np.inf
    gram = replace(Gram.of(x, x[:, :1]), scatter=np.asfortranarray(-np.eye(5)))
    assert cross_validate(gram, 1e-3) == np.inf


def test_the_screened_penalty_is_the_best_of_its_steps(rng):
    x, y = problem(rng, rows=60, states=20)
    gram = Gram.of(x, y + 3.0 * rng.standard_normal(y.shape))
    decade, error = screen_penalty(gram, -8, 3)
    errors = {one: cross_validate(gram, gram.trace * 10.0**one) for one in (-11, -8, -5, -2)}
    assert errors[decade] == min(errors.values()) == error
    assert screen_penalty(Gram.of(x, y), -8, 3, -11)[0] >= -11


@pytest.mark.parametrize("size", [0.0, 1e-154, 1e-145])
def test_states_that_hardly_vary_leave_the_mean(size, rng):
    """n rows predicted by the mean of the others err by n/(n - 1) deviations, without overflow."""
    x = size * rng.standard_normal((30, 10))
    y = np.linspace(-1.0, 1.0, 30)[:, None]
    assert screen_penalty(Gram.of(x, y), -8, 3)[1] <= 30 / 29 * (1 + 1e-12)
    assert cross_validate(Gram.of(0.0 * x, y), 1e-290) == pytest.approx(30 / 29, rel=1e-12)
    weights = choose_penalty(Gram.of(0.0 * x, y), Sample.empty(10, 1).taking(0.0 * x, y))[2]
    np.testing.assert_allclose(weights(x), 0.0, atol=1e-15)


@given(st.lists(st.integers(1, 4000), min_size=1, max_size=6))
def test_the_sample_does_not_depend_on_the_pieces(lengths):
    rows = np.arange(float(sum(lengths)))[:, None]
    whole = Sample.empty(1, 1).taking(rows, rows)
    pieces = Sample.empty(1, 1)
    for piece in np.split(rows, np.cumsum(lengths)[:-1]):
        pieces = pieces.taking(piece, piece)
    assert np.array_equal(whole.states, pieces.states) and whole.stride == pieces.stride
    assert (
        np.array_equal(whole.states[:, 0], np.arange(0, len(rows), whole.stride))
        and len(whole.states) <= 2 * LEAST_SAMPLE_ROWS
    )


def test_recursive_least_squares_ends_where_ridge_does(rng):
    x, y = problem(rng)
    rls = RecursiveLeastSquares(12, 3, penalty=0.5)
    for first in range(0, 200, 30):
        rls.update(x[first : first + 30], y[first : first + 30])
    z = np.hstack([np.ones((200, 1)), x])
    expected = np.linalg.solve(z.T @ z + 0.5 * np.eye(13), z.T @ y)
    assert np.allclose(rls.weights.matrix, expected[1:], atol=1e-9)
    assert np.allclose(rls.weights.intercept, expected[0], atol=1e-9)


def test_forgetting_is_a_weighted_fit(rng):
    """The normal equations of Σ λ^{n-k} |y_k - z_kᵀw|², with the rows that restore the penalty."""
    x, y = problem(rng, rows=150, states=4, targets=1)
    rls = RecursiveLeastSquares(4, 1, penalty=0.3, forgetting=0.95)
    rls.update(x, y)
    gram, right = 0.3 * np.eye(5), np.zeros((5, 1))
    for k in range(150):
        z = np.concatenate([[1.0], x[k]])
        gram, right = 0.95 * gram + np.outer(z, z), 0.95 * right + np.outer(z, y[k])
        gram[k % 5, k % 5] += 0.05 * 0.3 * 5
    assert np.allclose(rls.weights.matrix, np.linalg.solve(gram, right)[1:], atol=1e-9)


def test_a_million_steps_leave_recursive_least_squares_accurate():
    """One half of the signal is silent, where plain recursive least squares diverges.

    Then a known law follows, which must be found up to rounding.
    """
    rng = np.random.default_rng(3)
    rls = RecursiveLeastSquares(3, 1, penalty=1e-6, forgetting=0.999)
    law = np.array([[1.0], [-2.0], [0.5]])
    rls.update(np.zeros((500_000, 3)), np.zeros((500_000, 1)))
    x = rng.standard_normal((500_000, 3))
    rls.update(x, x @ law + 4.0)
    assert np.allclose(rls.weights.matrix, law, atol=1e-8) and rls.weights.intercept[
        0
    ] == pytest.approx(4.0, abs=1e-8)


@pytest.mark.parametrize("activation", [sn.Tanh(), sn.OnSphere(radius=12.0, bend=0.5)])
def test_force_teaches_a_network_to_go_on_alone(activation, rng):
    """After training, the closed loop with the fixed readout continues the sine for ten periods."""
    wave = np.sin(2 * np.pi * np.arange(3000) / 25)[:, None]
    reservoir = network(
        150, activation, rng, spectral_radius=0.9, bias_scaling=1.0, input_scaling=0.5
    )
    trained = force(reservoir, wave, penalty=1e-6)
    state, output, outputs = trained.state, trained.outputs[-1], []
    for _ in range(250):
        state = reservoir.step(state, output)
        output = trained.weights(state[None])[0]
        outputs.append(output)
    future = np.sin(2 * np.pi * np.arange(3000, 3250) / 25)[:, None]
    assert np.abs(np.array(outputs) - future).max() < 0.1


def test_quadratic_features_are_products_of_standard_uncorrelated_scores(rng):
    x, y = problem(rng, rows=500, states=8)
    features = Quadratic.of(Gram.of(x, y), 3)
    values = features(x)
    scores = (x - features.centre) @ features.components.T
    assert np.allclose(np.cov(scores.T, bias=True), np.eye(3), atol=1e-9)
    assert values.shape == (500, 8 + 6) and np.array_equal(values[:, :8], x)
    assert np.allclose(values[:, 8], scores[:, 0] ** 2) and np.allclose(
        values[:, 9], scores[:, 0] * scores[:, 1]
    )


def test_bad_readouts_get_a_sentence(rng):
    with pytest.raises(ValueError, match="penalty must be finite and at least 0"):
        solve(Gram.of(np.eye(2), np.eye(2)), -1.0)
    with pytest.raises(ValueError, match="targets must have as many rows as states, 2, got 3"):
        Gram.of(np.eye(2), np.eye(3))
    with pytest.raises(ValueError, match=r"forgetting must be in \(0, 1\]"):
        RecursiveLeastSquares(2, 1, forgetting=0.0)
    with pytest.raises(ValueError, match=r"signal must have 0 column"):
        force(network(5, sn.Tanh(), rng), np.ones(4), np.ones(4))


def test_the_sums_of_no_rows_add_nothing(rng):
    gram = Gram.of(*problem(rng))
    nothing = Gram.of(np.empty((0, 12)), np.empty((0, 3)))
    assert gram + nothing is gram and nothing + gram is gram


def test_what_leaves_the_range_of_numbers_gets_a_sentence(rng):
    states = 1e200 * rng.standard_normal((20, 3))
    with pytest.raises(
        ValueError,
        match=r"states and targets must have squares that fit into a float, "
        r"got values up to \S+e\+200; scale",
    ):
        Gram.of(states, states)
    with pytest.raises(sn.StateOverflow, match="the output left the range"):
        Weights(np.full((3, 1), 1e200), np.zeros(1))(np.full((2, 3), 1e200))
    with pytest.raises(sn.StateOverflow, match="products of states left the range"):
        Quadratic(np.zeros(3), np.eye(3))(states)
    growing = sn.Reservoir(1e200 * np.eye(3), np.ones(3), sn.Linear())
    with pytest.raises(
        sn.StateOverflow,
        match=r"the network overflowed at step \d+ of the training; lower the spectral radius",
    ):
        force(growing, np.ones(20), start=np.ones(3))


def test_joined_samples_are_thinned_together():
    """600 rows are more than a sample holds, so every second one of both series stays."""
    rows = np.arange(300.0)[:, None]
    one = Sample.empty(1, 1).taking(rows, rows)
    both = one.joined(Sample.empty(1, 1).taking(rows + 1000.0, rows))
    assert (both.seen, both.stride) == (600, 2)
    np.testing.assert_array_equal(both.states, np.vstack([rows[::2], rows[::2] + 1000.0]))
    np.testing.assert_array_equal(both.targets, np.vstack([rows[::2], rows[::2]]))
