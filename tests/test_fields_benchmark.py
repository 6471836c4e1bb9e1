"""The parts of the benchmark of fields that are not time."""

from __future__ import annotations

import fields
import numpy as np
import pytest


def test_a_run_is_valid_until_its_error_exceeds_the_threshold():
    truth = np.zeros((3, 10, 4))
    runs = truth.copy()
    runs[0, 6:] = 0.5
    runs[1, 2, 0] = np.nan
    assert fields.valid_times(truth, runs, 1.0, 0.5) == [3.0, 1.0, 5.0]
    assert fields.valid_times(truth, runs, 2.0, 0.5)[0] == 5.0


def test_problems_on_the_same_field_have_the_same_exponent():
    assert fields.system_of("KS, L = 200, 2,000 units") == "KS, L = 200"
    assert fields.system_of("KS in the plane, 40 components") == "KS in the plane"
    assert fields.system_of("Lorenz-96") == "Lorenz-96"


def test_every_problem_has_as_many_states_as_it_says():
    assert fields.PROBLEMS["KS, L = 22"].steps == 200_000 // 8
    assert fields.PROBLEMS["Lorenz-96"].steps == 200_000 // 20


@pytest.mark.parametrize("name", ["KS, L = 22", "Lorenz-96"])
def test_small_differences_evolve_as_the_series_does(name):
    """What the exponent is measured with follows the same equation as the series."""
    problem = fields.PROBLEMS[name]
    series = problem.series(5, 3)
    after = fields._evolved(problem, series[0], 4 * problem.dt)
    assert after == pytest.approx(series[4], abs=1e-5)
