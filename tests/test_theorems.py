"""The theorems of docs/theory.md, against simulation and against closed forms."""

import numpy as np
import pytest
import xarray as xr
from scipy.integrate import quad
from scipy.special import psi
from scipy.stats import beta, chi

import spheresn as sn
from spheresn.analysis import (
    autonomous_exponents,
    cocycle_exponents,
    echo_state,
    exponent_bounds,
    fisher_memory,
    forgetting_rate,
    information_processing_capacity,
    isotropic_exponents,
    lyapunov_spectrum,
    max_lyapunov,
    memory_matrix,
    norm_factors,
    pre_activation_outside_sphere,
    predicted_memory,
    uniform_noise_threshold,
)
from spheresn.metrics import accuracy
from spheresn_paper.figures import EXPERIMENTS

CHAOTIC = np.array([[-0.096, 1.270], [-0.112, 0.241]])


def orthogonal(units, rng):
    return np.linalg.qr(rng.standard_normal((units, units)))[0]


def directions(steps, units, rng):
    vectors = rng.standard_normal((steps, units))
    return vectors / np.linalg.norm(vectors, axis=1)[:, None]


def free(matrix, radius=1.0):
    """A network whose input is the vector u_k itself."""
    return sn.Reservoir(matrix, np.eye(len(matrix)), sn.OnSphere(radius))


# Theorem 1: the exact spectrum under isotropic input


def test_closed_forms_of_two_and_three_units():
    """N = 3, b = 1: 1 - 2 ln 2 and -1/2. N = 2: log((1 + √(1-b²))/2), and -log 2b above b = 1."""
    assert np.allclose(isotropic_exponents(3, 1.0), [1 - 2 * np.log(2), -0.5], atol=1e-14, rtol=0)
    for b in (0.01, 0.3, 0.499, 0.5, 0.9, 0.999999, 1.0 - 1e-12, 1.0):
        expected = np.log((1 + np.sqrt(1 - b**2)) / 2)
        assert np.isclose(isotropic_exponents(2, b)[0], expected, atol=1e-12, rtol=0)
    for b in (1.0 + 1e-12, 1.000001, 1.5, 30.0, 1e9):
        assert np.isclose(isotropic_exponents(2, b)[0], -np.log(2 * b), atol=1e-12, rtol=0)


def test_two_units_near_the_resonance_keep_all_digits():
    """b -> 1: the integrand has singularities closer and closer to the ends of the interval."""
    for gap in 10.0 ** -np.arange(1, 15.5, 0.25):
        above, below = 1.0 + gap, 1.0 - gap
        assert abs(isotropic_exponents(2, above)[0] + np.log(2 * above)) < 1e-13
        exact = np.log1p(np.sqrt((1 - below) * (1 + below))) - np.log(2)
        assert abs(isotropic_exponents(2, below)[0] - exact) < 1e-13


@pytest.mark.parametrize("b", [0.4, 0.7, 0.99, 1.3, 8.0])
def test_the_quadrature_equals_one_dimensional_integrals(b):
    """For N = 5, B_2 is uniform: E log(1 - zB) = -1 - (1 - z) log(1 - z)/z. For p = 4, B = 1."""
    points = [-1 / b] if b > 1 else None

    def mean(f):
        return quad(lambda t: f(t) * 0.75 * (1 - t**2), -1, 1, points=points, limit=300)[0]

    def square(t):
        return 1 + b**2 + 2 * b * t

    def uniform(t):
        z = b**2 * (1 - t**2) / square(t)
        rest = (1 + b * t) ** 2 / square(t)
        return (-1 - rest * np.log(rest) / z) if z > 0 else 0.0

    kappa = mean(lambda t: 0.5 * np.log(square(t)))
    sums = isotropic_exponents(5, b).cumsum()
    assert np.isclose(sums[1], -2 * kappa + 0.5 * mean(uniform), atol=1e-8)
    along = mean(lambda t: np.log(abs(1 + b * t)))
    assert np.isclose(sums[3], -5 * kappa + along, atol=1e-8)


def test_more_nodes_change_nothing(monkeypatch):
    found = [isotropic_exponents(n, [0.3, 0.99, 1.01, 4.0]) for n in (4, 60, 400)]
    monkeypatch.setattr("spheresn.analysis.isotropic.COARSEST", 700)
    for one in found:
        again = isotropic_exponents(len(one) + 1, [0.3, 0.99, 1.01, 4.0])
        assert np.allclose(one, again, atol=1e-12, rtol=0)


