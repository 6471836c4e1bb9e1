"""How loops are compiled: parts without machine code, and the garbage collector as it was."""

from __future__ import annotations

import gc

import pytest
from numba.core.errors import TypingError

from spheresn.kernels import _jit, cache, codes
from spheresn.kernels._parts import Part
from spheresn.kernels.codes import advance


@pytest.fixture(autouse=True)
def in_memory(monkeypatch):
    """Nothing is loaded or kept."""
    monkeypatch.setattr(cache, "folder", lambda: None)


@pytest.fixture
def collecting():
    """Whether the collector was on while the loop was compiled; tests may turn it off."""
    seen: list[bool] = []
    yield seen
    gc.enable()


def loop_of(part, seen):
    """A loop that calls a part."""

    @_jit.entry
    def loop(x):
        return part(x) + 1.0

    compile_part = part._compiler.compile

    def watched(*arguments):
        seen.append(gc.isenabled())
        return compile_part(*arguments)

    part._compiler.compile = watched
    return loop


def half(x):
    return x / 2.0


def unknown(x):
    return x.no_such_attribute


@pytest.mark.parametrize("active", [True, False])
def test_the_collector_rests_while_a_loop_is_compiled_and_is_as_it_was_after(active, collecting):
    loop = loop_of(_jit.compiled(half), collecting)
    if not active:
        gc.disable()
    assert loop(3.0) == 2.5
    assert collecting == [False]
    assert gc.isenabled() == active


def test_the_collector_comes_back_where_a_loop_cannot_be_compiled(collecting):
    with pytest.raises(TypingError, match="no_such_attribute"):
        loop_of(_jit.compiled(unknown), collecting)(3.0)
    assert not any(collecting)
    assert gc.isenabled()


def test_a_part_is_linked_into_its_loop_and_has_no_machine_code(collecting):
    part = _jit.compiled(half)
    assert loop_of(part, collecting)(4.0) == 3.0
    (result,) = part.overloads.values()
    assert isinstance(result.library, Part)
    with pytest.raises(RuntimeError, match="no compiled object yet"):
        result.library._get_compiled_object()


SPHERE = codes.Network(None, None, None, codes.Spherical(1.0, 0.0, 1.0, 1e-280, 1e280))


def pieces(rare, last):
    """A loop over steps that are fine, except those in `rare`; `last` are what they turn out to be.
    Also the calls it gets.
    """
    calls = []

    def piece(network, first, stop):
        fast = isinstance(network.activation, codes.FastSpherical)
        calls.append((fast, first, stop))
        for k in range(first, stop):
            status = codes.RARE if fast and k in rare else last.get(k, codes.FINE)
            if status != codes.FINE:
                return status, k - first
        return codes.FINE, stop - first

    return piece, calls


def test_a_rare_step_runs_alone_with_the_code_for_all_cases():
    piece, calls = pieces({2, 3}, {})
    assert advance(SPHERE, piece, 0, 6) == (codes.FINE, 6)
    assert calls == [(True, 0, 6), (False, 2, 3), (True, 3, 6), (False, 3, 4), (True, 4, 6)]


@pytest.mark.parametrize("status", [codes.DEGENERATE, codes.OVERFLOW, codes.UNSAFE])
def test_the_driver_ends_at_a_step_that_is_not_fine(status):
    for rare in ({4}, {1, 4}, set()):
        assert advance(SPHERE, pieces(rare, {4: status})[0], 0, 6) == (status, 4)
        assert advance(SPHERE, pieces(rare, {4: status})[0], 5, 6) == (codes.FINE, 6)
    leaky = SPHERE._replace(activation=SPHERE.activation._replace(leak=0.5))
    assert advance(leaky, pieces({4}, {})[0], 0, 6) == (codes.FINE, 6)
