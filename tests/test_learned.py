"""What a fitted forecaster has learned: its exponents, their dimension, and its fixed points."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import spheresn as sn
from plain import Henon
from spheresn.analysis import (
    KaplanYorke,
    equilibria,
    fixed_points,
    kaplan_yorke_dimension,
    lyapunov_spectrum,
    max_lyapunov,
)
from spheresn.analysis._growth import student_interval
from spheresn.analysis.lyapunov import _DrivenByItsRun
from spheresn.closed_loop import ClosedLoop
from spheresn.readout import Weights
from spheresn.series.scaling import Scaler


class Fitted:
    """The least that counts as a fitted forecaster."""

    def __init__(self, loop, state, last):
        self.closed_loop_, self.state_, self.last_ = loop, np.asarray(state), np.asarray(last)


def linear_model(rng, units=4, columns=2):
    """A linear network in a linear loop, and the matrix of the whole."""
    recurrent, inputs = 0.3 * rng.standard_normal((units, units)), rng.random((units, columns))
    reservoir = sn.Reservoir(recurrent, inputs, sn.Linear())
    weights = Weights(0.2 * rng.standard_normal((units, columns)), np.zeros(columns))
    loop = ClosedLoop(reservoir, weights, 0.5)
    above = np.hstack([recurrent, inputs])
    below = np.hstack([np.zeros((columns, units)), 0.5 * np.eye(columns)])
    matrix = np.vstack([above, below + weights.matrix.T @ above])
    return Fitted(loop, np.ones(units), np.ones(columns)), matrix


@pytest.fixture(scope="module")
def lorenz():
    rows = sn.datasets.lorenz(4000, dt=0.02)
    return rows, sn.ESNForecaster(200, random_state=0, verbose=False).fit(rows)


def test_the_exponents_of_a_linear_loop_are_those_of_its_matrix(rng):
    model, matrix = linear_model(rng)
    exact = np.sort(np.log(np.abs(np.linalg.eigvals(matrix))))[::-1]
    found = lyapunov_spectrum(model, 4000)
    assert len(found.exponents) == 4 and np.allclose(found.exponents, exact[:4], atol=3e-3)
    assert np.isclose(max_lyapunov(model, 4000).exponent, exact[0], atol=3e-3)
    network = np.log(np.abs(np.linalg.eigvals(model.closed_loop_.reservoir.recurrent.toarray())))
    assert np.isclose(found.conditional, network.max(), atol=3e-3)


def test_a_model_is_its_loop_where_it_is(lorenz):
    _, model = lorenz
    start = np.concatenate([model.state_, model.last_])
    one, two = (
        lyapunov_spectrum(of, 900, count=2, transient=100, start=given)
        for of, given in ((model, None), (model.closed_loop_, start))
    )
    assert np.array_equal(one.exponents, two.exponents) and two.conditional is None
    other = lyapunov_spectrum(model, 900, count=2, transient=100, start=start + 1e-3)
    assert not np.array_equal(one.exponents, other.exponents)


def test_exponents_per_unit_of_time(lorenz):
    _, model = lorenz
    for measure, part in ((max_lyapunov, "exponent"), (lyapunov_spectrum, "exponents")):
        row, unit = measure(model, 900), measure(model, 900, dt=0.02)
        assert np.allclose(getattr(row, part), 0.02 * getattr(unit, part), rtol=1e-12)
        assert np.allclose(row.history, 0.02 * unit.history, rtol=1e-12)
        for one, two in zip(row.interval(0.8), unit.interval(0.8), strict=True):
            assert np.allclose(one, 0.02 * np.asarray(two), rtol=1e-12)


def test_the_exponents_and_the_dimension_of_lorenz(lorenz):
    """.906, 0, -14.57 and 2.06, from clean rows of all three variables."""
    _, model = lorenz
    found = lyapunov_spectrum(model, 20_500, dt=0.02)
    assert len(found.exponents) == 5 and found.conditional < found.exponents[2]
    low, high = found.interval(0.99)
    assert low[0] < 0.906 < high[0] and low[1] < 0.0 < high[1]
    assert np.isclose(found.exponents[2], -14.57, rtol=0.01)
    dimension = kaplan_yorke_dimension(found)
    assert np.isclose(dimension.dimension, 2.062, atol=0.01) and dimension.trusted
    assert 0.0 < dimension.standard_error < 0.01


def test_the_conditional_exponent_is_that_of_the_driven_network(lorenz):
    _, model = lorenz
    run = model.closed_loop_.run(2600, model.state_, model.last_, np.empty((2600, 0)))[0]
    inputs = np.vstack([model.last_, run[:-1]])
    exact = max_lyapunov(model.reservoir_, inputs, start=model.state_).exponent
    assert np.isclose(lyapunov_spectrum(model, 3000).conditional, exact, rtol=0.02)


def test_a_network_driven_by_its_run_is_the_loop_without_the_way_back(lorenz, rng):
    loop = lorenz[1].closed_loop_
    driven, state, none = _DrivenByItsRun(loop, 3), rng.standard_normal(203), np.empty(0)
    assert np.array_equal(driven.step(state, none), loop.step(state, none))
    moved = driven.tangent_step(state, none, np.eye(203))[1]
    assert not moved[200:].any() and not moved[:, 200:].any()
    assert np.array_equal(
        moved[:200, :200], loop.tangent_step(state, none, np.eye(203))[1][:200, :200]
    )
    assert driven.tangent_dim == 199


def test_a_field_is_a_model_too():
    """Waves that travel: a neutral exponent, and a network that forgets."""
    time, place = np.meshgrid(0.2 * np.arange(400), np.arange(8), indexing="ij")
    field = np.sin(time - 2 * np.pi * place / 8) + 0.5 * np.sin(1.7 * time + 4 * np.pi * place / 8)
    model = sn.ESNFieldForecaster(30, patch=4, halo=1, random_state=0, verbose=False).fit(field)
    found = lyapunov_spectrum(model, 300, count=2, transient=100)
    assert found.conditional < found.exponents[0] and abs(found.exponents[0]) < 0.05
    assert len(lyapunov_spectrum(model, 40, transient=10).exponents) == 10


def test_a_model_with_exogenous_columns():
    drive = np.sin(0.3 * np.arange(600.0))[:, None]
    series = np.zeros(600)
    for k in range(1, 600):
        series[k] = 0.5 * series[k - 1] + drive[k, 0]
    model = sn.ESNForecaster(30, random_state=0, verbose=False).fit(series, exogenous=drive)
    assert max_lyapunov(model, drive, transient=100).exponent < 0.0
    with pytest.raises(sn.BadInput, match="1 exogenous columns of the forecaster"):
        max_lyapunov(model)


@pytest.mark.parametrize(
    ("exponents", "dimension"),
    [
        ([0.906, 0.0, -14.57], 2.0 + 0.906 / 14.57),
        ([np.log(2), -np.log(3)], 1.0 + np.log(2) / np.log(3)),  # a baker's map
        ([0.0, -1.0], 1.0),  # a cycle
        ([-0.1, -1.0], 0.0),  # a point
        ([0.0, 0.0, -1.0], 2.0),  # a torus
        ([0.5, -np.inf], 1.0),
        ([-3.0, 0.5, -0.5], 2.0),  # in any order
    ],
)
def test_the_dimension_of_exponents(exponents, dimension):
    found = kaplan_yorke_dimension(exponents)
    assert np.isclose(found.dimension, dimension, rtol=1e-14) and found.trusted
    assert found.standard_error == np.inf and found.interval() == (0.0, np.inf)


def test_the_dimension_of_a_map_that_keeps_volumes_is_that_of_its_space():
    found = kaplan_yorke_dimension([0.5, -0.5])
    assert found.dimension == 2.0 and not found.trusted  # there may be more


several = st.lists(st.floats(-5.0, 2.0), min_size=2, max_size=6).filter(lambda all_: sum(all_) < 0)


@given(several, st.floats(-5.0, -0.01), st.floats(0.1, 10.0))
def test_an_exponent_more_raises_the_dimension_and_units_do_not_matter(exponents, more, unit):
    found = kaplan_yorke_dimension(exponents).dimension
    assert kaplan_yorke_dimension([*exponents, more]).dimension >= found - 1e-9
    assert np.isclose(kaplan_yorke_dimension(unit * np.array(exponents)).dimension, found)


def test_the_error_of_a_dimension_is_that_of_repeated_runs(rng):
    """On the Hénon map, from twenty starts."""
    found = []
    for _ in range(20):
        start = rng.uniform(-0.1, 0.1, 2)
        found.append(kaplan_yorke_dimension(Henon(), signal=3000, start=start))
    spread = np.std([one.dimension for one in found], ddof=1)
    said = np.mean([one.standard_error for one in found])
    assert 0.6 < said / spread < 1.7
    assert all(one.trusted for one in found)
    assert np.isclose(np.mean([one.dimension for one in found]), 1.258, atol=0.004)


def test_the_dimension_of_a_system_takes_as_many_exponents_as_it_needs():
    options = {"signal": 200, "transient": 10, "start": np.ones(4)}
    found = kaplan_yorke_dimension(Doubling(), count=1, **options)
    assert found.dimension == 4.0 and found.trusted  # all of its space
    partly = kaplan_yorke_dimension(lyapunov_spectrum(Doubling(), count=2, **options))
    assert partly == KaplanYorke(2.0, 0.0, False)


class Doubling:
    """Doubles every difference; kept near zero."""

    tangent_dim = 4

    def step(self, state, inputs):
        return np.sin(state)

    def tangent_step(self, state, inputs, tangents):
        return self.step(state, inputs), 2.0 * tangents


def test_a_dimension_that_rests_on_the_network_is_not_trusted(rng):
    """All exponents of a linear loop without feedback are those of its network, or of carry."""
    network = sn.Reservoir(np.diag([0.9, 0.8]), np.ones((2, 1)), sn.Linear())
    loop = ClosedLoop(network, Weights(np.zeros((2, 1)), np.zeros(1)), 1.0)
    found = lyapunov_spectrum(Fitted(loop, np.ones(2), np.ones(1)), 1000)
    assert np.allclose(found.exponents, np.log([1.0, 0.9, 0.8]), atol=1e-3)
    assert not kaplan_yorke_dimension(found).trusted


def test_intervals_are_those_of_student():
    """t(19, .975) = 2.0930."""
    low, high = student_interval(1.0, 0.1, 20, 0.95)
    assert np.isclose(high - 1.0, 0.20930, atol=1e-5) and np.isclose(1.0 - low, high - 1.0)


def test_a_run_of_two_steps_has_no_error():
    found = lyapunov_spectrum(sn.Reservoir([[0.5]], [1.0], sn.Linear()), 2, transient=0)
    dimension = kaplan_yorke_dimension(found)
    assert dimension.dimension == 0.0 and dimension.interval() == (0.0, 0.0)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda model: max_lyapunov(sn.ESNForecaster()), "fit it"),
        (lambda model: max_lyapunov(sn.ESNForecaster), "must be a System"),
        (lambda model: max_lyapunov(model.reservoir_), "signal must be given"),
        (lambda model: max_lyapunov(model, np.zeros((50, 1))), "a number of steps"),
        (lambda model: max_lyapunov(model, dt=0.0), "dt must be"),
        (lambda model: lyapunov_spectrum(model, dt=-1.0), "dt must be"),
        (lambda model: lyapunov_spectrum(model, 900).interval(1.5), "level must be"),
        (lambda model: kaplan_yorke_dimension([0.5, np.nan]), "spectrum must be exponents"),
        (lambda model: kaplan_yorke_dimension([]), "spectrum must be exponents"),
        (lambda model: kaplan_yorke_dimension([0.5], dt=2.0), "dt must go with a system"),
    ],
)
def test_what_cannot_be_measured(lorenz, call, said):
    with pytest.raises(sn.BadInput, match=said):
        call(lorenz[1])


def test_the_fixed_points_of_henon():
    """x = 1 - 1.4 x² + .3 x; the multipliers solve μ² + 2.8 x μ - .3 = 0."""
    x = np.array([-0.7 - np.sqrt(0.49 + 5.6), -0.7 + np.sqrt(0.49 + 5.6)]) / 2.8
    found = fixed_points(Henon(), np.random.default_rng(0).uniform(-2, 2, (20, 2)), dt=0.5)
    assert np.allclose(found.points, np.column_stack([x, 0.3 * x]), atol=1e-12)
    exact = np.array([np.roots([1.0, 2.8 * one, -0.3]) for one in x])
    exact = np.take_along_axis(exact, np.argsort(-np.abs(exact), axis=1), 1)
    assert np.allclose(found.multipliers, exact, atol=1e-12)
    assert np.allclose(np.exp(0.5 * found.rates), exact, atol=1e-12)
    assert found.unstable.tolist() == [1, 1] and not found.stable.any()
    assert found.outside == 0 and np.array_equal(found.points, found.states)


def test_the_fixed_point_of_a_linear_loop(rng):
    """(1 - M) z = b, with the eigenvalues of M, for any exogenous row."""
    reservoir = sn.Reservoir(0.2 * rng.random((4, 4)), rng.random((4, 3)), sn.Linear())
    weights = Weights(0.1 * rng.standard_normal((4, 2)), rng.random(2))
    loop = ClosedLoop(reservoir, weights, 0.2)
    model = Fitted(loop, np.zeros(4), np.zeros(2))
    model.exogenous_scaler_ = Scaler(np.array([1.0]), np.array([2.0]))
    found = fixed_points(model, 6, inputs=[2.0])
    zero, eye = np.zeros(6), np.eye(6)
    matrix = loop.tangent_step(zero, np.array([0.5]), eye)[1]
    exact = np.linalg.solve(eye - matrix, loop.step(zero, np.array([0.5])))
    assert np.allclose(found.states, [exact], atol=1e-9)
    assert np.array_equal(found.points, found.states[:, -2:])  # it has no units of its own
    values = np.linalg.eigvals(matrix)
    assert np.allclose(np.sort(np.abs(found.multipliers[0])), np.sort(np.abs(values)), atol=1e-9)
    assert found.stable.all()
    with pytest.raises(sn.BadInput, match="a row of the 1 exogenous columns"):
        fixed_points(model)


def test_the_three_fixed_points_of_lorenz(lorenz):
    """The origin and ±√(β (ρ - 1)) with z = ρ - 1; their eigenvalues are those of the equations."""
    _, model = lorenz
    found = fixed_points(model, dt=0.02)
    wing = np.sqrt(8.0 / 3.0 * 27.0)
    exact = [[-wing, -wing, 27.0], [0.0, 0.0, 0.0], [wing, wing, 27.0]]
    assert np.allclose(found.points, exact, atol=1e-4)
    assert found.unstable.tolist() == [2, 1, 2]
    # λ³ + (σ + β + 1) λ² + β (σ + ρ) λ + 2 σ β (ρ - 1) at the wings
    rates = np.roots([1.0, 41.0 / 3.0, 8.0 / 3.0 * 38.0, 1440.0])
    growing = rates[rates.real > 0.0]
    for place in (0, 2):
        assert np.allclose(np.sort_complex(found.rates[place, :2]), np.sort_complex(growing))
    at_origin = (-11.0 + np.sqrt(1201.0)) / 2.0
    assert np.isclose(found.rates[1, 0], at_origin, atol=1e-3)
    assert (found.distances > 0.1).all() and (found.distances < 1.0).all()


def test_fixed_points_of_a_field():
    """A field that rests at one value."""
    rng = np.random.default_rng(0)
    field = np.ones((120, 4))
    for k in range(1, 120):
        field[k] = 1.0 + 0.7 * (field[k - 1] - 1.0) + 0.1 * rng.standard_normal(4)
    model = sn.ESNFieldForecaster(20, patch=2, halo=1, random_state=0, verbose=False).fit(field)
    found = fixed_points(model, 4)
    assert len(found.points) == 1 and found.stable.all()
    assert np.allclose(found.points, 1.0, atol=0.3)
    assert model.scaler_.backward(found.states[:, -4:]).tolist() == found.points.tolist()


class Shift:
    """Nothing stays where it is."""

    tangent_dim = 1

    def step(self, state, inputs):
        return state + 1.0

    def tangent_step(self, state, inputs, tangents):
        return self.step(state, inputs), tangents


class Root(Shift):
    """x' = x - ∛(x - 2): Newton's steps from any side overshoot by as much as they correct."""

    def step(self, state, inputs):
        return state - np.cbrt(state - 2.0)

    def tangent_step(self, state, inputs, tangents):
        slope = 1.0 - 1.0 / (3.0 * np.cbrt(state - 2.0) ** 2)
        return self.step(state, inputs), slope[:, None] * tangents


class Away(Shift):
    """Newton's method leaves the numbers."""

    def tangent_step(self, state, inputs, tangents):
        return self.step(state, inputs), np.nan * tangents


