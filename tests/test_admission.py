"""Whoever comes by a foreign name or from another page is refused, at every address that the
explorer can listen at.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from threading import Thread
from typing import Any

import pytest

pytest.importorskip("dash")
from conftest import CHROMIUM, FLAGS
from spheresn.apps.cli import main
from spheresn.apps.explorer import app as explorer
from spheresn.apps.explorer.admission import Admission

HANGS = 150  # seconds after which no answer comes any more
FOREIGN = [
    *("elsewhere.example", "127.0.0.1.elsewhere.example", "localhost.elsewhere.example", ""),
    *("127.0.0.1@elsewhere.example", "[::1].elsewhere.example", "127.0.0.1, x", "x:y:1", "::1"),
]
ADDRESSES = ["127.0.0.1", "127.0.0.2", "127.1", "localhost", "LOCALHOST", "0.0.0.0", "0", "::1"]


def host_of(place: tuple[Any, ...]) -> str:
    """The Host that a browser sends which was sent to that place."""
    name = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(place[0], place[0])
    return f"[{name}]:{place[1]}" if ":" in name else f"{name}:{place[1]}"


@contextmanager
def listening(host: str, allowed: tuple[str, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Address and port of a server."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(explorer, "_warm_up", lambda panels: None)
        server = explorer.server([], host, 0, allowed=allowed)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.socket.getsockname()[:2]
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def status(place: tuple[Any, ...], host: str, origin: str | None = None) -> int:
    connection = HTTPConnection(*place, timeout=HANGS)
    headers = {"Host": host} if origin is None else {"Host": host, "Origin": origin}
    connection.request("GET", "/_dash-layout", headers=headers)
    answer = connection.getresponse()
    assert answer.status == 200 or answer.read().count(b"\n") == 1
    connection.close()
    return answer.status


@pytest.mark.parametrize("host", [*ADDRESSES, "::"])
def test_every_address_refuses_foreign_names_and_pages(host):
    if ":" in host:
        try:
            socket.create_server((host, 0), family=socket.AF_INET6).close()
        except OSError:
            pytest.skip("this machine has no IPv6")
    with listening(host) as place:
        own = host_of(place)
        assert status(place, own) == 200 == status(place, own, f"http://{own}")
        assert [status(place, name) for name in FOREIGN] == [403] * len(FOREIGN)
        port = place[1]
        others = [f"http://elsewhere.example:{port}", "null", "", f"https://{own}"]
        others += [f"http://{own}.elsewhere.example", f"http://{own}1", f"http://localhost:{port}"]
        assert [status(place, own, origin) for origin in others] == [403] * len(others)
        # A name of the attacker's that leads here is Host and Origin alike
        rebound = f"rebound.example:{port}"
        assert status(place, rebound, f"http://{rebound}") == 403


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_a_name_is_answered_if_it_was_allowed(host):
    with listening(host, ("Lab.example", "192.0.2.7")) as place:
        for name in ("lab.example", "LAB.example:80", "192.0.2.7"):
            assert status(place, name) == 200 == status(place, name, f"http://{name}")
            assert status(place, name, f"https://{name}") == 200  # of a proxy
            assert status(place, name, "http://elsewhere.example") == 403
        assert status(place, "sub.lab.example") == 403 == status(place, "lab.example.evil.example")


def test_one_address_is_not_another():
    assert Admission("192.0.2.1").problem("192.0.2.1:8050", None) == ""
    for other in ("192.0.2.2", "127.0.0.1", "localhost", "0.0.0.0"):
        assert "--allow-host" in Admission("192.0.2.1").problem(other, None)
        assert Admission("0.0.0.0").problem(other, None) == ""
    assert Admission("127.0.0.1").problem("[::FFFF:7f00:1]:80", "http://[::ffff:7F00:1]:80") == ""
    assert Admission("::ffff:127.0.0.1").problem("localhost", None) == ""
    assert Admission("fe80::1%lo").problem("[fe80::1]:80", None) == ""
    assert Admission("127.0.0.1", ["[2001:db8::1]"]).problem("[2001:DB8:0::1]", None) == ""


@pytest.mark.parametrize("name", ["", "http://lab.example", "lab.example:80", "*", "a b", "lab/x"])
def test_what_is_no_name_of_a_host_is_one_sentence(name, capsys):
    assert main(["explore", "--port", "0", "--allow-host", name]) == 2
    said = capsys.readouterr().err
    assert f"--allow-host must be the name of a host, such as lab.example.org, got {name!r}" in said
    assert said.count("\n") == 1


@pytest.mark.parametrize("host", ["", "a..b", "[::1]", "x" * 70, "nowhere.invalid"])
def test_what_is_no_address_of_this_machine_is_one_sentence(host, capfd):
    assert main(["explore", "--host", host, "--port", "0"]) == 2
    said = capfd.readouterr().err
    assert "must be a free address of this machine" in said and said.count("\n") == 1


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_a_name_that_is_rebound_to_this_machine_gets_nothing_in_a_browser(host):
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    sync_api = pytest.importorskip("playwright.sync_api")
    flags = [*FLAGS.split(), "--host-resolver-rules=MAP rebound.example 127.0.0.1"]
    with listening(host) as place, sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        page = chromium.new_page()
        answer = page.goto(f"http://rebound.example:{place[1]}/")
        assert answer.status == 403 and "--allow-host" in page.inner_text("body")
        assert page.goto(f"http://127.0.0.1:{place[1]}/").status == 200
        chromium.close()
