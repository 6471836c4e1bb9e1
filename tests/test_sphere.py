"""Geometry of the sphere: identities that hold for every vector."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import eval_legendre

from spheresn import NoDirection, sphere

entries = st.floats(-1e300, 1e300, allow_subnormal=True)
vectors = arrays(np.float64, st.integers(1, 8), elements=entries).filter(lambda v: v.any())


@given(vectors, st.floats(1e-150, 1e150))
def test_projection_lies_on_the_sphere_and_projecting_again_changes_nothing(vector, radius):
    point = sphere.project(vector, radius)
    assert sphere.norm(point) == pytest.approx(radius, rel=1e-12)
    assert np.allclose(sphere.project(point, radius), point, rtol=1e-14, atol=0)


def test_projection_ignores_positive_factors(rng):
    a = rng.standard_normal(20)
    assert np.allclose(sphere.project(1e-200 * a), sphere.project(a), rtol=1e-14)
    assert np.allclose(sphere.project(-3.0 * a), -sphere.project(a), rtol=1e-14)


def test_a_zero_vector_has_no_direction():
    with pytest.raises(
        NoDirection,
        match="a zero vector has no direction, so it cannot be projected onto the sphere; "
        "add a bias or start elsewhere",
    ):
        sphere.project(np.zeros(3))


def test_pushforward_annihilates_the_radial_direction_and_is_the_scaled_identity_on_tangents(rng):
    a = rng.standard_normal(12)
    v = sphere.tangent(a, rng.standard_normal((12, 3)))
    assert np.allclose(a @ v, 0.0, atol=1e-14)
    assert np.allclose(sphere.project_pushforward(a, a, 2.5), 0.0, atol=1e-15)
    assert np.allclose(
        sphere.project_pushforward(a, v, 2.5), 2.5 * v / np.linalg.norm(a), rtol=1e-13
    )


def test_pushforward_equals_central_differences(rng):
    a, v = rng.standard_normal((2, 9))
    h = 1e-6
    numeric = (sphere.project(a + h * v, 1.7) - sphere.project(a - h * v, 1.7)) / (2 * h)
    assert np.allclose(sphere.project_pushforward(a, v, 1.7), numeric, atol=1e-9)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-3, 1.0, np.pi / 2, np.pi - 1e-9, np.pi])
def test_geodesic_distance_is_the_angle_times_the_radius(angle):
    one, other = np.array([2.0, 0.0]), np.array([np.cos(angle), np.sin(angle)])
    assert sphere.geodesic_distance(one, other, 3.0) == pytest.approx(
        3.0 * angle, rel=1e-12, abs=1e-15
    )


def test_random_points_are_uniform(rng):
    """By Archimedes, each coordinate of a uniform point of the sphere in R³ is uniform in [-1, 1].

    Its mean is 0 and its variance 1/3.
    """
    points = np.array([sphere.random_point(3, rng) for _ in range(20000)])
    assert np.allclose(points.mean(axis=0), 0.0, atol=5 * np.sqrt(1 / 3 / 20000))
    assert np.allclose(points.var(axis=0), 1 / 3, atol=5 * np.sqrt(4 / 45 / 20000))


def test_the_projection_near_a_strong_bias_is_a_sum_of_polynomials_by_degree(rng):
    """(c + εu)/|c + εu| = Σ εⁿ (P_n c + P_{n-1} u), P_n = (-1)ⁿ qⁿᐟ² L_n(p/√q), p = c·u, q = |u|².

    The sum up to degree n misses εⁿ⁺¹ |u|ⁿ⁺¹ (docs/research/precision.md).
    """
    c, u = sphere.unit(rng.standard_normal(9)), sphere.unit(rng.standard_normal(9))
    p, q = c @ u, u @ u

    def factor(n):
        return 0.0 if n < 0 else (-1) ** n * q ** (n / 2) * eval_legendre(n, p / np.sqrt(q))

    for ratio in (3.0, 10.0, 30.0):
        exact = sphere.unit(c + u / ratio)
        total = np.zeros(9)
        for n in range(12):
            total += ratio**-n * (factor(n) * c + factor(n - 1) * u)
            assert sphere.norm(total - exact) < 4.0 * ratio ** -(n + 1) + 1e-15
