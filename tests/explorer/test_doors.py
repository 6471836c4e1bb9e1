"""The doors of the explorer: it answers this machine and its own page only, gives out no file,
takes no flood, shows no insides.
"""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from threading import Event, Thread
from typing import Any

import numpy as np
import pytest

pytest.importorskip("dash")
from spheresn_explorer import app as explorer
from spheresn_explorer.jobs import Jobs
from spheresn_explorer.panels import Panels
from spheresn_explorer.signals import MOST_BYTES, Catalogue, table_from
from spheresn_explorer.uploads import _decoded

HANGS = 150  # seconds after which no answer comes any more
INSIDES = ("Traceback", "site-packages", "File &quot;", 'File "', "root:x:", "Werkzeug", "SECRET")


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Iterator[tuple[str, int]]:
    """A server with one file; another one that it was not given lies beside it, and the first is a
    link's neighbour.
    """
    folder = tmp_path_factory.mktemp("files")
    np.savetxt(folder / "own.csv", np.sin(np.arange(400.0)))
    (folder / "secret.csv").write_text("SECRET\n" * 400)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(explorer, "_warm_up", lambda panels: None)
        listening = explorer.server([folder / "own.csv"], "127.0.0.1", 0)
    Thread(target=listening.serve_forever, daemon=True).start()
    yield listening.server_address[:2]
    listening.shutdown()
    listening.server_close()


def ask(
    place, method: str, path: str, body: bytes | None = None, **headers: str
) -> tuple[int, str]:
    """Status and text, with the path sent as it is."""
    connection = HTTPConnection(*place, timeout=HANGS)
    connection.putrequest(method, path, skip_host="Host" in headers)
    for name, value in headers.items():
        connection.putheader(name.replace("_", "-"), value)
    if body is not None:
        connection.putheader("Content-Length", str(len(body)))
    connection.endheaders(body)
    answer = connection.getresponse()
    text = answer.read().decode("utf-8", "replace")
    connection.close()
    return answer.status, text


def test_it_listens_to_this_machine_only(place):
    assert place[0] == "127.0.0.1"
    from spheresn_explorer.commands import explore

    assert explore.__defaults__ is not None and "127.0.0.1" in explore.__defaults__


@pytest.mark.parametrize(
    "origin", ["http://elsewhere.example", "null", "https://127.0.0.1", "http://localhost:1"]
)
def test_another_page_is_refused(place, origin):
    assert ask(place, "GET", "/_dash-layout", Origin=origin)[0] == 403
    assert ask(place, "GET", "/_dash-layout", Origin=f"http://{place[0]}:{place[1]}")[0] == 200


@pytest.mark.parametrize(
    "host",
    [
        "elsewhere.example",
        "127.0.0.1.elsewhere.example",
        "elsewhere.example:8050",
        "[::2]:80",
        "",
        "0.0.0.0",
    ],
)
def test_another_name_is_refused(place, host):
    assert ask(place, "GET", "/", Host=host)[0] in (400, 403)


PATHS = [
    "/secret.csv",
    "/own.csv",
    "/assets/../app.py",
    "/assets/..%2fapp.py",
    "/assets/%2e%2e/%2e%2e/__init__.py",
    "/assets//etc/passwd",
    "/..%2f..%2fetc/passwd",
    "/assets/....//....//etc/passwd",
    "/assets/..%5c..%5capp.py",
    "/assets/%00",
    "/assets/explorer.js%00.csv",
    "/_dash-component-suites/dash/../../app.py",
    "/_dash-component-suites/os/path.py",
    "/_dash-component-suites/dash/%2e%2e/%2e%2e/numpy/__init__.py",
    "//etc/passwd",
    "/file:///etc/passwd",
]


@pytest.mark.parametrize("path", PATHS)
def test_no_path_leads_to_a_file(place, path):
    status, text = ask(place, "GET", path)
    assert status in (301, 302, 308, 400, 404) or "<title>spheresn explorer</title>" in text, (
        status,
        text[:200],
    )
    assert not [word for word in (*INSIDES, "import ") if word in text]


def call(place, body: bytes, **headers: str) -> tuple[int, str]:
    return ask(
        place,
        "POST",
        "/_dash-update-component",
        body,
        **{"Content_Type": "application/json", **headers},
    )


