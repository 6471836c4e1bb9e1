"""Killed in the middle, a run goes on and ends with the numbers of one that nobody touched; `make
faults` does it at many moments.
"""

from __future__ import annotations

import signal

import fake_experiment as fake
from runs import finish, rows, start, until
from spheresn.apps.cli import main
from spheresn_paper.figures import EXPERIMENTS

RUN = ("reproduce", "fake", "--preset", "quick", "--jobs", "2", "--out")


def test_killed_and_finished_it_gives_identical_numbers(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(EXPERIMENTS, "fake", fake)
    out, undisturbed = tmp_path / "out", tmp_path / "undisturbed"
    killed = start(*RUN, out, fake={"FAKE_AFTER": 2, "FAKE_GATE": tmp_path / "never"})
    until(lambda: len(rows(out)) == 2, killed)
    assert main([*RUN, str(out)]) == 2  # a second process says so and stops
    assert f"in use by process {killed.pid}" in capsys.readouterr().err
    killed.send_signal(signal.SIGKILL)
    finish(killed)
    survived = rows(out)
    for folder in (out, undisturbed):
        assert main([*RUN, str(folder)]) == 0
    assert survived.items() <= rows(out).items() and len(survived) == 2
    assert rows(out) == rows(undisturbed) and len(rows(out)) == 12
    for name in ("claims.json", "figures/fake.svg"):
        assert (out / name).read_bytes() == (undisturbed / name).read_bytes()
