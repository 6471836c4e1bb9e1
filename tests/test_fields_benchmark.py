"""The parts of the benchmark of fields that are not time."""

from __future__ import annotations

import fields
import fields_peers
import numpy as np
import pytest

import spheresn as sn
from spheresn.estimators.fields.geometry import Patches


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


def small(**options: object) -> fields_peers.Local:
    patches = Patches.of((6,), 1, 2, 1, True)
    rng = np.random.default_rng(0)
    matrix, inputs = 0.1 * rng.standard_normal((8, 8)), rng.standard_normal((8, 4))
    return fields_peers.Local(patches, matrix, inputs, rng.standard_normal(8), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("shared", [True, False])
def test_the_peers_solve_ridge_and_run_their_readouts(shared):
    """Against least squares with rows of √ridge, patch by patch, and a run step by step."""
    local = small(leak=0.7, squared=True, shared=shared)
    rows = np.random.default_rng(1).standard_normal((60, 6))
    found = local.learn(rows, 5, [0.3])[0]
    states, seen = np.zeros((8, 3)), []
    for row in rows[:-1]:
        windows = np.stack([row[[5, 0, 1, 2]], row[[1, 2, 3, 4]], row[[3, 4, 5, 0]]], axis=1)
        fresh = np.tanh(local.recurrent @ states + local.inputs @ windows + local.bias[:, None])
        states = 0.3 * states + 0.7 * fresh
        seen.append(np.where(np.arange(8)[:, None] % 2 == 0, states**2, states))
    x, y = np.array(seen)[5:], rows[6:].reshape(54, 3, 2)
    for p, readout in enumerate(found):
        which = slice(None) if shared else slice(p, p + 1)
        left = x[:, :, which].transpose(0, 2, 1).reshape(-1, 8)
        right = y[:, which].reshape(-1, 2)
        left = np.vstack([left, np.sqrt(0.3) * np.eye(8)])
        right = np.vstack([right, np.zeros((8, 2))])
        assert readout == pytest.approx(np.linalg.lstsq(left, right)[0], abs=1e-9)
    run = local.runs(found, rows, np.array([58, 30]), 2, 58 - 30)
    once = local.runs(found, rows, np.array([58]), 1, 28)
    assert run[0, 0] == pytest.approx(once[0, 0])


def test_the_loop_of_xesn_is_ours():
    pytest.importorskip("xesn")
    import xarray

    dials = {"radius": 0.6, "inputs": 1.0, "bias": 0.5, "leak": 0.7, "ridge": 1e-3}
    patches = Patches.of((12,), 1, 4, 2, True)
    rows = sn.datasets.lorenz96(300, 12, 0.01, rng=0)
    rows = (rows - rows.mean()) / rows.std()
    esn = fields_peers.xesn_network(patches, 30, 0, dials)
    named = xarray.DataArray(rows.T, {"x": range(12), "time": range(300)}, ("x", "time"))
    esn.train(named, n_spinup=50)
    local = fields_peers.as_local(esn, patches)
    weights = local.learn(rows, 49, [1e-3])[0]
    theirs = fields_peers.readouts_of(esn, patches)
    assert weights == pytest.approx(theirs, abs=1e-6)
    predicted = esn.predict(named[:, 100:], n_steps=20, n_spinup=50)
    ours = local.runs(theirs, rows, np.array([150]), 20, 50)[0]
    assert ours == pytest.approx(np.asarray(predicted.values).T[1:], abs=1e-9)
