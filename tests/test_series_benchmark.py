"""The comparison on ordinary series: where a method fails it is missing; nothing stands in."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from series import methods, render, run, summary
from series.sources import KINDS, Ordinary

WAVE = np.sin(0.5 * np.arange(60.0)) + 0.01 * np.arange(60.0)
SERIES = [
    Ordinary(name, kind, "report", 12, 6, WAVE + k)
    for k, (name, kind) in enumerate(zip("abcde", KINDS, strict=True))
]
NAMES = ("SeriesForecaster", "seasonal naive", "AutoETS")  # the others are not asked


def fails(rows: np.ndarray, season: int, steps: int) -> methods.Answer:
    raise RuntimeError("it cannot\nat all")


def leaves(rows: np.ndarray, season: int, steps: int) -> methods.Answer:
    mean = np.ones(steps)
    return mean, mean - 1.0, np.full(steps, np.inf)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(run, "RESULTS", tmp_path)
    for name in methods.METHODS:  # quick ones, with intervals
        monkeypatch.setitem(methods.METHODS, name, methods.seasonal_naive)
    monkeypatch.setattr(run, "download", lambda: None)
    monkeypatch.setattr(render, "COLLECTED", tmp_path / "series.json")
    for module in (run, render):
        monkeypatch.setattr(module, "half_of", lambda half: SERIES)
    monkeypatch.setattr("sys.argv", ["run", "--methods", *NAMES])
    return tmp_path


@pytest.mark.parametrize(
    ("method", "reason"),
    [
        (fails, "RuntimeError: it cannot"),
        (leaves, "ValueError: its upper from row 42 is not finite"),
    ],
)
def test_a_method_that_fails_has_no_forecast(folder, monkeypatch, method, reason) -> None:
    monkeypatch.setitem(methods.METHODS, "AutoARIMA", method)
    found = run.forecasts(SERIES[0], "AutoARIMA")
    assert found == {"series": "a", "method": "AutoARIMA", "error": reason}


def test_a_method_that_is_missing_on_a_series_is_named_and_has_no_line(folder, monkeypatch) -> None:
    def sometimes(rows: np.ndarray, season: int, steps: int) -> methods.Answer:
        return (fails if rows[0] == WAVE[0] + 1.0 else methods.seasonal_naive)(rows, season, steps)

    monkeypatch.setitem(methods.METHODS, "SeriesForecaster", sometimes)
    run.main()
    reason = "RuntimeError: it cannot"
    assert summary.measure(SERIES[1], "SeriesForecaster") is None
    assert set(summary.summarise(SERIES, NAMES)) == {"seasonal naive", "AutoETS"}
    assert summary.missing(SERIES, NAMES) == {"SeriesForecaster": {"b": reason}}

    found: dict[str, Any] = json.loads(json.dumps(render.collected()))
    assert "SeriesForecaster" not in found["series"]["b"]["relative"]
    page = render.table(found, "report")
    assert f"SeriesForecaster is missing on 1 series: b (`{reason}`)." in page
    assert "MSTL is missing on 5 series: a (`not measured`); b (`not measured`);" in page
    assert "| seasonal naive | 1.00 |" in page

    monkeypatch.setitem(methods.METHODS, "SeriesForecaster", methods.seasonal_naive)
    # Methods that were not run here keep what the file says of them, if the series are the same
    found["halves"]["report"]["methods"]["MSTL"] = {"error": 0.5}
    found["halves"]["report"]["missing"]["AutoARIMA"] = {"a": "too long"}
    found["halves"]["report"]["methods"]["AutoETS"] = {"error": 0.5}
    found["series"]["a"]["relative"] |= {"MSTL": 0.5, "AutoETS": 0.5}
    render.COLLECTED.write_text(json.dumps(found))
    again = render.collected()
    assert again["halves"]["report"]["methods"]["MSTL"] == {"error": 0.5}
    assert again["halves"]["report"]["methods"]["AutoETS"]["error"] == 1.0  # it was run here
    assert again["halves"]["report"]["missing"]["AutoARIMA"] == {"a": "too long"}
    relative = again["series"]["a"]["relative"]
    assert relative["MSTL"] == 0.5 and relative["AutoETS"] == 1.0
    found["series"]["a"]["rows"] = 59
    render.COLLECTED.write_text(json.dumps(found))
    assert "MSTL" not in render.collected()["halves"]["report"]["methods"]

    kept = run.file_of(SERIES[0], "SeriesForecaster").stat().st_mtime_ns
    run.main()  # it tries what failed again, and nothing else
    assert summary.missing(SERIES, NAMES) == {}
    assert run.file_of(SERIES[0], "SeriesForecaster").stat().st_mtime_ns == kept
