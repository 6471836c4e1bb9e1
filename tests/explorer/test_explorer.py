"""Behind the explorer's panels stand pure functions: settings survive a link, numbers equal those
of the library, the code runs.
"""

from __future__ import annotations

import io
import json
import signal
import socket
import subprocess
import sys
import threading
import warnings
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import spheresn as sn
from conftest import monthly
from spheresn.apps.cli import main
from spheresn.estimators import LearnedClimate
from spheresn_explorer import compute, pictures, signals, worker
from spheresn_explorer.cache import Cache, Superseded
from spheresn_explorer.code import _delays_text
from spheresn_explorer.jobs import KEPT, TABS, Jobs
from spheresn_explorer.own import columns_of
from spheresn_explorer.panels import Panels
from spheresn_explorer.settings import (
    ACTIVATIONS,
    DIALS,
    DRIVES,
    MOST_COLUMNS,
    MOST_FORECAST_STEPS,
    Settings,
    from_query,
    to_query,
)
from spheresn_explorer.signals import (
    BUILT_IN,
    MOST_BYTES,
    UPLOADS,
    Catalogue,
    Source,
    series_from,
    table_from,
)
from spheresn_explorer.worker import forecast_aside

SMALL = {"units": 40, "signal": "mso"}
HANGS = 150  # seconds after which nothing comes any more


def silent(stage: str) -> None:
    """Nobody gives up here."""


@pytest.fixture(scope="module")
def panels() -> Panels:
    return Panels(Catalogue())


@pytest.fixture(scope="module")
def wave() -> np.ndarray:
    return sn.datasets.mso(600)


def dial(name: str) -> st.SearchStrategy[float]:
    one = DIALS[name]
    return st.floats(one.position(one.low), one.position(one.high)).map(one.value)


@given(
    st.builds(
        Settings,
        signal=st.sampled_from(["lorenz", "file1", "upload-0a"]),
        activation=st.sampled_from(ACTIVATIONS),
        topology=st.sampled_from(["ring", "gaussian"]),
        drive=st.sampled_from(DRIVES),
        units=st.integers(10, 2000),
        seed=st.integers(0, 10**6),
        column=st.integers(1, MOST_COLUMNS),
        steps=st.integers(0, MOST_FORECAST_STEPS),
        **{name: dial(name) for name in DIALS},
    )
)
def test_a_link_restores_the_settings(settings):
    assert from_query(f"?{to_query(settings)}") == settings
    assert all(
        one.value(one.position(getattr(settings, name))) == getattr(settings, name)
        for name, one in DIALS.items()
    )


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("units=5000", "units must be a whole number from 10 to 2000, got 5000"),
        ("units=20.5", "units must be a whole number"),
        ("steps=1001", "steps must be a whole number from 1 to 1000, got 1001"),
        ("column=0", "column must be a whole number from 1 to 500, got 0"),
        ("units=many", "units must be a number, got 'many'"),
        ("memory=nan", "memory must be in"),
        ("memory=1e9", "memory must be in"),
        ("leak=0", "leak must be in"),
        ("topology=tree", "topology must be one of"),
        ("file=/etc/passwd", "link must name only"),
        ("seed=" + "1" * 2000, "link must have at most"),
    ],
)
def test_a_bad_link_is_one_sentence(query, words):
    with pytest.raises(ValueError, match=words):
        from_query(query)


OTHERS = ("xls", "zip", "png", "pdf", "html", "json", "csv.gz", "")
# The beginning of files of other kinds, whatever they are called
OTHER_FORMATS = {
    b"PK\x03\x04\x14\x00\x06\x00\x08\x00\x00\x00!\x00\xe9" * 50: "(UTF-8|whole NPY)",
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00" * 50: "(UTF-8|whole NPY)",
    b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\n" * 50: "(column of numbers|whole NPY)",
    b"<!doctype html>\n<p>no table</p>\n" * 50: "(column of numbers|whole NPY)",
    b"\x00" * 500: " must ",
    b"": "got the empty file",
}


def npy(values) -> bytes:
    file = io.BytesIO()
    np.save(file, values)
    return file.getvalue()


