"""The league's own parts: the split of the systems, valid times, resuming, NG-RC, the summary."""

from __future__ import annotations

import copy
import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from league import integrate, methods, ngrc, render, summary, systems
from league import run as league
from league.systems import agreement, half
from numba import cfunc


def quadratic_map(rows: int) -> np.ndarray:
    """The map (x, y) -> (1 - 1.2 x² + y, .3 x), rows (rows, 2) on its attractor."""
    path = np.empty((rows + 100, 2))
    path[0] = 0.1, 0.1
    for k in range(1, len(path)):
        x, y = path[k - 1]
        path[k] = 1.0 - 1.2 * x * x + y, 0.3 * x
    return path[100:]


def test_the_split_of_the_systems_never_changes() -> None:
    named = {"Lorenz": "development", "Rossler": "report", "Chua": "report"}
    assert {name: half(name) for name in named} == named
    halves = [half(f"system {k}") for k in range(400)]
    assert 150 < halves.count("report") < 250


def test_two_exponentials_part_when_their_distance_says_so() -> None:
    # The target alternates between -1 and 1, so its deviation is 1; the forecast is e^(k/10) 1e-6
    # away, which exceeds .4 for the first time at k > 10 log(.4e6)
    target = np.where(np.arange(400) % 2, 1.0, -1.0)[:, None]
    away = 1e-6 * np.exp(0.1 * np.arange(400.0))[:, None]
    first = int(np.ceil(10.0 * np.log(0.4e6)))
    assert league.valid_rows(target, target + away) == first
    assert agreement(target, target + away, 0.5) == 0.5 * first
    # An exponent of .1 per row: the same in Lyapunov times, at most as many as are followed
    assert league.lyapunov_times(first, 0.2, 0.5) == pytest.approx(0.1 * first)
    assert league.lyapunov_times(1000, 0.2, 0.5) == 25.0


def test_a_forecast_that_is_not_finite_is_valid_until_then() -> None:
    target = np.where(np.arange(50) % 2, 1.0, -1.0)[:, None]
    forecast = target.copy()
    forecast[17:] = np.nan
    assert league.valid_rows(target, forecast) == 17


@cfunc(integrate.SIGNATURE)
def turning(x, out):
    out[0] = -x[1]
    out[1] = x[0]


@pytest.mark.parametrize("row", [integrate.runge_kutta_row, integrate.extrapolation_row])
def test_integrators_turn_a_circle_to_machine_precision(row) -> None:
    tolerance, wraps = np.full(2, 1e-14), np.zeros(2)
    path = integrate.orbit(row, turning, np.array([1.0, 0.0]), 0.2, 500, tolerance, wraps, 10**6)
    angle = 0.2 * np.arange(500)
    np.testing.assert_allclose(path, np.column_stack([np.cos(angle), np.sin(angle)]), atol=2e-13)
    again = integrate.orbit(row, turning, path[200].copy(), 0.2, 300, tolerance, wraps, 10**6)
    assert np.array_equal(again, path[200:])


@cfunc(integrate.SIGNATURE)
def saddles(x, out):
    """Two copies of x' = .3 x, y' = -.5 y."""
    out[0] = 0.3 * x[0]
    out[1] = -0.5 * x[1]
    out[2] = 0.3 * x[2]
    out[3] = -0.5 * x[3]


def test_growth_of_distances_is_the_largest_exponent() -> None:
    both = np.array([0.0, 0.0, 6e-9, 8e-9])
    logs, steps = integrate.growth(
        saddles, both, 1e-8, 0.5, 100, np.ones(2), np.full(4, 1e-20), np.zeros(2), 10**6
    )
    np.testing.assert_allclose(logs[50:], 0.15, rtol=1e-9)
    assert steps >= 100


@pytest.mark.parametrize("degree", [2, 3])
def test_ngrc_recovers_a_polynomial_map(degree) -> None:
    rows = quadratic_map(1000)
    rows = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    fitted = ngrc.NextGeneration(rows[:900], degree)
    predicted = np.array([fitted.predict(rows[k - 2 : k]) for k in range(900, 1000)])
    assert np.abs(predicted - rows[900:]).max() < 1e-12
    assert np.array_equal(fitted.forecast(rows[900:950], 1)[0], predicted[50])


