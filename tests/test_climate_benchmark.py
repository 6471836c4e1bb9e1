"""The benchmark of long free runs: its systems, what counts as a failure, resuming, the summary."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

import numpy as np
import pytest
from climate import render, run, summary, systems
from league import methods
from league.systems import TRAIN, half
from numba import njit


def entry(runs: list[list[float]], truth: list[float], **other: Any) -> dict[str, Any]:
    given = {"valid": [1.0, 4.0], "exponent": None, "fit": 2.0, "error": None}
    return given | {"runs": runs, "truth": truth} | other


@pytest.mark.parametrize(
    ("distances", "truth", "fails"),
    [
        ([0.04, 0.09], [0.01, 0.01], False),  # below both floors
        ([0.06, 0.09], [0.01, 0.01], True),
        ([0.06, 0.09], [0.03, 0.01], False),  # three times the truth
        ([0.16, 0.09], [0.09, 0.01], True),  # above .15 in any case
        ([0.04, 0.11], [0.01, 0.01], True),
        ([0.04, 0.40], [0.01, 0.20], False),
    ],
)
def test_what_counts_as_a_failure(distances, truth, fails) -> None:
    good = [0.0, 0.0]
    assert summary.failed(entry([good, distances], truth)) is fails
    assert summary.failed(entry([distances, good], truth)) is fails


FOUND = {
    "systems": {
        "A": {"half": "development", "exponent": 0.5},
        "B": {"half": "report", "exponent": 0.0},
    },
    "results": {
        "all, noise 0": {
            "spheresn": {
                "A, 0": entry([[0.01, 0.01]], [0.01, 0.01], exponent=[0.55, 0.01]),
                "A, 1": entry([[0.9, 0.9]], [0.01, 0.01], exponent=[0.2, 0.01], valid=[0.0]),
                "B, 0": entry([[0.01, 0.01]], [0.01, 0.01], exponent=[0.3, 0.01]),
            },
            "other": {"A, 0": {"error": "ValueError: no"}, "B, 0": entry([[1, 1]], [0.0, 0.0])},
        }
    },
}


def test_a_line_counts_failures_and_what_is_missing() -> None:
    line = summary.line(FOUND, "spheresn", ["all, noise 0"])
    assert (line.units, line.failures, line.missing, line.fit) == (3, 1, 0, 2.0)
    # 2.5 periods, one row, 2.5 periods
    assert line.valid == pytest.approx((2.5 * 2.5 / 30.0) ** (1.0 / 3.0))
    # 10 % and 60 %; B is not chaotic
    assert line.chaotic == 2 and line.exponent == pytest.approx(0.35)
    assert line.share == pytest.approx(1.0 / 3.0)
    other = summary.line(FOUND, "other", ["all, noise 0"], "development")
    assert (other.units, other.missing, other.valid, other.share) == (0, 1, None, 0.0)


def test_the_tables_say_it() -> None:
    text = summary.table(FOUND, "development")
    assert "| **spheresn** | 1 of 2 | 1 of 2 |" in text and "| other | 0 of 0 (1 missing) |" in text
    assert list(summary.failures(FOUND)) == [
        "A, all, noise 0: 1 of 2, distance up to 0.90",
    ]
    assert list(summary.missing(FOUND)) == ["other, all, noise 0, A, 0: ValueError: no"]
    ours = {"spheresn": {"A, 0": entry([[0.0, 0.0]], [0.0, 0.0])}, "other": {}}
    assert "other" not in summary.table({**FOUND, "results": {"all": ours}})


def test_the_picture_shows_every_method(tmp_path) -> None:
    render.picture(FOUND, tmp_path / "one.png")
    assert (tmp_path / "one.png").stat().st_size > 1000
    assert render.distances(FOUND, "all, noise 0", "other", "A") == 1.0
    assert render.distances(FOUND, "all, noise 0", "spheresn", "A") == 0.9
    assert render.distances(FOUND, "all, noise 0", "none", "A") is None


class Repeats:
    """Goes on with the training rows from their begin: the same climate, no forecast."""

    def __init__(self, train, seed) -> None:
        if seed == 7:
            raise RuntimeError("no such network")
        self.train = train

    def forecast(self, context, steps):
        return np.resize(self.train, (steps, self.train.shape[1]))


@pytest.fixture
def torus(tmp_path, monkeypatch):
    """A system's file, and a method that is quick."""
    monkeypatch.setitem(methods.METHODS, "repeats", Repeats)
    found = {"series": systems.two_torus(29_000), "exponent": 0.0, "error": 0.0}
    (tmp_path / "data").mkdir()
    np.savez(tmp_path / "data" / "TwoTorus.npz", half=half("TwoTorus"), **found)
    return tmp_path


def test_a_unit_is_measured_kept_and_collected(torus) -> None:
    unit, out = run.Unit("TwoTorus", "first", 0.01, 0, "repeats"), torus / "out"
    failing = run.Unit("TwoTorus", "all", 0.0, 7, "repeats")
    for one in (unit, failing):
        run.perform(one, torus / "data", out)
    found = json.loads(unit.file(out).read_text())
    assert len(found["valid_rows"]) == 20 and len(found["runs"]) == 2
    assert max(found["runs"][0]) < 0.15 and found["exponent"] is None
    whole = run.collect(torus / "data", out)
    assert list(whole["results"]) == ["all, noise 0", "first, noise 0.01"]
    kept = whole["results"]["all, noise 0"]["repeats"]["TwoTorus, 7"]
    assert kept == {"error": "RuntimeError: no such network"}
    once_more = run.joined(whole, {**whole, "results": {}})
    assert once_more["results"] == whole["results"]


