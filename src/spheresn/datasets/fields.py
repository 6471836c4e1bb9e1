"""Chaotic fields on periodic grids: Kuramoto-Sivashinsky in one and two dimensions, Lorenz-96.

The Kuramoto-Sivashinsky equations are integrated in Fourier space by ETDRK4 [KAS05], a scheme of
fourth order that treats the stiff linear part exactly.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _validation
from .._errors import BadInput
from .._validation import Floats
from .chaos import Random, _bounded, _flow, _times

CONTOUR_POINTS = 32  # points of a circle over which the coefficients are averaged, as in the paper
STAGES_MEMORY = 30  # times the memory of a field that the integration of `lorenz96` takes
Spectrum = NDArray[np.complexfloating]


def kuramoto_sivashinsky(
    steps: int,
    length: float = 22.0,
    cells: int = 64,
    dt: float = 0.25,
    *,
    rng: Random = None,
    transient: float = 250.0,
    forcing: float = 0.0,
    wavelength: float | None = None,
    substeps: int = 1,
    start: ArrayLike | None = None,
) -> Floats:
    """u_t = −u u_x − u_xx − u_xxxx + forcing cos(2πx/wavelength), shape (steps, cells) [KUR76].

    x is periodic with period `length`. The series begins `transient` time units after small random
    waves, or after `start` (cells,), and is sampled every dt, each with `substeps` steps of the
    integration. Its mean is zero at all times. With a forcing the field is not homogeneous, as in
    [PAT18]; the length must be a multiple of the wavelength. The maximal exponent is .045 per time
    unit at length 22 and about .09 at length 200.

    >>> field = kuramoto_sivashinsky(100, rng=0)
    >>> field.shape, bool(np.abs(field.mean(axis=1)).max() < 1e-12)
    ((100, 64), True)
    """
    size = _validation.real("length", length, 0.0, above=True)
    count = _validation.fitting("cells", cells, 4, 6 * CONTOUR_POINTS)
    k = 2.0 * np.pi / size * np.arange(count // 2 + 1)
    slope = -0.5j * k
    if count % 2 == 0:
        slope[-1] = 0.0  # the derivative of the fastest wave is not seen on the grid
    push = _forcing(size, count, forcing, wavelength)

    def nonlinear(spectrum: Spectrum) -> Spectrum:
        u = np.fft.irfft(spectrum, count)
        return slope * np.fft.rfft(u * u) + push

    first = _first((count,), start, rng)
    fields = _integrate(
        np.fft.rfft(first - first.mean()),
        k**2 - k**4,
        nonlinear,
        lambda spectrum: np.fft.irfft(spectrum, count),
        _counts(steps, dt, transient, substeps, count),
    )
    return _bounded(fields)


def kuramoto_sivashinsky_2d(
    steps: int,
    length: float = 36.0,
    cells: int = 48,
    dt: float = 0.25,
    *,
    rng: Random = None,
    transient: float = 250.0,
    substeps: int = 1,
    start: ArrayLike | None = None,
) -> Floats:
    """h_t = −½|∇h|² − Δh − Δ²h on a square, shape (steps, cells, cells); its mean is subtracted.

    Both directions are periodic with period `length`. A field that varies in one direction only has
    a slope that obeys `kuramoto_sivashinsky`. Other arguments as there.

    >>> kuramoto_sivashinsky_2d(3, 22.0, 16, rng=0, transient=10).shape
    (3, 16, 16)
    """
    size = _validation.real("length", length, 0.0, above=True)
    count = _validation.fitting("cells", cells, 4, 6 * CONTOUR_POINTS, power=2)
    grid = (count, count)
    whole = 2.0 * np.pi / size * np.fft.fftfreq(count, 1.0 / count)
    half = 2.0 * np.pi / size * np.arange(count // 2 + 1)
    square = whole[:, None] ** 2 + half[None] ** 2
    slopes = [1j * whole[:, None] * np.ones_like(square), 1j * half[None] * np.ones_like(square)]
    if count % 2 == 0:
        slopes[0][count // 2] = 0.0
        slopes[1][:, -1] = 0.0
    fast = (np.abs(whole[:, None]) > 2 / 3 * half[-1]) | (half[None] > 2 / 3 * half[-1])

    def nonlinear(spectrum: Spectrum) -> Spectrum:
        products = sum(np.square(np.fft.irfft2(slope * spectrum, grid)) for slope in slopes)
        result: Spectrum = -0.5 * np.fft.rfft2(products)
        result[fast] = 0.0  # products of fast waves would come back as slow ones
        result[0, 0] = 0.0  # the mean only drifts
        return result

    first = _first(grid, start, rng)
    fields = _integrate(
        np.fft.rfft2(first - first.mean()),
        square - square**2,
        nonlinear,
        lambda spectrum: np.fft.irfft2(spectrum, grid),
        _counts(steps, dt, transient, substeps, count**2),
        np.fft.rfft2,
    )
    return _bounded(fields)


def lorenz96(
    steps: int,
    cells: int = 40,
    dt: float = 0.01,
    *,
    rng: Random = None,
    transient: float = 20.0,
    forcing: float = 8.0,
    tolerance: float = 1e-10,
) -> Floats:
    """x_i' = (x_{i+1} − x_{i−2}) x_{i−1} − x_i + forcing on a ring, shape (steps, cells) [LOR98].

    It is sampled every dt and starts `transient` time units before the first row, near the fixed
    point x_i = forcing. The products conserve the energy Σ x_i²/2. The maximal exponent is 1.68 for
    40 cells and the forcing 8. `tolerance` as in `lorenz`.

    >>> lorenz96(2, cells=4, forcing=0.5, transient=50).round(6)[0]  # the fixed point attracts
    array([0.5, 0.5, 0.5, 0.5])
    """
    count = _validation.fitting("cells", cells, 4, STAGES_MEMORY)
    push = _validation.real("forcing", forcing)
    random = np.random.default_rng(0) if rng is None else _validation.generator(rng)
    start = push + random.uniform(-0.5, 0.5, count)
    times = _times(steps, dt, transient, count)
    return _flow(lambda t, x: lorenz96_slope(x, push), start, times, tolerance)


def lorenz96_slope(x: Floats, forcing: float) -> Floats:
    """The right hand side of `lorenz96`."""
    # One longer array and slices: three calls of np.roll take three times as long
    ring = np.concatenate([x[-2:], x, x[:1]])
    return np.asarray((ring[3:] - ring[:-3]) * ring[1:-2] - x + forcing)


def _forcing(length: float, cells: int, forcing: float, wavelength: float | None) -> Spectrum:
    strength = _validation.real("forcing", forcing)
    period = length if wavelength is None else _validation.real("wavelength", wavelength, 0.0)
    waves = length / period if period else 0.0
    if waves < 1.0 or abs(waves - round(waves)) > 1e-9:
        raise BadInput(
            f"wavelength must fit into the length {length:g} a whole number of times, got "
            f"{wavelength!r}; choose such a wavelength"
        )
    x = np.arange(cells) / cells
    return np.asarray(np.fft.rfft(strength * np.cos(2.0 * np.pi * round(waves) * x)))


def _first(grid: tuple[int, ...], start: ArrayLike | None, rng: Random) -> Floats:
    if start is None:
        random = np.random.default_rng(0) if rng is None else _validation.generator(rng)
        return random.uniform(-0.6, 0.6, grid)
    first = _validation.array("start", start, len(grid))
    if first.shape != grid:
        raise BadInput(f"start must have the shape {grid}, got {first.shape}; pass such a field")
    return first


def _counts(
    steps: int, dt: float, transient: float, substeps: int, cells: int
) -> tuple[int, int, int, float]:
    """Rows, rows to skip, steps of the integration per row, and the length of such a step."""
    parts = _validation.whole("substeps", substeps, 1)
    times = _times(steps, dt, transient, cells)
    return len(times), math.ceil(round(times[0] / dt, 9)), parts, dt / parts


def _integrate(
    spectrum: Spectrum,
    linear: Floats,
    nonlinear: Callable[[Spectrum], Spectrum],
    field: Callable[[Spectrum], Floats],
    counts: tuple[int, int, int, float],
    spectrum_of: Callable[[Floats], Spectrum] | None = None,
) -> Floats:
    """v' = linear v + nonlinear(v) by ETDRK4, from `spectrum`; the fields of the rows kept.

    In the plane a spectrum has parts that no field has, pairs of waves that are not conjugate. They
    are rounding errors, but they grow unseen. With `spectrum_of` a field they are dropped at every
    row.
    """
    rows, skipped, parts, h = counts
    full, half, q, f1, f2, f3 = _coefficients(linear, h)
    v = spectrum
    kept = []
    with np.errstate(over="ignore", invalid="ignore"):
        for row in range(skipped + rows):
            if row >= skipped:
                kept.append(field(v))
            if spectrum_of is not None:
                v = spectrum_of(field(v))
            for _ in range(parts):
                nv = nonlinear(v)
                a = half * v + q * nv
                na = nonlinear(a)
                nb = nonlinear(half * v + q * na)
                nc = nonlinear(half * a + q * (2.0 * nb - nv))
                v = full * v + f1 * nv + f2 * (na + nb) + f3 * nc
    return np.array(kept)


def _coefficients(linear: Floats, h: float) -> tuple[Floats, ...]:
    """e^{Lh}, e^{Lh/2} and the weights of ETDRK4, averaged over a circle around each Lh.

    The closed forms lose all digits near Lh = 0.
    """
    circle = np.exp(1j * np.pi * (np.arange(CONTOUR_POINTS) + 0.5) / CONTOUR_POINTS)
    z = h * linear[..., None] + circle
    e = np.exp(z)
    q = h * ((np.exp(z / 2) - 1) / z).mean(-1).real
    f1 = h * ((-4 - z + e * (4 - 3 * z + z**2)) / z**3).mean(-1).real
    f2 = h * (2 * (2 + z + e * (z - 2)) / z**3).mean(-1).real
    f3 = h * ((-4 - 3 * z - z**2 + e * (4 - z)) / z**3).mean(-1).real
    return np.exp(h * linear), np.exp(h * linear / 2), q, f1, f2, f3
