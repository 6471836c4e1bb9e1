"""The explorer in a real browser: dials change pictures, links restore views, bad input is a sentence, nothing comes from outside."""

from __future__ import annotations

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

pytest.importorskip("dash")
PANELS = ("trajectory", "memory", "spectrum", "forecast")
QUIET = "document.querySelectorAll('.took').length === 5 && document.querySelectorAll('.js-plotly-plot').length === 4"
HINTS = ("willReadFrequently", "GL Driver Message (OpenGL, Performance")  # Chromium's advice to plotly on speed, no faults


@pytest.fixture(scope="module")
def address(tmp_path_factory) -> Iterator[str]:
    """A running explorer with one file."""
    path = tmp_path_factory.mktemp("files") / "own wave.csv"
    np.savetxt(path, own_wave(), header="height", comments="")
    command = [sys.executable, "-m", "spheresn", "explore", str(path), "--port", "0"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    said = process.stderr.readline()
    found = re.search(r"http://\S+", said)
    assert found, said + process.stderr.read()
    yield found[0]
    process.terminate()
    rest = process.communicate(timeout=20)[1]
    assert process.returncode == 0 and rest == ""


def own_wave() -> np.ndarray:
    return np.sin(0.3 * np.arange(600.0)) + np.sin(0.41 * np.arange(600.0))


class Tab:
    """A tab that writes down what it asked for and what its console said."""

    def __init__(self, browser: Any, url: str, width: int = 1400, height: int = 900) -> None:
        self.page = browser.new_page(viewport={"width": width, "height": height})
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(url)
        self.wait()

    def wait(self, query: str | None = None) -> None:
        """Until the address shows the query and all panels have their numbers."""
        if query is not None:
            self.page.wait_for_function(f"location.search.includes('{query}')")
        self.page.wait_for_function(f"{QUIET} && !document.querySelector('.busy')", timeout=60_000)
        self.page.wait_for_timeout(700)  # a poll that was under way

    def changed(self, before: dict[str, Any]) -> dict[str, Any]:
        """The numbers in the pictures, once each of them is another one and they stay as they are."""
        for _ in range(60):
            after = self.drawn()
            if all(before[name] != after[name] for name in PANELS):
                self.wait()
                if self.drawn() == after:
                    return after
            self.page.wait_for_timeout(1000)
        raise AssertionError(f"these did not change: {[name for name in PANELS if before[name] == self.drawn()[name]]}")

    def words(self) -> dict[str, str]:
        """The sentence under each panel, without the time it took."""
        texts = {name: self.page.inner_text(f"#{name}-note") for name in (*PANELS, "echo")}
        return {name: re.sub(r"\s*\d+ ms$", "", text) for name, text in texts.items()}

    def drawn(self) -> dict[str, Any]:
        """The numbers in each picture."""
        read = "id => document.querySelector(`#${id}-figure .js-plotly-plot`).data.map(one => [...one.x, ...one.y])"
        return {name: self.page.evaluate(read, name) for name in PANELS}

    def message(self) -> str:
        return self.page.inner_text("#message")

    def choose(self, name: str, value: str) -> None:
        self.page.click(f"#{name} label:has-text('{value}')")

    def type(self, name: str, value: str) -> None:
        self.page.fill(f"input#{name}", value)
        self.page.press(f"input#{name}", "Enter")

    def close(self) -> None:
        assert [text for text in self.said if not any(hint in text for hint in HINTS)] == []
        self.page.close()


SMALL = "?units=50&signal=mso"


@pytest.fixture(scope="module")
def tab(browser, address) -> Iterator[Tab]:
    """One tab that stays open, since a page of four pictures takes seconds to load."""
    opened = Tab(browser, address + SMALL)
    yield opened
    opened.close()


def looked_at(tab: Tab, address: str, width: int) -> None:
    """Everything is drawn, from here, and fits."""
    assert {urlsplit(url).netloc for url in tab.asked if not url.startswith(("data:", "blob:"))} == {urlsplit(address).netloc}
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= width
    assert all(len(numbers) > 0 for numbers in tab.drawn().values())
    assert tab.page.evaluate("[...document.querySelectorAll('.figure')].every(one => one.getBoundingClientRect().width > 250)")
    if "SPHERESN_SCREENSHOTS" in os.environ:
        tab.page.screenshot(path=Path(os.environ["SPHERESN_SCREENSHOTS"], f"explorer-{width}.png"), full_page=width < 500)


def test_nothing_comes_from_outside_and_nothing_sticks_out_on_a_desk(tab, address):
    looked_at(tab, address, 1400)


def test_nothing_comes_from_outside_and_nothing_sticks_out_on_a_phone(browser, address):
    phone = Tab(browser, address, 390, 844)
    looked_at(phone, address, 390)
    phone.close()


def test_a_dial_changes_every_picture_its_link_restores_them_and_tabs_do_not_disturb_each_other(tab, browser):
    before = tab.drawn()
    tab.page.focus("#memory [role=slider]")
    for _ in range(4):
        tab.page.keyboard.press("ArrowRight")
    tab.wait("memory=")
    after = tab.changed(before)
    other = Tab(browser, tab.page.url)
    kept = other.drawn(), other.words(), other.page.url
    assert kept == (after, tab.words(), tab.page.url)
    tab.choose("activation", "linear")
    tab.wait("activation=linear")
    assert tab.words()["echo"].startswith("Echo state: yes, proved") and tab.drawn()["forecast"] != after["forecast"]
    assert (other.drawn(), other.words(), other.page.url) == kept
    other.close()


@pytest.mark.parametrize(
    ("name", "typed", "sentence"),
    [
        ("units", "9000", "units must be a whole number from 10 to 2000, got 9000"),
        ("seed", "<b>x</b>", "seed must be a number, got '<b>x</b>'"),
    ],
)
def test_bad_input_is_a_sentence_and_the_pictures_stay(tab, name, typed, sentence):
    before = tab.drawn()
    tab.type(name, typed)
    tab.page.wait_for_function("document.querySelector('#message').innerText !== ''")
    assert sentence in tab.message() and tab.drawn() == before
    tab.type(name, "60")
    tab.page.wait_for_function("document.querySelector('#message').innerText === ''")
    tab.wait(f"{name}=60")


def test_the_button_shows_the_code_of_the_view(tab):
    assert not tab.page.is_visible("#code-note")
    tab.page.click("#code-button")
    tab.page.wait_for_selector("#code-note:has-text('signal = model')")
    tab.choose("activation", "tanh")
    tab.page.wait_for_selector("#code-note:has-text(\"activation='tanh'\")")
    tab.page.click("#code-button")
    tab.wait()


def test_uploads_are_signals_or_sentences(tab, tmp_path):
    before = tab.drawn()
    np.save(tmp_path / "own.npy", own_wave())
    tab.page.set_input_files("#upload input", tmp_path / "own.npy")
    tab.wait("signal=upload-")
    assert tab.drawn()["forecast"][0] != before["forecast"][0]
    assert tab.drawn()["forecast"][0][100:] == pytest.approx(own_wave()[500:], rel=1e-3)  # its last sixth is the truth
    (tmp_path / "large.csv").write_bytes(b"1\n" * 2_600_000)
    tab.page.set_input_files("#upload input", tmp_path / "large.csv")
    tab.page.wait_for_function("document.querySelector('#message').innerText !== ''")
    assert tab.message() == "file must have at most 5 MB, got 5.2 MB; cut it or thin it out"
    (tmp_path / "short.csv").write_text("1\n2\n")
    tab.page.set_input_files("#upload input", tmp_path / "short.csv")
    tab.page.wait_for_function("document.querySelector('#message').innerText.includes('300')")


def test_heavy_work_shows_progress_and_leaves_other_tabs_alone(tab, browser, address):
    heavy = browser.new_page()
    heavy.goto(address + "?units=1500&topology=gaussian")
    heavy.wait_for_selector(".panel.busy .note:has-text('…')", timeout=60_000)
    tab.type("seed", "7")
    tab.wait("seed=7")
    assert heavy.query_selector(".busy") is not None
    heavy.fill("input#units", "50")
    heavy.press("input#units", "Enter")
    heavy.wait_for_function(f"{QUIET} && !document.querySelector('.busy')", timeout=60_000)
    heavy.close()


def test_a_bad_link_is_a_sentence(browser, address):
    page = Tab(browser, address + "?signal=/etc/passwd")
    assert "signal must be one of" in page.message() and "file1" in page.message() and "defaults" in page.message()
    page.close()


def test_a_memory_out_of_reach_is_a_sentence(browser, address):
    page = Tab(browser, address + "?units=50&signal=file1&activation=linear&topology=delay_line")
    assert page.words()["spectrum"].startswith("memory must be")
    page.close()


def test_the_server_answers_to_its_own_name_only(address):
    place = urlsplit(address)
    answers = []
    for name in (place.netloc, "elsewhere.example"):
        connection = HTTPConnection(place.hostname, place.port, timeout=20)
        connection.request("GET", "/", headers={"Host": name})
        answers.append(connection.getresponse().status)
        connection.close()
    assert place.hostname == "127.0.0.1" and answers == [200, 403]
