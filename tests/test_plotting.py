"""Plots draw the numbers they are given, on the Axes they are given, and nothing else."""

import dataclasses

import numpy as np
import pytest
from matplotlib.figure import Figure

import spheresn as sn
from spheresn import analysis, plotting


@pytest.fixture
def axes():
    return Figure().add_subplot()


@pytest.fixture(scope="module")
def signal():
    return sn.datasets.white_noise(1200, rng=0)


@pytest.fixture(scope="module")
def reservoir():
    return sn.random_reservoir(20, input_scaling=0.4, rng=0)


def drawn(axes, number=0):
    return np.asarray(axes.lines[number].get_ydata())


def test_a_spectrum_and_its_closed_form(axes, reservoir):
    result, exact = (
        analysis.lyapunov_spectrum(reservoir, 1000),
        analysis.autonomous_exponents(reservoir.recurrent),
    )
    plotting.plot_spectrum(axes, result, exact)
    assert np.array_equal(drawn(axes), result.exponents) and np.array_equal(drawn(axes, 1), exact)


def test_a_spectrum_with_lost_directions(axes, signal):
    line = sn.Reservoir(sn.topology.delay_line(3), np.ones(3), sn.Linear())
    plotting.plot_spectrum(axes, analysis.lyapunov_spectrum(line, signal))
    axes.figure.canvas.draw()


def test_convergence_of_one_and_of_many(axes, reservoir, signal):
    one, many = (
        analysis.max_lyapunov(reservoir, signal),
        analysis.lyapunov_spectrum(reservoir, signal, count=3),
    )
    plotting.plot_convergence(axes, one)
    assert drawn(axes)[-1] == one.history[-1]
    plotting.plot_convergence(axes, many)
    # After the first curve and its line at zero
    assert np.array_equal(drawn(axes, 4), many.history[:, 2])


def test_three_verdicts(reservoir, signal):
    strong = sn.Reservoir(0.1 * np.eye(3), np.ones(3))
    for result, title in (
        (analysis.echo_state(reservoir, signal), "empirical"),
        (analysis.echo_state(strong, np.ones(30)), "certified"),
        (analysis.echo_state(reservoir, np.zeros(5)), "refuted"),
    ):
        axes = Figure().add_subplot()
        plotting.plot_echo_state(axes, result)
        assert axes.get_title() == title and (len(axes.lines) == 1) == (title != "refuted")
        axes.figure.canvas.draw()


def test_memory(axes, reservoir, signal):
    curve = analysis.memory_curve(sn.drive(reservoir, signal), signal, [5, 0, 2])
    plotting.plot_memory_curve(axes, curve)
    assert np.array_equal(drawn(axes), curve.test[[1, 2, 0]]) and np.array_equal(
        drawn(axes, 1), curve.train[[1, 2, 0]]
    )
    profile = analysis.memory_profile(reservoir, signal, 4)
    other = Figure().add_subplot()
    plotting.plot_memory_profile(
        other, profile, analysis.predicted_memory("linear", range(5), spectral_radius=0.5)
    )
    assert np.allclose(drawn(other), profile.sensitivity / profile.sensitivity[0]) and np.allclose(
        drawn(other, 1), 0.5 ** np.arange(5)
    )


def test_capacity_stacks_up_to_the_total(axes, signal):
    networks = {"short": 2, "long": 4}
    results = {}
    for name, length in networks.items():
        line = sn.Reservoir(sn.topology.delay_line(length), np.eye(length)[:, 0], sn.Linear())
        results[name] = analysis.information_processing_capacity(
            sn.drive(line, signal), signal, (8, 3)
        )
    plotting.plot_capacity(axes, results)
    tops = [bar.get_y() + bar.get_height() for bar in axes.patches[-2:]]
    assert np.allclose(tops, [2, 4]) and np.array_equal(drawn(axes), [2, 4])


def test_the_map_of_memory_and_nonlinearity(axes, signal):
    line = sn.Reservoir(sn.topology.delay_line(4), np.eye(4)[:, 0], sn.Linear())
    result = analysis.memory_nonlinearity(sn.drive(line, signal), signal, range(8), [0.5, 1.5, 2.5])
    mesh = plotting.plot_tradeoff(axes, result)
    assert np.array_equal(np.asarray(mesh.get_array()).ravel(), result.test.T.ravel())
    other = Figure().add_subplot()
    plotting.plot_linear_bound(other, [1.0, 2.5])
    assert np.allclose(drawn(other), [0.954, 0.642], atol=1e-3)


def test_no_line_is_drawn_where_all_of_the_map_lies_above_the_linear_bound(axes, signal):
    """The line is where accuracy is what a linear network can reach at best."""
    line = sn.Reservoir(sn.topology.delay_line(4), np.eye(4)[:, 0], sn.Linear())
    result = analysis.memory_nonlinearity(sn.drive(line, signal), signal, range(8), [0.5, 1.5, 2.5])
    plotting.plot_tradeoff(axes, result)
    assert len(axes.collections) == 2  # the map, and the line where it crosses the bound
    other = Figure().add_subplot()
    plotting.plot_tradeoff(other, dataclasses.replace(result, test=np.ones_like(result.test)))
    assert len(other.collections) == 1


