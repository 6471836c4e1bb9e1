"""The echo state property: what is proved, what is refuted, and what is only tested."""

import numpy as np
import pytest

import spheresn as sn
from conftest import network
from plain import CHAOTIC_4, Henon
from spheresn.analysis import _echo_proofs, _secular, echo_state, pre_activation_outside_sphere
from spheresn.analysis._secular import decompose, shortest


def turning(factor: float, angle: float = 1.0) -> np.ndarray:
    return factor * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def on_circle(count: int) -> np.ndarray:
    angles = np.linspace(0, 2 * np.pi, count, endpoint=False)
    return np.stack([np.cos(angles), np.sin(angles)])


@pytest.mark.parametrize("radius", [0.4, 1.0, 3.0])
def test_the_shortest_pre_activation_is_the_minimum_over_the_circle(radius, rng):
    """Against a fine grid of the circle.

    u = 0, u along a singular vector (the hard case) and a singular W are included.
    """
    points = radius * on_circle(200_000)
    for w in (
        rng.standard_normal((2, 2)),
        np.diag([3.0, 1.0]),
        np.diag([2.0, 0.0]),
        np.zeros((2, 2)),
        turning(1.5),
    ):
        reservoir = sn.Reservoir(w, np.zeros(2), sn.OnSphere(radius))
        drives = np.vstack(
            [
                rng.standard_normal((5, 2)),
                np.zeros(2),
                [2.0, 0.0],
                [0.0, 2.0],
                [0.01, 0.0],
                [9.0, 1e-9],
            ]
        )
        expected = [np.linalg.norm(w @ points + u[:, None], axis=0).min() for u in drives]
        assert np.allclose(
            shortest(decompose(reservoir), drives, radius), expected, atol=2e-4 * radius
        )


def test_the_hard_case_by_hand():
    """W = diag(3, 1), u = (2, 0), r = 1: minimum of (3x + 2)² + 1 - x² is at x = -3/4, m² = 1/2."""
    reservoir = sn.Reservoir(np.diag([3.0, 1.0]), np.zeros(2))
    assert np.allclose(
        shortest(decompose(reservoir), np.array([[2.0, 0.0], [2.0, 1e-13]]), 1.0),
        np.sqrt(0.5),
        atol=1e-7,
    )


def test_the_shortest_pre_activation_is_stationary_and_below_all_others(rng):
    """In high dimension: never above the value at any of many points, and reached by descent."""
    reservoir = network(40, sn.OnSphere(), rng, spectral_radius=1.5)
    w = reservoir.recurrent.toarray()
    for scale in (0.1, 1.0, 10.0):
        u = scale * rng.standard_normal(40)
        least = shortest(decompose(reservoir), u[None], 1.0)[0]
        x = sn.sphere.random_point(40, rng)
        step = 1.0 / np.linalg.norm(w, 2) ** 2
        for _ in range(20_000):
            x = sn.sphere.project(x - 0.5 * step * w.T @ (w @ x + u))
        reached = np.linalg.norm(w @ x + u)
        assert least <= reached + 1e-9
        assert np.isclose(least, reached, rtol=1e-6, atol=1e-6)


def test_the_paper_s_condition_does_not_give_the_echo_state_property():
    """W = 2 R(1), u = 0: eqn:condition holds, and the distance of two states never changes."""
    reservoir = sn.Reservoir(turning(2.0), [1.0, 0.0])
    assert pre_activation_outside_sphere(reservoir, np.zeros(20)).holds
    result = echo_state(reservoir, np.zeros(20))
    assert result.verdict == "refuted" and result.washout == np.inf
    starts = np.array([[1.0, 0.0], [0.6, 0.8]])
    states = sn.drive(reservoir, np.zeros((2, 1000, 1)), starts)
    assert np.allclose(np.linalg.norm(states[0] - states[1], axis=1), np.sqrt(0.8), atol=1e-12)


@pytest.mark.parametrize("bend", [0.0, 0.8])
def test_under_the_condition_any_final_state_remains_possible(bend, rng):
    """Every step is one to one: any last state can be reached, so the property is refuted.

    The start is found by going backwards from the prescribed last state.
    """
    w = 2 * np.linalg.qr(rng.standard_normal((20, 20)))[0]
    reservoir = sn.Reservoir(w, 0.5 * sn.sphere.random_point(20, rng), sn.OnSphere(bend=bend))
    signal = rng.uniform(-1, 1, (12, 1))
    assert pre_activation_outside_sphere(reservoir, signal).holds
    assert echo_state(reservoir, signal).verdict == "refuted"
    for target in (np.eye(20)[0], -np.eye(20)[0]):
        state = target
        for row in signal[::-1]:
            state = preimage(reservoir, state, row)
        assert np.allclose(sn.drive(reservoir, signal, state)[-1], target, atol=1e-9)


