"""Killed, stopped, disturbed: a run goes on where it was and ends with the numbers of one that
nobody touched.
"""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter
from contextlib import suppress

import pytest
from common import (
    UNITS,
    at_work,
    begin,
    children,
    complete,
    finish,
    gone,
    held,
    kill,
    let_go,
    rows,
    same,
    whole,
)

from runs import killed_while_answering, until, workers


def some_moment(out, process, dice) -> None:
    """Any time from the first file to the last, whatever the speed of the machine."""
    at_work(out, process, units=dice.randint(0, UNITS))
    time.sleep(dice.uniform(0.0, 0.4))


def test_killed_at_random_moments(attack, tmp_path, undisturbed):
    """kill -9 of the run at random moments, five times each before it may end."""
    dice, already_over = random.Random(1), 0
    for run in range(10):
        out = tmp_path / str(run)
        for turn in range(5):
            with attack.attempt(f"run {run}, kill {turn}"):
                process = begin(out, "--fresh") if turn == 0 else begin(out)
                some_moment(out, process, dice)
                already_over += process.poll() is not None
                before = rows(out)
                kill(process)
                whole(out)
                assert before.items() <= rows(out).items()
                if turn == 4:
                    complete(out)
                    same(out, undisturbed)
    attack.note = f"{already_over} came too late"


def test_killed_inside_a_write(attack, tmp_path, undisturbed):
    """Death inside a write, at the byte where some file reaches a random length."""
    dice, longest = random.Random(2), 300_000  # a little more than the file of a unit
    by_code: Counter[int] = Counter()
    for run in range(15):
        out, limit = (
            tmp_path / str(run),
            int(10 ** dice.uniform(0, 5.5)) if run % 2 else dice.randrange(longest),
        )
        with attack.attempt(f"at byte {limit}"):
            death = out.with_name(f"{run}.death")
            code, _, errors = finish(begin(out, FAKE_LIMIT=limit, FAKE_DEATH=death))
            # 2: a worker died, and the next one could not write
            assert code in (-signal.SIGXFSZ, 2, 0), errors
            last = errors.strip().splitlines()[-1] if code == 2 else ""
            assert code != 2 or ("must be writable, got File too large" in last), errors
            by_code[code] += 1
            whole(out)
            complete(out)
            same(out, undisturbed)
    attack.note = f"{by_code[-signal.SIGXFSZ]} times the run died, {by_code[2]} times a worker"


def test_a_worker_is_killed(attack, tmp_path, undisturbed):
    """kill -9 of a worker at a random moment."""
    dice = random.Random(3)
    for run in range(8):
        out = tmp_path / str(run)
        with attack.attempt(f"run {run}"):
            process = begin(out, jobs=2, **held(out, 0))
            until(lambda process=process: len(workers(process.pid)) == 2)
            let_go(out)
            some_moment(out, process, dice)
            for worker in workers(process.pid)[:1]:
                with suppress(ProcessLookupError):
                    os.kill(worker, signal.SIGKILL)
            code, _, errors = finish(process)
            assert code == 0, errors
            same(out, undisturbed)


def test_a_worker_is_killed_while_it_answers(attack):
    """kill -9 of a worker that answers all the time: the call is lost, or has its answer."""
    lost = 0
    for run in range(20):
        with attack.attempt(f"run {run}"):
            lost += killed_while_answering(rounds=1)
    attack.note = f"{lost} calls lost"


@pytest.mark.parametrize(
    "number", [pytest.param(signal.SIGINT, id="Ctrl-C"), pytest.param(signal.SIGTERM, id="SIGTERM")]
)
def test_stopped_impatiently(attack, tmp_path, undisturbed, number):
    """Stopped, twice, at a random moment."""
    dice = random.Random(4 + number)
    for run in range(8):
        out = tmp_path / str(run)
        with attack.attempt(f"run {run}"):
            process = begin(out)
            some_moment(out, process, dice)
            started = children(process.pid)
            for _ in range(2):
                process.send_signal(number)
                time.sleep(dice.uniform(0.0, 0.1))
            code, _, errors = finish(process)
            assert code in (128 + number, 0), (code, errors)
            assert "Traceback" not in errors and (
                code == 0 or "the same command continues from there" in errors
            ), errors
            gone(started)
            whole(out)
            complete(out)
            same(out, undisturbed)
