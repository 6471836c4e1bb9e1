"""Units on the workers of a Dask cluster."""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from typing import Any

from spheresn._errors import UserError

from .store import ResultStore
from .unit import Outcome, Status, Unit, Work, one_line, perform

CONNECT_SECONDS = 3
GATHER_SECONDS = 300  # for the result of one unit


class ClusterError(UserError, RuntimeError):
    """A Dask cluster that does not answer."""


class DaskPool:
    """The workers of the Dask cluster at `address`; a worker that dies costs time, since the
    scheduler gives its units to others.
    """

    def __init__(self, address: str) -> None:
        self.width = 100_000
        self._client = _connect(address)

    def submit(self, store: ResultStore, work: Work) -> Future[Status]:
        """A worker computes a unit, and this process writes its file: the workers of a cluster may
        have other disks.

        Not by `Client.get_executor`, whose futures never end when the scheduler dies in the middle
        of sending a result.
        """
        answer: Future[Status] = Future()
        remote = self._client.submit(perform, work.function, work.arguments, pure=False)
        remote.add_done_callback(lambda remote: _receive(remote, answer, store, work.unit))
        return answer

    def close(self) -> None:
        """Leave the cluster as it was: it forgets units that nobody waits for."""
        self._client.close()


def _receive(remote: Any, answer: Future[Status], store: ResultStore, unit: Unit) -> None:
    """Save what a worker of the cluster has computed."""
    try:
        outcome = _gather(remote)
        store.save(unit, outcome)
        answer.set_result(Status(outcome.record.error, outcome.record.seconds))
    except Exception as error:
        answer.set_exception(error)


def _gather(remote: Any) -> Outcome:
    """The outcome of a unit. It holds the unit's own errors, so others are the connection's."""
    try:
        outcome: Outcome = remote.result(timeout=GATHER_SECONDS)
        return outcome
    except (CancelledError, asyncio.CancelledError, OSError):
        raise ClusterError(
            "the Dask cluster must stay up during a run, got a lost connection; run the same "
            "command again to go on"
        ) from None


def _connect(address: str) -> Any:
    try:
        from distributed import Client
    except ImportError:
        raise ClusterError(
            "--dask must find the package distributed, got none; pip install 'spheresn[cluster]'"
        ) from None
    for name in [
        name
        for name in logging.Logger.manager.loggerDict
        if name.startswith(("distributed", "tornado"))
    ]:
        # Each has a level of its own; what matters becomes one sentence of ours
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    # In hand even when it cannot connect: left to the garbage collector, it is closed at any
    # moment, and once it was while the next one started in the same thread, holding the lock that
    # closing waits for.
    client: Any = Client.__new__(Client)
    try:
        client.__init__(address, timeout=CONNECT_SECONDS, set_as_default=False)
        return client
    # OSError, ValueError, TypeError, CommClosedError, ... by the kind of address.
    except Exception as error:
        with suppress(TimeoutError):
            client.close()
        raise ClusterError(
            f"--dask must be the address of a running scheduler, got {address!r} "
            f"({one_line(error)}); check it"
        ) from None
