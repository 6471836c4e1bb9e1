"""Every example runs and ends in a picture."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_ends_in_a_picture(path, tmp_path):
    subprocess.run([sys.executable, str(path), "--out", str(tmp_path)], check=True, capture_output=True)
    assert (tmp_path / f"{path.stem}.png").stat().st_size > 5000