def test_files_are_read_by_their_ending():
    rows = np.random.default_rng(0).normal(size=(300, 2))
    lines = "\n".join(
        f"{date(2026, 1, 1) + timedelta(k)},{a!r},{b!r}" for k, (a, b) in enumerate(rows.tolist())
    )
    assert np.array_equal(table_from("a.npy", npy(rows)), rows)
    assert np.array_equal(table_from("a.csv", f"day,a,b\n{lines}\n".encode()), rows)
    assert np.array_equal(
        table_from("a.txt", "\n".join(f"{a!r};{b!r}" for a, b in rows.tolist()).encode()), rows
    )


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.exe", b"", "ending of the file must be one of"),
        ("a.csv", b"", "got the empty file 'a.csv'"),
        ("a.csv", b"1,2\n3\n", "must end with a number, got none in row 2; remove these rows$"),
        ("a.csv", b"1\n" * 9, "at least 10 rows"),
        ("a.csv", b"1\n" * 300 + b"hole\n", "got .hole. in row 301; correct the cell$"),
        ("a.csv", b"a,b\n" + b"1,2\n" * 9 + b"1,\n", "got none in row 11; remove these rows$"),
        (
            "a.csv",
            b"a,b\n" + b"x,y\n" * 20,
            "column of numbers, got 'x' in row 2 of 'a' in 'a.csv'",
        ),
        ("a.csv", b"1" * (MOST_BYTES + 1), "at most 50 MB"),
        ("a.npy", b"PK nothing", "must be a whole NPY file"),
        ("a.npy", npy(np.zeros((300, MOST_COLUMNS + 1))), "at most 12 columns"),
        ("a.npy", npy(np.zeros((100, 1900))), "at most 50 columns, got 1900 in 'a.npy'; keep"),
        ("a.csv", b"1" + b",1" * 1899 + b"\n1" * 9, "at most .* columns"),
        *(
            (f"a{ending}", content, words)
            for content, words in OTHER_FORMATS.items()
            for ending in (".csv", ".npy")
        ),
        *((f"a.{ending}", b"1\n" * 20, "ending of the file must be one of") for ending in OTHERS),
        (
            "a.npy",
            npy(np.zeros((3, 3, 3))),
            "real numbers in rows and columns, got shape .* in 'a.npy'",
        ),
        (
            "a.npy",
            npy(np.array([{}], dtype=object)),
            "must hold real numbers .* of type object in 'a.npy'",
        ),
    ],
)
def test_a_bad_file_is_one_sentence(name, content, words):
    with pytest.raises(ValueError, match=words):
        table_from(name, content)


def test_a_catalogue_knows_its_files_only_and_few_uploads(tmp_path):
    path = tmp_path / "own.npy"
    np.save(path, np.arange(400.0))
    catalogue = Catalogue([path])
    assert np.array_equal(catalogue.source("file1").make(), np.arange(400.0)[:, None])
    for name in (str(path), "../own.npy", "file2", "upload-0"):
        with pytest.raises(ValueError, match="signal must be"):
            catalogue.source(name)
    names = [catalogue.take("u.npy", npy(np.arange(400.0) + k)) for k in range(UPLOADS + 1)]
    with pytest.raises(ValueError, match="upload it again"):
        catalogue.source(names[0])
    assert catalogue.take("other.npy", npy(np.arange(400.0) + UPLOADS)) == names[-1]


def test_a_catalogue_offers_the_laser_only_where_it_can_be_read(monkeypatch):
    def missing():
        raise FileNotFoundError

    assert "laser" in Catalogue().titles()
    monkeypatch.setattr(sn.datasets, "santa_fe_laser", missing)
    assert set(BUILT_IN) - set(Catalogue().titles()) == {"laser"}


def test_a_file_too_large_is_refused_before_it_is_read(tmp_path):
    with (tmp_path / "large.csv").open("wb") as file:
        file.truncate(MOST_BYTES + 100_000)
    with pytest.raises(ValueError, match=r"FILE must have at most 50 MB, got 50\.1 MB; shorten it"):
        Catalogue([tmp_path / "large.csv"])


def test_the_code_writes_the_delays_of_the_view():
    """In full for a short series, in ranges for a long one."""
    for rows in (300, 600, 1000, 2400):
        assert eval(_delays_text(compute.Cut(rows))) == list(compute.Cut(rows).delays)
    assert "range" not in _delays_text(compute.Cut(300)) and "range" in _delays_text(
        compute.Cut(2400)
    )


