"""Every example runs and ends in a picture."""

import runpy
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest

import spheresn as sn

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))
SMALL = {
    "choose_with_optuna": ["--trials", "4"],
    "forecast_field": ["--units", "200"],
    "stream_a_million": ["--rows", "20000"],
    "why_precision": ["--units", "80"],
}
NEEDS = {
    "choose_with_optuna": "optuna",
    "in_the_browser": "onnxruntime",
    "same_as_reservoirpy": "reservoirpy",
}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_ends_in_a_picture(path, tmp_path, monkeypatch):
    if path.stem in NEEDS:
        pytest.importorskip(
            f"{NEEDS[path.stem]}",
            reason=f"{NEEDS[path.stem]} cannot be imported here",
            exc_type=ImportError,
        )
    monkeypatch.setattr(sys, "argv", [path.name, "--out", str(tmp_path), *SMALL.get(path.stem, [])])
    runpy.run_path(str(path), run_name="__main__")
    plt.close("all")
    assert (tmp_path / f"{path.stem}.png").stat().st_size > 5000


def test_the_script_of_a_user_who_annotates_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = runpy.run_path(str(Path(__file__).parent / "typing_user.py"))
    assert names["states"].dtype == np.float64 and isinstance(names["again"], sn.ESNForecaster)
    assert np.allclose(names["henon"].sum(), np.log(0.3))


@pytest.mark.parametrize(("lengths", "different"), [((6, 6), 6), ((7, 5), 11), ((9, 3), 9)])
def test_the_states_of_rings_have_as_many_dimensions_as_eigenvalues_differ(lengths, different):
    """The n-th roots of unity of each ring; rings of a and b units share gcd(a, b) of them."""
    example = runpy.run_path(str(next(path for path in EXAMPLES if path.stem == "own_topology")))
    rings = example["Rings"](lengths, weight=-2.0)
    matrix = rings.toarray()
    assert np.allclose(matrix @ matrix.T, 4 * np.eye(12))
    assert np.allclose(matrix.T, rings.rmatvec(np.eye(12)))
    network = sn.random_reservoir(12, topology=rings, input_scaling=0.3, rng=0)
    states = sn.drive(network, sn.datasets.white_noise(300, rng=0))[100:]  # the start has faded
    assert np.linalg.matrix_rank(states, tol=1e-9) == different