def test_ngrc_does_not_take_more_features_than_it_can() -> None:
    with pytest.raises(ValueError, match="features must be at most 2500, got"):
        ngrc.NextGeneration(np.zeros((100, 15)), degree=3)


def written(folder: Path) -> Path:
    """A system's file as `league.systems` writes it."""
    folder.mkdir()
    rows = quadratic_map(5400)
    np.savez(
        folder / "Map.npz",
        series=rows,
        dt=1.0,
        period=2.0,
        lyapunov=0.3,
        lyapunov_error=0.01,
        lyapunov_dysts=0.4,
        half="report",
        chaotic=True,
        truth_time=np.full(5, 30.0),
        origins=5000 + 60 * np.arange(5),
        horizon=80,
    )
    return folder


def failing(train: np.ndarray, seed: int) -> methods.Fitted:
    raise RuntimeError("it cannot")


PACKAGES = {"reservoirpy": "reservoirpy", "reservoirpy bias": "reservoirpy", "ResDAG": "resdag"}


@pytest.mark.parametrize("name", methods.METHODS)
def test_every_method_forecasts_after_rows_that_it_did_not_learn(name) -> None:
    if name in PACKAGES and find_spec(PACKAGES[name]) is None:
        pytest.skip(f"{PACKAGES[name]} is not installed")
    rows = quadratic_map(700)
    fitted = methods.METHODS[name](rows[:500].copy(), 0)
    for origin in (500, 600):
        forecast = fitted.forecast(rows[500:origin], 5)
        assert forecast.shape == (5, 2) and np.isfinite(forecast).all()


def test_autoregression_follows_a_turning_wave() -> None:
    # cos(.3 k) obeys a linear recursion of two steps, so 50 lags predict it nearly exactly
    angle = 0.3 * np.arange(1200.0)
    rows = np.column_stack([np.cos(angle), np.sin(angle)])
    predicted = methods.METHODS["AR(50)"](rows[:1000], 0).forecast(rows[1000:1100], 100)
    np.testing.assert_allclose(predicted, rows[1100:], atol=1e-3)


def test_finished_units_are_skipped(tmp_path) -> None:
    data, out = written(tmp_path / "data"), tmp_path / "out"
    units = [league.Unit("Map", 1000, 0.0, name) for name in ("NG-RC quadratic", "persistence")]
    for unit in units:
        league.perform(unit, data, out)
    assert league.todo(units, out) == []
    kept = [unit.file(out).stat().st_mtime_ns for unit in units]
    league.run(units, data, out, jobs=1)
    assert [unit.file(out).stat().st_mtime_ns for unit in units] == kept
    units[1].file(out).unlink()
    assert league.todo(units, out) == [units[1]]

    league.perform(units[1], data, out)
    league.save(league.collect(data, out), tmp_path / "league.json")
    found = json.loads((tmp_path / "league.json").read_text(encoding="utf-8"))
    map_alone = found["results"]["1000 rows, noise 0"]["NG-RC quadratic"]["Map"]
    assert (
        min(map_alone["valid"]) > 0.3 * 60 and map_alone["median"] == sorted(map_alone["valid"])[2]
    )
    assert map_alone["share"] == pytest.approx(map_alone["median"] / (0.3 * 80), abs=1e-3)
    lines = {line.method: line for line in summary.lines(found, "1000 rows, noise 0")}
    assert lines["NG-RC quadratic"].best == 1.0 and lines["persistence"].best == 0.0
    assert summary.wins(found, "1000 rows, noise 0", method="NG-RC quadratic") == 1.0


