"""Theorem 6 of docs/theory.md: a network on the sphere that is chaotic, with proof."""

import numpy as np
import pytest
from numpy.polynomial import chebyshev, legendre

import spheresn as sn
from spheresn.analysis import autonomous_exponents, lyapunov_spectrum, max_lyapunov

ROOT = np.sqrt(2.0)
EXPONENT = 0.67179  # of s = 1/√2, as docs/theory.md says


def folding(s, units=2, rng=None, low=1.0, high=1.0):
    """The network of Corollary 6.1, and e, f: W = p eᵀ, where a = high (s, σ) at x·e = 1 and
    low (s, -σ) at x·e = s. With both 1 it is that of the theorem, up to a factor.
    """
    e, f = np.linalg.qr(rng.standard_normal((units, 2)))[0].T if rng else np.eye(2)
    sigma = np.sqrt(1.0 - s**2)
    p = ((high - low) * s * e + (high + low) * sigma * f) / (1.0 - s)
    return sn.Reservoir(np.outer(p, e), high * (s * e + sigma * f) - p), e, f


def slopes(w, s, low=1.0, high=1.0):
    """|dθ'/dθ| where tan t = c sin θ and w = cos t."""
    mean = ((w - s) * high + (1.0 - w) * low) / (1.0 - s)
    return w / s * np.sqrt((1.0 + w) * (w + s) * low * high) / mean


def invariant_exponent(s, low=1.0, high=1.0, nodes=60):
    """∫ log|dθ'/dθ| over the invariant density, which is the fixed point of the transfer operator:
    collocation at Chebyshev points, and Gauss-Legendre quadrature.
    """
    y = np.cos((np.arange(nodes) + 0.5) * np.pi / nodes)
    v, c = np.sin(y * np.pi / 2), np.sqrt(1.0 - s**2) / s
    w = ((1.0 + v) * low + s * (1.0 - v) * high) / ((1.0 + v) * low + (1.0 - v) * high)
    before = np.arcsin(np.minimum(np.sqrt(1.0 / w**2 - 1.0) / c, 1.0)) / (np.pi / 2)
    both = chebyshev.chebvander(before, nodes - 1) + chebyshev.chebvander(-before, nodes - 1)
    operator = np.linalg.solve(
        chebyshev.chebvander(y, nodes - 1), both / slopes(w, s, low, high)[:, None]
    )
    values, vectors = np.linalg.eig(operator)
    assert np.isclose(values[np.abs(values - 1.0).argmin()], 1.0, atol=1e-12)
    x, weights = legendre.leggauss(300)
    density = chebyshev.chebval(x, vectors[:, np.abs(values - 1.0).argmin()].real)
    weights = weights * density / (weights @ density)
    assert (weights > 0).all()
    cosines = 1.0 / np.sqrt(1.0 + (c * np.sin(x * np.pi / 2)) ** 2)
    return float(weights @ np.log(slopes(cosines, s, low, high)))


def angles(states):
    return np.arctan2(states[..., 1], states[..., 0])


def test_the_network_of_the_page_is_that_of_the_theorem():
    ours, _, _ = folding(1 / ROOT)
    printed = sn.Reservoir([[0.0, 0.0], [4.0 + 2.0 * ROOT, 0.0]], [1.0, -3.0 - 2.0 * ROOT])
    assert np.allclose(ROOT * ours.recurrent.toarray(), printed.recurrent.toarray(), atol=1e-14)
    assert np.allclose(ROOT * ours.inputs, printed.inputs, atol=1e-14)
    whole, _, _ = folding(0.8)
    assert np.allclose(5.0 * whole.recurrent.toarray(), [[0.0, 0.0], [30.0, 0.0]], atol=1e-13)
    assert np.allclose(5.0 * whole.inputs[:, 0], [4.0, -27.0], atol=1e-13)
    tilted, _, _ = folding(0.8, low=1.0, high=2.0)
    assert np.allclose(5.0 * tilted.recurrent.toarray(), [[20.0, 0.0], [45.0, 0.0]], atol=1e-13)
    assert np.allclose(5.0 * tilted.inputs[:, 0], [-12.0, -39.0], atol=1e-13)


