"""Numbers after a million steps, exponents of systems whose exponents are known, and the
cross-checks on hundreds of other cases.
"""

from __future__ import annotations

import functools
import operator

import numpy as np

import plain
import spheresn as sn
import test_crosscheck_memory
import test_crosscheck_readout
import test_crosscheck_sphere
import test_crosscheck_stability
from plain import CHAOTIC_2, CHAOTIC_4, Henon
from spheresn.analysis import lyapunov_spectrum, max_lyapunov
from spheresn.readout import Gram, RecursiveLeastSquares, solve

STEPS = 1_000_000
SLOW = {
    "check_penalty": 40,
    "check_echo_state": 25,
    "check_information_capacity": 40,
    "check_recall": 40,
    "check_spectrum": 40,
}


def weighted(x, y, penalty, fade):
    """The exact solution in extended precision: RᵀR and its right side summed at once, with what is
    given back to the penalty.
    """
    size, count = x.shape[1] + 1, len(x)
    weights = np.longdouble(fade) ** np.arange(count - 1, -1, -1)
    z = np.hstack([np.ones((count, 1)), x]).astype(np.longdouble)
    gram = (z * weights[:, None]).T @ z + np.longdouble(penalty) * np.longdouble(
        fade
    ) ** count * np.eye(size)
    back = np.bincount(
        np.arange(count) % size,
        weights=(1 - fade) * penalty * size * weights.astype(float),
        minlength=size,
    )
    return gram + np.diag(back), (z * weights[:, None]).T @ y


def signals(kind, rng):
    """Excited in all directions, wandering away, or constant: no news in any direction but one."""
    if kind == "constant":
        return np.full((STEPS, 3), [0.5, 0.0, -2.0])
    noise = rng.standard_normal((STEPS, 3))
    return noise if kind == "random" else noise.cumsum(axis=0) / 100


def test_recursive_least_squares_after_a_million_steps(attack):
    """Recursive least squares after a million steps, excited or not, against the exact weighted
    solution.

    Each rotation is orthogonal to eps and its error is forgotten with the rows, so at most T eps
    remains of R, or 50/(1 - λ) eps with forgetting, and of the weights that times the condition
    number.
    """
    worst = 0.0
    for kind in ("random", "drifting", "constant"):
        for fade in (1.0, 0.9999, 0.95):
            rng = np.random.default_rng(7)
            x = signals(kind, rng)
            y = x @ [[1.0, 0.0], [-2.0, 1.0], [0.5, 3.0]] + rng.standard_normal((STEPS, 2))
            with attack.attempt(f"{kind}, forgetting {fade}"):
                worst = max(
                    worst,
                    judged(x, y, fade, plain.EPS * (STEPS if fade == 1.0 else 50 / (1.0 - fade))),
                )
    attack.note = f"relative error of RᵀR at most {worst:.0e}"


def judged(x, y, fade, limit):
    """The relative error of RᵀR, which must be positive definite, after its weights were
    compared.
    """
    learner = RecursiveLeastSquares(3, 2, penalty=1e-3, forgetting=fade)
    for piece in np.array_split(np.arange(STEPS), 7):
        learner.update(x[piece], y[piece])
    triangle = learner.factors[0]
    gram, right = weighted(x, y, 1e-3, fade)
    assert (
        np.isfinite(triangle).all()
        and (np.abs(np.diag(triangle)) > 0).all()
        and not np.tril(triangle, -1).any()
    )
    error = float(np.abs(triangle.T @ triangle - gram).max() / np.abs(gram).max())
    exact = np.linalg.solve(gram.astype(float), right.astype(float))
    got = np.vstack([learner.weights.intercept, learner.weights.matrix])
    condition = np.linalg.cond(gram.astype(float))
    assert error < limit
    assert np.isfinite(got).all() and np.abs(got - exact).max() <= limit * condition * max(
        np.abs(exact).max(), 1.0
    )
    return error


def test_a_gram_matrix_of_a_million_rows(attack):
    """A Gram matrix of a million rows in pieces, up to 1e6 deviations from zero, against extended
    precision.
    """
    worst = 0.0
    for offset in (0.0, 1e3, 1e6):
        rng = np.random.default_rng(8)
        x = rng.standard_normal((STEPS, 4)) @ rng.standard_normal((4, 4)) + offset
        y = x @ rng.standard_normal((4, 1)) + rng.standard_normal((STEPS, 1))
        for pieces in (1, 13, 1000):
            with attack.attempt(f"offset {offset:g}, {pieces} pieces"):
                parts = np.array_split(np.arange(STEPS), pieces)
                gram = functools.reduce(operator.add, (Gram.of(x[part], y[part]) for part in parts))
                centred = x.astype(np.longdouble) - x.mean(axis=0, dtype=np.longdouble)
                wanted = y.astype(np.longdouble) - y.mean(axis=0, dtype=np.longdouble)
                exact = (centred.T @ centred).astype(float)
                error = np.abs(np.tril(gram.scatter) - np.tril(exact)).max() / np.abs(exact).max()
                worst = max(worst, float(error))
                # Sums of a million rounded products; and the mean of a block of 1,024 is rounded to
                # eps times the offset and counts times its distance from the others, 1/√1024.
                assert error < plain.EPS * (np.sqrt(STEPS) + 2 * offset / 32)
                weights = np.linalg.solve(exact, (centred.T @ wanted).astype(float))
                limit = plain.EPS * (np.sqrt(STEPS) + offset) * np.linalg.cond(exact)
                assert (
                    np.abs(solve(gram, 0.0).matrix - weights).max() < limit * np.abs(weights).max()
                )
    attack.note = f"relative error of S at most {worst:.0e}"