@pytest.mark.parametrize(
    ("units", "b", "steps", "turn"),
    [
        (2, 0.8, 20_000, True),
        (3, 0.5, 20_000, True),
        (3, 1.0, 20_000, False),
        (20, 2.0, 8000, True),
    ],
)
def test_the_measured_spectrum_is_the_exact_one(units, b, steps, turn):
    """Every exponent within four standard errors, whatever Q, ρ and r."""
    rng = np.random.default_rng(units)
    matrix = 3.0 * (orthogonal(units, rng) if turn else np.eye(units))
    inputs = b * 3.0 * 1.7 * directions(steps, units, rng)
    found = lyapunov_spectrum(free(matrix, 1.7), inputs, transient=100)
    exact = isotropic_exponents(units, b * 3.0 * 1.7, scale=3.0 * 1.7)
    assert (np.abs(found.exponents - exact) < 4 * found.standard_errors).all()
    assert found.standard_errors.max() < 0.01


def test_a_law_of_lengths_by_nodes_and_by_samples():
    """Gaussian input has lengths of the chi law."""
    rng = np.random.default_rng(0)
    inputs = 0.3 * rng.standard_normal((30_000, 5))
    found = lyapunov_spectrum(free(orthogonal(5, rng)), inputs, transient=100)
    middles = (np.arange(400) + 0.5) / 400
    by_nodes = isotropic_exponents(5, 0.3 * chi(5).ppf(middles))
    by_samples = isotropic_exponents(5, np.linalg.norm(inputs[:2000], axis=1))
    assert (np.abs(found.exponents - by_nodes) < 4 * found.standard_errors).all()
    assert np.allclose(by_nodes, by_samples, atol=0.01)
    weighted = isotropic_exponents(5, [1.0, 2.0], weights=[3.0, 1.0])
    assert np.allclose(weighted, isotropic_exponents(5, [1.0, 1.0, 1.0, 2.0]), atol=1e-15)


def test_the_exponents_are_negative_and_scale_free():
    for units in (2, 3, 10, 300):
        for b in (1e-9, 1e-3, 0.5, 1.0, 3.0, 1e150):
            found = isotropic_exponents(units, b)
            assert (found < 0).all() and (np.diff(found) <= 1e-12 * abs(found[0])).all()
            assert np.allclose(found, isotropic_exponents(units, 7 * b, scale=7.0), rtol=1e-9)
    # To second order in b all are -b²(N-1)/2N
    assert np.allclose(isotropic_exponents(100, 1e-6) / 1e-12, -0.495, rtol=1e-6)
    assert np.array_equal(isotropic_exponents(4, 0.0), np.zeros(3))


def test_many_units_reach_the_mean_field_formula_with_an_error_of_one_over_n():
    """0 > λ_1 + E log n > ½ ψ(N/2 - 1) - ½ ψ(N/2 - 1/2), and E log n -> ½ log(1 + b²)."""
    gaps = []
    for units in (50, 500):
        (found,) = isotropic_exponents(units, 0.8, count=1)
        gaps.append(found + 0.5 * np.log1p(0.8**2))
        law = beta((units - 1) / 2, (units - 1) / 2, -1, 2)  # of t
        log_norm = law.expect(lambda t: 0.5 * np.log(1.64 + 1.6 * t), epsabs=1e-10)
        assert 0.5 * (psi(units / 2 - 1) - psi(units / 2 - 0.5)) < found + log_norm < 0
    assert 9 < gaps[0] / gaps[1] < 11 and abs(gaps[1]) < 1e-3


def test_wrong_laws_say_what_to_do():
    for change, message in (
        ({"units": 1}, "units must be a whole number of at least 2"),
        ({"count": 3}, "count must be at most the 2 directions on the sphere, got 3"),
        ({"lengths": [1.0, -1.0]}, "lengths must be at least 0, got -1"),
        ({"lengths": []}, "lengths must have at least 1 rows"),
        ({"lengths": [np.nan]}, "lengths must be finite"),
        ({"weights": [1.0, 1.0]}, "weights must have the shape of lengths"),
        ({"weights": [-1.0]}, "weights must be at least 0 and not all 0"),
        ({"weights": [0.0]}, "weights must be at least 0 and not all 0"),
        ({"scale": 0.0}, "scale must be finite and greater than 0"),
        ({"scale": 1e-320}, "lengths/scale must be finite"),
    ):
        with pytest.raises(sn.BadInput, match=message):
            isotropic_exponents(**{"units": 3, "lengths": [1.0], **change})


# Theorem 2: the cocycle


