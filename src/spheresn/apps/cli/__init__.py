"""The command line: a function from arguments to an exit code.

0: done; 1: done, but with units that failed (the report shows the holes); 2: bad input, one
sentence; 70: a defect of ours, with its traceback; 130 or 143: stopped. A command imports what it
needs when it runs, so that help and mistakes are answered at once.
"""

from __future__ import annotations

import io
import shlex
import sys
import traceback
from collections.abc import Sequence

import typer

from ..._errors import UserError, sentence
from ..._version import __version__
from . import explore, own, paper  # they register their commands
from ._app import app

__all__ = ["app", "explore", "main", "own", "paper"]
BAD_INPUT, DEFECT = 2, 70  # 70: "internal software error" of sysexits.h
LONGEST = 4000  # characters of a sentence, some of which name many columns


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; whatever is wrong with its input becomes one sentence on stderr and the code
    2.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    # A pipe on Windows may know no Greek: spell it out rather than fail
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        code = app(args=given, prog_name="spheresn", standalone_mode=False)
        return int(code or 0)
    except typer.TyperException as error:
        return _sorry(error.format_message() or "see spheresn --help", error.exit_code)
    except UserError as error:
        return _sorry(str(error), BAD_INPUT)
    except MemoryError as error:
        return _sorry(
            f"memory must hold the network and the table, got too little ({error}); ask for fewer "
            "--units or rows",
            BAD_INPUT,
        )
    except OSError as error:
        if error.errno is None:  # a library's own, not the system's refusal
            return _defect(given)
        where = f"{error.filename}: " if error.filename else ""
        return _sorry(
            f"{where}{error.strerror or error}; choose a directory that can be written and has "
            "room",
            BAD_INPUT,
        )
    except Exception:
        return _defect(given)


def _sorry(words: str, code: int) -> int:
    print(f"spheresn: {sentence(words, LONGEST)}", file=sys.stderr)
    return code


def _defect(arguments: Sequence[str]) -> int:
    """Not the user's mistake: everything that helps to find it, and the request to pass it on."""
    traceback.print_exc()
    command = sentence(shlex.join(["spheresn", *arguments]), LONGEST)
    return _sorry(
        f"{__version__} has a defect; please report this with the command, {command}, and the "
        "lines above",
        DEFECT,
    )
