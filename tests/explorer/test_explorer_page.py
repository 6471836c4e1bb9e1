"""The explorer in a real browser: dials change pictures, links restore views, bad input is a
sentence, nothing comes from outside.

Every test opens pages of its own and waits for one sign: the attribute `data-settled`, which names
what all panels show.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest

from conftest import CHROMIUM, FLAGS, monthly

pytest.importorskip("dash")
PANELS = ("trajectory", "memory", "spectrum", "forecast")
NOTES = (*PANELS, "echo")
CURVES = {"trajectory": 1, "memory": 3, "spectrum": 1, "forecast": 2}
# Chromium's advice to plotly on speed, no faults
HINTS = ("willReadFrequently", "GL Driver Message (OpenGL, Performance")
# Milliseconds after which a page is given up. The first view takes minutes where nothing is
# compiled yet and other processes keep the cores busy.
HANGS = 600_000
SMALL = "?signal=mso&units=50"
ASKED = "**/_dash-update-component*"  # what a page asks the server for
# Whenever the sign changes: what it says, and what the panels show at this moment.
WITNESS = """
window.seen = [];
new MutationObserver(() => window.seen.push({
    settled: document.documentElement.dataset.settled ?? null,
    address: location.search,
    notes: ["trajectory", "memory", "spectrum", "forecast", "echo"].map(
        name => document.getElementById(`${name}-note`).dataset.shows),
    plots: [...document.querySelectorAll(".panel:not(.wide) .js-plotly-plot")].map(
        one => one.layout.meta?.shows),
    curves: [...document.querySelectorAll(".panel:not(.wide) .js-plotly-plot")].map(
        one => one.data.length),
})).observe(document, { subtree: true, attributeFilter: ["data-settled"] });
"""


@pytest.fixture(scope="module")
def sales(tmp_path_factory) -> Path:
    """A file with dates."""
    path = tmp_path_factory.mktemp("sales") / "sales.csv"
    path.write_bytes(monthly())
    return path


@pytest.fixture(scope="module")
def address(tmp_path_factory, sales) -> Iterator[str]:
    """A running explorer with two files."""
    path = tmp_path_factory.mktemp("files") / "own wave.csv"
    np.savetxt(path, own_wave(), header="height", comments="")
    files = [str(path), str(sales)]
    command = [sys.executable, "-m", "spheresn", "explore", *files, "--port", "0"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        said = process.stderr.readline()
        found = re.search(r"http://\S+", said)
        assert found, said + process.stderr.read()
        yield found[0]
    finally:
        process.terminate()
        rest = process.communicate(timeout=60)[1]
    assert process.returncode == 0 and rest == ""


def own_wave() -> np.ndarray:
    return np.sin(0.3 * np.arange(600.0)) + np.sin(0.41 * np.arange(600.0))


class Tab:
    """A tab that writes down what it asked for and what its console said."""

    def __init__(
        self, context: Any, url: str, width: int = 1400, height: int = 900, script: str = ""
    ) -> None:
        self.page = context.new_page()
        self.page.add_init_script(script)
        self.page.set_viewport_size({"width": width, "height": height})
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(url)

    def settled(self, wanted: str = "") -> Tab:
        """Once all panels show that; without words, once they show anything."""
        self.page.wait_for_selector(
            f"html[data-settled={json.dumps(wanted)}]" if wanted else "html[data-settled]",
            state="attached",
        )
        return self

    def sign(self) -> str | None:
        return self.page.get_attribute("html", "data-settled")

    def words(self) -> dict[str, str]:
        """The sentence under each panel, without the time it took."""
        texts = {name: self.page.inner_text(f"#{name}-note") for name in NOTES}
        return {name: re.sub(r"\s*\d+ ms$", "", text) for name, text in texts.items()}

    def drawn(self) -> dict[str, Any]:
        """The numbers in each picture."""
        read = (
            "id => document.querySelector(`#${id}-figure .js-plotly-plot`).data.map(one => "
            "[...one.x, ...one.y])"
        )
        return {name: self.page.evaluate(read, name) for name in PANELS}

    def choose(self, name: str, value: str) -> None:
        self.page.click(f"#{name} label:has-text('{value}')")

    def type(self, name: str, value: str) -> None:
        self.page.fill(f"input#{name}", value)
        self.page.press(f"input#{name}", "Enter")


@pytest.fixture(scope="module")
def context(browser) -> Iterator[Any]:
    """What pages share: files that do not change, such as plotly, and nothing else."""
    shared = browser.new_context()
    shared.set_default_timeout(HANGS)
    yield shared
    shared.close()


@pytest.fixture
def opened(context, address) -> Iterator[Any]:
    """Opens tabs, and closes them whatever happens; their consoles must have stayed silent."""
    tabs: list[Tab] = []

    def open_tab(link: str = SMALL, **options: Any) -> Tab:
        tabs.append(Tab(context, address + link, **options))
        return tabs[-1]

    yield open_tab
    for one in tabs:
        one.page.close()
    assert [
        text for one in tabs for text in one.said if not any(hint in text for hint in HINTS)
    ] == []


@pytest.fixture
def tab(opened) -> Tab:
    """A tab of this test alone, with a small network."""
    return opened().settled(SMALL)


def looked_at(tab: Tab, address: str, width: int, kind: str = "explorer") -> None:
    """Everything is drawn, from here, and fits."""
    assert {
        urlsplit(url).netloc for url in tab.asked if not url.startswith(("data:", "blob:"))
    } == {urlsplit(address).netloc}
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= width
    assert {name: len(curves) for name, curves in tab.drawn().items()} == CURVES
    assert tab.page.evaluate(
        "[...document.querySelectorAll('.panel:not([hidden]) .figure')].every(one => "
        "one.getBoundingClientRect().width > 250)"
    )
    if "SPHERESN_SCREENSHOTS" in os.environ:
        tab.page.screenshot(
            path=Path(os.environ["SPHERESN_SCREENSHOTS"], f"{kind}-{width}.png"),
            full_page=width < 500,
        )


def test_nothing_comes_from_outside_and_nothing_sticks_out_on_a_desk(tab, address):
    looked_at(tab, address, 1400)


def test_nothing_comes_from_outside_and_nothing_sticks_out_on_a_phone(opened, address):
    looked_at(opened(width=390, height=844).settled(SMALL), address, 390)


def test_a_dial_changes_every_picture_its_link_restores_them_and_tabs_do_not_disturb_each_other(
    tab, opened
):
    before = tab.drawn()
    tab.page.focus("#memory [role=slider]")
    for _ in range(4):  # to 0.5, 0.55, 0.6, 0.65 on the logarithmic scale
        tab.page.keyboard.press("ArrowRight")
    moved = f"{SMALL}&memory=4.47"
    after = tab.settled(moved).drawn()
    assert not [name for name in PANELS if before[name] == after[name]]
    other = opened(f"?{urlsplit(tab.page.url).query}")
    kept = other.settled(moved).drawn(), other.words(), other.page.url
    assert kept == (after, tab.words(), tab.page.url)
    tab.choose("activation", "linear")
    tab.settled("?signal=mso&activation=linear&units=50&memory=4.47")
    assert (
        tab.words()["echo"].startswith("Echo state: yes, proved")
        and tab.drawn()["forecast"] != after["forecast"]
    )
    assert (other.settled(moved).drawn(), other.words(), other.page.url) == kept


@pytest.mark.parametrize(
    ("name", "typed", "sentence"),
    [
        (
            "units",
            "9000",
            "units must be a whole number from 10 to 2000, got 9000; type such a number",
        ),
        ("seed", "<b>x</b>", "seed must be a number, got '<b>x</b>'; type one"),
    ],
)
def test_bad_input_is_a_sentence_and_the_pictures_stay(tab, name, typed, sentence):
    before = tab.drawn()
    tab.type(name, typed)
    tab.settled(f"{SMALL} {sentence}")
    assert tab.page.inner_text("#message") == sentence and tab.drawn() == before
    tab.type(name, "60")
    tab.settled("?signal=mso&units=60" if name == "units" else f"{SMALL}&seed=60")
    assert tab.page.inner_text("#message") == "" and tab.drawn() != before


def test_what_was_refused_can_be_taken_back(tab):
    tab.type("units", "5")
    tab.settled(f"{SMALL} units must be a whole number from 10 to 2000, got 5; type such a number")
    tab.type("units", "50")
    tab.settled(SMALL)


def test_the_button_shows_the_code_of_the_view(tab):
    assert not tab.page.is_visible("#code-note")
    tab.page.click("#code-button")
    tab.settled(f"{SMALL} code")
    assert "signal = model" in tab.page.inner_text("#code-note")
    tab.choose("activation", "tanh")
    tanh = "?signal=mso&activation=tanh&units=50"
    tab.settled(f"{tanh} code")
    assert "activation='tanh'" in tab.page.inner_text("#code-note")
    tab.page.click("#code-button")
    tab.settled(tanh)
    assert not tab.page.is_visible("#code-note")


def test_uploads_are_signals_or_sentences(tab, tmp_path):
    before = tab.drawn()
    np.save(tmp_path / "own.npy", own_wave())
    tab.page.set_input_files("#upload input", tmp_path / "own.npy")
    digest = hashlib.sha256((tmp_path / "own.npy").read_bytes()).hexdigest()
    view = f"?signal=upload-{digest[:16]}&units=50"
    after = tab.settled(view).drawn()
    assert after["forecast"][0] != before["forecast"][0]
    # Its last sixth is the truth
    assert after["forecast"][0][100:] == pytest.approx(own_wave()[500:], rel=1e-3)
    (tmp_path / "large.csv").write_bytes(b"1\n" * 25_100_000)
    tab.page.set_input_files("#upload input", tmp_path / "large.csv")
    tab.settled(
        f"{view} file must have at most 50 MB, got 50.2 MB; shorten it or keep every n-th row"
    )
    (tmp_path / "short.csv").write_text("1\n2\n")
    tab.page.set_input_files("#upload input", tmp_path / "short.csv")
    tab.settled(
        f"{view} file must have at least 10 rows to learn from and to forecast, got 2; pass a "
        "longer one"
    )


@pytest.mark.parametrize("name", ["a.xls", "a.zip", "a.png", "a.pdf", "a.html", "a"])
def test_a_file_of_another_kind_is_a_sentence_and_stays_in_the_browser(tab, tmp_path, name):
    (tmp_path / name).write_bytes(b"PK\x03\x04")
    asked = len(tab.asked)
    tab.page.set_input_files("#upload input", tmp_path / name)
    kinds = ".csv, .tsv, .txt, .parquet, .pq, .npy, .xlsx, .xlsm, .ods"
    words = f"file must end in {kinds}, got '{name}'; save the table as CSV"
    tab.settled(f"{SMALL} {words}")
    assert len([url for url in tab.asked[asked:] if url.startswith("http")]) <= 1


def test_an_empty_or_binary_file_is_a_sentence(tab, tmp_path):
    (tmp_path / "a.csv").write_bytes(b"")
    tab.page.set_input_files("#upload input", tmp_path / "a.csv")
    words = "FILE must hold a table, got the empty file 'a.csv'; check how it was written"
    tab.settled(f"{SMALL} {words}")
    (tmp_path / "b.csv").write_bytes(b"\x89PNG\r\n\x1a\n" * 9)
    tab.page.set_input_files("#upload input", tmp_path / "b.csv")
    words = (
        "FILE must be text in UTF-8, UTF-16 or cp1252, got other bytes in 'b.csv'; save it as CSV "
        "in UTF-8"
    )
    tab.settled(f"{SMALL} {words}")


def test_screen_readers_have_a_name_for_every_control_and_the_value_of_every_slider(tab):
    """The names come from Chromium's own tree of what it says to them."""
    page = tab.page
    names = {
        "slider": ["Memory", "Bend", "Bias", "Leak"],
        "listbox": ["Kind of network", "Strength set by"],
        "textbox": ["Units", "Seed"],
    }
    for role, wanted in names.items():
        for name in wanted:
            assert page.locator(".controls").get_by_role(role, name=name, exact=True).count() == 1
    for name in ("Signal Three sines", "Topology ring"):
        assert page.get_by_role("button", name=name, exact=True).count() == 1
    memory = page.get_by_role("slider", name="Memory", exact=True)
    assert memory.get_attribute("aria-valuetext") == "3"  # at the position log10(3)
    for place in page.get_by_role("slider").all():
        described = place.get_attribute("aria-describedby")
        assert page.inner_text(f"#{described}") and place.get_attribute("aria-valuetext")
    memory.press("ArrowRight")
    tab.settled(f"{SMALL}&memory=3.16")
    assert memory.get_attribute("aria-valuetext") == "3.16" == page.inner_text("#memory-value")
    tab.choose("drive", "radius and scaling")
    tab.settled(f"{SMALL}&drive=scaling&memory=3.16")
    scaling = page.get_by_role("slider", name="Input scaling", exact=True)
    assert scaling.get_attribute("aria-valuetext") == "0.1"
    assert page.get_by_role("slider", name="Spectral radius", exact=True).count() == 1