def test_the_cocycle_is_block_triangular_at_every_step(rng):
    """Φ_n x̂_0 = N_1 ... N_n x̂_n, and modulo x̂ it is N_1 ... N_n times the tangent map."""
    radius, units = 1.7, 6
    network = free(rng.standard_normal((units, units)), radius)
    x, inputs = sn.sphere.random_point(units, rng, radius), rng.standard_normal((9, units))
    start, tangents = x / radius, sn.sphere.tangent(x, rng.standard_normal((units, 5)))
    product, scale, carried = np.eye(units), 1.0, tangents
    for u in inputs:
        scale *= np.linalg.norm(network.pre_activation(x, u))
        product = (radius * network.recurrent.toarray() + np.outer(u, x / radius)) @ product
        x, carried = network.tangent_step(x, u, carried)
    assert np.allclose(product @ start, scale * x / radius, rtol=1e-12)
    moved = product @ tangents
    across = moved - np.outer(x, x @ moved) / radius**2
    assert np.allclose(across, scale * carried, rtol=1e-10, atol=1e-12 * scale)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_cocycle_gives_the_exponents_of_the_sphere(dtype):
    """Along one trajectory the two differ by O(1/steps), far less than either's standard error."""
    network = sn.random_reservoir(
        12, activation=sn.OnSphere(1.7), input_scaling=1.5, bias_scaling=0.3, rng=1, dtype=dtype
    )
    signal = sn.datasets.white_noise(4000, rng=1)
    one, two = cocycle_exponents(network, signal), lyapunov_spectrum(network, signal)
    assert np.abs(one.exponents - two.exponents).max() < 0.004
    assert (np.abs(one.exponents - two.exponents) < 4 * two.standard_errors + 1e-4).all()
    assert one.steps[-1] == 3500 and np.allclose(one.history[-1], one.exponents)
    three = cocycle_exponents(network, signal, count=3)
    assert np.allclose(three.exponents, one.exponents[:3], atol=0.004)


def test_without_input_the_cocycle_is_a_power_of_w(rng):
    network = sn.Reservoir(np.diag([4.0, -3.0, 2.0, 0.5]) @ np.eye(4), np.zeros(4))
    found = cocycle_exponents(network, 3000).exponents
    assert np.allclose(found, autonomous_exponents(network.recurrent), atol=1e-3)


def test_the_cocycle_of_a_chaotic_network_is_positive():
    """All other exponents lie below that of x̂: with count = 1 the right copy is left out."""
    network = sn.Reservoir(CHAOTIC, [1.0, 0.0])
    for seed in range(2):
        found = cocycle_exponents(network, np.ones(8000), count=1, rng=seed)
        assert abs(found.exponents[0] - 0.53) < 0.05


def test_a_direction_that_vanishes_has_exponent_minus_infinity():
    network = sn.Reservoir(np.diag([2.0, 1.0, 0.0]), np.zeros(3))
    found = cocycle_exponents(network, 600, transient=100).exponents
    assert np.isclose(found[0], -np.log(2), atol=0.01) and found[1] == -np.inf


def test_wrong_arguments_of_the_cocycle_say_what_to_do(rng):
    ring = sn.random_reservoir(5, topology="ring", rng=0)
    for network, options, message in (
        (ring, {"count": 5}, "count must be at most the 4 directions"),
        (ring, {"transient": 599}, "signal must have at least 601 rows"),
        (sn.Reservoir([[2.0]], [1.0]), {}, "at least one direction to move in"),
        (sn.random_reservoir(5, leak=0.5, rng=0), {}, "bend 0 and leak 1"),
    ):
        with pytest.raises(sn.BadInput, match=message):
            cocycle_exponents(network, np.ones(600), **options)
    with pytest.raises(sn.NoDirection, match="the pre-activation at step 0 is exactly zero"):
        cocycle_exponents(sn.Reservoir(np.zeros((2, 2)), np.ones(2)), np.zeros(600))


def test_chaos_hides_in_a_dense_network_of_500_units():
    """The N = 2 example beside .05 times an orthogonal block, in a random orthonormal basis.

    By Theorem 2 its exponents are that of the example, and log .05 - ⟨log N_k⟩ 498 times.
    """
    rng = np.random.default_rng(0)
    basis, blocks = orthogonal(500, rng), np.zeros((500, 500))
    blocks[:2, :2], blocks[2:, 2:] = CHAOTIC, 0.05 * orthogonal(498, rng)
    dense = basis @ blocks @ basis.T
    assert (dense != 0).all()
    large, small = sn.Reservoir(dense, basis[:, 0]), sn.Reservoir(CHAOTIC, [1.0, 0.0])
    found, reference = (max_lyapunov(network, np.ones(20_000)) for network in (large, small))
    assert abs(found.exponent - 0.537) < 4 * found.standard_error < 0.03
    error = np.hypot(found.standard_error, reference.standard_error)
    assert abs(found.exponent - reference.exponent) < 4 * error


# Theorem 3: the memory law for orthogonal W