class Logistic:
    """x' = 4 x (1 - x), whose exponent is log 2."""

    tangent_dim = 1

    def step(self, state, inputs):
        return 4 * state * (1 - state)

    def tangent_step(self, state, inputs, tangents):
        return self.step(state, inputs), (4 - 8 * state)[:, None] * tangents


class Cat:
    """(x, y)' = (2x + y, x + y) mod 1, whose exponents are ±log((3 + √5)/2)."""

    tangent_dim = 2

    def step(self, state, inputs):
        return np.array([[2.0, 1.0], [1.0, 1.0]]) @ state % 1.0

    def tangent_step(self, state, inputs, tangents):
        return self.step(state, inputs), np.array([[2.0, 1.0], [1.0, 1.0]]) @ tangents


def test_systems_whose_exponents_are_known(attack):
    """Exponents of maps that are known exactly or to four digits (logistic, cat, Hénon)."""
    golden = np.log((3 + np.sqrt(5)) / 2)
    for name, system, start, exact in (
        ("logistic", Logistic(), [0.3], [np.log(2)]),
        ("cat", Cat(), [0.1, 0.7], [golden, -golden]),
        ("Hénon", Henon(), [0.1, 0.1], [0.41922, np.log(0.3) - 0.41922]),
    ):
        with attack.attempt(name):
            found = lyapunov_spectrum(system, 40_000, start=start)
            assert (np.abs(found.exponents - exact) < 4 * found.standard_errors + 1e-4).all(), found
        with attack.attempt(f"{name}, one vector"):
            one = max_lyapunov(system, 20_000, start=start)
            assert abs(one.exponent - exact[0]) < 4 * one.standard_error + 1e-4, one


def test_long_runs_against_plain_qr(attack):
    """Exponents of long runs, chaotic and contracting, against an independent QR at every step."""
    chaotic = [(CHAOTIC_2, 1.0), (CHAOTIC_4, 11.0)]
    cases = [sn.Reservoir(w, size * np.eye(len(w))[0]) for w, size in chaotic]
    cases += [plain.random_case(np.random.default_rng([11, seed]))[0] for seed in range(8)]
    for index, reservoir in enumerate(cases):
        rng, steps = np.random.default_rng(index), 5500
        signal = (
            np.ones((steps, 1)) if index < 2 else rng.standard_normal((steps, reservoir.n_inputs))
        )
        start = plain.run(reservoir, signal[:500], rng.standard_normal(reservoir.units))[0][-1]
        with attack.attempt(
            f"{reservoir.activation}, {reservoir.units} units, leak {reservoir.leak}"
        ):
            jacobians = plain.run(reservoir, signal, start)[2]
            logs = test_crosscheck_stability.plain_spectrum(
                jacobians, test_crosscheck_stability.tangents(reservoir, start, rng)
            )[500:]
            found = lyapunov_spectrum(reservoir, signal, start=start)
            spread = logs[: len(logs) // 20 * 20].reshape(20, -1, logs.shape[1]).mean(axis=1).std(
                axis=0, ddof=1
            ) / np.sqrt(20)
            both = np.hypot(found.standard_errors, spread)
            assert (np.abs(found.exponents - logs.mean(axis=0)) < 4 * both + 2e-3).all(), (
                found.exponents,
                logs.mean(axis=0),
            )


def many(attack, module, seed):
    for check in module.CHECKS:
        for number in range(SLOW.get(check.__name__, 100)):
            with attack.attempt(f"{check.__name__}, seed {seed}, {number}"):
                check(np.random.default_rng([seed, number]))


def test_readouts_on_many_cases(attack):
    """Readouts (ridge, leave-one-out, penalty, recursive, FORCE) on random cases."""
    many(attack, test_crosscheck_readout, 101)


def test_the_core_on_many_cases(attack):
    """Sphere, activations, states, metrics, grids on random cases."""
    many(attack, test_crosscheck_sphere, 102)


def test_memory_on_many_cases(attack):
    """Memory, capacity and the paper's laws on random cases."""
    many(attack, test_crosscheck_memory, 103)


def test_stability_on_many_cases(attack):
    """Exponents, echo state and its secular equation on random cases."""
    many(attack, test_crosscheck_stability, 104)
