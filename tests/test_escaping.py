"""Names and messages from files are printed, drawn and served literally: they steer no terminal, no
template, no formula and no browser.
"""

from __future__ import annotations

import csv
import io
import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from rich.progress import Progress

from elements import Elements
from spheresn.apps.cli import main
from spheresn.apps.cli.output import print_rows
from spheresn_paper import progress
from spheresn_paper.commands import _report_sections
from spheresn_paper.report import Hole, Section, page
from spheresn_paper.runner import Unit

SCRIPT, TEMPLATE, FORMULA = "<script>alert(1)</script>", "{{7*7}}", "=HYPERLINK(1)"
NAMES = [SCRIPT, TEMPLATE, r"$\frac{", "\x1b[31mred\x07", FORMULA]
FILE = "\x1b]0;title\x07<b>[red]\udcff.csv"  # the last but the ending is a byte that is no text
UNIT = Unit("fake", "{}", '{"index":0}', 0)
NASTY = "\x1b[2J[/red] [bold] \\ \u202e<img src=x onerror=alert(1)>"


def is_safe(text: str) -> bool:
    """Whether a terminal shows it and does nothing else."""
    return all(letter.isprintable() or letter == "\n" for letter in text)


@pytest.fixture(scope="module")
def forecasted(tmp_path_factory) -> Path:
    """A table whose file, columns and left-out column have hostile names, and its forecast."""
    folder = tmp_path_factory.mktemp("hostile")
    waves = np.sin(
        np.outer(np.arange(70), np.linspace(0.2, 0.6, len(NAMES)))
    ) + 0.1 * np.random.default_rng(0).normal(size=(70, 1))
    with (folder / FILE).open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow([*NAMES, "new\nline"])
        rows.writerows([*map(repr, row), NASTY] for row in waves.tolist())
    return folder


@pytest.fixture(scope="module")
def written(forecasted) -> Path:
    assert (
        main(
            [
                "forecast",
                str(forecasted / FILE),
                "--steps",
                "3",
                "--out",
                str(forecasted / "out"),
            ]
        )
        == 0
    )
    return forecasted / "out"


def test_the_page_and_the_figure_show_names_literally(written):
    text = (written / "report.html").read_text(encoding="utf-8")
    # Data and the page's own script; which hash the page allows is tested with the page
    assert Elements(text).tags.count("script") == 2
    assert Elements(text).only_drawings() and is_safe(text)
    assert (
        "{{7*7}}" in text
        and r"\x1b[31mred\x07" in text
        and "&lt;script&gt;" in text
        and "$\\frac{" in text
    )
    assert r"\x1b]0;title\x07&lt;b&gt;[red]\udcff.csv" in text
    assert ElementTree.parse(written / "forecast.svg").getroot().tag.endswith("svg")


def test_the_csv_keeps_every_name_to_the_letter(written):
    """A header must be found again by programs, so a name that a spreadsheet takes for a formula
    stays as it came; docs/cli.md says so.
    """
    head, *rows = csv.reader(io.StringIO((written / "forecast.csv").read_text(encoding="utf-8")))
    assert head[1::3] == NAMES and all(np.isfinite(float(cell)) for row in rows for cell in row[1:])


def test_in_a_browser_nothing_runs(browser, written):
    tab, said = browser.new_page(), []
    tab.on("dialog", lambda dialog: said.append(dialog.message))
    tab.on("console", lambda message: said.append(message.text))
    tab.goto((written / "report.html").as_uri())
    assert SCRIPT in tab.inner_text("body") and TEMPLATE in tab.inner_text("body") and not said
    tab.close()


def test_a_terminal_is_not_steered(forecasted, capsys, monkeypatch):
    data, model = str(forecasted / FILE), str(forecasted / "m.spheresn")
    assert main(["fit", data, "--units", "20", "--out", model]) == 0
    assert main(["forecast", data, "--column", NASTY]) == 2
    assert main(["predict", model, data + NASTY]) == 2
    said = capsys.readouterr()
    assert is_safe(said.out) and is_safe(said.err) and r"[red]\udcff.csv" in said.out + said.err
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    print_rows([["time", *NAMES]])
    assert is_safe(capsys.readouterr().out)


def test_failures_are_reported_literally():
    lines: list[str] = []
    progress.Lines({"fake": 1}, lines.append)(UNIT, NASTY, 1.0)
    assert all(map(is_safe, lines)) and "[bold]" in lines[0]
    screen = Console(file=io.StringIO(), force_terminal=True, width=300, color_system=None)
    with Progress(console=screen, auto_refresh=False) as bars:
        progress.unit_bars(bars, {"fake": 1})(UNIT, NASTY, 1.0)
    shown = next(line for line in screen.file.getvalue().splitlines() if "failed" in line)  # type: ignore[attr-defined]
    assert r"\x1b[2J[/red] [bold] \ " in shown and "\u202e" not in shown


def test_a_run_and_a_claim_are_reported_literally(tmp_path, capsys):
    section = Section(
        "fake",
        "Fig. 0",
        "t",
        "smoke",
        {},
        0,
        "c",
        problem=NASTY,
        notes=(NASTY,),
        holes=(Hole("{}", NASTY),),
        units=1,
    )
    assert _report_sections(tmp_path, [section]) == 1
    claim = dict.fromkeys(("id", "figure", "source", "says", "measured", "rule", "verdict"), NASTY)
    (tmp_path / "claims.json").write_text(json.dumps([{**claim, "evidence": {NASTY: NASTY}}]))
    assert main(["show", NASTY, "--out", str(tmp_path)]) == 0
    assert main(["show", NASTY + "x", "--out", str(tmp_path)]) == 2
    said = capsys.readouterr()
    assert is_safe(said.out + said.err) and said.out.count("[bold]") > 8
    assert is_safe(page([section])) and "<img" not in page([section])
