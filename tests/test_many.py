"""Many series: tables in long form, known columns, wide tables; and the page that shows them."""

from __future__ import annotations

import csv
import json
import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from elements import Elements
from spheresn._errors import BadInput
from spheresn.apps.cli import main
from spheresn.apps.forecasts import many as many_module
from spheresn.apps.forecasts.many import forecast_columns, forecast_panel
from spheresn.apps.forecasts.overview import column_errors, entries, tally, verdict, worst_first
from spheresn.apps.forecasts.result import forecast
from spheresn.apps.forecasts.together import can_be_together
from spheresn.apps.tables import TimeSeries, read_table
from spheresn.apps.tables.clock import MONTHS
from spheresn.apps.tables.panel import PanelHints, long_table
from spheresn.apps.tables.read import read_sheet
from spheresn.forecasting import (
    Autoregression,
    Mean,
    Naive,
    PanelForecaster,
    SeriesForecaster,
)

ROWS = 40
DAYS = pd.date_range("2024-01-01", periods=ROWS).strftime("%Y-%m-%d").tolist()
SHOPS = ("Köln", "Oslo", "<script>")
CHEAP = {"mean": Mean.fit, "naive": Naive.fit, "linear autoregression": Autoregression(lags=2).fit}


@pytest.fixture
def cheap(monkeypatch):
    """Few methods, so that many series take little time."""
    monkeypatch.setattr(SeriesForecaster, "_methods", lambda self, rows, steps: CHEAP)


def sales(shop: str) -> np.ndarray:
    rng = np.random.default_rng(len(shop))
    return np.round(50 + 10 * np.sin(np.arange(ROWS)) + rng.standard_normal(ROWS), 2)


def long_rows(shops: tuple[str, ...] = SHOPS, **more: object) -> pd.DataFrame:
    parts = [pd.DataFrame({"date": DAYS, "shop": shop, "sales": sales(shop)}) for shop in shops]
    return pd.concat(parts, ignore_index=True).assign(**more)


def saved(folder: Path, frame: pd.DataFrame, name: str = "t.csv") -> Path:
    frame.to_csv(folder / name, index=False)
    return folder / name


def found(folder: Path, frame: pd.DataFrame, **hints: object):
    return long_table(read_sheet(saved(folder, frame)), PanelHints(**hints))


def test_a_long_table_is_recognised_and_cut_into_its_series(tmp_path):
    """Whatever the order of its rows; as if each series stood in a table of its own."""
    frame = long_rows()
    for rows in (frame, frame.sort_values("date"), frame.sample(frac=1.0, random_state=0)):
        panel = found(tmp_path, rows).pick()
        assert (panel.names, panel.time_name, panel.target) == (("shop",), "date", "sales")
        assert {label for label, _ in panel.series} == {(shop,) for shop in SHOPS}
        for (shop,), series in panel.series:
            assert series.values[:, 0].tolist() == sales(shop).tolist()
            assert series.ahead(1) == ["2024-02-10"]
    assert "sorted by 'date' in 3 of 3 series" in panel.notes
    assert panel.notes[0] == (
        "long form: 3 series of 'sales', distinguished by 'shop', with the times in 'date'"
    )


def test_names_of_the_field_numbers_and_several_columns_tell_series_apart(tmp_path):
    frame = long_rows().rename(columns={"date": "ds", "shop": "unique_id", "sales": "y"})
    panel = found(tmp_path, frame).pick()
    assert (panel.names, panel.time_name, panel.target) == (("unique_id",), "ds", "y")
    numbers = long_rows().assign(Store=np.repeat([1, 2, 3], ROWS)).drop(columns="shop")
    assert found(tmp_path, numbers).ids == ("Store",)
    pairs = pd.concat([long_rows(item="tea"), long_rows(item="rum")])
    assert set(found(tmp_path, pairs).ids) == {"shop", "item"}
    years = long_rows().assign(date=np.tile(np.arange(1980, 1980 + ROWS), 3))
    years = years.rename(columns={"date": "year"})
    panel = found(tmp_path, years).pick()
    assert panel.series[0][1].ahead(1) == ["2020"] and panel.time_name == "year"
    steps = years.assign(year=np.tile(0.5 * np.arange(ROWS), 3)).rename(columns={"year": "t"})
    assert found(tmp_path, steps).pick().series[0][1].ahead(1) == ["20"]


