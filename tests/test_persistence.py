"""Saved models: the same to the last bit, readable later, and hostile files get one sentence."""

import json
import struct
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors import safe_open
from safetensors.numpy import save_file
from sklearn.linear_model import Lasso

import spheresn as sn
from spheresn.io import ModelFileError

OLD = Path(__file__).parent / "data" / "regressor-format-1.spheresn"
TOPOLOGIES = ["ring", "rotation", "sparse", "gaussian"]


def series():
    return sn.datasets.mackey_glass(400)


def regressor(**options):
    x = series()
    settings = {"units": 30, "bend": 0.5, "memory": 2, "random_state": 0, **options}
    return sn.ESNRegressor(**settings).fit(x[:-1], x[1:])


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.spheresn"


OPTIONS = [
    *({"topology": name} for name in TOPOLOGIES),
    {"features": "quadratic", "components": 3},
    {"activation": "tanh"},
]


@pytest.mark.parametrize("options", OPTIONS)
def test_a_regressor_comes_back_to_the_last_bit(path, options):
    model = regressor(**options)
    sn.save(model, path)
    again = sn.load(path)
    assert np.array_equal(again.predict(series()), model.predict(series()))
    assert np.array_equal(
        again.predict(series(), start=again.state_), model.predict(series(), start=model.state_)
    )
    assert again.get_params() == model.get_params() and again.lyapunov_ == model.lyapunov_


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"features": "quadratic", "components": 2},
        {"activation": "tanh"},
        {"topology": "rotation"},
    ],
)
def test_a_forecaster_goes_on_the_same_to_the_last_bit(path, options):
    model = sn.ESNForecaster(
        **{"units": 30, "bend": 0.5, "memory": 2, "random_state": 0, **options}
    ).fit(series())
    model.update(series()[:50])
    sn.save(model, path)
    again = sn.load(path)
    assert np.array_equal(again.forecast(200), model.forecast(200))
    assert np.array_equal(
        again.update(series()[:20]).forecast(50), model.update(series()[:20]).forecast(50)
    )


@pytest.mark.parametrize(
    "labels",
    [
        [0, 1],
        ["dog", "cat"],
        [True, False],
        [0.5, 1.5],
        np.array(["dog", "cat"], dtype=object),  # what text in pandas becomes
        np.array([1, 2], dtype=object),
    ],
)
def test_a_classifier_comes_back_with_its_classes(path, labels, rng):
    x = [rng.standard_normal((40, 2)) + 0.5 * i for i in (0, 1) for _ in range(10)]
    model = sn.ESNClassifier(units=20, bend=0.5, memory=2, random_state=0).fit(
        x, np.repeat(labels, 10)
    )
    sn.save(model, path)
    again = sn.load(path)
    assert (
        np.array_equal(again.predict(x), model.predict(x))
        and again.classes_.dtype == model.classes_.dtype
    )


@pytest.mark.parametrize("penalty", ["loo", 1e-3])
def test_several_outputs_come_back_to_the_last_bit(path, penalty, rng):
    """The columns of a readout lie one after the other, and the sums of a product depend on it."""
    x = rng.standard_normal((400, 3))
    options = {"units": 60, "bend": 0.5, "memory": 2, "random_state": 0, "penalty": penalty}
    regressor = sn.ESNRegressor(**options).fit(x, np.hstack([x, x**2]))
    classifier = sn.ESNClassifier(**options).fit(x, x.argmax(axis=1))
    few = {**options, "units": 5}
    cases = sn.ESNClassifier(**few).fit(list(x.reshape(40, 10, 3)), np.arange(40) % 3)
    for model, rows in ((regressor, x), (classifier, x), (cases, list(x.reshape(40, 10, 3)))):
        sn.save(model, path)
        for ask in ("predict", "decision_function"):
            if hasattr(model, ask):
                again = getattr(sn.load(path), ask)(rows)
                assert np.array_equal(again, getattr(model, ask)(rows))