def test_a_field_its_forecast_and_the_error_on_one_scale():
    truth = np.random.default_rng(0).standard_normal((6, 4)) + 3.0
    panels = Figure().subplots(3)
    meshes = plotting.plot_field(panels, truth, truth + 0.5, dt=0.25, length=8.0)
    for mesh, rows in zip(meshes, (truth, truth + 0.5, np.full((6, 4), 0.5)), strict=True):
        assert np.allclose(np.reshape(mesh.get_array(), (4, 6)), rows.T)
    widths = {round(mesh.norm.vmax - mesh.norm.vmin, 12) for mesh in meshes}
    assert len(widths) == 1
    corners = meshes[0].get_coordinates()
    assert corners[0, 0].tolist() == [0.125, 0.0] and corners[-1, -1].tolist() == [1.625, 8.0]
    still = plotting.plot_field(Figure().subplots(3), np.zeros((3, 2)), np.ones((3, 2)))
    assert still[0].norm.vmax == 1.0


def test_fields_of_other_shapes_are_refused():
    with pytest.raises(sn.BadInput, match="pass a cut"):
        plotting.plot_field(Figure().subplots(3), np.zeros((3, 2, 2)), np.zeros((3, 2, 2)))


def test_an_attractor_is_drawn_twice_in_the_same_frame():
    truth, run = sn.datasets.lorenz(400, dt=0.02), 2.0 * sn.datasets.lorenz(300, dt=0.02)
    figure = Figure()
    flat = figure.subplots(1, 2)
    lines = plotting.attractor(flat, truth, run, color="black")
    assert np.array_equal(lines[0].get_data(), truth[:, :2].T)
    assert flat[0].get_xlim() == flat[1].get_xlim() and lines[0].get_color() == "black"
    assert lines[1].get_data()[0].max() == pytest.approx(flat[0].get_xlim()[1])  # at the edge
    assert [ax.get_title() for ax in flat] == ["truth", "free run"]
    space = [figure.add_subplot(1, 2, k, projection="3d") for k in (1, 2)]
    lines = plotting.attractor(space, truth, truth)
    assert np.array_equal(np.array(lines[0].get_data_3d()), truth.T)


def test_one_column_is_drawn_against_its_past():
    """A sine against itself a quarter of a period before is a circle, in space a flat one."""
    wave = np.sin(2 * np.pi * np.arange(400) / 40)
    figure = Figure()
    line, other = plotting.attractor(figure.subplots(1, 2), wave, np.full(400, np.nan), delay=10)
    now, before = np.array(line.get_data())
    assert np.allclose(now**2 + before**2, 1.0) and len(now) == 390
    assert np.isfinite(other.get_data()).all()
    space = [figure.add_subplot(1, 2, k, projection="3d") for k in (1, 2)]
    line, _ = plotting.attractor(space, wave, wave, delay=10)
    now, _, earliest = np.array(line.get_data_3d())
    assert np.allclose(now, -earliest) and len(now) == 380
    assert "20 rows before" in space[0].get_zlabel()


def test_a_constant_attractor_and_what_is_none():
    axes = Figure().subplots(1, 2)
    plotting.attractor(axes, np.ones((5, 2)), np.ones((5, 2)))
    assert axes[0].get_xlim()[0] < 1.0 < axes[0].get_xlim()[1]
    for truth, run in ((np.ones((5, 2)), np.ones((5, 3))), (np.full(5, np.nan), np.ones(5))):
        with pytest.raises(sn.BadInput, match="truth and run must be finite"):
            plotting.attractor(axes, truth, run)


class Doubling:
    """A free run that rests at the parameter below 1, and changes between it and its half above."""

    def forecast(self, steps, exogenous):
        value = exogenous[:, 0]
        return np.where((value > 1.0) & (np.arange(steps) % 2 == 1), value / 2.0, value)[:, None]


def test_a_bifurcation_diagram_has_one_branch_at_rest_and_those_of_a_cycle():
    axes = Figure().add_subplot()
    at, found = plotting.bifurcation(Doubling(), [0.5, 2.0], axes, steps=50, transient=10)
    assert set(zip(at.tolist(), found.tolist(), strict=True)) == {(0.5, 0.5), (2.0, 2.0)}
    at, found = plotting.bifurcation(
        Doubling(), [[2.0]], axes, steps=50, transient=10, extremes=False
    )
    assert set(found.tolist()) == {1.0, 2.0}
    assert len(at) == 40
    with pytest.raises(ValueError, match="steps must be more than transient"):
        plotting.bifurcation(Doubling(), [1.0], axes, steps=10, transient=10)