@pytest.mark.parametrize(("valid", "words"), [(0, "0 steps:"), (1, "1 step:"), (3, "all 3 steps:")])
def test_valid_steps_are_counted_in_words(valid, words):
    source = Source("x", lambda: np.zeros((3, 1)), "")
    result = compute.Forecast(np.zeros((3, 1)), np.zeros((3, 1)), valid)
    assert f"Valid for {words} error below" in pictures.forecast_words(result, source)


def test_the_forecast_says_whether_long_runs_stay():
    source = Source("x", lambda: np.zeros((3, 1)), "")
    left = LearnedClimate("different", "as told", starts=16, left=2, steps=16_000, lasting=4000)
    result = compute.Forecast(np.zeros((3, 1)), np.zeros((3, 1)), 3, left)
    words = pictures.forecast_words(result, source)
    assert words.endswith("2 of 16 end as something else, none within 4,000 steps.")


@pytest.mark.parametrize(
    ("exponent", "words"),
    [
        (-np.inf, "all exponents are −∞"),
        (-0.5, "a trace fades to 1/e in 2 steps"),
        (0.5, "differences grow"),
    ],
)
def test_an_exponent_is_reported_as_a_memory(exponent, words):
    spectrum = sn.analysis.LyapunovSpectrum(
        np.array([exponent]), np.zeros(1), np.array([[exponent]]), np.ones(1, np.int64)
    )
    assert words in pictures.spectrum_words(spectrum, Settings())


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("topology", ["ring", "gaussian"])
def test_the_memory_dial_gives_the_exponent_it_names(wave, activation, topology):
    settings = Settings(activation=activation, topology=topology, units=40, memory=5.0)
    links = compute.drawn(settings)
    drive = compute.found_drive(wave, settings, activation, links, silent)
    net = compute.network(wave, settings, activation, links, drive)
    taught = net.signal[: compute.Cut(len(wave)).train - 1]
    assert sn.analysis.max_lyapunov(net.reservoir, taught, transient=100).exponent == pytest.approx(
        -1 / 5.0, abs=2e-3
    )


@pytest.mark.parametrize("leak", [1.0, 0.6])
def test_the_exponents_of_a_linear_network_are_the_logarithms_of_its_eigenvalues(panels, leak):
    settings = Settings(
        activation="linear", topology="gaussian", drive="scaling", leak=leak, **SMALL
    )
    net = panels.network(settings, "linear", silent)
    matrix = (1 - leak) * np.eye(40) + leak * net.reservoir.recurrent.toarray()
    exact = np.sort(np.log(np.abs(np.linalg.eigvals(matrix))))[::-1]
    assert np.allclose(compute.spectrum(net).exponents, exact[: compute.EXPONENTS], atol=0.01)
    assert compute.echo(net).rate == pytest.approx(exact[0])


def test_the_trajectory_is_that_of_the_singular_vectors(panels):
    net = panels.network(Settings(**SMALL), "spherical", silent)
    result, states = (
        compute.trajectory(net),
        sn.drive(net.reservoir, net.signal)[compute.Cut(len(net.signal)).skip :],
    )
    assert np.allclose(np.linalg.norm(states, axis=1), 1.0)
    centred = states - states.mean(axis=0)
    left, values, _ = np.linalg.svd(centred, full_matrices=False)
    assert np.allclose(np.abs(result.points), np.abs(left[:, :3] * values[:3]), atol=1e-8)
    assert np.allclose(result.shares, values[:3] ** 2 / (values**2).sum())


VIEWS = [
    Settings(**SMALL),
    Settings(activation="tanh", topology="gaussian", **SMALL),
    Settings(activation="linear", topology="rotation", memory=20.0, leak=0.5, seed=3, **SMALL),
    Settings(
        drive="scaling",
        spectral_radius=1.1,
        input_scaling=0.3,
        bend=0.0,
        bias=0.0,
        units=40,
        signal="henon",
    ),
    Settings(activation="tanh", drive="scaling", topology="sparse", units=40, signal="henon"),
]


