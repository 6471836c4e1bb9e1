"""Truths about the chaotic fields."""

from typing import Any

import numpy as np
import pytest

from spheresn import _errors, datasets
from spheresn.datasets.fields import lorenz96_slope

LOOSE: Any = datasets


def slope(field: np.ndarray, length: float, order: int = 1) -> np.ndarray:
    """The derivative along the last axis, exact for what the grid resolves."""
    count = field.shape[-1]
    k = 2.0 * np.pi / length * np.arange(count // 2 + 1)
    return np.fft.irfft((1j * k) ** order * np.fft.rfft(field), count)


def test_the_mean_of_kuramoto_sivashinsky_is_conserved_with_and_without_forcing():
    for forcing in (0.0, 0.1):
        field = datasets.kuramoto_sivashinsky(200, 50.0, 96, rng=1, forcing=forcing)
        assert np.abs(field.mean(axis=1)).max() < 1e-12


def test_the_energy_of_kuramoto_sivashinsky_grows_by_slope_and_falls_by_curvature():
    """d/dt <u²>/2 = <u_x²> - <u_xx²>: the product u u_x conserves it."""
    field = datasets.kuramoto_sivashinsky(100, 22.0, 64, dt=0.01, rng=2, transient=20)
    energy = np.square(field).mean(axis=1) / 2
    measured = (energy[2:] - energy[:-2]) / 0.02
    gain = np.square(slope(field, 22.0)).mean(axis=1) - np.square(slope(field, 22.0, 2)).mean(1)
    assert measured == pytest.approx(gain[1:-1], abs=1e-3 * np.abs(gain).max())


def test_a_forced_field_takes_up_energy_from_the_forcing():
    """d/dt <u²>/2 has the further term <u forcing cos(2πx/wavelength)>."""
    field = datasets.kuramoto_sivashinsky(
        100, 44.0, 96, dt=0.01, rng=2, forcing=0.5, wavelength=22.0, transient=20
    )
    push = 0.5 * np.cos(2 * np.pi * np.arange(96) * 44.0 / 96 / 22.0)
    energy = np.square(field).mean(axis=1) / 2
    gain = np.square(slope(field, 44.0)).mean(axis=1) - np.square(slope(field, 44.0, 2)).mean(1)
    gain = gain + (field * push).mean(axis=1)
    measured = (energy[2:] - energy[:-2]) / 0.02
    assert measured == pytest.approx(gain[1:-1], abs=1e-3 * np.abs(gain).max())


def test_the_integration_is_of_fourth_order():
    start = datasets.kuramoto_sivashinsky(1, rng=3)[0]
    ends = [
        datasets.kuramoto_sivashinsky(5, start=start, transient=0, substeps=parts)[-1]
        for parts in (16, 32, 256)
    ]
    coarse, fine = (np.abs(end - ends[-1]).max() for end in ends[:2])
    assert 3.6 < np.log2(coarse / fine) < 4.5


def test_the_transient_is_where_the_series_came_from():
    late = datasets.kuramoto_sivashinsky(3, rng=1, transient=1.0)
    early = datasets.kuramoto_sivashinsky(7, rng=1, transient=0.0)
    assert np.array_equal(late, early[4:])


def test_a_field_that_varies_in_one_direction_has_the_slope_of_the_one_dimensional_equation():
    count, length = 64, 22.0
    u = datasets.kuramoto_sivashinsky(1, length, count, rng=1)[0]
    k = 2.0 * np.pi / length * np.arange(1, count // 2)
    spectrum = np.zeros(count // 2 + 1, complex)
    spectrum[1:-1] = np.fft.rfft(u)[1:-1] / (1j * k)
    height = np.fft.irfft(spectrum, count)
    one = datasets.kuramoto_sivashinsky(8, length, count, start=u, transient=0)
    for axis in (0, 1):
        start = np.expand_dims(height, 1 - axis) * np.ones((count, count))
        two = datasets.kuramoto_sivashinsky_2d(8, length, count, start=start, transient=0)
        assert np.abs(two.mean(axis=(1, 2))).max() < 1e-12
        line = np.take(two, 5, axis=2 - axis)
        assert slope(line, length) == pytest.approx(one, abs=1e-4)


def test_two_dimensions_of_odd_size_stay_bounded_and_vary():
    field = datasets.kuramoto_sivashinsky_2d(20, 20.0, 21, rng=0, transient=100)
    assert field.shape == (20, 21, 21) and 0.1 < field.std() < 10


def test_odd_cells_follow_the_same_equation():
    start = datasets.kuramoto_sivashinsky(1, 22.0, 64, rng=1)[0]
    spectrum = np.fft.rfft(start)[:32]
    odd = np.fft.irfft(spectrum, 63) * 63 / 64
    even = datasets.kuramoto_sivashinsky(5, start=start, transient=0)
    other = datasets.kuramoto_sivashinsky(5, cells=63, start=odd, transient=0)
    assert np.fft.rfft(other)[:, :20] / 63 == pytest.approx(
        np.fft.rfft(even)[:, :20] / 64, abs=1e-8
    )


def growth(run: Any, start: np.ndarray, spans: int, size: float = 1e-7) -> np.ndarray:
    """The logarithmic growth of a small difference over each of `spans` spans."""
    rng = np.random.default_rng(0)
    gap = rng.standard_normal(len(start))
    gap *= size / np.linalg.norm(gap)
    state, found = start, []
    for _ in range(spans):
        after, beside = run(state), run(state + gap)
        length = np.linalg.norm(beside - after)
        found.append(np.log(length / size))
        state, gap = after, (beside - after) * size / length
    return np.array(found)


def test_the_maximal_exponent_of_kuramoto_sivashinsky():
    """.045 at length 22, from the literature [PAT18], here over 1,300 time units."""

    def run(state):
        return datasets.kuramoto_sivashinsky(2, dt=20.0, start=state, transient=0, substeps=50)[1]

    start = datasets.kuramoto_sivashinsky(1, rng=4)[0]
    found = growth(run, start, 75)[10:] / 20.0
    assert found.mean() == pytest.approx(0.0453, abs=0.008)


def test_the_maximal_exponent_of_lorenz96():
    """1.68 for 40 cells at forcing 8 [LOR98], here over 100 time units."""

    def run(x):
        h = 0.02
        for _ in range(50):
            a = lorenz96_slope(x, 8.0)
            b = lorenz96_slope(x + h / 2 * a, 8.0)
            c = lorenz96_slope(x + h / 2 * b, 8.0)
            d = lorenz96_slope(x + h * c, 8.0)
            x = x + h / 6 * (a + 2 * b + 2 * c + d)
        return x

    found = growth(run, datasets.lorenz96(1, rng=0)[0], 110)[10:]
    assert found.mean() == pytest.approx(1.68, abs=0.12)


def test_the_products_of_lorenz96_conserve_the_energy():
    """d/dt Σ x²/2 = -Σ x² + forcing Σ x."""
    x = np.random.default_rng(0).standard_normal(11)
    assert x @ lorenz96_slope(x, 3.0) == pytest.approx(-x @ x + 3.0 * x.sum(), abs=1e-12)


def test_lorenz96_moves_as_its_equation_says():
    """By its formula cell by cell, and by the difference quotient of the series."""
    x = np.random.default_rng(1).standard_normal(6)
    naive = [(x[(i + 1) % 6] - x[i - 2]) * x[i - 1] - x[i] + 8.0 for i in range(6)]
    assert lorenz96_slope(x, 8.0) == pytest.approx(naive, abs=1e-14)
    rows = datasets.lorenz96(3, cells=6, dt=1e-4, rng=2)
    assert (rows[2] - rows[0]) / 2e-4 == pytest.approx(lorenz96_slope(rows[1], 8.0), abs=1e-4)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: LOOSE.kuramoto_sivashinsky(5, -1.0), "length must be"),
        (lambda: LOOSE.kuramoto_sivashinsky(5, cells=3), "cells must be"),
        (lambda: LOOSE.kuramoto_sivashinsky(5, wavelength=5.0), "wavelength must fit"),
        (lambda: LOOSE.kuramoto_sivashinsky(5, wavelength=0.0), "wavelength must fit"),
        (lambda: LOOSE.kuramoto_sivashinsky(5, start=np.zeros(5)), "start must have the shape"),
        (lambda: LOOSE.kuramoto_sivashinsky(5, substeps=0), "substeps must be"),
        (lambda: LOOSE.kuramoto_sivashinsky_2d(5, cells=4, start=np.zeros(4)), "start must have 2"),
        (lambda: LOOSE.lorenz96(5, cells=3), "cells must be"),
    ],
)
def test_arguments_that_cannot_be_are_refused(call, words):
    with pytest.raises(_errors.BadInput, match=words):
        call()


def test_a_field_that_escapes_is_an_error():
    with pytest.raises(_errors.StateOverflow, match="stay bounded"):
        datasets.kuramoto_sivashinsky(50, start=1e4 * np.sin(np.arange(64)), transient=0)


def test_a_long_run_in_the_plane_stays_a_field():
    """Waves that are not conjugate in pairs would grow like e^(t/4), from 1e-16 to 1e27 here."""
    field = datasets.kuramoto_sivashinsky_2d(3, 18.0, 24, rng=1, transient=400)
    assert 1.0 < np.abs(field).max() < 30.0
