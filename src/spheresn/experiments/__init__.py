"""One module per figure of the paper, and some beyond it.

Each has NAME, FIGURE, TITLE; Config, a frozen dataclass, and PRESETS (smoke, quick, paper); `tasks`, the units of work; `run`, one unit,
a pure function to numbers; `collect`, the units as one data set; `plot`, drawing only; `claims`, the paper's words against the numbers.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol

from ._claim import VERDICTS, Claim

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

PRESETS = ("smoke", "quick", "paper")
ORDER = ("schematic", "geometry", "lyapunov", "decay", "memory", "example", "tradeoff", "stability", "dial", "bent")


class Experiment(Protocol):
    """What every experiment module offers; CAPTIONS: file stem -> the text under that figure."""

    NAME: str
    FIGURE: str
    TITLE: str
    CAPTIONS: dict[str, str]
    Config: Any
    PRESETS: dict[str, Any]

    def tasks(self, config: Any) -> list[dict[str, Any]]: ...

    def run(self, config: Any, task: dict[str, Any], seed: int) -> dict[str, Any]: ...

    def collect(self, config: Any, results: list[dict[str, Any] | None]) -> xr.Dataset: ...

    def plot(self, dataset: xr.Dataset) -> dict[str, Figure]: ...

    def claims(self, dataset: xr.Dataset) -> list[Claim]: ...


EXPERIMENTS: dict[str, Any] = {name: import_module(f"{__name__}.{name}") for name in ORDER if find_spec(f"{__name__}.{name}") is not None}

__all__ = ["EXPERIMENTS", "ORDER", "PRESETS", "VERDICTS", "Claim", "Experiment"]
