"""The example of the README runs and does what the text around it says."""

import re
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def test_the_example_runs(capsys):
    code = re.search(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    assert code is not None
    assert len([line for line in code[1].splitlines() if line.strip()]) <= 15
    exec(compile(code[1], "README.md", "exec"), {})
    accuracy = float(capsys.readouterr().out.rsplit(" ", 1)[1])
    assert 0.8 < accuracy <= 1.0
