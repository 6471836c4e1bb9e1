"""Readouts against brute force: other solvers, refits without each row, 50 digits, plain FORCE."""

import mpmath as mp
import numpy as np
import pytest

import plain
import spheresn as sn
from spheresn.readout import (
    Eigen,
    Gram,
    Quadratic,
    RecursiveLeastSquares,
    Sample,
    factor,
    force,
    leave_one_out,
    solve,
)
from spheresn.readout.loo import LAST_DECADE, choose_penalty


def rows_of_any_kind(rng):
    """States and targets: independent, unequal, collinear, far from zero, or of few rows."""
    kind = ["plain", "unequal", "collinear", "offset", "wide"][rng.integers(5)]
    states, targets = int(rng.integers(2, 9)), int(rng.integers(1, 4))
    rows = states - 1 if kind == "wide" and states > 3 else int(rng.integers(states + 5, 50))
    x = rng.standard_normal((rows, states)) * (
        10.0 ** rng.uniform(-3, 0, states) if kind == "unequal" else 1.0
    )
    x = x + (1e4 if kind == "offset" else 0.0)
    x = (
        np.hstack([x, x @ rng.standard_normal((states, 2)), np.full((rows, 1), 0.1)])
        if kind == "collinear"
        else x
    )
    return x, x @ rng.standard_normal((x.shape[1], targets)) + rng.standard_normal(
        (rows, targets)
    ) - 7.0


def condition(x, penalty):
    """Of S + penalty on the directions that have a variance."""
    values = np.linalg.svd(x - x.mean(axis=0), compute_uv=False) ** 2
    real = (
        values[values > 1e-10 * values[0]]
        if penalty == 0.0
        else np.append(values, [0.0] * (x.shape[1] > len(x) - 1))
    )
    return (real.max() + penalty) / (real.min() + penalty)


def check_ridge(rng):
    """Forming S costs a relative error of n eps, which its condition number multiplies [HIG02]; an
    offset costs its square less.
    """
    x, y = rows_of_any_kind(rng)
    penalty = [0.0, 10.0 ** rng.uniform(-6, 2)][rng.integers(2)]
    expected, intercept = plain.ridge(x, y, penalty)
    digits = 10 * x.size * plain.EPS * condition(x, penalty)
    size = np.abs(expected).max() + np.abs(y - y.mean(axis=0)).max() / np.sqrt(
        condition(x, penalty)
    )
    for weights in (solve(Gram.of(x, y), penalty), Eigen.of(Gram.of(x, y)).solve(penalty)):
        assert np.abs(weights.matrix - expected).max() <= digits * size
        assert np.abs(weights.intercept - intercept).max() <= digits * size * (
            1 + np.abs(x.mean(axis=0)).sum()
        )


def check_tiny_penalties(rng):
    """Penalties down to 1e-15 of the trace, in 50 digits; S itself is well conditioned, so they are
    all well determined.
    """
    x = rng.standard_normal((25, 4)) * 10.0 ** rng.uniform(-2, 0, 4) + rng.standard_normal(4)
    y, gram = rng.standard_normal((25, 1)), Gram.of(x, x[:, :1])
    penalty = gram.trace * 10.0 ** rng.integers(-15, -10)
    with mp.workdps(50):
        xs, ys = mp.matrix(x.tolist()), mp.matrix(y.tolist())
        centre = mp.eye(25) - mp.ones(25) / 25
        exact = mp.lu_solve(xs.T * centre * xs + mp.mpf(penalty) * mp.eye(4), xs.T * centre * ys)
    expected = np.array([[float(value)] for value in exact])
    error = np.abs(solve(Gram.of(x, y), penalty).matrix - expected).max()
    assert error <= 10 * x.size * plain.EPS * condition(x, penalty) * np.abs(expected).max()


def check_leave_one_out(rng):
    """Refit without each row. The closed form divides by the row's room, 1 - h, and so does its
    rounding error.
    """
    x, y = rows_of_any_kind(rng)
    penalty = [0.0, 10.0 ** rng.uniform(-4, 2)][rng.integers(2)]
    got = leave_one_out(factor(Gram.of(x, y), penalty), x, y)
    centred = x - x.mean(axis=0)
    cut = {"rcond": 1e-10} if penalty == 0.0 else {}
    hat = (
        centred
        @ np.linalg.pinv(centred.T @ centred + penalty * np.eye(x.shape[1]), hermitian=True, **cut)
        @ centred.T
    )
    for i, room in enumerate(1 - 1 / len(x) - np.diag(hat)):
        weights, intercept = plain.ridge(np.delete(x, i, 0), np.delete(y, i, 0), penalty)
        digits = 100 * x.size * plain.EPS * condition(x, penalty) / max(room, 1e-16)
        scale = np.abs(y - y.mean(axis=0)).max() / max(room, 1e-16)
        if digits < 1e-3:  # beyond, rounding leaves nothing to compare
            # In the line below, far from zero
            cancelled = 20 * plain.EPS * np.abs(x[i]) @ np.abs(weights).max(axis=1)
            assert (
                np.abs(got[i] - (y[i] - x[i] @ weights - intercept)).max()
                <= digits * scale + cancelled
            )
        elif room < 1e-11:
            assert np.isinf(got[i]).all()


