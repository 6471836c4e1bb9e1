"""The example of the README runs and does what the text around it says."""

import json
import re
from pathlib import Path
from statistics import median

import pytest

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
ROWS = {
    "`ESNForecaster()`": "spherical",
    '`ESNForecaster(activation="tanh")`': "tanh",
    "the paper's model": "paper's model",
    "ridge autoregression": "AR(50)",
    "reservoirpy 0.4.2": "reservoirpy sr=1.25",
    "the same with a bias": "reservoirpy sr=1.25, bias",
}


def test_the_example_runs(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = re.search(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    assert code is not None
    assert len([line for line in code[1].splitlines() if line.strip()]) <= 15
    exec(compile(code[1], "README.md", "exec"), {})
    printed = capsys.readouterr().out
    assert float(re.search(r"accurate for (\S+) Lyapunov times", printed)[1]) > 15.0
    assert "empirical" in printed and (tmp_path / "lorenz.spheresn").stat().st_size > 1000


def test_the_table_of_forecasts_is_what_was_measured():
    measured = json.loads((ROOT / "benchmarks" / "quality.json").read_text())["forecasting"]
    lines = README.read_text().splitlines()
    series = ["Lorenz", "Mackey-Glass", "Rössler", "Hénon", "laser"]
    for begin, model in ROWS.items():
        (line,) = (line for line in lines if line.startswith(f"| {begin}"))
        for cell, name in zip(line.split("|")[2:-1], series, strict=True):
            exact = median(run["valid"] for run in measured[name][model].values())
            digits = 0 if name == "laser" and exact >= 10 else 1
            assert float(cell) == pytest.approx(exact, abs=0.5001 * 10.0**-digits), (begin, name)


def test_what_is_said_of_the_league_is_what_was_measured(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    from league import summary

    found = json.loads((ROOT / "benchmarks" / "league.json").read_text())
    lines = {one.method: one for one in summary.lines(found, "5000 rows, noise 0", "report")}
    ours, *others = sorted(lines.values(), key=lambda one: -one.median)
    said = re.search(
        r"On the (\d+) chaotic flows.*?(\S+)\s+Lyapunov\s+times.*?best of the other methods, "
        r"(\S+)\).*?better than\s+all of\s+them on\s+(\d+) %",
        README.read_text(),
        re.DOTALL,
    )
    assert said is not None and ours.method == "spheresn"
    assert int(said[1]) == ours.systems
    assert float(said[2]) == pytest.approx(ours.median, abs=0.0501)
    assert float(said[3]) == pytest.approx(others[0].median, abs=0.0501)
    wins = summary.wins(found, "5000 rows, noise 0", "report")
    assert int(said[4]) == round(100 * wins)


def test_what_is_said_of_ordinary_series_is_what_was_measured():
    found = json.loads((ROOT / "benchmarks" / "series.json").read_text())["halves"]["report"]
    said = re.search(
        r"On (\d+) real series.*?error is (\S+) of that.*?\(AutoARIMA (\S+), MSTL\s+(\S+), "
        r"AutoETS (\S+);",
        README.read_text(),
        re.DOTALL,
    )
    assert said is not None and int(said[1]) == found["count"]

    def error(method: str) -> float:
        return float(found["methods"][method]["error"])

    others = sorted(set(found["methods"]) - {"SeriesForecaster", "ESNForecaster"}, key=error)
    for place, method in enumerate(("SeriesForecaster", *others[:3]), 2):
        assert float(said[place]) == pytest.approx(error(method), abs=0.00501)
