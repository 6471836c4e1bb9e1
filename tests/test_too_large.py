"""Too many steps, too large numbers and what is no system are refused in one sentence."""

from __future__ import annotations

import inspect
from pathlib import Path

import numpy as np
import pytest

import spheresn as sn
from spheresn import _validation, analysis, datasets, topology
from spheresn.apps.cli import main
from spheresn.forecasting import SeriesForecaster
from spheresn.readout import force

HUGE = 10**18
WAVE = np.sin(0.3 * np.arange(300.0))


@pytest.fixture(scope="module")
def forecaster():
    return sn.ESNForecaster(units=20, bend=0, memory=10, random_state=0).fit(WAVE)


@pytest.fixture(scope="module")
def field_forecaster():
    field = sn.datasets.lorenz96(200, cells=4, rng=0)
    model = sn.ESNFieldForecaster(
        10, patch=2, halo=1, memory=5.0, bend=0.5, noise=0.01, bias_ratio=1.0, random_state=0
    )
    return model.fit(field)


@pytest.fixture(scope="module")
def series_forecaster():
    return SeriesForecaster(horizon=5).fit(WAVE[:60])


# ---- too much memory


@pytest.mark.parametrize("name", ["forecaster", "field_forecaster", "series_forecaster"])
@pytest.mark.parametrize("steps", [HUGE, 10**400])
def test_a_forecast_of_too_many_steps_says_how_many_fit(request, name, steps):
    model = request.getfixturevalue(name)
    with pytest.raises(sn.BadInput, match=r"steps must be .*at most \d+.*, got 1000") as seen:
        model.forecast(steps)
    assert "Unable to allocate" not in str(seen.value)


def test_the_number_that_fits_is_that_of_the_memory(monkeypatch, forecaster):
    """A forecast of one column holds three floats a step: 100 steps need 2,400 bytes."""
    monkeypatch.setattr(_validation, "_memory", lambda: 2400)
    assert len(forecaster.forecast(100)) == 100
    with pytest.raises(sn.BadInput, match="at most 100 for the memory of this machine, got 101"):
        forecaster.forecast(101)


def test_the_memory_is_that_of_a_machine():
    assert 2**26 < _validation._memory() < 2**50


@pytest.mark.parametrize("units", [10**9, HUGE])
@pytest.mark.parametrize(
    ("kind", "data"),
    [
        (sn.ESNForecaster, (WAVE,)),
        (sn.ESNRegressor, (WAVE[:, None], WAVE)),
        (sn.ESNClassifier, (WAVE[:, None], WAVE > 0)),
        (sn.ESNFieldForecaster, (np.tile(WAVE[:, None], (1, 16)),)),
    ],
)
def test_so_many_units_are_refused(kind, data, units):
    with pytest.raises(sn.BadInput, match=rf"units must be .*, got {units}; ask for fewer"):
        kind(units).fit(*data)


def test_a_classifier_of_series_refuses_so_many_units():
    with pytest.raises(sn.BadInput, match="units must be"):
        sn.ESNClassifier(HUGE).fit([WAVE[:50]] * 4, [0, 1, 0, 1])


@pytest.mark.parametrize("name", topology.build.TOPOLOGIES)
def test_so_large_a_network_is_refused(name):
    with pytest.raises(sn.BadInput, match="units must be"):
        sn.random_reservoir(HUGE, topology=name, rng=0)
    with pytest.raises(sn.BadInput, match="n_inputs must be"):
        sn.random_reservoir(10, HUGE, topology=name, rng=0)
    with pytest.raises(sn.BadInput, match="units must be"):
        topology.build.TOPOLOGIES[name](HUGE, rng=np.random.default_rng(0))


SIZES = ("steps", "columns", "cells", "per_delay")


@pytest.mark.parametrize(
    ("name", "size"),
    [
        (name, size)
        for name in datasets.__all__
        for size in inspect.signature(getattr(datasets, name)).parameters
        if size in SIZES
    ],
)
def test_so_large_a_data_set_is_refused(name, size):
    draw = getattr(datasets, name)
    given = {"steps": 10, size: HUGE}
    if inspect.signature(draw).parameters.get("rng"):
        given["rng"] = 0
    with pytest.raises(sn.BadInput, match=f"{size} must be .*, got {HUGE}; ask for fewer"):
        draw(**given)


def test_so_long_a_signal_is_refused():
    with pytest.raises(sn.BadInput, match="signal must be"):
        analysis.max_lyapunov(sn.random_reservoir(5, rng=0), HUGE)