@pytest.mark.parametrize("batches", [1, 2])
@pytest.mark.parametrize("kind", ["regressor", "steps", "cases"])
def test_a_stream_is_saved_with_all_that_it_was_given(path, kind, batches, rng):
    """Before, a classifier of steps was saved as it was before its last batch."""
    options = {"units": 20, "bend": 0.5, "memory": 2, "random_state": 0}
    rows = rng.standard_normal((400, 2))
    labels = (rows[:, 0] > 0.0).astype(int)
    if kind == "regressor":
        model, x, y = sn.ESNRegressor(**options), rows, rows[:, 0]
    elif kind == "steps":
        model, x, y = sn.ESNClassifier(**options), rows, labels
    else:
        model, x, y = sn.ESNClassifier(**options), list(rows.reshape(20, 20, 2)), labels[:20]
    edges = np.linspace(0, len(x), batches + 1).astype(int)
    for first, stop in pairwise(edges):
        model.partial_fit(x[first:stop], y[first:stop])
    sn.save(model, path)
    again = sn.load(path)
    assert np.array_equal(again.predict(x), model.predict(x))
    assert np.array_equal(again.weights_.matrix, model.weights_.matrix)


def test_classes_that_no_file_can_hold_are_refused_when_they_are_saved(path, rng):
    days = np.array(["2020-01-01", "2020-01-02"] * 10, dtype="M8[D]")
    x = [rng.standard_normal((40, 2)) for _ in days]
    model = sn.ESNClassifier(units=20, bend=0.5, memory=2, random_state=0).fit(x, days)
    with pytest.raises(sn.BadInput, match="classes must be numbers or text to be saved"):
        sn.save(model, path)
    assert not path.exists()


def test_given_matrices_exogenous_inputs_and_column_names_survive(path):
    pandas = pytest.importorskip("pandas")
    w = np.roll(np.eye(25), 1, axis=0)
    frame = pandas.DataFrame({"level": series()[:, 0]})
    model = sn.ESNForecaster(units=25, topology=w, bend=0, memory=3, random_state=0).fit(
        frame, exogenous=np.cos(np.arange(400.0))
    )
    sn.save(model, path)
    again = sn.load(path)
    assert list(again.feature_names_in_) == ["level"] and again.topology == "given"
    ahead = np.cos(np.arange(400.0, 410.0))
    assert np.array_equal(again.forecast(10, exogenous=ahead), model.forecast(10, exogenous=ahead))


def rows(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape)


SMALL = {"units": 20, "bend": 0.5, "memory": 2, "random_state": 0}
LABELS = (rows(0, 90, 2)[:, 0] > 0.0).astype(int)
FITTED = {
    "regressor": lambda: sn.ESNRegressor(**SMALL).fit(rows(0, 90, 2), rows(1, 90, 2)),
    "regressor, given penalty": lambda: regressor(penalty=1e-3, features="quadratic"),
    "regressor of lists": lambda: sn.ESNRegressor(**SMALL).fit([rows(0, 60, 2)], [rows(1, 60)]),
    "regressor, old": lambda: sn.load(OLD),
    "steps": lambda: sn.ESNClassifier(**SMALL).fit(rows(0, 90, 2), LABELS),
    "series": lambda: sn.ESNClassifier(units=20, random_state=0).fit(
        list(rows(0, 12, 40, 1)), ["a", "b"] * 6
    ),
    "forecaster": lambda: sn.ESNForecaster(**SMALL).fit(series()),
    "field": lambda: sn.ESNFieldForecaster(patch=2, halo=1, position=True, **SMALL).fit(
        sn.datasets.lorenz96(200, 8, rng=0)
    ),
}


@pytest.mark.parametrize("kind", FITTED)
def test_a_loaded_model_knows_all_that_its_file_holds(path, kind):
    """Saved again, it is the same file, to the byte."""
    model = FITTED[kind]()
    sn.save(model, path)
    again, before = sn.load(path), path.read_bytes()
    sn.save(again, path)
    assert path.read_bytes() == before
    for name in ("lyapunov_", "memory_", "bend_", "bias_ratio_", "penalty_", "loo_error_"):
        assert np.array_equal(getattr(again, name, None), getattr(model, name, None))


def test_a_generator_is_not_saved_but_what_it_drew_is(path):
    model = regressor(random_state=np.random.RandomState(3))
    sn.save(model, path)
    again = sn.load(path)
    assert again.random_state is None
    assert np.array_equal(again.predict(series()), model.predict(series()))


def test_files_of_the_first_format_stay_readable():
    model = sn.load(OLD)
    expected = json.loads(OLD.with_suffix(".json").read_text())
    x = np.array(expected["input"])
    assert np.allclose(model.predict(x), expected["output"], rtol=1e-10)
    # Such a file knows neither pasts nor the range of the targets
    assert np.array_equal(model.predict(x), model.predict(x, start=np.zeros(model.units)))
    assert np.isfinite(model.score(x, x[:, 0]))


