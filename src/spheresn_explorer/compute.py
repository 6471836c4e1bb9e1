"""Settings as numbers: the network of a view, and what each panel shows of it. Pure functions.

They call `report` with a few words before every long step. It may raise, which stops a computation
that nobody waits for any more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from spheresn import analysis, metrics
from spheresn._validation import Floats
from spheresn.driving import drive
from spheresn.estimators import ESNForecaster, calibrate
from spheresn.reservoir import Reservoir
from spheresn.selection.plan import FINAL_ROWS, Candidate, Plan
from spheresn.selection.staying import LearnedClimate
from spheresn.series.scaling import Scaler
from spheresn.topology import Recurrent

from .settings import Settings

Report = Callable[[str], None]
EXPONENTS = 12  # leading exponents; all of them would take minutes
PROBED_ROWS = 1000  # rows on which exponents and the echo state are measured


@dataclass(frozen=True)
class Cut:
    """How a series of `rows` is used: the first `train` rows for training, the rest to compare the
    forecast with. During the first `skip` rows the network forgets its start.
    """

    rows: int

    @property
    def train(self) -> int:
        return self.rows * 5 // 6

    @property
    def skip(self) -> int:
        return min(200, self.rows // 6)

    @property
    def probe(self) -> int:
        return min(PROBED_ROWS, self.rows)

    @property
    def delays(self) -> list[int]:
        """Every delay up to 20, then every second, fifth and tenth one, at most 200."""
        wanted = [*range(21), *range(22, 50, 2), *range(50, 100, 5), *range(100, 201, 10)]
        return [delay for delay in wanted if delay <= self.rows // 6]


@dataclass(frozen=True)
class Drive:
    """The strength of a network's links and inputs."""

    spectral_radius: float
    input_scaling: float


@dataclass(frozen=True, eq=False)
class Network:
    """A reservoir and the standardised signal (T, d) that drives it."""

    reservoir: Reservoir
    signal: Floats


@dataclass(frozen=True, eq=False)
class Trajectory:
    """States after the skipped rows along their three leading principal components (T, 3), and the
    share of variance of each (3,).
    """

    points: Floats
    shares: Floats


@dataclass(frozen=True, eq=False)
class Forecast:
    """Truth and free run (H, d), for how many steps the run is valid, and what long free runs of
    the same model are like.
    """

    truth: Floats
    run: Floats
    valid: int
    climate: LearnedClimate | None = None


def forecaster(
    settings: Settings,
    topology: str | Recurrent,
    input_scaling: float | None,
    activation: str | None = None,
) -> ESNForecaster:
    """The forecaster of a view. Without a scaling, `fit` finds the drive that gives the memory."""
    model = ESNForecaster(
        settings.units,
        activation=activation or settings.activation,
        topology=topology,
        bend=settings.bend,
        bias_ratio=settings.bias,
        leak=settings.leak,
        random_state=settings.seed,
    )
    if input_scaling is None:
        model.memory = settings.memory
    model.input_scaling = input_scaling
    return model


def _candidate(settings: Settings, activation: str) -> Candidate:
    """What the sliders say of a network."""
    bend = settings.bend if activation == "spherical" else 0.0
    return Candidate(settings.memory, bend, bias_ratio=settings.bias)


def drawn(settings: Settings) -> Recurrent:
    """W at spectral radius one: the part of a view that no slider changes."""
    return forecaster(settings, settings.topology, None)._plan().links


def found_drive(
    series: Floats, settings: Settings, activation: str, links: Recurrent, report: Report
) -> Drive:
    """The drive in the settings, or the one that gives their memory on the training part of the
    series, as ESNForecaster finds it.
    """
    if settings.drive == "scaling":
        return Drive(settings.spectral_radius, settings.input_scaling)
    plan, signal = forecaster(settings, links, None, activation)._plan(), _training_signal(series)
    setting = _candidate(settings, activation)
    base = plan.unit_drive(signal.shape[1], setting)

    def at_strength(strength: float) -> Reservoir:
        report("finding the drive that gives this memory")
        return (
            base.rescaled(recurrent=1.0 / strength)
            if activation == "linear"
            else base.rescaled(1.0, strength, strength)
        )

    # What `Plan.final` does, but with reports while it searches.
    return _drive_of(
        plan, links, calibrate(at_strength, signal[:FINAL_ROWS], settings.memory).reservoir
    )


