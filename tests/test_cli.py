"""The command line is a function from arguments to an exit code; bad input is one sentence and the
code 2.
"""

from __future__ import annotations

import importlib
import io
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import fields
from pathlib import Path

import pytest
import xarray as xr

import fake_experiment as fake
from runs import finish, rows, start
from spheresn import BadInput, __version__
from spheresn.apps.cli import main
from spheresn.apps.cli.output import print_parts, show_stages
from spheresn_paper import claim as claims
from spheresn_paper import progress
from spheresn_paper.figures import EXPERIMENTS, VERDICTS
from spheresn_paper.progress import Lines, show_units
from spheresn_paper.runner import Unit


@pytest.fixture(autouse=True)
def _known(monkeypatch):
    monkeypatch.setitem(EXPERIMENTS, "fake", fake)


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> Path:
    """A directory with the two drawings and the fake experiment, of which one unit fails."""
    out = tmp_path_factory.mktemp("finished") / "results"
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(EXPERIMENTS, "fake", fake)
        assert (
            main(
                [
                    "reproduce",
                    "schematic",
                    "geometry",
                    "--preset",
                    "smoke",
                    "--out",
                    str(out),
                    "--jobs",
                    "2",
                ]
            )
            == 0
        )
        assert (
            main(
                [
                    "reproduce",
                    "fake",
                    "--preset",
                    "paper",
                    "--out",
                    str(out),
                    "--jobs",
                    "1",
                    "--seed",
                    "5",
                ]
            )
            == 1
        )
    return out


def sentence(capsys, *arguments: object) -> str:
    """What stderr says when the input is bad: one line, and nothing else anywhere."""
    assert main([str(argument) for argument in arguments]) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.startswith("spheresn: ") and said.err.count("\n") == 1
    return said.err


def test_a_run_leaves_what_was_promised(finished):
    left = {str(path.relative_to(finished)) for path in finished.rglob("*") if path.is_file()}
    names = {
        "schematic.nc",
        "geometry.nc",
        "fake.nc",
        "claims.json",
        "report.html",
        "runs.json",
        ".lock",
    }
    units = {name for name in left if re.fullmatch(r"units/[0-9a-f]{64}\.safetensors", name)}
    stems = {
        f"figures/{stem}.{kind}"
        for stem in ("schematic", "geometry", "geometry_inside", "fake")
        for kind in ("svg", "png")
    }
    assert left == names | stems | units and len(units) > 6
    claims = json.loads((finished / "claims.json").read_text())
    assert [claim["id"] for claim in claims][-1] == "fake-positive" and {
        claim["verdict"] for claim in claims
    } <= set(VERDICTS)
    assert all(claim["rule"] and claim["measured"] and claim["source"] for claim in claims)


def test_a_failed_unit_is_a_hole_in_the_data_and_in_the_report(finished):
    data = xr.load_dataset(finished / "fake.nc", engine="h5netcdf")
    assert data["values"].isnull().all("index").values.tolist() == [
        False,
        False,
        True,
        False,
        False,
        False,
    ]
    assert data.attrs["seed"] == 5 and data.attrs["missing_units"] == 1
    page = (finished / "report.html").read_text()
    assert "1 of 6 units have no result" in page and "ValueError: this unit fails on demand" in page


def test_the_report_is_made_again_from_the_results_alone(finished, tmp_path, capsys):
    out = tmp_path / "results"
    out.mkdir()
    shutil.copy(finished / "runs.json", out)
    shutil.copytree(finished / "units", out / "units")
    assert main(["report", str(out)]) == 1  # one unit has failed
    assert f"report: {out / 'report.html'}" in capsys.readouterr().out
    for name in ("report.html", "claims.json", "figures/geometry.svg"):
        assert (out / name).read_bytes() == (finished / name).read_bytes()
    assert xr.load_dataset(out / "fake.nc", engine="h5netcdf").identical(
        xr.load_dataset(finished / "fake.nc", engine="h5netcdf")
    )


def test_list_and_show(finished, capsys):
    assert main(["list"]) == 0
    assert "geometry" in capsys.readouterr().out
    assert main(["show", "fake-positive", "--out", str(finished)]) == 0
    assert "No eigenvalue is <negative>" in capsys.readouterr().out
    assert "fake-positive" in sentence(capsys, "show", "unknown", "--out", finished)


