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

from spheresn import _validation
from spheresn._errors import BadInput

from .figures import PRESETS
from .report import FOUND_BY, Section, places, publish
from .rounds import reached
from .runner import (
    Arrays,
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
    """Every unit that the chosen experiments may need, those of the findings first."""
    names = sorted(wanted.names, key=lambda name: name not in FOUND_BY)
    return [
        _work(experiments[name], wanted, task)
        for name in names
        for task in experiments[name].tasks(experiments[name].PRESETS[wanted.preset])
    ]


def _work(module: Any, wanted: Request, task: dict[str, Any]) -> Work:
    config = module.PRESETS[wanted.preset]
    unit = Unit(module.NAME, canonical(asdict(config)), canonical(task), wanted.seed)
    return Work(unit, module.run, (config, task, wanted.seed))


def due(
    experiments: Mapping[str, Any], wanted: Request, work: Sequence[Work], store: ResultStore
) -> list[Work]:
    """The units that the results so far ask for; all of them are there when a run has ended."""
    keys = set()
    for name in wanted.names:
        module = experiments[name]

        def load(task: dict[str, Any], module: Any = module) -> tuple[bool, Arrays | None]:
            found = store.load(_work(module, wanted, task).unit)
            return found is not None, found.arrays if found else None

        config = module.PRESETS[wanted.preset]
        tasks = reached(module, wanted.preset, config, load).tasks
        keys |= {_work(module, wanted, task).unit.key for task in tasks}
    return [item for item in work if item.unit.key in keys]


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
            asked: set[str] = set()
            while new := [
                item for item in due(experiments, wanted, work, store) if item.unit.key not in asked
            ]:
                totals = Counter(item.unit.experiment for item in new)
                with show_progress(dict(totals)) as progress:
                    run(new, pool, store, progress)
                asked |= {item.unit.key for item in new}
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
