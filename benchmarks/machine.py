"""On what was measured: processor, cores, memory, BLAS, versions."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Any

from peers import versions
from threadpoolctl import threadpool_info

# Everything that reads its number of threads from the environment, before it starts.
THREAD_VARIABLES = (
    "OPENBLAS_NUM_THREADS",
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMBA_NUM_THREADS",
    "LOKY_MAX_CPU_COUNT",
)


def with_threads(count: int) -> dict[str, str]:
    """The environment for a process that is to use so many threads."""
    return {**os.environ, **dict.fromkeys(THREAD_VARIABLES, str(count))}


def described() -> dict[str, Any]:
    """This machine as this process sees it."""
    return {
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "blas": sorted(
            {
                f"{pool['internal_api']} {pool['version']} ({pool.get('architecture', '?')})"
                for pool in _blas()
            }
        ),
        "versions": versions(),
    }


def _blas() -> list[dict[str, Any]]:
    import numpy.linalg  # noqa: F401
    import scipy.linalg.blas  # noqa: F401

    return [pool for pool in threadpool_info() if pool["user_api"] == "blas"]


def _cpu() -> str:
    """The model's name, with its clock where Linux says it."""
    source = Path("/proc/cpuinfo")
    lines = source.read_text().splitlines() if source.exists() else []
    facts = dict(_pair(line) for line in lines if ":" in line)
    clock = f", {float(facts['cpu MHz']) / 1000:.1f} GHz" if "cpu MHz" in facts else ""
    family = (
        f" (family {facts['cpu family']}, model {facts['model']})" if "cpu family" in facts else ""
    )
    return f"{facts.get('model name') or platform.processor() or platform.machine()}{family}{clock}"


def _pair(line: str) -> tuple[str, str]:
    name, _, value = line.partition(":")
    return name.strip(), value.strip()
