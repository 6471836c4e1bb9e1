"""The settings of a view: each is checked, and all of them fit into a link."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from math import inf, log10
from typing import Any
from urllib.parse import parse_qsl, urlencode

from spheresn import _validation
from spheresn._errors import BadInput
from spheresn.topology.build import TOPOLOGIES

ACTIVATIONS = ("spherical", "tanh", "linear")
DRIVES = ("memory", "scaling")
UNITS = (10, 2000)  # ends of its slider
MOST_COLUMNS = 12  # of a file
MOST_LONG_SERIES = 500  # of a file in long form
MOST_FORECAST_STEPS = 1000  # that a file is forecast for
LONGEST_QUERY = 1000  # characters; a link of all settings has about two hundred


@dataclass(frozen=True)
class Dial:
    """A number that a slider sets; on a logarithmic one the slider's position is the logarithm."""

    label: str
    low: float
    high: float
    step: float
    hint: str
    logarithmic: bool = False

    def position(self, value: float) -> float:
        """Where the slider stands."""
        return round(log10(value), 4) if self.logarithmic else value

    def value(self, position: float) -> float:
        """What the slider means, to three digits."""
        try:
            return float(f"{10.0**position if self.logarithmic else position:.3g}")
        except OverflowError:
            return inf


# The sliders, with their ends and steps
DIALS = {
    "memory": Dial("Memory", 0.5, 100.0, 0.05, "steps until an input has faded to 1/e", True),
    "spectral_radius": Dial(
        "Spectral radius", 0.05, 2.0, 0.01, "how strongly the units feed each other"
    ),
    "input_scaling": Dial(
        "Input scaling", 0.001, 10.0, 0.05, "how strongly the signal enters", True
    ),
    "bend": Dial("Bend", 0.0, 2.0, 0.05, "nonlinearity; 0 is the plain sphere"),
    "bias": Dial("Bias", 0.0, 10.0, 0.25, "constant input, relative to the signal"),
    "leak": Dial("Leak", 0.05, 1.0, 0.05, "share of the new state in each step"),
}


@dataclass(frozen=True)
class Settings:
    """What the page shows. `drive` says which sliders set the strength of the network: the memory,
    or the spectral radius and the input scaling. `column` (from 1; in long form a series) and
    `steps` (0: as many as `spheresn forecast` takes) are those of the forecast of a file.
    """

    signal: str = "lorenz"
    activation: str = "spherical"
    topology: str = "ring"
    units: int = 200
    drive: str = "memory"
    memory: float = 3.0
    spectral_radius: float = 0.9
    input_scaling: float = 0.1
    bend: float = 0.5
    bias: float = 3.0
    leak: float = 1.0
    seed: int = 0
    column: int = 1
    steps: int = 0

    def __post_init__(self) -> None:
        _validation.one_of("activation", self.activation, ACTIVATIONS)
        _validation.one_of("topology", self.topology, TOPOLOGIES)
        _validation.one_of("drive", self.drive, DRIVES)
        _within("units", self.units, *UNITS)
        _within("seed", self.seed, 0, 2**31 - 1)
        _within("column", self.column, 1, MOST_LONG_SERIES)
        _within("steps", self.steps or 1, 1, MOST_FORECAST_STEPS)
        for name, dial in DIALS.items():
            _validation.real(name, getattr(self, name), dial.low, dial.high)

    @property
    def heavy(self) -> bool:
        """Whether a view takes so long that it must not delay quick ones."""
        return self.units > 400


def to_query(settings: Settings) -> str:
    """The settings that differ from the defaults, as the query of a link.

    >>> to_query(Settings(signal="henon", memory=10.0))
    'signal=henon&memory=10'
    """
    usual = asdict(Settings())
    changed = {name: value for name, value in asdict(settings).items() if value != usual[name]}
    return urlencode(
        {
            name: f"{value:g}" if isinstance(value, float) else value
            for name, value in changed.items()
        }
    )


def from_query(query: str) -> Settings:
    """The settings in a link. What the link leaves out has its default.

    >>> from_query("?signal=henon&memory=10").memory
    10.0
    """
    if len(query) > LONGEST_QUERY:
        raise BadInput(
            f"link must have at most {LONGEST_QUERY} characters, got {len(query)}; open the page "
            "without it"
        )
    return from_texts(dict(parse_qsl(query.removeprefix("?"), keep_blank_values=True)))


def from_texts(texts: dict[str, Any]) -> Settings:
    """The settings from what was typed or linked, by name."""
    kinds = {field.name: type(field.default) for field in fields(Settings)}
    unknown = [name for name in texts if name not in kinds]
    if unknown:
        raise BadInput(
            f"link must name only {', '.join(kinds)}, got {unknown[0][:40]!r}; leave it out"
        )
    return Settings(**{name: _as(name, kinds[name], text) for name, text in texts.items()})


def _as(name: str, kind: type, text: Any) -> Any:
    if kind is str:
        return str(text)[:80]
    try:
        number = float(text)
        return int(number) if kind is int and number.is_integer() else number
    except (TypeError, ValueError, OverflowError):
        raise BadInput(f"{name} must be a number, got {str(text)[:40]!r}; type one") from None


def _within(name: str, value: Any, low: int, high: int) -> None:
    if not isinstance(value, int) or not low <= value <= high:
        raise BadInput(
            f"{name} must be a whole number from {low} to {high}, got {value}; type such a number"
        )
