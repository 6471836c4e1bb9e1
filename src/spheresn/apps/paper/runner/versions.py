"""What computed a number: versions of the parts, and the commit of the source where there is
one.
"""

from __future__ import annotations

import platform
import subprocess
from functools import cache
from importlib import metadata
from pathlib import Path

from spheresn._version import __version__


@cache
def versions() -> dict[str, str]:
    """Versions that can change the last digits of a result."""
    parts = {name: metadata.version(name) for name in ("numpy", "scipy", "numba")}
    return {"spheresn": __version__, **parts, "python": platform.python_version()}


@cache
def commit() -> str | None:
    """The commit of the source tree that this package is imported from, "-dirty" when it was
    changed; None for an installed package.
    """
    folder = Path(__file__).parents[1]
    # A virtual environment inside of someone's repository
    if _git(folder, "ls-files", "--error-unmatch", "__init__.py") is None:
        return None
    return _git(folder, "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*")


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        run = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return run.stdout.strip() if run.returncode == 0 else None
