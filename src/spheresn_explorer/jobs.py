"""The work of all panels. Threads do it; pages ask until it is done; it stops when nobody waits."""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from threading import Event, Lock
from time import perf_counter
from typing import Any

from .cache import Recent, Superseded

# Threads for each kind of work. The slow kinds must not delay the quick one, nor each other.
LANES = {"quick": 4, "heavy": 2, "file": 1}
KEPT, TABS = 256, 1024  # answers and tabs that are remembered
Work = Callable[[Callable[[str], None]], Any]
LOG = logging.getLogger("spheresn_explorer")


@dataclass(frozen=True)
class Answer:
    """A value with the seconds it took, or why there is none, or how far the work is."""

    value: Any = None
    problem: str = ""
    waiting: str = ""
    seconds: float = 0.0


@dataclass(eq=False)
class Job:
    """Work under way: who waits for it, since when, and what it is doing."""

    since: float = field(default_factory=perf_counter)
    stage: str = "waiting for a free thread"
    stopped: Event = field(default_factory=Event)
    waiting: set[Hashable] = field(default_factory=set)
    future: Future[Answer] | None = None

    def report(self, stage: str) -> None:
        """Note the stage; raise `Superseded` if nobody waits."""
        self.stage = stage
        if self.stopped.is_set():
            raise Superseded


class Jobs:
    """Answers by key. The number of answers, tabs and threads is bounded."""

    def __init__(self) -> None:
        self._lanes = {
            lane: ThreadPoolExecutor(count, thread_name_prefix="panel")
            for lane, count in LANES.items()
        }
        self._lock = Lock()
        self._jobs: dict[Hashable, Job] = {}
        self._answers: Recent[Hashable, Answer] = Recent(KEPT)
        self._wanted: Recent[Hashable, Hashable] = Recent(TABS)  # the key that each asker wants

    def ask(
        self,
        asker: Hashable,
        key: Hashable,
        work: Work,
        lane: str = "quick",
        patience: float = 0.0,
    ) -> Answer:
        """The answer, after `patience` seconds at most.

        An asker wants one key at a time. Work on its previous key stops if nobody else wants it.
        """
        with self._lock:
            self._supersede(asker, key)
            if key in self._answers:
                return self._answers[key]
            job = self._jobs.get(key) or self._start(key, work, lane)
            job.waiting.add(asker)
        assert job.future is not None
        wait([job.future], timeout=patience)
        if job.future.done() and not job.future.cancelled():
            return job.future.result()
        return Answer(waiting=f"{job.stage} … {perf_counter() - job.since:.0f} s")

    def leave(self, asker: Hashable) -> None:
        """The asker wants nothing more: work that only it waits for stops."""
        with self._lock:
            self._supersede(asker, None)

    def close(self) -> None:
        """Nobody waits any more: all work stops at its next report."""
        with self._lock:
            for job in self._jobs.values():
                job.stopped.set()
        for lane in self._lanes.values():
            lane.shutdown(wait=False, cancel_futures=True)

    def _supersede(self, asker: Hashable, key: Hashable) -> None:
        old = self._wanted.get(asker)
        self._wanted[asker] = key
        job = self._jobs.get(old) if old != key else None
        if job is not None:
            job.waiting.discard(asker)
            if not job.waiting:
                job.stopped.set()
                self._jobs.pop(old, None)

    def _start(self, key: Hashable, work: Work, lane: str) -> Job:
        job = self._jobs[key] = Job()
        job.future = self._lanes[lane].submit(self._run, key, job, work)
        return job

    def _run(self, key: Hashable, job: Job, work: Work) -> Answer:
        begun = perf_counter()
        try:
            job.report("computing")
            answer = Answer(work(job.report), seconds=perf_counter() - begun)
        except Superseded:
            return Answer(waiting="given up")
        except (ValueError, ArithmeticError) as error:
            answer = Answer(problem=str(error), seconds=perf_counter() - begun)
        except Exception:  # the page gets a sentence, the terminal the reason
            LOG.exception("a panel failed")
            answer = Answer(
                problem="this panel must be computable, got an error of the program; move a "
                "slider, or see the terminal"
            )
        with self._lock:
            if self._jobs.get(key) is job:
                del self._jobs[key]
            self._answers[key] = answer
        return answer
