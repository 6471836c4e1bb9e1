"""A model as ONNX: a graph for each function that the C code has, with the state as a tensor."""

from __future__ import annotations

import json
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..._errors import BadInput
from ..._version import __version__
from ...activations import OnSphere, Tanh
from ...kernels import BEYOND
from ...topology import Dense, Rotation, Shift, Sparse
from .portable import Portable

# The oldest with axes as an input of ReduceMax, and its file format: any runtime since 2023
OPSET, FORMAT_OF_FILE = 18, 8
STATE, ROW, EXOGENOUS = "state", "row", "exogenous"


def onnx_files(model: Portable, name: str) -> dict[str, bytes]:
    """The graphs: NAME_init gives the state where the model begins; NAME_update and NAME_forecast
    of a forecaster, NAME_predict of the others.
    """
    if find_spec("onnx") is None:
        raise BadInput(
            "format 'onnx' must find the package onnx, got none; pip install 'spheresn[onnx]'"
        )
    graphs = {"init": _init(model)}
    if model.loop is None:
        graphs["predict"] = _predict(model)
    else:
        graphs |= {"update": _update(model), "forecast": _forecast(model)}
    return {
        f"{name}_{what}.onnx": graph.file(model, f"{name}_{what}") for what, graph in graphs.items()
    }