def by_parts(unit: str, **columns: object) -> pd.DataFrame:
    """The long table with the parts of its dates in columns of their own, shuffled."""
    every = pd.date_range("2020-01-01", periods=ROWS, freq=unit)
    dates = pd.DatetimeIndex(np.tile(every, len(SHOPS)))
    parts = {"Year": dates.year, "month": dates.month, "day": dates.day, "hour": dates.hour}
    kept = list(parts)[: {"MS": 2, "D": 3, "h": 4}[unit]]
    frame = long_rows().drop(columns="date").assign(**{name: parts[name] for name in kept})
    return frame.assign(when=dates, **columns).sample(frac=1.0, random_state=0)


@pytest.mark.parametrize("unit", ["MS", "D", "h"])
def test_dates_in_columns_of_their_own_are_those_of_one_column(tmp_path, unit):
    frame = by_parts(unit)
    dated = frame[["when", "shop", "sales"]]
    names = frame["month"].map(lambda month: MONTHS[month - 1])
    for parts in (frame.drop(columns="when"), frame.drop(columns="when").assign(month=names)):
        panel, same = found(tmp_path, parts).pick(), found(tmp_path, dated).pick()
        assert panel.names == ("shop",) and panel.target == "sales"
        assert panel.columns == tuple(parts.columns)
        for (label, one), (other, two) in zip(panel.series, same.series, strict=True):
            assert label == other and np.array_equal(one.values, two.values)
            assert one.clock.times.equals(two.clock.times)
            assert one.clock.calendar.coming(3).equals(two.clock.calendar.coming(3))


def test_parts_of_dates_come_back_as_they_came(tmp_path, cheap):
    out = tmp_path / "out"
    path = saved(tmp_path, by_parts("D").drop(columns="when"))
    assert main(["forecast", str(path), "--steps", "2", "--out", str(out)]) == 0
    back = pd.read_csv(out / "forecast.csv")
    assert back.columns.tolist()[:5] == ["shop", "sales", "Year", "month", "day"]
    assert back[["Year", "month", "day"]].drop_duplicates().values.tolist() == [
        [2020, 2, 10],
        [2020, 2, 11],
    ]


def test_parts_that_repeat_without_a_name_of_a_series_are_not_used_and_it_is_said(tmp_path):
    frame = by_parts("MS").drop(columns=["when", "shop"])
    assert found(tmp_path, frame) is None
    notes = read_table(saved(tmp_path, frame)).pick().notes
    assert any("'year month' does not go on from row to row" in note for note in notes)
    same = long_rows().drop(columns="date").assign(year=2020, month=5)
    assert found(tmp_path, same) is None


def test_tables_that_are_not_in_long_form_stay_as_they_are(tmp_path):
    """Times that come once; no column that tells rows apart; names that never repeat."""
    once = long_rows(("Oslo",))
    assert found(tmp_path, once) is None
    assert found(tmp_path, long_rows().drop(columns="shop").assign(x=1.0)) is None
    remarks = long_rows().assign(shop=[f"remark {k}" for k in range(3 * ROWS)])
    assert found(tmp_path, remarks) is None
    assert found(tmp_path, pd.DataFrame({"x": [1, 1], "y": [1, 2], "z": [3, 4]})) is None
    assert found(tmp_path, long_rows().drop(columns="date").assign(t="noon")) is None
    twice = long_rows().sort_values("date").drop(columns="shop").assign(x=1)
    broken = long_rows()
    broken.loc[50, "date"] = "later"
    assert found(tmp_path, broken) is None
    with pytest.raises(BadInput, match="must have a date in every row, got 'later' in row 52"):
        found(tmp_path, broken, ids=("shop",))
    mixed = np.random.default_rng(0).permutation(3 * ROWS) + 0.5
    several = long_rows().drop(columns="date").assign(t=mixed, step=np.tile(np.arange(ROWS), 3))
    assert found(tmp_path, several).times.name == "step"
    with pytest.raises(BadInput, match="tells several series apart with --id"):
        read_table(saved(tmp_path, twice))


