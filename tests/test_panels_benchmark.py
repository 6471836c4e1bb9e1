"""The comparison on panels: its measures, and a method that fails is missing."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from panels import render, run, sources, summary
from panels.methods import METHODS, SHARES, seasonal_naive

STEPS, ROWS = 2, 20


def toy(name: str = "toy", counts: bool = False) -> sources.PanelSource:
    return sources.PanelSource(name, pd.DataFrame, "D", 2, STEPS, counts=counts)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A panel of eight series y = k + row, whose seasonal naive error is 2."""
    days = pd.date_range("2024-01-01", periods=ROWS)
    frame = pd.concat(
        pd.DataFrame({"unique_id": f"s{k}", "ds": days, "y": k + np.arange(float(ROWS))})
        for k in range(8)
    ).reset_index(drop=True)
    monkeypatch.setattr(sources, "panel", lambda name: frame)
    for module in (sources, run, summary):
        monkeypatch.setattr(module, "BY_NAME", {"toy": toy()})
    monkeypatch.setattr(run, "RESULTS", tmp_path)
    monkeypatch.setattr(run, "download", lambda: None)
    return tmp_path


def half_error(source, rows, ahead):
    """Half of the seasonal naive error, with an interval that covers."""
    point = ahead["y"].to_numpy().reshape(8, STEPS) - 1.0
    ends = np.array([0.0, -2.0, -1.0, 0.0, 1.0, 2.0])
    return point[:, :, None] + ends


def fails(source, rows, ahead):
    raise RuntimeError("it cannot\nat all")


def goes(monkeypatch, *names: str) -> None:
    monkeypatch.setattr("sys.argv", ["run", "--panels", "toy", "--methods", *names])
    run.main()


def test_measures_of_known_errors(folder, monkeypatch):
    monkeypatch.setitem(METHODS, "PanelForecaster", half_error)
    goes(monkeypatch, "PanelForecaster", "seasonal naive")
    found = summary.measure("toy", "last", "PanelForecaster", "report")
    assert found["relative"] == pytest.approx(0.5) and found["coverage"] == 1.0
    assert found["rmsse"] == pytest.approx(1.0)  # steps of 1
    rows = sources.split("toy", "last")[1]
    ours = [name for name, half in sources.halves("toy").items() if half == "report"]
    total = rows[rows["unique_id"].isin(ours)]["y"].sum()
    assert found["wape"] == pytest.approx(len(ours) * STEPS / total)
    # Pinball losses of quantiles -3, -2, -1, 0, 1 from the truth, twice, in changes of 2
    losses = [2 * 0.05 * 3, 2 * 0.25 * 2, 2 * 0.5 * 1, 0.0, 2 * 0.05 * 1]
    assert found["quantile_loss"] == pytest.approx(np.mean(losses) / 2)
    naive = summary.measure("toy", "last", "seasonal naive", "report")
    assert naive["relative"] == pytest.approx(1.0) and "coverage" not in naive
    parts = {"toy": {"one": found, "two": naive}}
    pair = summary.paired(("toy",), parts, "one", "two")
    assert pair["ratio"] == pytest.approx(0.5) and pair["interval"] == pytest.approx([0.5, 0.5])


def test_hold_outs_do_not_overlap_and_rows_end_before_them(folder):
    seen: set[pd.Timestamp] = set()
    for name in run.HOLD_OUTS:
        rows, ahead = sources.split("toy", name)
        assert rows["ds"].max() < ahead["ds"].min()
        assert not seen & set(ahead["ds"]) and (ahead.groupby("unique_id").size() == STEPS).all()
        seen |= set(ahead["ds"])
    halves = sources.halves("toy")
    assert sorted(halves.values()).count("report") == 4


def test_a_method_that_fails_is_missing_there(folder, monkeypatch, capsys):
    monkeypatch.setitem(METHODS, "PanelForecaster", fails)
    goes(monkeypatch, "PanelForecaster", "seasonal naive")
    assert "RuntimeError: it cannot" in capsys.readouterr().out
    assert run.kept("toy", "last", "PanelForecaster") is None
    assert summary.measure("toy", "last", "PanelForecaster", "report") is None
    monkeypatch.setitem(METHODS, "PanelForecaster", seasonal_naive)
    goes(monkeypatch, "PanelForecaster")  # the next run tries again
    assert run.kept("toy", "last", "PanelForecaster") is not None


def test_the_setting_of_a_rival_is_chosen_at_the_hold_out_before(folder, monkeypatch):
    def wrong(by: float):
        return lambda source, rows, ahead: half_error(source, rows, ahead) + 1.0 + by

    for place, name in enumerate(run.BOOSTED):
        monkeypatch.setitem(METHODS, name, wrong(0.1 * abs(place - 3) + 0.01))
    goes(monkeypatch, *run.BOOSTED)
    assert run.choose("toy", "last") == run.choose("toy", "earlier") == list(run.BOOSTED)[3]


def test_quantiles_that_are_the_truth_have_no_loss():
    truth = np.array([[1.0, 2.0]])
    exact = np.repeat(truth[:, :, None], len(SHARES), axis=2)
    assert summary.quantile_loss(exact, truth).tolist() == [0.0]
    assert summary.quantile_loss(exact - 1.0, truth) == pytest.approx(2 * np.mean(SHARES))


def test_what_was_not_measured_is_said():
    empty = {"halves": {"report": {"last": {"means": {}, "paired": {"all": {}}}}}, "scale": {}}
    assert render.error(empty, "all") == render.ratio(empty, "all") == "not measured"
    assert render.worst(empty) == render.scale(empty, "fit") == "not measured"