def preimage(reservoir, state, row):
    """The x with F(x, s) = state, r = 1.

    Undo the bending, then find the positive root t of |W⁻¹(t y - u)| = 1.
    """
    from scipy.optimize import brentq

    bend, units, y = reservoir.activation.bend, reservoir.units, state
    if bend:
        longest = 1 / (bend * np.abs(state).max())
        spread = lambda t: t * state / np.sqrt(1 - (bend * t * state) ** 2)  # noqa: E731
        y = spread(
            brentq(
                lambda t: np.linalg.norm(spread(t)) - np.sqrt(units),
                0.0,
                longest * (1 - 1e-15),
                xtol=1e-15,
            )
        ) / np.sqrt(units)
    solve = np.linalg.solve(
        reservoir.recurrent.toarray(), np.stack([y, reservoir.inputs @ row], axis=1)
    )
    p, q = solve.T
    t = (p @ q + np.sqrt((p @ q) ** 2 + (p @ p) * (1 - q @ q))) / (p @ p)
    return t * p - q


def test_chaos_under_the_condition_is_refuted_too():
    reservoir = sn.Reservoir(CHAOTIC_4, 11 * np.eye(4)[0])
    assert pre_activation_outside_sphere(reservoir, np.ones(5)).holds
    assert echo_state(reservoir, np.ones(5)).verdict == "refuted"


@pytest.mark.parametrize("bend", [0.0, 0.2])
@pytest.mark.parametrize("radius", [1.0, 2.0])
def test_large_input_is_certified_and_trajectories_meet_at_the_promised_rate(radius, bend, rng):
    reservoir = network(
        30,
        sn.OnSphere(radius, bend),
        rng,
        spectral_radius=0.3 / radius,
        input_scaling=2.0,
        bias_scaling=2.0,
    )
    signal = rng.uniform(1.0, 2.0, (25, 1))
    result = echo_state(reservoir, signal)
    assert result.verdict == "certified" and result.rate < 0
    assert np.isclose(result.contraction[-1], 25 * result.rate)
    for _ in range(20):
        x, y = (sn.sphere.random_point(30, rng, radius) for _ in range(2))
        first = sn.sphere.geodesic_distance(x, y, radius)
        one, two = sn.drive(reservoir, signal, x), sn.drive(reservoir, signal, y)
        apart = np.array(
            [sn.sphere.geodesic_distance(a, b, radius) for a, b in zip(one, two, strict=True)]
        )
        assert (apart <= first * np.exp(result.contraction) + 1e-14).all()
        assert apart[int(result.washout) - 1] <= 1e-6 * first + 1e-14


def test_the_exact_minimum_certifies_where_the_triangle_inequality_cannot(rng):
    """|u| = 1.8 σ_max: the simple bound q <= σ_max/(|u| - σ_max) exceeds 1, the exact one not."""
    reservoir = network(50, sn.OnSphere(), rng)
    drive = sn.sphere.random_point(50, rng) * 1.8 * decompose(reservoir).largest
    result = echo_state(sn.Reservoir(reservoir.recurrent, drive), np.ones(3))
    assert result.verdict == "certified" and np.exp(result.rate) < 1 < 1 / 0.8


def test_the_sharp_bound_on_projections(rng):
    """|φ(a) - φ(b)| <= 2r|a - b|/(|a| + |b|) [DUN64]."""
    a, b = rng.standard_normal((2, 20_000, 3)) * rng.uniform(0.1, 5, (2, 20_000, 1))
    size_a, size_b = np.linalg.norm(a, axis=1), np.linalg.norm(b, axis=1)
    ratio = (
        np.linalg.norm(a / size_a[:, None] - b / size_b[:, None], axis=1)
        * (size_a + size_b)
        / (2 * np.linalg.norm(a - b, axis=1))
    )
    assert 0.99 < ratio.max() <= 1 + 1e-12


def test_weak_input_is_an_empirical_matter(rng):
    reservoir = network(50, sn.OnSphere(), rng, spectral_radius=1.0, input_scaling=0.3)
    result = echo_state(reservoir, rng.standard_normal(1500))
    assert (
        result.verdict == "empirical"
        and result.exponent.exponent < -2 * result.exponent.standard_error
    )
    assert np.isclose(result.washout, np.log(1e-6) / result.exponent.exponent)
    assert result.distances[0] > 1e-2 and result.distances[-1] < 1e-10


