"""Memory and capacity against plain numpy, and the scalar laws against 60 digits."""

import mpmath as mp
import numpy as np
import pytest
from scipy.stats import beta

import plain
import spheresn as sn
from spheresn import analysis


def lagged(signal, delay):
    """s_{k-delay}, by a loop; None where there is none."""
    return [signal[k - delay] if k >= delay else None for k in range(len(signal))]


def check_recall(rng):
    """One least squares problem per delay, with the rows cut by hand."""
    reservoir, signal, start = plain.random_case(rng, steps=200)
    states = plain.run(reservoir, signal, start)[0]
    delays, penalty = [0, 3, 1], 10.0 ** rng.uniform(-6, 0)
    got = analysis.memory_curve(states, signal, delays, washout=20, train=100, penalty=penalty)
    sine = analysis.memory_nonlinearity(
        states, signal[:, :1], delays, [1.7], washout=20, train=100, penalty=penalty
    )
    for i, delay in enumerate(delays):
        recalled = np.array(lagged(signal, delay)[20:])
        for target, on_train, on_test in (
            (recalled, got.train[i], got.test[i]),
            (np.sin(1.7 * recalled[:, :1]), sine.train[i, 0], sine.test[i, 0]),
        ):
            weights, intercept = plain.ridge(states[20:120], target[:100], penalty)
            guess = states[20:] @ weights + intercept
            assert np.isclose(on_train, plain.accuracy(target[:100], guess[:100]), atol=1e-6)
            assert np.isclose(on_test, plain.accuracy(target[100:], guess[100:]), atol=1e-6)


def check_memory_capacity(rng):
    """Σ max(R², 0) over delays and inputs, trained on one run and tested on another."""
    reservoir, one, _ = plain.random_case(rng, steps=150)
    two, penalty = rng.standard_normal(one.shape), 10.0 ** rng.uniform(-5, 0)
    got = analysis.memory_capacity(reservoir, one, two, 6, washout=10, penalty=penalty)
    x, other = (sn.drive(reservoir, s)[10:] for s in (one, two))
    terms = []
    for delay in range(7):
        y, wanted = (np.array(lagged(s, delay)[10:]) for s in (one, two))
        weights, intercept = plain.ridge(x, y, penalty)
        left = ((wanted - other @ weights - intercept) ** 2).sum(axis=0) / (
            (wanted - wanted.mean(axis=0)) ** 2
        ).sum(axis=0)
        terms.append(sum(max(1 - share, 0.0) for share in left))
    assert np.allclose(got.per_delay, terms, atol=1e-6) and np.isclose(
        got.total, sum(terms), atol=1e-6
    )


def check_information_capacity(rng):
    """Legendre polynomials written out, R² by least squares, the threshold and the correction of
    its bias by their formulas.
    """
    reservoir, _, start = plain.random_case(rng, steps=2)
    s = rng.uniform(-1, 1, 700)
    states = plain.run(reservoir, np.tile(s[:, None], reservoir.n_inputs), start)[0]
    legendre = [lambda u: np.sqrt(3) * u, lambda u: np.sqrt(5) * (3 * u**2 - 1) / 2]
    targets = {(i,): legendre[0](np.roll(s, i)) for i in range(6)}
    targets |= {(i, i): legendre[1](np.roll(s, i)) for i in range(4)}
    targets |= {
        (i, j): legendre[0](np.roll(s, i)) * legendre[0](np.roll(s, j))
        for i in range(4)
        for j in range(i + 1, 4)
    }
    x = np.hstack([np.ones((650, 1)), states[50:]])
    rank = np.linalg.matrix_rank(states[50:] - states[50:].mean(axis=0))
    shares, bias = {}, rank / 649
    for delays, z in targets.items():
        left = z[50:] - x @ np.linalg.lstsq(x, z[50:], rcond=None)[0]
        shares[delays] = 1 - (left @ left) / ((z[50:] - z[50:].mean()) ** 2).sum()
    threshold = 2 * beta.ppf(1 - 0.01 / 16, rank / 2, (649 - rank) / 2)
    expected = {
        delays: (share - bias) / (1 - bias) for delays, share in shares.items() if share > threshold
    }
    got = analysis.information_processing_capacity(states, s, (5, 3), washout=50)
    assert (got.targets, got.rank) == (16, rank) and np.isclose(got.threshold, threshold, rtol=1e-9)
    assert dict(zip(got.delays, got.capacities, strict=True)) == pytest.approx(expected, abs=1e-9)
    assert np.isclose(
        got.by_degree[1], sum(c for delays, c in expected.items() if len(delays) == 2), atol=1e-9
    )


def check_profile(rng):
    """|J_n ... J_{k+1} B_k|_F, the products formed as matrices."""
    reservoir, signal, start = plain.random_case(rng, steps=30)
    _, _, by_state, by_input = plain.run(reservoir, signal, start)
    got = analysis.memory_profile(reservoir, signal, 8, times=3, start=start).sensitivities
    for row, n in enumerate((27, 28, 29)):
        for delay in range(9):
            product = by_input[n - delay]
            for k in range(n - delay + 1, n + 1):
                product = by_state[k] @ product
            assert np.isclose(got[row, delay], np.sqrt((product**2).sum()), rtol=1e-9, atol=1e-14)


