"""A real Dask cluster, scheduler and two workers, of which something dies at a random moment."""

from __future__ import annotations

import random
import signal

from common import UNITS, at_work, begin, complete, finish, same, whole

from dask_cluster import cluster


def test_a_dask_worker_is_killed(attack, tmp_path, undisturbed):
    """kill -9 of a Dask worker at a random moment."""
    dice = random.Random(6)
    for run in range(3):
        out = tmp_path / str(run)
        with (
            attack.attempt(f"run {run}"),
            cluster(tmp_path / f"cluster {run}") as (address, (_, *workers)),
        ):
            process = begin(out, "--dask", address)
            at_work(out, process, dice.randint(1, UNITS - 2))
            dice.choice(workers).send_signal(signal.SIGKILL)
            code, _, errors = finish(process)
            assert code == 0, errors
            same(out, undisturbed)


def test_the_dask_scheduler_is_killed(attack, tmp_path, undisturbed):
    """kill -9 of the Dask scheduler at a random moment; the run ends on this machine."""
    dice = random.Random(7)
    for run in range(3):
        out = tmp_path / str(run)
        with (
            attack.attempt(f"run {run}"),
            cluster(tmp_path / f"cluster {run}") as (address, (scheduler, *_)),
        ):
            process = begin(out, "--dask", address)
            at_work(out, process, dice.randint(1, UNITS - 2))
            scheduler.send_signal(signal.SIGKILL)
            code, _, errors = finish(process)
            assert code in (0, 2) and "Traceback" not in errors, errors
            assert code == 0 or errors.splitlines()[-1].startswith(
                "spheresn: the Dask cluster must stay up"
            ), errors
            whole(out)
            complete(out)
            same(out, undisturbed)