@pytest.mark.parametrize("settings", VIEWS, ids=to_query)
def test_the_code_makes_the_numbers_of_the_view(panels, settings, capsys):
    made: dict = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sn.estimators.OutOfRange)
        exec(panels.panel("code", settings, silent), made)
    panel = {
        name: panels.panel(name, settings, silent)
        for name in ("trajectory", "spectrum", "echo", "forecast", settings.activation)
    }
    net = panels.network(settings, settings.activation, silent)
    assert np.allclose(made["states"], sn.drive(net.reservoir, net.signal), atol=1e-9)
    assert np.allclose(made["spectrum"].exponents, panel["spectrum"].exponents, atol=1e-6)
    assert np.allclose(made["curve"].test, panel[settings.activation].test, atol=1e-3)
    assert np.allclose(np.abs(made["trajectory"]), np.abs(panel["trajectory"].points), atol=1e-6)
    assert made["echo"].verdict == panel["echo"].verdict
    assert made["valid"] == pytest.approx(panel["forecast"].valid, abs=3)
    assert "the forecast is valid for" in capsys.readouterr().out


def test_a_file_name_cannot_break_out_of_the_code(panels):
    name = panels.catalogue.take("x\"); import os #'.npy", npy(np.sin(np.arange(600.0))))
    text = panels.panel("code", Settings(signal=name, units=40), silent)
    compile(text, "view", "exec")
    assert repr("x\"); import os #'.npy") in text


def test_every_picture_is_a_valid_figure(panels):
    plotly = pytest.importorskip("plotly.graph_objects")
    settings = Settings(**SMALL)
    panel = {
        name: panels.panel(name, settings, silent)
        for name in ("trajectory", "spectrum", "forecast", *ACTIVATIONS)
    }
    recall = pictures.Recall({name: panel[name] for name in ACTIVATIONS}, {})
    drawn = [pictures.memory(recall, settings), pictures.spectrum(panel["spectrum"], settings)]
    drawn += [
        pictures.trajectory(panel["trajectory"]),
        pictures.forecast(panel["forecast"], settings),
        pictures.blank(),
    ]
    assert [len(plotly.Figure(figure).data) for figure in drawn] == [3, 1, 1, 2, 0]


def test_what_is_out_of_reach_is_a_sentence(panels):
    with pytest.raises(ValueError, match="memory must be"):
        panels.panel(
            "spectrum", Settings(topology="delay_line", activation="linear", **SMALL), silent
        )


def test_a_memo_makes_a_value_once_and_forgets_the_oldest():
    cache, made = Cache(2), []
    for key in ("a", "b", "a", "c", "a", "b"):
        cache.get(key, lambda key=key: made.append(key))
    assert made == ["a", "b", "c", "b"]


def test_a_failure_is_forgotten_though_its_place_was_taken_meanwhile():
    cache = Cache(1)

    def fail():
        assert cache.get("other", lambda: 3) == 3
        raise KeyError

    with pytest.raises(KeyError):
        cache.get("key", fail)
    assert cache.get("other", lambda: 4) == 3 and cache.get("key", lambda: 5) == 5


def test_who_waits_for_a_value_that_was_given_up_makes_it():
    cache, begun, go, given_up = Cache(2), threading.Event(), threading.Event(), []

    class Key:
        """Lets the first one give up as soon as a second one has asked, and not before."""

        def __hash__(self):
            return 0

        def __eq__(self, other):
            go.set()
            return True

    def give_up():
        begun.set()
        go.wait(HANGS)
        raise Superseded

    def first():
        try:
            cache.get(Key(), give_up)
        except Superseded:
            given_up.append("given up")

    thread = threading.Thread(target=first)
    thread.start()
    assert begun.wait(HANGS) and cache.get(Key(), lambda: 7) == 7
    thread.join(HANGS)
    assert given_up == ["given up"]


def test_a_newer_move_supersedes_an_older_one_of_its_own_tab_only():
    jobs, go, ended = Jobs(), threading.Event(), []

    def work(name):
        def run(report):
            go.wait(HANGS)
            report("on")
            ended.append(name)
            return name

        return run

    assert (
        jobs.ask("one tab", "old", work("old")).waiting
        and jobs.ask("other tab", "shared", work("shared")).waiting
    )
    assert jobs.ask("one tab", "shared", work("shared")).waiting  # old is given up
    # Shared is not: the other tab waits for it
    assert jobs.ask("one tab", "new", work("new")).waiting
    go.set()
    assert jobs.ask("one tab", "new", work("new"), patience=HANGS).value == "new"
    assert jobs.ask("other tab", "shared", work("shared"), patience=HANGS).value == "shared"
    assert sorted(ended) == ["new", "shared"]