class Graph:
    """Nodes, constants and the tensors that go in and out."""

    def __init__(self, model: Portable) -> None:
        from onnx import helper

        self.helper, self.dtype = helper, model.dtype
        self.nodes: list[Any] = []
        self.constants: dict[str, Any] = {}
        self.inputs: list[Any] = []
        self.outputs: list[Any] = []

    def constant(self, values: ArrayLike, name: str | None = None, kind: Any = None) -> str:
        """A constant, of the type of the model unless another is given."""
        from onnx import numpy_helper

        array = np.asarray(values, self.dtype if kind is None else kind)
        name = name or f"c{len(self.constants)}"
        self.constants.setdefault(name, numpy_helper.from_array(array.copy(), name))
        return name

    def op(self, kind: str, *inputs: str, name: str | None = None, **attributes: Any) -> str:
        """A node with one output."""
        name = name or f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(self.helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def whole(self, *values: int) -> str:
        """A constant of indices."""
        return self.constant(list(values), f"i{'_'.join(map(str, values))}", np.int64)

    def part(self, vector: str, first: int, stop: int, axis: int = 0) -> str:
        """vector[first:stop]."""
        ends = self.whole(first), self.whole(stop), self.whole(axis)
        return self.op("Slice", vector, *ends)

    def tensor(self, name: str, shape: list[Any], kind: Any = None) -> Any:
        """A declaration."""
        code = self.helper.np_dtype_to_tensor_dtype(np.dtype(self.dtype if kind is None else kind))
        return self.helper.make_tensor_value_info(name, code, shape)

    def takes(self, name: str, shape: list[Any], kind: Any = None) -> str:
        """An input."""
        self.inputs.append(self.tensor(name, shape, kind))
        return name

    def gives(self, name: str, shape: list[Any], kind: Any = None) -> None:
        """An output, which a node has made."""
        self.outputs.append(self.tensor(name, shape, kind))

    def graph(self, name: str) -> Any:
        """All of it."""
        constants = list(self.constants.values())
        return self.helper.make_graph(self.nodes, name, self.inputs, self.outputs, constants)

    def file(self, model: Portable, name: str) -> bytes:
        """A checked file."""
        import onnx

        found = self.helper.make_model(
            self.graph(name),
            opset_imports=[self.helper.make_opsetid("", OPSET)],
            ir_version=FORMAT_OF_FILE,
            producer_name="spheresn",
            producer_version=__version__,
        )
        says = {"kind": model.kind, "washout": model.washout, "columns": model.columns}
        says |= {"classes": model.classes} if model.classes else {}
        self.helper.set_model_props(found, {key: json.dumps(value) for key, value in says.items()})
        onnx.checker.check_model(found, full_check=True)
        return bytes(found.SerializeToString())


def _init(model: Portable) -> Graph:
    graph, parts = Graph(model), [model.state]
    if model.loop is not None:
        parts.append(model.loop.last)
    start = graph.constant(np.concatenate(parts), "start")
    graph.op("Identity", start, name=STATE)
    graph.gives(STATE, [_length(model)])
    return graph


def _predict(model: Portable) -> Graph:
    """state, row -> state after it, output; of a classifier also the class, by number."""
    graph = Graph(model)
    state = graph.takes(STATE, [model.reservoir.units])
    row = graph.takes(ROW, [model.reservoir.n_inputs])
    u = _standardised(graph, row, model.scaler.mean, model.scaler.scale)
    after = graph.op("Identity", _step(graph, model, state, u), name="next_state")
    output = _readout(graph, model, after)
    if model.classes:
        best = graph.op("ArgMax", output, axis=0, keepdims=0)
        graph.op("Identity", best, name="class")
        output = graph.op("Softmax", graph.op("Mul", output, graph.constant([model.sharpness])))
    graph.op("Identity", output, name="output")
    graph.gives("next_state", [model.reservoir.units])
    graph.gives("output", [model.outputs])
    if model.classes:
        graph.gives("class", [], np.int64)
    return graph


def _update(model: Portable) -> Graph:
    """state, row -> state after it, and what the model had expected of this row."""
    assert model.loop is not None
    graph, scaler = Graph(model), model.scaler
    state, row = graph.takes(STATE, [_length(model)]), graph.takes(ROW, [model.outputs])
    beside = graph.takes(EXOGENOUS, [model.exogenous]) if model.exogenous else None
    after, expected = _advance(graph, model, state, beside)
    value = _standardised(graph, row, scaler.mean, scaler.scale)
    known = _is_finite(graph, value)
    graph.op("Concat", after, graph.op("Where", known, value, expected), name="next_state", axis=0)
    _in_units(graph, model, expected, "expected")
    graph.gives("next_state", [_length(model)])
    graph.gives("expected", [model.outputs])
    return graph


def _forecast(model: Portable) -> Graph:
    """state, steps -> the next rows (steps, m), and the state after them."""
    assert model.loop is not None
    graph, body = Graph(model), Graph(model)
    state = graph.takes(STATE, [_length(model)])
    steps = graph.takes("steps", [], np.int64)
    number = body.takes("number", [], np.int64)
    go_on = body.takes("go_on", [], np.bool_)
    now = body.takes("now", [_length(model)])
    beside = None
    if model.exogenous:
        graph.takes(EXOGENOUS, ["steps", model.exogenous])
        beside = body.op("Gather", EXOGENOUS, number, axis=0)
    after, expected = _advance(body, model, now, beside)
    body.op("Identity", go_on, name="still")
    body.op("Concat", after, expected, name="later", axis=0)
    _in_units(body, model, expected, "row")
    body.gives("still", [], np.bool_)
    body.gives("later", [_length(model)])
    body.gives("row", [model.outputs])
    true = graph.constant(True, "true", np.bool_)
    graph.nodes.append(
        graph.helper.make_node(
            "Loop", [steps, true, state], ["next_state", "forecast"], body=body.graph("step")
        )
    )
    graph.gives("forecast", ["steps", model.outputs])
    graph.gives("next_state", [_length(model)])
    return graph


def _length(model: Portable) -> int:
    """Numbers of the state: x, and of a forecaster the newest row."""
    return model.reservoir.units + (0 if model.loop is None else model.outputs)


def _advance(graph: Graph, model: Portable, state: str, exogenous: str | None) -> tuple[str, str]:
    """x after the newest row, and the next row that is expected, in deviations."""
    assert model.loop is not None
    n, loop = model.reservoir.units, model.loop
    x, newest = graph.part(state, 0, n), graph.part(state, n, n + model.outputs)
    u = newest
    if exogenous is not None:
        scaled = _standardised(graph, exogenous, loop.exogenous.mean, loop.exogenous.scale)
        u = graph.op("Concat", newest, scaled, axis=0)
    after = _step(graph, model, x, u)
    value = _readout(graph, model, after)
    if loop.carry:
        value = graph.op("Add", graph.op("Mul", newest, graph.constant([loop.carry])), value)
    known = _is_finite(graph, value)
    return after, graph.op("Where", known, _bend_back(graph, model, value), newest)


def _step(graph: Graph, model: Portable, x: str, u: str) -> str:
    """f(W x + W_in u + b), with the leak."""
    network, activation = model.reservoir, model.reservoir.activation
    if network.n_inputs == 1:  # of a product, onnxruntime 1.31 keeps the scale of u as a float32
        driven = graph.op("Mul", graph.constant(network.inputs[:, 0], "W_in"), u)
    else:
        driven = graph.op("MatMul", graph.constant(network.inputs, "W_in"), u)
    a = graph.op("Add", _recurrent(graph, network.recurrent, x), driven)
    if network.bias.any():
        a = graph.op("Add", a, graph.constant(network.bias, "bias"))
    if not isinstance(activation, OnSphere):
        value = graph.op("Tanh", a) if isinstance(activation, Tanh) else a
        after = _with_leak(graph, network.leak, x, value)
        return graph.op("Where", _all_finite(graph, a), after, x)
    # Without a direction the state keeps its own; the zero state gets one
    even = graph.constant(np.full(network.units, activation.radius / np.sqrt(network.units)))
    kept = graph.op("Where", _has_direction(graph, x), x, even)
    if not activation.bend:
        z = _project(graph, a, activation.radius)
    else:
        spread = _project(graph, a, float(np.sqrt(network.units)))
        bent = graph.op("Mul", spread, graph.constant([activation.bend]))
        one = graph.constant([1.0])
        root = graph.op("Sqrt", graph.op("Add", graph.op("Mul", bent, bent), one))
        z = _project(graph, graph.op("Div", spread, root), activation.radius)
    known = _has_direction(graph, a)
    if network.leak != 1.0:
        mixed = _with_leak(graph, network.leak, x, z)
        known = graph.op("And", known, _has_direction(graph, mixed))
        z = _project(graph, mixed, activation.radius)
    return graph.op("Where", known, z, kept)


def _recurrent(graph: Graph, links: Any, x: str) -> str:
    """W x."""
    if isinstance(links, Dense):
        return graph.op("MatMul", graph.constant(links.matrix, "W"), x)
    if isinstance(links, Shift):
        weights = np.full(links.size, links.weight)
        weights[0] *= links.closed
        last = graph.part(x, links.size - 1, links.size)
        moved = graph.op("Concat", last, graph.part(x, 0, links.size - 1), axis=0)
        return graph.op("Mul", moved, graph.constant(weights, "weight"))
    if isinstance(links, Rotation):
        return _rotated(graph, links, x)
    assert isinstance(links, Sparse)
    matrix = links.matrix  # each row of links, filled up with links of weight 0
    counts = np.diff(matrix.indptr)
    width = max(int(counts.max(initial=0)), 1)
    column = np.arange(len(matrix.data)) - np.repeat(matrix.indptr[:-1], counts)
    place = np.repeat(np.arange(links.size), counts), column
    weights, sources = np.zeros((links.size, width)), np.zeros((links.size, width), np.int64)
    weights[place], sources[place] = matrix.data, matrix.indices
    taken = graph.op("Gather", x, graph.constant(sources, "link_from", np.int64))
    each = graph.op("Mul", taken, graph.constant(weights, "link_weight"))
    return graph.op("ReduceSum", each, graph.whole(1), keepdims=0)


def _rotated(graph: Graph, links: Rotation, x: str) -> str:
    half = links.size // 2
    cosine, sine = (
        graph.constant(one, name)
        for one, name in zip(links.kernel_data().turns, ("cosine", "sine"), strict=True)
    )
    first, second = graph.part(x, 0, half), graph.part(x, half, 2 * half)
    parts = [
        graph.op("Sub", graph.op("Mul", cosine, first), graph.op("Mul", sine, second)),
        graph.op("Add", graph.op("Mul", sine, first), graph.op("Mul", cosine, second)),
        graph.op("Mul", graph.part(x, 2 * half, links.size), graph.constant([links.weight])),
    ]
    return graph.op("Concat", *parts, axis=0)


def _with_leak(graph: Graph, leak: float, x: str, value: str) -> str:
    if leak == 1.0:
        return value
    old = graph.op("Mul", x, graph.constant([1.0 - leak]))
    return graph.op("Add", old, graph.op("Mul", value, graph.constant([leak])))


def _project(graph: Graph, v: str, length: float) -> str:
    """length v/|v|, by way of the largest entry, so that no square leaves the range of numbers;
    meaningless where v has no direction.
    """
    scaled = graph.op("Div", v, graph.op("ReduceMax", graph.op("Abs", v), keepdims=1))
    squares = graph.op("ReduceSum", graph.op("Mul", scaled, scaled), keepdims=1)
    factor = graph.op("Div", graph.constant([length]), graph.op("Sqrt", squares))
    return graph.op("Mul", scaled, factor)


def _has_direction(graph: Graph, v: str) -> str:
    """Whether v is neither zero nor without numbers."""
    largest = graph.op("ReduceMax", graph.op("Abs", v), keepdims=1)
    above = graph.op("Greater", largest, graph.constant([0.0]))
    return graph.op("And", above, _all_finite(graph, v))


def _all_finite(graph: Graph, v: str) -> str:
    """Whether all are finite: the sum of v · 0 is NaN otherwise."""
    zero = graph.constant([0.0])
    return graph.op("Equal", graph.op("ReduceSum", graph.op("Mul", v, zero), keepdims=1), zero)


def _is_finite(graph: Graph, v: str) -> str:
    """Which of them are finite."""
    zero = graph.constant([0.0])
    return graph.op("Equal", graph.op("Mul", v, zero), zero)


def _readout(graph: Graph, model: Portable, x: str) -> str:
    """b + W_out x, and the products of components."""
    arrays = model.arrays
    y = graph.op("MatMul", graph.constant(arrays["W_out"], "W_out"), x)
    y = graph.op("Add", y, graph.constant(arrays["intercept"], "intercept"))
    if model.quadratic is None:
        return y
    centred = graph.op("Sub", x, graph.constant(arrays["centre"], "centre"))
    p = graph.op("MatMul", graph.constant(arrays["components"], "components"), centred)
    pairs = np.triu_indices(len(model.quadratic.components))
    one, other = (graph.op("Gather", p, graph.constant(part, None, np.int64)) for part in pairs)
    weights = graph.constant(arrays["W_products"], "W_products")
    return graph.op("Add", y, graph.op("MatMul", weights, graph.op("Mul", one, other)))


def _bend_back(graph: Graph, model: Portable, value: str) -> str:
    """`series.scaling.soft_clip`."""
    assert model.loop is not None
    low, high = np.asarray(model.loop.low), np.asarray(model.loop.high)
    width = BEYOND * (high - low)
    zero = graph.constant([0.0])
    above = graph.op("Max", graph.op("Sub", value, graph.constant(high, "high")), zero)
    below = graph.op("Min", graph.op("Sub", value, graph.constant(low, "low")), zero)
    beyond = graph.op("Add", above, below)
    safe = graph.constant(np.where(width > 0.0, width, 1.0))
    kept = graph.op("Mul", graph.op("Tanh", graph.op("Div", beyond, safe)), graph.constant(width))
    return graph.op("Add", graph.op("Sub", value, beyond), kept)


def _standardised(graph: Graph, row: str, mean: Any, scale: Any) -> str:
    return graph.op("Div", graph.op("Sub", row, graph.constant(mean)), graph.constant(scale))


def _in_units(graph: Graph, model: Portable, value: str, name: str) -> None:
    """In the units of the rows."""
    scaled = graph.op("Mul", value, graph.constant(model.scaler.scale, "scale"))
    graph.op("Add", scaled, graph.constant(model.scaler.mean, "mean"), name=name)
