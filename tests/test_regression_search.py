"""What the search of ESNRegressor chooses: truths of penalties, strengths and symmetries."""

import numpy as np
import pytest
from sklearn.model_selection import TimeSeriesSplit, cross_val_score

import spheresn as sn
from spheresn.readout import Gram, Sample, Triangle
from spheresn.readout.loo import Penalties, choose_penalty, choose_precisely
from spheresn.selection.calibration import exponent
from spheresn.selection.plan import REGRESSION, Candidate, Kind, Plan, plan_of
from spheresn.selection.strength import linear_point, sphere_point, tanh_point

NOISE = sn.datasets.white_noise(1500, 0)
PRODUCT = NOISE * np.roll(NOISE, 1) + 0.5 * np.roll(NOISE, 3)


def hidden_direction(count=20):
    """States of size one and one of size 1e-9, which alone has the target."""
    states = np.random.default_rng(0).standard_normal((600, count))
    states[:, -1] *= 1e-9
    return states, 1e9 * states[:, [-1]]


def test_the_penalty_is_found_behind_a_minimum_at_the_mean():
    """With a penalty far above 1e-18 of the trace the target is lost, and its mean is best; below
    it, it is there. A Gram matrix ends before that.
    """
    states, targets = hidden_direction()
    sample = Sample.empty(20, 1).taking(states, targets)
    penalty, error, weights = choose_precisely(Triangle.of(states, targets), sample)
    assert error < 1e-3 and np.abs(weights(states) - targets).max() < 1e-2
    assert penalty < 1e-20 * np.square(states).sum()
    assert choose_penalty(Gram.of(states, targets), sample)[1] > 0.9


@pytest.mark.parametrize("units", [20, 160])  # by singular values, and by one factor for each
def test_errors_by_decade_are_those_of_rows_that_were_left_out(units):
    rng = np.random.default_rng(1)
    states, targets = rng.standard_normal((300, units)), rng.standard_normal((300, 2))
    triangle = Triangle.of(states, targets)
    penalties = Penalties(triangle, Sample.empty(units, 2).taking(states, targets))
    for decade in (-1, -6, -20):
        share = triangle.trace * 10.0**decade
        left_out = []
        for row in range(0, 300, 10):
            kept = np.arange(300) != row
            x, y = states[kept], targets[kept]
            centred = x - x.mean(axis=0)
            weights = np.linalg.solve(
                centred.T @ centred + share * np.eye(units), centred.T @ (y - y.mean(axis=0))
            )
            left_out.append(
                targets[row] - y.mean(axis=0) - (states[row] - x.mean(axis=0)) @ weights
            )
        found, weights_of = penalties._solved(share)
        assert np.allclose(found[::10], left_out, rtol=1e-6)
        centred, shifted = states - states.mean(axis=0), targets - targets.mean(axis=0)
        ridge = centred.T @ centred + share * np.eye(units)
        assert np.allclose(weights_of().matrix, np.linalg.solve(ridge, centred.T @ shifted))
        error = np.sqrt((np.square(found).mean(axis=0) / targets.var(axis=0)).mean())
        assert penalties.error(decade) == pytest.approx(error)


def test_what_a_gram_matrix_resolves_is_said():
    states, targets = hidden_direction()
    penalties = Penalties(Triangle.of(states, targets), Sample.empty(20, 1).taking(states, targets))
    assert penalties.error(penalties.best_of_every(4)) < 0.01 < 0.9 < penalties.resolved()
    assert penalties.decade_of(penalties.moments.trace) == pytest.approx(0.0)
    assert penalties.decade_of(0.0) == -np.inf


@pytest.mark.parametrize("memory", [1.0, 4.0, 20.0])
@pytest.mark.parametrize("kind", ["spherical", "tanh", "linear"])
def test_guessed_strengths_give_about_the_memory(kind, memory):
    """The plain sphere by Pythagoras, weak tanh by its curvature, a linear network exactly. Inputs
    are signs, all of one length, and there is no bias, whose trace adds up along the ring.
    """
    candidate = Candidate(memory, 0.0, gain=1.01, bias_ratio=0.0, kind=Kind(kind))
    plan = plan_of(sn.ESNRegressor(400), 0, 400, Kind(kind, "ring"))
    point = plan.guess(candidate)
    signal = np.random.default_rng(0).choice([-1.0, 1.0], (1500, 1))
    network = plan.at_strength(1, candidate)(np.exp(point.place))
    assert exponent(network, signal) == pytest.approx(-1.0 / memory, rel=0.1)
    assert point.exponent == -1.0 / memory and point.slope < 0.0


def test_a_leak_forbids_short_memories():
    """A leak of .1 keeps .9 of a state: no trace fades faster than by log .9 per step."""
    limit = -1.0 / np.log(0.9)
    for point in (sphere_point, lambda *given: tanh_point(*given, 1.3)):
        assert point(0.9 * limit, 3.0, 0.1) is None
        assert point(1.1 * limit, 3.0, 0.1) is not None
    assert linear_point(0.9 * limit, 0.1) is None
    model = sn.ESNRegressor(60, leak=0.1, random_state=0).fit(NOISE, np.roll(NOISE, 2))
    assert model.memory_ > limit


def test_the_choice_does_not_depend_on_units_of_measurement():
    """Powers of two change no digit of a standardised input or of a scaled target."""
    plain = sn.ESNRegressor(60, random_state=0).fit(NOISE, PRODUCT)
    scaled = sn.ESNRegressor(60, random_state=0).fit(64.0 * NOISE, PRODUCT / 1024.0)
    assert scaled.candidates_ == plain.candidates_
    assert np.array_equal(1024.0 * scaled.predict(64.0 * NOISE), plain.predict(NOISE))


