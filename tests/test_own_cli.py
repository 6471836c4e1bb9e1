"""Commands on the user's own tables: files are whole or absent, JSON parses, names are printed
literally, and bad input is one sentence.
"""

from __future__ import annotations

import csv
import html
import inspect
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import spheresn as sn
from elements import Elements
from spheresn._formatting import format_interval
from spheresn.apps.cli import main
from spheresn.apps.cli.commands import series

SCRIPT, MARKUP = "<script>alert(1)</script>", r"[red]x[/red] $\frac$"
QUICK = ["--units", "30"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A table with dates and hostile names, and its forecast."""
    place = tmp_path_factory.mktemp("own")
    waves = np.sin(np.outer(np.arange(150), (0.5, 0.3))) + 0.1 * np.random.default_rng(
        0
    ).standard_normal((150, 2))
    table = pd.DataFrame(waves, columns=[SCRIPT, MARKUP]).assign(flat=3.0, word="w")
    table.insert(0, "date", pd.date_range("2024-01-01", periods=150).strftime("%Y-%m-%d"))
    table.to_csv(place / "t.csv", index=False)
    pd.DataFrame(sn.datasets.lorenz(600), columns=["x", "y", "z"]).to_csv(
        place / "lorenz.csv", index=False
    )
    return place


@pytest.fixture(scope="module")
def forecasted(folder) -> Path:
    assert (
        main(
            [
                "forecast",
                str(folder / "t.csv"),
                "--steps",
                "12",
                "--out",
                str(folder / "out"),
            ]
        )
        == 0
    )
    return folder / "out"


def output(capsys, *arguments: object) -> str:
    assert main([str(argument) for argument in arguments]) == 0
    return capsys.readouterr().out


def visible(page: str) -> str:
    """The words of a page, without tags."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page)).split())


def sentence(capsys, *arguments: object) -> str:
    assert main([str(argument) for argument in arguments]) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.startswith("spheresn: ") and said.err.count("\n") == 1
    return said.err


def test_a_forecast_leaves_what_was_promised(forecasted):
    assert {path.name for path in forecasted.iterdir()} == {
        "forecast.csv",
        "forecast.png",
        "forecast.svg",
        "report.html",
    }
    head, *rows = list(
        csv.reader((forecasted / "forecast.csv").read_text(encoding="utf-8").splitlines())
    )
    assert head == [
        "date",
        *(
            f"{name}{part}"
            for name in (SCRIPT, MARKUP, "flat")
            for part in ("", " lower", " upper")
        ),
    ]
    assert [row[0] for row in rows] == [f"2024-05-{day}" for day in range(30, 32)] + [
        f"2024-06-{day:02d}" for day in range(1, 11)
    ]
    numbers = np.array([row[1:] for row in rows], float).reshape(12, 3, 3)
    assert (numbers[:, 2] == 3.0).all()
    assert (numbers[:, :, 1] <= numbers[:, :, 0]).all() and (
        numbers[:, :, 0] <= numbers[:, :, 2]
    ).all()


def test_the_page_escapes_names_and_fetches_nothing(forecasted):
    text = (forecasted / "report.html").read_text(encoding="utf-8")
    found = Elements(text)
    assert not {"iframe", "object"} & set(found.tags) and found.only_drawings()
    assert "&lt;script&gt;" in text
    assert not [
        value
        for name, value in found.attributes
        if name in ("src", "href")
        and not value.startswith(("#", "data:,", "data:image/svg+xml;base64,"))
    ]
    assert all(words in text for words in ("combination", "theta", "linear autoregression"))
    assert "constant, and forecast as such: flat" in text and "left out, not numbers: word" in text


@pytest.mark.parametrize("width", [390, 1200])
def test_the_page_in_a_browser(browser, forecasted, width):
    tab = browser.new_page(viewport={"width": width, "height": 844})
    said, asked = [], []
    tab.on("console", lambda message: said.append(message.text))
    tab.on("dialog", lambda dialog: said.append(dialog.message))
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto((forecasted / "report.html").as_uri())
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    assert not said and all(url.startswith(("file:", "data:")) for url in asked)


def test_names_are_printed_literally(forecasted, folder, capsys):
    said = output(
        capsys,
        "forecast",
        folder / "t.csv",
        "--steps",
        3,
        "--column",
        MARKUP,
        "--out",
        folder / "again",
    )
    assert MARKUP in said and "combination" in said and "\x1b" not in said


@pytest.fixture(scope="module")
def months(folder) -> Path:
    """Five years of months with a season and a trend, an index and a year beside them."""
    month = np.arange(60)
    table = pd.DataFrame(
        {
            "when": pd.date_range("2015-01", periods=60, freq="MS").strftime("%Y %b"),
            "year": 2015 + month // 12,
            "sales": 100 + month + 15 * np.sin(2 * np.pi * month / 12),
        }
    )
    table.to_csv(folder / "months.csv")
    return folder / "months.csv"


def test_the_table_the_page_the_terminal_and_json_say_the_same(months, capsys):
    """One season of five years' months; the season is found by the dates."""
    out = months.parent / "same"
    asked = ("forecast", months, "--steps", 12, "--out", out)
    said = json.loads(output(capsys, *asked, "--json"))
    rows = pd.read_csv(out / "forecast.csv")
    page = visible((out / "report.html").read_text(encoding="utf-8"))
    printed = " ".join(output(capsys, *asked).split())
    assert said["columns"] == ["sales"] and said["seasons"] == [12] and said["steps"] == 12
    for part in ("value", "lower", "upper"):
        head = "sales" if part == "value" else f"sales {part}"
        assert np.array_equal(said["forecast"]["columns"]["sales"][part], rows[head])
    assert said["forecast"]["time"] == rows["when"].tolist() and rows["when"][0] == "2020 Jan"
    first = format_interval(*rows.iloc[0, 1:].tolist())
    for text in (page, printed):
        assert first in text and all(one in text for one in said["verdict"])
        assert "season of 12 rows" in text and "column 1, year; --column uses one" in text
    best = said["record"]["best"]
    assert (
        best in page
        and best in printed
        and list(said["weights"])
        == [name for name in said["record"]["error_by_step"] if name != "combination"]
    )
    assert sum(said["weights"].values()) == pytest.approx(1.0)
    month = np.arange(60, 72)
    truth = 100 + month + 15 * np.sin(2 * np.pi * month / 12)
    assert np.abs(rows["sales"] - truth).max() < 5


@pytest.mark.parametrize(
    ("asked", "seasons"),
    [
        (("--season", "none"), []),
        (("--season", "6", "--season", "4"), [4, 6]),
        (("--season", "30", "--steps", "60"), [30]),
    ],
)
def test_seasons_can_be_given(months, capsys, asked, seasons):
    out = months.parent / "season"
    said = json.loads(output(capsys, "forecast", months, *asked, "--json", "--out", out))
    assert said["seasons"] == seasons and said["record"]["naive"] == (
        "seasonal naive" if seasons else "naive"
    )


def test_ten_rows_are_enough_and_a_season_that_is_too_long_for_them_is_reported(tmp_path, capsys):
    data = tmp_path / "ten.csv"
    data.write_text("x\n" + "\n".join("1524336475"))
    asked = ("forecast", data, "--season", "5", "--steps", "10", "--out", tmp_path / "out")
    said = output(capsys, *asked)
    assert "10 rows of x, no season; 10 steps ahead" in said
    assert "note: a season of 5 rows is not used" in said


def test_json_is_all_that_is_on_stdout_and_equals_the_files(folder, capsys):
    out = folder / "json"
    asked = ("forecast", folder / "lorenz.csv", "--steps", 8, "--json", "--out", out)
    said = json.loads(output(capsys, *asked))
    rows = pd.read_csv(out / "forecast.csv")
    assert said["columns"] == ["x", "y", "z"] and said["steps"] == 8
    assert np.array_equal(said["forecast"]["columns"]["y"]["upper"], rows["y upper"])
    errors = said["record"]["relative_error"]
    assert said["record"]["best"] == min(errors.keys() - {"combination"}, key=errors.get)
    assert list(errors.values()) == sorted(errors.values()) and errors[said["record"]["naive"]] == 1
    assert said["forecast"]["time"] == [str(row) for row in range(601, 609)]


def test_a_saved_forecaster_goes_on_from_new_rows_as_from_all(folder, capsys):
    """Echo state: after the washout the network does not know where it began."""
    table, model = folder / "lorenz.csv", folder / "f.spheresn"
    answer = json.loads(output(capsys, "fit", table, "--out", model, "--json", *QUICK))
    assert answer["kind"] == "forecaster" and answer["fitted"]["exponent"] < 0
    climate = sn.load(model).climate_
    assert answer["climate"]["words"] == climate.words and answer["climate"]["starts"] == 16
    pd.read_csv(table).iloc[300:].to_csv(folder / "late.csv", index=False)
    late, whole = (
        output(capsys, "predict", model, folder / name, "--steps", 5)
        for name in ("late.csv", "lorenz.csv")
    )
    numbers = [
        np.array([row[1:] for row in list(csv.reader(text.splitlines()))[1:]], float)
        for text in (late, whole)
    ]
    assert np.allclose(*numbers, rtol=1e-9) and whole.splitlines()[1].startswith("601,")
    direct = sn.load(model).update(pd.read_csv(table)).forecast(5)
    assert np.array_equal(numbers[1], direct)


def test_the_command_fits_the_model_that_python_fits(folder, capsys):
    table, model = folder / "lorenz.csv", folder / "same.spheresn"
    output(capsys, "fit", table, "--out", model, "--units", 40, "--seed", 3)
    command, python = sn.load(model), sn.ESNForecaster(40, random_state=3).fit(pd.read_csv(table))
    assert (command.bend_, command.memory_, command.noise_, command.penalty_) == (
        python.bend_,
        python.memory_,
        python.noise_,
        python.penalty_,
    )
    assert np.array_equal(command.forecast(20), python.forecast(20))
    assert inspect.signature(series.fit).parameters["units"].default == sn.ESNForecaster().units


def test_a_saved_regressor_predicts_each_row(folder, capsys):
    model = folder / "r.spheresn"
    assert "leave-one-out error" in output(
        capsys, "fit", folder / "lorenz.csv", "--target", "z", "--out", model, *QUICK
    )
    assert (
        main(["predict", str(model), str(folder / "lorenz.csv"), "--out", str(folder / "z.csv")])
        == 0
    )
    loaded, rows = sn.load(model), pd.read_csv(folder / "lorenz.csv")
    predicted = pd.read_csv(folder / "z.csv")["prediction"].to_numpy()
    assert np.isnan(predicted[: loaded.washout_]).all()
    assert np.array_equal(
        predicted[loaded.washout_ :], loaded.predict(rows[["x", "y"]])[loaded.washout_ :]
    )
    assert "rows have no prediction" in capsys.readouterr().err
    assert "--steps must be left out" in sentence(
        capsys, "predict", model, folder / "lorenz.csv", "--steps", 3
    )
    assert "got no 'x'" in sentence(capsys, "predict", model, folder / "t.csv")


def test_a_regressor_takes_no_row_numbers_unless_asked(months, capsys):
    asked = ("fit", months, "--target", "sales", "--out", months.parent / "m.spheresn", "--json")
    said = json.loads(output(capsys, *asked, "--column", "year", *QUICK))
    assert said["columns"] == ["year"] and said["notes"] == []
    frame = pd.read_csv(months)
    frame.assign(price=np.cos(np.arange(60.0))).to_csv(months.parent / "price.csv", index=False)
    asked = ("fit", months.parent / "price.csv", *asked[2:])
    said = json.loads(output(capsys, *asked, *QUICK))
    assert said["columns"] == ["price"] and "Unnamed: 0, year; --column" in said["notes"][0]


def test_analyse_measures_the_saved_network(folder, capsys):
    model, out = folder / "a.spheresn", folder / "analysis"
    forecaster = sn.ESNForecaster(30, memory=2, bend=0.5, random_state=0).fit(
        pd.read_csv(folder / "lorenz.csv")[["x"]]
    )
    sn.save(forecaster, model)
    answer = json.loads(
        output(capsys, "analyse", model, folder / "lorenz.csv", "--json", "--out", out)
    )
    assert abs(answer["exponents"][0] + 0.5) < 0.05  # the memory dial: -1/memory
    assert np.diff(answer["exponents"]).max() < 0.01 and answer["echo_state"]["verdict"] in (
        "empirical",
        "certified",
        "refuted",
    )
    assert answer["memory_profile"][0] == 1 and answer["capacity"]["total"] <= 30
    slope = np.polyfit(np.arange(10, 40), np.log(answer["memory_profile"][10:40]), 1)[0]
    # An old input fades at the rate of the exponent, here that of the last rows
    assert 0.7 < slope / answer["exponents"][0] < 1.3
    assert {path.name for path in out.iterdir()} == {"analysis.png", "analysis.svg"}
    assert f"; at most {answer['capacity']['rank']}" in output(
        capsys, "analyse", model, folder / "lorenz.csv", "--out", out
    )
    assert "echo state" in output(capsys, "analyse", folder / "lorenz.csv", "--out", out, *QUICK)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["forecast", "none.csv"], "a name that does not exist"),
        (["forecast", "one.csv"], "FILE must have at least 10 rows"),
        (["forecast", "short.csv", "--steps", "101"], "--steps must be at most 100, the rows"),
        (["forecast", "short.csv", "--steps", "0"], "--steps must be a whole number of at least 1"),
        (
            ["forecast", "short.csv", "--season", "51"],
            "--season must be at most 50, half of the rows",
        ),
        (["forecast", "short.csv", "--season", "1"], "--season must be a number of rows from 2"),
        (["forecast", "short.csv", "--season", "none", "--season", "7"], "got 'none 7'"),
        (["forecast", "short.csv", "--units", "9"], "--units must be left out for a table, whose"),
        (["forecast", "short.csv", "--halo", "0"], "--halo must be left out for a table, whose"),
        (["forecast", "short.csv", "--edges"], "--edges must be left out for a table, whose"),
        (["fit", "short.csv", "--out", "m.spheresn", "--units", "0"], "--units must be a whole"),
        (["forecast", "short.csv", "--seed", "-1"], "--seed must be a whole number of at least 0"),
        (["forecast", "short.csv", "--column", "q"], "--column must be one of 'x', got 'q'"),
        (["fit", "flat.csv", "--out", "m.spheresn"], "columns must vary"),
        (["forecast", "holes.csv"], "row 5; fill them in, or pass --fill linear"),
        (["forecast", "holes.csv", "--fill", "magic"], "--fill must be one of linear"),
        (["forecast", "short.csv", "--out", "/dev/null/x"], "must be writable"),
        (["fit", "short.csv", "--out", "model.bin"], "ends in .spheresn"),
        (
            ["fit", "short.csv", "--out", "m.spheresn", "--target", "x"],
            "another column than --target",
        ),
        (["fit", "one.csv", "--out", "m.spheresn"], "at least 40 rows"),
        (["predict", "short.csv", "short.csv"], "written by spheresn.save"),
        (["analyse", "short.csv"], "at least 300 rows"),
        (["analyse", "m.spheresn"], "got a saved model without DATA; add the table"),
        (["analyse", "short.csv", "short.csv"], "got a table and DATA; leave DATA out"),
    ],
)
def test_bad_input_is_one_sentence_and_leaves_nothing(
    capsys, tmp_path, monkeypatch, arguments, words
):
    monkeypatch.chdir(tmp_path)
    column = [str(value) for value in np.sin(np.arange(100.0))]
    Path("short.csv").write_text("\n".join(["x", *column]))
    Path("holes.csv").write_text("\n".join(["x", *column[:3], "", *column[4:]]))
    Path("flat.csv").write_text("\n".join(["x", *["5"] * 100]))
    Path("one.csv").write_text("x\n1\n")
    before = sorted(tmp_path.iterdir())
    assert words in sentence(capsys, *arguments)
    assert sorted(tmp_path.iterdir()) == before