@pytest.mark.parametrize(
    ("change", "hints", "words"),
    [
        ({}, {"ids": ("magic",)}, "--id must be one of date, shop, sales, got 'magic'"),
        ({}, {"time": "magic"}, "--time must be one of date, shop, sales, got 'magic'"),
        (
            {"area": 5.5},
            {"ids": ("area",)},
            "--id must tell the rows of one time apart",
        ),
        ({}, {"target": "shop"}, "--target must be one of sales, got 'shop'"),
        ({"cost": 1.5, "sales": 2.5, "tax": 3.5}, {"target": "x"}, "--target must be one of sales"),
        ({"date": "noon"}, {"ids": ("shop",)}, "--time must name the column with the times"),
    ],
)
def test_hints_about_long_tables_are_checked(tmp_path, change, hints, words):
    with pytest.raises(BadInput, match=words):
        found(tmp_path, long_rows(**change), **hints)


def test_the_target_is_the_only_number_or_has_a_usual_name_or_is_asked_for(tmp_path):
    more = long_rows(price=1.5, tax=np.arange(3 * ROWS) % 7 / 2)
    assert found(tmp_path, more).target == "sales"
    other = more.rename(columns={"sales": "litres"})
    with pytest.raises(BadInput, match=r"--target must name the column .* got litres, price, tax"):
        found(tmp_path, other)
    assert found(tmp_path, other, target="tax").target == "tax"
    assert found(tmp_path, long_rows(), ids=("shop",), time="date").ids == ("shop",)


def test_short_series_totals_and_notes_of_series_are_named(tmp_path):
    frame = pd.concat([long_rows(), long_rows(("Ulm",)).iloc[:5], long_rows(("Bonn",)).iloc[:5]])
    total = pd.DataFrame({"date": ["Total"], "shop": [""], "sales": [1.5]})
    panel = found(tmp_path, pd.concat([frame, total])).pick(least_rows=10)
    assert [label for label, _ in panel.series] == [(shop,) for shop in SHOPS]
    assert "left out, fewer than 10 rows: Ulm; Bonn" in panel.notes
    assert "left out below the table: row 132" in panel.notes
    with pytest.raises(BadInput, match="must have a series of at least 99 rows, got 5 shorter"):
        found(tmp_path, frame).pick(least_rows=99)
    many = pd.concat([long_rows(), *(long_rows((f"s{k}",)).iloc[:3] for k in range(9))])
    assert found(tmp_path, many).pick(least_rows=10).notes[-1].endswith("; s4 and 4 more")


def test_what_is_missing_in_a_series_is_refused_by_its_name_or_filled(tmp_path):
    frame = long_rows()
    gap = frame.drop(index=45)
    with pytest.raises(BadInput, match="in the series 'Oslo': time column 'date' must have a row"):
        found(tmp_path, gap).pick()
    panel = found(tmp_path, gap).pick("linear")
    assert all(len(series.values) == ROWS for _, series in panel.series)
    assert any(note.endswith("(1 of 3 series)") for note in panel.notes)
    rng = np.random.default_rng(0)
    holes = frame.drop(index=[40 * k + int(rng.integers(5, 30)) + k for k in range(3)])
    more = pd.concat([holes, *(long_rows((f"s{k}",)).drop(index=5 + k) for k in range(6))])
    notes = found(tmp_path, more).pick("linear").notes
    assert notes[-1].endswith("more notes about single series")


