"""Exponents and echo state against plain QR, products of Jacobians, and 50 digits."""

import mpmath as mp
import numpy as np
import pytest

import plain
import spheresn as sn
from spheresn import analysis
from spheresn.analysis._secular import decompose, shortest


def plain_spectrum(jacobians, basis):
    """Mean log of the diagonal of R, one QR per step, beginning with the columns given."""
    logs = []
    for jacobian in jacobians:
        basis, upper = np.linalg.qr(jacobian @ basis)
        logs.append(np.log(np.abs(np.diag(upper))))
    return np.array(logs)


def tangents(reservoir, start, rng):
    """An orthonormal basis of all directions, or of those along the sphere."""
    spherical = isinstance(reservoir.activation, sn.OnSphere)
    columns = (
        np.column_stack([start, rng.standard_normal((len(start), len(start) - 1))])
        if spherical
        else np.eye(len(start))
    )
    return np.linalg.qr(columns)[0][:, int(spherical) :]


def check_spectrum(rng):
    """The sum is a determinant and free of the basis, so it must agree to rounding; each exponent
    to what 1/T leaves of the beginning.
    """
    reservoir, signal, start = plain.random_case(rng, steps=400)
    basis = tangents(reservoir, start, rng)
    logs = plain_spectrum(plain.run(reservoir, signal, start)[2], basis)
    got = analysis.lyapunov_spectrum(reservoir, signal, transient=0, start=start)
    assert np.isclose(got.exponents.sum(), logs.sum(axis=1).mean(), rtol=1e-6, atol=1e-8)
    later = analysis.lyapunov_spectrum(reservoir, signal, transient=100, start=start)
    spread = logs[100:].mean(axis=0)
    # Log cond(start basis)/T
    assert np.allclose(later.exponents, spread, atol=0.1 + 0.02 * np.abs(spread).max())
    assert np.isclose(
        analysis.max_lyapunov(reservoir, signal, 100, start).exponent, spread[0], atol=0.05
    )


def check_volume(rng):
    """Σ λ_i of a finite run is 1/T log of the product of all singular values of J_T ... J_1 on the
    tangents: one matrix product.
    """
    reservoir, signal, start = plain.random_case(rng, steps=4)
    product = tangents(reservoir, start, rng)
    for jacobian in plain.run(reservoir, signal, start)[2]:
        product = jacobian @ product
    sizes = np.linalg.svd(product, compute_uv=False)
    # Of the smallest one, in a product formed as a matrix
    digits = 10 * plain.EPS * sizes[0] / sizes[-1]
    got = analysis.lyapunov_spectrum(reservoir, signal, transient=0, start=start).exponents.sum()
    assert np.isclose(4 * got, np.log(sizes).sum(), rtol=0, atol=1e-9 + digits)


def check_local(rng):
    """⟨log|λ_i(J_k)|⟩ from matrices, exact for every activation and leak, printed for the
    sphere.
    """
    reservoir, signal, start = plain.random_case(rng, steps=12)
    _, a, jacobians, _ = plain.run(reservoir, signal, start)
    logs = [np.log(np.sort(np.abs(np.linalg.eigvals(j)))[::-1][:2]) for j in jacobians]
    got = analysis.local_exponents(reservoir, signal, count=2, transient=2, start=start)
    assert np.allclose(got.exponents, np.mean(logs[2:], axis=0), atol=1e-7)
    if isinstance(reservoir.activation, sn.OnSphere):
        w, lengths = reservoir.recurrent.toarray(), np.linalg.norm(a, axis=1)
        printed = [w / n * (1 - np.outer(v, v) / n**2) for v, n in zip(a, lengths, strict=True)]
        logs = [np.log(np.abs(np.linalg.eigvals(j)).max()) for j in printed]
        got = analysis.local_exponents(reservoir, signal, "printed", transient=2, start=start)
        assert np.isclose(got.exponents[0], np.mean(logs[2:]), atol=1e-8)


def check_autonomous(rng):
    """Eigenvalues in 40 digits; those of a random matrix are known to eps times its norm times
    their condition number.
    """
    w = rng.standard_normal((5, 5)) * 10.0 ** rng.uniform(-100, 100)
    with mp.workdps(40):
        sizes = sorted(
            (abs(value) for value in mp.eig(mp.matrix(w.tolist()), left=False, right=False)),
            reverse=True,
        )
        exact = [float(mp.log(size / sizes[0])) for size in sizes[1:]]
    values, vectors = np.linalg.eig(w)
    sensitivity = np.linalg.cond(vectors) * np.linalg.norm(w, 2) / np.abs(values).min()
    assert np.allclose(
        analysis.autonomous_exponents(w), exact, rtol=0, atol=50 * plain.EPS * sensitivity
    )


