"""The commands of `spheresn`, by what they work on: the user's series, the paper, the explorer.

A new command is a function with `@app.command()` in one of these modules. Its parameters are the
arguments and options, its docstring is the help text, and it returns the exit code. It imports
whatever is heavy inside the function.
"""

from .._app import app

# Importing them registers their commands, in the order in which the help lists them.
from . import series, explore, paper  # isort: skip

__all__ = ["app", "explore", "paper", "series"]
