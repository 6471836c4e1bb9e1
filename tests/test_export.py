"""Exported models: C and ONNX say what Python says, and nothing hostile becomes code."""

import json
import re
import shutil
import subprocess
from copy import deepcopy
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

import spheresn as sn
from c_programs import SANITIZED, STRICT, Case, run, write
from spheresn.apps.cli import main
from spheresn.io.exports import contents_of
from spheresn.io.exports import portable as portable_module
from spheresn.io.exports.portable import Portable
from spheresn.series.scaling import Scaler
from spheresn.topology import Sparse

FIXED = {"units": 30, "memory": 5, "penalty": 1e-6, "random_state": 0}
NETWORKS = {
    "ring": {},
    "odd_rotation": {"topology": "rotation", "units": 31, "bend": 1.0},
    "delay_line": {"topology": "delay_line", "memory": "auto", "input_scaling": 0.4},
    "links": {"topology": "sparse", "density": 0.2, "leak": 0.6, "bend": 0.5},
    "every_link": {"topology": "gaussian", "activation": "tanh"},
    "leaky_tanh": {"activation": "tanh", "leak": 0.9},
    "straight": {"activation": "linear", "leak": 0.9},
    "squares": {"features": "quadratic", "components": 3, "bend": 1.0},
}
# Names of classes and columns that would be code, a comment or a trigraph if they were copied
HOSTILE = ['a"; exit(1); //', "*/ int x; /*", "b??/\n\\", "µ%s%n"]


def waves(rows=600):
    """Two periodic columns."""
    t = np.arange(rows)
    return np.column_stack([3.0 + np.sin(0.2 * t), np.cos(0.2 * t) * np.sin(0.2 * t)])


def forecaster(series, beside=None, **options):
    """A forecaster that trusts its rows and has little to choose."""
    settings = {**FIXED, "bend": 0.0, "noise": 1e-2, "observation_noise": 0, **options}
    return sn.ESNForecaster(**settings).fit(series, exogenous=beside)


def with_loop(model, **changes):
    """The forecaster with another closed loop."""
    model = deepcopy(model)
    model.closed_loop_ = replace(model.closed_loop_, **changes)
    model._present = replace(model._present, loop=model.closed_loop_)
    return model


def driven_cases():
    """A forecaster with exogenous columns, and loops that a fit seldom finds."""
    t = np.arange(600)
    beside = np.column_stack([np.sin(0.05 * t), np.cos(0.07 * t)])
    series = waves() + beside[:, :1]
    driven = forecaster(series[:400], beside[:400], bend=1.0)
    given = {"rows": series[400:450], "beside": beside[400:450]}
    alone = forecaster(waves()[:400])
    constant = np.column_stack([waves()[:, 0], np.full(600, 2.5)])
    narrow = with_loop(alone, low=np.array([-0.5, -0.5]), high=np.array([0.5, 0.5]))
    return [
        Case("driven", driven, **given, steps=150, coming=beside[450:]),
        Case("part", with_loop(alone, carry=0.5), waves()[400:450], 20),
        Case("level", forecaster(constant[:400]), constant[400:450], 200),
        Case("narrow", narrow, waves()[400:450], 200),
        Case("one", forecaster(waves()[:400, :1]), waves()[400:450, :1], 500),
    ]


def labelled_cases():
    rng = np.random.default_rng(5)
    rows = rng.standard_normal((300, 2))
    past = np.vstack([np.zeros(2), rows[:-1]])
    both = np.column_stack([past.sum(axis=1), past[:, 0] * past[:, 1]])
    kinds = {**FIXED, "memory": 2, "bend": 0.5}
    squares = {"features": "quadratic", "components": 4}
    labels = np.array(HOSTILE)[(past[:, 0] > 0) + 2 * (past[:, 1] > 0)]
    unseen = rng.standard_normal((60, 2))
    pieces = [list(part.reshape(3, 100, -1)) for part in (rows, both[:, :1])]
    return [
        Case("both", sn.ESNRegressor(**kinds, **squares).fit(rows, both), unseen),
        Case("fresh", sn.ESNRegressor(**kinds).fit(*pieces), unseen),
        Case("steps", sn.ESNClassifier(**kinds).fit(rows, labels), unseen),
    ]


@pytest.fixture(scope="module")
def cases():
    """Everything that can be exported."""
    networks = [
        Case(name, forecaster(waves()[:400], **options), waves()[400:450], 1000)
        for name, options in NETWORKS.items()
    ]
    lorenz = sn.datasets.lorenz(1200)
    chaos = forecaster(lorenz[:1000], units=100, bend=1.0, noise=0.0, penalty=1e-12)
    return [
        *networks,
        *driven_cases(),
        *labelled_cases(),
        Case("chaos", chaos, lorenz[1000:], 1),
    ]


@pytest.fixture(scope="module")
def wanted(cases):
    """What Python says."""
    return {case.name: case.expected for case in cases}


def needs(*tools):
    missing = [tool for tool in tools if shutil.which(tool) is None]
    return pytest.mark.skipif(bool(missing), reason=f"{', '.join(missing)} is not installed")


