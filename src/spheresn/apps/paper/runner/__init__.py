"""Many units of work, each done once: a ledger that survives a killed process, and workers on this
machine or on a Dask cluster.
"""

from ....io.files import CannotWrite, remove_drafts, whole_file
from .ledger import Ledger, LedgerError, Row
from .lock import InUse, locked
from .pools import ClusterError, DaskPool, LocalPool, Pool
from .run import Progress, Work, run
from .unit import Outcome, Unit, canonical, perform
from .versions import commit, versions

__all__ = [
    "CannotWrite",
    "ClusterError",
    "DaskPool",
    "InUse",
    "Ledger",
    "LedgerError",
    "LocalPool",
    "Outcome",
    "Pool",
    "Progress",
    "Row",
    "Unit",
    "Work",
    "canonical",
    "commit",
    "locked",
    "perform",
    "remove_drafts",
    "run",
    "versions",
    "whole_file",
]
