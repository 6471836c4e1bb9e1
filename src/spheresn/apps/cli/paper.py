"""Commands on the paper: redo it, judge its claims."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..._errors import BadInput, printable
from ._app import app, say
from ._stop import Stopped, stoppable

if TYPE_CHECKING:
    from ..paper.report import Section
    from ..paper.runner import Progress, Unit

Out = Annotated[Path, typer.Option("--out", help="Directory of results.")]


@app.command()
def reproduce(
    names: Annotated[
        list[str] | None, typer.Argument(help="Experiments, by default all; see `spheresn list`.")
    ] = None,
    preset: Annotated[
        str, typer.Option(help="smoke (seconds), quick (minutes) or paper (the paper's sizes).")
    ] = "quick",
    out: Out = Path("results"),
    jobs: Annotated[
        int | None, typer.Option(help="Processes of this machine.", show_default="all cores")
    ] = None,
    seed: Annotated[int, typer.Option(help="Base seed of all random numbers.")] = 0,
    dask: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS", help="Compute on the Dask cluster of this scheduler instead."
        ),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Forget earlier results of these units.")
    ] = False,
) -> int:
    """Redo the experiments and write DIR/report.html; interrupted, the same command goes on where
    it stopped.
    """
    from joblib import cpu_count

    from ..paper import reproduce as job
    from ..paper.figures import EXPERIMENTS
    from .console import watch

    wanted = job.request(
        EXPERIMENTS,
        names or [],
        preset,
        out,
        cpu_count() if jobs is None else jobs,
        seed,
        dask,
        fresh,
    )
    with stoppable() as check:
        try:
            return _done(
                out,
                job.reproduce(
                    EXPERIMENTS, wanted, lambda totals: _checked(watch(totals), check), say
                ),
            )
        except Stopped as stop:
            print(
                f"\nspheresn: stopped; what is done is kept in {out / 'units'}, the same command "
                "goes on from there",
                file=sys.stderr,
            )
            return stop.code


@app.command()
def report(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="Directory of results.")],
) -> int:
    """Write data, figures, claims and page anew from DIR/units, computing nothing; also of an
    unfinished run.
    """
    from ..paper import reproduce as job
    from ..paper.figures import EXPERIMENTS

    return _done(directory, job.republish(EXPERIMENTS, directory, say))


@app.command("list")
def list_experiments() -> int:
    """List the experiments, with their units of work per preset."""
    from ..paper.figures import EXPERIMENTS, PRESETS

    print(f"{'name':<10} {'figure':<12} {'units: smoke':>12} {'quick':>6} {'paper':>6}  title")
    for name, module in EXPERIMENTS.items():
        units = [len(module.tasks(module.PRESETS[preset])) for preset in PRESETS]
        print(
            f"{name:<10} {module.FIGURE:<12} {units[0]:>12} {units[1]:>6} {units[2]:>6}  "
            f"{module.TITLE}"
        )
    return 0


@app.command()
def show(claim: Annotated[str, typer.Argument(help="Its id.")], out: Out = Path("results")) -> int:
    """Show one claim: the sentence, what was measured, the rule, the verdict and the evidence."""
    from ..paper.claim import format_claim, read_claims

    claims = read_claims(out / "claims.json")
    if claim not in claims:
        raise BadInput(
            f"CLAIM must be one of {', '.join(claims) or 'none in this directory'}, got "
            f"{claim!r}; choose one of these"
        )
    print(format_claim(claims[claim]))
    return 0


def _done(out: Path, sections: Sequence[Section]) -> int:
    """The last lines of a run, and its exit code."""
    verdicts = Counter(claim["verdict"] for section in sections for claim in section.claims)
    for section in sections:
        if section.problem:
            print(printable(f"{section.name}: {section.problem}"))
        for note in section.notes:
            print(printable(f"{section.name}: {note}"))
        if section.holes:
            print(
                printable(
                    f"{section.name}: {len(section.holes)} of {section.units} units have no "
                    f"result: {section.holes[0].reason}"
                )
            )
    print(
        f"claims: {verdicts['holds']} hold, {verdicts['partly']} partly, {verdicts['fails']} fail"
    )
    print(f"report: {out / 'report.html'}")
    return int(any(section.faulty for section in sections))


@contextmanager
def _checked(
    progress: AbstractContextManager[Progress], check: Callable[[], None]
) -> Iterator[Progress]:
    with progress as tell:

        def tell_and_check(unit: Unit, error: str | None, seconds: float | None) -> None:
            tell(unit, error, seconds)
            check()

        yield tell_and_check
