"""Mixed input: one bad column among good ones, one of two options given, the last step alone."""

import numpy as np
import pytest

import spheresn as sn
from spheresn.estimators.ensemble import DilatedView, SeriesNetwork
from spheresn.forecasting.methods import clip_divergent
from spheresn.metrics import nrmse_of_each
from spheresn.readout import Gram
from spheresn.readout.features import Quadratic


def test_divergence_at_the_last_step_alone_is_seen():
    """Three runs within bounds: one leaves them at the last step, one at the first, one never."""
    rows = np.array([[0.0], [1.0], [2.0], [1.0]])
    values = np.ones((3, 5, 1))
    values[1, -1], values[2, 0] = 1e6, -1e6
    found = clip_divergent(values, rows)
    assert found.diverged.tolist() == [False, True, True]
    assert found.values[0].ravel().tolist() == [1.0] * 5
    assert found.values[1].ravel().tolist() == [1.0] * 5  # four of its own, then the mean, also 1
    off = clip_divergent(np.where(values == 1.0, 1.5, values), rows)
    assert off.values[1].ravel().tolist() == [1.5] * 4 + [1.0]
    assert off.values[2].ravel().tolist() == [1.0] * 5


def test_one_bad_column_ends_the_run_of_all():
    rows = np.tile([[0.0, 10.0], [2.0, 12.0]], (4, 1))
    values = np.tile([1.5, 11.5], (1, 4, 1))
    values[0, 2, 1] = np.nan
    found = clip_divergent(values, rows)
    assert found.diverged.tolist() == [True]
    assert found.values[0].tolist() == [[1.5, 11.5], [1.5, 11.5], [1.0, 11.0], [1.0, 11.0]]


@pytest.mark.parametrize("place", [0, 1, 2])
def test_one_constant_target_among_others_is_refused_and_named(place):
    targets = np.random.default_rng(0).standard_normal((20, 3, 2))
    targets[:, place] = [7.0, 8.0]
    with pytest.raises(sn.BadInput, match=r"target must vary, got \[7.0, 8.0\] in every row"):
        nrmse_of_each(targets, np.zeros_like(targets))
    # One constant column of a target that varies is none: its errors are measured by the others
    targets[0, place, 0] = 6.0
    assert np.isfinite(nrmse_of_each(targets, np.zeros_like(targets))).all()


def test_components_without_variance_are_left_out():
    """Two equal columns have one component: ((x - mean)/deviation)², whatever is asked for."""
    x = np.random.default_rng(0).standard_normal((50, 1))
    states = np.hstack([x, x, np.full((50, 1), 3.0)])
    features = Quadratic.of(Gram.of(states, x), 3)
    assert len(features.components) == 1
    expected = ((x - x.mean()) / x.std()) ** 2
    assert np.allclose(features(states)[:, 3:], expected, rtol=1e-9)
    none = Quadratic.of(Gram.of(np.ones((5, 2)), np.ones((5, 1))), 2)
    assert none(np.ones((5, 2))).tolist() == [[1.0, 1.0]] * 5


@pytest.mark.parametrize(
    ("exponent", "memory"), [(-0.5, 6.0), (0.1, np.inf), (0.0, np.inf), (-np.inf, 0.0)]
)
def test_a_network_that_does_not_forget_has_an_infinite_memory(exponent, memory):
    """-1/λ steps of its own, each of three rows."""
    none = np.zeros(1)
    network = SeriesNetwork(DilatedView(3, 0), None, None, none, none, none, exponent)
    assert network.memory == memory


@pytest.mark.parametrize(
    ("given", "several"),
    [
        ({}, True),
        ({"spectral_radius": 0.8}, False),
        ({"input_scaling": 0.5}, False),
        ({"spectral_radius": 0.8, "input_scaling": 0.5}, False),
        ({"memory": 4.0}, False),
    ],
)
def test_one_option_that_sets_the_memory_makes_all_strides_one(given, several):
    """Three orders, and strides 1, 3 and 9 of 60 rows only where nobody has set a memory."""
    rng = np.random.default_rng(0)
    series = list(rng.standard_normal((8, 60, 1)))
    model = sn.ESNClassifier(units=90, random_state=0, **given).fit(series, [0, 1] * 4)
    views = [network.view for network in model.ensemble_.networks]
    strides = {view.stride for view in views}
    assert strides == ({1, 3, 9} if several else {1})
    sizes = 2 if any(view.own for view in views) else 1
    assert len(views) == min(3 * len(strides) * sizes, 9)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("topology", ["rotation", "ring"])
