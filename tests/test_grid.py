"""Grids: every point equals its own run, and the sphere needs only the distinct ratios."""

import numpy as np
import pytest

import spheresn as sn
from conftest import ACTIVATIONS, network
from spheresn import grid

RADII, SCALINGS = [0.2, 0.5, 0.9], [0.05, 0.1, 0.2, 1.0]


@pytest.mark.parametrize("bias", [0.0, 0.3])
@pytest.mark.parametrize("topology", ["gaussian", "sparse", "ring", "rotation"])
@pytest.mark.parametrize("activation", ACTIVATIONS.values(), ids=ACTIVATIONS)
def test_a_grid_equals_one_by_one(activation, topology, bias, rng):
    seed, signal, start = 5, rng.standard_normal((60, 2)), rng.standard_normal(30)
    settings = {"topology": topology, "n_inputs": 2, "bias_scaling": bias, "leak": 0.8}
    base = network(30, activation, seed, spectral_radius=3.0, input_scaling=1.0, **settings)
    states = sn.drive_grid(base, signal, RADII, SCALINGS, start)
    for i, radius in enumerate(RADII):
        for j, scaling in enumerate(SCALINGS):
            point = network(
                30, activation, seed, spectral_radius=radius, input_scaling=scaling, **settings
            )
            assert np.allclose(states[i, j], sn.drive(point, signal, start), rtol=0, atol=1e-12)


def test_the_sphere_runs_once_per_ratio(rng):
    """Points with equal ratios coincide: .1/.2 = .2/.4, and so on."""
    reservoir = network(10, sn.OnSphere(), rng)
    factors = np.array([0.1, 0.2, 0.3, 0.4])
    points = grid._points(reservoir, factors, factors)
    distinct, index = grid._distinct(points)
    ratios = {(i, j): i / j for i in range(1, 5) for j in range(1, 5)}
    assert len(distinct) == len(set(ratios.values())) == 11
    assert np.allclose(distinct[index], points, rtol=1e-13)
    tanh = grid._points(network(10, sn.Tanh(), rng), factors, factors)
    assert len(grid._distinct(tanh)[0]) == 16


def test_a_spectral_radius_of_zero_forgets_everything(rng):
    reservoir, signal = network(8, sn.OnSphere(), rng), rng.standard_normal(10)
    states = sn.drive_grid(reservoir, signal, [0.0], [0.5])[0, 0]
    assert np.allclose(
        states, np.outer(np.sign(signal), sn.sphere.unit(reservoir.inputs[:, 0])), atol=1e-14
    )


def test_bad_grids_get_a_sentence(rng):
    reservoir = network(5, sn.Tanh(), rng)
    with pytest.raises(
        ValueError, match="spectral_radius must be one or more numbers of at least 0"
    ):
        sn.drive_grid(reservoir, np.ones(4), [], [1.0])
    with pytest.raises(ValueError, match="input_scaling must be one or more numbers of at least 0"):
        sn.drive_grid(reservoir, np.ones(4), [1.0], [-1.0])
    with pytest.raises(ValueError, match="not nilpotent"):
        sn.drive_grid(network(5, sn.Tanh(), rng, "delay_line"), np.ones(4), [1.0], [1.0])
