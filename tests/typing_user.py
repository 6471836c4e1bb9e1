"""A user's script with annotations of its own: mypy checks it strictly (`make lint`), and a test
runs it in a folder of its own.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

import spheresn as sn
from spheresn import analysis, datasets, forecasting, metrics, readout, topology
from spheresn.forecasting import SeriesForecaster

Array = NDArray[np.float64]

signal = sn.datasets.white_noise(800, rng=0)
target: Array = np.roll(signal[:, 0], 1)
network: sn.Reservoir = sn.random_reservoir(
    30, activation=sn.OnSphere(bend=0.5), input_scaling=0.3, rng=np.random.default_rng(0)
)
states: Array = sn.drive(network, signal)
many: list[Array] = sn.drive(network, [signal, signal[:50]])
for piece in sn.drive_chunks(network, [signal[:100], signal[100:]]):
    print(piece.shape)
grid: Array = sn.drive_grid(network, signal, [0.5, 1.0], [0.1, 1.0])
exponent: float = sn.analysis.max_lyapunov(network, signal).exponent
spectrum: Array = analysis.lyapunov_spectrum(network, signal, 3).exponents
verdict: str = sn.analysis.echo_state(network, signal).verdict
capacity: Array = sn.analysis.information_processing_capacity(states, signal).by_degree
total: float = analysis.memory_capacity(network, signal, signal, max_delay=5).total

regressor = sn.ESNRegressor(units=30, random_state=0).fit(signal, target)
outputs: Array = regressor.predict(signal)
score: float = regressor.score(signal, target)
chosen: float = regressor.penalty_ + regressor.loo_error_ + regressor.memory_
after: Array = regressor.state_
units: int = regressor.reservoir_.units
forecaster = sn.ESNForecaster(units=30, random_state=0).fit(np.sin(np.arange(500.0))[:, None])
ahead: Array = forecaster.forecast(10)
forecaster.update(signal[:10])
classifier = sn.ESNClassifier(units=30, random_state=0).fit(
    [signal, 1 - signal, signal, 1 - signal], ["a", "b", "a", "b"]
)
labels = classifier.predict([signal])
shares: Array = classifier.predict_proba([signal])
sharpness: float = classifier.sharpness_
matrix: Array = classifier.weights_.matrix
field = sn.ESNFieldForecaster(50, patch=2, halo=2, random_state=0).fit(
    datasets.lorenz96(300, 8, rng=0)
)
future = field.forecast(5)
series = SeriesForecaster(season=12).fit(list(range(60)))
forecast = series.forecast(12)
print(forecast.mean, forecast.lower, forecast.upper, forecast.quantile(0.2), forecast.to_frame())
print(series.describe(), series.weights_, series.relative_error("combination", "seasonal naive"))

sn.save(forecaster, "model.spheresn")
sn.save(forecaster, Path("model.spheresn"))
again = sn.load("model.spheresn")
print(again.get_params())
if isinstance(again, sn.ESNForecaster):
    print(again.forecast(3))

print(sn.metrics.nrmse(target, outputs), metrics.valid_time(signal, signal, dt=0.1))
print(topology.ring(5).spectral_radius(), datasets.lorenz(100).shape)
weights = readout.solve(readout.Gram.of(states, signal), 1e-3)
print(weights(states))
test = forecasting.backtest(
    signal, 5, {"naive": forecasting.Naive.fit, "linear": forecasting.Autoregression().fit}
)
print(test.rmse("naive"))
print(sn.forecasting.Naive, sn.readout.Gram, sn.io.load, sn.plotting)


@dataclass(frozen=True)
class Softsign:
    sphere_radius = None

    def value(self, pre_activation: Array) -> Array:
        return np.asarray(pre_activation / (1 + np.abs(pre_activation)))

    def pushforward(self, pre_activation: Array, tangents: Array) -> Array:
        return np.asarray((tangents.T / (1 + np.abs(pre_activation)) ** 2).T)


@dataclass(frozen=True)
class OwnRing:
    size: int
    weight: float = 1.0
    dtype: np.dtype[Any] = np.dtype(np.float64)  # noqa: RUF009  immutable

    def matvec(self, vectors: Array) -> Array:
        return self.weight * np.roll(vectors, 1, axis=0)

    def rmatvec(self, vectors: Array) -> Array:
        return self.weight * np.roll(vectors, -1, axis=0)

    def spectral_radius(self) -> float:
        return abs(self.weight)

    def scaled(self, factor: float) -> "OwnRing":
        return replace(self, weight=self.weight * factor)

    def astype(self, dtype: DTypeLike) -> "OwnRing":
        return replace(self, dtype=np.dtype(dtype))

    def toarray(self) -> Array:
        return self.matvec(np.eye(self.size))


own = sn.random_reservoir(20, topology=OwnRing(20), activation=Softsign(), rng=0)
print(sn.drive(own, signal).shape, sn.Reservoir(OwnRing(20), np.ones(20), Softsign()))


class Henon:
    tangent_dim = 2

    def step(self, state: Array, inputs: Array) -> Array:
        x, y = state
        return np.array([1 - 1.4 * x**2 + y, 0.3 * x])

    def tangent_step(self, state: Array, inputs: Array, tangents: Array) -> tuple[Array, Array]:
        derivative = np.array([[-2.8 * state[0], 1.0], [0.3, 0.0]])
        return self.step(state, inputs), derivative @ tangents


henon: Array = sn.analysis.lyapunov_spectrum(Henon(), 800, start=[0.1, 0.1]).exponents