def test_links_at_random_are_drawn_once_for_each_size():
    plan = plan_of(sn.ESNRegressor(40), 0, 40, Kind("spherical", "ring"))
    plans = plan.at_each([Kind("spherical", "sparse"), Kind("tanh", "sparse")])
    again = plan.with_units(30).at(Kind("tanh", "sparse"))
    links = [one.links for one in (*plans.values(), plan.at(Kind("tanh", "sparse")))]
    assert all(one is links[0] for one in links) and again.links.size == 30
    assert links[0].spectral_radius() == pytest.approx(1.0)


@pytest.mark.parametrize("units", [60, 220])  # compared once, and twice
def test_where_the_best_network_cannot_have_its_memory_the_next_is_taken(units, monkeypatch):
    search, refused = Plan.search, []

    def search_without_the_first(plan, signal, candidate, *options, **others):
        refused[:] = refused or [candidate]
        return None if candidate in refused else search(plan, signal, candidate, *options, **others)

    monkeypatch.setattr(Plan, "search", search_without_the_first)
    model = sn.ESNRegressor(units, random_state=0).fit(NOISE, PRODUCT)
    finalists = [one for one in model.candidates_ if one["finalist"]]
    assert finalists and refused[0].settings not in [
        {name: one[name] for name in refused[0].settings}
        for one in finalists
        if one.keys() >= refused[0].settings.keys()
    ]
    assert model.memory_ == pytest.approx(finalists[0]["memory"], rel=0.01)


def test_candidates_say_what_was_taken_and_why():
    model = sn.ESNRegressor(60, random_state=0).fit(NOISE, PRODUCT)
    best, *others = model.candidates_
    assert (model.activation_, model.topology_) == (best["activation"], best["topology"])
    assert model.memory_ == pytest.approx(best["memory"], rel=0.01)
    assert model.bias_ratio_ == best["bias_ratio"]
    assert best["finalist"] and all(
        best["error"] <= one["error"] for one in others if one["finalist"]
    )


@pytest.mark.parametrize(
    "fixed",
    [
        {"activation": "tanh"},
        {"activation": "linear"},
        {"topology": "ring"},
        {"bias_ratio": 7.0},
        {"bend": 0.7},
        {"memory": 5.0},
        {"activation": "tanh", "topology": "sparse", "memory": 5.0},
    ],
)
def test_what_is_set_stays(fixed):
    model = sn.ESNRegressor(40, random_state=0, **fixed).fit(NOISE, PRODUCT)
    for name, value in fixed.items():
        found = getattr(model, f"{name}_")
        assert found == (value if isinstance(value, str) else pytest.approx(value, rel=0.01))
    if "bend" in fixed:
        assert model.activation_ == "spherical"


def test_density_without_a_topology_says_what_to_do():
    with pytest.raises(sn.BadInput, match="density must be left out for a topology that is chosen"):
        sn.ESNRegressor(40, density=0.2).fit(NOISE, PRODUCT)


def test_an_odd_task_wants_an_odd_network_and_is_solved():
    """Three signs have an odd product. A tanh network without bias is odd."""
    signs = np.random.default_rng(0).choice([-1.0, 1.0], (1500, 1))
    product = signs * np.roll(signs, 1) * np.roll(signs, 2)
    model = sn.ESNRegressor(100, random_state=0)
    assert model.fit(signs[:1200], product[:1200]).score(signs[1200:], product[1200:]) > 0.99999
    scores = cross_val_score(model, signs, product, cv=TimeSeriesSplit(4))
    assert (scores > 0.999).all()


def test_a_stream_with_an_orthogonal_readout_is_one_fit():
    signal = sn.datasets.white_noise(7000, 1)
    target = np.roll(signal, 2) * np.roll(signal, 4)
    whole = sn.ESNRegressor(60, random_state=0).fit(signal[:5000], target[:5000])
    pieces = sn.ESNRegressor(60, random_state=0)
    for first, stop in ((0, 700), (700, 5000)):
        pieces.partial_fit(signal[first:stop], target[first:stop])
    assert whole._learned.network.precise
    assert np.array_equal(whole.predict(signal), pieces.predict(signal))
    pieces.partial_fit(signal[5000:], target[5000:])
    whole = sn.ESNRegressor(60, random_state=0).fit(signal, target)
    assert np.array_equal(whole.predict(signal), pieces.predict(signal))


def test_a_list_of_series_has_an_orthogonal_readout_too():
    parts = [slice(0, 500), slice(500, 1500)]
    lists = [[rows[part] for part in parts] for rows in (NOISE, PRODUCT)]
    model = sn.ESNRegressor(60, random_state=0).fit(*lists)
    assert model._learned.network.precise and model.score(*lists) > 0.9999


def test_candidates_are_in_the_table_once():
    for found in REGRESSION.values():
        assert len(set(found)) == len(found)


def test_few_links_have_the_same_radius_by_either_method():
    from spheresn.topology import _spectrum
    from spheresn.topology.build import sparse

    matrix = sparse(300, np.random.default_rng(0), 10 / 300).matrix
    assert _spectrum._has_few_links(matrix)
    assert _spectrum.spectral_radius(matrix) == pytest.approx(
        _spectrum._by_all_eigenvalues(matrix), rel=1e-10
    )
