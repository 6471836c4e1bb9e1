"""The commands of `spheresn`: those on the user's series and models are here, those of the explorer
and of the paper in their packages.

A new command is a function with `@app.command()` in the module of its subject. Its parameters are
the arguments and options, its docstring is the help text, and it returns the exit code. It imports
whatever is heavy inside the function.
"""

from importlib import import_module
from importlib.util import find_spec

from .._app import app

# Importing them registers their commands, in the order in which the help lists them
from . import series  # isort: skip
from . import in_use  # isort: skip

for package in ("spheresn_explorer", "spheresn_paper"):
    if find_spec(package) is not None:
        app.add_typer(import_module(f"{package}.commands").app)

__all__ = ["app", "in_use", "series"]
