"""The command line: a function from arguments to an exit code.

0: done; 1: done, but with units that failed (the report shows the holes); 2: bad input, one sentence; 130 or 143: stopped.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import typer

from .._checks import NoDirection, StateOverflow, sentence
from ..sweep import CannotWrite, ClusterError, InUse, LedgerError
from . import explore, own, paper  # they register their commands
from ._app import app

__all__ = ["app", "explore", "main", "own", "paper"]
LONGEST = 4000  # characters of a sentence, some of which name many columns


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; whatever is wrong with its input becomes one sentence on stderr and the code 2."""
    try:
        code = app(args=list(sys.argv[1:] if arguments is None else arguments), prog_name="spheresn", standalone_mode=False)
        return int(code or 0)
    except typer.TyperException as error:
        return _sorry(error.format_message() or "see spheresn --help", error.exit_code)
    except (ValueError, LedgerError, InUse, ClusterError, CannotWrite, NoDirection, StateOverflow) as error:
        return _sorry(str(error), 2)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _sorry(f"{where}{error.strerror or error}; choose a directory that can be written and has room", 2)


def _sorry(words: str, code: int) -> int:
    print(f"spheresn: {sentence(words, LONGEST)}", file=sys.stderr)
    return code
