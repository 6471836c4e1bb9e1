"""Whole series: what the networks count, the readout of cases, forms of input, batches, files."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import Ridge

import spheresn as sn
from spheresn.estimators import ensemble as parts
from spheresn.estimators.ensemble import Cases, DilatedView
from spheresn.estimators.labelled import fit_sharpness
from spheresn.estimators.solution import Solution
from spheresn.io import ModelFileError
from spheresn.readout.cases import CaseReadout, fit_rows, fit_sums
from spheresn.readout.gram import Gram
from spheresn.readout.loo import Sample
from spheresn.selection.calibration import STRONGEST_DRIVE, MemoryOutOfReach
from spheresn.series.scaling import differ_in_size, in_own_deviations
from test_persistence import altered, rewritten


def waves(rng, count=12, columns=2, lengths=(40, 70)):
    """Two frequencies at random phases, in noise."""
    series, labels = [], []
    for i in range(count):
        steps = np.arange(rng.integers(*lengths))[:, None]
        wave = np.sin((0.3 + 0.3 * (i % 2)) * steps + rng.uniform(0, 6, columns))
        series.append(wave + 0.1 * rng.standard_normal(wave.shape))
        labels.append("fast" if i % 2 else "slow")
    return series, np.array(labels)


@pytest.fixture(scope="module")
def data():
    return waves(np.random.default_rng(1))


@pytest.fixture(scope="module")
def fitted(data):
    return sn.ESNClassifier(units=120, random_state=0).fit(*data)


def test_compiled_counts_are_those_of_the_states(data, fitted):
    """Every stride and order, with and without skipped rows, on cases shorter than the stride."""
    cases = Cases.of([*data[0], data[0][0][:2]])
    assert {one.view.stride for one in fitted.ensemble_.networks} == {1, 3, 9}
    for network in fitted.ensemble_.networks:
        signal = network.scaler.forward(network.view.of(cases)).astype(np.float32)
        for skip in (0, 1, 5):
            counts = np.zeros((len(cases.lengths), 2, network.reservoir.units), np.float32)
            assert network._counted(signal, cases, skip, counts)
            assert np.abs(counts - network._counted_by_drive(signal, cases, skip)).max() <= 1.0


def test_one_unit_of_each_group_leads_at_each_step(data, fitted):
    for network in fitted.ensemble_.networks:
        shares = network.leads(Cases.of(data[0]), 3)
        for low, high in zip(network.edges, network.edges[1:], strict=False):
            assert np.allclose(shares[:, :, low:high].sum(axis=2), 1.0, atol=0.1)
            assert (shares[:, :, low:high].sum(axis=2) > 1.0 - 1e-5).all()  # ties count for both


def test_a_network_has_groups_of_about_64_units():
    network = sn.ESNClassifier(units=200, memory=2.0, random_state=0).fit(
        *waves(np.random.default_rng(0), 6)
    )
    sizes = [np.diff(one.edges) for one in network.ensemble_.networks]
    assert [one.tolist() for one in sizes] == [[66], [67], [67]]


def test_changes_do_not_see_a_constant_and_second_changes_no_slope(data):
    cases = Cases.of(data[0])
    slope = np.concatenate([np.arange(length) for length in cases.lengths])[:, None]
    moved, tilted = Cases(cases.rows + 7.0, cases.starts), Cases(cases.rows + slope, cases.starts)
    for stride in (1, 3):
        assert np.allclose(DilatedView(stride, 1).of(moved), DilatedView(stride, 1).of(cases))
        late = slope[:, 0] >= 3 * stride - 1  # from here on nothing is before the first row
        assert np.allclose(
            DilatedView(stride, 2).of(tilted)[late], DilatedView(stride, 2).of(cases)[late]
        )


def test_units_of_the_data_do_not_matter(data, fitted):
    """Powers of two, so that no digit changes."""
    scaled = [4.0 * rows for rows in data[0]]
    again = sn.ESNClassifier(units=120, random_state=0).fit(scaled, data[1])
    assert np.array_equal(again.decision_function(scaled), fitted.decision_function(data[0]))


def test_cases_do_not_see_each_other_and_jobs_change_nothing(data, fitted):
    one_by_one = [fitted.decision_function([rows])[0] for rows in data[0]]
    assert np.allclose(fitted.decision_function(data[0]), one_by_one, atol=1e-12)
    parallel = sn.ESNClassifier(units=120, random_state=0, n_jobs=2).fit(*data)
    assert np.array_equal(parallel.decision_function(data[0]), fitted.decision_function(data[0]))


def test_blocks_of_rows_change_nothing(data, fitted, monkeypatch):
    whole = fitted.decision_function(data[0])
    few = replace(parts.ENSEMBLE_DEFAULTS, block_rows=100)
    monkeypatch.setattr(parts, "ENSEMBLE_DEFAULTS", few)
    assert len(parts.blocks(data[0])) > 3
    assert np.allclose(fitted.decision_function(data[0]), whole, atol=1e-12)
    in_blocks = sn.ESNClassifier(units=120, random_state=0).fit(*data)
    assert np.allclose(in_blocks.decision_function(data[0]), whole, atol=1e-8)


def test_memories_are_those_asked_for(fitted):
    strides = np.array([one.view.stride for one in fitted.ensemble_.networks])
    assert np.allclose(fitted.memory_, strides, rtol=0.01)
    assert np.allclose(fitted.lyapunov_, -1.0, rtol=0.01) and (fitted.bend_ == 1.0).all()
    assert sum(one.reservoir.units for one in fitted.ensemble_.networks) == 120


@pytest.mark.parametrize("activation", ["tanh", "linear"])
def test_other_activations_follow_series_too(data, activation):
    model = sn.ESNClassifier(units=60, activation=activation, random_state=0).fit(*data)
    assert model.score(*data) == 1.0 and (model.bend_ == 0.0).all()


def test_given_scalings_mean_one_stride_in_double_precision(data):
    model = sn.ESNClassifier(units=60, input_scaling=0.5, spectral_radius=2.0, random_state=0)
    networks = model.fit(*data).ensemble_.networks
    assert {one.view.stride for one in networks} == {1}
    assert {one.reservoir.dtype for one in networks} == {np.dtype(np.float64)}


def test_a_unit_that_never_varies_does_not_lead(rng):
    """The only input of the second unit of a delay line without memory is the bias."""
    inputs = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    series = [scale * rng.standard_normal((50, 1)) for scale in (1.0, 3.0) * 4]
    model = sn.ESNClassifier(
        units=3, topology=np.array(inputs), activation="tanh", input_scaling=1.0, random_state=0
    ).fit([np.zeros((50, 1)), *series], [0, *([0, 1] * 4)])
    assert np.isfinite(model.decision_function(series)).all()


def test_series_that_never_move_get_an_answer():
    series = [np.full((20, 1), 3.0) for _ in range(6)]
    model = sn.ESNClassifier(units=40, random_state=0).fit(series, [0, 1] * 3)
    assert np.allclose(model.predict_proba(series), 0.5)
    assert np.isfinite(model.decision_function([np.full((20, 1), 1e300)])).all()


def test_a_memory_that_nobody_set_is_replaced_by_the_nearest(monkeypatch, data):
    from spheresn.selection.plan import Candidate

    monkeypatch.setitem(parts.CLASSIFICATION, "spherical", [Candidate(1e-3, 1.0)])
    networks = sn.ESNClassifier(units=60, random_state=0).fit(*data).ensemble_.networks
    assert all(one.exponent > -1000.0 for one in networks)
    with pytest.raises(MemoryOutOfReach, match="memory must be at least") as caught:
        sn.ESNClassifier(units=60, memory=1e-3, random_state=0).fit(*data)
    assert caught.value.strength == STRONGEST_DRIVE


def test_a_memory_chosen_on_few_rows_may_be_out_of_reach_on_all(monkeypatch, rng):
    """Nobody set it, so the nearest is taken."""
    from spheresn.estimators import base
    from spheresn.selection.plan import Candidate

    x, y = rng.standard_normal((100, 1)), rng.integers(0, 2, 100)
    steps = [Candidate(1e-3, 1.0), Candidate(2e-3, 1.0)]
    for count in (1, 2):
        monkeypatch.setattr(base, "STEP_CLASSES", {"spherical": steps[:count]})
        assert sn.ESNClassifier(units=10, random_state=0).fit([x], [y]).memory_ > 1e-3


# Series of different size


def test_series_of_different_size_are_measured_in_their_own_deviations_too(rng):
    """The sizes, which say nothing, range over five powers of ten."""
    series, labels = waves(rng, count=40, columns=1)
    sized = [10.0 ** rng.uniform(-3, 2) * rows for rows in series]
    model = sn.ESNClassifier(units=200, random_state=0).fit(sized[:20], labels[:20])
    assert [one.view.own for one in model.ensemble_.networks[:4]] == [False, True, False, True]
    assert model.score(sized[20:], labels[20:]) > 0.9
    again = sn.ESNClassifier(units=200, random_state=0).fit(series[:20], labels[:20])
    assert not any(one.view.own for one in again.ensemble_.networks)


def test_a_size_that_tells_the_class_is_used(rng):
    """Noise of deviation 1 or 3: nothing but the size differs."""
    series = [(1.0 + 2.0 * (i % 2)) * rng.standard_normal((50, 1)) for i in range(60)]
    model = sn.ESNClassifier(units=200, random_state=0).fit(series[:30], [0, 1] * 15)
    assert any(one.view.own for one in model.ensemble_.networks)
    assert model.score(series[30:], [0, 1] * 15) > 0.9


def test_own_deviations(rng):
    series = [rng.standard_normal((30, 2)) * [1.0, 5.0], np.zeros((4, 2))]
    own = in_own_deviations(series[0])
    assert np.allclose(own.mean(axis=0), 0.0) and np.allclose(own.std(axis=0), 1.0)
    assert (in_own_deviations(series[1]) == 0.0).all()
    assert np.allclose(in_own_deviations(7.0 * series[0] + 3.0), own)
    assert differ_in_size(series) and not differ_in_size([series[0], 1.2 * series[0]])


def test_means_over_a_stride_are_those_of_a_case_that_began_at_rest(rng):
    series = [rng.standard_normal((40, 2)), rng.standard_normal((5, 2))]
    for steps in (1, 3, 9, 27):
        naive = []
        for rows in series:
            longer = np.vstack([np.repeat(rows[:1], steps - 1, axis=0), rows])
            naive += [longer[i : i + steps].mean(axis=0) for i in range(len(rows))]
        assert np.allclose(parts.Cases.of(series).means(steps).rows, naive)


def test_changes_over_wide_strides_average_the_noise(rng):
    """The difference of two means of nine values of white noise has the variance 2/9."""
    noise = parts.Cases.of([rng.standard_normal((20_000, 1))])
    assert abs(parts.DilatedView(9, 1).of(noise).var() - 2 / 9) < 0.02
    assert parts.DilatedView(9, 0).of(noise) is noise.rows


def test_a_length_that_tells_the_class_is_used(rng, tmp_path):
    """Noise of 30 or 60 rows: nothing but the length differs."""
    series = [rng.standard_normal((30 + 30 * (i % 2), 1)) for i in range(40)]
    model = sn.ESNClassifier(units=60, random_state=0).fit(series[:20], [0, 1] * 10)
    assert model.typical_length_ == 45.0 and model.score(series[20:], [0, 1] * 10) == 1.0
    sn.save(model, tmp_path / "model")
    again = sn.load(tmp_path / "model")
    assert np.array_equal(again.decision_function(series), model.decision_function(series))
    waved, labels = waves(rng, count=20, columns=1)
    assert sn.ESNClassifier(units=60, random_state=0).fit(waved, labels).typical_length_ == 0.0


# The readout


def test_leaving_out_is_exact_and_the_weights_are_those_of_ridge(rng):
    x, y = rng.standard_normal((9, 30)), rng.standard_normal((9, 2))
    found = fit_rows(x, y, penalty=3.0)
    variance, mean = x.var(axis=0), x.mean(axis=0)
    scale = np.sqrt(variance + 0.3 * variance.mean())
    ridge = Ridge(alpha=3.0).fit((x - mean) / scale, y)
    assert np.allclose(found.weights(x), ridge.predict((x - mean) / scale))
    for i in range(9):  # the scaling stays, as a choice made before
        others = np.arange(9) != i
        left = Ridge(alpha=3.0).fit((x[others] - mean) / scale, y[others])
        assert np.allclose(found.outputs[i], left.predict((x[i : i + 1] - mean) / scale)[0])
    assert np.isclose(
        found.error, np.sqrt(np.square(found.outputs - y).mean() / y.var(axis=0).mean())
    )


def test_the_penalty_has_the_least_error_of_all_tried(rng):
    x, y = rng.standard_normal((20, 30)), rng.standard_normal((20, 1))
    found = fit_rows(x, y)
    assert all(fit_rows(x, y, 10.0**k).error >= found.error - 1e-3 for k in range(-3, 4))


def test_many_rows_give_the_same_readout_from_their_sums(rng):
    x, y = rng.standard_normal((60, 8)), rng.standard_normal((60, 2))
    x[:, 3] = 5.0  # says nothing
    direct = fit_rows(x, y, 2.0)
    summed = fit_sums(Gram.of(x, y), Sample.empty(8, 2).taking(x, y), 2.0)
    assert np.allclose(direct.weights.matrix, summed.weights.matrix)
    assert np.allclose(direct.weights.intercept, summed.weights.intercept)
    assert np.allclose(direct.outputs, summed.outputs) and np.isclose(direct.error, summed.error)
    grown = CaseReadout(8, 2)
    for first in range(0, 60, 7):
        grown = grown.taking(x[first : first + 7], y[first : first + 7])
    assert sum(len(part) for part, _ in grown.rows) <= 8  # as many rows as features
    assert np.allclose(grown.fit(2.0).weights.matrix, summed.weights.matrix)
    assert grown.fit().error <= summed.error + 1e-9


def test_sharpness_turns_the_share_of_right_cases_into_a_probability():
    """Three of four outputs are right by one. With one case of doubt the logit is that of p."""
    indicators = np.eye(2)[np.arange(100) % 2]
    outputs = indicators.copy()
    outputs[:25] = 1.0 - outputs[:25]
    p = (1.0 - 1.0 / 101.0) * 0.75 + 0.5 / 101.0
    assert np.isclose(fit_sharpness(outputs, indicators), np.log(p / (1.0 - p)), rtol=1e-4)


def test_probabilities_add_up_and_agree_with_the_classes(data, fitted):
    shares = fitted.predict_proba(data[0])
    assert np.allclose(shares.sum(axis=1), 1.0) and shares.shape == (12, 2)
    assert (fitted.classes_[shares.argmax(axis=1)] == fitted.predict(data[0])).all()
    difference = np.log(shares[:, 1] / shares[:, 0])
    assert np.allclose(difference, fitted.sharpness_ * fitted.decision_function(data[0]))


# Forms of input


def equal_waves():
    series, labels = waves(np.random.default_rng(3), lengths=(50, 51))
    return series, labels, np.stack([rows.T for rows in series])


def test_all_forms_of_the_same_cases_are_the_same():
    pandas = pytest.importorskip("pandas")
    series, labels, cube = equal_waves()
    expected = sn.ESNClassifier(units=40, random_state=0).fit(series, labels)
    expected = expected.decision_function(series)
    table = pandas.concat({i: pandas.DataFrame(rows) for i, rows in enumerate(series)})
    forms = [
        ({}, cube),
        ({}, table),
        ({"time_axis": 0}, np.stack(series)),
        ({"time_axis": 1}, cube),
        ({"time_axis": 1}, [rows.T for rows in series]),
        ({"time_axis": 0}, series),
    ]
    for options, form in forms:
        model = sn.ESNClassifier(units=40, random_state=0, **options).fit(form, list(labels))
        assert np.array_equal(model.decision_function(form), expected)
    series_labels = pandas.Series(labels, index=range(5, 17))
    again = sn.ESNClassifier(units=40, random_state=0).fit(series, series_labels)
    assert np.array_equal(again.decision_function(series), expected)


def test_lengths_that_differ_say_which_axis_is_time():
    series, labels = waves(np.random.default_rng(0), columns=5, lengths=(3, 20))
    model = sn.ESNClassifier(units=40, random_state=0).fit(series, labels)
    assert model.n_features_in_ == 5
    with pytest.raises(sn.BadInput, match=r"X\[\d+\] must be \(time, channels\), got shape"):
        model.fit([rows.T for rows in series], labels)
    single = [rows[:, 0] for rows in series]
    assert sn.ESNClassifier(units=40, random_state=0).fit(single, labels).n_features_in_ == 1


def test_a_beginning_of_a_series_may_be_shorter_than_it_has_channels():
    series, labels = waves(np.random.default_rng(0), columns=5)
    model = sn.ESNClassifier(units=40, random_state=0).fit(series, labels)
    assert model.predict_proba([rows[:3] for rows in series]).shape == (12, 2)


CUBE = equal_waves()[2]
REFUSED = {
    "channels first": (list(CUBE), {}, r"X\[0\] must be \(time, channels\), got shape"),
    "time before channels": (
        np.swapaxes(CUBE, 1, 2),
        {},
        r"X must say which axis is time .* got shape \(12, 50, 2\); pass time_axis=1",
    ),
    "another axis": (CUBE, {"time_axis": 2}, "time_axis must be 0, 1 or None, got 2"),
    "a table of series": (
        CUBE[:, 0],
        {},
        r"X must say whether its rows are series or steps .* got a table of shape \(12, 50\)",
    ),
    "products": (CUBE, {"features": "quadratic"}, "features must be 'linear' for whole series"),
    "no rule": (CUBE, {"features": "cubic"}, "features must be one of linear, quadratic"),
    "washout": (
        CUBE,
        {"washout": 50},
        "each series must have at least 51 rows to leave one after a washout of 50, got 50",
    ),
    "units": (CUBE, {"units": 0}, "units must be a whole number of at least 1"),
    "infinity": (
        np.where(CUBE > 1.0, np.inf, CUBE),
        {},
        r"X\[0\] must be finite, got infinity in row \d+; correct it, or make it NaN",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_understood_is_refused_with_what_to_do(name):
    x, options, sentence = REFUSED[name]
    with pytest.raises(sn.BadInput, match=sentence):
        sn.ESNClassifier(**{"units": 20, "random_state": 0, **options}).fit(x, [0, 1] * 6)


def test_a_table_is_no_case_to_predict(data, fitted):
    for one in (np.zeros((5, 2)), 3.0):
        with pytest.raises(sn.BadInput, match="X must be a list of series or an array"):
            fitted.predict(one)


def test_a_washout_leaves_out_the_first_rows(data):
    """Behind it, series that differ in their first rows only are the same."""
    series = [rows[:40] for rows in data[0]]
    model = sn.ESNClassifier(units=40, memory=0.5, washout=30, random_state=0).fit(series, data[1])
    other = [np.vstack([rows[:1] + 5.0, rows[1:]]) for rows in series]
    assert np.allclose(model.decision_function(other), model.decision_function(series), atol=1e-6)


# Batches


def test_batches_give_the_readout_of_all_cases(data):
    series, labels = data
    model = sn.ESNClassifier(units=40, random_state=0).partial_fit(series[:5], labels[:5])
    model.partial_fit(series[5:], labels[5:])
    features = model.ensemble_.features(series, 0, None)
    alone = fit_rows(features, (labels[:, None] == model.classes_).astype(float))
    assert np.allclose(model.decision_function(series), np.diff(alone.weights(features))[:, 0])


def test_more_cases_than_features_are_summed(rng):
    series, labels = waves(rng, count=60, columns=1)
    model = sn.ESNClassifier(units=20, random_state=0)
    for first in range(0, 60, 20):
        model.partial_fit(series[first : first + 20], labels[first : first + 20])
    assert model._learned.readout.sums is not None and model.score(series, labels) > 0.95
    assert np.allclose(model.predict_proba(series).sum(axis=1), 1.0)


def test_batches_of_steps_give_the_readout_of_all_steps(rng):
    x = rng.standard_normal((400, 1))
    y = (np.roll(x[:, 0], 1) > 0).astype(int)
    fixed = {"units": 20, "bend": 0.5, "memory": 1, "washout": 5, "random_state": 0}
    model = sn.ESNClassifier(**fixed).partial_fit(x[:200], y[:200]).partial_fit(x[200:], y[200:])
    scores = model.decision_function(x)
    gram, sample = model._accumulate(
        model.frame_, [x[:200], x[200:]], [model._indicators(y[:200]), model._indicators(y[200:])]
    )
    outputs = model.frame_.read(x, Solution.of(gram, sample, "loo").weights, limits=(0.0, 1.0))
    assert np.allclose(scores, np.diff(outputs)[:, 0])
    assert np.allclose(model.predict_proba(x).sum(axis=1), 1.0)
    assert len(model.predict_proba([x[:9], x[:5]])) == 2


def test_batches_are_of_one_kind_with_known_classes(data, tmp_path):
    series, labels = data
    model = sn.ESNClassifier(units=20, random_state=0)
    with pytest.raises(sn.BadInput, match="y must have at least two classes"):
        model.partial_fit(series[::2], labels[::2])
    model.partial_fit(series[::2], labels[::2], classes=["fast", "slow"])
    with pytest.raises(sn.BadInput, match="one label per series in all batches"):
        model.partial_fit(series[0], [0, 1] * (len(series[0]) // 2) + [0] * (len(series[0]) % 2))
    with pytest.raises(sn.BadInput, match="got 'new' too; name all classes in the first call"):
        model.partial_fit(series[:1], ["new"])
    model.partial_fit(series[1::2], labels[1::2])
    sn.save(model, tmp_path / "model")
    with pytest.raises(sn.BadInput, match="partial_fit must continue with what it has learned"):
        sn.load(tmp_path / "model").partial_fit(series, labels)


def test_labels_of_steps_come_one_list_per_series(data):
    with pytest.raises(sn.BadInput, match="y must have one entry per series, 12, got another"):
        sn.ESNClassifier(units=20).fit(data[0], [np.zeros(len(data[0][0]))])


# Files


@pytest.mark.parametrize("topology", ["ring", "sparse"])
def test_a_classifier_of_series_comes_back_to_the_last_bit(data, tmp_path, topology):
    model = sn.ESNClassifier(units=60, topology=topology, random_state=0, density=None)
    if topology == "sparse":
        model.set_params(density=0.5)
    model.fit(*data)
    sn.save(model, tmp_path / "model")
    again = sn.load(tmp_path / "model")
    assert np.array_equal(again.predict_proba(data[0]), model.predict_proba(data[0]))
    for name in ("memory_", "lyapunov_", "bend_", "classes_"):
        assert np.array_equal(getattr(again, name), getattr(model, name))
    assert again.get_params() == model.get_params()


MISFITS = {
    "states": (lambda t: t.update({"0.rest": t["0.rest"][:-1]}), None, "the states do not fit"),
    "scale": (lambda t: t.update({"0.state_scale": 0 * t["0.rest"]}), None, "the states do not"),
    "weights": (lambda t: t.update(weights=t["weights"][:-1]), None, "the readout does not fit"),
    "stride": (None, lambda o, i: i["values"]["networks"][0].update(stride=2), "the stride is not"),
    "own": (None, lambda o, i: i["values"]["networks"][0].update(own=1), "own is not true or"),
    "order": (None, lambda o, i: i["values"]["networks"][0].update(order=3), "the order of diff"),
}


@pytest.mark.parametrize("name", MISFITS)
def test_parts_that_do_not_fit_each_other_are_refused(fitted, tmp_path, name):
    arrays, header, reason = MISFITS[name]
    path = tmp_path / "model"
    sn.save(fitted, path)
    if arrays is not None:
        altered(path, arrays)
    else:
        rewritten(path, header)
    with pytest.raises(ModelFileError, match=rf"\({reason}"):
        sn.load(path)


def test_files_of_the_first_format_are_to_be_fitted_again(fitted, tmp_path):
    sn.save(fitted, tmp_path / "model")
    rewritten(tmp_path / "model", lambda o, i: i.update(format=1))
    with pytest.raises(ModelFileError, match=r"whole series of format 1, .* fit it again"):
        sn.load(tmp_path / "model")


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ([None, "a", "b", "a"], "label for every series, got None at 0"),
        ([0.0, np.nan, 1.0, 0.0], r"label for every series, got .*nan.* at 1"),
        ([0.1, 0.2, 0.3, 0.4], "continuous"),
        (np.array(["a", 1, "b", 1], object), "labels of one kind, got int, str"),
    ],
)
def test_labels_that_are_missing_or_no_classes_are_refused(labels, words):
    with pytest.raises(ValueError, match=words):
        sn.ESNClassifier(20).fit(np.ones((4, 1, 9)), labels)


def test_no_class_is_nan():
    with pytest.raises(sn.BadInput, match="label everywhere, got nan"):
        sn.ESNClassifier(20).partial_fit(np.ones((2, 1, 9)), [0.0, 1.0], classes=[0.0, 1.0, np.nan])
