"""Truths about local networks on a grid: patches, sums, closed loop, and the estimator."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import spheresn as sn
from spheresn import kernels
from spheresn.analysis import lyapunov_spectrum
from spheresn.estimators import OutOfRange
from spheresn.estimators.fields.geometry import Patches
from spheresn.estimators.fields.learning import (
    FieldSums,
    InMemoryRows,
    Learner,
    Task,
    groups_of,
    merged,
    response_stride,
    tasks,
    thinning,
)
from spheresn.estimators.fields.loop import FieldLoop, LocalNetworks
from spheresn.estimators.fields.search import FIELD, FIELD_DEFAULTS, FieldWindows
from spheresn.estimators.fields.workers import span
from spheresn.readout import Gram, solve

LOOSE: Any = sn.ESNFieldForecaster


def waves(steps: int, cells: int = 16, speed: float = 0.3) -> np.ndarray:
    """Two waves that travel around a ring of cells: (steps, cells)."""
    x = 2 * np.pi * np.arange(cells) / cells
    t = np.arange(steps)[:, None]
    return np.sin(x - speed * t) + 0.5 * np.cos(2 * x + 0.7 * speed * t) + 3.0


def local(
    grid: tuple[int, ...] = (8,),
    patch: Any = 2,
    halo: Any = 1,
    periodic: Any = True,
    channels: int = 1,
    units: int = 12,
    position: bool = False,
    **options: Any,
) -> LocalNetworks:
    patches = Patches.of(grid, channels, patch, halo, periodic)
    places = patches.positions() if position else np.zeros((patches.count, 0))
    settings: dict[str, Any] = {
        "topology": "ring",
        "activation": sn.OnSphere(bend=0.5),
        "bias_scaling": 1.0,
        "spectral_radius": 0.9,
        "rng": 0,
    }
    inputs = patches.windows.shape[1] + places.shape[1]
    reservoir = sn.random_reservoir(units, inputs, **{**settings, **options})
    return LocalNetworks(patches, reservoir, places)


def quick(**options: Any) -> sn.ESNFieldForecaster:
    """A forecaster with everything fixed, so that nothing is searched."""
    settings: dict[str, Any] = {
        "units": 60,
        "patch": 4,
        "halo": 2,
        "memory": 1.0,
        "bend": 0.5,
        "bias_ratio": 6.0,
        "noise": 1e-4,
        "penalty": 1e-8,
        "target": "values",
        "random_state": 0,
    }
    return sn.ESNFieldForecaster(**{**settings, **options})


# ------------------------------------------------------------------------------------- patches


@pytest.mark.parametrize("periodic", [True, False])
def test_windows_on_a_line_are_the_cells_beside_a_patch(periodic):
    patches = Patches.of((6,), 1, 2, 2, periodic)
    field = np.arange(1.0, 7.0)
    inputs = patches.places.inputs(field[None])[0]
    beyond = (5, 6, 1, 2) if periodic else (0, 0, 0, 0)
    expected = [
        [beyond[0], beyond[1], 1, 2, 3, 4],
        [1, 2, 3, 4, 5, 6],
        [3, 4, 5, 6, beyond[2], beyond[3]],
    ]
    assert inputs.tolist() == expected
    assert field[patches.inner].tolist() == [[1, 2], [3, 4], [5, 6]]


@pytest.mark.parametrize("channels", [1, 3])
def test_windows_in_the_plane_are_what_slicing_gives(channels):
    patches = Patches.of((6, 9), channels, (2, 3), (1, 2), (True, False))
    field = np.random.default_rng(0).standard_normal((6, 9, channels))
    padded = np.pad(field, ((1, 1), (0, 0), (0, 0)), mode="wrap")
    padded = np.pad(padded, ((0, 0), (2, 2), (0, 0)))
    inputs = patches.places.inputs(field.reshape(1, -1))[0]
    corners = [(i, j) for i in range(0, 6, 2) for j in range(0, 9, 3)]
    for p, (i, j) in enumerate(corners):
        assert np.array_equal(inputs[p], padded[i : i + 4, j : j + 7].ravel())
        own = field.ravel()[patches.inner[p]]
        assert np.array_equal(own, field[i : i + 2, j : j + 3].ravel())
    assert np.array_equal(np.sort(patches.inner.ravel()), np.arange(field.size))


@pytest.mark.parametrize("periodic", [True, False])
def test_a_group_of_patches_hears_the_same_within_its_own_columns(periodic):
    patches = Patches.of((4, 6), 2, (2, 2), (1, 1), periodic)
    fields = np.random.default_rng(0).standard_normal((3, 48))
    for first, stop in [(0, 1), (2, 5), (0, 6)]:
        places = patches.group(np.arange(first, stop))
        columns = slice(None) if places.columns is None else places.columns
        inputs = places.inputs(fields[:, columns])
        assert np.array_equal(inputs, patches.places.inputs(fields)[:, first:stop])
        inner = fields[:, columns][:, places.inner]
        assert np.array_equal(inner, fields[:, patches.inner[first:stop]])
    apart = patches.group(np.array([1, 4]))
    inputs = apart.inputs(fields[:, apart.columns])
    assert np.array_equal(inputs, patches.places.inputs(fields)[:, [1, 4]])


def test_positions_have_mean_zero_and_variance_one_and_tell_patches_apart():
    position = Patches.of((400, 300), 1, (4, 3), 0, (True, False)).positions()
    assert position.shape == (10_000, 3)
    assert position.mean(axis=0) == pytest.approx(0, abs=1e-12)
    assert position.std(axis=0) == pytest.approx(1, abs=1e-4)
    assert len(np.unique(position.round(9), axis=0)) == len(position)


# ------------------------------------------------------------------------------------ networks


@pytest.mark.parametrize(
    ("topology", "activation", "leak"),
    [
        ("ring", sn.OnSphere(bend=0.7), 1.0),
        ("ring", sn.OnSphere(), 0.4),
        ("gaussian", sn.Tanh(), 1.0),
        ("delay_line", sn.Linear(), 0.4),
    ],
)
def test_all_patches_at_once_move_as_each_would_alone(topology, activation, leak):
    radius = None if topology == "delay_line" else 0.9
    networks = local(
        topology=topology, activation=activation, leak=leak, spectral_radius=radius, position=True
    )
    fields = np.random.default_rng(1).standard_normal((5, 8))
    inputs = networks.inputs(fields)
    states = networks.drive(inputs, networks.starts(4))
    for p in range(4):
        alone = sn.drive(networks.reservoir, inputs[:, p])
        assert states[:, p] == pytest.approx(alone, abs=1e-13)


def test_a_step_without_direction_keeps_the_previous_one():
    networks = local(units=2, topology=np.zeros((2, 2)), bias_scaling=0.0, spectral_radius=None)
    fields = np.array([np.ones(8), np.zeros(8), np.ones(8)])
    states = networks.drive(networks.inputs(fields), networks.starts(4))
    assert states[1] == pytest.approx(states[0], abs=1e-15) and np.isfinite(states).all()


def test_an_overflow_is_an_error_that_says_what_to_do():
    networks = local(activation=sn.Linear(), spectral_radius=2.0)
    with pytest.raises(sn.StateOverflow, match="lower the spectral radius"):
        networks.drive(networks.inputs(np.ones((1200, 8))), networks.starts(4))


def test_a_topology_of_the_users_own_is_refused():
    class Own:
        size, dtype = 12, np.dtype(float)

        def matvec(self, v):
            return v

        rmatvec = toarray = astype = scaled = spectral_radius = matvec

    networks = local()
    own = sn.Reservoir.__new__(sn.Reservoir)
    for name, value in vars(networks.reservoir).items():
        object.__setattr__(own, name, value)
    object.__setattr__(own, "recurrent", Own())
    with pytest.raises(sn.BadInput, match="topology must be one of spheresn"):
        LocalNetworks(networks.patches, own, networks.position).drive(
            networks.inputs(np.ones((1, 8))), networks.starts(4)
        )


def test_the_kernel_counts_states_up_to_an_overflow():
    reservoir = local(activation=sn.Linear(), spectral_radius=1.0).reservoir
    drive = np.ones((3, 2, 12))
    drive[1, 1, 5] = np.inf
    from spheresn.driving import network_of

    assert kernels.patch_loop(network_of(reservoir), np.zeros((2, 12)), drive) == 3


# ---------------------------------------------------------------------------------------- sums


def naive(networks: LocalNetworks, fields: np.ndarray, which: range, first: int) -> Gram:
    """The Gram of the states of each patch alone, from time `first` on."""
    inputs = networks.inputs(fields)
    states, targets = [], []
    for p in which:
        x = sn.drive(networks.reservoir, inputs[:-1, p])[first:]
        own = fields[:, networks.patches.inner[p]]
        states.append(x)
        targets.append(np.hstack([np.diff(own, axis=0), own[1:]])[first:])
    return Gram.of(np.vstack(states), np.vstack(targets))


def same(one: Gram, other: Gram) -> bool:
    return one.count == other.count and all(
        np.allclose(
            np.tril(a) if a.ndim == 2 and a.shape[0] == a.shape[1] else a,
            np.tril(b) if b.ndim == 2 and b.shape[0] == b.shape[1] else b,
            atol=1e-9,
        )
        for a, b in zip(list(vars(one).values())[1:], list(vars(other).values())[1:], strict=True)
    )


@pytest.mark.parametrize("periodic", [True, False])
def test_the_sums_of_a_task_are_those_of_its_patches_alone(periodic):
    networks = local(periodic=periodic, position=True)
    fields = waves(90, 8)
    learner = Learner(networks, 30, False, 0, 0)
    for task in (Task(0, 4, 0, 89), Task(1, 3, 30, 80), Task(2, 3, 40, 89)):
        found = learner.run(task, InMemoryRows(fields))
        start = max(task.first - 30, 0)
        expected = naive(
            networks,
            fields[start : task.stop + 1],
            range(task.first_patch, task.last_patch),
            task.first - start,
        )
        assert found.response is None and same(found.rows, expected)
    assert found.moments(0.5) is found.rows


def test_tasks_cover_every_patch_and_time_once():
    groups = groups_of(2500, True)
    assert groups == [[(0, 1024), (1024, 2048), (2048, 2500)]]
    learner = Learner(local(), 2, False, 0, 0)
    todo = tasks(groups[0], 3, 1000, learner)
    seen = np.zeros((2500, 1000), int)
    for task in todo:
        seen[task.first_patch : task.last_patch, task.first : task.stop] += 1
    assert (seen[:, 3:] == 1).all() and not seen[:, :3].any() and len(todo) > 30
    assert [task.number for task in todo] == list(range(len(todo)))
    # Of a thinned field a task has more times, as it learns from a part of them
    assert len(tasks(groups[0], 3, 1000, replace(learner, thinning=5))) < len(todo) / 4
    assert groups_of(3, False) == [[(0, 1)], [(1, 2)], [(2, 3)]]


@pytest.mark.parametrize("precise", [True, False])
def test_sums_merged_in_any_order_give_the_same_readout(precise):
    networks = local(units=20)
    fields = waves(400, 8) + 0.1 * np.random.default_rng(0).standard_normal((400, 8))
    learner = Learner(networks, 30, precise, 3, 0)
    parts = [
        learner.run(Task(p, p + 2, a, a + 100), InMemoryRows(fields))
        for p in (0, 2)
        for a in (0, 100, 200)
    ]
    totals = [
        merged((parts[i] for i in order), lambda a, b: a + b)
        for order in ([0, 1, 2, 3, 4, 5], [5, 3, 1, 0, 2, 4], [2, 0, 5, 4, 3, 1])
    ]
    readouts = [solve(one.moments(1e-2), 1e-6 * one.rows.trace).matrix for one in totals]
    assert totals[0].rows.count == 2 * 2 * 300
    for other in readouts[1:]:
        assert other == pytest.approx(readouts[0], abs=1e-9)


def test_the_response_to_noise_is_that_of_a_network_without_memory():
    """x = W_in s, so noise η moves x by W_in η: scatter n W_in W_inᵀ; the step by -η, s' by 0."""
    networks = local(activation=sn.Linear(), spectral_radius=0.0, units=5)
    fields = waves(4001, 8)
    learner = Learner(networks, 0, False, 2, 0)
    found = learner.run(Task(0, 4, 0, 4000), InMemoryRows(fields))
    assert found.response is not None
    inputs, size = networks.reservoir.inputs, found.response.count
    assert size == 8000
    assert np.tril(found.response.scatter) == pytest.approx(
        size * np.tril(inputs @ inputs.T), abs=0.1 * size
    )
    expected = np.hstack([-size * inputs[:, 1:3], np.zeros((5, 2))])
    assert found.response.cross == pytest.approx(expected, abs=0.1 * size)
    # Half of the states gave their response, and it counts for all of them
    noisy = found.moments(0.3)
    assert noisy.count == found.rows.count == 2 * size
    assert noisy.trace == pytest.approx(found.rows.trace + 2 * 0.09 * found.response.trace)
    assert noisy.target_scatter == pytest.approx(
        found.rows.target_scatter + 2 * 0.09 * found.response.target_scatter
    )


