"""Results do not depend on where in memory the arrays happen to lie."""

from __future__ import annotations

import numpy as np
import pytest

import spheresn as sn
from spheresn.kernels.codes import GUARD, guarded


def test_an_array_of_a_loop_keeps_its_distance():
    """The compiled code compares distances of less than 256 bytes, 32 numbers."""
    array = guarded((2, 3), np.float64)
    whole = array.base if array.base.base is None else array.base.base
    first = (array.ctypes.data - whole.ctypes.data) // 8
    assert array.flags.c_contiguous and first == GUARD >= 32
    assert whole.size - first - array.size == GUARD


@pytest.mark.parametrize("activation", [sn.OnSphere(), sn.OnSphere(bend=0.5), sn.Tanh()], ids=str)
@pytest.mark.parametrize("units", [5, 20, 31])
def test_a_small_network_has_the_same_states_wherever_its_arrays_lie(
    units, activation, monkeypatch
):
    """Every array of a loop in one buffer, at all distances that the loop may find them in."""
    from spheresn.kernels import loop

    signal = np.sin(np.arange(200.0))
    options = {"topology": "ring", "bias_scaling": 0.4, "rng": 0}
    plain = sn.random_reservoir(units, activation=activation, **options)
    expected = sn.drive(plain, signal)
    buffer = np.zeros(4096)
    for distance in range(units, units + 40):
        bias = buffer[:units]
        bias[:] = plain.bias
        placed = buffer[distance : distance + units + 2 * GUARD]
        place = lambda shape, dtype, placed=placed: placed[GUARD : GUARD + units]  # noqa: E731
        monkeypatch.setattr(loop, "guarded", place)
        near = sn.Reservoir(plain.recurrent, plain.inputs, activation, bias)
        object.__setattr__(near, "bias", bias)
        assert np.array_equal(sn.drive(near, signal), expected), distance