@pytest.mark.parametrize("units", [2, 3, 30])
def test_every_tangent_shrinks_between_the_two_products(units, rng):
    rho, radius = 2.0, 1.3
    network = free(rho * orthogonal(units, rng), radius)
    x = sn.sphere.random_point(units, rng, radius)
    v = sn.sphere.tangent(x, rng.standard_normal(units))
    size, lower, upper = np.linalg.norm(v), 1.0, 1.0
    for u in 2 * rng.standard_normal((60, units)):
        a = network.pre_activation(x, u)
        before = x
        x, v = network.tangent_step(x, u, v)
        upper *= radius * rho / np.linalg.norm(a)
        cosine = abs(x @ network.recurrent.matvec(before)) / (rho * radius**2)
        lower *= radius * rho / np.linalg.norm(a) * cosine
        assert lower * (1 - 1e-9) <= np.linalg.norm(v) / size <= upper * (1 + 1e-9)
    if units == 2:  # sharp: there is only one direction, and it is the one that is shortened
        assert np.isclose(np.linalg.norm(v) / size, lower, rtol=1e-9)


def test_the_bounds_enclose_the_exponent_and_for_two_units_the_lower_one_is_attained():
    signal = sn.datasets.white_noise(6000, rng=0)
    for units, scaling in ((2, 10.0), (3, 10.0), (100, 1.0)):
        network = sn.random_reservoir(
            units, topology="rotation", spectral_radius=15.0, input_scaling=scaling, rng=3
        )
        start = sn.sphere.random_point(units, np.random.default_rng(0))
        bounds = exponent_bounds(network, signal, start=start)
        found = max_lyapunov(network, signal, start=start).exponent
        assert bounds.lower - 1e-12 <= found < bounds.upper
        width = bounds.upper - bounds.lower
        if units == 2:
            assert abs(found - bounds.lower) < 1e-12 < width
        else:
            assert found - bounds.lower > 0.05 * width


@pytest.mark.parametrize(
    ("units", "scaling", "numbers"),
    [
        (2, 10.0, (-0.11023, -0.11023, -0.00084)),
        (3, 10.0, (-0.0931, -0.0659, -0.0334)),
        (100, 1.0, (-0.06399, -0.06342, -0.06335)),
    ],
)
def test_the_bounds_that_the_page_quotes(units, scaling, numbers):
    network = sn.random_reservoir(
        units, topology="rotation", spectral_radius=15.0, input_scaling=scaling, rng=3
    )
    signal = np.sqrt(3) * sn.datasets.white_noise(20_000, rng=0)
    start = sn.sphere.random_point(units, np.random.default_rng(0))
    bounds = exponent_bounds(network, signal, start=start)
    found = (bounds.lower, max_lyapunov(network, signal, start=start).exponent, bounds.upper)
    assert np.allclose(found, numbers, rtol=0, atol=1e-4 if units == 3 else 1e-5)


def test_the_bounds_are_about_orthogonal_matrices_of_at_least_two_units():
    gaussian = sn.random_reservoir(10, rng=0)
    single = sn.Reservoir([[2.0]], [1.0])
    for network, message in (
        (gaussian, "reservoir must have W = ρQ with Q orthogonal"),
        (sn.Reservoir(np.zeros((2, 2)), [1.0, 1.0]), "reservoir must have W = ρQ"),
        (single, "reservoir must have at least 2 units"),
        (sn.random_reservoir(5, activation=sn.Tanh(), rng=0), "must be spherical"),
    ):
        with pytest.raises(sn.BadInput, match=message):
            exponent_bounds(network, np.ones(600))
    with (
        pytest.warns(sn.DegenerateStep),
        pytest.raises(sn.NoDirection, match="a normalisation factor is zero"),
    ):
        exponent_bounds(sn.Reservoir(np.eye(2), [1.0, 0.0]), [-1.0, 1.0, 1.0], 0, start=[1.0, 0.0])
    ring = sn.random_reservoir(6, topology="ring", input_scaling=0.5, rng=0, dtype=np.float32)
    bounds = exponent_bounds(ring, sn.datasets.white_noise(900, rng=0))
    assert bounds.lower < bounds.upper


# Theorems 4 and 5: forgetting