def test_the_data_are_never_overwritten(capsys, tmp_path):
    data = tmp_path / "forecast.csv"
    data.write_text("x\n" + "\n".join(str(value) for value in np.sin(np.arange(100.0))))
    before = data.read_bytes()
    assert "must not overwrite FILE" in sentence(capsys, "forecast", data, "--out", tmp_path)
    assert data.read_bytes() == before


def test_no_command_gives_the_help_as_it_is_written(capsys):
    assert main([]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("Usage: spheresn") and any("forecast" in one for one in lines[3:])


def completed(shell: str, **words: str) -> str:
    environment = {**os.environ, "_SPHERESN_COMPLETE": f"complete_{shell}", **words}
    command = "import sys; from spheresn.apps.cli import main; sys.exit(main([]))"
    return subprocess.run(
        [sys.executable, "-c", command], env=environment, capture_output=True, text=True
    ).stdout


def test_shell_completion_completes():
    assert "forecast" in completed("bash", COMP_WORDS="spheresn fore", COMP_CWORD="1").split()
    assert {"--column", "--steps", "--season", "--out"} <= set(
        completed("bash", COMP_WORDS="spheresn forecast --", COMP_CWORD="2").split()
    )


def test_json_of_predictions_says_what_the_table_says(folder, capsys):
    """Numbers where there are some, null where the memory of the network still fills."""
    model = folder / "j.spheresn"
    assert (
        main(["fit", str(folder / "lorenz.csv"), "--target", "z", "--out", str(model), *QUICK]) == 0
    )
    capsys.readouterr()
    head, *rows = csv.reader(output(capsys, "predict", model, folder / "lorenz.csv").splitlines())
    said = json.loads(output(capsys, "predict", model, folder / "lorenz.csv", "--json"))
    assert said["rows"] == [
        {head[0]: row[0], head[1]: float(row[1]) if row[1] else None} for row in rows
    ]
    assert said["rows"][0][head[1]] is None and said["rows"][-1][head[1]] is not None


def test_a_model_that_cannot_be_asked_is_one_sentence(folder, capsys):
    series = [np.sin(0.3 * np.arange(60.0))[:, None], np.cos(np.arange(60.0))[:, None]]
    sn.save(
        sn.ESNClassifier(units=10, memory=2, bend=0.5, random_state=0).fit(series, [0, 1]),
        folder / "c.spheresn",
    )
    said = sentence(capsys, "predict", folder / "c.spheresn", folder / "lorenz.csv")
    assert "MODEL must be a forecaster or a regressor, got the classifier" in said
    sn.save(
        sn.ESNForecaster(units=10, memory=2, bend=0.5, random_state=0).fit(np.hstack(series)),
        folder / "two.spheresn",
    )
    said = sentence(capsys, "predict", folder / "two.spheresn", folder / "lorenz.csv")
    assert "FILE must have 2 column(s) of numbers, got 3; leave the others out" in said
