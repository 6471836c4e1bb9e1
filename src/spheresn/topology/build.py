"""Topologies: drawn by name from a random generator, or made from a matrix of the caller."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse as sp

from .. import _validation
from .._errors import BadInput
from .._validation import Floats
from .matrices import MEMBERS, Dense, Recurrent, Rotation, Shift, Sparse

Draw = Callable[[int], Floats]


def gaussian(units: int, rng: np.random.Generator, density: float = 1.0) -> Dense | Sparse:
    """Independent normal entries; a share `density` of them differs from zero.

    >>> matrix = gaussian(300, np.random.default_rng(0)).toarray()
    >>> round(float(matrix.mean()), 1) + 0.0, round(float(matrix.std()), 1)
    (0.0, 1.0)
    """
    return _independent(units, rng, density, rng.standard_normal)


def uniform(units: int, rng: np.random.Generator, density: float = 1.0) -> Dense | Sparse:
    """Independent entries, uniform in [-1, 1]; a share `density` of them differs from zero.

    >>> matrix = uniform(300, np.random.default_rng(0)).toarray()
    >>> bool(np.abs(matrix).max() <= 1), round(float(matrix.var()), 2)  # a third
    (True, 0.33)
    """
    return _independent(units, rng, density, lambda count: rng.uniform(-1.0, 1.0, count))


def sparse(units: int, rng: np.random.Generator, density: float = 0.1) -> Sparse:
    """Independent normal entries in a sparse matrix; by default one entry in ten is not zero.

    >>> sparse(100, np.random.default_rng(0), density=0.05).matrix.nnz
    500
    """
    return _sparse_independent(
        units, rng, _validation.real("density", density, 0.0, 1.0, above=True), rng.standard_normal
    )


def rotation(units: int, rng: np.random.Generator) -> Rotation:
    """A random orthogonal matrix as N/2 plane rotations.

    (0, π) is divided into N/2 equal cells, and one angle is drawn from each. The cells imitate the
    repulsion between the eigenvalues of a Haar-random orthogonal matrix, whose angles do not
    cluster.

    >>> matrix = rotation(5, np.random.default_rng(0)).toarray()
    >>> bool(np.allclose(matrix @ matrix.T, np.eye(5)))
    True
    """
    half = _validation.fitting("units", units, 1) // 2
    return Rotation(units, np.pi * (np.arange(half) + rng.uniform(size=half)) / max(half, 1))


def ring(units: int, weight: float = 1.0) -> Shift:
    """Every unit feeds the next, and the last unit feeds the first.

    >>> ring(3, weight=0.5).toarray()
    array([[0. , 0. , 0.5],
           [0.5, 0. , 0. ],
           [0. , 0.5, 0. ]])
    """
    return Shift(_validation.fitting("units", units, 1), _validation.real("weight", weight))


def delay_line(units: int, weight: float = 1.0) -> Shift:
    """Every unit feeds the next; what reaches the last unit is forgotten.

    The matrix is nilpotent: its spectral radius is 0 for any weight.

    >>> delay_line(3).toarray()
    array([[0., 0., 0.],
           [1., 0., 0.],
           [0., 1., 0.]])
    """
    return Shift(
        _validation.fitting("units", units, 1), _validation.real("weight", weight), closed=False
    )


TOPOLOGIES: dict[str, Callable[..., Recurrent]] = {
    "gaussian": gaussian,
    "uniform": uniform,
    "sparse": sparse,
    "rotation": rotation,
    "ring": lambda units, rng: ring(units),
    "delay_line": lambda units, rng: delay_line(units),
}
WITH_DENSITY = ("gaussian", "uniform", "sparse")


def draw(name: str, units: int, rng: np.random.Generator, density: float | None) -> Recurrent:
    """The topology called `name` on `units` units."""
    build = TOPOLOGIES[_validation.one_of("topology", name, TOPOLOGIES)]
    _validation.fitting("units", units, 1)
    if density is None:
        return build(units, rng)
    if name not in WITH_DENSITY:
        if density == 1.0:
            return build(units, rng)
        raise BadInput(
            f"density must be left out for the {name} topology, got {density!r}; its links are "
            "fixed"
        )
    return build(units, rng, density)


def as_recurrent(matrix: Any) -> Recurrent:
    """A square matrix (an array or a scipy sparse matrix) as a topology; topologies pass unchanged.

    >>> dense, sparse = as_recurrent([[0.0, 1.0], [1.0, 0.0]]), as_recurrent(sp.eye_array(3))
    >>> type(dense).__name__, type(sparse).__name__
    ('Dense', 'Sparse')
    """
    if hasattr(matrix, "matvec"):
        return _check_members(matrix)
    kind = np.float32 if getattr(matrix, "dtype", None) == np.float32 else np.float64
    if sp.issparse(matrix):
        _check_square(matrix.shape)
        kept = sp.csr_array(matrix, dtype=kind)
        kept.sum_duplicates()
        _validation.finite("recurrent", kept.data)
        return Sparse(kept)
    full = _validation.array("recurrent", matrix, 2, kind)
    _check_square(full.shape)
    return Dense(np.require(full, requirements=["C", "W"]))


def _check_members(matrix: Any) -> Recurrent:
    missing = [name for name in MEMBERS if not hasattr(matrix, name)]
    if missing:
        rule = (
            f"recurrent must be an array, a sparse matrix or a topology with {', '.join(MEMBERS)}"
        )
        raise BadInput(
            f"{rule}, got a {type(matrix).__name__} without {', '.join(missing)}; add what is "
            "missing, or pass W as an array"
        )
    return matrix  # type: ignore[no-any-return]


def _check_square(shape: tuple[int, ...]) -> None:
    if len(shape) != 2 or shape[0] != shape[1] or shape[0] < 1:
        raise BadInput(
            f"recurrent must be a square matrix of at least one unit, got shape {shape}; pass W "
            "of shape (N, N)"
        )


def _independent(
    units: int, rng: np.random.Generator, density: float, draw_values: Draw
) -> Dense | Sparse:
    if _validation.real("density", density, 0.0, 1.0, above=True) < 1.0:
        return _sparse_independent(units, rng, density, draw_values)
    _validation.fitting("units", units, 1, power=2)
    return Dense(draw_values(units * units).reshape(units, units))


def _sparse_independent(
    units: int, rng: np.random.Generator, density: float, draw_values: Draw
) -> Sparse:
    size = _validation.fitting("units", units, 1)
    _validation.fitting("units", units, 1, 2.0 * density * size)  # with the places of the links
    matrix = sp.random_array(
        (size, size),
        density=density,
        format="csr",
        rng=rng,
        data_sampler=lambda size: draw_values(int(size)),
    )
    matrix.sort_indices()
    return Sparse(matrix)
