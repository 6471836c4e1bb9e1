"""The optional packages of the applications, and the sentence that says how to install them.

This module imports no optional package, so that it works where none is installed.
"""

from __future__ import annotations

from importlib.util import find_spec

from .._errors import BadInput

# Extra of pyproject.toml -> the packages that it adds to the library; a test compares the two
EXTRAS = {
    "app": ("matplotlib", "xarray", "h5netcdf", "jinja2", "typer", "rich", "pandas"),
    "paper": ("filelock",),
    "explore": ("dash",),
    "cluster": ("distributed",),
    "parquet": ("pyarrow",),
    "excel": ("python_calamine",),
    "onnx": ("onnx",),
}


def require(extra: str, command: str) -> None:
    """Refuse a command if a package of its extra is not installed, before the command does any
    work. Nothing is imported.
    """
    missing = [package for package in EXTRAS[extra] if find_spec(package) is None]
    if missing:
        raise BadInput(
            f"{command} must find the package{'s' if len(missing) > 1 else ''} "
            f"{', '.join(missing)}, got none; pip install 'spheresn[{extra}]'"
        )
