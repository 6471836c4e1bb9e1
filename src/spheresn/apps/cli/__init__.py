"""The command line: a function from arguments to an exit code.

Exit codes: 0, the command is done; 1, it is done, but some units failed, and the report shows which
results are missing; 2, the input is bad or a package is missing, and one sentence says what to do;
70, spheresn has a defect, and the traceback is printed; 129, 130 or 143, the command was stopped.

The commands are in `commands/`. A command imports what it needs when it runs, so that help and
mistakes are answered at once.
"""

from __future__ import annotations

import atexit
import gc
import io
import shlex
import sys
import traceback
from collections.abc import Sequence

from ..._errors import UserError, sentence
from ..._version import __version__
from .._extras import require

__all__ = ["main"]
BAD_INPUT, DEFECT = 2, 70  # 70 is "internal software error" in sysexits.h
LONGEST_SENTENCE = 4000  # characters of a sentence; some sentences name many columns
# Importing makes many objects and no garbage: looking for some took a tenth of a forecast's time,
# and as much again at the end
OBJECTS_BEFORE_COLLECTION = 50_000


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; bad input becomes one sentence on stderr."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    # The encoding of a pipe on Windows may lack Greek letters: escape them instead of failing
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    usual = gc.get_threshold()
    gc.set_threshold(OBJECTS_BEFORE_COLLECTION, *usual[1:])
    atexit.unregister(gc.freeze)  # once, however often this is called
    atexit.register(gc.freeze)
    try:
        return _run(given)
    except UserError as error:
        return _refuse(str(error))
    except MemoryError as error:
        return _refuse(
            f"memory must hold the network and the table, got too little ({error}); ask for fewer "
            "--units or rows"
        )
    except OSError as error:
        if error.errno is None:  # raised by a library, not by the operating system
            return _report_defect(given)
        where = f"{error.filename}: " if error.filename else ""
        return _refuse(
            f"{where}{error.strerror or error}; choose a directory that can be written and has room"
        )
    except Exception:
        return _report_defect(given)
    finally:
        gc.set_threshold(*usual)


def _run(arguments: list[str]) -> int:
    require("app", "spheresn")
    import typer  # only now, since the library alone installs no typer

    from .commands import app

    try:
        wanted = arguments or ["--help"]
        return int(app(args=wanted, prog_name="spheresn", standalone_mode=False) or 0)
    except typer.TyperException as error:
        return _refuse(error.format_message() or "see spheresn --help", error.exit_code)


def _refuse(message: str, code: int = BAD_INPUT) -> int:
    print(f"spheresn: {sentence(message, LONGEST_SENTENCE)}", file=sys.stderr)
    return code


def _report_defect(arguments: Sequence[str]) -> int:
    """Print the traceback and ask the user to report it: the input is not to blame."""
    traceback.print_exc()
    command = sentence(shlex.join(["spheresn", *arguments]), LONGEST_SENTENCE)
    return _refuse(
        f"{__version__} has a defect; please report this with the command, {command}, and the "
        "lines above",
        DEFECT,
    )