KNOWN = 5  # rows to forecast


def with_future(seed: int = 0) -> pd.DataFrame:
    """Sales that follow a price and a holiday, which are known longer than the sales are."""
    rng = np.random.default_rng(seed)
    price = rng.permutation(np.arange(90) % 4).astype(float)
    holiday = np.where(rng.random(90) < 0.2, "Easter", "")
    day = pd.date_range("2024-01-01", periods=90).strftime("%Y-%m-%d")
    value = 100 - 10 * price + 25 * (holiday == "Easter") + 0.1 * rng.standard_normal(90)
    frame = pd.DataFrame({"date": day, "sales": value, "price": price, "holiday": holiday})
    frame["truth"] = value
    frame.loc[90 - KNOWN :, "sales"] = np.nan
    return frame


def test_what_is_known_ahead_is_learned_and_used(tmp_path):
    """Without noise worth the name, the effect of price and holiday is most of the forecast."""
    frame = with_future()
    series = read_table(saved(tmp_path, frame.drop(columns="truth"))).pick(
        known=["price", "holiday"]
    )
    assert series.known_names == ("price", "holiday=Easter") and series.known.shape == (90, 2)
    assert series.rows_to_forecast == KNOWN and series.ahead(1) == ["2024-03-26"]
    result = forecast(series, season=None)
    assert result.steps == KNOWN and result.times[-1] == "2024-03-30"
    assert np.abs(result.values[:, 0] - frame["truth"][-KNOWN:]).max() < 5.0
    two = forecast(series, 2, season=None)
    assert np.abs(two.values[:, 0] - frame["truth"][-KNOWN:-3]).max() < 5.0
    with pytest.raises(BadInput, match="--steps must be at most 5, the rows whose --known"):
        forecast(series, 6)


def test_words_are_encoded_and_what_never_varied_is_not_learned(tmp_path):
    frame = with_future().drop(columns="truth")
    frame["day"] = [("Mo", "Tu", "We")[k % 3] for k in range(90)]
    frame["new"] = ["old"] * 88 + ["fresh"] * 2
    series = read_table(saved(tmp_path, frame)).pick(["sales"], known=["day", "new"])
    assert series.known_names == ("day=Mo", "day=Tu", "day=We", "new=old")
    assert (series.known[:, :3].sum(axis=1) == 1.0).all()
    assert "new: 'fresh' comes only in the rows to forecast" in " ".join(series.notes)
    assert forecast(series, season=None).steps == KNOWN
    many = pd.concat([frame.iloc[:85]] * 2 + [frame.iloc[85:]]).drop(columns="date")
    many["word"] = [f"w{k}" for k in range(len(many))]
    with pytest.raises(BadInput, match=r"--known must name columns .* at most 100 words, got 175"):
        read_table(saved(tmp_path, many)).pick(["sales"], known=["word"])


def test_known_columns_need_no_dates(tmp_path):
    frame = with_future().drop(columns=["truth", "date", "holiday"])
    series = read_table(saved(tmp_path, frame)).pick(known=["price"])
    assert series.clock is None and series.ahead(1) == ["86"]
    assert forecast(series, season=None).times == [str(row) for row in range(86, 91)]


