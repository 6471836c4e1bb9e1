"""What `unchanged.py` asks of the library, through its front door alone: generators of names and
results.

`sn` is the spheresn that is recorded. A result is an array, a number, a text, or nested lists,
dictionaries and dataclasses of such.
"""

from __future__ import annotations

import dataclasses
import inspect
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import Ridge

Named = Iterator[tuple[str, Any]]

TOPOLOGIES = ("gaussian", "uniform", "sparse", "rotation", "ring", "delay_line")
VARIANTS: dict[str, dict[str, Any]] = {
    "plain": {},
    "bias": {"bias_scaling": 0.3},
    "leak": {"bias_scaling": 0.3, "leak": 0.6},
    "float32": {"bias_scaling": 0.3, "dtype": np.float32},
}


def _activations(sn: Any) -> dict[str, Any]:
    return {
        "sphere": sn.OnSphere(),
        "bent": sn.OnSphere(2.0, 0.7),
        "tanh": sn.Tanh(),
        "linear": sn.Linear(),
    }


def _network(
    sn: Any, topology: str = "gaussian", activation: Any = None, units: int = 40, **options: Any
) -> Any:
    radius = {} if topology == "delay_line" else {"spectral_radius": 0.9}
    return sn.random_reservoir(
        units,
        topology=topology,
        activation=activation,
        rng=3,
        **{**radius, "input_scaling": 0.5, **options},
    )


def _noise(rows: int, columns: int = 1, seed: int = 4) -> Any:
    """From numpy and not from `datasets`: a series that changes there shows there only."""
    return np.random.default_rng(seed).uniform(-1.0, 1.0, (rows, columns))


def lorenz(rows: int, dt: float = 0.02) -> Any:
    """Runge-Kutta, four stages."""

    def slope(p: Any) -> Any:
        return np.array([10 * (p[1] - p[0]), p[0] * (28 - p[2]) - p[1], p[0] * p[1] - 8 / 3 * p[2]])

    path = [np.array([1.0, 1.0, 20.0])]
    while len(path) < rows:
        p = path[-1]
        one = slope(p)
        two = slope(p + dt / 2 * one)
        three = slope(p + dt / 2 * two)
        path.append(p + dt / 6 * (one + 2 * two + 2 * three + slope(p + dt * three)))
    return np.array(path)


def states(sn: Any) -> Named:
    """Every topology with every activation; then every way to hand over a network, a signal and a
    start.
    """
    for topology in TOPOLOGIES:
        for name, activation in _activations(sn).items():
            for variant, options in VARIANTS.items():
                yield (
                    f"{topology}/{name}/{variant}",
                    sn.drive(_network(sn, topology, activation, **options), _noise(200)),
                )
    matrix, inputs = sn.topology.sparse(30, np.random.default_rng(1), 0.2), _noise(30, 2, 5)
    for name, activation in _activations(sn).items():
        for kind, given in (("dense", matrix.toarray()), ("sparse", matrix.matrix)):
            network = sn.Reservoir(
                recurrent=0.2 * given,
                inputs=inputs,
                activation=activation,
                bias=inputs[:, 0],
                leak=0.9,
            )
            yield f"given/{name}/{kind}", sn.drive(network, _noise(100, 2), start=inputs[:, 1])
        network = _network(sn, activation=activation, n_inputs=2, bias_scaling=0.1)
        yield f"batch/{name}", sn.drive(network, _noise(150, 2).reshape(3, 50, 2))
        yield f"list/{name}", sn.drive(network, [_noise(20, 2), _noise(30, 2)])
        yield f"chunks/{name}", np.vstack(list(sn.drive_chunks(network, _noise(100, 2), chunk=33)))
        for topology in ("gaussian", "ring", "sparse"):
            yield (
                f"grid/{name}/{topology}",
                sn.drive_grid(
                    _network(sn, topology, activation), _noise(50), [0.3, 0.6, 0.9], [0.1, 0.2]
                ),
            )
        yield (
            f"step/{name}",
            [
                network.step(np.ones(40), inputs[0]),
                network.tangent_step(np.ones(40), inputs[0], np.eye(40)),
            ],
        )


