"""Many units of work, each computed once: results are files that survive a killed process, and
workers are processes of this machine or of a Dask cluster.
"""

from spheresn.io.files import CannotWrite, check_outputs, remove_drafts, whole_file

from .cluster import ClusterError, DaskPool
from .local import LocalPool, WorkerLost
from .run import Pool, Progress, run
from .store import InUse, ResultStore, Run, StoreError, locked
from .unit import Arrays, Outcome, Record, Status, Unit, Work, canonical, commit, perform, versions

__all__ = [
    "Arrays",
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
    "Status",
    "StoreError",
    "Unit",
    "Work",
    "WorkerLost",
    "canonical",
    "check_outputs",
    "commit",
    "locked",
    "perform",
    "remove_drafts",
    "run",
    "versions",
    "whole_file",
]
