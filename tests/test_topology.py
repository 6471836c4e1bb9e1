"""Recurrent matrices: every fast form equals its array, and the spectral radius is exact."""

import numpy as np
import pytest
import scipy.sparse as sp

import spheresn as sn
from spheresn import topology
from spheresn.topology import _spectrum
from spheresn.topology.build import draw


def each_topology(units, rng):
    return {name: build(units, rng) for name, build in topology.TOPOLOGIES.items()}


@pytest.mark.parametrize("units", [1, 2, 7, 30])
@pytest.mark.parametrize("name", topology.TOPOLOGIES)
def test_products_equal_those_with_the_array(name, units, rng):
    matrix = topology.TOPOLOGIES[name](units, rng).scaled(1.3)
    full, vectors = matrix.toarray(), rng.standard_normal((units, 3))
    assert np.allclose(matrix.matvec(vectors), full @ vectors, atol=1e-14)
    assert np.allclose(matrix.rmatvec(vectors), full.T @ vectors, atol=1e-14)
    assert np.allclose(matrix.matvec(vectors[:, 0]), full @ vectors[:, 0], atol=1e-14)
    assert matrix.astype(np.float32).matvec(vectors.astype(np.float32)).dtype == np.float32


@pytest.mark.parametrize("units", [1, 2, 7, 30])
def test_a_rotation_is_orthogonal_up_to_its_weight(units, rng):
    full = topology.rotation(units, rng).scaled(2.0).toarray()
    assert np.allclose(full.T @ full, 4.0 * np.eye(units), atol=1e-14)


def test_the_eigenvalues_of_a_ring_are_roots_of_unity():
    values = np.linalg.eigvals(topology.ring(12, weight=0.5).toarray())
    assert np.allclose(values**12, 0.5**12, atol=1e-14)


@pytest.mark.parametrize("units", [1, 2, 50, 300])
@pytest.mark.parametrize("name", ["gaussian", "uniform", "sparse", "rotation", "ring"])
def test_scaling_gives_the_asked_spectral_radius(name, units, rng):
    density = 1.0 if name == "sparse" and units < 3 else None
    reservoir = sn.random_reservoir(
        units, topology=name, density=density, spectral_radius=1.37, rng=rng
    )
    largest = np.abs(np.linalg.eigvals(reservoir.recurrent.toarray())).max()
    assert largest == pytest.approx(1.37, rel=1e-10)


@pytest.mark.parametrize("density", [0.01, 0.1])
def test_spectral_radius_of_a_large_sparse_matrix(density, rng):
    """A block of known eigenvalues beside a random block of smaller radius: the answer is known."""
    inner = topology.sparse(2100, rng, density).matrix
    inner *= 0.5 / topology.spectral_radius(inner)
    ring = sp.csr_array(topology.ring(50, weight=0.9).toarray())
    known = sp.block_diag([inner, ring], format="csr")
    order = rng.permutation(2150)
    assert topology.spectral_radius(known[order][:, order]) == pytest.approx(0.9, rel=1e-10)


def test_spectral_radius_beyond_the_dense_limit_agrees_with_all_eigenvalues(rng, monkeypatch):
    from spheresn.topology import _spectrum

    matrices = [
        rng.standard_normal((300, 300)),
        topology.sparse(300, rng).matrix,
        np.kron(np.eye(100), [[0.0, 1, 0], [0, 0, 1], [1, 0, 0]]),
    ]
    exact = [
        np.abs(np.linalg.eigvals(m.toarray() if sp.issparse(m) else m)).max() for m in matrices
    ]
    monkeypatch.setattr(_spectrum, "DENSE_WEIGHTS", 0)
    assert [topology.spectral_radius(m) for m in matrices] == pytest.approx(exact, rel=1e-10)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_a_matrix_without_cycles_has_radius_zero_exactly(kind, rng):
    lower = np.tril(rng.standard_normal((60, 60)), -1)
    order = rng.permutation(60)
    assert topology.spectral_radius(kind(lower[order][:, order])) == 0.0
    assert topology.delay_line(5).spectral_radius() == 0.0


@pytest.mark.parametrize(
    "given",
    ["delay_line", np.eye(9, k=-1), sp.csr_array(np.eye(9, k=1))],
    ids=["name", "array", "sparse"],
)
def test_a_nilpotent_matrix_cannot_be_rescaled(given):
    with pytest.raises(ValueError, match=r"nilpotent W .* scale the weights"):
        sn.random_reservoir(9, topology=given, spectral_radius=0.9, rng=0)


def test_density_is_the_share_of_links(rng):
    assert topology.sparse(100, rng, 0.2).matrix.nnz == 2000
    assert topology.uniform(100, rng, 0.05).matrix.nnz == 500
    assert np.abs(topology.uniform(50, rng).matrix).max() <= 1.0


@pytest.mark.parametrize("density", [0.0, -0.1, 1.1, np.nan])
def test_density_must_be_a_share(density, rng):
    with pytest.raises(ValueError, match=r"density must be in \(0, 1\]"):
        topology.sparse(10, rng, density)
    with pytest.raises(ValueError, match="density"):
        sn.random_reservoir(
            10, topology="ring", density=0.3 if density != 1.1 else density, rng=rng
        )


@pytest.mark.parametrize(
    "given",
    [
        np.ones((2, 3)),
        np.ones(3),
        np.ones((0, 0)),
        sp.csr_array(np.ones((2, 3))),
        [["a"]],
        1j * np.eye(2),
    ],
)
def test_a_given_matrix_must_be_square_and_real(given):
    with pytest.raises(ValueError, match=r"recurrent must (be|have)"):
        topology.as_recurrent(given)


def test_a_given_matrix_must_be_finite():
    with pytest.raises(ValueError, match=r"recurrent must be finite, got nan at index \(1,\)"):
        topology.as_recurrent(sp.csr_array([[0.0, 1.0], [np.nan, 0.0]]))


@pytest.mark.parametrize("failure", ["raises", "lies"])
def test_eigenvalues_that_were_not_found_are_found_another_way(failure, rng, monkeypatch):
    """All eigenvalues are computed if Arnoldi's method does not converge, or to wrong vectors."""
    full = rng.standard_normal((120, 120))
    links = sp.csr_array(full)

    def eigs(matrix, k, **options):
        if failure == "raises":
            raise _spectrum.ArpackError(-9999)
        return np.zeros(k), rng.standard_normal((120, k))

    monkeypatch.setattr(_spectrum, "eigs", eigs)
    assert _spectrum._by_arnoldi(links) == pytest.approx(
        np.abs(np.linalg.eigvals(full)).max(), rel=1e-12
    )


def test_full_density_says_nothing_new_about_fixed_links(rng):
    given = draw("ring", 9, rng, 1.0).toarray()
    assert np.array_equal(given, draw("ring", 9, rng, None).toarray())