def _training_signal(series: Floats) -> Floats:
    train = series[: Cut(len(series)).train]
    return Scaler.of(train).forward(train)[:-1]


def _drive_of(plan: Plan, links: Recurrent, reservoir: Reservoir) -> Drive:
    """Spectral radius and input scaling, relative to the same network with both at 1."""
    probe = np.ones(links.size) + np.arange(links.size) / links.size
    lengths = [np.linalg.norm(matrix.matvec(probe)) for matrix in (reservoir.recurrent, links)]
    weights = plan.network(reservoir.n_inputs, Candidate(1.0), 1.0, 1.0).inputs
    return Drive(
        float(lengths[0] / lengths[1]),
        float(np.linalg.norm(reservoir.inputs) / np.linalg.norm(weights)),
    )


def network(
    series: Floats, settings: Settings, activation: str, links: Recurrent, drive: Drive
) -> Network:
    """The reservoir of a view, or of the same view with another activation."""
    scaled = links.scaled(drive.spectral_radius)
    plan = forecaster(settings, scaled, drive.input_scaling, activation)._plan()
    setting = _candidate(settings, activation)
    signal = Scaler.of(series[: Cut(len(series)).train]).forward(series)
    return Network(plan.network(series.shape[1], setting, 1.0, drive.input_scaling), signal)


def trajectory(net: Network) -> Trajectory:
    """The states along the leading eigenvectors of their covariance; the largest entry of each
    vector is positive.
    """
    states = drive(net.reservoir, net.signal)[Cut(len(net.signal)).skip :]
    states -= states.mean(axis=0)
    scatter = states.T @ states
    units, count = len(scatter), min(3, len(scatter))
    values, vectors = eigh(scatter, subset_by_index=(units - count, units - 1))
    vectors = (
        vectors[:, ::-1] * np.sign(vectors[np.abs(vectors).argmax(axis=0), np.arange(count)])[::-1]
    )
    return Trajectory(
        states @ vectors, values[::-1] / max(float(np.trace(scatter)), np.finfo(float).tiny)
    )


def recall(net: Network) -> analysis.MemoryCurve:
    """How well the signal is recalled from the state, by delay."""
    cut = Cut(len(net.signal))
    return analysis.memory_curve(
        drive(net.reservoir, net.signal), net.signal, cut.delays, washout=cut.skip
    )


def spectrum(net: Network) -> analysis.LyapunovSpectrum:
    """The leading exponents along the first rows of the signal."""
    cut = Cut(len(net.signal))
    count = min(EXPONENTS, net.reservoir.tangent_dim)
    return analysis.lyapunov_spectrum(net.reservoir, net.signal[: cut.probe], count, cut.skip)


def echo(net: Network) -> analysis.EchoState:
    """Whether the state forgets where it began, along the same rows."""
    cut = Cut(len(net.signal))
    return analysis.echo_state(net.reservoir, net.signal[: cut.probe], transient=cut.skip)


def forecast(series: Floats, settings: Settings, links: Recurrent, drive: Drive) -> Forecast:
    """A free run after the training part, against what came then."""
    cut = Cut(len(series))
    scaled = links.scaled(drive.spectral_radius)
    model = forecaster(settings, scaled, drive.input_scaling).fit(series[: cut.train])
    truth = series[cut.train :]
    # What `forecast` gives, without its warning about the range: the picture shows that.
    outputs, _ = model.closed_loop_.run(
        len(truth), model.state_, model.last_, np.zeros((len(truth), 0))
    )
    run = model.scaler_.backward(outputs)
    valid = int(metrics.valid_time(truth, run)) if np.ptp(truth, axis=0).any() else 0
    return Forecast(truth, run, valid, model.climate_)
