"""The examples of the README run, and its numbers are those that were measured."""

import json
import re
import tomllib
from pathlib import Path
from statistics import mean, median

import numpy as np
import pandas as pd
import pytest

import spheresn as sn
from spheresn_paper.report.findings import PROMISES, _together

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


BLOCKS = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)


def printed_by(code, capsys):
    exec(compile(code, "README.md", "exec"), {})
    return capsys.readouterr().out


def test_the_door_for_a_series_gives_dates_and_intervals(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    month = np.arange(60)
    sales = 100 + month + 10 * np.sin(2 * np.pi * month / 12)
    dates = pd.date_range("2020-01-01", periods=60, freq="MS", name="date")
    pd.Series(sales, dates, name="sales").to_csv("sales.csv")
    printed = printed_by(BLOCKS[0], capsys).splitlines()
    last = printed[-1].split()
    mean, lower, upper = map(float, last[1:])
    assert last[0] == "2025-12-01" and len(printed) >= 13
    # One season after the last: eleven steps of the sine, sixty of the trend, 71 and 60 from zero
    exact = 100 + 71 + 10 * np.sin(2 * np.pi * 71 / 12)
    assert mean == pytest.approx(exact, abs=2.0) and lower <= mean <= upper


def test_the_door_for_reservoirs_prints_exponent_echo_state_and_capacity(capsys):
    exponent, reason, capacity = printed_by(BLOCKS[1], capsys).splitlines()
    assert len([line for line in BLOCKS[1].splitlines() if line.strip()]) <= 7
    assert float(exponent) < 0.0 and "exponent" in reason
    degrees = [float(one) for one in capacity.strip("[]").split()]
    assert min(degrees) > 1.0 and sum(degrees) <= 100.0  # the number of units


def test_version_and_date_are_the_same_everywhere():
    cited = (ROOT / "CITATION.cff").read_text()
    changes = (ROOT / "CHANGELOG.md").read_text()
    newest = re.search(r"^## (\S+) \((\d{4}-\d\d-\d\d)\)$", changes, re.MULTILINE)  # published
    assert newest is not None and newest[1] == sn.__version__
    assert f"version: {newest[1]}\ndate-released: {newest[2]}\n" in cited
    supported = (ROOT / "SECURITY.md").read_text()
    assert f"| {newest[1].rpartition('.')[0]} | yes |" in supported
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for wanted in project["dependencies"][:4]:
        assert wanted.replace(">=", " ≥ ") in supported
    classified = [one.rpartition(" ")[2] for one in project["classifiers"] if ":: 3." in one]
    assert f"Python {', '.join(classified[:-1])} and {classified[-1]}" in supported
    tested = re.search(
        r"python: (\[.+\])", (ROOT / ".github" / "workflows" / "test.yml").read_text("utf-8")
    )
    assert tested is not None and json.loads(tested[1]) == classified


def test_the_changelog_is_short_and_every_version_has_a_page():
    changes = (ROOT / "CHANGELOG.md").read_text()
    assert len(changes.splitlines()) <= 200
    versions = re.findall(r"^## (\d+\.\d+)\.\d+ \(", changes, re.MULTILINE)
    assert versions
    assert not [one for one in versions if f"[{one}](docs/changes/{one}.md)" not in changes]
    written = {path.stem for path in (ROOT / "docs" / "changes").glob("[0-9]*.md")}
    assert written == set(versions)


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
    ours = lines[summary.DEFAULT]
    others = [one for one in lines.values() if one.method not in summary.OURS]
    others.sort(key=lambda one: -one.median)
    said = re.search(
        r"On the (\d+) chaotic flows.*?(\S+)\s+Lyapunov\s+times.*?best of the other methods, "
        r"(\S+)\).*?better than\s+all of\s+them on\s+(\d+) %",
        README.read_text(),
        re.DOTALL,
    )
    assert said is not None and "cubic" in others[0].method
    assert int(said[1]) == ours.systems
    assert float(said[2]) == pytest.approx(ours.median, abs=0.0501)
    assert float(said[3]) == pytest.approx(others[0].median, abs=0.0501)
    wins = summary.wins(found, "5000 rows, noise 0", "report")
    assert int(said[4]) == round(100 * wins)


def test_what_is_said_of_ordinary_series_is_what_was_measured():
    found = json.loads((ROOT / "benchmarks" / "series.json").read_text())["halves"]["report"]
    said = re.search(
        r"On (\d+) real series.*?is (\S+) of that.*?\(AutoARIMA\s+(\S+), MSTL\s+(\S+), "
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


def test_what_is_said_of_fields_is_what_was_measured():
    found = json.loads((ROOT / "benchmarks" / "fields.json").read_text())["runs"]
    said = re.search(
        r"on 512 cells stays accurate for (\S+) Lyapunov times,\s+Lorenz-96.*?for (\S+) \(",
        README.read_text(),
    )
    assert said is not None
    for number, problem in zip(said.groups(), ("KS, L = 200", "Lorenz-96"), strict=True):
        runs = found[problem]["spheresn"].values()
        exact = mean(time for run in runs for time in run["valid"])
        assert float(number) == pytest.approx(exact, abs=0.0501), problem


def test_what_is_said_of_classes_is_what_was_measured(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    from classification import summary

    found = json.loads((ROOT / "benchmarks" / "classification.json").read_text())
    said = re.search(r"development: (\S+) \(MiniRocket (\S+);", README.read_text())
    assert said is not None
    for number, method in zip(said.groups(), (summary.OURS, summary.RIVAL), strict=True):
        exact = summary.line(found, method, "report")["accuracy"]
        assert float(number) == pytest.approx(exact, abs=0.000501), method


def test_what_is_said_of_speed_is_what_was_measured():
    entries = json.loads((ROOT / "benchmarks" / "results.json").read_text())["entries"]

    def ratios(entry: str, name: str, *ours: str) -> list[float]:
        """Times faster than the fastest peer, in the cases whose name begins so."""
        found = []
        for case in entries[entry]["cases"]:
            medians = {line["name"]: median(line["values"]) for line in case["lines"]}
            peers = [medians[line["name"]] for line in case["lines"] if line["kind"] == "peer"]
            if case["name"].startswith(name):
                found += [min(peers) / medians[one] for one in ours]
        return found

    links = ratios("states/1", "10 % links", "tanh", "spherical")
    fits = ratios("fit/1", "N = ", "ours (a)")
    rings = ratios("states/1", "O(N)", "ring")
    searches = [1.0 / one for one in ratios("fit/1", "N = ", "ours (c)")]
    said = re.search(
        r"sparse matrix (\S+) to (\S+) times.*?a ring (\d+), (\d+) and ([\d,]+) times.*?"
        r"5,000 rows (\S+) to (\S+) times.*?takes (\S+) to (\S+) times as",
        README.read_text(),
        re.DOTALL,
    )
    assert said is not None
    numbers = [float(one.replace(",", "")) for one in said.groups()]
    exact = [min(links), max(links), *rings, min(fits), max(fits)]
    exact += [max(searches), min(searches)]
    assert numbers == pytest.approx(exact, rel=0.04)


FINDINGS = {  # the words of the README -> what the first screen of the report says
    "It remembers like a linear network: true, at the paper's weak input.": "holds",
    "It is never chaotic, and its condition ensures echo states: false, with proof,": "fails",
    "It is best where both memory and nonlinearity are needed: open if training rows": "fails",
}


def published():
    """The verdicts by preset and seed, and the ids of the paper's claims."""
    data = ROOT / "docs" / "_data"
    claims = json.loads((data / "claims.json").read_text())
    verdicts = json.loads((data / "verdicts.json").read_text())
    return verdicts, [one["id"] for one in claims if one["by"] == "paper"]


def test_the_three_findings_are_those_of_the_reports_of_both_presets():
    readme = " ".join(README.read_text().split())
    verdicts, _ = published()
    assert {"paper, seed 0", "quick, seed 0"} <= set(verdicts)
    for run in ("paper, seed 0", "quick, seed 0"):
        for (words, expected), (_, _, ids, _) in zip(FINDINGS.items(), PROMISES, strict=True):
            assert words in readme
            assert _together([verdicts[run][name] for name in ids]) == expected, (run, words)


def test_the_quick_preset_leaves_few_claims_open_and_contradicts_no_verdict_of_the_paper_preset():
    verdicts, ours = published()
    quick, paper = verdicts["quick, seed 0"], verdicts["paper, seed 0"]
    assert len(ours) == 58 and set(ours) <= set(quick)
    assert sum(quick[name] == "open" for name in ours) <= 6
    pairs = ({quick[name], paper[name]} - {"open"} for name in ours)
    assert all(len(pair) <= 1 for pair in pairs)
