"""How many networks an experiment computes: in rounds, until its claims are settled.

A preset may name several looks: numbers of networks after which the claims are judged, the last of
them the most that are computed. The rule:

1. Each interval has the level 1 - .05/K, where K is the largest number of looks that the preset
   plans in the experiment. So the intervals of all looks together hold with 95 %, whatever makes us
   stop (Bonferroni).
2. After a look, the next round is computed where it can settle a claim: one that rests on these
   networks is open, and would not be open if the most networks had the same mean and the same
   spread.
3. The verdict is that of all networks that were computed. A claim that is still open is too close
   to call.

The decision is a function of the results at the looks alone. It depends neither on the number of
workers, nor on the order in which they end, nor on interruptions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import xarray as xr

from spheresn.apps._pages import quiet

from .claim import Claim
from .interval import look
from .runner.unit import Arrays

Looks = dict[str, tuple[int, ...]]  # by the setting that counts the networks
Load = Callable[[dict[str, Any]], tuple[bool, Arrays | None]]


@dataclass(frozen=True)
class Reached:
    """What is to be computed as far as the results say; `config` with the numbers of networks."""

    config: Any
    tasks: list[dict[str, Any]]
    results: list[Arrays | None]
    complete: bool


def looks(module: Any, preset: str, config: Any) -> Looks:
    """The looks that a preset plans; the last is what the configuration says."""
    planned: Looks = getattr(module, "LOOKS", {}).get(preset, {})
    return {
        name: (*(n for n in numbers if n < getattr(config, name)), getattr(config, name))
        for name, numbers in planned.items()
    }


def format_looks(planned: Looks, config: Any) -> str:
    """Where each number of networks stands among its looks, in words.

    >>> from types import SimpleNamespace
    >>> format_looks({"sweep_networks": (3, 8)}, SimpleNamespace(sweep_networks=3))
    'sweep networks 3 (looks at 3, 8)'
    """
    text = []
    for name, numbers in planned.items():
        listed = ", ".join(map(str, numbers))
        text.append(f"{name.replace('_', ' ')} {getattr(config, name)} (looks at {listed})")
    return "; ".join(text)


def judge(module: Any, planned: Looks, dataset: xr.Dataset, more: float = 1.0) -> list[Claim]:
    """The claims with intervals that hold at all looks together."""
    with look(max(map(len, planned.values()), default=1), more):
        claims: list[Claim] = module.claims(dataset)
    return claims


def reached(module: Any, preset: str, config: Any, load: Load) -> Reached:
    """Walk from look to look as far as there are results. `load`: whether a task has ended, and its
    arrays.
    """
    planned = looks(module, preset, config)
    place = dict.fromkeys(planned, 0)
    while True:
        view = replace(config, **{name: planned[name][i] for name, i in place.items()})
        tasks = module.tasks(view)
        ended, results = zip(*map(load, tasks), strict=True)
        more = _wanted(module, planned, place, view, results) if all(ended) else []
        if not more:
            return Reached(view, tasks, list(results), all(ended))
        place |= {name: place[name] + 1 for name in more}


def _wanted(
    module: Any, planned: Looks, place: dict[str, int], view: Any, results: Sequence[Arrays | None]
) -> list[str]:
    """The settings whose networks get another round."""
    left = [name for name, i in place.items() if i + 1 < len(planned[name])]
    if not left:
        return []
    try:
        with quiet():
            dataset = module.collect(view, list(results))
            claims = judge(module, planned, dataset)
            return [one for one in left if _can_settle(module, planned, view, dataset, claims, one)]
    except Exception:  # publishing meets it again and reports it
        return []


def _can_settle(
    module: Any, planned: Looks, view: Any, dataset: xr.Dataset, claims: list[Claim], name: str
) -> bool:
    """Whether the most networks, with the mean and the spread of these, would settle a claim."""
    undecided = {one.id for one in claims if one.networks == name and one.verdict == "open"}
    if not undecided:
        return False
    ahead = judge(module, planned, dataset, planned[name][-1] / getattr(view, name))
    return any(one.id in undecided and one.verdict != "open" for one in ahead)