def check_recursion(rng):
    """Weighted least squares: row k counts λ^(n-1-k), as does what is given back to coordinate k
    mod (N + 1); the first penalty λⁿ.
    """
    x, y = rng.standard_normal((2, 80, 5))
    penalty, fade = 10.0 ** rng.uniform(-4, 0), [1.0, 0.9, 0.99][rng.integers(3)]
    learner = RecursiveLeastSquares(5, 5, penalty, fade)
    for piece in np.split(np.arange(80), np.sort(rng.integers(0, 80, 3))):
        learner.update(x[piece], y[piece])
    weights = np.sqrt(fade ** np.arange(79.0, -1.0, -1.0))[:, None]
    back = weights * np.sqrt((1 - fade) * penalty * 6) * np.eye(6)[np.arange(80) % 6]
    rows = np.vstack(
        [weights * np.hstack([np.ones((80, 1)), x]), back, np.sqrt(penalty * fade**80) * np.eye(6)]
    )
    expected = np.linalg.lstsq(rows, np.vstack([weights * y, np.zeros((86, 5))]), rcond=None)[0]
    got = np.vstack([learner.weights.intercept, learner.weights.matrix])
    assert np.abs(got - expected).max() <= 1e3 * plain.EPS * np.linalg.cond(rows) * max(
        np.abs(expected).max(), 1.0
    )


