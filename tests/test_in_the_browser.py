"""The page "In the browser" in a real one: what it draws is what Python says."""

import base64
import hashlib
import http.server
import importlib
import re
import tarfile
import threading
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import spheresn as sn

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
MADE = ROOT / "build" / "browser" / "in-the-browser"


class Silent(http.server.SimpleHTTPRequestHandler):
    extensions_map = {  # noqa: RUF012
        ".js": "text/javascript",
        ".mjs": "text/javascript",
        ".html": "text/html; charset=utf-8",
        ".wasm": "application/wasm",
        "": "application/octet-stream",
    }

    def log_message(self, *_):
        pass


@pytest.fixture
def site(tmp_path):
    """The part of the site that the page consists of, and a server on loopback."""
    markdown = (DOCS / "guide" / "browser.md").read_text(encoding="utf-8")
    (html,) = re.findall(r"```\{raw\} html\n(.*?)```", markdown, re.DOTALL)
    (tmp_path / "guide").mkdir()
    page = f"<!doctype html><meta charset='utf-8'><title>x</title>{html}"
    (tmp_path / "guide" / "browser.html").write_text(page, encoding="utf-8")
    (tmp_path / "_static").symlink_to(DOCS / "_static")
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(Silent, directory=str(tmp_path))
    )
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield tmp_path, f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


def opened(browser, address):
    """The page, what it asked for from elsewhere, and the errors it met."""
    page, foreign, errors = browser.new_page(), [], []
    page.route(
        lambda url: not url.startswith(address), lambda route: (foreign.append(1), route.abort())
    )
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{address}/guide/browser.html")
    return page, foreign, errors


def test_the_page_forecasts_as_python_does(browser, site):
    if not (MADE / "runtime").is_dir():
        pytest.skip("build/browser is missing; `make runtime` fetches what the page needs from npm")
    folder, address = site
    (folder / "in-the-browser").symlink_to(MADE)
    page, foreign, errors = opened(browser, address)
    page.wait_for_selector("#in-the-browser[data-start], #in-the-browser[data-failed]")
    assert page.get_attribute("#in-the-browser", "data-start") == "250", page.inner_text("output")
    series = sn.datasets.lorenz(6400)
    model = sn.ESNForecaster(units=200, observation_noise=0, random_state=0).fit(series[:4000])
    for before, start in ((0, 250), (250, 600)):
        page.eval_on_selector(
            "input", f"x => {{ x.value = {start}; x.dispatchEvent(new Event('input')) }}"
        )
        page.wait_for_selector(f"#in-the-browser[data-start='{start}']")
        found = page.eval_on_selector("#in-the-browser", "place => place.forecast")
        run = np.reshape(found, (-1, 3))
        python = model.update(series[4000 + before : 4000 + start]).forecast(1400)
        assert run.shape == (1400, 3)
        assert np.abs(run[0] - python[0]).max() < 1e-6  # the rows of the page have nine digits
        assert np.abs(run[:100] - python[:100]).max() < 1e-2
        true = sn.metrics.valid_time(series[4000 + start :][:1400], run, dt=0.02) * 0.906
        assert f"From row {start}: true for {true:.1f} Lyapunov times." in page.inner_text("output")
    lines = page.query_selector_all("svg .forecast")
    assert len(lines) == 3 and not foreign and not errors
    assert all(line.bounding_box()["height"] > 50 for line in lines)
    page.close()


def test_without_its_runtime_the_page_says_what_to_do(browser, site):
    page, foreign, _ = opened(browser, site[1])
    page.wait_for_selector("#in-the-browser[data-failed]")
    said = page.inner_text("output")
    assert "cannot run the model" in said and "make docs" in said and not foreign
    assert page.is_disabled("input")
    page.close()


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))
    return importlib.import_module("browser")


def test_only_the_tested_package_is_unpacked(script, tmp_path):
    archive, names = tmp_path / "p.tgz", script.FILES
    with tarfile.open(archive, "w:gz") as package:
        for name in (*names, "../evil"):
            (tmp_path / "file").write_text(name)
            package.add(tmp_path / "file", f"package/dist/{name}")
    digest = base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
    with pytest.raises(SystemExit, match="is not the package that was tested"):
        script.unpack(archive, tmp_path / "out", script.DIGEST)
    assert not (tmp_path / "out").exists()
    script.unpack(archive, tmp_path / "out", digest)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(names)


def test_without_npm_the_site_is_built_without_the_runtime(script, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(script, "FOLDER", tmp_path / "made")
    monkeypatch.setattr(script.shutil, "which", lambda name: None)
    script.main()
    assert "npm is not installed" in capsys.readouterr().out and not (tmp_path / "made").exists()