def test_an_answer_found_though_nobody_waits_any_more_is_kept():
    jobs, begun, go, ended = Jobs(), threading.Event(), threading.Event(), threading.Event()

    def old(report):
        begun.set()
        go.wait(HANGS)
        return "old"

    jobs.ask("tab", "old", old)
    job = jobs._jobs["old"]
    assert (
        begun.wait(HANGS)
        and jobs.ask("tab", "new", lambda report: "new", patience=HANGS).value == "new"
    )
    go.set()
    assert job.future is not None and job.future.result(HANGS).value == "old"
    assert jobs.ask("tab", "old", lambda report: ended.set()).value == "old" and not ended.is_set()


def test_a_fault_of_the_program_is_a_sentence_not_a_trace(caplog):
    answer = Jobs().ask("tab", "key", lambda report: {}["missing"], patience=HANGS)
    assert "error of the program" in answer.problem and "missing" not in answer.problem
    assert "KeyError" in caplog.text


def test_a_missing_part_of_the_library_is_not_blamed_on_dash(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "spheresn_explorer.app", None)
    assert main(["explore"]) == 70
    assert "has a defect" in capsys.readouterr().err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_server_has_done_its_work(monkeypatch, number):
    app = pytest.importorskip("spheresn_explorer.app")
    before = {one: signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)}
    monkeypatch.setattr(app, "serve", lambda *arguments: signal.raise_signal(number))
    try:
        assert main(["explore"]) == 0
        # A second Ctrl-C does not disturb the end
        assert signal.getsignal(number) is signal.SIG_IGN
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def test_a_missing_file_is_one_sentence(tmp_path, capsys):
    pytest.importorskip("dash")
    assert main(["explore", str(tmp_path / "none.csv")]) == 2
    said = capsys.readouterr().err
    assert "FILE must be an existing file" in said and said.count("\n") == 1


def test_a_place_that_is_taken_or_not_ours_is_one_sentence(capfd):
    pytest.importorskip("dash")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        # The second is an address kept for examples, which no machine has
        for host in ("127.0.0.1", "192.0.2.1"):
            assert main(["explore", "--host", host, "--port", str(port)]) == 2
            said = capfd.readouterr().err
            assert f"got {host} and {port}" in said and said.count("\n") == 1


