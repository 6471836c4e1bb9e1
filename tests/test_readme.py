"""The example of the README runs and does what the text around it says."""

import re
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def test_the_example_runs(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = re.search(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    assert code is not None
    assert len([line for line in code[1].splitlines() if line.strip()]) <= 15
    exec(compile(code[1], "README.md", "exec"), {})
    printed = capsys.readouterr().out
    assert float(re.search(r"accurate for (\S+) Lyapunov times", printed)[1]) > 15.0
    assert "empirical" in printed and (tmp_path / "lorenz.spheresn").stat().st_size > 1000