@pytest.mark.parametrize("first", [0, 30])
def test_a_thinned_task_learns_from_a_third_of_all_stretches(first):
    """Its states are those of networks that are driven from the beginning."""
    networks, fields, task = local(units=5), waves(900, 8), Task(0, 4, first, 899, 1)
    third = Learner(networks, 30, False, 8, 0, 3).run(task, InMemoryRows(fields))
    patches = networks.patches.places
    states = networks.drive(networks.inputs(fields[:-1], patches), networks.starts(4))
    values = fields[:, patches.inner]
    targets = np.concatenate([np.diff(values, axis=0), values[1:]], axis=2)
    # Stretches of three spin-ups; in stretch k patches p with p + k + 1 divisible by three
    p, k = np.arange(4), np.arange(899 - first)[:, None] // 90
    kept = (p + k + 1) % 3 == 0
    assert same(third.rows, Gram.of(states[first:][kept], targets[first:][kept]))
    assert third.response is not None
    assert third.response.count == -(-kept.sum() // 8)  # one in eight of these, rounded up


def test_long_fields_are_thinned_and_no_patch_is_left_out():
    assert thinning(1, 1000) == 1 and thinning(1_400_000, 1000) == 14
    seen = np.zeros((64, 14 * 50), int)
    for which, first, stop in Task(0, 64, 0, 700).stretches(50, 14):
        seen[which, first:stop] += 1
    assert (seen.sum(axis=1) == 50).all() and seen.max() == 1
    alone = list(Task(5, 6, 0, 100).stretches(10, 4))
    assert [(int(which[0]), first) for which, first, _ in alone] == [(5, 0), (5, 40), (5, 80)]


def test_a_spin_up_forgets_the_start_to_rounding():
    """What is learned from a stretch does not depend on where its spin-up began."""
    field = sn.datasets.lorenz96(900, cells=12, rng=0)
    model = quick(patch=2, halo=3, memory=1.0).fit(field)
    networks = model.closed_loop_.networks
    rows = ((field - model.mean_) / model.scale_)[-model.washout_ :]
    inputs = networks.inputs(rows)
    other = np.random.default_rng(0).standard_normal((6, 60))
    other /= np.linalg.norm(other, axis=1, keepdims=True)
    ends = [networks.drive(inputs, start)[-1] for start in (networks.starts(6), other)]
    assert ends[0] == pytest.approx(ends[1], abs=1e-14)


def test_responses_are_taken_from_a_few_states_per_unit():
    assert response_stride(100_000, 1000) == 50 and response_stride(500, 1000) == 1


# ---------------------------------------------------------------------------------- closed loop


def loop_of(networks: LocalNetworks, shared: bool = True, carry: float = 1.0) -> FieldLoop:
    rng = np.random.default_rng(3)
    readouts = 1 if shared else networks.patches.count
    outputs = networks.patches.inner.shape[1]
    matrix = 0.3 * rng.standard_normal((readouts, networks.reservoir.units, outputs))
    return FieldLoop(networks, matrix, 0.1 * rng.standard_normal((readouts, outputs)), carry)


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("carry", [1.0, 0.0])
def test_a_run_is_a_sequence_of_steps_by_the_formula(shared, carry):
    networks = local((4, 6), (2, 3), 1, (True, False), 2, position=True)
    loop = loop_of(networks, shared, carry)
    rng = np.random.default_rng(4)
    states, field = rng.standard_normal((4, 12)), rng.standard_normal(48)
    outputs, finite, last = loop.run(3, states, field)
    assert finite == 3
    both = np.concatenate([states.ravel(), field])
    for k in range(3):
        inputs = networks.inputs(field[None])[0]
        after = field * carry
        for p in range(4):
            states[p] = networks.reservoir.step(states[p], inputs[p])
            weights, b = loop.matrix[0 if shared else p], loop.intercept[0 if shared else p]
            after[networks.patches.inner[p]] += b + states[p] @ weights
        field = after
        assert outputs[k] == pytest.approx(field, abs=1e-12)
        both = loop.step(both, np.zeros(0))
    assert both == pytest.approx(np.concatenate([states.ravel(), field]), abs=1e-12)
    assert last == pytest.approx(states, abs=1e-12)


@pytest.mark.parametrize("shared", [True, False])
def test_the_derivative_of_the_loop_is_its_difference_quotient(shared):
    networks = local((6,), 2, 1, False, 2, units=5, position=True)
    loop = loop_of(networks, shared)
    rng = np.random.default_rng(5)
    state, tangents = rng.standard_normal(15 + 12), rng.standard_normal((27, 3))
    after, carried = loop.tangent_step(state, np.zeros(0), tangents)
    assert np.array_equal(after, loop.step(state, np.zeros(0)))
    h = 1e-6
    for i in range(3):
        up, down = (loop.step(state + s * h * tangents[:, i], np.zeros(0)) for s in (1, -1))
        assert carried[:, i] == pytest.approx((up - down) / (2 * h), abs=1e-7)
    assert isinstance(loop, sn.System) and loop.tangent_dim == 3 * 4 + 12


def test_the_exponents_of_a_loop_that_halves_everything():
    """A readout of zero with carry 1/2: all directions of the field shrink by half."""
    networks = local(activation=sn.Linear(), spectral_radius=0.0, units=3)
    loop = FieldLoop(networks, np.zeros((1, 3, 2)), np.zeros((1, 2)), 0.5)
    start = np.ones(4 * 3 + 8)
    found = lyapunov_spectrum(loop, 60, count=8, transient=20, start=start)
    assert found.exponents == pytest.approx(np.full(8, np.log(0.5)), abs=1e-9)


def test_runs_side_by_side_are_those_of_each_alone_and_a_divergent_one_holds_its_last_value():
    networks = local(activation=sn.Linear(), spectral_radius=0.5)
    loop = FieldLoop(networks, np.zeros((1, 12, 2)), np.zeros((1, 2)), 1e40)
    fields = np.array([np.full(8, 1e-90), np.full(8, 1.0)])
    outputs, finite, _ = loop.run_many(4, np.zeros((2, 4, 12)), fields)
    assert finite.tolist() == [4, 2]
    assert outputs[1, 1:] == pytest.approx(np.full((3, 8), 1e80))
    for run in range(2):
        alone, count, _ = loop.run(4, np.zeros((4, 12)), fields[run])
        assert np.array_equal(alone, outputs[run]) and count == finite[run]


def test_windows_lie_in_the_last_quarter_and_a_perfect_loop_has_the_best_score():
    """A field that stands still: a readout of zero with carry 1 forecasts it exactly."""
    networks = local()
    fields = np.tile(np.linspace(-1, 1, 8), (400, 1))
    windows = FieldWindows.of(fields)
    assert windows.starts[0] == 300 and windows.starts[-1] + windows.horizon == 399
    still = FieldLoop(networks, np.zeros((1, 12, 2)), np.zeros((1, 2)))
    states = windows.states(networks, 10)
    assert windows.score(still, states).folds == pytest.approx(-np.log(1e-15))
    lost = FieldLoop(networks, np.zeros((1, 12, 2)), np.full((1, 2), 5.0))
    assert windows.score(lost, states).folds == 0.0


# ----------------------------------------------------------------------------------- estimator


def test_travelling_waves_are_forecast():
    """The closed form of the field is known: a wave around the ring takes 21 steps."""
    field = waves(1000)
    model = quick(units=150).fit(field[:800])
    assert model.forecast(40) == pytest.approx(field[800:840], abs=0.01)
    assert not hasattr(model, "score_") and model.candidates_ == []


@pytest.mark.parametrize(("shared", "steps"), [(True, 4), (False, 100)])
def test_a_standing_wave_between_two_edges_is_forecast(shared, steps):
    """One readout for all patches must distinguish edges, which is harder."""
    x, t = np.linspace(0, 1, 12), np.arange(900)[:, None]
    field = np.sin(np.pi * x) * np.cos(0.2 * t) + 0.3 * np.sin(3 * np.pi * x) * np.sin(0.31 * t)
    model = quick(periodic=False, shared=shared, position=True, noise=1e-3).fit(field[:800])
    assert model.forecast(steps) == pytest.approx(field[800 : 800 + steps], abs=0.05)
    assert model.shared_ is shared and len(model.closed_loop_.matrix) == (1 if shared else 3)


def test_two_channels_in_the_plane_are_forecast():
    x, y = np.meshgrid(np.arange(8), np.arange(6), indexing="ij")
    t = np.arange(500)[:, None, None]
    one = np.sin(2 * np.pi * x / 8 - 0.3 * t)
    two = 50 + 7 * np.cos(2 * np.pi * y / 6 + 0.2 * t)
    field = np.stack([one, np.broadcast_to(two, one.shape)], axis=3)
    model = quick(patch=(4, 3), halo=(1, 1), channels=True, components=6).fit(field[:450])
    found = model.forecast(50)
    assert found.shape == (50, 8, 6, 2)
    assert found == pytest.approx(field[450:], abs=0.3)
    assert found[..., 0] == pytest.approx(field[450:, ..., 0], abs=0.05)


def test_a_field_shifted_by_a_patch_has_a_forecast_shifted_by_a_patch():
    field = sn.datasets.lorenz96(900, cells=12, rng=0)
    model = quick(patch=2, halo=3, units=100).fit(field)
    before = model.forecast(20)
    for shift in (1, 4):
        model.state_ = np.roll(model.state_, shift, axis=0)
        model.last_ = np.roll(model.last_, 2 * shift)
    assert model.forecast(20) == pytest.approx(np.roll(before, 10, axis=1), abs=1e-9)


def test_a_forecaster_taught_a_shifted_field_forecasts_the_shifted_field():
    field = sn.datasets.lorenz96(900, cells=12, rng=0)
    plain = quick(patch=2, halo=3, memory=0.5).fit(field).forecast(5)
    # The memory is measured on the first patch, so that this one must stay in its place
    whole = quick(patch=2, halo=3, memory=0.5).fit(np.roll(field, 12, axis=1)).forecast(5)
    assert np.array_equal(plain, whole)


def test_the_search_chooses_by_free_runs_and_says_what_it_tried():
    field = sn.datasets.lorenz96(700, cells=8, rng=0)
    model = sn.ESNFieldForecaster(40, 2, 3, random_state=0).fit(field)
    scores = [row["score"] for row in model.candidates_ if row["windows"] == FIELD_DEFAULTS.windows]
    assert scores == sorted(scores, reverse=True) and len(scores) == FIELD_DEFAULTS.finalists
    assert {row["bias_ratio"] for row in model.candidates_} == {
        one.bias_ratio for one in FIELD["spherical"]
    }
    tried = [row for row in model.candidates_ if row["refit"] is not None]
    assert model.score_ == pytest.approx(max(min(row["score"], row["refit"]) for row in tried))
    assert model.noise_ in {row["noise"] for row in tried}


def test_sharing_is_chosen_by_what_runs_longer():
    """Patches that obey different rules need readouts of their own; equal ones share better."""
    t = np.arange(600)[:, None]
    x = np.arange(8)
    unequal = np.where(x < 4, np.cos(0.2 * t), np.cos(0.53 * t) * np.sign(np.cos(0.53 * t)))
    unequal = unequal + 0.01 * np.sin(x)
    options: dict[str, Any] = {"patch": 4, "halo": 0, "shared": "auto", "noise": 1e-3}
    assert quick(**options).fit(unequal).shared_ is False
    chosen = quick(**options).fit(unequal).candidates_
    assert {row["shared"] for row in chosen} == {True, False}


def test_the_same_seed_gives_the_same_forecast_and_a_clone_has_the_same_parameters():
    field = waves(300)
    one, two = quick().fit(field), clone(quick()).fit(field)
    assert np.array_equal(one.forecast(10), two.forecast(10))


def test_observing_more_fields_moves_the_forecast_on():
    """After an update forecasts begin where the same readout would begin, had it seen all."""
    field = waves(900)
    model = quick(units=150).fit(field[:800])
    for piece in (field[800:801], field[801:850]):
        model.update(piece)
    assert model.forecast(40) == pytest.approx(field[850:890], abs=0.01)
    networks = model.closed_loop_.networks
    fields = (field - model.mean_) / model.scale_
    states = networks.drive(networks.inputs(fields[700:849]), networks.starts(4))[-1]
    assert model.state_ == pytest.approx(states, abs=1e-9)


def test_a_run_that_leaves_the_range_is_said():
    model = quick().fit(waves(300))
    loop = model.closed_loop_
    model.closed_loop_ = FieldLoop(loop.networks, loop.matrix, loop.intercept + 0.5, loop.carry)
    with pytest.warns(OutOfRange, match="leaves the range of the training series at step") as seen:
        model.forecast(30)
    assert seen[0].filename == __file__
    model.closed_loop_ = FieldLoop(loop.networks, loop.matrix, loop.intercept, 1e60)
    with pytest.warns(OutOfRange, match="at step 0"):
        found = model.forecast(5)
    assert np.isfinite(found).all()


@pytest.mark.parametrize("activation", ["tanh", "linear"])
def test_other_activations_learn_too(activation):
    field = waves(600)
    model = quick(activation=activation, memory=2.0).fit(field[:500])
    assert model.forecast(15) == pytest.approx(field[500:515], abs=0.1)


def test_scalings_instead_of_a_memory_are_taken_as_they_are():
    model = quick(memory="auto", spectral_radius=0.8, input_scaling=0.1).fit(waves(300))
    assert model.reservoir_.recurrent.spectral_radius() == pytest.approx(0.8)


def test_a_given_washout_is_the_spin_up():
    assert quick(washout=17).fit(waves(300)).washout_ == 17


def test_a_network_that_does_not_forget_spins_up_for_long():
    """An exponent that is not negative leaves no other choice."""
    model = quick()
    assert model._spin_up(0.1) == 1000 and model._spin_up(-0.5) == 74
    assert model._spin_up(-1e-5) == 1000


@pytest.mark.parametrize(
    ("options", "field", "words"),
    [
        ({"patch": 3}, waves(90), "patch must divide the 16 cells of axis 0, got 3; choose one"),
        ({"halo": 7}, waves(90), "halo must be at most 6 along axis 0"),
        ({"halo": 13, "periodic": False}, waves(90), "halo must be at most 12 along axis 0"),
        ({"patch": (4, 4)}, waves(90), "patch must be one number, or one for each of the 1 axes"),
        ({"halo": -1}, waves(90), "halo must be a whole number"),
        ({"periodic": "yes"}, waves(90), "periodic must be True or False"),
        ({"periodic": (True, True)}, waves(90), "periodic must be True or False"),
        ({"channels": 2}, waves(90), "channels must be True or False"),
        ({"position": None}, waves(90), "position must be True or False"),
        ({"shared": "each"}, waves(90), "shared must be True, False or 'auto'"),
        ({"shared": 1}, waves(90), "shared must be True, False or 'auto'"),
        ({"features": "quadratic"}, waves(90), "features must be linear"),
        ({"components": 99}, waves(90), "components must be at most the 8 values of a window"),
        ({"noise": -1.0}, waves(90), "noise must be"),
        ({"target": "both"}, waves(90), "target must be one of auto, steps, values"),
        ({"penalty": "loo"}, waves(90), "penalty must be"),
        ({"memory": 1e9}, waves(90), "memory must be"),
        ({"channels": True}, waves(90), r"field must have the axes \(T, \*grid, channels\)"),
        ({}, waves(30), "field must have at least 40 rows to learn from"),
        ({}, np.zeros(50), r"field must have the axes \(T, \*grid\)"),
        ({}, np.ones((50, 16)), "field must vary, got 1 everywhere"),
        ({}, np.where(waves(90) > 4.4, np.inf, waves(90)), "field must be finite, got inf at time"),
        ({}, np.full((90, 16), np.nan), "field must have a number somewhere, got none"),
        ({}, 1e200 * waves(90), "squares that fit into a float"),
        ({}, waves(90).astype(complex), "field must hold real numbers"),
        ({}, "field.npy", "field must be an array"),
        ({}, [[1.0], [2.0, 3.0]], "got a list of unequal rows"),
        ({}, iter([]), "got an empty iterator"),
        ({}, iter([waves(50), waves(50, 8)]), "each block of the field must have the shape"),
        ({}, iter([np.zeros(3)]), r"each block of the field must have the shape \(rows, \*grid\)"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(options, field, words):
    with pytest.raises(sn.BadInput, match=words):
        quick(**options).fit(field)


def test_a_channel_that_varies_nowhere_is_named():
    field = np.stack([waves(90), np.full((90, 16), 2.0)], axis=2)
    with pytest.raises(sn.BadInput, match="channel 1 must vary, got 2 everywhere"):
        quick(channels=True).fit(field)


def test_all_memories_out_of_reach_are_refused_in_a_search_too():
    with pytest.raises(sn.BadInput, match="memory must be"):
        quick(memory=1e9, noise="auto").fit(waves(90))


def test_an_update_of_another_shape_or_with_gaps_is_refused():
    model = quick().fit(waves(100))
    with pytest.raises(sn.BadInput, match=r"field must have the grid \(16,\)"):
        model.update(waves(3, 8))
    with pytest.raises(sn.BadInput, match="field must be finite"):
        model.update(np.full((2, 16), np.inf))
    with pytest.raises(sn.BadInput, match="at least 1 rows"):
        model.update(np.zeros((0, 16)))


def test_an_array_of_masks_without_masked_cells_is_an_array():
    field = waves(100)
    plain = quick().fit(field).forecast(3)
    assert np.array_equal(quick().fit(np.ma.masked_less(field, -9.0)).forecast(3), plain)
    assert np.array_equal(quick().fit(field.tolist()).forecast(3), plain)


def test_no_warning_on_the_way():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        quick(shared=False).fit(waves(120)).forecast(3)


def test_sums_without_responses_add_up():
    gram = Gram.of(np.ones((3, 2)), np.ones((3, 1)))
    assert (FieldSums(gram, None) + FieldSums(gram, None)).rows.count == 6


def test_the_first_rows_bring_the_networks_to_their_states_and_are_not_learned():
    learner = Learner(local(), 30, False, 0, 0)
    assert span(learner, 1000) == (30, 1000) and span(learner, 80) == (20, 80)
