"""The main job: plan the units of the chosen experiments, compute those that have no result, and
publish all results.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ... import _validation
from ..._errors import BadInput
from .figures import PRESETS
from .report import Section, places, publish
from .runner import (
    DaskPool,
    LocalPool,
    Pool,
    Progress,
    ResultStore,
    Run,
    Unit,
    Work,
    canonical,
    check_outputs,
    commit,
    locked,
    remove_drafts,
    run,
)

Say = Callable[[str], None]
ShowProgress = Callable[[dict[str, int]], AbstractContextManager[Progress]]


@dataclass(frozen=True)
class Request:
    """What a user asked for, checked."""

    names: tuple[str, ...]
    preset: str
    out: Path
    jobs: int
    seed: int
    dask: str | None = None
    fresh: bool = False


def request(
    experiments: Mapping[str, Any],
    names: Sequence[str],
    preset: str,
    out: Path,
    jobs: int,
    seed: int,
    dask: str | None = None,
    fresh: bool = False,
) -> Request:
    """The request, or `BadInput` with one sentence; without names, all experiments."""
    for name in names:
        _validation.one_of("NAMES", name, experiments)
    chosen = tuple(name for name in experiments if not names or name in names)
    _validation.one_of("--preset", preset, PRESETS)
    return Request(
        chosen,
        preset,
        out,
        _validation.whole("--jobs", jobs, 1),
        _validation.whole("--seed", seed, 0),
        dask,
        fresh,
    )


def plan(experiments: Mapping[str, Any], wanted: Request) -> list[Work]:
    """Every unit of the chosen experiments, in their order."""
    work = []
    for name in wanted.names:
        module = experiments[name]
        config = module.PRESETS[wanted.preset]
        text = canonical(asdict(config))
        for task in module.tasks(config):
            work.append(
                Work(
                    Unit(name, text, canonical(task), wanted.seed),
                    module.run,
                    (config, task, wanted.seed),
                )
            )
    return work


def reproduce(
    experiments: Mapping[str, Any], wanted: Request, show_progress: ShowProgress, say: Say
) -> list[Section]:
    """Compute the units that have no result, then write data, figures, claims and the page."""
    work = plan(experiments, wanted)
    pool: Pool = (
        DaskPool(wanted.dask)
        if wanted.dask is not None
        else LocalPool(min(wanted.jobs, max(len(work), 1)))
    )
    store = ResultStore(wanted.out, commit())
    try:
        check_outputs(places(wanted.out, experiments), {}, streams=False)
        wanted.out.mkdir(parents=True, exist_ok=True)
        with locked(wanted.out):
            remove_drafts(wanted.out)
            _prepare(store, work, wanted)
            totals = Counter(item.unit.experiment for item in work)
            with show_progress(dict(totals)) as progress:
                run(work, pool, store, progress)
            each = pool.map if isinstance(pool, LocalPool) else map
            sections = publish(wanted.out, store, experiments, say, each)
            remove_drafts(wanted.out)  # a worker that was killed may have left one
            return sections
    finally:
        pool.close()


def republish(experiments: Mapping[str, Any], out: Path, say: Say) -> list[Section]:
    """Write everything anew from the results, computing nothing."""
    if not out.is_dir():
        raise BadInput(
            f"DIR must be a directory of results, got {str(out)!r}; run `spheresn reproduce --out "
            f"{out}` first"
        )
    store = ResultStore(out)
    check_outputs(places(out, experiments), {}, streams=False)
    store.runs()  # before the lock, which would leave a file behind
    with locked(out):
        remove_drafts(out)
        return publish(out, store, experiments, say)


def _prepare(store: ResultStore, work: Sequence[Work], wanted: Request) -> None:
    if wanted.fresh:
        store.forget(item.unit for item in work)
    configs = {item.unit.experiment: item.unit.config for item in work}
    store.announce(
        {name: Run(wanted.preset, config, wanted.seed) for name, config in configs.items()}
    )