@pytest.mark.parametrize("s", [0.4, 1 / ROOT, 0.8])
def test_each_half_of_the_arc_is_mapped_once_onto_the_whole(s):
    """t' grows from -arccos s to arccos s on the left half and falls back on the right one."""
    network, _, _ = folding(s)
    edge = np.arccos(s)
    for ends in ((-edge, 0.0), (edge, 0.0)):
        t = np.linspace(*ends, 1001)
        images = angles(
            np.array([network.step(np.array([np.cos(x), np.sin(x)]), np.ones(1)) for x in t])
        )
        assert np.isclose(images[0], -edge, atol=1e-7) and np.isclose(images[-1], edge, atol=1e-7)
        assert (np.diff(images) > 0).all()


def test_every_word_of_signs_has_its_interval():
    """2ⁿ intervals, from the inverse of each half; the network takes every one of them through its
    word and, in n steps, from end to end of the arc. So there are 2ⁿ monotone pieces: log 2.
    """
    n, s = 9, 1 / ROOT
    network, _, _ = folding(s)
    edge = np.arccos(s)

    def back(t, sign):  # c v = tan t and v = (2 cos t - 1 - s)/(1 - s)
        v = np.tan(t) / np.tan(edge)
        return sign * np.arccos(np.clip((v * (1.0 - s) + 1.0 + s) / 2.0, s, 1.0))

    words = np.array(np.meshgrid(*[[-1.0, 1.0]] * n)).reshape(n, -1)
    ends = []
    for target in (-0.999 * edge, 0.0, 0.999 * edge):  # inside, so that rounding does not leave it
        t = np.full(2**n, target)
        for signs in words[::-1]:
            t = back(t, signs)
        starts = np.stack([np.cos(t), np.sin(t)], axis=1)
        states = sn.drive(network, np.ones((2**n, n, 1)), starts)
        passed = np.concatenate([starts[:, None], states[:, :-1]], axis=1)
        assert np.array_equal(np.sign(angles(passed)).T, words)
        assert np.allclose(angles(states[:, -1]), target, atol=1e-8)
        ends.append(t)
    first, middle, last = ends
    assert ((middle - first) * (last - middle) > 0).all()
    lengths = np.abs(last - first)
    assert lengths.sum() < 2 * edge and len(np.unique(middle)) == 2**n
    # In the coordinate θ every step back shortens by at least the smallest slope
    theta = np.arcsin(np.clip(np.tan(np.array([first, last])) / np.tan(edge), -1.0, 1.0))
    assert (np.abs(theta[1] - theta[0]) <= np.pi * slopes(s, s) ** -n).all()


@pytest.mark.parametrize(
    ("s", "low", "high"), [(1 / ROOT, 1.0, 1.0), (0.8, 1.0, 2.0), (0.5, 1.1, 1.0)]
)
def test_the_slope_is_that_of_the_proof(s, low, high):
    """Finite differences in θ; between the bounds of the theorem and of its corollary."""
    network, _, _ = folding(s, low=low, high=high)
    c = np.sqrt(1.0 - s**2) / s

    def image(theta):
        t = np.arctan(c * np.sin(theta))
        after = network.step(np.array([np.cos(t), np.sin(t)]), np.ones(1))
        return np.arcsin(after[1] / after[0] / c), np.cos(t)

    found = []
    for theta in np.linspace(0.05, 1.5, 40):
        (above, _), (below, _) = image(theta + 1e-5), image(theta - 1e-5)
        found.append((below - above) / 2e-5)
        assert np.isclose(found[-1], slopes(image(theta)[1], s, low, high), rtol=1e-5)
    tilt = min(low / high, high / low)
    assert np.sqrt(2 * s * (1 + s) * tilt) <= min(found)
    assert max(found) <= np.sqrt(2 * (1 + s) / s**2 / tilt)


@pytest.mark.parametrize(
    ("s", "low", "high", "expected"),
    [(1 / ROOT, 1.0, 1.0, EXPONENT), (0.8, 1.0, 1.0, 0.68507), (0.8, 1.0, 2.0, None)],
)
def test_the_exponent_is_that_of_the_invariant_law(s, low, high, expected):
    """From two starts, within four standard errors; above zero by the bound of the proof."""
    exact = invariant_exponent(s, low, high)
    assert np.isclose(exact, invariant_exponent(s, low, high, 90), atol=1e-12)
    assert expected is None or np.isclose(exact, expected, atol=5e-6)
    tilt = min(low / high, high / low)
    assert (
        0 < 0.5 * np.log(2 * s * (1 + s) * tilt) < exact < 0.5 * np.log(2 * (1 + s) / s**2 / tilt)
    )
    network, _, _ = folding(s, low=low, high=high)
    for t in (0.3, -0.2):
        start = np.array([np.cos(t), np.sin(t)])
        found = max_lyapunov(network, np.ones(20_000), start=start)
        assert abs(found.exponent - exact) < 4 * found.standard_error < 0.02
    if low == high:
        return
    assert np.isclose(
        network.recurrent.spectral_radius(), abs(high - low) * s / (1 - s), rtol=1e-12
    )