OWN = "?signal=file2&units=50"
# The numbers of a curve of the forecast of a file, and what stands at the axis
CURVE = """at => {
    const one = document.querySelector("#own-figure .js-plotly-plot").data.at(at);
    return { x: [...one.x], y: [...one.y], name: one.name };
}"""
TICKS = "[...document.querySelectorAll('#own-figure .xtick text')].map(one => one.textContent)"


def test_the_forecast_of_a_file_has_the_numbers_of_the_command_line_and_dates(
    opened, sales, tmp_path
):
    tab = opened(f"{OWN}&steps=6").settled(f"{OWN}&steps=6")
    command = [sys.executable, "-m", "spheresn", "forecast", str(sales), "--steps", "6", "--json"]
    done = subprocess.run([*command, "--out", str(tmp_path)], capture_output=True, check=True)
    answer = json.loads(done.stdout)
    months = [f"{month}-01T00:00:00" for month in answer["forecast"]["time"]]
    assert months[0] == "2025-01-01T00:00:00"
    for column, name in enumerate(("sales", "stock"), start=1):
        if column == 2:  # the other column is part of the same forecast
            tab.page.click("#column")
            tab.page.click("[role=option]:has-text('stock')")
            tab.settled(f"{OWN}&column=2&steps=6")
        numbers = answer["forecast"]["columns"][name]
        for at, part in ((0, "lower"), (1, "upper"), (4, "value")):
            curve = tab.page.evaluate(CURVE, at)
            assert curve["x"] == months and curve["y"] == numbers[part]
        assert tab.page.text_content("#own-figure .ytitle") == name
    assert {"2020", "2022", "2024"} <= set(tab.page.evaluate(TICKS))
    words = tab.page.inner_text("#own-note")
    ratio = answer["record"]["relative_error"]["combination"]
    assert f"its error was {ratio:.2g} times that of the seasonal naive method" in words
    assert "Season of 12 rows found" in words and "Left out, not numbers: region" in words
    for family in tab.page.eval_on_selector_all(".bars li", "all => all.map(one => one.innerText)"):
        name, share = family.split("\n")
        assert f"{share} {name}" in answer["verdict"][0]
    assert "spheresn forecast sales.csv --steps 6" in words