def callback(
    output: str, *inputs: tuple[str, str, Any], state: tuple[tuple[str, str, Any], ...] = ()
) -> bytes:
    """What the page sends when something changes."""
    wanted = [
        {"id": part.split(".")[0], "property": part.split(".")[1].split("@")[0]}
        for part in output.strip(".").split("...")
    ]
    sent = {
        "output": output,
        "outputs": wanted,
        "changedPropIds": [f"{inputs[0][0]}.{inputs[0][1]}"],
    }
    for name, parts in (("inputs", inputs), ("state", state)):
        sent[name] = [
            {"id": one, "property": property_name, "value": value}
            for one, property_name, value in parts
        ]
    return json.dumps(sent).encode()


def upload_output(place) -> str:
    known = json.loads(ask(place, "GET", "/_dash-dependencies")[1])
    return next(one["output"] for one in known if one["inputs"][0]["id"] == "upload-content")


def upload(place, name: Any, contents: Any) -> tuple[int, str]:
    sent = {"name": name, "contents": contents}
    return call(
        place,
        callback(
            upload_output(place),
            ("upload-content", "data", sent),
            state=(("signal", "options", []),),
        ),
    )


@pytest.mark.parametrize(
    "name",
    [
        "../../etc/passwd",
        "/etc/passwd",
        "own.csv",
        "a\x00.csv",
        "..",
        "",
        None,
        7,
        ["a.csv"],
        "x" * 9999 + ".csv",
    ],
)
def test_of_an_uploaded_name_only_the_ending_counts(place, name):
    """What is read is what was sent, never a file of that name."""
    status, text = upload(place, name, "data:text/csv;base64,MQoyCg==")
    assert status == 200 and (
        "ending of the file must be one of" in text or "at least 10 rows" in text
    ), text[:300]
    assert not [word for word in INSIDES if word in text]


@pytest.mark.parametrize(
    "contents", [None, 5, "", "data:;base64,%%%", "data:;base64,\u00e9", [], {"a": 1}]
)
def test_a_broken_upload_is_a_sentence(place, contents):
    status, text = upload(place, "a.csv", contents)
    assert status == 200 and "must" in text and not [word for word in INSIDES if word in text]


def test_large_uploads_take_turns(place, monkeypatch):
    """However many come at once, one is read at a time; small requests do not wait for them, and
    who waits too long gets a sentence.
    """
    large, small = "data:;base64," + "A" * explorer.LARGE, "data:text/csv;base64,MQoyCg=="
    there, most, begun, go_on = [], [0], Event(), Event()
    take = Catalogue.take

    def slowly(self, name: str, content: bytes) -> str:
        if name == "large.csv":
            there.append(name)
            most[0] = max(most[0], len(there))
            begun.set()
            go_on.wait(HANGS)
            there.pop()
        return take(self, name, content)

    monkeypatch.setattr(Catalogue, "take", slowly)
    with ThreadPoolExecutor(4) as threads:
        first = threads.submit(upload, place, "large.csv", large)
        assert begun.wait(HANGS) and "at least 10 rows" in upload(place, "b.csv", small)[1]
        with monkeypatch.context() as patch:
            patch.setattr(explorer, "LONGEST_WAIT", 0.01)
            status, text = upload(place, "large.csv", large)
        assert status == 503 and text == "file must wait for others, got no turn; upload it again\n"
        others = [threads.submit(upload, place, "large.csv", large) for _ in range(3)]
        go_on.set()
        answers = [one.result() for one in (first, *others)]
    assert most == [1] and all(status == 200 and "must" in text for status, text in answers)


def test_a_flood_is_refused_before_it_is_read(place):
    assert call(place, b"[" * (MOST_BYTES * 2))[0] == 413
    with pytest.raises(ValueError, match="must arrive whole"):
        _decoded("data:;base64,\u00e9")