def check_decomposition(rng):
    """N_k, α and its geometric twin, and M(n,k) u_k with powers of W, on the plain sphere."""
    reservoir, signal, start = plain.random_case(rng, spherical=True, steps=12, bend=False)
    _, a, *_ = plain.run(reservoir, signal, start)
    norms, w, radius = (
        np.sqrt((a**2).sum(axis=1)),
        reservoir.recurrent.toarray(),
        reservoir.activation.radius,
    )
    assert np.allclose(analysis.norm_factors(reservoir, signal, start), norms, rtol=1e-12)
    terms = analysis.memory_terms(reservoir, signal, start)
    for k in range(13):
        vector = start if k == 0 else reservoir.inputs @ signal[k - 1] + reservoir.bias
        steps = 12 - max(k - 1, 0)
        scale = radius**steps / np.prod(norms[12 - steps :])
        matrix = scale * np.linalg.matrix_power(w, 12 - k)
        assert np.allclose(
            analysis.memory_matrix(reservoir, norms, k),
            matrix,
            rtol=0,
            atol=1e-12 * (1 + np.abs(matrix).max()),
        )
        assert np.allclose(
            terms[k],
            matrix @ vector,
            rtol=0,
            atol=1e-12 * (1 + np.abs(matrix).max()) * np.linalg.norm(vector),
        )
    rate, rho = (
        analysis.memory_rate(reservoir, signal, 4, start),
        radius * np.abs(np.linalg.eigvals(w)).max(),
    )
    assert np.isclose(rate.alpha, rho / (norms[4:].mean() - rho), rtol=1e-9)
    assert np.isclose(rate.geometric_alpha, rho / (np.prod(norms[4:]) ** (1 / 8) - rho), rtol=1e-9)


def check_laws(rng):
    """Bases from 1e-12 to 1 - 1e-15 and their losses, in 60 digits: to the digits that α or ρ
    themselves have.
    """
    alpha, age, lag = (
        10.0 ** rng.uniform(-12, 15),
        float(rng.integers(0, 50)),
        float(10 ** rng.integers(0, 6)),
    )
    rho = 1.0 - 10.0 ** rng.uniform(-15, -0.01)
    with mp.workdps(60):
        for kind, base in (
            ("alpha", mp.mpf(alpha) / (1 + mp.mpf(alpha))),
            ("spectral_radius", mp.mpf(rho)),
        ):
            given = {kind: alpha if kind == "alpha" else rho}
            law = "spherical" if kind == "alpha" else "linear"
            for delay in (0.0, age, lag):
                got, wanted = analysis.predicted_memory(law, delay, **given)[0], base**delay
                assert (
                    abs(got - wanted)
                    <= 4 * plain.EPS * (1 + abs(mp.log(base) * delay)) * wanted + 1e-300
                )
            loss = base**age - base ** (age + lag)
            for sign, between in ((-1, "states"), (1, "inputs")):
                got = analysis.memory_loss(law, age, lag, between, **given)[0]
                assert (
                    abs(got - sign * loss)
                    <= 8 * plain.EPS * (1 + abs(mp.log(base) * age)) * loss + 1e-300
                )
        amplitude = mp.tanh(2)
        for _ in range(int(age)):
            amplitude = mp.tanh(mp.mpf(rho) * amplitude)
        assert (
            abs(
                analysis.predicted_memory("tanh", age, spectral_radius=rho, magnitude=2.0)[0]
                / amplitude
                - 1
            )
            < 4 * (age + 1) * plain.EPS
        )


def check_linear_bound(rng):
    """1 - bound = √(1 - R²), to 2e-4 of itself: below .03 by its series, above by differences that
    have as many digits.
    """
    nu = 10.0 ** rng.uniform(-6, 2)
    with mp.workdps(60):
        u = mp.mpf(nu)
        squared = (
            3 * (mp.sin(u) / u**2 - mp.cos(u) / u) ** 2 / (mp.mpf(1) / 2 - mp.sin(2 * u) / (4 * u))
        )
        missing = mp.sqrt(1 - squared)
    assert abs(1 - analysis.linear_bound(nu) - missing) <= 2e-4 * missing + 2 * plain.EPS


CHECKS = [
    check_recall,
    check_memory_capacity,
    check_information_capacity,
    check_profile,
    check_decomposition,
    check_laws,
    check_linear_bound,
]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_memory_equals_its_plain_version(check, seed):
    check(np.random.default_rng([3, seed]))


@pytest.mark.parametrize("factor", [0.1, 10.0])
def test_a_profile_reaches_as_far_as_numbers_do(factor):
    """|dx_n/ds_{n-j}| = factor^j; beyond 1e±154, where squares end, it was 0 or infinite."""
    reservoir = sn.Reservoir([[factor]], [1.0], sn.Linear())
    profile = analysis.memory_profile(reservoir, np.full(301, 1e-5), 300).sensitivity
    assert np.allclose(np.log10(profile), np.log10(factor) * np.arange(301), atol=1e-10)


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_norm_factors_have_no_scale(scale):
    """They were 0 or infinite where their squares are."""
    reservoir, signal = sn.random_reservoir(10, bias_scaling=0.2, rng=0), np.cos(np.arange(9.0))
    plain_factors = analysis.norm_factors(reservoir, signal)
    assert np.allclose(
        analysis.norm_factors(reservoir.rescaled(scale, scale, scale), signal) / scale,
        plain_factors,
        rtol=1e-12,
    )


def test_numbers_without_meaning_get_a_sentence():
    noise = np.random.default_rng(0)
    # Of a sign the square is always 1
    for signal in (np.full(1000, 0.3), np.sign(noise.standard_normal(1000))):
        with pytest.raises(
            ValueError,
            match=r"signal must be uniform in bounds, "
            r"got one whose target of delays .* is constant",
        ):
            analysis.information_processing_capacity(
                noise.standard_normal((1000, 3)), signal, (3, 2)
            )
    with pytest.raises(ValueError, match=r"frequency must be finite, got nan"):
        analysis.linear_bound(np.nan)
    with pytest.raises(ValueError, match=r"alpha must be a number for the spherical law, got nan"):
        analysis.predicted_memory("spherical", 1, alpha=np.nan)