def test_a_connection_that_says_nothing_does_not_hold_a_thread_for_ever(monkeypatch, capfd):
    pytest.importorskip("dash")
    from spheresn_explorer import app

    monkeypatch.setattr(app, "_warm_up", lambda panels: None)
    monkeypatch.setattr(app.Patient, "timeout", 0.2)
    listening = app.server([], "127.0.0.1", 0)
    serving = threading.Thread(target=listening.serve_forever)
    serving.start()
    try:
        for said in (b"", b"GET / HT", b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nhalf"):
            with socket.create_connection(("127.0.0.1", listening.port), timeout=HANGS) as silent:
                silent.sendall(said)
                while silent.recv(4096):  # waits until the server hangs up; in vain, if it does not
                    pass
    finally:
        listening.shutdown()
        serving.join()
        listening.server_close()
    assert capfd.readouterr().err == ""


def test_what_a_desk_remembers_is_bounded():
    """However many tabs come and views are asked for."""
    jobs = Jobs()
    for number in range(TABS + 50):
        assert (
            jobs.ask(("tab", number), number % (KEPT + 50), lambda report: 7, patience=HANGS).value
            == 7
        )
    assert len(jobs._wanted) == TABS and len(jobs._answers) == KEPT and not jobs._jobs


def test_the_bias_slider_sets_the_strength_of_the_bias(panels):
    one, two = (
        panels.network(Settings(bias=bias, drive="scaling", **SMALL), "spherical", silent)
        for bias in (1.0, 2.0)
    )
    assert one.reservoir.bias.any()
    assert np.allclose(two.reservoir.bias, 2.0 * one.reservoir.bias, rtol=1e-12)


def test_a_wide_file_is_refused_before_its_cells_are_read(monkeypatch):
    def never(*arguments):
        raise AssertionError

    monkeypatch.setattr("spheresn.apps.tables.read.table_of", never)
    lines = b",".join([b"1.5"] * 1900) + b"\n"
    for name, content in {"a.csv": lines * 200, "a.npy": npy(np.ones((200, 1900)))}.items():
        with pytest.raises(ValueError, match="at most 50 columns, got 1900"):
            table_from(name, content)


@pytest.fixture(scope="module")
def own(tmp_path_factory) -> tuple[Path, Panels]:
    """A file with dates, and the panels of an explorer that was given it."""
    path = tmp_path_factory.mktemp("own") / "two years.csv"
    path.write_bytes(monthly())
    return path, Panels(Catalogue([path]))


def test_the_forecast_of_a_file_is_that_of_the_command_line(own, tmp_path, capsys):
    path, panels = own
    stages: list[str] = []
    (result,) = panels.panel("own", Settings(signal="file1", steps=9), stages.append)
    assert {"record 1 of 4", "fitting"} <= set(stages)
    assert main(["forecast", str(path), "--steps", "9", "--json", "--out", str(tmp_path)]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert result.names == ("sales", "stock") == tuple(answer["columns"])
    for column, name in enumerate(result.names):
        numbers = answer["forecast"]["columns"][name]
        assert result.values[:, column].tolist() == numbers["value"]
        assert result.lower[:, column].tolist() == numbers["lower"]
        assert result.upper[:, column].tolist() == numbers["upper"]
        texts = [texts[column].partition(":")[0] for texts in result.hover]
        assert texts == answer["forecast"]["time"]
    ratio = answer["record"]["relative_error"]["combination"]
    assert f"its error was {ratio:.2g} times that of the seasonal naive method" in result.judged
    assert f"had {ratio:.2g} times the error" in answer["verdict"][0]
    assert all(
        f"{100 * s:.0f} % {name}" in answer["verdict"][0] for name, s in result.shares.items()
    )
    assert sum(result.shares.values()) == pytest.approx(1.0, abs=0.02)
    assert answer["seasons"] == [12] and result.seasons == "Season of 12 rows"
    assert result.notes == ["left out, not numbers: region"]


SHOPS = {"Oslo": 60, "Köln": 48}  # rows


def long_table() -> bytes:
    """The same sales in two shops, of which one opened later; the flat one never changes."""
    lines = monthly().decode().splitlines()[1:]
    rows = [
        f"{shop},{','.join(line.split(',')[:2])}"
        for shop, count in SHOPS.items()
        for line in lines[-count:]
    ]
    rows += [f"flat,{line.split(',')[0]},7" for line in lines]
    return "\n".join(["shop,month,sales", *rows, ""]).encode()


def test_the_series_of_a_long_table_are_forecast_as_on_the_command_line(tmp_path, capsys):
    """One work for all of them; the column chooses which of them is shown, and drives networks."""
    panels, path = Panels(Catalogue()), tmp_path / "shops.csv"
    path.write_bytes(long_table())
    assert main(["forecast", str(path), "--steps", "3", "--json", "--out", str(tmp_path)]) == 0
    answer = json.loads(capsys.readouterr().out)
    name = panels.catalogue.take("shops.csv", long_table())
    chosen = [Settings(signal=name, steps=3, column=k, units=40) for k in (1, 2, 3)]
    assert panels.catalogue.source(name).columns == ("Oslo", "Köln", "flat")
    assert len({panels.key("own", one) for one in chosen}) == 1
    assert len({panels.key("trajectory", one) for one in chosen}) == 3
    found = panels.panel("own", chosen[0], silent)
    for result, one in zip(found, answer["series"], strict=True):
        (numbers,) = one["forecast"]["columns"].values()
        assert result.names == ("sales",) and result.values[:, 0].tolist() == numbers["value"]
    assert found[2].values.tolist() == [[7.0]] * 3
    assert any(note.startswith("long form: 3 series of 'sales'") for note in found[0].notes)
    truth = table_from("a.csv", monthly())[:, 0]
    assert [panels.series(one)[:, 0].tolist() for one in chosen] == [
        truth.tolist(),
        truth[-48:].tolist(),
        [7.0] * 60,
    ]
    assert panels.dates(chosen[1])[-1] == "2024-12-01T00:00:00"
    code = panels.code(chosen[1], silent)
    assert "table_from('shops.csv', open('shops.csv', \"rb\").read(), 2)[:2400]" in code
    assert np.array_equal(table_from("s.csv", long_table(), 2)[:, 0], truth[-48:])


def test_all_uploads_together_have_a_limit(monkeypatch):
    """The oldest one leaves: 800 bytes of numbers and 1,600 of times each, and room for two. A
    single file, with all its cells in one column, always fits.
    """
    assert signals.MOST_UPLOADED_CELLS * (8 + signals.CLOCK_BYTES) <= signals.MOST_KEPT
    monkeypatch.setattr(signals, "MOST_KEPT", 2 * (100 * (8 + signals.CLOCK_BYTES)))
    catalogue = Catalogue()
    names = [catalogue.take("a.npy", npy(np.sin(k + np.arange(100.0)))) for k in range(3)]
    sizes = [catalogue.source(name).size for name in names[1:]]
    assert sizes == [100 * (8 + signals.CLOCK_BYTES)] * 2
    with pytest.raises(ValueError, match="upload it again"):
        catalogue.source(names[0])


def test_a_file_of_too_many_cells_or_series_is_one_sentence(monkeypatch):
    monkeypatch.setattr(signals, "MOST_UPLOADED_CELLS", 99)
    with pytest.raises(ValueError, match="at most 99 cells, got 120; shorten it"):
        table_from("a.npy", npy(np.ones((60, 2))))
    monkeypatch.setattr(signals, "MOST_UPLOADED_CELLS", 10_000)
    monkeypatch.setattr(signals, "MOST_LONG_SERIES", 2)
    with pytest.raises(ValueError, match="file must have at most 2 series, got 3"):
        table_from("a.csv", long_table())


def test_the_axis_of_a_file_with_dates_has_dates(own):
    plotly = pytest.importorskip("plotly.graph_objects")
    _, panels = own
    settings = Settings(signal="file1", column=2, steps=2, units=40)
    (result,) = panels.panel("own", settings, silent)
    figure = pictures.own_forecast(result, settings)
    assert len(plotly.Figure(figure).data) == 5
    lower, upper, data, _, ahead = figure["data"]
    assert ahead["x"] == ["2025-01-01T00:00:00", "2025-02-01T00:00:00"] == lower["x"] == upper["x"]
    assert data["x"][-1] == "2024-12-01T00:00:00" and data["x"][0] == "2020-01-01T00:00:00"
    assert figure["layout"]["xaxis"]["type"] == "date"
    assert figure["layout"]["yaxis"]["title"]["text"] == "stock"
    assert data["y"] == table_from("a.csv", monthly())[:, 1].tolist()
    # The free run of the network: its last training row is row 50 of 60
    dates = panels.dates(settings)
    assert (dates[0], dates[-1], len(dates)) == ("2024-02-01T00:00:00", "2024-12-01T00:00:00", 11)
    free = pictures.forecast(panels.panel("forecast", settings, silent), settings, dates)
    assert free["data"][0]["x"] == dates[1:] and free["layout"]["xaxis"]["type"] == "date"


@pytest.mark.parametrize(
    ("name", "content", "title", "first"),
    [
        ("a.npy", npy(np.sin(np.arange(30.0))), "row", 31.0),
        ("a.csv", b"t,x\n" + b"".join(b"%d,%d\n" % (2 * k, k % 3) for k in range(30)), "t", 60.0),
    ],
)
def test_without_dates_the_axis_counts(name, content, title, first):
    panels = Panels(Catalogue())
    settings = Settings(signal=panels.catalogue.take(name, content), steps=1)
    (result,) = panels.panel("own", settings, silent)
    figure = pictures.own_forecast(result, settings)
    assert figure["data"][-1]["x"] == [first] and figure["layout"]["xaxis"]["type"] == "linear"
    assert figure["layout"]["xaxis"]["title"]["text"] == title and panels.dates(settings) == []


def test_what_a_file_cannot_give_is_one_sentence(own):
    _, panels = own
    constant = panels.catalogue.take("flat.npy", npy(np.ones(40)))
    assert panels.catalogue.source(constant).columns == ("column 1",)
    (flat,) = panels.panel("own", Settings(signal=constant, steps=3), silent)
    assert (
        np.allclose(flat.values, np.ones((3, 1)), rtol=1e-12)
        and "constant, and forecast as such" in flat.notes[0]
    )
    refused = {
        "steps must be at most 60, the rows of FILE, got 61; ask for fewer": ("file1", 61),
        "signal must be a file, got 'lorenz'; choose one": ("lorenz", 0),
    }
    for sentence, (name, steps) in refused.items():
        with pytest.raises(sn.BadInput) as caught:
            panels.panel("own", Settings(signal=name, steps=steps), silent)
        assert str(caught.value) == sentence


def test_sliders_are_no_part_of_the_forecast_of_a_file(own):
    _, panels = own
    keys = {
        panels.key("own", Settings(signal="file1", **moved))
        for moved in ({}, {"memory": 9.0}, {"units": 50, "seed": 3}, {"column": 2})
    }
    assert len(keys) == 1 and keys.isdisjoint(
        {panels.key("own", Settings(signal="file1", steps=3))}
    )


def test_a_forecast_that_nobody_waits_for_ends_its_process(monkeypatch):
    started, popen = list[Any](), subprocess.Popen

    def start(*arguments, **options):
        started.append(popen(*arguments, **options))
        return started[-1]

    def give_up(stage):
        raise Superseded

    monkeypatch.setattr(worker.subprocess, "Popen", start)
    with pytest.raises(Superseded):
        forecast_aside(series_from("a.csv", monthly()), 2, give_up)
    assert [process.returncode for process in started] == [-signal.SIGKILL]


def test_a_process_that_dies_is_a_sentence(caplog, capfd):
    broken = replace(series_from("a.csv", monthly()), values=None)
    answer = Jobs().ask(
        "tab", "key", lambda report: forecast_aside(broken, 2, report), "file", patience=HANGS
    )
    assert "error of the program" in answer.problem and "EOFError" in caplog.text
    assert "TypeError" in capfd.readouterr().err


def test_who_leaves_stops_work_and_the_end_of_the_server_stops_all():
    jobs, begun, ended = Jobs(), threading.Barrier(3), []

    def work(report):
        begun.wait(HANGS)
        try:
            while True:
                report("on")
        except Superseded:
            ended.append(True)
            raise

    jobs.ask("one", "a", work)
    jobs.ask("two", "b", work)
    begun.wait(HANGS)
    futures = [job.future for job in jobs._jobs.values()]
    jobs.leave("one")
    assert futures[0] is not None and futures[0].result(HANGS).waiting and list(jobs._jobs) == ["b"]
    jobs.close()
    assert futures[1] is not None and futures[1].result(HANGS).waiting and ended == [True, True]


def test_columns_are_those_that_vary():
    rows = np.column_stack([np.ones(20), np.arange(20.0), np.arange(20.0) ** 2])
    assert columns_of(series_from("a.npy", npy(rows))) == ("column 2", "column 3")


def called(app: Any, part: str, *values: Any) -> Any:
    """What the callback that writes a part of the page answers to these values."""
    name = next(one for one in app.callback_map if part in one)
    found = app.callback_map[name]
    asked = [*found["inputs"], *found["state"]]
    given = [{**one, "value": value} for one, value in zip(asked, values, strict=True)]
    outputs = [
        dict(zip(("id", "property"), one.rsplit(".", 1), strict=True))
        for one in name.strip(".").split("...")
    ]
    count = len(found["inputs"])
    body = {
        "output": name,
        "outputs": outputs,
        "inputs": given[:count],
        "state": given[count:],
        "changedPropIds": [f"{given[0]['id']}.{given[0]['property']}"],
    }
    answer = app.server.test_client().post("/_dash-update-component", json=body)
    assert answer.status_code == 200
    return answer.get_json()["response"]


def test_a_page_that_asks_for_no_file_or_a_lost_one_gets_a_sentence():
    build = pytest.importorskip("spheresn_explorer.app").build
    app = build(Panels(Catalogue()), Jobs())
    sentences = {
        "signal=upload-0": "upload it again",
        "steps=5000": "steps must be a whole number",
    }
    for query, words in sentences.items():
        note = called(app, "own-note.children", query, None, "tab")["own-note"]
        assert words in json.dumps(note) and note["data-shows"] == query
    offered = called(app, "column.options", "upload-0", "2")
    assert offered["column"] == {"options": [{"label": "–", "value": "1"}], "value": "1"}
    assert offered["column-field"] == {"hidden": True}