def test_a_negative_exponent_does_not_bring_two_attractors_together():
    """W = diag(2, 1, 0) with weak noise: +e_1 and -e_1 both attract, λ ≈ log(1/2).

    Antipodes therefore never converge.
    """
    reservoir = sn.Reservoir(np.diag([2.0, 1.0, 0.0]), [0.1, 0.1, 0.1])
    result = echo_state(reservoir, sn.datasets.white_noise(1500, rng=0))
    assert result.verdict == "empirical" and np.isclose(
        result.exponent.exponent, np.log(0.5), atol=0.05
    )
    assert result.distances[-1] > 1.9 and result.washout == np.inf


def test_only_what_is_proved_is_claimed_with_a_leak(rng):
    leaky = network(20, sn.OnSphere(), rng, leak=0.5, input_scaling=20.0)
    assert echo_state(leaky, rng.standard_normal(600)).verdict == "empirical"
    assert echo_state(leaky, np.zeros(600)).verdict == "refuted"


@pytest.mark.parametrize("leak", [1.0, 0.3])
def test_linear_networks_have_it_exactly_below_one(leak, rng):
    for factor, verdict in ((0.99, "certified"), (1.0, "refuted"), (1.2, "refuted")):
        w = factor * np.diag([1.0, -1.0])
        assert (
            echo_state(
                sn.Reservoir(w, np.ones(2), sn.Linear(), leak=leak), rng.standard_normal(5)
            ).verdict
            == verdict
        )
    below = echo_state(
        sn.Reservoir([[0.5, 100.0], [0.0, 0.5]], np.ones(2), sn.Linear()), np.ones(5)
    )
    assert below.verdict == "certified" and np.isclose(below.rate, np.log(0.5))
    assert (
        echo_state(
            sn.Reservoir(sn.topology.delay_line(3), np.ones(3), sn.Linear()), np.ones(5)
        ).washout
        == 3.0
    )


def jordan(value: float, size: int, above: float = 1.0) -> np.ndarray:
    return value * np.eye(size) + above * np.eye(size, k=1)


@pytest.mark.parametrize(
    ("w", "leak"),
    [
        (jordan(0.5, 2, 100.0), 1.0),
        (jordan(0.9, 50), 1.0),
        (np.diag([0.5, -0.25]), 1.0),
        (np.diag([0.0, -1.0]), 0.5),
        (np.zeros((2, 2)), 1.0),
        (sn.topology.ring(6).scaled(0.5), 1.0),
        (sn.topology.ring(6).scaled(0.25), 0.5),
        (sn.topology.ring(6).scaled(1e-9), 1.0),
        (sn.topology.delay_line(50).scaled(0.5), 1.0),
        (sn.topology.delay_line(5).scaled(3.0), 1.0),
        (sn.topology.delay_line(5).scaled(3.0), 0.1),
    ],
)
def test_the_washout_of_a_linear_network_is_read_from_the_powers_of_its_matrix(w, leak):
    """|A^washout| <= tolerance < |A^(washout - 1)|: proved, and not shorter for every start."""
    units = w.size if isinstance(w, sn.topology.Shift) else len(w)
    network = sn.Reservoir(w, np.ones(units), sn.Linear(), leak=leak)
    found = echo_state(network, 3)
    matrix = leak * network.recurrent.toarray() + (1 - leak) * np.eye(units)
    before, after = (
        np.linalg.norm(np.linalg.matrix_power(matrix, int(found.washout) - k), 2) for k in (1, 0)
    )
    assert found.verdict == "certified" and after <= 1e-6 < before
    slowest = np.log(max(np.abs(np.linalg.eigvals(matrix)).max(), 1e-300))
    assert found.washout >= np.log(1e-6) / slowest - 1e-9


def test_the_washout_of_a_jordan_block_by_hand():
    """|Jᵏ| = λᵏ (c + √(1 + c²)), c = 50 k/λ, λ = 1/2: at most 1e-6 from 33 on, not after 20."""
    found = echo_state(sn.Reservoir(jordan(0.5, 2, 100.0), np.ones(2), sn.Linear()), 3)
    lengths = [0.5**k * (100 * k + np.sqrt(1 + 1e4 * k**2)) for k in range(40)]
    assert found.washout == 1 + max(k for k, length in enumerate(lengths) if length > 1e-6) == 33
    assert lengths[20] > 1e-3  # where log(tolerance)/log ρ would have ended the washout