def exponents(sn: Any) -> Named:
    """Of networks, of their spectra, with and without input."""
    for topology in ("gaussian", "sparse", "rotation", "ring"):
        for name, activation in _activations(sn).items():
            network, where = (
                _network(sn, topology, activation, bias_scaling=0.3),
                f"{topology}/{name}",
            )
            yield (
                f"spectrum/{where}",
                sn.analysis.lyapunov_spectrum(network, _noise(700), count=5, transient=100),
            )
            yield f"maximal/{where}", sn.analysis.max_lyapunov(network, _noise(700), transient=100)
            yield f"echo/{where}", sn.analysis.echo_state(network, _noise(700), transient=100)
    plain = _network(sn, spectral_radius=5.0)
    for jacobian in ("exact", "printed"):
        yield (
            f"local/{jacobian}",
            sn.analysis.local_exponents(
                plain, _noise(300), jacobian=jacobian, count=3, transient=50
            ),
        )
    yield "all", sn.analysis.lyapunov_spectrum(plain, _noise(700), transient=100)
    yield "autonomous", sn.analysis.autonomous_exponents(plain.recurrent)
    if hasattr(sn.analysis, "climate"):  # since 0.3
        model = sn.ESNForecaster(40, random_state=0).fit(sn.datasets.henon(400))
        yield "model", sn.analysis.lyapunov_spectrum(model, 700, transient=100, dt=0.5)
        yield "dimension", sn.analysis.kaplan_yorke_dimension([0.5, 0.0, -2.0])
        yield "rest", sn.analysis.fixed_points(model, 10)
        yield "climate", sn.analysis.climate(_noise(600, 2), _noise(900, 2))
    if hasattr(sn.analysis, "field_climate"):  # since 0.3
        yield "climate/field", sn.analysis.field_climate(_noise(600, 8), _noise(900, 8))
    yield "outside", sn.analysis.pre_activation_outside_sphere(plain, _noise(100))


def several(sn: Any) -> Named:
    """Several reservoirs as one: states, exponents, memory, estimators."""
    if not hasattr(sn, "chain"):  # since 0.3
        return
    kinds, signal = _activations(sn), _noise(700)
    sphere, tanh = (
        _network(sn, "ring", kinds[name], 20, bias_scaling=0.3) for name in ("bent", "tanh")
    )
    after = sn.random_reservoir(15, n_inputs=20, activation=kinds["tanh"], rng=4)
    both = {"parallel": sn.parallel(sphere, tanh), "chain": sn.chain(sphere, after)}
    for name, network in both.items():
        yield f"states/{name}", sn.drive(network, signal)
        yield f"spectrum/{name}", sn.analysis.lyapunov_spectrum(network, signal, 5, 100)
        yield f"maximal/{name}", sn.analysis.max_lyapunov(network, signal, 100)
        yield f"echo/{name}", sn.analysis.echo_state(network, signal, transient=100)
        yield f"layers/{name}", sn.analysis.memory_by_layer(network, signal, range(9))
        model = sn.ESNForecaster(reservoir=network, verbose=False, random_state=0)
        yield f"forecast/{name}", model.fit(sn.datasets.henon(400)[:, :1]).forecast(20)