class Flat(Shift):
    """x' - x = 1 + x²: no root, and steps that do not help."""

    def step(self, state, inputs):
        return state + 1.0 + state**2

    def tangent_step(self, state, inputs, tangents):
        return self.step(state, inputs), (1.0 + 2.0 * state)[:, None] * tangents


class Slow(Shift):
    """x' = x + exp(-x): Newton's steps are all 1, towards a root at infinity."""

    def step(self, state, inputs):
        return state + np.exp(-state)

    def tangent_step(self, state, inputs, tangents):
        return self.step(state, inputs), (1.0 - np.exp(-state))[:, None] * tangents


@pytest.mark.parametrize("system", [Shift(), Away(), Flat(), Slow()])
def test_a_system_without_fixed_points(system, monkeypatch):
    monkeypatch.setattr(equilibria, "ITERATIONS", 20)  # fewer than bring exp(-x) to rounding
    found = fixed_points(system, [[0.5], [3.0]])
    assert found.points.shape == (0, 1) and found.multipliers.shape == (0, 1)
    assert found.stable.shape == (0,)


class WithNetwork:
    """A loop (x, s): s moves by a system, and x turns for ever, or is forgotten at once."""

    tangent_dim = 2

    def __init__(self, system, turn):
        self.system, self.turn = system, turn

    def step(self, state, inputs):
        return np.append(self.turn * state[:-1], self.system.step(state[-1:], inputs))

    def tangent_step(self, state, inputs, tangents):
        _, below = self.system.tangent_step(state[-1:], inputs, tangents[-1:])
        return self.step(state, inputs), np.vstack([self.turn * tangents[:-1], below])