def exact_shortest(w, u, radius):
    """min |W x + u| over |x| = r from the stationary equation (WᵀW + μ) x = -Wᵀu, μ by bisection in
    50 digits.
    """
    matrix, vector, r = (
        mp.matrix(w.tolist()),
        mp.matrix([float(v) for v in u]),
        mp.mpf(float(radius)),
    )
    values, basis = mp.eigsy(matrix.T * matrix)
    pull = basis.T * (matrix.T * vector)
    low = -values[0]
    high = low + mp.norm(pull) / r
    for _ in range(300):
        middle = (low + high) / 2
        long = mp.fsum((p / (v + middle)) ** 2 for p, v in zip(pull, values, strict=True)) > r**2
        low, high = (middle, high) if long else (low, middle)
    x = basis * mp.matrix([-p / (v + high) for p, v in zip(pull, values, strict=True)])
    return float(mp.norm(matrix * x + vector))


def check_shortest(rng):
    """Singular values over eight decades, inputs from a ten-thousandth to a hundredfold of r σ_max;
    scales up to 1e±200.
    """
    size, radius, scale = (
        int(rng.integers(2, 6)),
        10.0 ** rng.uniform(-1, 1),
        10.0 ** rng.integers(-200, 200),
    )
    w = rng.standard_normal((size, size)) * 10.0 ** rng.uniform(-8 * rng.integers(2), 0, size)
    u = rng.standard_normal(size) * np.linalg.norm(w, 2) * radius * 10.0 ** rng.uniform(-4, 2)
    with mp.workdps(50):
        exact = exact_shortest(w, u, radius)
    got = (
        shortest(
            decompose(sn.Reservoir(scale * w, np.zeros(size), sn.OnSphere(radius))),
            scale * u[None],
            radius,
        )[0]
        / scale
    )
    unit = np.linalg.norm(u) + radius * np.linalg.norm(w, 2)
    # What the difference of squares can hold
    assert abs(got**2 - exact**2) <= 100 * plain.EPS * unit**2


def check_echo_state(rng):
    """The certificate's rate from exact minima, times √(1 + bend² N); the refutation from W⁻¹u; the
    paper's condition from its formula.
    """
    reservoir, signal, _ = plain.random_case(rng, spherical=True, steps=5)
    w, radius, bend = (
        reservoir.recurrent.toarray(),
        reservoir.activation.radius,
        reservoir.activation.bend,
    )
    reservoir = sn.Reservoir(
        w, reservoir.inputs * 10.0 ** rng.uniform(-2, 2), reservoir.activation, reservoir.bias
    )
    u = signal @ reservoir.inputs.T + reservoir.bias
    got, largest = analysis.echo_state(reservoir, signal, transient=1), np.linalg.norm(w, 2)
    condition = analysis.pre_activation_outside_sphere(reservoir, signal)
    strength = np.linalg.norm(reservoir.inputs, 2) * np.sqrt(
        (signal**2).sum(axis=1).max()
    ) + np.sqrt((reservoir.bias**2).sum())
    assert np.isclose(condition.needed, 1 + strength / radius, rtol=1e-12)
    assert np.isclose(
        condition.smallest_singular_value, 1 / np.linalg.norm(np.linalg.inv(w), 2), rtol=1e-8
    )
    if np.linalg.norm(np.linalg.solve(w, u.T), axis=0).max() < radius:
        assert got.verdict == "refuted"
        return
    with mp.workdps(50):
        minima = np.array([exact_shortest(w, one, radius) for one in u])
    logs = np.log(radius * largest * np.sqrt(1 + bend**2 * len(w)) / minima)
    assert got.verdict == ("certified" if logs.mean() < 0 else "empirical")
    if got.verdict == "certified":
        assert np.isclose(got.rate, logs.mean(), rtol=1e-9, atol=1e-9) and np.allclose(
            got.contraction, np.cumsum(logs), atol=1e-8
        )


CHECKS = [
    check_spectrum,
    check_volume,
    check_local,
    check_autonomous,
    check_shortest,
    check_echo_state,
]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_stability_equals_its_plain_version(check, seed):
    check(np.random.default_rng([4, seed]))


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_a_certificate_has_no_scale(scale):
    """Trajectories do not change when W, W_in and b are multiplied; the certificate was lost where
    squares over- or underflow.
    """
    reservoir = sn.random_reservoir(10, input_scaling=30.0, bias_scaling=1.0, rng=0)
    one, other = (
        analysis.echo_state(r, np.ones(20))
        for r in (reservoir, reservoir.rescaled(scale, scale, scale))
    )
    assert one.verdict == other.verdict == "certified" and np.isclose(
        one.rate, other.rate, rtol=1e-12
    )
