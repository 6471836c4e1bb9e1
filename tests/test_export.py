"""Exported models: C and ONNX say what Python says, and nothing hostile becomes code."""

import codecs
import json
import re
import shutil
import subprocess
from copy import deepcopy
from dataclasses import replace
from random import Random
from types import SimpleNamespace

import board
import numpy as np
import pytest
import scipy.sparse as sp

import spheresn as sn
from c_programs import SANITIZED, STRICT, Case, parsed, run, write
from hostile_files import damaged
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


def sanitizes(compiler):
    """Whether it is there with its sanitizers, which are a package of their own on some systems."""
    command = [compiler, "-x", "c", "-", *SANITIZED, "-o", "/dev/null"]
    program = "int main(void) { return 0; }"
    return (
        shutil.which(compiler) is not None
        and not subprocess.run(command, input=program.encode(), capture_output=True).returncode
    )


def errors(cases, found, wanted):
    """The largest error of each case; the series are of size 1."""
    return {case.name: float(np.abs(found[case.name] - wanted[case.name]).max()) for case in cases}


@pytest.mark.parametrize(
    ("compiler", "options"),
    [
        pytest.param("gcc", SANITIZED, marks=needs("gcc"), id="gcc"),
        pytest.param(
            "clang",
            ["-O2", *(SANITIZED[1:] if sanitizes("clang") else [])],
            marks=needs("clang"),
            id="clang",
        ),
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


def test_columns_of_any_size_are_exported(tmp_path):
    """The network of a series in other units is the same; only its scaler has them."""
    for power in (-30, 30):
        scaled = 2.0**power * waves()[:400]
        ours, same = (Portable.of(forecaster(rows)).arrays for rows in (scaled, waves()[:400]))
        for name in ours:
            factor = 2.0**power if name in ("mean", "scale") else 1.0
            assert np.array_equal(ours[name], factor * same[name]), name


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
    weekday = np.column_stack([np.arange(400) % 7, np.arange(400) % 5])
    tanh = forecaster(waves()[:400], weekday, activation="tanh")
    straight = Case("tanh", tanh, driven.rows, 20, np.full((50, 2), np.inf), np.zeros((20, 2)))
    found, _ = run([broken, straight], tmp_path, "gcc", SANITIZED)
    assert all(np.isfinite(found[name]).all() for name in ("driven", "tanh"))


@needs("arm-none-eabi-gcc", "qemu-system-arm")
def test_a_cortex_m4_says_what_python_says(cases, wanted, tmp_path):
    """An emulated board, whose doubles are computed by software."""
    few = [case for case in cases if case.name in ("ring", "odd_rotation", "driven", "steps")]
    program = board.build(write(few, tmp_path), tmp_path, [*STRICT, "-O2"])
    found = parsed(few, board.run(program))
    off = errors(few, found, wanted)
    assert max(off.values()) < 1e-12, off


def sessions(case, folder, dtype):
    """The graphs of a case, each checked by onnx when it was written."""
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    files = sn.export(case.model, folder, "onnx", name=case.name, dtype=dtype)
    found = {file.stem.rpartition("_")[2]: runtime.InferenceSession(file) for file in files}
    return {
        name: lambda one=one, **inputs: dict(
            zip([out.name for out in one.get_outputs()], one.run(None, inputs), strict=True)
        )
        for name, one in found.items()
    }, found


def run_graphs(case, folder, dtype):
    """The outputs of the graphs, as those of the program in C."""
    graphs, _ = sessions(case, folder, dtype)
    state, outputs = graphs["init"]()["state"], []
    if not case.steps:
        for row in case.rows:
            found = graphs["predict"](state=state, row=row.astype(dtype))
            state = found["next_state"]
            outputs.append(found["output"])
        return np.array(outputs)
    for k, row in enumerate(case.rows):
        beside = {} if case.beside is None else {"exogenous": case.beside[k].astype(dtype)}
        state = graphs["update"](state=state, row=row.astype(dtype), **beside)["next_state"]
    coming = {} if case.coming is None else {"exogenous": case.coming.astype(dtype)}
    return graphs["forecast"](state=state, steps=np.array(case.steps), **coming)["forecast"]


@pytest.mark.parametrize(("dtype", "most"), [("float64", 1e-12), ("float32", 1e-3)])
def test_onnx_says_what_python_says(cases, wanted, tmp_path, dtype, most):
    singles = [case for case in cases if dtype == "float64" or case.name != "chaos"]
    off = errors(singles, {one.name: run_graphs(one, tmp_path, dtype) for one in singles}, wanted)
    assert off.pop("chaos", 0.0) < 1e-9 and max(off.values()) < most, off


def test_one_step_of_onnx_in_single_precision(cases, tmp_path):
    """Without the free run, which lets errors grow."""
    few = [replace(one, steps=1, coming=None if one.coming is None else one.coming[:1]) for one in
           cases if one.steps and one.name != "chaos"]  # fmt: skip
    found = {one.name: run_graphs(one, tmp_path, "float32") for one in few}
    off = errors(few, found, {one.name: one.expected for one in few})
    assert max(off.values()) < 1e-5, off


def test_a_graph_says_what_it_had_expected_of_a_row(tmp_path):
    case = Case("expected", forecaster(waves()[:400]), waves()[400:410], 1)
    graphs, _ = sessions(case, tmp_path, "float64")
    start = graphs["init"]()["state"]
    found = graphs["update"](state=start, row=case.rows[0])
    assert found["expected"] == pytest.approx(case.model.forecast(1)[0], abs=1e-12)
    unknown = graphs["update"](state=start, row=np.array([np.nan, case.rows[0, 1]]))["next_state"]
    filled = np.array([found["expected"][0], case.rows[0, 1]])
    assert unknown == pytest.approx(
        graphs["update"](state=start, row=filled)["next_state"], abs=1e-12
    )
    ahead = graphs["forecast"](state=start, steps=np.array(7))
    rest = graphs["forecast"](state=ahead["next_state"], steps=np.array(3))["forecast"]
    whole = graphs["forecast"](state=start, steps=np.array(10))["forecast"]
    assert np.vstack([ahead["forecast"], rest]) == pytest.approx(whole, abs=1e-12)


@pytest.mark.filterwarnings("ignore::spheresn.DegenerateStep")
def test_rare_steps_of_onnx(tmp_path):
    found = rare_cases()
    results = {case.name: run_graphs(case, tmp_path, "float64") for case in found}
    off = errors(found, results, {case.name: case.expected for case in found})
    assert max(off.values()) < 1e-12, off


def test_a_graph_of_a_classifier_knows_the_names(tmp_path):
    (steps,) = (case for case in labelled_cases() if case.name == "steps")
    graphs, found = sessions(steps, tmp_path, "float64")
    says = found["predict"].get_modelmeta().custom_metadata_map
    assert json.loads(says["classes"]) == list(steps.model.classes_)
    assert json.loads(says["kind"]) == "classifier"
    state = graphs["init"]()["state"]
    for row, probabilities in zip(steps.rows, steps.expected, strict=True):
        result = graphs["predict"](state=state, row=row)
        state = result["next_state"]
        assert result["class"] == probabilities.argmax()


def test_onnx_must_be_installed(monkeypatch, tmp_path, cases):
    monkeypatch.setattr("spheresn.io.exports.onnx_graphs.find_spec", lambda name: None)
    with pytest.raises(sn.BadInput, match=r"must find the package onnx, got none; pip install"):
        sn.export(cases[0].model, tmp_path, "onnx")
    assert not list(tmp_path.iterdir())


def refused(model, folder, **options):
    """The sentence of a refusal, which leaves no file."""
    with pytest.raises(sn.BadInput) as caught:
        sn.export(model, folder, **options)
    assert not list(folder.iterdir())
    return str(caught.value)


@pytest.mark.parametrize(
    "name",
    ["", "1a", "a-b", "a b", "a.c", "../a", "a\n", "é", "_a", "x" * 32, "math", "STDIO", None, 3],
)
def test_a_name_must_be_one_of_c(cases, tmp_path, name):
    assert refused(cases[0].model, tmp_path, name=name).startswith("name must be a letter and then")


def test_what_cannot_be_exported_says_what_to_do(cases, tmp_path):
    rows, ours = waves(200), cases[0].model
    regressor = sn.ESNRegressor(**FIXED, readout=SimpleNamespace())
    regressor._learned = None
    series = [rows[k : k + 40] for k in range(20)]
    whole = sn.ESNClassifier(units=20, memory=2).fit(series, [0] * 10 + [1] * 10)
    loop = ours.closed_loop_
    assert "fit one ESNForecaster to the same series" in refused(
        sn.forecasting.SeriesForecaster(), tmp_path
    )
    assert "the cells of one patch" in refused(sn.ESNFieldForecaster(), tmp_path)
    assert "export the ESNForecaster that it comes from" in refused(loop, tmp_path)
    assert "it has no readout" in refused(ours.reservoir_, tmp_path)
    assert "got list; fit one of these" in refused([], tmp_path)
    assert "without readout=" in refused(regressor, tmp_path)
    assert "with one label per row" in refused(whole, tmp_path)
    with pytest.raises(ValueError, match="not fitted"):
        sn.export(sn.ESNForecaster(), tmp_path)
    assert refused(ours, tmp_path, format="rust").startswith("format must be one of c, onnx")
    assert refused(ours, tmp_path, dtype="int8").startswith("dtype must be float32 or float64")


class OwnTopology:
    """A ring by another name."""

    size, dtype = 30, np.dtype(np.float64)

    def matvec(self, vectors):
        return 0.5 * np.roll(vectors, 1, axis=0)

    def rmatvec(self, vectors):
        return 0.5 * np.roll(vectors, -1, axis=0)

    def spectral_radius(self):
        return 0.5

    def scaled(self, factor):
        return self

    def astype(self, dtype):
        return self

    def toarray(self):
        return self.matvec(np.eye(30))


def changed(model, **parts):
    """The forecaster with other parts in its closed loop or with other attributes."""
    model = deepcopy(model)
    own = {name: parts.pop(name) for name in list(parts) if name.endswith("_")}
    model.__dict__.update(own)
    return with_loop(model, **parts) if parts else model


def test_broken_models_never_become_code(cases, tmp_path):
    ours = cases[0].model
    loop, network = ours.closed_loop_, ours.reservoir_
    links = sp.csr_array(np.eye(30))
    links.indices[3] = 30
    hole = loop.weights.matrix.copy()
    hole[3, 1] = np.nan
    huge = replace(loop.weights, matrix=1e200 * np.ones_like(hole))
    pieces = {
        "fit it with W as an array": {"reservoir": replace(network, recurrent=OwnTopology())},
        "links to units that do not exist": {
            "reservoir": replace(network, recurrent=Sparse(links))
        },
        "W_out must be finite, got nan at index (3, 1)": {
            "weights": replace(loop.weights, matrix=hole)
        },
        "W_out must have shape (30, 2), as the network has, got (29, 2)": {
            "weights": replace(loop.weights, matrix=loop.weights.matrix[1:])
        },
        "state_ must have shape (30,)": {"state_": np.zeros(29)},
        "last_ must be finite": {"last_": np.array([np.inf, 0.0])},
        "the scale of scaler_ must be above 0": {"scaler_": Scaler(np.zeros(2), np.zeros(2))},
        "carry must be a finite number": {"carry": np.nan},
        "high_ must have shape": {"high": np.zeros(3)},
        "washout_ must be a whole number": {"washout_": "1; exit(1)"},
    }
    for says, parts in pieces.items():
        assert says in refused(changed(ours, **parts), tmp_path), says
    sn.export(changed(ours, weights=huge), tmp_path)
    for file in tmp_path.iterdir():
        file.unlink()
    says = refused(changed(ours, weights=huge), tmp_path, dtype="float32")
    assert says.startswith("W_out must fit into float32")


def test_the_size_is_bounded(cases, tmp_path, monkeypatch):
    monkeypatch.setattr(portable_module, "MOST_NUMBERS", 100)
    says = refused(cases[0].model, tmp_path)
    assert says.startswith("model must have at most 100 numbers") and "fewer units" in says


def test_names_from_outside_are_no_code(tmp_path):
    """Column names stay letters in a comment; strings of C have only what is plain."""
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pd.DataFrame(waves(), columns=HOSTILE[:2])
    header, _ = contents_of(forecaster(frame), "c", "model", "float64").values()
    assert b"Columns of a row: a__ exit(1)_ __, __ int x_ __." in header
    (_, steps) = (contents_of(case.model, "c", "model", "float64") for case in labelled_cases()[1:])
    text = steps["model.c"].decode("ascii")
    strings = re.findall(r'^    "(.*)",$', text, re.MULTILINE)
    found = [codecs.escape_decode(one)[0].decode("utf-8") for one in strings]
    assert sorted(found) == sorted(HOSTILE)
    assert "??" not in text and "exit(1)" not in re.sub(r'"[^"]*"', "", text)


def test_a_bias_of_zero_is_left_out():
    """So are a start of zeros and factors of one."""
    model = sn.ESNRegressor(**FIXED, bias_ratio=0.0).fit(
        list(waves().reshape(2, 300, 2)), list(waves().reshape(2, 300, 2))
    )
    text = contents_of(model, "c", "m", "float64")["m.c"].decode()
    assert "bias" not in text and "x_start" not in text and "leak" not in text


def test_the_arrays_of_a_ring_are_few():
    """N (d + m + 2) numbers and eight for each column; W is one number."""
    found = Portable.of(forecaster(waves()[:400]))
    assert found.count == 30 * (2 + 2 + 2) + 2 * (1 + 2 + 2 + 1)
    assert found.arrays["W_in"].shape == (30, 2) and found.arrays["W_out"].shape == (2, 30)


@pytest.fixture
def saved(tmp_path, cases):
    path = tmp_path / "m.spheresn"
    sn.save(cases[0].model, path)
    return path


def test_the_command_writes_the_same_files(saved, tmp_path, cases, capsys):
    assert (
        main(["export", str(saved), "--to", "c", "--out", str(tmp_path / "c"), "--name", "w"]) == 0
    )
    printed = capsys.readouterr().out.split()
    assert printed == [str(tmp_path / "c" / "w.h"), str(tmp_path / "c" / "w.c")]
    for file, text in contents_of(cases[0].model, "c", "w", "float64").items():
        assert (tmp_path / "c" / file).read_bytes() == text
    arguments = ["export", str(saved), "--to", "onnx", "--float", "--json"]
    assert main([*arguments, "--out", str(tmp_path / "o")]) == 0
    files = json.loads(capsys.readouterr().out)["files"]
    assert [file.rpartition("_")[2] for file in files] == [
        "init.onnx",
        "update.onnx",
        "forecast.onnx",
    ]


def test_the_command_refuses_in_one_sentence(saved, tmp_path, capsys):
    assert main(["export", str(saved), "--to", "c", "--name", "a b"]) == 2
    assert "name must be a letter" in capsys.readouterr().err
    assert main(["export", str(tmp_path / "none"), "--to", "c"]) == 2
    assert "path must be a saved model" in capsys.readouterr().err
    (tmp_path / "model.h").hardlink_to(saved)
    assert main(["export", str(saved), "--to", "c", "--out", str(tmp_path)]) == 2
    assert "must not overwrite MODEL" in capsys.readouterr().err


@needs("gcc")
def test_the_code_is_c_plus_plus_too(tmp_path, cases):
    """Its header may be included there."""
    if shutil.which("g++") is None:
        pytest.skip("g++ is not installed")
    sn.export(cases[0].model, tmp_path)
    (tmp_path / "m.cpp").write_text(
        '#include "model.h"\nint main() { model_state s; model_init(&s); }\n'
    )
    for command in (["gcc", "-c", "model.c"], ["g++", "m.cpp", "model.o", "-lm"]):
        subprocess.run(command, cwd=tmp_path, check=True)


@needs("gcc")
def test_damaged_files_are_refused_or_become_whole_code(cases, tmp_path):
    """Whatever a file of a model has suffered, nothing but C comes out of it."""
    rng, raws, count = Random(3), [], 0
    for case in (cases[0], *labelled_cases()):
        sn.save(case.model, tmp_path / "m")
        raws.append((tmp_path / "m").read_bytes())
    for _ in range(250):
        (tmp_path / "m").write_bytes(damaged(rng.choice(raws), rng, raws))
        try:
            contents = contents_of(sn.load(tmp_path / "m"), "c", f"m{count}", "float64")
        except sn.BadInput:
            continue
        for name, text in contents.items():
            (tmp_path / name).write_bytes(text)
        count += 1
    assert 10 < count < 100
    sources = [f"m{k}.c" for k in range(count)]
    subprocess.run(["gcc", *STRICT, "-fsyntax-only", *sources], cwd=tmp_path, check=True)
