"""The command line: a function from arguments to an exit code.

0: done; 1: done, but with units that failed (the report shows the holes); 2: bad input, one sentence; 130 or 143: stopped, to be continued.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from joblib import cpu_count

from . import reproduce as job
from ._version import __version__
from .console import watch
from .experiments import EXPERIMENTS
from .report import Section
from .report.claims import read_claims, tell_claim
from .sweep import CannotWrite, ClusterError, InUse, LedgerError, Progress, Unit

app = typer.Typer(add_completion=False, no_args_is_help=True, rich_markup_mode=None, pretty_exceptions_enable=False)
Out = Annotated[Path, typer.Option("--out", help="Directory of results.")]


class Stopped(KeyboardInterrupt):
    """Ctrl-C or SIGTERM; `code` is what the shell expects."""

    def __init__(self, signal_number: int) -> None:
        super().__init__()
        self.code = 128 + signal_number


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; whatever is wrong with its input becomes one sentence on stderr and the code 2."""
    try:
        code = app(args=list(sys.argv[1:] if arguments is None else arguments), prog_name="spheresn", standalone_mode=False)
        return int(code or 0)
    except typer.TyperException as error:
        return _sorry(error.format_message() or "see spheresn --help", error.exit_code)
    except (ValueError, LedgerError, InUse, ClusterError, CannotWrite) as error:
        return _sorry(str(error), 2)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _sorry(f"{where}{error.strerror or error}; choose a directory that can be written and has room", 2)


def _sorry(sentence: str, code: int) -> int:
    print(f"spheresn: {' '.join(sentence.split())}", file=sys.stderr)
    return code


def _version(asked: bool) -> None:
    if asked:
        print(__version__)
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    """Echo state networks on a hyper-sphere: redo the paper, judge its claims."""


@app.command()
def reproduce(
    names: Annotated[list[str] | None, typer.Argument(help="Experiments, by default all; see `spheresn list`.")] = None,
    preset: Annotated[str, typer.Option(help="smoke (seconds), quick (minutes) or paper (the paper's sizes).")] = "quick",
    out: Out = Path("results"),
    jobs: Annotated[int, typer.Option(help="Processes of this machine.")] = cpu_count(),
    seed: Annotated[int, typer.Option(help="Base seed of all random numbers.")] = 0,
    dask: Annotated[str | None, typer.Option(metavar="ADDRESS", help="Compute on the Dask cluster of this scheduler instead.")] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Forget earlier results of these units.")] = False,
) -> int:
    """Redo the experiments and write DIR/report.html; interrupted, the same command goes on where it stopped."""
    wanted = job.request(EXPERIMENTS, names or [], preset, out, jobs, seed, dask, fresh)
    with _stoppable() as check:
        try:
            return _done(out, job.reproduce(EXPERIMENTS, wanted, lambda totals: _checked(watch(totals), check), _say))
        except Stopped as stop:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            print(
                f"\nspheresn: stopped; what is done is kept in {out / 'ledger.sqlite'}, the same command goes on from there",
                file=sys.stderr,
            )
            return stop.code


@app.command()
def report(directory: Annotated[Path, typer.Argument(metavar="DIR", help="Directory of results.")]) -> int:
    """Write data, figures, claims and page anew from DIR/ledger.sqlite, computing nothing; also of an unfinished run."""
    return _done(directory, job.republish(EXPERIMENTS, directory, _say))


@app.command("list")
def list_experiments() -> int:
    """List the experiments, with their units of work per preset."""
    print(f"{'name':<10} {'figure':<12} {'units: smoke':>12} {'quick':>6} {'paper':>6}  title")
    for name, module in EXPERIMENTS.items():
        units = [len(module.tasks(module.PRESETS[preset])) for preset in job.PRESETS]
        print(f"{name:<10} {module.FIGURE:<12} {units[0]:>12} {units[1]:>6} {units[2]:>6}  {module.TITLE}")
    return 0


@app.command()
def show(claim: Annotated[str, typer.Argument(help="Its id.")], out: Out = Path("results")) -> int:
    """Show one claim: the sentence, what was measured, the rule, the verdict and the evidence."""
    claims = read_claims(out / "claims.json")
    if claim not in claims:
        raise ValueError(f"CLAIM must be one of {', '.join(claims) or 'none in this directory'}, got {claim!r}; choose one of these")
    print(tell_claim(claims[claim]))
    return 0


@app.command()
def explore(
    files: Annotated[
        list[Path] | None, typer.Argument(metavar="[FILE]...", help="CSV or NPY files to choose from, one row per step.")
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes any free one.")] = 8050,
    host: Annotated[
        str, typer.Option(help="Address to listen at; anything but this machine's own opens the page to others.")
    ] = "127.0.0.1",
) -> int:
    """Serve a page on which a network's dials can be moved: path, memory, stability and forecast, at once."""
    try:
        from .explorer.app import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("dash", "plotly", "flask", "werkzeug"):
            raise
        raise ValueError("explore must find the package dash, got none; pip install 'spheresn[explore]'") from None
    with _stoppable():
        try:
            serve(files or [], host, port, _say)
        except Stopped:
            return 0
    return 0


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _done(out: Path, sections: Sequence[Section]) -> int:
    """The last lines of a run, and its exit code."""
    verdicts = Counter(claim["verdict"] for section in sections for claim in section.claims)
    for section in sections:
        if section.problem:
            print(f"{section.name}: {section.problem}")
        for note in section.notes:
            print(f"{section.name}: {note}")
        if section.holes:
            print(f"{section.name}: {len(section.holes)} of {section.units} units have no result: {section.holes[0].reason}")
    print(f"claims: {verdicts['holds']} hold, {verdicts['partly']} partly, {verdicts['fails']} fail")
    print(f"report: {out / 'report.html'}")
    return int(any(section.faulty for section in sections))


@contextmanager
def _stoppable() -> Iterator[Callable[[], None]]:
    """Ctrl-C and SIGTERM raise `Stopped`; the function that is given raises it again, should some callback have swallowed it."""
    heard: list[int] = []

    def stop(number: int, frame: Any) -> None:
        heard.append(number)
        raise Stopped(number)

    def check() -> None:
        if heard:
            raise Stopped(heard[0])

    signals = (signal.SIGINT, signal.SIGTERM) if threading.current_thread() is threading.main_thread() else ()
    before = [signal.signal(one, stop) for one in signals]
    try:
        yield check
    finally:
        for one, handler in zip(signals, before, strict=True):
            signal.signal(one, handler)


@contextmanager
def _checked(progress: AbstractContextManager[Progress], check: Callable[[], None]) -> Iterator[Progress]:
    with progress as tell:

        def tell_and_check(unit: Unit, error: str | None, seconds: float | None) -> None:
            tell(unit, error, seconds)
            check()

        yield tell_and_check