def test_fresh_computes_again(finished, tmp_path):
    out = tmp_path / "results"

    def written() -> list[int]:
        return [path.stat().st_mtime_ns for path in sorted((out / "units").iterdir())]

    arguments = ["reproduce", "fake", "--preset", "smoke", "--out", str(out), "--jobs", "1"]
    seen = []
    for more in ([], [], ["--fresh"]):
        assert main([*arguments, *more]) == 0
        seen.append((written(), rows(out)))
    assert seen[0] == seen[1] and seen[0][1] == seen[2][1] and seen[0][0] != seen[2][0]


def test_a_damaged_result_is_one_sentence_and_stays(finished, tmp_path, capsys):
    out = tmp_path / "results"
    shutil.copytree(finished, out)
    for path in (out / "units").iterdir():
        path.write_bytes(path.read_bytes()[:-1])
    words = sentence(capsys, "report", out)
    assert "must be a whole file of spheresn" in words and str(out / "units") in words
    run = ["reproduce", "fake", "--preset", "paper", "--seed", "5", "--out", out]
    assert "must be a whole file of spheresn" in sentence(capsys, *run)
    kept = {path.name: path.stat().st_size for path in (finished / "units").iterdir()}
    assert {path.name: path.stat().st_size + 1 for path in (out / "units").iterdir()} == kept


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["reproduce", "nothing"], "one of schematic, geometry"),
        (["reproduce", "--jobs", "0"], "--jobs must be a whole number of at least 1"),
        (["reproduce", "--jobs", "many"], "--jobs"),
        (["reproduce", "--seed", "-1"], "--seed must be a whole number of at least 0"),
        (["reproduce", "--preset", "huge"], "--preset must be one of smoke, quick, paper"),
        (["reproduce", "--nonsense"], "--nonsense"),
        (["nonsense"], "nonsense"),
        (["report", "nowhere"], "DIR must be a directory of results"),
        (["show", "x", "--out", "nowhere"], "run `spheresn reproduce --out nowhere` first"),
        (["reproduce", "fake", "--out", "/dev/null/x"], "is not a directory"),
        (["reproduce", "fake", "--out", "/proc/x"], "/proc/x"),
    ],
)
def test_bad_input_is_one_sentence(capsys, tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    assert words in sentence(capsys, *arguments)
    assert not list(tmp_path.iterdir())


def test_an_unwritable_directory_is_one_sentence(capsys, tmp_path):
    if os.geteuid() == 0:
        pytest.skip("permissions do not hold root back")
    tmp_path.chmod(0o500)
    assert "Permission denied" in sentence(
        capsys, "reproduce", "fake", "--preset", "smoke", "--out", tmp_path / "results"
    )


def test_a_damaged_directory_is_one_sentence_and_stays(capsys, tmp_path):
    (tmp_path / "runs.json").write_text("something else")
    for arguments in (
        ["reproduce", "fake", "--preset", "smoke", "--out", tmp_path, "--fresh"],
        ["report", tmp_path],
    ):
        assert "must be a whole file of spheresn" in sentence(capsys, *arguments)
    assert (tmp_path / "runs.json").read_text() == "something else"


def test_a_damaged_list_of_claims_is_one_sentence(capsys, tmp_path):
    for content in ("{", "[1]", '[{"id": 3}]', "7"):
        (tmp_path / "claims.json").write_text(content)
        assert "damaged" in sentence(capsys, "show", "x", "--out", tmp_path)


BROKEN = [
    ValueError("a message\nof some library"),
    KeyError("name"),
    OSError("a library's own"),
    RuntimeError("no sentence"),
]


@pytest.mark.parametrize("error", BROKEN, ids=repr)
def test_a_defect_of_ours_is_no_bad_input(monkeypatch, capsys, error):
    """Whatever its class: the traceback stays, and the last line says what to do with it."""

    def broken(path):
        raise error

    monkeypatch.setattr(claims, "read_claims", broken)
    assert main(["show", "x y", "--out", "anywhere"]) == 70
    *lines, last = capsys.readouterr().err.splitlines()
    asked = (
        "please report this with the command, spheresn show 'x y' --out anywhere, and the lines "
        "above"
    )
    assert last == f"spheresn: {__version__} has a defect; {asked}"
    assert lines[0] == "Traceback (most recent call last):" and "raise error" in "\n".join(lines)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (BadInput("x must be y, got z; mend it"), "spheresn: x must be y, got z; mend it\n"),
        (
            MemoryError("no 7 TiB"),
            "memory must hold the network and the table, got too little (no 7 TiB); ask for fewer "
            "--units or rows",
        ),
        (
            PermissionError(13, "Permission denied", "a.txt"),
            "spheresn: a.txt: Permission denied; choose a directory",
        ),
    ],
    ids=repr,
)
def test_what_is_meant_for_people_is_one_sentence(monkeypatch, capsys, error, words):
    def refuse(path):
        raise error

    monkeypatch.setattr(claims, "read_claims", refuse)
    assert words in sentence(capsys, "show", "x")