def test_rows_are_seen_in_units_of_what_is_seen() -> None:
    series = systems.two_torus(6000)
    for columns, width in (("all", 3), ("first", 1)):
        clean, seen = run.observed(run.Unit("TwoTorus", columns, 0.05, 0, "x"), series)
        assert clean.shape == seen.shape == (6000, width)
        assert np.allclose(seen[:TRAIN].mean(axis=0), 0.0, atol=1e-12)
        assert np.allclose(seen[:TRAIN].std(axis=0), 1.0)
        assert np.allclose((seen - clean).std(axis=0), 0.05, rtol=0.05)


def test_valid_rows_and_runs_that_are_not_finite() -> None:
    truth = np.zeros((10, 2))
    assert run.valid_rows(truth, truth) == 10
    away = truth.copy()
    away[4:] = np.nan
    assert run.valid_rows(truth, away) == 4
    away[2, 0] = 0.6  # 0.6/√2 is above .4
    assert run.valid_rows(truth, away) == 2
    assert run.distances(None, away) == [1.0, 1.0]


def test_methods_without_a_network_run_once() -> None:
    asked = argparse.Namespace(
        seeds=2, methods=["spheresn", "NG-RC quadratic"], columns=["all"], noise=[0.0]
    )
    found = run.units(asked, ["A"])
    assert [(one.method, one.seed) for one in found] == [
        ("spheresn", 0),
        ("NG-RC quadratic", 0),
        ("spheresn", 1),
    ]


def test_the_torus_turns_once_in_about_thirty_rows() -> None:
    rows = systems.two_torus(200)
    radius = np.hypot(rows[:, 0], rows[:, 1])
    assert np.allclose((radius - 2.0) ** 2 + rows[:, 2] ** 2, 1.0)
    angle = np.unwrap(np.arctan2(rows[:, 1], rows[:, 0]))
    assert np.allclose(np.diff(angle), (1.0 + 0.01 * np.pi) * 2.0 * np.pi / 30.0)
    assert len(np.unique(rows.round(6), axis=0)) == 200  # no row comes again


def test_the_rule_names_six_of_each_half_and_none_on_which_was_chosen(monkeypatch) -> None:
    known = json.loads(systems.LEAGUE.read_text(encoding="utf-8"))
    monkeypatch.setattr(systems, "_has_angles", lambda name: name == "SprottE")
    found = systems.names(known)
    assert len(found) == len(set(found)) == 25 and found[:13] == list(systems.GIVEN)
    assert not set(found) & {*systems.CHOSEN_ON, "SprottE"}
    assert [half(name) for name in found[13:]] == ["development"] * 6 + ["report"] * 6


@pytest.mark.parametrize("name", systems.OWN)
def test_flows_of_our_own_have_the_slopes_that_they_say(name) -> None:
    flow, out = systems.OWN[name](), np.empty(6)
    size = len(flow.start)
    call = njit(lambda f, x, slope: f(x, slope))
    call(flow.function, flow.start, out[:size])
    both = np.empty(2 * size)
    call(flow.pair, np.tile(flow.start, 2), both)
    assert np.array_equal(both, np.tile(out[:size], 2))
    by_hand = {
        "VanDerPol": [0.0, -1.0],
        "BonhoefferVanDerPol": [0.1 - 1e-3 / 3 - 0.2 + 0.74, 0.1 * (0.8 - 0.16), 1.0],
        "CoupledRossler": [
            *(-0.98 * 2.0 - 0.1 + 0.05 * -4.0, 0.98 + 0.3, 0.2 + 0.1 * -9.0),
            *(-1.02 - 0.1 + 0.05 * 4.0, -3.06 + 0.15, 0.2 + 0.1 * -13.0),
        ],
    }[name]
    assert np.allclose(out[:size], by_hand)
    states = np.tile(flow.start, (3, 1))
    assert flow.observed(states).shape == (3, 4 if name == "BonhoefferVanDerPol" else size)


def test_the_command_measures_what_is_asked(torus, monkeypatch, capsys) -> None:
    # In this process, which has the quick method
    monkeypatch.setattr(
        run, "run", lambda units, data, out, jobs, perform: [perform(u, data, out) for u in units]
    )
    monkeypatch.setattr(run, "METHODS", ("repeats",))
    monkeypatch.setattr(methods, "available", lambda: ["repeats"])
    given = ["run", "--data", str(torus / "data"), "--out", str(torus / "out")]
    given += ["--collect", str(torus / "all.json"), "--seeds", "1", "--noise", "0"]
    for other in (["--columns", "all"], ["--columns", "first"]):
        monkeypatch.setattr(sys, "argv", [*given, *other])
        run.main()
    found = json.loads((torus / "all.json").read_text())
    assert sorted(found["results"]) == ["all, noise 0", "first, noise 0"]
    assert found["results"]["all, noise 0"]["repeats"]["TwoTorus, 0"]["error"] is None
    monkeypatch.setattr(sys, "argv", [*given, "--systems", "Nowhere"])
    with pytest.raises(SystemExit, match="no series of Nowhere"):
        run.main()
    picture = torus / "one.png"
    monkeypatch.setattr(
        sys, "argv", ["render", "--collect", str(torus / "all.json"), "--picture", str(picture)]
    )
    render.main()
    assert picture.exists() and "repeats" in capsys.readouterr().out