def test_a_flood_without_a_length_is_refused(place):
    with socket.create_connection(place, timeout=HANGS) as line:
        head = [
            "POST /_dash-update-component HTTP/1.1",
            f"Host: {place[0]}",
            "Content-Type: application/json",
            "Transfer-Encoding: chunked",
        ]
        line.sendall("\r\n".join([*head, "", ""]).encode())
        try:
            for _ in range(2 * MOST_BYTES // 2**16):
                line.sendall(b"10000\r\n" + b"[" * 2**16 + b"\r\n")
        except OSError:
            return  # it hung up
        line.sendall(b"0\r\n\r\n")
        assert line.recv(12)[-3:] in (b"400", b"413", b"500")


BODIES = [
    b"",
    b"{}",
    b"[]",
    b"null",
    b"{",
    b"[" * 20_000,
    b'{"output":"x"}',
    b'{"output":"query.data","inputs":[]}',
    b"\xff\xfe",
]


@pytest.mark.parametrize("body", BODIES, ids=lambda body: body[:12].decode("latin-1"))
def test_an_error_shows_no_insides(place, body):
    status, text = call(place, body)
    assert status == 400 and "; load the page again" in text and text.count("\n") == 1
    assert not [word for word in INSIDES if word in text]


@pytest.mark.parametrize(
    "query",
    [
        "units=1e999",
        "signal=../../etc/passwd",
        "signal=%00",
        "memory=" + "[" * 400,
        "units=" + "9" * 900,
        "a=b",
    ],
)
def test_a_hostile_view_is_a_sentence(place, query, caplog):
    known = json.loads(ask(place, "GET", "/_dash-dependencies")[1])
    output = next(one["output"] for one in known if "spectrum-poll.disabled" in one["output"])
    body = callback(
        output,
        ("query", "data", query),
        ("spectrum-poll", "n_intervals", None),
        state=(("tab", "data", "t"), ("query", "data", query)),
    )
    status, text = call(place, body)
    assert status == 200 and "must" in text and not [word for word in INSIDES if word in text], (
        text[:300]
    )


def test_a_link_to_a_file_is_not_followed_by_name(tmp_path):
    """An upload is bytes: its name is not looked up, even where it is a link on this machine."""
    (tmp_path / "link.csv").symlink_to("/etc/passwd")
    rows = table_from(str(tmp_path / "link.csv"), b"1\n" * 300)
    assert rows.shape == (300, 1) and (rows == 1.0).all()
    assert not Path("link.csv").exists()


def test_a_panel_asked_for_before_there_are_settings_stays_as_it_is(place):
    """A click while the page still loads."""
    known = json.loads(ask(place, "GET", "/_dash-dependencies")[1])
    output = next(one["output"] for one in known if "code-poll.disabled" in one["output"])
    inputs = (
        ("code-query", "data", None),
        ("code-poll", "n_intervals", 0),
        ("code-button", "n_clicks", 1),
    )
    state = (("tab", "data", "tab"), ("query", "data", None))
    status, text = call(place, callback(output, *inputs, state=state))
    assert status == 200 and json.loads(text)["response"] == {}


HOSTILE: list[Any] = [
    *(None, True, -1, 5, 1e400, float("nan"), 10**400, "", "x", "\ud800", "\x00", "9" * 5000),
    *([], [[]], [5], {}, {"x": 1}, {"value": []}, {"props": {}, "type": "A", "namespace": "a"}),
]
FIRST = {"options": [], "n_clicks": 0}  # other properties have no value yet


@pytest.fixture(scope="module")
def dash() -> Iterator[Any]:
    """The application without a socket; a fault of its own is raised here."""
    jobs = Jobs()
    app = explorer.build(Panels(Catalogue()), jobs)
    explorer._refuse_others(app, explorer.Admission("127.0.0.1"))
    app.server.config["PROPAGATE_EXCEPTIONS"] = True
    yield app
    jobs.close()


def answered(dash: Any, body: Any) -> int:
    answer = dash.server.test_client().post("/_dash-update-component", data=json.dumps(body))
    json_sent = dash.server.test_client().post("/_dash-update-component", json=body)
    assert answer.status_code == 400 and b"must be JSON" in answer.data  # not said to be JSON
    if json_sent.status_code == 400:
        said = json_sent.get_data(as_text=True)
        assert " must be " in said and "; load the page again" in said and said.count("\n") == 1
    return int(json_sent.status_code)


def asked(dash: Any, name: str) -> dict[str, Any]:
    """A callback as the page sends it at first."""
    inputs, state = (
        [(one["id"], one["property"], FIRST.get(one["property"])) for one in kind]
        for kind in (dash.callback_map[name]["inputs"], dash.callback_map[name]["state"])
    )
    body: dict[str, Any] = json.loads(callback(name, *inputs, state=tuple(state)))
    if not name.startswith(".."):
        body["outputs"] = body["outputs"][0]
    return body


def test_no_callback_fails_whatever_the_page_sends(dash):
    """Any value in any place is answered, or refused by one sentence."""
    names = [name for name, one in dash.callback_map.items() if "callback" in one]
    assert len(names) > 8
    for name in names:
        for value in HOSTILE:
            everywhere = asked(dash, name)
            for one in (*everywhere["inputs"], *everywhere["state"]):
                one["value"] = value
            assert answered(dash, everywhere) in (200, 204, 400)
            for kind in ("inputs", "state"):
                for place in range(len(asked(dash, name)[kind])):
                    body = asked(dash, name)
                    body[kind][place]["value"] = value
                    assert answered(dash, body) in (200, 204, 400), (name, kind, place, value)


def test_a_malformed_callback_is_refused(dash):
    """Without a part, with a part of another kind, with more or fewer inputs."""
    for name, one in dash.callback_map.items():
        if "callback" not in one:
            continue
        whole = asked(dash, name)
        assert answered(dash, whole) in (200, 204)
        for part in ("output", "outputs", "inputs", "state", "changedPropIds"):
            for value in [one for one in HOSTILE if one != []]:
                assert answered(dash, {**whole, part: value}) == 400, (name, part, value)
        assert answered(dash, {**whole, "inputs": whole["inputs"][1:]}) == 400
        assert answered(dash, {**whole, "inputs": [*whole["inputs"], whole["inputs"][0]]}) == 400
        for key in ("id", "property"):
            wrong = [{**whole["inputs"][0], key: "other"}, *whole["inputs"][1:]]
            assert answered(dash, {**whole, "inputs": wrong}) == 400
        assert answered(dash, {**whole, "output": f"{name}x"}) == 400


def _stopped_by_its_terminal() -> None:
    """Also where the tests run under `nohup`, whose children ignore it too."""
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_DFL)