class Drift(Shift):
    """x' = x + 2 + cos(x): Newton's steps cannot get below a rest of 1."""

    def step(self, state, inputs):
        return state + 2.0 + np.cos(state)

    def tangent_step(self, state, inputs, tangents):
        return self.step(state, inputs), (1.0 - np.sin(state))[:, None] * tangents


@pytest.mark.parametrize("turn", [0.0, -1.0])
@pytest.mark.parametrize("system", [Shift(), Away(), Drift(), Slow()])
def test_a_model_without_fixed_points(system, turn, monkeypatch):
    monkeypatch.setattr(equilibria, "ITERATIONS", 20)
    found = fixed_points(Fitted(WithNetwork(system, turn), [1.0], [0.1]), 3)
    assert found.points.shape == (0, 1) and found.distances.shape == (0,)


def test_fixed_points_beyond_the_run_or_the_bounds_are_left_out():
    """x' = x + sin(x) has roots at all multiples of π, and a run from 1 ends at π."""
    inside, bounded = (
        fixed_points(Fitted(loop(Sine(), 0.5), [1.0], [1.0]), 30) for loop in (WithNetwork, Bounded)
    )
    assert np.allclose(inside.points, [[np.pi]], atol=1e-6) and inside.stable.all()
    assert len(bounded.points) == 0 and bounded.outside == inside.outside + 1


class Sine(Shift):
    def step(self, state, inputs):
        return state + np.sin(state)

    def tangent_step(self, state, inputs, tangents):
        return self.step(state, inputs), (1.0 + np.cos(state))[:, None] * tangents


class Bounded(WithNetwork):
    bounds = np.array([-3.0]), np.array([3.0])


def test_newton_with_halved_steps():
    found = fixed_points(Root(), [[10.0]])
    assert np.allclose(found.points, [[2.0]], atol=1e-4)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda model: fixed_points(model, 0), "starts must be"),
        (lambda model: fixed_points(model, inputs=[1.0]), "the 0 exogenous columns"),
        (lambda model: fixed_points(Henon()), "starts must be states"),
        (lambda model: fixed_points(sn.ESNForecaster()), "fit it"),
        (lambda model: fixed_points(Fitted(WithNetwork(Flat(), 0.0), [1.0], [1.0])), "diverges at"),
        (lambda model: fixed_points(Fitted(model.closed_loop_, np.zeros(6000), [0.0])), "at most"),
    ],
)
def test_what_has_no_fixed_points(lorenz, call, said):
    with pytest.raises(sn.BadInput, match=said):
        call(lorenz[1])
