"""The same units on a real Dask cluster."""

from __future__ import annotations

import gc
import signal

import pytest

import fake_experiment as fake
from dask_cluster import cluster
from runs import finish, rows, start, until
from spheresn.apps.cli import main
from spheresn_paper.figures import EXPERIMENTS
from spheresn_paper.runner import ClusterError, DaskPool

distributed = pytest.importorskip("distributed")


def test_a_killed_worker_costs_only_time_and_the_numbers_are_those_of_this_machine(
    tmp_path, monkeypatch
):
    monkeypatch.setitem(EXPERIMENTS, "fake", fake)
    local, remote, gate = tmp_path / "local", tmp_path / "remote", tmp_path / "gate"
    with cluster(tmp_path, {"FAKE_AFTER": 2, "FAKE_GATE": gate}) as (address, (_, worker, _)):
        distributed = start(
            "reproduce", "fake", "--preset", "quick", "--out", remote, "--dask", address
        )
        until(lambda: len(rows(remote)) == 2, distributed)
        worker.send_signal(signal.SIGKILL)
        gate.touch()
        code, said, errors = finish(distributed)
    assert code == 0 and "report:" in said, errors
    assert main(["reproduce", "fake", "--preset", "quick", "--out", str(local), "--jobs", "2"]) == 0
    assert rows(remote) == rows(local) and len(rows(local)) == 12
    assert all(status == "done" for status, _ in rows(remote).values())


def test_a_lost_scheduler_is_one_sentence_and_what_was_done_is_kept(tmp_path):
    with cluster(tmp_path, {"FAKE_AFTER": 2, "FAKE_GATE": tmp_path / "never"}) as (
        address,
        (scheduler, *_),
    ):
        lost = start(
            "reproduce", "fake", "--preset", "quick", "--out", tmp_path / "out", "--dask", address
        )
        until(lambda: len(rows(tmp_path / "out")) == 2, lost)
        scheduler.send_signal(signal.SIGKILL)
        code, _, errors = finish(lost)
    assert code == 2 and errors.splitlines()[-1].startswith(
        "spheresn: the Dask cluster must stay up"
    ), errors
    assert "Traceback" not in errors and len(rows(tmp_path / "out")) == 2


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1:1", "nonsense", "", "http://127.0.0.1:1", "tcp://no.such.host.invalid:8786"],
)
def test_a_wrong_address_is_one_sentence(address):
    with pytest.raises(ClusterError, match="--dask must be the address of a running scheduler"):
        DaskPool(address)


@pytest.mark.parametrize("address", ["127.0.0.1:1", "http://127.0.0.1:1", ""])
def test_a_client_that_cannot_connect_is_closed_at_once(address):
    """Left to the garbage collector, it was closed while another one started, in the thread that
    held the lock: for ever.
    """
    with pytest.raises(ClusterError):
        DaskPool(address)
    assert all(
        one.status == "closed" for one in gc.get_objects() if isinstance(one, distributed.Client)
    )