def test_a_loaded_model_says_that_it_cannot_go_on_learning(path):
    sn.save(regressor(), path)
    with pytest.raises(
        ValueError, match="partial_fit must continue a stream, got a model loaded from a file"
    ):
        sn.load(path).partial_fit(series(), series())


def test_a_crash_while_writing_leaves_the_old_file(path, monkeypatch):
    sn.save(regressor(), path)
    before = path.read_bytes()
    monkeypatch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="must be writable, got disk full; choose a directory"):
        sn.save(regressor(memory=3), path)
    assert path.read_bytes() == before and list(path.parent.iterdir()) == [path]


def test_what_cannot_be_saved_says_so(path):
    with pytest.raises(ValueError, match=r"model must be one of ESNClassifier, .*, got dict"):
        sn.save({}, path)
    with pytest.raises(ValueError, match="must have the ridge readout"):
        sn.save(regressor(readout=Lasso(1e-3)), path)
    with pytest.raises(ValueError, match="not fitted"):
        sn.save(sn.ESNRegressor(), path)
    assert not path.exists()


def rewritten(path, change):
    """The file with its header changed, lengths made right again."""
    raw = path.read_bytes()
    size = struct.unpack("<Q", raw[:8])[0]
    outer = json.loads(raw[8 : 8 + size])
    inner = json.loads(outer["__metadata__"]["spheresn"])
    change(outer, inner)
    outer["__metadata__"]["spheresn"] = json.dumps(inner)
    text = json.dumps(outer).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + raw[8 + size :])


