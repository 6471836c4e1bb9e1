"""The comparison from input to target: its tasks obey their formulas, and its summary counts."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.append(str(Path(__file__).parents[1] / "benchmarks"))

from targets import names, run, summary
from targets.methods import _products, _ridge, lagged
from targets.tasks import TASKS, channel, narma, of_noise, parity, sine


def test_each_half_has_at_least_seven_tasks_and_no_name_twice():
    halves = [one.half for one in TASKS]
    assert min(halves.count("development"), halves.count("report")) >= 7
    assert len({one.name for one in TASKS}) == len(TASKS)


def test_targets_obey_their_formulas():
    inputs, target = sine(3, 2.0)(50, 0)
    assert np.allclose(target[3:], np.sin(2.0 * inputs[:-3]))
    signs, product = parity(3)(50, 0)
    assert np.array_equal(product[2:], signs[2:] * signs[1:-1] * signs[:-2])
    u, y = narma(30)(80, 0)
    for k in range(40, 79):
        past = y[k - 29 : k + 1].sum()
        after = 0.2 * y[k] + 0.04 * y[k] * past + 1.5 * u[k - 29] * u[k] + 0.001
        assert y[k + 1] == pytest.approx(after)
    assert set(np.unique(channel(28.0)(200, 0)[1])) == {-3.0, -1.0, 1.0, 3.0}


def test_the_ridge_on_lags_solves_what_has_its_form():
    inputs, target = of_noise(lambda u: u(1) * u(3) + 0.5 * u(2) ** 2)(900, 0)
    outputs = lagged(inputs[:600], target[:600], inputs[600:], 0)
    assert np.abs(outputs - target[600:]).max() < 1e-9


def test_products_of_lags_are_all_of_them():
    signal = np.arange(1.0, 9.0)[:, None]
    rows = _products(signal, 2, 3)  # u, v; uu, uv, vv; uuu, uuv, uvv, vvv
    assert rows.shape == (8, 9)
    u, v = 8.0, 7.0
    assert rows[-1].tolist() == [u, v, u * u, u * v, v * v, u**3, u * u * v, u * v * v, v**3]


def test_the_ridge_shrinks_by_its_penalty():
    """One state of scatter 2 with slope 3: a penalty of the trace halves it."""
    states = np.array([[0.0], [1.0], [2.0]])
    free, half = _ridge(states, 3.0 * states, [0.0, 1.0])
    assert free(np.array([[5.0]])) == pytest.approx(15.0)
    assert half(np.array([[5.0]])) == pytest.approx(3.0 + 1.5 * 4.0)


def _found(**errors):
    methods = {
        name: {str(seed): {"error": value} for seed, value in enumerate(values)}
        for name, values in errors.items()
    }
    return {"tasks": {"one": {"half": "report", "methods": methods}}}


def test_ratios_are_of_medians_over_the_seeds_that_both_have():
    found = _found(**{names.OURS: [0.2, 0.4, 9.0], names.EARLIER: [0.6], names.PEER: [None]})
    assert summary.against(found, "report", names.EARLIER) == pytest.approx(1 / 3)
    assert np.isnan(summary.against(found, "report", names.PEER))
    assert summary.tasks(found, "development") == []


def test_more_than_five_per_cent_are_behind_unless_solved():
    for ours, its, said in ((0.11, 0.1, ["one"]), (0.104, 0.1, []), (0.01, 0.001, [])):
        found = _found(**{names.OURS: [ours], names.SPHERE: [its]})
        assert summary.behind(found, "report", (names.SPHERE, names.TANH)) == said
    assert "| one | **0.01** |" in summary.table(_found(**{names.OURS: [0.01]}), "report")


def test_a_method_that_fails_is_missing_on_its_task(monkeypatch):
    def fails(*given):
        raise ValueError("no reason\nat all")

    monkeypatch.setitem(run.METHODS, "fails", fails)
    found = run.error(TASKS[0], "fails", 0)
    assert found == {"error": None, "reason": "ValueError: no reason"}