def test_the_threshold_of_uniform_noise_is_where_the_rate_changes_sign():
    """E log|b - 1| for b uniform in [0, B] is ((B-1) log(B-1) - B)/B."""
    edge = uniform_noise_threshold()
    assert np.isclose((edge - 1) * np.log(edge - 1), edge, rtol=1e-14)
    for size, sign in ((edge - 0.01, 1), (edge + 0.01, -1)):
        exact = -((size - 1) * np.log(size - 1) - size) / size
        nodes = size * (np.arange(200_000) + 0.5) / 200_000
        assert np.sign(exact) == sign and np.isclose(forgetting_rate(nodes), exact, atol=1e-5)
    assert forgetting_rate([1.0, 5.0]) == np.inf and forgetting_rate(0.0) == 0.0
    assert forgetting_rate([1.0, np.e + 1], weights=[0.0, 1.0]) == pytest.approx(-1.0)
    assert forgetting_rate(2.0 + 2.0 * np.e, scale=2.0) == pytest.approx(-1.0)


def test_above_the_threshold_all_trajectories_meet_at_the_promised_rate():
    """The distances stay below π Π 1/|b_k - 1| from any start, antipodes included."""
    rng = np.random.default_rng(2)
    weights = sn.sphere.random_point(10, rng)
    network = sn.Reservoir(orthogonal(10, rng), 7.0 * weights)
    signal = sn.datasets.white_noise(200, rng=2).ravel()
    promised = np.log(np.pi) - np.log(np.abs(7.0 * np.abs(signal) - 1.0)).cumsum()
    starts = np.vstack([directions(20, 10, rng), weights, -weights])
    states = sn.drive(network, np.broadcast_to(signal[:, None], (22, 200, 1)), starts)
    apart = np.linalg.norm(states - states[:1], axis=2).max(axis=0)
    assert (apart <= np.exp(promised) + 1e-12).all() and promised[-1] < -20
    assert echo_state(network, signal).verdict == "certified"


@pytest.mark.parametrize("units", [2, 3, 40])
def test_two_trajectories_are_as_close_as_their_norm_factors_say(units, rng):
    """|x_n - y_n| <= |x_0 - y_0| Π r ρ/√(N_l N'_l) for orthogonal W and any input."""
    network = free(1.5 * orthogonal(units, rng), 2.0)
    x = sn.sphere.random_point(units, rng, 2.0)
    inputs = 2 * rng.standard_normal((40, units)) + 1.0
    for y in (-x, sn.sphere.random_point(units, rng, 2.0)):
        one, two = (norm_factors(network, inputs, start) for start in (x, y))
        apart = sn.drive(network, inputs, x) - sn.drive(network, inputs, y)
        bound = np.linalg.norm(x - y) * np.cumprod(3.0 / np.sqrt(one * two))
        assert (np.linalg.norm(apart, axis=1) <= bound * (1 + 1e-9) + 1e-13).all()


@pytest.mark.parametrize(("units", "b"), [(2, 0.8), (3, 0.5), (10, 0.4)])
def test_antipodes_meet_at_the_rate_of_the_exponent_though_not_all_starts_can(units, b):
    """|u| < r ρ: every step is one to one, yet 200 antipodal pairs meet, each under its own input.

    The mean slope of log|x_k - y_k| is λ_1 within four standard errors.
    """
    rng = np.random.default_rng(units)
    network = free(orthogonal(units, rng))
    rate = isotropic_exponents(units, b, count=1)[0]
    first, last = int(6 / -rate), int(20 / -rate)
    starts = directions(200, units, rng)
    inputs = b * np.array([directions(last, units, rng) for _ in starts])
    apart = np.linalg.norm(
        sn.drive(network, inputs, starts) - sn.drive(network, inputs, -starts), axis=2
    )
    slopes = np.log(apart[:, -1] / apart[:, first - 1]) / (last - first)
    assert abs(slopes.mean() - rate) < 4 * slopes.std(ddof=1) / np.sqrt(200)
    assert apart[:, -1].max() < 1e-2
    # Not uniformly: for any of these inputs some pair of starts ends 2r apart
    ends = np.array([starts[0], -starts[0]])
    begin = ends
    for u in inputs[0, :15][::-1]:
        along = begin @ u
        length = along + np.sqrt(along**2 + 1 - b**2)
        begin = (length[:, None] * begin - u) @ network.recurrent.toarray()
    forward = sn.drive(network, np.broadcast_to(inputs[0, :15], (2, 15, units)), begin)[:, -1]
    assert np.allclose(forward, ends, atol=1e-6)


def test_all_trajectories_can_end_in_one_state_though_every_step_is_one_to_one():
    """W = R(arcsin β), u = (β, 0): the only fixed point, (0, 1), attracts from one side."""
    turn = np.array([[0.8, -0.6], [0.6, 0.8]])
    network = sn.Reservoir(turn, [0.6, 0.0])
    assert echo_state(network, np.ones(10)).verdict == "refuted"
    starts = directions(50, 2, np.random.default_rng(0))
    ends = sn.drive(network, np.ones((50, 4000, 1)), starts)[:, -1]
    assert np.linalg.norm(ends - [0.0, 1.0], axis=1).max() < 0.01


