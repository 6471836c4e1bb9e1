"""Mixtures of kinds of units: what counts as a gain, and when its sentences hold."""

from dataclasses import replace

import numpy as np
import pytest

from spheresn import analysis
from spheresn_paper.figures import mixture

CONFIG = replace(mixture.PRESETS["smoke"], networks=6)
SHAPE = (len(mixture.KINDS), len(CONFIG.delays), len(CONFIG.frequencies))


def dataset(accuracies: dict[str, float], validation: dict[str, float] | None = None):
    """The same accuracy on all tasks, but for a little that is the network's own."""
    results = []
    for n in range(CONFIG.networks):
        own = 1e-3 * np.sin(n)
        for kind in mixture.KINDS:
            one = np.full(SHAPE[1:], accuracies[kind] + own)
            seen = (validation or accuracies)[kind]
            results.append({"test": one, "validation": np.full(SHAPE[1:], seen)})
    return mixture.collect(CONFIG, results)


def level(alone: float, pairs: float, three: float) -> dict[str, float]:
    """Accuracies by how many kinds there are; single kinds are .1 apart."""
    steps = {"spherical": 0.1, "tanh": 0.0, "linear": 0.2}
    return {
        kind: alone + steps[kind] if kind in steps else (pairs, three)[kind.count("+") - 1]
        for kind in mixture.KINDS
    }


def verdicts(data) -> dict[str, str]:
    return {claim.id: claim.verdict for claim in mixture.claims(data)}


def test_all_kinds_have_the_same_units_and_settings():
    assert mixture.KINDS[:3] == ("spherical", "tanh", "linear") and len(mixture.MIXTURES) == 4
    for config in mixture.PRESETS.values():
        assert config.units % 6 == 0  # halves and thirds of it are whole
    for parts in (1, 2, 3):
        one = mixture._Part.of(CONFIG, "tanh", parts, 0, 1)
        same = mixture._Part.of(CONFIG, "tanh", 1, 0, 1)
        assert one.base.units == CONFIG.units // parts
        np.testing.assert_array_equal(one.settings, same.settings)
        low, high = CONFIG.tanh_radii
        assert ((one.settings[:, 0] >= low) & (one.settings[:, 0] <= high)).all()
        found = one.network(2)
        assert found.recurrent.spectral_radius() == pytest.approx(one.settings[2, 0])


def test_the_best_part_is_the_one_that_validation_rows_choose():
    """Tanh is better on validation rows and worse on test rows: tanh is what one would take."""
    tests = level(0.3, 0.6, 0.6)
    data = dataset(tests, {**tests, "tanh": 0.9})
    gains = mixture.gain(data, "tanh+linear")
    np.testing.assert_allclose(gains, 0.6 - 0.3, atol=1e-12)
    np.testing.assert_allclose(mixture.gain(data, "spherical+linear"), 0.6 - 0.5, atol=1e-12)


def test_a_mixture_that_is_better_everywhere():
    found = verdicts(dataset(level(0.3, 0.6, 0.7)))
    assert found == {
        "linear-units-pay-where-both-are-needed": "holds",
        "all-kinds-together-are-best-on-average": "holds",
        "mixtures-lie-between-their-parts": "fails",
        "a-mixture-gains-much-somewhere": "holds",
    }


def test_a_mixture_in_the_middle_of_its_parts():
    found = verdicts(dataset(level(0.3, 0.4, 0.4)))
    assert found == {
        "linear-units-pay-where-both-are-needed": "fails",
        "all-kinds-together-are-best-on-average": "partly",  # above tanh alone
        "mixtures-lie-between-their-parts": "holds",
        "a-mixture-gains-much-somewhere": "fails",
    }


def test_the_task_of_the_largest_gain_is_chosen_by_other_networks():
    """A gain that only the networks have which choose it does not count."""
    data = dataset(level(0.3, 0.4, 0.4))
    data["test"].loc[{"kind": "spherical+tanh"}][::2, 1, 2] = 0.9
    assert verdicts(data)["a-mixture-gains-much-somewhere"] == "fails"
    data["test"].loc[{"kind": "spherical+tanh"}][1::2, 1, 2] = 0.9 + 1e-3 * np.arange(3)
    (claim,) = (one for one in mixture.claims(data) if one.id.startswith("a-mixture"))
    assert claim.verdict == "holds" and claim.evidence["mixture"] == "spherical+tanh"
    assert claim.evidence["delay"] == CONFIG.delays[1]
    assert claim.evidence["gain"] == pytest.approx(0.901 - 0.4, abs=1e-3)


def test_linear_units_stay_below_their_bound():
    """Alone they cannot exceed it, whatever they remember; beside tanh units they can."""
    config = replace(CONFIG, units=60, draws=12, train=500, test=600, frequencies=(0.01, 4.0))
    found = {
        kind: mixture.run(config, {"network": 0, "kind": kind}, 0)["test"]
        for kind in ("linear", "tanh+linear")
    }
    bound = analysis.linear_bound(list(config.frequencies))
    assert found["linear"][0, 0] > 0.999
    assert (found["linear"] <= bound + 0.05).all()
    assert found["tanh+linear"][0, 1] > bound[1] + 0.3
