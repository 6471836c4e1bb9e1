"""The panels of a view, computed from its settings; results of earlier views are used again."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from spheresn import analysis
from spheresn._errors import BadInput
from spheresn._validation import Floats
from spheresn.apps.tables import TimeSeries
from spheresn.topology import Recurrent

from . import compute
from .cache import Cache
from .code import python_of
from .compute import Cut, Drive, Report
from .own import plotted
from .settings import ACTIVATIONS, Settings
from .signals import Catalogue, Source
from .worker import forecast_aside

MATRICES = 4  # of at most 32 MB each
DRIVES, SERIES = 1024, 32  # calibrated drives and signals that are kept; each is small
MEASURES = {"trajectory": compute.trajectory, "spectrum": compute.spectrum, "echo": compute.echo}
STAGES = {"spectrum": "measuring exponents", "echo": "testing the echo state"}


@dataclass(frozen=True, eq=False)
class Recall:
    """Memory curves by activation, and for those that have none (yet) the reason."""

    curves: dict[str, analysis.MemoryCurve]
    reasons: dict[str, str]


class Panels:
    """Panels by name. Each is a function of the settings; its key holds all that it depends on."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self._series, self._matrices, self._drives = Cache(SERIES), Cache(MATRICES), Cache(DRIVES)

    def key(self, panel: str, settings: Settings) -> Hashable:
        """Equal for settings that give the same panel."""
        if panel == "own":
            return panel, settings.signal, settings.steps
        activation = panel if panel in ACTIVATIONS else settings.activation
        return panel, self._network_key(settings, activation)

    def panel(self, name: str, settings: Settings, report: Report) -> Any:
        """The numbers of one panel. The panel named after an activation is its memory curve."""
        if name == "code":
            return self.code(settings, report)
        if name == "own":
            file = self.catalogue.source(settings.signal).file
            if file is None:
                raise BadInput(f"signal must be a file, got {settings.signal!r}; choose one")
            return forecast_aside(file, settings.steps, report)
        if name == "forecast":
            links, drive = self.drive(settings, settings.activation, report)
            report("training the forecaster")
            return compute.forecast(self.series(settings), settings, links, drive)
        net = self.network(settings, name if name in ACTIVATIONS else settings.activation, report)
        report(STAGES.get(name, "driving the network"))
        return MEASURES.get(name, compute.recall)(net)

    def code(self, settings: Settings, report: Report) -> str:
        """The Python that makes the view."""
        found = settings.activation == "tanh" and settings.drive == "memory"
        drive = self.drive(settings, settings.activation, report)[1] if found else None
        return python_of(settings, self.source(settings), len(self.series(settings)), drive)

    def source(self, settings: Settings) -> Source:
        """Where the signal comes from: of a table in long form, one of its series."""
        return self.catalogue.source(settings.signal).part(settings.column)

    def series(self, settings: Settings) -> Floats:
        """The signal (T, d) as it is."""
        series: Floats = self._series.get(self._signal(settings), self.source(settings).make)
        return series

    def _signal(self, settings: Settings) -> Hashable:
        """Equal for settings that give the same signal."""
        is_long = bool(self.catalogue.source(settings.signal).parts)
        return settings.signal, settings.column if is_long else 0

    def _network_key(self, settings: Settings, activation: str) -> Hashable:
        """All that a network depends on, and nothing else."""
        s = settings
        drive = (s.memory,) if s.drive == "memory" else (s.spectral_radius, s.input_scaling)
        bend = s.bend if activation == "spherical" else 0.0
        network = activation, s.topology, s.units, drive, bend, s.bias, s.leak, s.seed
        return self._signal(settings), network

    def dates(self, settings: Settings) -> list[str]:
        """The dates of the last training row and of the rows after it; none if a file has none."""
        file = self.source(settings).file
        if not isinstance(file, TimeSeries) or file.clock is None or not file.clock.has_dates:
            return []
        rows = len(self.series(settings))
        return [str(time) for time in plotted(file.clock.axis[Cut(rows).train - 1 : rows])]

    def drive(self, settings: Settings, activation: str, report: Report) -> tuple[Recurrent, Drive]:
        """W at spectral radius one, and the drive of the network."""
        report("drawing the network")
        series = self.series(settings)
        links = self._matrices.get(
            (settings.topology, settings.units, settings.seed), lambda: compute.drawn(settings)
        )
        found = lambda: compute.found_drive(series, settings, activation, links, report)  # noqa: E731
        return links, self._drives.get(self._network_key(settings, activation), found)

    def network(self, settings: Settings, activation: str, report: Report) -> compute.Network:
        """The network with its signal."""
        links, drive = self.drive(settings, activation, report)
        return compute.network(self.series(settings), settings, activation, links, drive)
