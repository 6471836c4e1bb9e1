"""Every example runs and ends in a picture."""

import runpy
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))
SMALL = {
    "choose_with_optuna": ["--trials", "4"],
    "forecast_field": ["--units", "200"],
    "stream_a_million": ["--rows", "20000"],
    "why_precision": ["--units", "80"],
}
NEEDS = {"choose_with_optuna": "optuna", "same_as_reservoirpy": "reservoirpy"}


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