def test_known_columns_need_rows_to_forecast_and_cells(tmp_path):
    frame = with_future()
    path = saved(tmp_path, frame)
    with pytest.raises(BadInput, match="--known must come with rows to forecast"):
        read_table(path).pick(["truth"], known=["price"])
    with pytest.raises(BadInput, match=r"--known must be one of .*, got 'magic'"):
        read_table(path).pick(known=["magic"])
    with pytest.raises(BadInput, match=r"must end with a number, .* with --known"):
        read_table(path).pick(["sales"])
    frame.loc[[3, 88], "price"] = np.nan
    with pytest.raises(BadInput, match="'price' must have a number in every row, got none"):
        read_table(saved(tmp_path, frame)).pick(["sales"], known=["price"])
    gap = frame.drop(index=[10, 88])
    series = read_table(saved(tmp_path, gap)).pick(
        ["sales"], fill="linear", known=["price", "holiday"]
    )
    assert series.known.shape == (90, 2) and series.rows_to_forecast == KNOWN
    skipped = read_table(saved(tmp_path, gap)).pick(["truth"], fill="skip")
    assert len(skipped.values) == 88
    series = read_table(saved(tmp_path, gap.drop(index=3))).pick(
        ["sales"], fill="skip", known=["holiday"]
    )
    assert len(series.values) == 83 and series.rows_to_forecast == 4