HOSTILE = {
    "newer format": (
        lambda o, i: i.update(format=99, library="9.0"),
        "written by spheresn 9.0; update spheresn",
    ),
    "another kind": (lambda o, i: i.update(kind="Popen"), "save it anew"),
    "unknown parameter": (lambda o, i: i["parameters"].update(__class__="x"), "save it anew"),
    "list for a number": (
        lambda o, i: i["parameters"].update(units=[1]),
        "where a number or a name belongs",
    ),
    "missing tensor": (lambda o, i: o.pop("weights"), "save it anew"),
    "huge shape": (lambda o, i: o["weights"].update(shape=[10**12, 10**6]), "save it anew"),
    "wrong type": (
        lambda o, i: o["inputs"].update(dtype="I64"),
        "numbers of type int64 in 'inputs'; save the model anew",
    ),
    "offsets outside": (lambda o, i: o["weights"].update(data_offsets=[0, 10**15]), "save it anew"),
    "reversed offsets": (lambda o, i: o["weights"].update(data_offsets=[64, 0]), "save it anew"),
    "transposed": (
        lambda o, i: o["inputs"].update(shape=o["inputs"]["shape"][::-1]),
        "save it anew",
    ),
    "another topology": (
        lambda o, i: i["values"]["reservoir"].update(links="Dense"),
        "save it anew",
    ),
    "no activation": (lambda o, i: i["values"]["reservoir"].update(kind="exec"), "save it anew"),
    "negative radius": (lambda o, i: i["values"]["reservoir"].update(radius=-1.0), "save it anew"),
    "a path as a name": (
        lambda o, i: o.update({"../../etc/passwd": o.pop("weights")}),
        "save it anew",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_headers_get_one_sentence(path, name):
    change, sentence = HOSTILE[name]
    sn.save(regressor(), path)
    rewritten(path, change)
    with pytest.raises(ModelFileError, match=sentence) as caught:
        sn.load(path)
    assert "\n" not in str(caught.value)


def test_sparse_indices_outside_the_matrix_are_refused(path):
    sn.save(regressor(topology="sparse"), path)
    raw = bytearray(path.read_bytes())
    size = struct.unpack("<Q", raw[:8])[0]
    begin, end = json.loads(raw[8 : 8 + size])["indices"]["data_offsets"]
    raw[8 + size + begin : 8 + size + end] = b"\x7f" * (end - begin)
    path.write_bytes(raw)
    with pytest.raises(ModelFileError, match="save it anew"):
        sn.load(path)


def test_numbers_that_are_not_finite_are_refused(path):
    model = regressor()
    model.weights_.matrix[0] = np.nan
    sn.save(model, path)
    with pytest.raises(ModelFileError, match="not finite in 'weights'"):
        sn.load(path)


def test_other_files_get_one_sentence(path, tmp_path):
    with pytest.raises(ModelFileError, match="which does not exist; check the name"):
        sn.load(path)
    for content in (
        b"",
        b"hello",
        b"\x80\x04\x95pickle",
        struct.pack("<Q", 2**62) + b"{}",
        b"\x08" + bytes(15),
    ):
        path.write_bytes(content)
        with pytest.raises(ModelFileError, match="save it anew"):
            sn.load(path)
    with pytest.raises(ModelFileError, match="save it anew"):
        sn.load(tmp_path)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_a_damaged_file_never_crashes(tmp_path_factory, data):
    """Any bytes changed or cut off: either the model still loads and predicts, or there is a
    ModelFileError.
    """
    raw = bytearray(OLD.read_bytes())
    for _ in range(data.draw(st.integers(0, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    raw = raw[: data.draw(st.integers(0, len(raw)))] if data.draw(st.booleans()) else raw
    path = tmp_path_factory.mktemp("damaged") / "m.spheresn"
    path.write_bytes(raw)
    try:
        model = sn.load(path)
    except ModelFileError as error:
        assert "\n" not in str(error)  # noqa: PT017  either outcome is fine
    else:
        assert model.units is not None


def altered(path, change):
    """The file with its arrays changed, everything else as it was."""
    with safe_open(path, framework="numpy") as file:
        metadata, tensors = file.metadata(), {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  not a dict
    change(tensors)
    save_file(
        {name: np.ascontiguousarray(tensor) for name, tensor in tensors.items()}, path, metadata
    )


QUADRATIC = {"features": "quadratic", "components": 3}
MISFITS = {
    "matrix": (
        {"topology": "gaussian"},
        lambda t: t.update(matrix=t["matrix"][:, :-1]),
        "W and W_in do not have the same units",
    ),
    "state_": (
        {},
        lambda t: t.update(state_=t["state_"][:-1]),
        "the state does not fit the network",
    ),
    "weights": (
        {},
        lambda t: t.update(weights=t["weights"][:-1]),
        "the readout does not fit the network",
    ),
    "centre": (
        QUADRATIC,
        lambda t: t.update(centre=t["centre"][:-1]),
        "the features do not fit the network",
    ),
    "mean": ({}, lambda t: t.update(mean=t["mean"][:0]), "the scaling does not fit the network"),
    "scale": ({}, lambda t: t.update(scale=-t["scale"]), "the scaling does not fit the network"),
    "pasts": (
        {},
        lambda t: t.update(pasts=t["pasts"][:, :-1]),
        "the pasts do not fit the network",
    ),
    "no pasts": (
        {},
        lambda t: t.update(pasts=t["pasts"][:0], following=t["following"][:0]),
        "the pasts do not fit the network",
    ),
    "following": (
        {},
        lambda t: t.update(following=t["following"][:-1]),
        "the pasts do not fit the network",
    ),
    "low_": (
        {},
        lambda t: t.update(low_=np.append(t["low_"], 0.0)),
        "the range of the targets does not fit the readout",
    ),
}


@pytest.mark.parametrize("name", MISFITS)
def test_arrays_that_do_not_fit_each_other_are_refused(path, name):
    options, change, reason = MISFITS[name]
    sn.save(regressor(**options), path)
    altered(path, lambda tensors: None)
    assert sn.load(path).units == 30
    altered(path, change)
    with pytest.raises(ModelFileError, match=rf"\({reason}\); save it anew"):
        sn.load(path)


@pytest.mark.parametrize("name", ["state_", "last_", "low_", "high_"])
def test_a_forecaster_that_does_not_fit_its_network_is_refused(path, name):
    sn.save(sn.ESNForecaster(20, memory=2, bend=0.5, random_state=0).fit(series()), path)
    altered(path, lambda tensors: tensors.update({name: np.append(tensors[name], 0.0)}))
    with pytest.raises(
        ModelFileError, match=r"\(state and series do not fit the network\); save it anew"
    ):
        sn.load(path)


@pytest.mark.parametrize("kind", ["V8", "<M8[s]", "<U99999"])
def test_classes_of_another_type_are_refused(path, kind):
    labelled = sn.ESNClassifier(10, memory=2, bend=0.5, random_state=0).fit(
        series(), np.arange(400) % 2
    )
    sn.save(labelled, path)
    rewritten(path, lambda outer, inner: inner["values"].update(class_type=kind))
    with pytest.raises(
        ModelFileError, match=r"the file has classes of type .*; save the model anew"
    ):
        sn.load(path)