def test_the_command_line_refuses_so_many_steps_at_once(tmp_path, monkeypatch, capsys, forecaster):
    monkeypatch.chdir(tmp_path)
    Path("x.csv").write_text("\n".join(["x", *map(str, WAVE)]))
    np.save("field.npy", np.tile(WAVE[:, None], (1, 8)))
    sn.save(forecaster, "m.spheresn")
    for command in (
        ["predict", "m.spheresn", "x.csv"],
        ["forecast", "x.csv"],
        ["forecast", "field.npy", "--patch", "2"],
    ):
        assert main([*command, "--steps", str(HUGE)]) == 2
        errors = capsys.readouterr().err
        assert "--steps must be" in errors and f"got {HUGE}; ask for fewer" in errors
        assert errors.count("\n") == 1


# ---- too large numbers


@pytest.mark.parametrize("fixed", [{}, {"bend": 0, "memory": 10}])
def test_a_series_that_fills_the_range_of_floats_is_refused(fixed):
    with pytest.raises(sn.BadInput, match=r"got values from -1e\+308 to 1e\+308; scale it down"):
        sn.ESNForecaster(units=20, random_state=0, **fixed).fit(WAVE * 1e308)


def test_a_smaller_one_is_forecast_as_if_it_were_scaled():
    """Powers of two change no digit."""
    one, two = (
        sn.ESNForecaster(units=20, bend=0, memory=10, random_state=0).fit(WAVE * scale).forecast(10)
        for scale in (1.0, 2.0**1021)
    )
    np.testing.assert_allclose(two / 2.0**1021, one, rtol=1e-9)


# ---- no system


def takes(kind):
    """The measures whose first argument is such a thing."""
    return [
        name
        for name in analysis.__all__
        if inspect.isfunction(getattr(analysis, name))
        and next(iter(inspect.signature(getattr(analysis, name)).parameters), "") == kind
    ]


def measure(name, thing):
    measuring = getattr(analysis, name)
    needed = [
        one for one in inspect.signature(measuring).parameters.values() if one.default is one.empty
    ]
    return measuring(thing, *[np.ones(700)] * (len(needed) - 1))


TAKE_A_MODEL = {"fixed_points", "lyapunov_spectrum", "max_lyapunov"}


def test_the_measures_are_found():
    assert {"max_lyapunov", "lyapunov_spectrum", "echo_state"} <= set(takes("system"))
    assert {"memory_capacity", "memory_profile", "local_exponents"} <= set(takes("reservoir"))


@pytest.mark.parametrize("name", [*takes("system"), *takes("reservoir")])
def test_a_measure_of_an_estimator_says_what_to_pass(forecaster, name):
    both = r"\.closed_loop_ or \.reservoir_" if name in takes("system") else r"\.reservoir_"
    if name not in TAKE_A_MODEL:
        with pytest.raises(sn.BadInput, match=rf"got ESNForecaster; pass its {both}"):
            measure(name, forecaster)
    with pytest.raises(sn.BadInput, match=r"got ESNForecaster; fit it and pass its \.reservoir_"):
        measure(name, sn.ESNForecaster())


@pytest.mark.parametrize("name", [*takes("system"), *takes("reservoir")])
@pytest.mark.parametrize("thing", [None, 3, "x", np.eye(3), object(), sn.Reservoir])
def test_a_measure_of_anything_else_is_refused(name, thing):
    with pytest.raises(sn.BadInput, match=r"(system|reservoir) must be a (System|Reservoir)"):
        measure(name, thing)


def test_what_drives_a_network_asks_for_one(forecaster):
    for call in (
        lambda: sn.drive(forecaster, WAVE),
        lambda: next(sn.driving.drive_chunks(forecaster, WAVE)),
        lambda: sn.drive_grid(forecaster, WAVE, [1.0], [1.0]),
        lambda: force(forecaster, WAVE),
    ):
        with pytest.raises(sn.BadInput, match=r"got ESNForecaster; pass its \.reservoir_"):
            call()


def test_the_closed_loop_that_the_sentence_names_is_measured(forecaster):
    """A wave that goes around keeps its phase: no exponent is positive."""
    found = analysis.max_lyapunov(
        forecaster.closed_loop_,
        600,
        start=np.concatenate([forecaster.state_, forecaster.last_]),
    )
    assert found.exponent < 0.01
