"""The commands of `spheresn`, by what they work on: the user's series, the paper, the explorer.

A new command is a function with `@app.command()` in one of these modules. Its parameters are the
arguments and options, its docstring is the help text, and it returns the exit code. It imports
whatever is heavy inside the function.
"""

from .._app import app
from . import explore, paper, series  # importing them registers their commands

__all__ = ["app", "explore", "paper", "series"]