def test_the_series_of_a_long_table_are_searched_and_shown_one_at_a_time(tab, tmp_path):
    """Its forecast and its network; none of them is computed again for another series."""
    months = monthly().decode().splitlines()[1:]
    parts = [line.split(",")[:3] for line in months]
    rows = [f"{month},Oslo,{a}\n{month},Ulm,{b}" for month, a, b in parts]
    (tmp_path / "shops.csv").write_text("\n".join(["month,shop,sales", *rows]))
    digest = hashlib.sha256((tmp_path / "shops.csv").read_bytes()).hexdigest()
    view = f"?signal=upload-{digest[:16]}&units=50"
    tab.page.set_input_files("#upload input", tmp_path / "shops.csv")
    tab.settled(view)
    assert tab.page.inner_text("#column-label") == "Series"
    shown = tab.page.evaluate(CURVE, 2)["y"], tab.drawn()["forecast"][0]
    assert shown[0][-1] == float(parts[-1][1])
    tab.page.click("#column")
    tab.page.keyboard.type("ul")
    tab.page.click("[role=option]:has-text('Ulm')")
    tab.settled(f"{view}&column=2")
    other = tab.page.evaluate(CURVE, 2)["y"], tab.drawn()["forecast"][0]
    assert other[0] == [float(b) for _, _, b in parts] and other[1] != shown[1]
    assert tab.page.text_content("#own-figure .ytitle") == "sales"
    assert "Long form: 2 series of 'sales'" in tab.page.inner_text("#own-note")