def test_orthogonal_matrices_of_both_precisions_are_orthogonal(topology, dtype):
    """ρ = 3 and r = 1: the bounds are those of the norm factors, within the precision."""
    network = sn.random_reservoir(
        40, topology=topology, spectral_radius=3.0, input_scaling=0.5, rng=0, dtype=dtype
    )
    signal, start = sn.datasets.white_noise(900, rng=0), np.eye(40)[0]
    bounds = sn.analysis.exponent_bounds(network, signal, start=start)
    factors = sn.analysis.norm_factors(network, signal.astype(dtype), start.astype(dtype))[500:]
    expected = np.log(3.0) - np.log(factors.astype(float)).mean()
    assert np.isclose(bounds.upper, expected, atol=1e-12 if dtype == np.float64 else 1e-5)
    assert bounds.lower < bounds.upper


@pytest.mark.parametrize(
    ("shapes", "refused"),
    [
        ([(3, 5), (9, 5)], None),  # rows differ, columns do not: the rows are time
        ([(3, 5), (3, 5)], "X[0]"),
        ([(9, 5), (3, 4)], "X[1]"),
        ([(9, 5), (9, 12)], "X[1]"),
        ([(9, 5), (12, 5)], None),
        ([(9, 5), (9,)], None),  # another check speaks of it
    ],
)
def test_one_turned_table_among_others_is_refused_unless_lengths_show_that_rows_are_time(
    shapes, refused
):
    from spheresn.estimators.cases import _refuse_turned

    if refused is None:
        _refuse_turned(shapes)
    else:
        with pytest.raises(sn.BadInput) as caught:
            _refuse_turned(shapes)
        assert str(caught.value).startswith(f"{refused} must be (time, channels)")


def test_the_distance_is_the_largest_also_if_only_the_second_trajectory_is_apart():
    """W = diag(2, 1, 0): the antipode stays 2 apart, the two others begin and stay beside e_1."""
    network = sn.Reservoir(np.diag([2.0, 1.0, 0.0]), [0.0, 0.0, 0.1])
    starts = sn.sphere.project(
        np.array([[1, 0, 0], [-1, 0, 0], [1, 0.1, 0], [1, 0, 0.1]], float), 1
    )
    found = sn.analysis.echo_state(network, sn.datasets.white_noise(900, rng=0), starts)
    assert found.verdict == "empirical" and found.washout == np.inf
    states = [sn.drive(network, sn.datasets.white_noise(900, rng=0), start) for start in starts]
    apart = [np.linalg.norm(one - states[0], axis=1) for one in states[1:]]
    assert np.allclose(found.distances, np.max(apart, axis=0), atol=1e-12)
    assert np.allclose(found.distances, apart[0]) and apart[1][-1] < 1e-6 > apart[2][-1]


@pytest.mark.parametrize(("rows", "steps"), [(60, 11), (100, 20), (500, 100), (5000, 200)])
def test_a_backtest_without_steps_looks_a_fifth_ahead_at_most(rows, steps):
    """A fifth of the rows, 200 at most, and so that ten origins are in the last third."""
    from spheresn.forecasting.backtesting import horizon

    assert horizon(rows, None) == steps == min(rows // 5, 200, rows // 3 - 9)


@pytest.mark.parametrize("memory", [3, 40])
def test_rows_after_a_gap_are_learned_from_if_too_few_were_left_without_them(memory):
    """Without rows within the memory of the gap; if less than half were left, all pairs of known
    rows.
    """
    from spheresn.estimators.learning import TrainingData
    from spheresn.series.gaps import learnable

    measured = np.ones((60, 1))
    measured[20:40] = np.nan
    none = np.zeros((59, 1))
    data = TrainingData(np.zeros((60, 1)), none, none, none, measured)
    known = learnable(measured)
    assert not known.all()
    near = [not known[max(k - memory - 1, 0) : k + 1].all() for k in range(60)]
    if memory == 3:
        expected = [not near[k + 1] for k in range(59)]
    else:
        expected = [bool(known[k] and known[k + 1]) for k in range(59)]
    assert data.usable(memory).tolist() == expected


def test_distances_of_many_rows_are_those_of_one_run():
    """Rows are taken 512 at a time; each block begins where the last one ended."""
    network = sn.random_reservoir(6, topology="rotation", input_scaling=0.02, leak=0.5, rng=0)
    signal = sn.datasets.white_noise(1200, rng=0)
    starts = np.array([np.eye(6)[0], -np.eye(6)[0], np.eye(6)[1]])
    found = sn.analysis.echo_state(network, signal, starts)
    states = sn.drive(network, np.broadcast_to(signal, (3, 1200, 1)), starts)
    apart = np.linalg.norm(states[1:] - states[:1], axis=2).max(axis=0)
    assert found.verdict == "empirical" and apart[600] > 1e-3
    assert np.allclose(found.distances, apart, rtol=1e-9)
    assert np.abs(np.diff(np.log(apart[500:600]))).min() > 1e-7  # so that a lost step would show