def memory(sn: Any) -> Named:
    """Recall, sensitivity, capacities and the paper's laws."""
    signal, analysis = _noise(1500), sn.analysis
    for name, activation in _activations(sn).items():
        network = _network(sn, activation=activation, bias_scaling=0.3)
        reached = sn.drive(network, signal)
        yield f"curve/{name}", analysis.memory_curve(reached, signal, range(20), washout=50)
        yield (
            f"nonlinear/{name}",
            analysis.memory_nonlinearity(reached, signal, [0, 5, 10], [0.1, 1.0, 3.0], washout=50),
        )
        yield f"capacity/{name}", analysis.memory_capacity(network, signal, _noise(1500, 1, 6), 30)
        found = analysis.information_processing_capacity(reached, signal, (20, 6, 3))
        yield f"processing/{name}", dataclasses.replace(found, delays=str(found.delays))
        for topology in ("gaussian", "ring", "sparse", "rotation"):
            profile = analysis.memory_profile(
                _network(sn, topology, activation), signal[:200], 30, times=5
            )
            yield f"profile/{name}/{topology}", profile
            yield f"profile/{name}/{topology}/relative", profile.relative
    plain, start = (
        _network(sn, spectral_radius=5.0),
        sn.sphere.random_point(40, np.random.default_rng(1)),
    )
    factors = analysis.norm_factors(plain, signal[:50], start)
    yield "factors", factors
    yield "rate", analysis.memory_rate(plain, signal, transient=100)
    yield "terms", analysis.memory_terms(plain, signal[:50], start)
    yield "matrix", analysis.memory_matrix(plain, factors, 3)
    yield "bound", analysis.linear_bound([0.1, 1.0, 3.0])
    for kind, options in {
        "spherical": {"alpha": 5.0},
        "linear": {"spectral_radius": 0.9},
        "tanh": {"spectral_radius": 0.9},
    }.items():
        yield f"predicted/{kind}", analysis.predicted_memory(kind, range(30), **options)
        yield f"loss/{kind}", analysis.memory_loss(kind, [5, 10], [1, 2], **options)


def parts(sn: Any) -> Named:
    """Datasets, metrics, the sphere, topologies."""
    data, rng = sn.datasets, np.random.default_rng
    for name in ("lorenz", "rossler", "mackey_glass", "henon"):
        yield f"datasets/{name}", getattr(data, name)(500)
        yield f"datasets/{name}/random", getattr(data, name)(500, rng=1)
    yield (
        "datasets/finer",
        [data.lorenz(200, 0.01), data.rossler(200, 0.1), data.mackey_glass(200, 0.5, delay=30.0)],
    )
    yield (
        "datasets/other",
        {
            "mso": data.mso(500),
            "white_noise": data.white_noise(500, 1, columns=2),
            "laser": data.santa_fe_laser(),
        },
    )
    yield "datasets/narma", [data.narma(500, 1), data.narma(500, 1, order=5)]
    one, two, wave = _noise(300), _noise(300, 1, 5), np.sin(np.arange(300.0))
    yield (
        "metrics",
        [
            sn.metrics.nrmse(one, two),
            sn.metrics.accuracy(one, one + 0.3 * two),
            sn.metrics.valid_time(wave, 1.02 * wave),
        ],
    )
    yield "metrics/valid", sn.metrics.valid_time(wave, wave * np.exp(0.01 * np.arange(300)), dt=0.1)
    point, sphere = sn.sphere.random_point(20, rng(0), 2.0), sn.sphere
    yield (
        "sphere/maps",
        [
            sphere.project(one[:20, 0], 2.0),
            sphere.project_pushforward(one[:20, 0], one[:20, :1], 2.0),
            sphere.tangent(point, one[:20, 0]),
        ],
    )
    yield (
        "sphere/lengths",
        [
            sphere.norm(point),
            sphere.norms(one),
            sphere.unit(point),
            sphere.geodesic_distance(point, sphere.project(one[:20, 0], 2.0), 2.0),
        ],
    )
    for name in TOPOLOGIES:
        network = sn.random_reservoir(50, topology=name, bias_scaling=0.2, rng=1)
        yield (
            f"topology/{name}",
            [
                network.recurrent.toarray(),
                network.recurrent.spectral_radius(),
                network.inputs,
                network.bias,
            ],
        )


