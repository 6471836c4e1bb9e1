"""One module per figure of the paper, and some beyond it.

Each module reads from top to bottom: Config, a frozen dataclass, and PRESETS (smoke, quick, paper);
`tasks`, the units of work; `run`, which computes the numbers of one unit and is a pure function;
`collect`, which joins the units to one data set; `plot`, which draws it; `claims`, which compares
the sentences of the paper with the numbers. A module with LOOKS names, for a preset, the settings
that count its networks, and the numbers of them after which the claims are judged (`rounds`).
"""

from __future__ import annotations

from collections import UserDict
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from ..claim import VERDICTS, Claim

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

MODULES = {
    "schematic": "fig1_schematic",
    "geometry": "fig2_geometry",
    "lyapunov": "fig3_lyapunov",
    "decay": "fig4_decay",
    "memory": "fig5_memory",
    "example": "fig6_example",
    "tradeoff": "fig7_tradeoff",
    "stability": "stability",
    "mixture": "mixture",
    "dial": "memory_dial",
    "bent": "bent_sphere",
    "theorems": "theorems",
}
ORDER = tuple(MODULES)
PRESETS = ("smoke", "quick", "paper")


class Experiment(Protocol):
    """What every figure module offers; CAPTIONS: file stem -> the text under that figure."""

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


class Registry(UserDict[str, Any]):
    """Experiments by name; the registry imports a module when somebody asks for it."""

    def __getitem__(self, name: str) -> Any:
        found = self.data[name]
        return import_module(f"{__name__}.{found}") if isinstance(found, str) else found


EXPERIMENTS = Registry(MODULES)

__all__ = ["EXPERIMENTS", "ORDER", "PRESETS", "VERDICTS", "Claim", "Experiment"]