def test_the_same_long_table_comes_back(tmp_path, capsys, cheap):
    """Its columns in their order, for the rows that follow, and each series as if alone."""
    frame = long_rows()[["shop", "date", "sales"]]
    path, out = saved(tmp_path, frame), tmp_path / "out"
    assert main(["forecast", str(path), "--steps", "4", "--out", str(out)]) == 0
    said = capsys.readouterr().out
    back = pd.read_csv(out / "forecast.csv")
    assert back.columns.tolist() == ["shop", "date", "sales", "sales lower", "sales upper"]
    assert back["shop"].tolist() == [shop for shop in SHOPS for _ in range(4)]
    assert back["date"][0] == "2024-02-10"
    alone = saved(tmp_path, long_rows(("Oslo",)).drop(columns="shop"), "oslo.csv")
    one = forecast(read_table(alone).pick(), 4)
    assert np.array_equal(back["sales"][4:8], one.values[:, 0])
    assert "t.csv: 3 series of sales; 4 steps ahead" in said and "worst first" in said
    assert main(["forecast", str(path), "--steps", "4", "--out", str(out), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert [one["label"] for one in answer["series"]] == [[shop] for shop in SHOPS]
    assert answer["names"] == ["shop"] and answer["steps"] == 4


def test_options_of_long_tables_reach_them_and_no_other(tmp_path, capsys, cheap):
    frame = long_rows(cost=np.arange(3 * ROWS) % 9 / 2)
    path, out = saved(tmp_path, frame), tmp_path / "out"
    asked = ["forecast", str(path), "--id", "shop", "--target", "cost", "--time", "date"]
    assert main([*asked, "--out", str(out)]) == 0
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "spheresn forecast t.csv --id shop --target cost --time date --seed 0" in page
    capsys.readouterr()
    wide = saved(tmp_path, long_rows(("Oslo",)), "wide.csv")
    assert main(["forecast", str(wide), "--target", "sales", "--out", str(out)]) == 2
    assert "--target must be left out for a table whose times come once" in capsys.readouterr().err


def test_known_columns_are_named_one_by_one_or_between_commas(tmp_path, capsys, cheap):
    frame = with_future().drop(columns="truth").rename(columns={"price": "price, net"})
    path = saved(tmp_path, frame)
    asked = ["forecast", str(path), "--column", "sales", "--out", str(tmp_path / "out"), "--json"]
    for known in (["--known", "price, net", "--known", "holiday"], ["--known", "holiday,"]):
        assert main([*asked, *known]) == 0
        assert json.loads(capsys.readouterr().out)["steps"] == KNOWN


def test_known_columns_of_long_tables(tmp_path, cheap):
    frame = pd.concat([with_future(k).assign(shop=shop) for k, shop in enumerate("ab")])
    panel = found(tmp_path, frame.drop(columns="truth")).pick(known=["price", "holiday"])
    many = forecast_panel(panel)
    assert many.steps == KNOWN and len(many.results) == 2
    with pytest.raises(BadInput, match="--known must be one of price, holiday, got 'sales'"):
        found(tmp_path, frame.drop(columns="truth")).pick(known=["sales"])


def wide_series(columns: int) -> TimeSeries:
    rng = np.random.default_rng(0)
    values = np.cumsum(rng.standard_normal((ROWS, columns)), axis=0)
    values[:, ::7] = np.arange(columns)[::7]
    return TimeSeries("made", tuple(f"c{k}" for k in range(columns)), values, None)


def test_many_columns_are_forecast_one_by_one_and_none_vanishes(tmp_path, capsys, cheap):
    """Each as if alone; constant ones stay; all are in forecast.csv."""
    series = wide_series(30)
    many = forecast_columns(series, 3)
    alone = forecast(TimeSeries("made", ("c1",), series.values[:, 1:2], None), 3)
    assert np.array_equal(many.results[1].values, alone.values)
    assert "constant, and forecast as such: c0, c7, c14, c21, c28" in many.notes
    path = saved(tmp_path, series.frame)
    assert main(["forecast", str(path), "--steps", "3", "--out", str(tmp_path / "out")]) == 0
    said = capsys.readouterr().out
    assert "and 20 more in report.html" in said and "30 columns; 3 steps ahead" in said
    head, *rows = csv.reader((tmp_path / "out" / "forecast.csv").read_text().splitlines())
    assert len(head) == 91 and len(rows) == 3 and float(rows[0][head.index("c28")]) == 28.0


def test_few_columns_are_judged_together_and_the_worst_are_named(tmp_path, capsys, cheap):
    path = saved(tmp_path, wide_series(6).frame)
    assert main(["forecast", str(path), "--steps", "3", "--out", str(tmp_path / "out")]) == 0
    said = capsys.readouterr().out
    assert "Of 5 forecasts, by their errors beside" in said and "worst first" in said


def test_forecasts_are_graded_beside_the_naive_method(cheap):
    many = forecast_columns(wide_series(22), 3)
    graded = entries(many)
    counts = tally(graded)
    assert sum(counts.values()) == 22 and counts["equal"] >= 4
    assert (
        f"Of 22 forecasts, by their errors beside those of the naive method: {counts['better']}"
        in (verdict(graded))
    )
    ordered = worst_first(graded)
    assert {one.label for one in ordered[-4:]} == {"c0", "c7", "c14", "c21"}
    errors = [one.error for one in ordered[:-4]]
    assert errors == sorted(errors, reverse=True)
    one = many.results[1]
    ours = np.abs(one.record.errors("combination")).mean()
    assert column_errors(one) == [ours / np.abs(one.record.errors("naive")).mean()]
    assert (
        column_errors(many.results[0]) == [1.0] and graded[1].last_value == one.series.values[-1, 0]
    )


def test_a_method_beside_a_naive_one_without_error_is_infinitely_worse(cheap):
    result = forecast(TimeSeries("made", ("x",), np.arange(30.0)[:, None], None), 2)
    result.record.forecasts["naive"] = result.record.truth
    assert column_errors(result) == [np.inf]


def test_too_many_series_and_short_ones_are_sentences(monkeypatch, cheap):
    monkeypatch.setattr(many_module, "MOST_SERIES", 2)
    with pytest.raises(BadInput, match=r"must have at most 2 series, .* one by one, got 3; keep"):
        forecast_columns(wide_series(3))
    short = TimeSeries("made", ("a",), np.arange(5.0)[:, None], None)
    with pytest.raises(BadInput, match="in the series 'a': FILE must have at least 10 rows"):
        forecast_columns(short)


def test_notes_that_some_forecasts_add_say_how_many(cheap):
    many = forecast_columns(wide_series(3), 2, season=[19])
    assert any("a season of 19 rows is not used" in note for note in many.notes)
    parts = [np.arange(40.0), np.arange(12.0)]
    panel_like = [TimeSeries("m", ("x",), part[:, None], None) for part in parts]
    results = many_module.forecast_each(panel_like, [("a",), ("b",)], 2, [5], 0, lambda stage: None)
    said = many_module._own_notes(results, panel_like, [("a",), ("b",)])
    assert said == [
        "a season of 5 rows is not used: before the record there are too few rows (1 of 2 series)"
    ]


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> dict[str, Path]:
    """Pages of one column, of some, of many, and of a long table."""
    folder = tmp_path_factory.mktemp("pages")
    tables = {
        "one": wide_series(2).frame,
        "some": wide_series(4).frame,
        "many": wide_series(30).frame,
        "long": long_rows(),
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SeriesForecaster, "_methods", lambda self, rows, steps: CHEAP)
        for name, frame in tables.items():
            path = saved(folder, frame, f"{name}.csv")
            asked = ["forecast", str(path), "--steps", "12", "--out", str(folder / name)]
            assert main(asked) == 0
    return {name: folder / name / "report.html" for name in tables}


@pytest.mark.parametrize("name", ["one", "some", "many", "long"])
def test_the_page_runs_its_own_script_and_nothing_else(pages, name):
    text = pages[name].read_text(encoding="utf-8")
    blocks = re.findall(r"<script([^>]*)>(.*?)</script>", text, re.DOTALL)
    assert [kind for kind, _ in blocks] == [' type="application/json" id="data"', ""]
    digest = b64encode(sha256(blocks[1][1].encode()).digest()).decode()
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    assert f"{policy}; script-src 'sha256-{digest}'" in text
    data = json.loads(blocks[0][1])
    assert len(data["series"]) == {"one": 1, "some": 3, "many": 30, "long": 3}[name]
    assert all(
        len(one["said"]) == 12 and len(one["past"]) == len(data["clocks"][one["clock"]]["past"])
        for one in data["series"]
    )
    assert not {"iframe", "object"} & set(Elements(text).tags)


def test_values_are_read_off_the_picture(browser, pages):
    """With the pointer and with the keys; what is shown is what the table says."""
    tab = browser.new_page(viewport={"width": 1280, "height": 900})
    said = []
    tab.on("console", lambda message: said.append(message.text))
    tab.on("pageerror", lambda error: said.append(str(error)))
    tab.goto(pages["some"].as_uri())
    reading = tab.locator("#reading")
    first = tab.locator("#first tbody tr").first.locator("td")
    assert reading.inner_text() == f"{first.nth(0).inner_text()}: {first.nth(1).inner_text()}"
    tab.locator("#chart svg").focus()
    tab.keyboard.press("ArrowRight")
    second = tab.locator("#first tbody tr").nth(1).locator("td")
    assert reading.inner_text() == f"{second.nth(0).inner_text()}: {second.nth(1).inner_text()}"
    tab.keyboard.press("ArrowLeft")
    tab.keyboard.press("ArrowLeft")
    assert reading.inner_text().startswith("40: ") and reading.inner_text().endswith("(data)")
    box = tab.locator("#chart svg").bounding_box()
    tab.mouse.move(box["x"] + box["width"] - 12, box["y"] + 60)
    assert reading.inner_text().startswith("52: ")
    tab.locator("#first th button").nth(1).click()
    assert tab.locator("#charted").inner_text() == "c2"
    assert reading.inner_text() == f"{first.nth(0).inner_text()}: {first.nth(2).inner_text()}"
    assert not said


@pytest.mark.parametrize("width", [390, 1280])
def test_the_first_screen_answers_and_the_rest_is_searched(browser, pages, width):
    """The picture, the marks and the next values of the worst within one screen; the page of 30
    columns is not much longer than that of three.
    """
    tab = browser.new_page(viewport={"width": width, "height": 900})
    tab.goto(pages["many"].as_uri())
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    for place in (".tally", "#chart svg", "#first tbody tr"):
        box = tab.locator(place).first.bounding_box()
        assert box["y"] + box["height"] <= 900
    assert tab.evaluate("document.documentElement.scrollHeight") < 6_000
    rows = tab.locator("#all tbody tr")
    assert rows.count() == 30
    tab.locator("#search").fill("C13")
    assert sum(rows.nth(row).is_visible() for row in range(30)) == 1
    tab.locator("#search").fill("magic")
    assert tab.locator("#none").is_visible()
    tab.locator("#search").fill("c13")
    tab.locator("#all button:visible").click()
    assert tab.locator("#charted").inner_text() == "c13"


def test_without_scripts_the_page_still_answers(browser, pages):
    tab = browser.new_context(java_script_enabled=False).new_page()
    tab.goto(pages["many"].as_uri())
    assert (
        tab.locator("#first tbody tr").count() == 10 and tab.locator("#all tbody tr").count() == 30
    )
    assert not tab.locator("#picture").is_visible() and not tab.locator("#search").is_visible()
    assert tab.locator("#figure-forecast img").is_visible()


def shops(count: int, rows: int = ROWS) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    wave = np.tile([0.0, 3.0, 1.0, -2.0], rows)[:rows]
    parts = [
        pd.DataFrame(
            {
                "date": pd.date_range("2024-01-01", periods=rows, freq="QS"),
                "shop": f"shop {k}",
                "sales": (1 + k) * (20 + wave + 0.2 * rng.standard_normal(rows)),
            }
        )
        for k in range(count)
    ]
    return pd.concat(parts, ignore_index=True)


def test_one_model_forecasts_a_long_table_and_the_table_comes_back(tmp_path):
    """The forecasts are those of a PanelForecaster, and the record is that of a hold-out."""
    frame = shops(12)
    file = saved(tmp_path, frame)
    assert main(["forecast", str(file), "--out", str(tmp_path / "out"), "--steps", "4"]) == 0
    back = pd.read_csv(tmp_path / "out" / "forecast.csv", parse_dates=["date"])
    model = PanelForecaster(horizon=4, verbose=False).fit(
        frame, id="shop", time="date", target="sales"
    )
    expected = model.forecast(4).to_frame()
    both = back.merge(expected, on=["shop", "date"])
    assert len(both) == len(back) == 48
    # Series are learned from in the order of the table there, by their names here
    np.testing.assert_allclose(both["sales"], both["mean"], rtol=1e-4)
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert "12 series" in page and "by one model" in page and "all series together" in page


def test_few_series_and_several_seasons_are_forecast_each_alone(cheap, tmp_path):
    panel = found(tmp_path, shops(12)).pick()
    assert can_be_together([one for _, one in panel.series])
    assert not can_be_together([one for _, one in panel.series][:9])
    many = forecast_panel(panel, 2, season=[4, 8])
    assert not any("one model" in note for note in many.notes)


def test_what_is_known_ahead_of_a_long_table_reaches_its_one_model(tmp_path):
    frame = shops(10, 44)
    price = np.random.default_rng(1).normal(size=len(frame))
    frame["price"], frame["sales"] = price, frame["sales"] * (1 + 0.2 * price)
    place = frame.groupby("shop").cumcount()
    truth = frame[place >= 40]["sales"].to_numpy().reshape(10, 4)
    frame.loc[place >= 40, "sales"] = np.nan
    panel = found(tmp_path, frame, target="sales").pick(None, ["price"])
    many = forecast_panel(panel)
    ours = np.array([one.values[:, 0] for one in many.results])
    assert many.steps == 4
    assert np.abs(ours / truth - 1).mean() < 0.1  # prices move sales by a fifth
    with pytest.raises(BadInput, match="--steps must be at most 4"):
        forecast_panel(panel, 5)


def test_too_many_series_for_one_page_get_a_sentence(tmp_path, monkeypatch):
    from spheresn.apps.forecasts import together

    monkeypatch.setattr(together, "MOST_IN_ONE_TABLE", 11)
    with pytest.raises(BadInput, match="PanelForecaster in Python"):
        forecast_panel(found(tmp_path, shops(12)).pick())
