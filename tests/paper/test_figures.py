"""The experiments: every one runs, forgives holes, and judges by its numbers."""

import dataclasses
import hashlib
import json
import re
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from spheresn import analysis
from spheresn.metrics import accuracy
from spheresn_paper.figures import EXPERIMENTS, Claim, memory_dial, recall, task_maps
from spheresn_paper.figures.common import accuracies, delayed, with_holes
from spheresn_paper.figures.grid_search import ratios_to_grid, select_best

OURS = [
    name
    for name in (
        *("lyapunov", "decay", "memory", "example", "tradeoff", "stability", "mixture", "dial"),
        "bent",
    )
    if name in EXPERIMENTS
]
VERDICTS = {"holds", "partly", "fails", "open"}
DONE = {}


def smoke(name):
    """Module, configuration, tasks and results of the smoke preset, computed once."""
    if name not in DONE:
        module = EXPERIMENTS[name]
        config = module.PRESETS["smoke"]
        tasks = module.tasks(config)
        DONE[name] = module, config, tasks, [module.run(config, task, 0) for task in tasks]
    return DONE[name]


def drawn(module, dataset):
    figures = module.plot(dataset)
    for figure in figures.values():
        figure.canvas.draw()
    return figures


@pytest.mark.parametrize("name", OURS)
def test_from_tasks_to_claims(name):
    module, config, _, results = smoke(name)
    assert name == module.NAME
    dataset = module.collect(config, results)
    assert set(drawn(module, dataset)) == set(module.CAPTIONS)
    claims = module.claims(dataset)
    assert len(claims) >= 2 and len({claim.id for claim in claims}) == len(claims)
    for claim in claims:
        assert (
            isinstance(claim, Claim)
            and claim.verdict in VERDICTS
            and claim.rule
            and claim.measured
            and claim.source
        )
        assert all(isinstance(value, (float, str)) for value in claim.evidence.values())
        json.dumps(dataclasses.asdict(claim), allow_nan=False)


@pytest.mark.parametrize("name", OURS)
def test_configurations_and_tasks_are_json(name):
    module = EXPERIMENTS[name]
    assert list(module.PRESETS) == ["smoke", "quick", "paper"]
    for config in module.PRESETS.values():
        plain = dataclasses.asdict(config)
        assert json.loads(json.dumps(plain)) == json.loads(json.dumps(plain | {}))
        for value in plain.values():
            items = value if isinstance(value, tuple) else (value,)
            assert all(isinstance(item, (int, float, str, bool)) for item in items)
        tasks = module.tasks(config)
        assert json.loads(json.dumps(tasks)) == tasks and tasks == module.tasks(config)


