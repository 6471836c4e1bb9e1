"""Many units of work, each computed once: results are files that survive a killed process, and
workers are processes of this machine or of a Dask cluster.
"""

from ....io.files import CannotWrite, remove_drafts, whole_file
from .lock import InUse, locked
from .pools import ClusterError, DaskPool, LocalPool, Pool
from .run import Progress, run
from .store import ResultStore, Run, StoreError
from .unit import Outcome, Record, Unit, Work, canonical, commit, perform, versions

__all__ = [
    "CannotWrite",
    "ClusterError",
    "DaskPool",
    "InUse",
    "LocalPool",
    "Outcome",
    "Pool",
    "Progress",
    "Record",
    "ResultStore",
    "Run",
    "StoreError",
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
