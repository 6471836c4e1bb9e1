"""Commands on the paper: reproduce it, rewrite the report, list experiments, show a claim."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spheresn._errors import BadInput, printable
from spheresn.apps._extras import require
from spheresn.apps._terminal import Stopped, say, stoppable

if TYPE_CHECKING:
    from .report import Section
    from .runner import Progress, Unit

app = typer.Typer(rich_markup_mode=None)

Out = Annotated[Path, typer.Option("--out", help="Directory of results.")]


@app.command()
def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAMES", help="Experiments, by default all; see `spheresn list`."),
    ] = None,
    preset: Annotated[
        str, typer.Option(help="smoke (seconds), quick (minutes) or paper (the paper's sizes).")
    ] = "quick",
    out: Out = Path("results"),
    jobs: Annotated[
        int | None, typer.Option(help="Processes on this machine.", show_default="all cores")
    ] = None,
    seed: Annotated[int, typer.Option(help="Base seed of all random numbers.")] = 0,
    dask: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS", help="Compute on the Dask cluster of this scheduler instead."
        ),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Discard earlier results of these units.")
    ] = False,
) -> int:
    """Run the experiments and write report.html. After an interruption, the same command
    continues where it stopped.
    """
    require("paper", "reproduce")
    from joblib import cpu_count

    from . import reproduce as job
    from .figures import EXPERIMENTS
    from .progress import show_units

    workers = cpu_count() if jobs is None else jobs
    wanted = job.request(EXPERIMENTS, names or [], preset, out, workers, seed, dask, fresh)
    with stoppable() as check:
        try:
            sections = job.reproduce(
                EXPERIMENTS, wanted, lambda totals: _checked(show_units(totals), check), say
            )
            return _report_sections(out, sections)
        except Stopped as stop:
            say(
                f"\nspheresn: stopped; finished units are kept in {out / 'units'}, and the "
                "same command continues from there"
            )
            return stop.code


@app.command()
def report(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="Directory of results.")],
) -> int:
    """Rewrite data, figures, claims and page from DIR/units. Nothing is computed; the run may be
    unfinished.
    """
    require("paper", "report")
    from . import reproduce as job
    from .figures import EXPERIMENTS

    return _report_sections(directory, job.republish(EXPERIMENTS, directory, say))


@app.command("list")
def list_experiments() -> int:
    """List the experiments, with their units of work per preset (quick: at most)."""
    from .figures import EXPERIMENTS, PRESETS

    print(f"{'name':<10} {'figure':<12} {'units: smoke':>12} {'quick':>6} {'paper':>6}  title")
    for name, module in EXPERIMENTS.items():
        units = [len(module.tasks(module.PRESETS[preset])) for preset in PRESETS]
        print(
            f"{name:<10} {module.FIGURE:<12} {units[0]:>12} {units[1]:>6} {units[2]:>6}  "
            f"{module.TITLE}"
        )
    return 0


@app.command()
def show(
    claim: Annotated[str, typer.Argument(metavar="CLAIM", help="The id of the claim.")],
    out: Out = Path("results"),
) -> int:
    """Show one claim and its verdict. Prints the sentence, what was measured, the rule and the
    evidence.
    """
    from .claim import format_claim, read_claims

    claims = read_claims(out / "claims.json")
    if claim not in claims:
        raise BadInput(
            f"CLAIM must be one of {', '.join(claims) or 'none in this directory'}, got "
            f"{claim!r}; choose one of these"
        )
    print(format_claim(claims[claim]))
    return 0


def _report_sections(out: Path, sections: Sequence[Section]) -> int:
    """Print problems, notes and the counts of verdicts; return the exit code."""
    claims = [claim for section in sections for claim in section.claims]
    for section in sections:
        lines = [section.problem] if section.problem else []
        lines += section.notes
        if section.holes:
            count = f"{len(section.holes)} of {section.units} units have no result"
            lines.append(f"{count}: {section.holes[0].reason}")
        for line in lines:
            print(printable(f"{section.name}: {line}"))
    for by, whose in (("paper", "of the paper"), ("library", "of this library")):
        verdicts = Counter(claim["verdict"] for claim in claims if claim["by"] == by)
        print(
            f"claims {whose}: {verdicts['holds']} hold, {verdicts['partly']} partly, "
            f"{verdicts['fails']} fail, {verdicts['open']} too close to call"
        )
    print(f"report: {out / 'report.html'}")
    return int(any(section.faulty for section in sections))


@contextmanager
def _checked(
    progress: AbstractContextManager[Progress], check: Callable[[], None]
) -> Iterator[Progress]:
    """The same progress, which also calls `check` after every unit."""
    with progress as advance:

        def advance_and_check(unit: Unit, error: str | None, seconds: float | None) -> None:
            advance(unit, error, seconds)
            check()

        yield advance_and_check