def test_a_method_that_fails_is_missing_and_tried_again(tmp_path, monkeypatch) -> None:
    data, out = written(tmp_path / "data"), tmp_path / "out"
    units = [league.Unit("Map", 1000, 0.0, name) for name in ("failing", "late", "persistence")]

    class Late:
        """It fails at its third origin, after two forecasts."""

        def __init__(self, train: np.ndarray, seed: int) -> None:
            pass

        def forecast(self, context: np.ndarray, steps: int) -> np.ndarray:
            if len(context) == 120:
                raise ArithmeticError("too late\nfor this")
            return np.zeros((steps, 2))

    monkeypatch.setitem(methods.METHODS, "failing", failing)
    monkeypatch.setitem(methods.METHODS, "late", Late)
    for unit in units:
        league.perform(unit, data, out)
    assert league.todo(units, out) == units[:2]
    assert "valid_rows" not in json.loads(units[1].file(out).read_text())

    found = json.loads(json.dumps(league.collect(data, out)))
    results = found["results"]["1000 rows, noise 0"]
    assert results["failing"] == {"Map": {"error": "RuntimeError: it cannot"}}
    assert results["late"] == {"Map": {"error": "ArithmeticError: too late for this"}}
    assert [line.method for line in summary.lines(found, "1000 rows, noise 0")] == ["persistence"]
    page = summary.table(found, "1000 rows, noise 0")
    assert "failing is missing on 1 systems: Map (`RuntimeError: it cannot`)." in page