# Sentences of the paper, and of the page, that stand without a theorem


def test_a_start_that_is_not_forgotten_makes_even_functions(rng):
    """W = diag(2, 0), W_in = (0, 1): the first unit keeps its sign and is even in the input."""
    network = sn.Reservoir(np.diag([2.0, 0.0]), [0.0, 1.0])
    signal = sn.datasets.white_noise(6000, rng=0)
    states, mirrored = (sn.drive(network, s * signal, [1.0, 0.0]) for s in (1, -1))
    assert np.allclose(states[:, 0], mirrored[:, 0], atol=1e-12)
    assert np.allclose(states[:, 1], -mirrored[:, 1], atol=1e-12)
    target = signal**2
    columns = np.column_stack([states, np.ones(6000)])
    weights = np.linalg.lstsq(columns[100:4000], target[100:4000], rcond=None)[0]
    assert accuracy(target[4000:], columns[4000:] @ weights) == pytest.approx(0.889, abs=2e-3)
    found = information_processing_capacity(states, signal, (5, 5))
    assert found.by_degree[1] == pytest.approx(0.993, abs=2e-3)


def test_a_gaussian_network_whose_sign_is_never_forgotten_makes_even_functions_too():
    """Its leading eigenvalue is real and positive: the state stays on one side of the sphere."""
    network = sn.random_reservoir(100, rng=22)
    values = np.linalg.eigvals(network.recurrent.toarray())
    leading = values[np.abs(values).argmax()]
    assert leading.imag == 0 < leading.real
    network = network.rescaled(inputs=0.1 / float(np.linalg.norm(network.inputs)))
    signal = sn.datasets.white_noise(12_000, rng=22)
    start = sn.sphere.random_point(100, np.random.default_rng(22))
    columns = np.column_stack([sn.drive(network, signal, start), np.ones(12_000)])
    found = []
    for delay in (0, 1, 2, 5):
        target = np.roll(signal**2, delay, axis=0)
        weights = np.linalg.lstsq(columns[500:9000], target[500:9000], rcond=None)[0]
        found.append(accuracy(target[9000:], columns[9000:] @ weights))
    assert max(found) == pytest.approx(0.19, abs=5e-3)


@pytest.mark.parametrize(
    ("units", "frobenius", "operator"), [(100, 0.144, 0.72), (400, 0.068, 0.70), (900, 0.047, 0.71)]
)
def test_the_limit_of_the_jacobian_holds_in_frobenius_norm_and_not_in_operator_norm(
    units, frobenius, operator
):
    """J = W/|Wx| up to a term of rank one: relative to W it is √(2/N) and 1/√2 (Gaussian W)."""
    network = sn.random_reservoir(units, rng=0)
    w, x = network.recurrent.toarray(), sn.sphere.random_point(units, np.random.default_rng(0))
    a = w @ x
    exact = np.linalg.norm(a) * network.tangent_step(x, np.zeros(1), np.eye(units))[1]
    missing = np.linalg.norm(w - exact)
    removed = np.linalg.norm(w.T @ a) / np.linalg.norm(a)
    assert np.isclose(missing, removed, rtol=1e-9)  # rank one: its two norms are equal
    assert np.isclose(missing / np.linalg.norm(w), np.sqrt(2 / units), rtol=0.15)
    assert np.isclose(missing / np.linalg.norm(w, 2), np.sqrt(0.5), rtol=0.08)
    assert np.isclose(missing / np.linalg.norm(w), frobenius, atol=5e-4, rtol=0)
    assert np.isclose(missing / np.linalg.norm(w, 2), operator, atol=5e-3, rtol=0)
    # The second half of the approximation, |Wx| = ρ
    assert np.isclose(np.linalg.norm(a), 1.0, rtol=0.15)


def test_gelfand_s_formula_is_about_roots_and_not_about_norms(rng):
    """|Wʲ| = ρʲ for W = ρQ; for a Jordan block |Wʲ|/ρʲ grows like j/ρ."""
    turn = free(2.0 * orthogonal(5, rng))
    factors = np.full(40, 2.0)
    assert np.isclose(np.linalg.norm(memory_matrix(turn, factors, 1), 2), 0.5, rtol=1e-12)
    block = free(np.array([[2.0, 1.0], [0.0, 2.0]]))
    norms = [np.linalg.norm(memory_matrix(block, np.full(j + 1, 2.0), 1), 2) for j in (50, 100)]
    assert np.allclose(norms, np.array([50, 100]) / 4, rtol=0.01)