def check_force(rng):
    """The loop in plain numpy, the normal equations solved anew at every correction."""
    reservoir, signal, start = plain.random_case(rng, steps=40)
    outputs, every, fade = (
        int(rng.integers(1, reservoir.n_inputs + 1)),
        int(rng.integers(1, 4)),
        [1.0, 0.9][rng.integers(2)],
    )
    others, wanted, size = (
        signal[:, outputs:],
        np.sin(np.arange(40.0))[:, None] * np.ones(outputs),
        reservoir.units + 1,
    )
    gram, right, weights = 0.1 * np.eye(size), np.zeros((size, outputs)), np.zeros((size, outputs))
    state, output, expected = start, np.zeros(outputs), []
    for k in range(40):
        state = plain.run(reservoir, np.concatenate([others[k], output])[None], state)[0][0]
        z = np.concatenate([[1.0], state])
        if k % every == 0:
            gram, right = fade * gram + np.outer(z, z), fade * right + np.outer(z, wanted[k])
            gram[k // every % size, k // every % size] += (1 - fade) * 0.1 * size
            weights = np.linalg.solve(gram, right)
        output = weights.T @ z
        expected.append(output)
    trained = force(
        reservoir, wanted, others, penalty=0.1, forgetting=fade, every=every, start=start
    )
    assert np.allclose(trained.outputs, expected, rtol=0, atol=1e-7) and np.allclose(
        trained.state, state, rtol=0, atol=1e-7
    )
    assert np.allclose(trained.weights.matrix, weights[1:], rtol=0, atol=1e-6)


def check_quadratic(rng):
    """Scores from a singular value decomposition of the centred rows; their signs are free, so
    products are compared up to sign.
    """
    x = (
        rng.standard_normal((60, 6))
        * [8.0, 5.0, 3.0, 2.0, 1.0, 0.1]
        @ np.linalg.qr(rng.standard_normal((6, 6)))[0]
        + 3.0
    )
    count = int(rng.integers(0, 7))
    scores = np.sqrt(60) * np.linalg.svd(x - x.mean(axis=0), full_matrices=False)[0][:, :count]
    expected = [scores[:, i] * scores[:, j] for i in range(count) for j in range(i, count)]
    features = Quadratic.of(Gram.of(x, x), count)
    assert np.array_equal(features(x)[:, :6], x)
    assert np.allclose(
        np.abs(features(x)[:, 6:]), np.abs(np.array(expected).reshape(-1, 60).T), atol=1e-7
    )
    v = rng.standard_normal((6, 2))
    numeric = [
        (features((x[0] + 1e-5 * t)[None]) - features((x[0] - 1e-5 * t)[None]))[0, 6:] / 2e-5
        for t in v.T
    ]
    assert np.allclose(
        features.pushforward(x[0], v),
        np.transpose(numeric),
        atol=1e-6 * (1 + np.abs(numeric).max(initial=0.0)),
    )


def choice_and_best(rng):
    """The error of the chosen decade, and the least over all decades."""
    rows, states, kind = int(rng.integers(8, 400)), int(rng.integers(2, 60)), rng.integers(4)
    x = rng.standard_normal((rows, states)) * 10.0 ** rng.uniform(-6, 0, states)
    x = x @ rng.standard_normal((states, states)) if kind == 1 else x
    x = (
        sn.drive(
            sn.random_reservoir(states, bias_scaling=0.3, rng=rng), rng.standard_normal(rows + 50)
        )[50:]
        if kind == 2
        else x
    )
    y = x @ rng.standard_normal((states, 2)) / x.std() + 10.0 ** rng.uniform(
        -6, 1
    ) * rng.standard_normal((rows, 2))
    y = np.sin(7 * x[:, :1] / x[:, :1].std()) if kind == 3 else y
    gram = Gram.of(x, y)
    chosen = choose_penalty(gram, Sample.empty(states, y.shape[1]).taking(x, y))[1]
    ladder = [
        leave_one_out(factor(gram, gram.trace * 10.0**decade), x, y)
        for decade in range(gram.least_decade, LAST_DECADE + 1)
    ]
    return chosen, min(
        np.sqrt((np.square(errors).mean(axis=0) / y.var(axis=0)).mean()) for errors in ladder
    )


def check_penalty(rng):
    """Never worse than the mean when a decade is not; else within a tenth of the best, since the
    walk may end in a side valley.
    """
    chosen, best = choice_and_best(rng)
    assert best * (1 - 1e-9) <= chosen <= (best * (1 + 1e-9) if chosen > 1.0 else 1.1 * best)


CHECKS = [
    check_ridge,
    check_tiny_penalties,
    check_leave_one_out,
    check_recursion,
    check_force,
    check_quadratic,
    check_penalty,
]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_readouts_equal_their_plain_versions(check, seed):
    check(np.random.default_rng([1, seed]))


def test_a_constant_column_gets_no_weight_whatever_its_value():
    """Its mean used to be rounded, and the rounding errors were fitted: 0.1 alone got a weight of
    -0.006 from pure noise.
    """
    noise = np.random.default_rng(0).standard_normal((3000, 1))
    assert not solve(Gram.of(np.full((3000, 3), 0.1), noise), 0.0).matrix.any()
    small = 1e-6 * np.random.default_rng(1).standard_normal((3000, 2))
    parts = [
        np.column_stack([small, np.full(3000, 1e6 + 0.1)])[piece]
        for piece in (slice(0, 700), slice(700, None))
    ]
    gram = Gram.of(parts[0], noise[:700]) + Gram.of(parts[1], noise[700:])
    assert solve(gram, 0.0).matrix[2, 0] == 0.0


@pytest.mark.parametrize("seed", [2, 3, 32, 80])
def test_a_readout_worse_than_the_mean_is_not_chosen_where_a_better_one_is_known(seed):
    """30 rows of noise and 59 states that say nothing about it: the walk stopped in a valley, with
    up to 1.8 times the least error.
    """
    rng = np.random.default_rng(seed)
    x, y = (
        rng.standard_normal((30, 59)) * 10.0 ** rng.uniform(-6, 0, 59),
        rng.standard_normal((30, 1)),
    )
    gram = Gram.of(x, y)
    errors = [
        leave_one_out(factor(gram, gram.trace * 10.0**decade), x, y)
        for decade in range(gram.least_decade, LAST_DECADE + 1)
    ]
    best = min(np.sqrt(np.square(error).mean() / y.var()) for error in errors)
    assert choose_penalty(gram, Sample.empty(59, 1).taking(x, y))[1] == pytest.approx(
        best, rel=1e-9
    )


def test_force_gives_every_coordinate_its_penalty_back():
    """Corrected every second step, three units and an intercept: every second weight got twice its
    penalty back, the others none.
    """
    silent = sn.Reservoir(np.zeros((3, 3)), np.zeros((3, 1)), sn.Linear())
    trained = force(silent, np.ones(6000), forgetting=0.5, every=2)
    # Of the intercept, three corrections ago, seven, ...; the rows themselves count 2
    renewed = 0.5 * 4 * 0.5**3 / (1 - 0.5**4)
    assert (
        trained.weights.intercept[0] == pytest.approx(2 / (2 + renewed), rel=1e-12)
        and not trained.weights.matrix.any()
    )