def test_what_is_printed_can_be_caught_by_a_program():
    with redirect_stdout(io.StringIO()) as said:
        assert main(["--version"]) == 0
    assert said.getvalue() == f"{__version__}\n"


def test_a_pipe_that_knows_no_greek_gets_it_spelled_out(tmp_path):
    claim = dict.fromkeys((field.name for field in fields(claims.Claim)), "γ") | {
        "id": "g",
        "evidence": {},
    }
    (tmp_path / "claims.json").write_text(json.dumps([claim]))
    command = [sys.executable, "-m", "spheresn", "show", "g", "--out", str(tmp_path)]
    run = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, "PYTHONIOENCODING": "ascii"}
    )
    assert run.returncode == 0 and "says      \\u03b3" in run.stdout, run.stderr


@pytest.mark.parametrize("room", [1_000, 10_000], ids=["for no result", "for no figure"])
def test_a_full_disk_is_one_sentence_and_nothing_half_written(tmp_path, room):
    def small() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    code, _, errors = finish(
        start(
            "reproduce",
            "fake",
            "--preset",
            "smoke",
            "--out",
            tmp_path / "out",
            "--jobs",
            1,
            preexec_fn=small,
        )
    )
    assert code == 2 and "Traceback" not in errors
    assert errors.splitlines()[-1].startswith("spheresn: "), errors
    assert len(rows(tmp_path / "out")) == (6 if room > 1_000 else 0)
    assert {path.name for path in (tmp_path / "out").iterdir()} <= {
        ".lock",
        "runs.json",
        "units",
        "fake.nc",
        "figures",
    }


def test_plain_lines_tell_tenths_and_failures():
    lines: list[str] = []
    count = Lines({"fake": 40}, lines.append)
    for index in range(40):
        count(
            Unit("fake", "{}", str(index), 0),
            "it broke" if index == 7 else None,
            None if index < 4 else 0.5,
        )
    assert len(lines) == 11 and "fake 7 failed: it broke" in lines
    assert (
        lines[0] == "fake: 4 of 40 units"
        and lines[-1] == "fake: 40 of 40 units"
        and all("left" in line for line in lines[3:-1])
    )


def test_bars_on_a_terminal_count_what_was_found_and_name_failures(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich takes any stream for a terminal then
    with show_units({"fake": 3}) as advance:
        for index, (error, seconds) in enumerate(
            [(None, None), (None, 0.5), ("it [red]broke", 0.5)]
        ):
            advance(Unit("fake", "{}", str(index), 0), error, seconds)
    said = capsys.readouterr().err
    assert "3/3" in said and "fake 2 failed: it [red]broke" in said


def test_what_a_terminal_shows_is_no_markup(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    with show_stages(1) as report:
        report("[red]fit")
    print_parts("[red]x[/red] :smile:")
    said = capsys.readouterr()
    assert "[red]fit" in said.err and said.out == "[red]x[/red] :smile:\n"


def test_the_version_is_printed_and_importing_the_command_runs_nothing(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"{__version__}\n"
    importlib.import_module("spheresn.__main__")
    assert capsys.readouterr() == ("", "")


def test_output_may_be_collected_by_any_object(monkeypatch):
    """Such as in a notebook, whose stdout has no encoding to set."""
    collected = io.StringIO()
    monkeypatch.setattr(sys, "stdout", collected)
    assert main(["--version"]) == 0 and collected.getvalue() == f"{__version__}\n"


def test_a_stopped_run_says_so_and_keeps_what_is_done(monkeypatch, capsys, tmp_path):
    """Also when the signal arrives in a callback that swallows what it raises."""

    @contextmanager
    def stopping(totals):
        def advance(unit, error, seconds):
            with suppress(KeyboardInterrupt):
                signal.raise_signal(signal.SIGTERM)

        yield advance

    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    monkeypatch.setattr(progress, "show_units", stopping)
    try:
        assert (
            main(["reproduce", "fake", "--preset", "smoke", "--out", str(tmp_path), "--jobs", "1"])
            == 128 + signal.SIGTERM
        )
    finally:  # a stopped command goes deaf, since its process is about to end; this one is not
        for number, handler in before.items():
            signal.signal(number, handler)
    said = capsys.readouterr().err
    assert said.endswith(
        f"stopped; finished units are kept in {tmp_path / 'units'}, and the same command "
        "continues from there\n"
    )
    assert 1 <= len(rows(tmp_path)) < 6