def test_the_law_is_exact_for_the_terms_of_the_state_and_a_bound_for_the_influence(rng):
    """W = ρQ: |M(n,k)| = r^(n-k+1) ρ^(n-k)/Π N_l. The influence can fade much faster."""
    turn = free(3.0 * orthogonal(5, rng), 1.7)
    inputs = rng.standard_normal((12, 5))
    factors = norm_factors(turn, inputs, sn.sphere.random_point(5, rng, 1.7))
    for k in (1, 4, 12):
        law = 1.7 * (1.7 * 3.0) ** (12 - k) / factors[k - 1 :].prod()
        assert np.isclose(np.linalg.norm(memory_matrix(turn, factors, k), 2), law, rtol=1e-12)
    # Two units, isotropic input with b = 1/2: E log n = 0, so that by the law nothing is forgotten
    pair = free(orthogonal(2, rng))
    bounds = exponent_bounds(pair, 0.5 * directions(20_000, 2, rng), transient=100)
    assert abs(bounds.upper) < 0.015  # 5 standard errors, of a deviation of .36
    assert abs(bounds.lower - np.log((1 + np.sqrt(0.75)) / 2)) < 0.015 < -bounds.lower


def test_a_constant_delta_never_overstates_memory(rng):
    """ρ/⟨N⟩ <= exp(log ρ - ⟨log N⟩): the arithmetic mean is the larger one."""
    network = sn.random_reservoir(30, topology="rotation", spectral_radius=3.0, rng=0)
    factors = norm_factors(network, sn.datasets.white_noise(3000, rng=0), np.eye(30)[0])[500:]
    constant, varying = 3.0 / factors.mean(), 3.0 / np.exp(np.log(factors).mean())
    assert constant < varying
    spread = np.log(factors).var() / 2  # to second order
    assert np.isclose(np.log(varying / constant), spread, rtol=0.1)


def test_fisher_memory_is_the_square_of_the_paper_s_for_a_rotation_and_not_in_general(rng):
    w = sn.sphere.random_point(8, rng)
    turn = 0.9 * orthogonal(8, rng)
    found = fisher_memory(turn, w, np.arange(30))
    law = predicted_memory("linear", np.arange(30), spectral_radius=0.9)
    assert np.allclose(np.sqrt(found / found[0]), law, rtol=1e-10)
    # All delays together hold |w|² for a normal W, and at most N
    basis = orthogonal(8, rng)
    symmetric = basis @ np.diag(np.linspace(-0.9, 0.9, 8)) @ basis.T
    assert np.isclose(fisher_memory(symmetric, w, np.arange(400)).sum(), 1.0, rtol=1e-9)
    line = fisher_memory(sn.topology.delay_line(8), np.eye(8)[0], np.arange(8))
    assert np.allclose(line, 1 / np.arange(1.0, 9.0)) and line.sum() > 2.7
    for arguments, message in (
        ((np.eye(2), [1.0, 0.0], 0), "recurrent must have a spectral radius below 1"),
        ((0.5 * np.eye(2), [1.0], 0), "inputs must have one weight per unit, 2, got 1"),
        ((0.5 * np.eye(2), [1.0, 0.0], [-1]), "delays must be a whole number"),
    ):
        with pytest.raises(sn.BadInput, match=message):
            fisher_memory(*arguments)


def test_the_contractivity_inequality_line_by_line(rng):
    """2r²(1 - â·b̂) <= r²(|a|/|b| + |b|/|a| - 2â·b̂) <= |a - b|² if |a|, |b| >= r."""
    r = 1.5
    for _ in range(200):
        a, b = (sn.sphere.random_point(4, rng, r * (1 + rng.exponential())) for _ in range(2))
        size_a, size_b = np.linalg.norm(a), np.linalg.norm(b)
        overlap = a @ b / (size_a * size_b)
        apart = np.linalg.norm(sn.sphere.project(a, r) - sn.sphere.project(b, r)) ** 2
        assert np.isclose(apart, r**2 * (2 - 2 * overlap))
        middle = r**2 * (size_a / size_b + size_b / size_a - 2 * overlap)
        assert apart <= middle * (1 + 1e-12) <= np.linalg.norm(a - b) ** 2 * (1 + 1e-9)


def test_the_pre_activation_is_at_least_as_long_as_the_methods_say(rng):
    """|Wx + W_in s| >= σ_min r - |W_in| s_max, attained where all vectors are aligned."""
    network = sn.Reservoir(3.0 * np.eye(2), [1.0, 0.0])
    condition = pre_activation_outside_sphere(network, [1.0, -1.0])
    assert condition.holds and condition.needed == 2.0
    norms = [
        np.linalg.norm(network.pre_activation(x, np.array([s])))
        for x in directions(200, 2, rng)
        for s in (-1.0, 1.0)
    ]
    assert min(norms) >= 2.0
    assert np.linalg.norm(network.pre_activation(np.array([1.0, 0.0]), np.array([-1.0]))) == 2.0


