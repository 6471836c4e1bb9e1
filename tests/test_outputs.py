"""Where results go: files whole or absent, devices and pipes written into, and nothing overwritten
that a command reads.
"""

from __future__ import annotations

import os
import pty
import socket
import stat
import threading
import tty
from pathlib import Path

import numpy as np
import pytest

import fake_experiment as fake
import spheresn as sn
from spheresn.apps.cli import main
from spheresn.apps.paper.figures import EXPERIMENTS
from spheresn.io.files import CannotWrite, check_outputs, whole_file

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names are of Unix")
WAVE = np.sin(0.3 * np.arange(120.0)) + np.sin(0.7 * np.arange(120.0))


@pytest.fixture(scope="module")
def model():
    return sn.ESNForecaster(units=20, bend=0, memory=10, random_state=0).fit(WAVE[:, None])


@pytest.fixture
def place(tmp_path, monkeypatch, model):
    """A directory with a table and a model, to which the commands are called."""
    monkeypatch.chdir(tmp_path)
    Path("data.csv").write_text("\n".join(["x", *map(str, WAVE)]))
    np.save("field.npy", sn.datasets.lorenz96(60, rng=0))
    sn.save(model, "m.spheresn")
    return tmp_path


def refused(capsys, *arguments):
    """The one sentence with which a command refuses, having changed no file."""
    before = contents()
    assert main([str(one) for one in arguments]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "Traceback" not in said, said
    assert contents() == before
    return said


def contents():
    """Names, kinds and contents of all that lies here."""
    return {
        path: (path.lstat().st_mode, path.read_bytes() if path.is_file() else None)
        for path in Path().rglob("*")
    }


def write(path, text="result"):
    with whole_file(Path(path)) as draft:
        draft.write_text(text)


def fail_after_half(draft):
    draft.write_text("half")
    raise ZeroDivisionError


def read_pipe(path, found):
    with open(path, "rb") as pipe:
        found.append(pipe.read())


def reading(path):
    """A thread that reads a pipe to its end, and where the content will be."""
    found: list[bytes] = []
    thread = threading.Thread(target=read_pipe, args=(path, found))
    thread.start()
    return thread, found


# ---- what is written into


def test_a_pipe_is_written_into_and_stays(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    thread, found = reading(tmp_path / "pipe")
    write(tmp_path / "pipe", "result " * 100_000)  # more than a pipe holds at once
    thread.join()
    assert found == [b"result " * 100_000]
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes devices")
def test_a_device_is_written_into_and_stays(tmp_path, place, capsys):
    """The device is our own copy of /dev/null: who fails here replaces only that one."""
    try:
        os.mknod(tmp_path / "null", 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        write(tmp_path / "null")
    except PermissionError:
        pytest.skip("this place allows no devices")
    (tmp_path / "link").symlink_to("null")
    for name in ("null", "link"):
        assert main(["predict", "m.spheresn", "data.csv", "--steps", "3", "--out", name]) == 0
        assert stat.S_ISCHR(os.stat(name).st_mode) and os.path.getsize(name) == 0
    assert os.path.islink("link")


def test_a_terminal_is_written_into_and_stays():
    control, terminal = pty.openpty()
    try:
        tty.setraw(terminal)
        write(os.ttyname(terminal), "result\n")
        assert os.read(control, 100) == b"result\n"
    finally:
        os.close(control)
        os.close(terminal)


def test_an_open_descriptor_goes_on_where_it_is(tmp_path):
    """As after `>> log`: what was written stays, and the next write comes after it."""
    log = tmp_path / "log"
    log.write_text("first\n")
    with log.open("a") as file:
        for name in (f"/dev/fd/{file.fileno()}", f"/proc/self/fd/{file.fileno()}"):
            write(name, "result\n")
        os.write(file.fileno(), b"last\n")
    assert log.read_text() == "first\nresult\nresult\nlast\n"
    assert [path.name for path in tmp_path.iterdir()] == ["log"]


def test_predict_to_the_standard_output(place, capfd):
    assert main(["predict", "m.spheresn", "data.csv", "--steps", "3"]) == 0
    printed = capfd.readouterr().out
    Path("stdout").symlink_to("/proc/self/fd/1")  # as /dev/stdout is, which no failure may replace
    for name in ("stdout", "/dev/fd/1"):
        assert main(["predict", "m.spheresn", "data.csv", "--steps", "3", "--out", name]) == 0
        assert capfd.readouterr().out == printed


def test_a_writer_that_fails_puts_nothing_into_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    kept = os.open(tmp_path / "pipe", os.O_RDWR)  # so that no end waits for the other
    try:
        with pytest.raises(ZeroDivisionError), whole_file(tmp_path / "pipe") as draft:
            fail_after_half(draft)
        os.set_blocking(kept, False)
        with pytest.raises(BlockingIOError):
            os.read(kept, 1)
    finally:
        os.close(kept)


def test_models_and_figures_go_into_pipes(place, model, capsys):
    Path("out").mkdir()
    pipes = {name: Path("out", name) for name in ("m.spheresn", "analysis.svg")}
    for pipe in pipes.values():
        os.mkfifo(pipe)
    thread, found = reading(pipes["m.spheresn"])
    sn.save(model, pipes["m.spheresn"])
    thread.join()
    assert found == [Path("m.spheresn").read_bytes()]
    Path("long.csv").write_text("\n".join(["x", *map(str, np.sin(np.arange(400.0) ** 1.1))]))
    thread, found = reading(pipes["analysis.svg"])
    assert main(["analyse", "long.csv", "--units", "20", "--out", "out"]) == 0
    thread.join()
    assert found[0].startswith(b"<?xml") and stat.S_ISFIFO(pipes["analysis.svg"].stat().st_mode)


# ---- what is refused


def special(kind, path):
    """Make something at `path` that no file may replace, and what keeps it alive."""
    if kind == "directory":
        path.mkdir()
    elif kind == "link":
        path.with_name("target").write_text("mine")
        path.symlink_to("target")
    elif kind == "link to nothing":
        path.symlink_to("nowhere")
    elif kind == "link to itself":
        path.symlink_to(path.name)
    elif kind == "socket":
        server = socket.socket(socket.AF_UNIX)
        server.bind(path.name)  # in the current directory: such names are short
        return server
    return None


KINDS = {
    "directory": "got a directory; add the name of a file",
    "link": "got a link to 'target'; give the name of the file itself",
    "link to nothing": "got a link to 'nowhere'; give the name of the file itself",
    "link to itself": "must be writable, got Too many levels of symbolic links",
    "socket": "got a socket; choose a file or a pipe",
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("p.csv", ["predict", "m.spheresn", "data.csv", "--out", "p.csv"]),
        ("n.spheresn", ["fit", "data.csv", "--out", "n.spheresn"]),
        ("forecast.csv", ["forecast", "data.csv", "--out", "."]),
        ("report.html", ["forecast", "data.csv", "--out", "."]),
        ("forecast.npy", ["forecast", "field.npy", "--patch", "2", "--out", "."]),
        ("analysis.svg", ["analyse", "data.csv", "--out", "."]),
        ("claims.json", ["reproduce", "fake", "--preset", "quick", "--out", "."]),
        (".lock", ["reproduce", "fake", "--preset", "quick", "--out", "."]),
        ("report.html", ["report", "."]),
    ],
)
def test_what_cannot_be_replaced_is_refused_before_any_work(
    capsys, place, monkeypatch, kind, name, arguments
):
    monkeypatch.setitem(EXPERIMENTS, "fake", fake)
    kept = special(kind, place / name)
    said = refused(capsys, *arguments)
    if (name, kind) != ("n.spheresn", "directory"):  # `fit` has a sentence of its own
        assert KINDS[kind] in said
    if kept is not None:
        kept.close()


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_replaces_only_files(place, model, kind):
    kept = special(kind, place / "there")
    with pytest.raises(CannotWrite) as seen:
        sn.save(model, "there")
    assert KINDS[kind] in str(seen.value)
    if kept is not None:
        kept.close()


def test_a_name_with_a_zero_byte_is_refused(tmp_path, model):
    with pytest.raises(CannotWrite, match=r"got a name with a zero byte; choose another name"):
        sn.save(model, f"{tmp_path}/a\0b")


@pytest.mark.parametrize("closed", [True, False])
def test_a_descriptor_that_cannot_be_written_is_refused(capsys, place, closed):
    descriptor = os.open("data.csv", os.O_RDONLY)
    copy = os.dup(descriptor)
    if closed:
        os.close(copy)
    said = refused(capsys, "predict", "m.spheresn", "data.csv", "--out", f"/dev/fd/{copy}")
    assert "must be writable, got Bad file descriptor" in said
    os.close(descriptor)
    if not closed:
        os.close(copy)


def test_a_results_directory_holds_files_only(capsys, place, monkeypatch):
    """What a run writes there it also reads: nobody would ever write into the pipe."""
    monkeypatch.setitem(EXPERIMENTS, "fake", fake)
    Path("figures").mkdir()
    os.mkfifo("figures/fake.svg")
    said = refused(capsys, "reproduce", "fake", "--preset", "quick", "--out", ".")
    assert "fake.svg must be a place for a file, got a device or a pipe; remove it" in said


# ---- nothing is written to what is read


def same(kind, path):
    """Another name of the file at `path`."""
    if kind == "absolute":
        return str(path.absolute())
    if kind == "round about":
        return f"../{path.parent.name}/{path.name}"
    other = path.with_name(f"other{path.suffix}")
    if kind == "hard link":
        os.link(path, other)
    if kind == "through a linked directory":
        Path("here").symlink_to(".")
        return f"here/{path.name}"
    return other.name if kind == "hard link" else path.name


NAMES = ["itself", "absolute", "round about", "hard link", "through a linked directory"]


@pytest.mark.parametrize("kind", NAMES)
@pytest.mark.parametrize("source", ["m.spheresn", "data.csv"])
def test_predict_overwrites_neither_model_nor_data(capsys, place, kind, source):
    out = same(kind, place / source)
    said = refused(capsys, "predict", "m.spheresn", "data.csv", "--out", out)
    name = "MODEL" if source == "m.spheresn" else "FILE"
    assert f"--out must not overwrite {name}, got {out!r} for {source!r}; choose another" in said


@pytest.mark.parametrize("source", ["m.spheresn", "data.csv"])
@pytest.mark.parametrize("folder", ["/dev/fd", "/proc/self/fd"])
def test_nor_does_it_through_an_open_descriptor(capsys, place, source, folder):
    with open(source, "ab") as file:
        out = f"{folder}/{file.fileno()}"
        said = refused(capsys, "predict", "m.spheresn", "data.csv", "--out", out)
    assert "must not overwrite" in said


@pytest.mark.parametrize(
    ("written", "arguments"),
    [
        ("forecast.csv", ["forecast", "data.csv", "--out", "."]),
        ("forecast.svg", ["forecast", "data.csv", "--out", "."]),
        ("report.html", ["forecast", "data.csv", "--out", "."]),
        ("forecast.png", ["forecast", "field.npy", "--patch", "2", "--out", "."]),
        ("forecast.npy", ["forecast", "field.npy", "--patch", "2", "--out", "."]),
        ("n.spheresn", ["fit", "data.csv", "--out", "n.spheresn"]),
        ("analysis.png", ["analyse", "data.csv", "--out", "."]),
        ("analysis.svg", ["analyse", "m.spheresn", "data.csv", "--out", "."]),
    ],
)
def test_no_command_writes_to_what_it_reads(capsys, place, written, arguments):
    os.link(next(one for one in reversed(arguments) if one.endswith((".csv", ".npy"))), written)
    assert "must not overwrite" in refused(capsys, *arguments)


def test_the_outputs_of_one_command_are_different_files(capsys, place):
    Path("forecast.csv").write_text("earlier")
    os.link("forecast.csv", "report.html")
    said = refused(capsys, "forecast", "data.csv", "--out", ".")
    assert "outputs must be different files, got 'report.html' and 'forecast.csv'" in said


def test_what_may_be_written(place):
    """A file that stands there, one in a directory that does not exist yet, a linked directory."""
    Path("here").symlink_to(".")
    for name in ("old.csv", "deep/down/new.csv", "here/new.csv"):
        Path("old.csv").write_text("old")
        check_outputs([Path(name)], {"FILE": Path("data.csv"), "MODEL": None})
        write(name)
        assert Path(name).read_text() == "result"