@pytest.mark.parametrize("name", OURS)
def test_a_unit_is_a_function_of_its_arguments(name):
    module, config, tasks, results = smoke(name)
    for i in sorted({0, len(tasks) // 2, len(tasks) - 1}):
        again = module.run(config, json.loads(json.dumps(tasks[i])), 0)
        assert set(again) == set(results[i])
        for key, value in again.items():
            np.testing.assert_array_equal(value, results[i][key])
            assert np.asarray(value).dtype.kind == "f"


@pytest.mark.parametrize("name", OURS)
def test_holes_are_nan_and_leave_the_rest(name):
    module, config, _, results = smoke(name)
    whole = module.collect(config, results)
    holed = module.collect(config, [None, *results[1:]])
    assert sum(int(v.isnull().sum()) for v in holed.values()) > sum(
        int(v.isnull().sum()) for v in whole.values()
    )
    drawn(module, holed)
    assert {claim.id for claim in module.claims(holed)} <= {
        claim.id for claim in module.claims(whole)
    }
    empty = module.collect(config, [None] * len(results))
    assert empty.sizes == whole.sizes
    drawn(module, empty)
    assert module.claims(empty) == []


def test_a_missing_laser_costs_one_panel(monkeypatch):
    module, config, tasks, results = smoke("memory")

    def absent():
        raise FileNotFoundError("no laser here; install it")

    monkeypatch.setattr(recall.datasets, "santa_fe_laser", absent)
    with pytest.warns(
        UserWarning,
        match="santa_fe_laser left out: no laser here; install it; then run again with --fresh",
    ):
        without = [module.run(config, task, 0) for task in tasks]
    for task, one, other in zip(tasks, without, results, strict=True):
        if task["part"] == "recall":  # the other signals are as they were
            np.testing.assert_array_equal(one["test"][:4], other["test"][:4])
            np.testing.assert_array_equal(one["alternatives"][:-1], other["alternatives"][:-1])
    dataset = module.collect(config, without)
    assert bool(dataset.test.sel(signal="santa_fe_laser").isnull().all())
    ids = {claim.id for claim in module.claims(dataset)}
    assert (
        "memory-comparable-with-linear-lorenz" in ids
        and "memory-comparable-with-linear-santa-fe-laser" not in ids
    )
    drawn(module, dataset)


def verdict_of(name, claim, change):
    """The verdict on the smoke dataset after `change` has rewritten some of its numbers."""
    module, config, _, results = smoke(name)
    dataset = module.collect(config, results).copy(deep=True)
    change(dataset)
    return {one.id: one for one in module.claims(dataset)}[claim].verdict


def put(variable, value, **where):
    def change(dataset):
        dataset[variable].loc[where] = value

    return change


@pytest.mark.parametrize(
    ("name", "claim", "variable", "where", "good", "bad"),
    [
        ("lyapunov", "largest-exponent-always-zero", "closed_form", {}, 0.0, -0.1),
        ("lyapunov", "always-at-the-edge-of-criticality", "driven", {}, 0.0, -0.5),
        ("lyapunov", "printed-jacobian", "jacobian_errors", {}, 1e-9, 0.2),
        ("lyapunov", "jacobian-for-large-networks", "jacobian_errors", {}, 0.01, 0.7),
        ("lyapunov", "lle-not-different-from-zero", "printed", {}, 0.0, 0.1),
        (
            "lyapunov",
            "spectral-radius-does-not-alter-autonomous-dynamics",
            "rescaling_gap",
            {},
            1e-13,
            1.0,
        ),
        ("decay", "infinite-past-not-null", "far_past", {}, 0.5, 0.0),
        ("decay", "state-as-sum-over-inputs", "closed_form_error", {}, 1e-15, 1.0),
        ("decay", "perfect-memory-for-infinite-spectral-radius", "strong_relative", {}, 1.0, 0.1),
        ("decay", "norm-of-powers-by-gelfand", "gelfand", {}, 1.0, 4.0),
        (
            "memory",
            "tanh-cannot-recall-beyond-20",
            "test",
            {"signal": "white_noise", "model": "tanh"},
            0.0,
            0.9,
        ),
        (
            "memory",
            "memory-comparable-with-linear-lorenz",
            "test",
            {"signal": "lorenz", "model": "spherical"},
            1.0,
            0.2,
        ),
        (
            "memory",
            "memory-comparable-with-linear-santa-fe-laser",
            "test",
            {"signal": "santa_fe_laser", "model": "spherical"},
            2.0,
            -1.0,
        ),
        ("memory", "mso-is-difficult", "test", {"signal": "mso"}, 0.5, 0.99),
        (
            "memory",
            "mackey-glass-spherical-comparable-with-tanh",
            "test",
            {"signal": "mackey_glass", "model": ["spherical", "tanh"]},
            0.9,
            None,
        ),
        ("memory", "laser-tanh-does-not-remember", "test", {"model": "tanh"}, 0.0, 2.0),
        ("memory", "linear-memory-same-for-all-signals", "test", {}, 0.9, None),
        ("memory", "tanh-small-radius-like-linear", "linear_sweep", {}, None, 0.99),
        ("memory", "other-values-change-little", "linear_sweep", {}, 0.5, None),
        ("example", "example-accuracy-tanh", "gamma", {"model": "tanh"}, 0.12, 0.6),
        (
            "example",
            "example-spherical-outperforms-competitors",
            "gamma",
            {"model": "spherical"},
            0.9,
            0.0,
        ),
        ("example", "example-accuracy-spherical", "gamma", {"model": "spherical"}, 0.63, 0.1),
        (
            "tradeoff",
            "best-when-both-memory-and-nonlinearity",
            "accuracy",
            {"model": "spherical"},
            0.99,
            0.0,
        ),
        (
            "tradeoff",
            "able-to-perform-nonlinear-computations",
            "accuracy",
            {"model": "spherical"},
            0.99,
            0.0,
        ),
        ("tradeoff", "spectral-radius-plays-no-role", "by_radius", {"model": "linear"}, None, None),
        ("tradeoff", "spherical-scaling-like-tanh", "best_ratio", {}, None, 1.0),
        ("stability", "never-chaotic", "exponent", {}, -0.1, 0.5),
        ("stability", "large-networks-cannot-be-chaotic", "exponent", {}, -0.1, 0.5),
        ("stability", "universal-approximator", "oddness", {}, 0.5, 1e-14),
        ("stability", "condition-implies-echo-state", "refuted", {}, 0.0, 1.0),
        ("stability", "globally-stable-for-any-configuration", "distance", {}, 1e-12, 1.0),
        ("stability", "condition-must-be-satisfied", "smallest", {}, 100.0, 0.0),
        ("dial", "memory-dial-means-what-it-says", "exponent", {}, None, -17.0),
        ("bent", "bending-makes-forecasts", "valid", {"forecaster": "spherical"}, -1e6, 1e6),
        (
            "bent",
            "rich-enough-to-approximate-nonlinear-systems",
            "valid",
            {"forecaster": "spherical"},
            1e6,
            -1e6,
        ),
        ("geometry", "contractivity-inequality", "contraction", {}, 1.0, 1.1),
        ("geometry", "condition-not-necessary", "never", {}, 1.0, 0.0),
    ],
)
def test_verdicts_follow_from_the_numbers(name, claim, variable, where, good, bad):
    if good is not None:
        assert verdict_of(name, claim, put(variable, good, **where)) == "holds"
    if bad is not None:
        assert verdict_of(name, claim, put(variable, bad, **where)) == "fails"


def test_agreement_is_that_tanh_computes_and_linear_networks_remember():
    def as_published(dataset):
        forgets = dataset.delay >= 10
        dataset["accuracy"] = xr.where(
            dataset.model == "tanh", xr.where(forgets, 0.2, 0.9), 0.5
        ) + 0 * dataset.accuracy.fillna(0.5)

    def upside_down(dataset):
        as_published(dataset)
        dataset["accuracy"] = 1.0 - dataset.accuracy

    assert verdict_of("tradeoff", "agreement-with-inubushi", as_published) == "holds"
    assert verdict_of("tradeoff", "agreement-with-inubushi", upside_down) == "fails"


def test_the_rule_on_spectral_radii_asks_what_the_worst_loses():
    def flat(dataset):
        dataset.by_radius.loc[{"model": "spherical"}] = 0.7

    def steep(dataset):
        dataset.by_radius.loc[{"model": "spherical"}] = np.linspace(0, 1, dataset.sizes["point"])

    assert verdict_of("tradeoff", "spectral-radius-plays-no-role", flat) == "holds"
    assert verdict_of("tradeoff", "spectral-radius-plays-no-role", steep) == "fails"


def test_the_dial_holds_where_measured_memory_is_the_one_asked_for():
    """With few networks that is too close to call: nine in ten need more than eight of eight."""
    module, config, _, results = smoke("dial")
    few = module.collect(config, results).copy(deep=True)
    few["exponent"][...] = -1.0 / few.memory.values
    many = xr.concat([few] * 10, "network")
    found = [{one.id: one.verdict for one in module.claims(data)} for data in (few, many)]
    assert [one["memory-dial-means-what-it-says"] for one in found] == ["open", "holds"]


@pytest.mark.parametrize(
    ("uneven", "alpha", "expected"),
    [
        (0.1, 10.0, "holds"),
        (50.0, 2000.0, "partly"),
        (50.0, -2000.0, "partly"),
        (50.0, 10.0, "fails"),
    ],
)
def test_inputs_have_similar_effects_on_the_norm_or_among_themselves(uneven, alpha, expected):
    """δ deviates by `uneven` means, and so by uneven/|α| of ρ."""

    def change(dataset):
        dataset["uneven"][...] = uneven
        dataset["alpha"][...] = alpha

    assert verdict_of("decay", "each-input-has-a-similar-effect", change) == expected


def test_chaos_in_one_random_network_of_a_hundred_is_partly_a_reason():
    """Where no special network is chaotic, random ones decide."""

    def tame(dataset):
        dataset["exponent"][...] = -0.1
        dataset["typical"][...] = -0.1

    def rare(dataset):
        tame(dataset)
        dataset["typical"].values.flat[0] = 9.0

    assert verdict_of("stability", "large-networks-cannot-be-chaotic", tame) == "holds"
    assert verdict_of("stability", "large-networks-cannot-be-chaotic", rare) == "fails"  # 1 of 32


@pytest.mark.parametrize(
    ("gaps", "verdict"),
    [
        ((0.01, 0.02), "open"),
        ((0.01, 0.011), "holds"),
        ((0.1, 0.101), "partly"),
        ((0.5, 0.501), "fails"),
    ],
)
def test_a_gap_whose_interval_reaches_over_a_threshold_is_open(gaps, verdict):
    """Of two networks the interval reaches 12.7 √(1/2) deviations to either side."""

    def change(dataset):
        mean = dataset.test.sel(signal="mso", model="linear").mean("delay")
        for n, gap in enumerate(gaps):
            place = {"signal": "mso", "model": "spherical", "protocol": "paper"}
            dataset["test"].loc[place][n] = float(mean.sel(protocol="paper")[n]) - gap

    assert verdict_of("memory", "memory-comparable-with-linear-mso", change) == verdict


def test_without_the_protocol_of_the_authors_the_verdicts_are_the_same():
    """As in the preset quick: no picture of it, and no number that is not there."""
    module, config, _, results = smoke("memory")
    dataset = module.collect(config, results)
    without = dataset.copy(deep=True)
    without["test"].loc[{"protocol": "authors"}] = np.nan
    without["train"].loc[{"protocol": "authors"}] = np.nan
    without["alternatives"][...] = np.nan
    assert set(drawn(module, without)) == set(module.CAPTIONS) - {"memory_authors"}
    found = {claim.id: claim for claim in module.claims(without)}
    assert {name: one.verdict for name, one in found.items()} == {
        claim.id: claim.verdict for claim in module.claims(dataset)
    }
    gap = found["memory-comparable-with-linear-mso"]
    assert "protocol “authors” not measured" in gap.measured and "nan" not in gap.measured
    assert not any("authors" in name for name in gap.evidence)


@pytest.mark.parametrize("name", OURS)
def test_a_network_is_the_same_however_many_there_are(name):
    """Rounds rest on it: what was computed for the first look counts at the later ones."""
    module, config, tasks, results = smoke(name)
    for field in getattr(module, "LOOKS", {}).get("quick", {}):
        more = dataclasses.replace(config, **{field: getattr(config, field) + 1})
        part = {"sweep_networks": "sweep", "setting_networks": "setting"}.get(field)
        known = {json.dumps(task): i for i, task in enumerate(tasks)}
        shared = [json.dumps(task) for task in module.tasks(more) if json.dumps(task) in known]
        assert len(shared) == len(tasks)
        chosen = next(i for i, task in enumerate(tasks) if part in (None, task.get("part")))
        again = module.run(more, tasks[chosen], 0)
        for key, value in results[chosen].items():
            np.testing.assert_array_equal(again[key], value)


def test_the_laws_of_the_paper_decide_and_not_that_of_an_orthogonal_matrix():
    def only(*kinds):
        def change(dataset):
            dataset["predicted"][...] = 1.0
            dataset["sensitivity"][...] = 0.1
            for kind in kinds:
                dataset["sensitivity"].loc[{"kind": kind}] = 1.0

        return verdict_of("decay", "decay-consistent-with-predictions", change)

    assert only("orthogonal") == "fails" and only("spherical") == "partly"
    assert only("spherical", "linear", "tanh") == "holds"


def test_the_sweep_over_spectral_radii_asks_for_every_step():
    def rising(dataset):
        dataset["linear_sweep"][...] = dataset.linear_sweep_radius.values
        dataset["tanh_sweep"][...] = dataset.tanh_sweep_radius.values

    assert verdict_of("memory", "linear-memory-best-near-one", rising) == "holds"
    assert verdict_of("memory", "tanh-larger-radius-forgets", rising) == "fails"


def test_the_oscillators_are_most_like_themselves_sixty_steps_later():
    """The autocorrelation of Σ sin(ω k) is the mean of cos(ω τ)."""
    module = EXPERIMENTS["memory"]
    config = dataclasses.replace(module.PRESETS["smoke"], delays=100)
    rng = np.random.default_rng(0)
    shape = (len(module.SIGNALS), len(module.PROTOCOLS), 3, 101)
    one = {name: rng.uniform(0.4, 0.5, shape) for name in ("train", "test")}
    one["test"][1, :, 1, 62] = 0.9
    one["alternatives"] = np.zeros(4)
    dataset = module.collect(config, [one, one, None, None])
    claim = {c.id: c for c in module.claims(dataset)}["mso-peak-at-60"]
    lags = np.arange(20, 101)
    exact = np.cos(np.multiply.outer(lags, [0.2, 0.311, 0.42])).mean(axis=1)
    assert claim.evidence["lag_of_largest_autocorrelation"] == lags[exact.argmax()] == 60
    assert abs(claim.evidence["autocorrelation"] - exact.max()) < 1e-3
    assert claim.evidence["peak"] == 62 and claim.verdict == "holds"


def test_the_mean_over_an_orbit_from_few_samples_and_all_lengths():
    """With a sample at every step it is the mean itself."""
    module = EXPERIMENTS["lyapunov"]
    config = dataclasses.replace(
        module.PRESETS["smoke"], units=60, settle=50, steps=200, samples=200
    )
    rng = np.random.default_rng(3)
    network = module.dense(60, rng)
    start = module.sphere.random_point(60, rng)
    options = {"transient": 50, "start": start}
    for kind in ("printed", "exact"):
        every = analysis.local_exponents(network, 250, kind, **options).exponents[0]
        assert abs(module._local(config, network, start, kind) - every) < 1e-12


def test_a_large_dense_network_contains_the_chaos_of_a_small_one():
    """Its eigenvalues are those of the blocks, its matrix is dense, its exponent that of two
    units.
    """
    module = EXPERIMENTS["stability"]
    small, _ = module.counterexample(module.CASES[0])
    network, _ = module.hidden_chaos(60, np.random.default_rng(0))
    matrix = network.recurrent.toarray()
    sizes = np.sort(np.abs(np.linalg.eigvals(matrix)))[::-1]
    expected = np.abs(np.linalg.eigvals(small.recurrent.toarray()))
    np.testing.assert_allclose(sizes[:2], np.sort(expected)[::-1], atol=1e-12)
    np.testing.assert_allclose(sizes[2:], 0.05, atol=1e-12)
    assert (np.abs(matrix) < 1e-6).mean() < 0.01
    found = [analysis.max_lyapunov(one, np.ones(9000), rng=0) for one in (network, small)]
    error = np.hypot(*(one.standard_error for one in found))
    assert abs(found[0].exponent - found[1].exponent) < 4 * error < 0.1


def test_a_cross_marks_a_winner_and_not_a_tie():
    module, config, _, results = smoke("tradeoff")
    dataset = module.collect(config, results).copy(deep=True)
    dataset["linear_bound"][...] = 0.0

    def crosses(accuracy):
        for model, value in accuracy.items():
            dataset["accuracy"].loc[{"model": model}] = value
        (axes, *_) = task_maps.draw_winner_figure(dataset).axes
        (marks,) = [line for line in axes.lines if line.get_marker() == "x"]
        return len(marks.get_xdata())

    assert crosses({"spherical": 0.8, "tanh": 0.8, "linear": 0.1}) == 0
    assert (
        crosses({"spherical": 0.9, "tanh": 0.8, "linear": 0.1}) == dataset.accuracy[0, 0, 0, 0].size
    )


def test_the_best_ratio_of_the_sphere_is_one_of_the_ratios():
    module, config, _, results = smoke("tradeoff")
    dataset = module.collect(config, results).sel(protocol="paper")
    other = dataset.sel(model="tanh")
    np.testing.assert_allclose(other.best_ratio, other.best_scaling / other.best_radius)
    found = np.unique(dataset.sel(model="spherical").best_ratio)
    ratios = np.geomspace(config.scalings[0] / 10.0, config.scalings[1] / 0.2, config.ratios)
    assert all(np.isclose(ratios, one, rtol=1e-12).any() for one in found)


def test_the_bound_of_the_example_is_known():
    module, config, _, results = smoke("example")
    assert round(module.collect(config, results).attrs["linear_bound"], 3) == 0.642


def test_exponents_without_input_are_those_of_the_closed_form_and_never_positive():
    module, config, _, results = smoke("lyapunov")
    dataset = module.collect(config, results)
    assert float(dataset.closed_form.max()) <= 0.0
    assert float(np.abs(dataset.spectrum - dataset.spectrum_closed).max()) < 0.02
    assert float(dataset.rescaling_gap) < 1e-12


def test_counterexamples_have_the_exponents_of_long_runs():
    module, config, _, results = smoke("stability")
    exponents = module.collect(config, results).exponent.values
    np.testing.assert_allclose(
        exponents[[0, 1, 2, 3, 7, 8]], [0.53, 0.54, 0.26, 0.113, 0.53, 0.6718], atol=0.03
    )
    assert 0.5 * np.log(1 + np.sqrt(2)) == module.PROVED < exponents[8]
    assert abs(exponents[4]) < 1e-9  # a rotation


def test_accuracies_by_column_agree_with_the_metric():
    rng = np.random.default_rng(0)
    target, guess = rng.standard_normal((2, 50, 3))
    guess = target + guess * [0.1, 0.5, 3.0]
    np.testing.assert_allclose(
        accuracies(target, guess),
        [accuracy(target[:, i], guess[:, i]) for i in range(3)],
        atol=1e-14,
    )


def test_linear_states_from_one_impulse_agree_with_driving():
    from spheresn import Linear, drive, random_reservoir

    network = random_reservoir(20, activation=Linear(), spectral_radius=0.8, rng=0)
    signals = np.random.default_rng(1).standard_normal((2, 300))
    np.testing.assert_allclose(
        recall.linear_states(network, signals), drive(network, signals[..., None]), atol=1e-11
    )


def test_two_networks_in_one_pass_agree_with_driving_each():
    from spheresn import Tanh, drive, random_reservoir, sphere

    base = random_reservoir(30, spectral_radius=1.0, rng=0)
    signals, start = (
        np.random.default_rng(1).standard_normal((2, 200)),
        sphere.random_point(30, np.random.default_rng(2)),
    )
    on_sphere, tanh = recall.nonlinear_states(base, signals, 0.5, 0.9, start)
    np.testing.assert_allclose(
        on_sphere, [drive(base.rescaled(1.0, 0.5), one, start) for one in signals], atol=1e-11
    )
    plain = dataclasses.replace(base.rescaled(0.9), activation=Tanh())
    np.testing.assert_allclose(tanh, [drive(plain, one) for one in signals], atol=1e-12)


def test_on_the_sphere_the_grid_is_its_ratios():
    ratios = np.array([0.5, 1.0, 2.0])
    table = np.arange(3.0).reshape(1, 3, 1, 1) * np.ones((1, 3, 3, 2))
    np.testing.assert_array_equal(
        ratios_to_grid(table, ratios, [1.0, 2.0], np.array([1.0, 2.0]))[0, :, :, 0, 0],
        [[1, 2], [0, 1]],
    )


def test_selection_takes_the_test_accuracy_where_another_part_is_best():
    table = np.zeros((1, 2, 2, 3, 1))
    table[0, 0, 1, :, 0] = [0.9, 0.1, 0.2]
    table[0, 1, 0, :, 0] = [0.1, 0.9, 0.5]
    test, radius, scaling = select_best(table)
    np.testing.assert_array_equal(test[0, :, 0], [0.2, 0.5, 0.5])
    np.testing.assert_array_equal(radius[0, :, 0], [0, 1, 1])
    np.testing.assert_array_equal(scaling[0, :, 0], [1, 0, 0])


def test_delays_and_holes():
    np.testing.assert_array_equal(
        delayed(np.array([1.0, 2.0, 3.0]), [0, 2]), [[1, 0], [2, 0], [3, 1]]
    )
    stacked = with_holes([None, {"x": np.array([1.0, 2.0])}], {"x": (2,)})["x"]
    np.testing.assert_array_equal(stacked, [[np.nan, np.nan], [1, 2]])


def test_the_published_curves_are_those_of_the_paper_s_authors():
    curves = recall.published_curves()
    means = {
        signal: {model: np.mean(values) for model, values in models.items()}
        for signal, models in curves.items()
    }
    assert (
        round(means["white_noise"]["spherical"], 3) == 0.967
        and round(means["mackey_glass"]["tanh"], 3) == 0.975
    )
    assert all(len(values) == 100 for models in curves.values() for values in models.values())


def test_at_least_fifty_sentences_of_the_paper_are_judged():
    found = []
    for name in OURS:
        module, config, _, results = smoke(name)
        found += [
            claim for claim in module.claims(module.collect(config, results)) if claim.by == "paper"
        ]
    assert len(found) >= 50 and len({claim.id for claim in found}) == len(
        {claim.says for claim in found}
    ) == len(found)


def test_the_linear_bound_is_drawn_where_it_falls():
    module, config, _, results = smoke("tradeoff")
    dataset = module.collect(config, results)
    np.testing.assert_allclose(
        dataset.linear_bound, analysis.linear_bound(dataset.frequency.values)
    )
    assert isinstance(dataset, xr.Dataset)


def test_the_dial_has_a_hole_where_a_network_cannot_have_the_memory():
    config = dataclasses.replace(
        memory_dial.PRESETS["smoke"],
        units=20,
        memories=(1e-3, 2.0),
        train=1800,
        delays=(0, 5),
        profile=5,
    )
    found = memory_dial.run(config, {"topology": "ring", "bend": 0.0, "network": 0}, 0)
    assert all(
        np.isnan(values[0]).all() and np.isfinite(values[1]).all() for values in found.values()
    )
    assert found["trace"].shape == (2, 6) and found["recall"].shape == (2, 2)
    assert abs(-1 / found["exponent"][1] - 2.0) < 0.2


def fingerprint(text):
    """Of the letters and digits alone, in lower case."""
    letters = re.sub(r"\W", "", text).lower()
    return hashlib.sha256(letters.encode()).hexdigest()[:12]


def test_quotations_are_those_that_were_compared_with_the_paper():
    """Every text in quotation marks was found, letter by letter, in the paper's source; these are
    the fingerprints of what was found. If you change a quotation, compare it with the paper, then
    replace its fingerprint by the one that this test prints.
    """
    compared = set(Path(__file__).with_name("quotations.txt").read_text().split())
    quoted = {}
    for name in EXPERIMENTS:
        module, config, _, results = smoke(name)
        for one in module.claims(module.collect(config, results)):
            if one.quoted:
                quoted[one.id] = fingerprint(one.says)
    assert len(quoted) >= 45
    new = {name: print_ for name, print_ in quoted.items() if print_ not in compared}
    assert not new, new