def test_the_addition_formula_of_tanh_and_its_approximation():
    """Dropping the product costs a share of sinh² a of the input term, however small b."""
    tanh = sn.Tanh().value
    for a in (0.1, 0.5, 1.0, 2.0):
        b = 1e-7
        one, two, both = (tanh(np.array([v]))[0] for v in (a, b, a + b))
        assert np.isclose(both, (one + two) / (1 + one * two), rtol=1e-14)
        assert np.isclose(two / (both - one) - 1, np.sinh(a) ** 2, rtol=1e-5, atol=1e-6)


def test_the_mso_signal_almost_repeats_after_6283_steps():
    """The period 2000 π is no whole number: after 6283 steps it is 6 % of a deviation off."""
    signal = sn.datasets.mso(7000).ravel()
    difference = signal[6283:] - signal[: 7000 - 6283]
    share = np.sqrt((difference**2).mean()) / signal.std()
    assert 0.05 < share < 0.07


def test_bending_has_an_inverse_on_every_ray(rng):
    """Along the ray of z the length of the unbent vector grows, so one point is on the sphere."""
    bent, units = sn.OnSphere(bend=0.7), 6
    for _ in range(20):
        a = sn.sphere.random_point(units, rng)
        z = bent.value(a)
        sizes = np.linspace(0, 1 / (0.7 * np.abs(z).max()), 400)[1:-1]
        unbent = sizes[:, None] * z / np.sqrt(1 - (0.7 * sizes[:, None] * z) ** 2)
        lengths = np.linalg.norm(unbent, axis=1)
        assert (np.diff(lengths) > 0).all() and lengths[-1] > np.sqrt(units) > lengths[0]
        nearest = unbent[np.abs(lengths - np.sqrt(units)).argmin()]
        assert nearest @ a / np.linalg.norm(nearest) > 0.99


# The figure


@pytest.fixture(scope="module")
def drawn():
    module = EXPERIMENTS["theorems"]
    config = module.PRESETS["smoke"]
    results = [module.run(config, task, 0) for task in module.tasks(config)]
    return module, config, results


def test_the_figure_finds_the_theorems_true(drawn):
    module, config, results = drawn
    dataset = module.collect(config, results)
    found = {claim.id: claim for claim in module.claims(dataset)}
    verdicts = {claim.id: claim.verdict for claim in found.values()}
    # Eight runs cannot tell that all networks forget
    assert verdicts.pop("forgetting-under-scalar-noise") == "open"
    assert set(verdicts.values()) == {"holds"} and len(verdicts) == 4
    assert len(module.plot(dataset)["theorems"].axes) == 6
    # Lemma 2 holds for every run; for two units the exponent is the lower bound
    assert found["forgetting-under-scalar-noise"].evidence["outside_of_the_bound"] <= 1e-9
    sharp = dataset.bounds.sel(bound_units=2)
    assert np.allclose(sharp.sel(bound="exponent"), sharp.sel(bound="lower"), atol=1e-12, rtol=0)


@pytest.mark.parametrize(
    ("claim", "name", "change"),
    [
        ("theorem-isotropic-spectrum", "curve_exact", lambda value: value - 0.5),
        ("theorem-cocycle", "matrices", lambda value: value + 0.5),
        ("theorem-memory-law", "bounds", lambda value: value.where(value.bound != "upper", -9.0)),
        ("theorem-memory-law", "bounds", lambda value: value.where(value.bound != "lower", 9.0)),
        ("theorem-forgetting", "pair", lambda value: 1.0 / value),
        ("theorem-forgetting", "chosen_pair", lambda value: 0.5 * value),
        ("forgetting-under-scalar-noise", "scalar", lambda value: value + 1.0),
    ],
)
def test_numbers_that_contradict_a_theorem_fail_its_claim(drawn, claim, name, change):
    module, config, results = drawn
    dataset = module.collect(config, results)
    dataset[name] = change(dataset[name])
    assert {one.id: one.verdict for one in module.claims(dataset)}[claim] == "fails"


def test_a_pair_that_has_not_met_yet_is_said(drawn):
    module, config, results = drawn
    dataset = module.collect(config, results)
    slow = dataset.scalar.copy()
    slow[0, 0, 0, 2] = 0.1
    many = xr.concat([dataset.scalar] * 9 + [slow], "network")
    found = module.claims(dataset.drop_vars("scalar").assign(scalar=many))
    assert found[-1].verdict == "partly" and found[-1].evidence["farthest"] == 0.1