def test_the_limit_of_the_family_is_the_tent_map():
    assert np.isclose(invariant_exponent(0.999), np.log(2), atol=1e-4)


def test_a_dense_network_of_any_size_is_chaotic_in_a_cap_and_has_no_other_direction():
    rng = np.random.default_rng(0)
    network, e, f = folding(1 / ROOT, 60, rng)
    assert (network.recurrent.toarray() != 0).all()
    inside = sn.sphere.project(e + 0.1 * sn.sphere.random_point(60, rng))
    assert inside @ e > 1 / ROOT
    spectrum = lyapunov_spectrum(network, np.ones(20_000), count=2, start=inside)
    assert abs(spectrum.exponents[0] - EXPONENT) < 4 * spectrum.standard_errors[0] < 0.02
    assert spectrum.exponents[1] == -np.inf or spectrum.exponents[1] < -20
    outside = sn.sphere.project(e + 3.0 * f)  # there a fixed point attracts
    assert max_lyapunov(network, np.ones(2000), start=outside).exponent < -0.5


def test_without_input_the_largest_exponent_is_zero_unless_one_real_eigenvalue_leads():
    """log|λ_2/λ_1|, and other values from starts inside of an invariant subspace."""
    for matrix in (
        np.diag([2.0, -2.0, 1.0]),
        np.eye(3),
        [[2.0, 1.0], [0.0, 2.0]],
        [[0, -1], [1, 0]],
    ):
        assert abs(autonomous_exponents(np.array(matrix, float))[0]) < 1e-7
    assert np.isclose(autonomous_exponents(np.diag([2.0, -1.0]))[0], -np.log(2))
    special = sn.Reservoir(np.diag([2.0, 1.0]), np.zeros(2))
    found = max_lyapunov(special, 600, start=[0.0, 1.0])
    assert np.isclose(found.exponent, np.log(2), rtol=1e-12)


def test_the_norms_of_tanh_states_exceed_the_printed_sum_for_vectors_and_not_for_one_unit(rng):
    """W = 0, u = (1, 1): √2 tanh 1 > tanh √2. One unit: tanh is subadditive."""
    plain = sn.Reservoir(np.zeros((2, 2)), np.ones(2), sn.Tanh())
    state = sn.drive(plain, np.ones(1))[-1]
    assert np.isclose(np.linalg.norm(state), ROOT * np.tanh(1.0)) and np.linalg.norm(state) > 1.07
    assert np.tanh(np.linalg.norm([1.0, 1.0])) < 0.89
    signal = rng.standard_normal(12)
    single = sn.Reservoir([[0.8]], [1.0], sn.Tanh())
    laws = [
        sn.analysis.predicted_memory(
            "tanh", [11 - k], spectral_radius=0.8, magnitude=abs(signal[k])
        )[0]
        for k in range(12)
    ]
    assert abs(sn.drive(single, signal)[-1, 0]) <= sum(laws)


def test_no_readout_of_an_odd_state_comes_near_a_square(rng):
    """At an input and its negative the mean of the values is the constant, wanted is s² at both."""
    network = sn.random_reservoir(30, input_scaling=40.0, rng=1)
    pasts = rng.uniform(-1.0, 1.0, (40, 60, 1))
    pasts[:20, -1], pasts[20:, -1] = 0.0, 1.0
    both = np.concatenate([pasts, -pasts])
    states = sn.drive(network, both, np.tile(np.eye(30)[0], (80, 1)))[:, -1]
    assert np.allclose(states[:40], -states[40:], atol=1e-9)
    columns = np.column_stack([states, np.ones(80)])
    targets = both[:, -1, 0] ** 2
    for penalty in (1e-10, 1e-2, 1.0):
        square = columns.T @ columns + penalty * np.eye(31)
        weights = np.linalg.solve(square, columns.T @ targets)
        assert np.abs(columns @ weights - targets).max() >= 0.5 - 1e-9
