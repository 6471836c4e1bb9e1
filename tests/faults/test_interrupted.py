"""Killed, stopped, disturbed: a run goes on where it was and ends with the numbers of one that nobody touched."""

from __future__ import annotations

import os
import signal
import sqlite3
from contextlib import closing

import xarray as xr

import fake_experiment as fake
from runs import finish, rows, start, until
from spheresn.cli import main
from spheresn.experiments import EXPERIMENTS

RUN = ("reproduce", "fake", "--preset", "quick", "--jobs", "2", "--out")


def test_killed_then_stopped_then_finished_gives_identical_numbers(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(EXPERIMENTS, "fake", fake)
    out, undisturbed = tmp_path / "out", tmp_path / "undisturbed"

    killed = start(*RUN, out)
    until(lambda: len(rows(out)) >= 2, killed)
    assert main([*RUN, str(out)]) == 2  # a second process says so and stops
    assert f"in use by process {killed.pid}" in capsys.readouterr().err
    killed.send_signal(signal.SIGKILL)
    finish(killed)
    survived = rows(out)

    stopped = start(*RUN, out, start_new_session=True)
    until(lambda: len(rows(out)) >= len(survived) + 2, stopped)
    os.killpg(stopped.pid, signal.SIGINT)  # as a terminal does: to the workers too
    code, _, told = finish(stopped)
    assert code == 130 and "the same command goes on from there" in told and "Traceback" not in told, told
    assert 4 <= len(rows(out)) < 12

    for folder in (out, undisturbed):
        assert main([*RUN, str(folder)]) == 0
    assert survived.items() <= rows(out).items() and len(rows(out)) == 12
    assert rows(out) == rows(undisturbed)
    for name in ("claims.json", "figures/fake.svg"):
        assert (out / name).read_bytes() == (undisturbed / name).read_bytes()
    assert xr.load_dataset(out / "fake.nc", engine="h5netcdf").identical(xr.load_dataset(undisturbed / "fake.nc", engine="h5netcdf"))
    with closing(sqlite3.connect(out / "ledger.sqlite")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_terminated_it_is_as_tidy(tmp_path):
    process = start(*RUN, tmp_path / "out")
    until(lambda: len(rows(tmp_path / "out")) >= 1, process)
    for _ in range(3):  # impatience changes nothing
        process.send_signal(signal.SIGTERM)
    code, _, told = finish(process)
    assert code == 143 and "the same command goes on from there" in told and "Traceback" not in told, told