def test_a_washout_that_cannot_be_proved_is_not_claimed(monkeypatch):
    """Powers that are too many, too long for their type, or of too many units."""
    rng = np.random.default_rng(0)
    wild = sn.Reservoir(jordan(0.9, 3), np.ones(3), sn.Linear())
    monkeypatch.setattr(_echo_proofs, "MOST_SQUARES", 3)
    assert echo_state(wild, rng.standard_normal(600)).verdict == "empirical"
    monkeypatch.undo()
    tall = sn.Reservoir(jordan(0.99, 300), np.ones(300), sn.Linear())  # |Jᵏ| passes 1e308
    assert echo_state(tall, np.zeros(600)).verdict == "empirical"
    monkeypatch.setattr(_echo_proofs, "LARGEST_POWERS", 2)
    found = echo_state(wild, np.zeros(600))
    assert found.verdict == "certified" and found.washout == np.inf
    assert found.reason.endswith("its powers were not computed, as it has more than 2 units")


@pytest.mark.parametrize("leak", [1.0, 0.4])
def test_tanh_networks_contract_when_the_largest_singular_value_is_below_one(leak, rng):
    w = network(20, sn.Tanh(), rng).recurrent.toarray()
    w *= 0.9 / np.linalg.norm(w, 2)
    reservoir = sn.Reservoir(w, np.ones(20), sn.Tanh(), leak=leak)
    signal = rng.standard_normal((200, 1))
    result = echo_state(reservoir, signal)
    assert result.verdict == "certified" and np.isclose(result.rate, np.log(1 - leak + leak * 0.9))
    x, y = rng.uniform(-1, 1, (2, 20))
    apart = np.linalg.norm(sn.drive(reservoir, signal, x) - sn.drive(reservoir, signal, y), axis=1)
    assert (apart <= np.linalg.norm(x - y) * np.exp(result.contraction) * (1 + 1e-9) + 1e-13).all()


def test_tanh_beyond_the_textbook_conditions(rng):
    wild = network(30, sn.Tanh(), rng, spectral_radius=1.5)
    assert echo_state(wild, np.zeros(5)).verdict == "refuted"
    assert echo_state(wild, rng.standard_normal(600)).verdict == "empirical"


def test_a_map_of_your_own_is_tested():
    result = echo_state(Henon(), 1500, starts=[[0.1, 0.1], [0.2, 0.1]])
    assert (
        result.verdict == "empirical" and result.washout == np.inf and result.distances.max() > 0.1
    )


def test_wrong_arguments_say_what_to_do(rng):
    reservoir = network(10, sn.OnSphere(), rng)
    with pytest.raises(ValueError, match="tolerance must be in"):
        echo_state(reservoir, np.ones(5), tolerance=2.0)
    with pytest.raises(ValueError, match="trajectories must be a whole number"):
        echo_state(network(10, sn.OnSphere(), rng, leak=0.5), np.ones(5), trajectories=1)
    with pytest.raises(ValueError, match="starts must be given"):
        echo_state(Henon(), 1000)
    with pytest.raises(ValueError, match="starts must have at least 2 rows"):
        echo_state(Henon(), 1000, starts=[[0.1, 0.1]])
    with pytest.raises(ValueError, match="must live on a sphere"):
        pre_activation_outside_sphere(network(10, sn.Tanh(), rng), np.ones(5))


def test_a_search_that_is_cut_short_still_gives_a_lower_bound(monkeypatch, rng):
    """Weak duality: every multiplier gives a lower bound of the shortest length.

    The best multiplier gives the length itself.
    """
    parts, drives = decompose(network(8, sn.OnSphere(), rng)), 3.0 * rng.standard_normal((50, 8))
    best = shortest(parts, drives, 1.0)
    monkeypatch.setattr(_secular, "ROOT_STEPS", 1)
    early = shortest(parts, drives, 1.0)
    assert (early <= best * (1 + 1e-12)).all() and early.max() > 0.0 and (early < best).any()


def test_an_input_beyond_all_numbers_gets_a_sentence():
    reservoir = sn.Reservoir(np.eye(2), [1e200, 0.0], sn.Tanh())
    with pytest.raises(
        sn.StateOverflow,
        match="the input left the range of its floating point type; lower its scale",
    ):
        echo_state(reservoir, np.full(30, 1e200))
