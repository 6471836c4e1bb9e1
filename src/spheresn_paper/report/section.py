"""What the page says about one experiment."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import xarray as xr

from spheresn._errors import NotInstalled
from spheresn.apps._pages import Drawing


@dataclass(frozen=True)
class Hole:
    """A unit without a result, why, and the class of the error."""

    task: str
    reason: str
    kind: str | None = None

    @property
    def expected(self) -> bool:
        """Whether the reason is a recording that is not installed, which is no fault."""
        return self.kind == NotInstalled.__name__


@dataclass(frozen=True)
class Section:
    """One experiment: what it is, how it was run, what came out, what is missing."""

    name: str
    figure: str
    title: str
    preset: str
    config: dict[str, Any]
    seed: int
    command: str
    sizes: str = ""
    looks: str = ""
    protocols: tuple[str, ...] = ()
    units: int = 0
    seconds: float = 0.0
    size: int = 0
    computed: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    holes: tuple[Hole, ...] = ()
    problem: str | None = None
    drawings: tuple[Drawing, ...] = ()
    numbers: tuple[dict[str, str], ...] = ()
    claims: tuple[dict[str, Any], ...] = field(default=())

    @property
    def reasons(self) -> dict[str, list[str]]:
        """Reason -> tasks without a result."""
        found: dict[str, list[str]] = {}
        for hole in self.holes:
            found.setdefault(hole.reason, []).append(hole.task)
        return found

    @property
    def faulty(self) -> bool:
        """Whether something went wrong, so that the exit code must say so."""
        return self.problem is not None or not all(hole.expected for hole in self.holes)


def numbers(dataset: xr.Dataset) -> Iterator[dict[str, str]]:
    """A row per variable: name, meaning, shape, range and median, how many are missing."""
    for name, values in dataset.data_vars.items():
        flat = np.asarray(values.values)
        if flat.dtype.kind in "biuf":
            known = flat[np.isfinite(flat)].astype(float)
            shape = (
                " × ".join(f"{size} {dim}" for dim, size in values.sizes.items()) or "one number"
            )
            spread = (
                [f"{value:.4g}" for value in np.quantile(known, (0.0, 0.5, 1.0))]
                if known.size
                else ["–"] * 3
            )
            low, middle, high = spread
            row = {
                "name": str(name),
                "meaning": str(values.attrs.get("long_name", "")),
                "shape": shape,
            }
            yield {
                **row,
                "low": low,
                "median": middle,
                "high": high,
                "missing": str(flat.size - known.size),
            }