def _working_explorer(folder: Path) -> subprocess.Popen[str]:
    """An explorer that is at work on the forecast of a file, with its temporary files in a folder
    of its own.
    """
    rows = np.random.default_rng(0).normal(size=(2000, 8))
    np.save(folder / "long.npy", rows)
    (folder / "temporary").mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "spheresn", "explore", str(folder / "long.npy"), "--port", "0"],
        env={**os.environ, "TMPDIR": str(folder / "temporary")},
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=_stopped_by_its_terminal,
    )
    assert process.stderr is not None
    found = re.search(r"http://(.*):(\d+)/", process.stderr.readline())
    assert found
    known = json.loads(ask(found.groups(), "GET", "/_dash-dependencies")[1])
    output = next(one["output"] for one in known if "own-note.children" in one["output"])
    inputs = ("own", "data", "signal=file1"), ("own-poll", "n_intervals", 0)
    body, said = callback(output, *inputs, state=(("tab", "data", "t"),)), ""
    while "record" not in said:  # the process has the data, and works for many seconds more
        status, said = call(found.groups(), body)
        assert status == 200 and process.poll() is None
    return process


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="there are no such signals")
@pytest.mark.parametrize("name", ["SIGHUP", "SIGTERM", "SIGKILL"])
def test_however_it_ends_it_leaves_no_data(tmp_path, name):
    number = getattr(signal, name)
    with _working_explorer(tmp_path) as process:
        process.send_signal(number)
        said = process.communicate(timeout=HANGS)[1]  # until the process at work has ended too
    killed = number == signal.SIGKILL
    assert process.returncode == (-number if killed else 0)
    assert said == ("the server was killed\n" if killed else "")
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="there are no such signals")
def test_who_ignores_the_end_of_the_terminal_goes_on():
    from spheresn.apps._terminal import Stopped, stoppable

    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    try:
        with stoppable():
            signal.raise_signal(signal.SIGHUP)
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        others = [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)]
        with pytest.raises(Stopped), stoppable():
            signal.raise_signal(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)
        for one, handler in zip((signal.SIGINT, signal.SIGTERM), others, strict=True):
            signal.signal(one, handler)