def _learned(model: Any) -> dict[str, Any]:
    names = ("memory_", "bend_", "penalty_", "lyapunov_", "washout_", "loo_error_", "score_")
    return {name: getattr(model, name) for name in names if hasattr(model, name)}


def _reloaded(sn: Any, model: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        sn.save(model, Path(folder, "m.spheresn"))
        return sn.load(Path(folder, "m.spheresn"))


SETTINGS: dict[str, dict[str, Any]] = {
    "bent": {"bend": 0.5, "memory": 5},
    "auto": {},
    "tanh": {"activation": "tanh", "memory": 5},
    "given": {
        "activation": "tanh",
        "topology": "gaussian",
        "spectral_radius": 0.9,
        "input_scaling": 0.3,
        "bias_ratio": 1.0,
    },
    "linear": {"activation": "linear", "topology": "rotation", "memory": 10},
    "sparse": {"bend": 1.0, "memory": 3, "topology": "sparse", "density": 0.2},
    "leak": {"bend": 0.5, "memory": 5, "leak": 0.7, "washout": 50},
    "quadratic": {"bend": 0.25, "memory": 8, "features": "quadratic"},
    "components": {"bend": 0.25, "memory": 8, "features": "quadratic", "components": 5},
    "penalty": {"bend": 0.5, "memory": 5, "penalty": 1e-4},
}


def regressor(sn: Any) -> Named:
    """Defaults, settings, streams, lists of series, several targets, a readout of the user's own, a
    saved model.
    """
    x = _noise(1200)
    y = np.cumsum(x, axis=0) - np.roll(np.cumsum(x, axis=0), 5, axis=0) + x**2
    default = sn.ESNRegressor(random_state=0).fit(x, y[:, 0])
    yield (
        "default",
        {**_learned(default), "predict": default.predict(x), "score": default.score(x, y[:, 0])},
    )
    for name, options in SETTINGS.items():
        model = sn.ESNRegressor(80, random_state=0, **options).fit(x[:900], y[:900])
        yield (
            name,
            {
                **_learned(model),
                "predict": model.predict(x[900:]),
                "goes on": model.predict(x[900:], start=model.state_),
            },
        )
        yield f"{name}/loaded", _reloaded(sn, model).predict(x[900:])
    yield "states", model.transform(x[:100])
    both, options = (
        np.hstack([y, np.roll(x, 2, axis=0)]),
        {"bend": 0.5, "memory": 5, "random_state": 1},
    )
    yield "targets", sn.ESNRegressor(80, **options).fit(x, both).predict(x)
    stream = sn.ESNRegressor(80, **options).partial_fit(x[:500], both[:500])
    yield "stream/first", stream.predict(x[:100])
    yield "stream/then", stream.partial_fit(x[500:], both[500:]).predict(x[:100])
    pieces = [x[:300], x[300:700], x[700:]], [y[:300], y[300:700], y[700:]]
    yield "list", sn.ESNRegressor(80, **options).fit(*pieces).predict(pieces[0])
    yield "list/parallel", sn.ESNRegressor(80, n_jobs=2, **options).fit(*pieces).predict(pieces[0])
    yield "readout", sn.ESNRegressor(80, readout=Ridge(0.1), **options).fit(x, y).predict(x)
    yield "large", sn.ESNRegressor(900, **options).fit(x, y).predict(x)


def _beside(method: Any, columns: Any) -> dict[str, Any]:
    """Columns whose future is known, as the argument of this method is called."""
    return {
        next(
            name for name in ("exogenous", "known") if name in inspect.signature(method).parameters
        ): columns
    }


def forecaster(sn: Any) -> Named:
    """Defaults, settings, updates, one column, columns known ahead, exponents of the closed loop, a
    saved model.
    """
    series = lorenz(1700)
    default = sn.ESNForecaster(random_state=0).fit(series[:1500])
    yield "default", {**_learned(default), "forecast": default.forecast(100)}
    for name, options in {
        **SETTINGS,
        "noise": {"bend": 0.5, "memory": 3, "noise": 1e-3},
        "loo": {"penalty": "loo"},
    }.items():
        model = sn.ESNForecaster(80, random_state=0, **options).fit(series[:1200])
        yield (
            name,
            {
                **_learned(model),
                "forecast": model.forecast(80),
                "predict": model.predict(series[1200:]),
            },
        )
        yield f"{name}/loaded", _reloaded(sn, model).forecast(80)
        yield f"{name}/update", model.update(series[1200:1300]).forecast(80)
    model = sn.ESNForecaster(80, bend=1.0, memory=1, random_state=0).fit(series[:1200, 0])
    yield "column", model.forecast(80)
    yield (
        "closed loop",
        sn.analysis.lyapunov_spectrum(
            model.closed_loop_, 400, count=3, transient=100, start=np.append(model.state_, 0.0)
        ),
    )
    season = np.column_stack([np.sin(np.arange(1400) / 7.0), np.arange(1400) % 5 == 0])
    sales, make = season[:, 0] + 2.0 * season[:, 1] + 0.1 * _noise(1400)[:, 0], sn.ESNForecaster
    model = make(80, random_state=0).fit(sales[:1000], **_beside(make.fit, season[:1000]))
    yield (
        "beside",
        {
            **_learned(model),
            "forecast": model.forecast(50, **_beside(make.forecast, season[1000:1050])),
        },
    )
    yield (
        "beside/loaded",
        _reloaded(sn, model).forecast(50, **_beside(make.forecast, season[1000:1050])),
    )
    yield "beside/predict", model.predict(sales[:200], **_beside(make.predict, season[:200]))
    model.update(sales[1000:1100], **_beside(make.update, season[1000:1100]))
    yield "beside/update", model.forecast(50, **_beside(make.forecast, season[1100:1150]))
    if hasattr(make, "watch"):  # from 0.3 on, as what follows
        found = list(model.watch(sales[1100:1300], season[1100:1300], learned=50))
        yield "watch/forecast", np.array([one.forecast for one in found])
        yield "watch/evidence", np.array([one.evidence for one in found])
        with tempfile.TemporaryDirectory() as folder:
            _, source = sn.export(model, folder)
            yield "export", np.frombuffer(source.read_bytes(), np.uint8)
    if hasattr(make, "partial_fit"):  # from 0.3 on
        yield from _knowledge(sn, series)


def _knowledge(sn: Any, series: Any) -> Named:
    """Several recordings, learning on, recordings at parameters, equations nearly right."""
    parts = [series[:400], series[500:800], series[900:1100]]
    options = {"units": 60, "observation_noise": 0, "random_state": 0, "verbose": False}
    model = sn.ESNForecaster(**options).fit(parts)
    yield "recordings", {**_learned(model), "forecast": model.forecast(60)}
    yield "recordings/start", model.forecast(60, start=[series[1100:1250], series[1300:1500]])
    model.partial_fit(series[1100:1400], forgetting=0.99)
    yield "recordings/partial_fit", {**_learned(model), "forecast": model.forecast(60)}
    rows = [sn.datasets.henon(200, a=a) for a in (1.2, 1.3, 1.4)]
    beside = [np.full((200, 1), a) for a in (1.2, 1.3, 1.4)]
    model = sn.ESNForecaster(**options).fit(rows, exogenous=beside)
    yield "parameters", {**_learned(model), "forecast": model.forecast(60, np.full((60, 1), 1.25))}
    model = sn.ESNForecaster(**options, physics=_nearly_henon).fit(rows[2])
    learned = {**_learned(model), "share": model.physics_share_}
    yield "physics", {**learned, "forecast": model.forecast(60)}


def _nearly_henon(row: Any, _: Any) -> Any:
    x, y = row[..., 0], row[..., 1]
    return np.stack([1.0 - 1.33 * x * x + y, 0.3 * x], axis=-1)


def classifier(sn: Any) -> Named:
    """Whole series of two and three classes, and steps."""
    rng = np.random.default_rng(0)
    waves = [
        (np.sin(w * np.arange(80.0) + rng.uniform(0, 6)) + 0.1 * rng.standard_normal(80))[:, None]
        for w in (0.2, 0.3, 0.4) * 12
    ]
    names = ["slow", "middle", "fast"] * 12
    two = [place for place, name in enumerate(names) if name != "fast"]
    sets: dict[str, tuple[Any, Any]] = {
        "three": (waves, names),
        "two": ([waves[i] for i in two], [names[i] for i in two]),
    }
    sets["steps"] = np.vstack(waves), np.repeat(names, 80)
    settings = {
        "default": {},
        **{
            key: {"units": 60, **SETTINGS[key]}
            for key in ("bent", "tanh", "leak", "components", "penalty")
        },
    }
    for name, options in settings.items():
        for kind, (x, y) in sets.items():
            if name == "components" and kind != "steps":  # whole series have no products
                continue
            model = sn.ESNClassifier(random_state=0, **options).fit(x, y)
            yield (
                f"{name}/{kind}",
                {
                    **_learned(model),
                    "score": model.score(x, y),
                    "outputs": model.decision_function(x),
                },
            )
            yield f"{name}/{kind}/loaded", _reloaded(sn, model).predict(x)


def whole_series(sn: Any) -> Named:
    """Series with holes, numbers that belong to them, and how reliable probabilities are."""
    if not hasattr(sn.estimators, "ESNSeriesRegressor"):  # since 0.3
        return
    rng = np.random.default_rng(0)
    speeds = rng.uniform(0.2, 0.6, 40)
    waves = [np.sin(w * np.arange(60.0) + rng.uniform(0, 6))[:, None] for w in speeds]
    holed = [np.where(rng.random(one.shape) < 0.1, np.nan, one) for one in waves]
    model = sn.ESNClassifier(60, random_state=0).fit(holed, speeds > 0.4)
    shares = model.predict_proba(holed)
    yield "holes", {"shares": shares, "score": model.score(holed, speeds > 0.4)}
    found = sn.metrics.reliability(shares, speeds > 0.4, model.classes_)
    yield "reliability", {"observed": found.observed, "brier": found.brier, "gap": found.gap}
    numbers = sn.estimators.ESNSeriesRegressor(60, random_state=0).fit(waves, speeds)
    yield "numbers", {"outputs": numbers.predict(waves), "loo_error": numbers.loo_error_}
    yield "numbers/loaded", _reloaded(sn, numbers).predict(waves)


def panel(sn: Any) -> Named:
    """One model for many series: readouts, weights, forecasts and their intervals."""
    forecasting = getattr(sn, "forecasting", None)
    if forecasting is None or not hasattr(forecasting, "PanelForecaster"):  # since 0.3
        return
    wave = 10.0 + np.tile([0.0, 3.0, 1.0, -2.0], 12)
    drift = np.cumsum(0.3 * _noise(48, 12), axis=0).T
    series = {f"shop {k}": (1 + k) * (wave + drift[k]) for k in range(12)}
    model = forecasting.PanelForecaster(4, horizon=4, verbose=False).fit(series)
    found = model.forecast(4)
    yield "forecast", np.stack([np.asarray(one) for one in (found.mean, found.lower, found.upper)])
    yield "weights", list(model.weights_.values())
    new = {"a new shop": 7.0 * wave}
    yield "new", np.asarray(model.forecast(4, frame=new).mean)
    yield "paths", found.sample_paths(5)


LIBRARY = (
    *(states, exponents, memory, parts, regressor, forecaster, classifier, whole_series),
    panel,
)