def test_a_slider_does_not_ask_for_the_forecast_of_a_file_again(opened):
    tab = opened(OWN).settled(OWN)
    asked: list[str] = []
    tab.page.on("request", lambda request: asked.append(request.post_data or ""))
    before, free = tab.page.evaluate(CURVE, 4), tab.drawn()["forecast"]
    tab.page.focus("#memory [role=slider]")
    tab.page.keyboard.press("ArrowRight")
    tab.settled(f"{OWN}&memory=3.16")
    assert tab.page.evaluate(CURVE, 4) == before and tab.drawn()["forecast"] != free
    assert [one for one in asked if "forecast-note" in one]
    assert not [one for one in asked if "own-note" in one]


def test_steps_out_of_reach_are_a_sentence_in_the_panel_and_nothing_else_breaks(opened):
    tab = opened(OWN).settled(OWN)
    assert tab.page.is_visible("#own-panel") and tab.page.is_visible("#column")
    before = tab.drawn()
    tab.type("steps", "61")
    tab.settled(f"{OWN}&steps=61")
    sentence = "steps must be at most 60, the rows of FILE, got 61; ask for fewer"
    assert tab.page.inner_text("#own-note") == sentence and tab.drawn() == before
    tab.type("steps", "")
    tab.settled(OWN)
    assert "seasonal naive" in tab.page.inner_text("#own-note")
    tab.page.click("#signal")
    tab.page.click("[role=option]:has-text('Three sines')")
    tab.settled(SMALL)
    assert not tab.page.is_visible("#own-panel")


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_the_forecast_of_a_file_fits_on_a_desk_and_on_a_phone(opened, address, width, height):
    tab = opened(OWN, width=width, height=height).settled(OWN)
    looked_at(tab, address, width, "own")