def errors(cases, found, wanted):
    """The largest error of each case; the series are of size 1."""
    return {case.name: float(np.abs(found[case.name] - wanted[case.name]).max()) for case in cases}


@pytest.mark.parametrize(
    ("compiler", "options"),
    [
        pytest.param("gcc", SANITIZED, marks=needs("gcc"), id="gcc"),
        pytest.param("clang", ["-O2"], marks=needs("clang"), id="clang"),
    ],
)
def test_c_says_what_python_says(cases, wanted, tmp_path, compiler, options):
    """Over 1,000 free steps of a periodic system, and one step ahead on Lorenz."""
    found, names = run(cases, tmp_path, compiler, options)
    off = errors(cases, found, wanted)
    assert off.pop("chaos") < 1e-9 and max(off.values()) < 1e-12, off
    (steps,) = (case for case in cases if case.name == "steps")
    classes = steps.model.classes_[wanted["steps"].argmax(axis=1)]
    assert names == "".join(classes)


@needs("gcc")
def test_single_precision(cases, wanted, tmp_path):
    """Errors of 1e-7 at each step, and what the network makes of them."""
    singles = [replace(case, dtype="float32") for case in cases if case.name != "chaos"]
    found, _ = run(singles, tmp_path, "gcc", ["-O2", "-Wconversion", "-Wdouble-promotion"])
    off = errors(singles, found, wanted)
    assert max(off.values()) < 1e-3, off
    assert " double " not in (tmp_path / "ring.c").read_text()


def rare_cases():
    """Rows whose step is rare: no direction, squares beyond the range of floats, no number."""
    rows = np.random.default_rng(1).standard_normal((200, 1))
    pieces = [list(rows.reshape(2, 100, 1)), list(np.roll(rows, 1).reshape(2, 100, 1))]
    settings = {**FIXED, "memory": 2, "bias_ratio": 0.0}
    found = []
    for name, bend in (("plain", 0.0), ("bent", 0.5)):
        model = sn.ESNRegressor(**settings, bend=bend).fit(*pieces)
        mean, scale = model.frame_.scaler.mean, model.frame_.scaler.scale
        series = mean + scale * np.array([[0.0], [1e200], [1e-200], [0.3], [-1e180]])
        series[0] = mean
        found.append(Case(name, model, series))
    return found


@needs("gcc")
@pytest.mark.filterwarnings("ignore::spheresn.DegenerateStep")
def test_rare_steps_are_those_of_python(tmp_path):
    """The first row drives nothing from the zero state, which then has a direction of its own."""
    found = rare_cases()
    results, _ = run(found, tmp_path, "gcc", SANITIZED)
    off = errors(found, results, {case.name: case.expected for case in found})
    assert max(off.values()) < 1e-12, off


@needs("gcc")
def test_a_cell_that_is_no_number_counts_as_its_forecast(tmp_path):
    model, rows = forecaster(waves()[:400]), waves()[400:420]
    holes = rows.copy()
    holes[5, 0], holes[9], holes[10, 1] = np.nan, np.inf, -np.inf
    filled = deepcopy(model)
    for k, row in enumerate(holes):
        rows[k] = np.where(np.isfinite(row), row, filled.forecast(1)[0])
        filled.update(rows[k : k + 1])
    found, _ = run([Case("holes", model, holes, 50)], tmp_path, "gcc", SANITIZED)
    assert np.abs(found["holes"] - Case("filled", model, rows, 50).expected).max() < 1e-12


@needs("gcc")
def test_a_row_without_a_number_says_nothing_and_changes_nothing(cases, tmp_path):
    both, _, steps = labelled_cases()
    holes = [replace(case, rows=np.insert(case.rows, 7, np.nan, axis=0)) for case in (both, steps)]
    found, names = run(holes, tmp_path, "gcc", SANITIZED)
    for case in (both, steps):
        known = np.delete(found[case.name], 7, axis=0)
        assert np.isnan(found[case.name][7]).all()
        assert np.abs(known - case.expected).max() < 1e-12
    assert names.count("-") == 1


@needs("gcc")
def test_exogenous_values_that_are_no_numbers_do_not_spread(tmp_path):
    (driven, *_) = driven_cases()
    broken = replace(driven, beside=np.where(np.arange(50)[:, None] == 3, np.nan, driven.beside))
    straight = Case(
        "straight", forecaster(waves()[:400], driven.beside[:1].repeat(400, 0) * 0 + np.arange(400)[:, None] % 7, activation="tanh"),
        driven.rows, 20, np.full((50, 2), np.inf), np.zeros((20, 2)),
    )  # fmt: skip
    found, _ = run([broken, straight], tmp_path, "gcc", SANITIZED)
    assert all(np.isfinite(found[name]).all() for name in ("driven", "straight"))


ARM = ["-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"]


@needs("arm-none-eabi-gcc", "qemu-system-arm")
def test_a_cortex_m4_says_what_python_says(cases, wanted, tmp_path):
    """Doubles by software, in an emulated board."""
    from cortex import run_on_board

    few = [case for case in cases if case.name in ("ring", "odd_rotation", "driven", "steps")]
    found = run_on_board(few, tmp_path)
    off = errors(few, found, wanted)
    assert max(off.values()) < 1e-12, off