def test_only_a_system_without_a_series_is_excluded(tmp_path, monkeypatch) -> None:
    def reference(name: str) -> dict[str, Any]:
        raise {"Delay": ValueError("a delay\nequation"), "Ours": TypeError("our mistake")}[name]

    monkeypatch.setattr(systems, "reference", reference)
    assert systems.make("Delay", tmp_path) == "Delay: excluded, ValueError: a delay equation"
    with pytest.raises(TypeError, match="our mistake"):
        systems.make("Ours", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["Delay.excluded.json"]


def collected(**valid: list[float]) -> dict[str, Any]:
    """Method -> valid times of its systems A, B, ...; the last system is not chaotic."""
    names = "ABCDEFGH"[: len(next(iter(valid.values())))]
    system = {"half": "report", "dt": 1.0, "lyapunov": 0.5, "lyapunov_dysts": 1.0, "horizon": 40}
    runs = {
        method: {
            name: {"valid": [one] * 5, "median": one, "share": one / 20, "fit": 1.0, "error": None}
            for name, one in zip(names, values, strict=True)
        }
        for method, values in valid.items()
    }
    systems = {
        name: {**system, "truth_time": [30.0] * 5, "chaotic": name != names[-1]} for name in names
    }
    reason = "ValueError: a delay equation: its state is a piece of its past"
    return {
        "cap": 25.0,
        "systems": systems,
        "excluded": {"Y": reason, "Z": reason},
        "results": {"some": runs},
    }


def test_the_summary_counts_wins_against_the_others_alone() -> None:
    found = collected(
        **{
            "spheresn": [10.0, 4.0, 0.5, 20.0, 1.0],
            "spheresn tanh": [20.0, 4.0, 0.5, 20.0, 1.0],
            "AR(50)": [5.0, 5.0, 0.4, 20.0, 1.0],
        }
    )
    assert summary.wins(found, "some", "report") == 0.5  # A and C; level on D
    assert summary.wins(found, "some", "development") is None
    ours, tanh, other = (
        next(line for line in summary.lines(found, "some") if line.method == method)
        for method in ("spheresn", "spheresn tanh", "AR(50)")
    )
    assert (ours.systems, ours.median, ours.below, ours.best) == (4, 7.0, 0.25, 0.5)
    assert (tanh.best, other.best) == (0.75, 0.5)
    assert ours.share == pytest.approx(7.0 / 20.0)
    assert summary.judged(found, "A") == [20.0] * 5  # 40 rows are 20 Lyapunov times
    assert ours.by_dysts == 14.0
    assert [duel[0] for duel in summary.duels(found, "some")] == ["D", "A", "B", "C"]
    assert summary.duels(found, "some")[2][1:] == (4.0, 5.0, "AR(50)")
    assert summary.table(found, "some").count("\n") == 4
    assert summary.extremes(found, "some", count=1).count("\n") == 3


def test_a_failure_is_named_and_not_compared() -> None:
    """A method that fails on B has no line; on A, C and D it is compared, there and by name."""
    found = collected(
        **{
            "spheresn": [10.0, 4.0, 3.0, 2.0, 1.0],
            "NG-RC cubic": [5.0, 5.0, 2.0, 1.0, 1.0],
            "AR(50)": [12.0, 0.0, 1.0, 1.0, 1.0],
        }
    )
    rows = found["results"]["some"]
    rows["AR(50)"]["B"] = {"error": "TypeError: a class"}
    assert summary.missing(found, "some") == {"AR(50)": {"B": "TypeError: a class"}}
    ours, other = summary.lines(found, "some")
    assert (ours.method, ours.median, ours.best) == ("spheresn", 3.5, 0.5)  # C and D
    assert (other.method, other.best) == ("NG-RC cubic", 0.25)  # B
    assert summary.wins(found, "some") == 0.5
    assert summary.wins(found, "some", method="AR(50)") is None
    assert ("B", 4.0, 5.0, "NG-RC cubic") in summary.duels(found, "some")
    notes = (
        "AR(50) is missing on 1 systems: B (`TypeError: a class`). "
        "On the other 3 its median is 1.0, that of spheresn 3.0."
    )
    assert summary.table(found, "some").endswith("\n\n" + notes)
    # Where nobody else has a result there is no duel, and nothing is won
    rows["NG-RC cubic"]["B"] = {"error": "ValueError: too wide"}
    assert "B" not in [duel[0] for duel in summary.duels(found, "some")]
    assert summary.wins(found, "some") is None
    # Ours is missing: the best of the others stands alone
    del rows["spheresn"]["A"]
    first, *_ = summary.duels(found, "some")
    assert first[0] == "A" and np.isnan(first[1]) and first[2:] == (12.0, "AR(50)")
    assert "**spheresn** is missing on 1 systems: A (`not measured`)." in summary.table(
        found, "some"
    )


def test_results_that_are_not_measured_again_stay() -> None:
    former = collected(**{"spheresn": [10.0, 4.0], "AR(50)": [0.0, 0.0]})
    fresh = copy.deepcopy(former)
    fresh["results"] = {"some": {"AR(50)": {"B": fresh["results"]["some"]["AR(50)"]["A"]}}}
    fresh["systems"] = {"B": fresh["systems"]["B"], "C": fresh["systems"]["B"]}
    fresh["systems"]["B"]["lyapunov_error"] = 0.5  # decides nothing
    fresh["excluded"] = {"Y": "ValueError: another reason"}
    found = league.merged(former, fresh)
    assert found["results"]["some"]["spheresn"] == former["results"]["some"]["spheresn"]
    assert list(found["results"]["some"]["AR(50)"]) == ["A", "B"]
    assert list(found["systems"]) == ["A", "B", "C"]
    assert found["excluded"] == former["excluded"] | fresh["excluded"]

    fresh["systems"]["B"]["truth_time"] = [29.0] * 5
    with pytest.raises(SystemExit, match="of spheresn, some, are on other series of B"):
        league.merged(former, fresh)


def test_the_picture_shows_all_systems(tmp_path) -> None:
    found = collected(**{"spheresn": [10.0, 4.0, 3.0], "AR(50)": [5.0, 5.0, 1.0]})
    render.picture(found, "some", tmp_path / "league.png")
    assert (tmp_path / "league.png").read_bytes()[1:4] == b"PNG"


def test_noise_is_in_what_is_seen_and_not_in_what_is_judged() -> None:
    rows = quadratic_map(6000)
    clean, seen = league.observed(rows, 1000, 0.1, seed=0)
    assert len(seen) == 2000 and np.allclose(seen[:1000].std(axis=0), 1.0)
    np.testing.assert_allclose((seen - clean).std(axis=0), 0.1, rtol=0.1)
    quiet, same = league.observed(rows, 5000, 0.0, seed=0)
    assert np.array_equal(quiet, same) and len(quiet) == 6000