def test_heavy_work_shows_progress_and_leaves_other_tabs_alone(tab, opened):
    heavy = opened("?units=2000&topology=gaussian")  # a hundred times the work of the other tab
    # Stays until it is given up below
    heavy.page.wait_for_selector(".panel.busy .note:has-text('…')")
    tab.type("seed", "7")
    tab.settled(f"{SMALL}&seed=7")
    assert heavy.sign() is None and heavy.page.query_selector(".busy") is not None
    heavy.type("units", "50")
    heavy.settled("?topology=gaussian&units=50")


def test_work_on_a_file_shows_progress(tab, tmp_path):
    np.save(tmp_path / "long.npy", np.random.default_rng(0).normal(size=(2000, 8)))
    tab.page.set_input_files("#upload input", tmp_path / "long.npy")
    tab.page.wait_for_selector("#own-panel.busy #own-note:has-text('Trying all methods')")
    tab.page.click("#signal")
    tab.page.click("[role=option]:has-text('Three sines')")
    tab.settled(SMALL)
    assert not tab.page.is_visible("#own-panel")


def test_a_bad_link_is_a_sentence(opened):
    sign = opened("?signal=/etc/passwd").settled().sign()
    assert sign.startswith("? signal must be one of") and "file1" in sign and "defaults" in sign


