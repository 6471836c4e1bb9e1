"""The chapter classification of the league: reading problems, measuring, the summary."""

from __future__ import annotations

import json

import numpy as np
from classification import methods, problems, render, run, summary

import spheresn as sn


def test_the_split_of_the_problems_never_changes():
    named = {"GunPoint": "development", "OSULeaf": "development", "PLAID": "report"}
    assert {name: problems.half(name) for name in named} == named


def test_files_of_the_archives_are_read(tmp_path):
    path = tmp_path / "X_TRAIN.ts"
    path.write_text("# a comment\n@univariate false\n@data\n1,2,3:4,?,6:walk\n7,8:9,10:run\n")
    cases, labels = problems.read_ts(path)
    assert cases[0].tolist() == [[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]  # a gap is filled
    assert cases[1].tolist() == [[7.0, 9.0], [8.0, 10.0]] and labels.tolist() == ["walk", "run"]
    path.write_text("1 0.5 0.6\n2 0.7 0.8\n")
    cases, labels = problems.read_txt(path)
    assert cases[1].tolist() == [[0.7], [0.8]] and labels.tolist() == ["1", "2"]


def test_shorter_cases_are_filled_with_zeros():
    found = methods.padded([np.ones((2, 1)), np.ones((3, 1))], 3)
    assert found.tolist() == [[[1.0, 1.0, 0.0]], [[1.0, 1.0, 1.0]]]


def test_what_steps_add_is_the_output():
    """The decomposition in the picture is exact; a tie in single precision may count twice."""
    rng = np.random.default_rng(0)
    series = [np.sin(0.3 * (1 + i % 2) * np.arange(60.0) + rng.uniform(0, 6)) for i in range(12)]
    series = [rows[:, None] + 0.1 * rng.standard_normal((60, 1)) for rows in series]
    series = [(1 + i % 3) * rows for i, rows in enumerate(series)]  # of different size
    model = sn.ESNClassifier(units=60, random_state=0).fit(series, [0, 1] * 6)
    intercept = np.diff(model.weights_.intercept)[0]
    added = [render.evidence(model, rows).sum() + intercept for rows in series]
    assert np.allclose(added, model.decision_function(series), atol=1e-2)


def test_our_method_is_measured_and_one_that_fails_is_missing(tmp_path, monkeypatch, capsys):
    found = run.measure(run.WARM, "spheresn", 0)
    assert found["accuracy"] == 1.0 and found["error"] is None and found["fit"] >= 0.0

    def fails(problem, seed):
        raise ValueError("no\nnumbers")

    monkeypatch.setitem(methods.METHODS, "spheresn", ("spheresn", fails))
    failed = run.measure(run.WARM, "spheresn", 0)
    assert failed == {"problem": "warm", "method": "spheresn", "seed": 0, "error": "ValueError: no"}
    assert run._entry([found, failed]) == {"error": "ValueError: no"}
    assert run._entry([found])["accuracy"] == 1.0

    monkeypatch.setattr(run, "load", lambda name: run.WARM)
    run.run(["warm"], ["spheresn"], 1, tmp_path)
    assert "warm, spheresn, seed 0: missing, ValueError: no" in capsys.readouterr().out
    assert not run.done(run.place(tmp_path, "warm", "spheresn", 0))
    monkeypatch.undo()
    monkeypatch.setattr(run, "load", lambda name: run.WARM)
    run.run(["warm"], ["spheresn"], 1, tmp_path)  # the next run tries it again
    assert run.done(run.place(tmp_path, "warm", "spheresn", 0))


def test_what_is_not_complete_does_not_replace_what_was_collected(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(run, "problems", list)
    collected = tmp_path / "classification.json"
    collected.write_text("old")
    asked = ["run", "--methods", "spheresn", "--out", str(tmp_path), "--collect", str(collected)]
    monkeypatch.setattr("sys.argv", asked)
    run.main()
    assert collected.read_text() == "old"
    assert "stays as it is: not all is measured of 1-NN DTW, MiniRocket" in capsys.readouterr().out


def result(accuracy, seconds):
    return {"accuracy": accuracy, "each": [accuracy], "seconds": seconds, "error": None}


def test_the_summary_counts_what_is_better_and_as_good():
    one = {"train": 1, "test": 2, "channels": 1, "shortest": 3, "longest": 4, "classes": 2}
    found = {
        "problems": {
            name: {"half": half, **one}
            for name, half in zip("abc", ("development", "report", "report"), strict=True)
        },
        "results": {
            "spheresn": {"a": result(0.5, 1.0), "b": result(0.9, 1.0), "c": result(0.7, 2.0)},
            "MiniRocket": {"a": result(0.6, 1.0), "b": result(0.8, 1.0), "c": result(0.7, 1.0)},
        },
    }
    line = summary.line(json.loads(json.dumps(found)), "spheresn", "report")
    assert np.isclose(line["accuracy"], 0.8) and line["seconds"] == 3.0
    assert line["better"] == line["level"] == 0.5 and line["best"] == 1.0
    assert "| **spheresn** | 0.800 | 50 % | 50 % | 100 % | 3.0 |" in summary.table(found, "report")
    assert "| b | report | 1 + 2 | 3-4 | 1 | 2 | 0.900 | 0.800 |" in summary.problems_table(found)


def test_a_failure_is_named_and_not_compared():
    one = {"train": 1, "test": 2, "channels": 1, "shortest": 3, "longest": 3, "classes": 2}
    found = {
        "problems": {name: {"half": "report", **one} for name in "ab"},
        "results": {
            "spheresn": {"a": result(0.5, 1.0), "b": result(0.9, 1.0)},
            "MiniRocket": {"a": result(0.6, 1.0), "b": result(0.8, 1.0)},
            "frail": {"a": {"error": "ValueError: no"}, "b": result(1.0, 1.0)},
        },
    }
    assert summary.line(found, "frail", "report")["accuracy"] == 1.0
    assert summary.line(found, "spheresn", "report")["best"] == 0.0
    notes = (
        "frail is missing on a (`ValueError: no`). "
        "On the other 1 problems its mean accuracy is 1.000, that of spheresn 0.900."
    )
    assert summary.table(found, "report").count("\n| ") == 2  # no line for it
    assert summary.table(found, "report").endswith("\n\n" + notes)
    assert "| 0.500 | 0.600 | missing |" in summary.problems_table(found)