def test_a_memory_out_of_reach_is_a_sentence(opened):
    link = "?signal=file1&activation=linear&topology=delay_line&units=50"
    assert opened(link).settled(link).words()["spectrum"].startswith("memory must be")


def shows(sign: str, seen: dict[str, Any]) -> bool:
    """Whether address, notes and pictures with all their curves are those of the query that the
    sign names.
    """
    query = sign.split(" ")[0]
    here = {f"?{one}" for one in (*seen["notes"], *seen["plots"])} | {seen["address"]}
    return here == {query} and seen["curves"] == list(CURVES.values())


def test_the_sign_never_names_a_view_that_is_not_all_there(opened):
    """Moves come faster than answers, back and forth, some of them refused."""
    tab = opened(script=WITNESS).settled(SMALL)
    for typed in ("1", "2", "x", "3", "0", "4"):
        tab.type("seed", typed)
    tab.settled(f"{SMALL}&seed=4")
    seen = [one for one in tab.page.evaluate("window.seen") if one["settled"] is not None]
    assert seen and [one for one in seen if not shows(one["settled"], one)] == []


class Held:
    """Keeps back what a tab asks for one panel."""

    def __init__(self, tab: Tab, name: str) -> None:
        self.tab, self.name, self.holds, self.routes = tab, name, True, list[Any]()
        tab.page.route(ASKED, self._take)

    def _take(self, route: Any) -> None:
        if self.holds and f"{self.name}-note.children" in route.request.post_data:
            self.routes.append(route)
        else:
            route.continue_()

    def until_others_show(self, query: str) -> None:
        for other in {*NOTES} - {self.name}:
            self.tab.page.wait_for_selector(
                f"#{other}-note[data-shows='{query}']", state="attached"
            )
        self.holds = False
        assert self.routes and self.tab.sign() is None

    def release(self) -> None:
        """Until all that was kept back is answered."""
        for route in self.routes:
            with self.tab.page.expect_response(
                lambda response, one=route.request: response.request == one
            ):
                route.continue_()


def test_the_sign_waits_for_every_panel(tab):
    tab.page.click("#code-button")
    tab.settled(f"{SMALL} code")
    for seed, name in enumerate((*NOTES, "code"), start=1):
        held, view = Held(tab, name), f"{SMALL}&seed={seed}"
        tab.type("seed", str(seed))
        held.until_others_show(view[1:])
        held.release()
        tab.settled(f"{view} code")


def test_an_answer_that_comes_too_late_changes_nothing(tab):
    held, view = Held(tab, "forecast"), f"{SMALL}&seed=2"
    tab.type("seed", "1")
    held.until_others_show("signal=mso&units=50&seed=1")
    tab.type("seed", "2")
    after = tab.settled(view).drawn()
    held.release()
    assert tab.settled(view).drawn() == after


def test_the_example_of_the_documentation_runs(tab, address, tmp_path):
    text = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
    (script,) = re.findall(r"^```py\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert "http://127.0.0.1:8050/" in script and "chromium.launch()" in script
    installed = f"chromium.launch(executable_path={CHROMIUM!r}, args={FLAGS.split()!r})"
    script = script.replace("http://127.0.0.1:8050/", address).replace(
        "chromium.launch()", installed
    )
    script = script.replace(
        "    page.goto", f"    page.set_default_timeout({HANGS})\n    page.goto"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert (
        tmp_path / "henon.png"
    ).stat().st_size > 50_000 and "units must be a whole number" in done.stdout


def test_the_server_answers_to_its_own_name_only(address):
    place = urlsplit(address)
    answers = []
    for name in (place.netloc, "elsewhere.example"):
        connection = HTTPConnection(place.hostname, place.port, timeout=HANGS / 1000)
        connection.request("GET", "/", headers={"Host": name})
        answers.append(connection.getresponse().status)
        connection.close()
    assert place.hostname == "127.0.0.1" and answers == [200, 403]
