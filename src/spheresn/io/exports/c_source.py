"""A model as C: one header and one source file, C99 and libm, no heap, arrays that are const."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from string import Template
from typing import Any

import numpy as np

from ..._validation import Floats
from ..._version import __version__
from ...activations import OnSphere, Tanh
from ...kernels import BEYOND
from ...topology import Dense, Rotation, Shift, Sparse
from .portable import Portable

LINE = 96  # columns of the generated text, so that it prints beside its line numbers

# What a comment says of each array
COMMENTS = {
    "W": "recurrent weights, one row per unit",
    "link_weight": "recurrent weights, of the links of one unit after the other",
    "link_from": "the unit that each link comes from",
    "link_first": "the first link of each unit, and the number of links",
    "cosine": "weight times the cosine of the angle by which each pair of units is turned",
    "sine": "weight times its sine",
    "W_in": "input weights, one row per unit",
    "bias": "b",
    "W_out": "readout, one row per output",
    "intercept": "what the readout adds",
    "centre": "mean of the states, for the quadratic features",
    "components": "principal components of the states, each divided by its deviation",
    "W_products": "readout of the products of components, one row per output",
    "mean": "mean of each column of the training rows",
    "scale": "deviation of each column of the training rows",
    "exogenous_mean": "mean of each exogenous column",
    "exogenous_scale": "deviation of each exogenous column",
    "low": "forecasts are bent back below these values, in deviations",
    "high": "forecasts are bent back above these values, in deviations",
    "x_start": "the state after the training rows",
    "s_start": "the last training row, in deviations",
}

HEADER = Template("""\
/* $title

   Written by spheresn $version. C99 and libm, no heap; the arrays are constants.

$about */

#ifndef ${NAME}_H
#define ${NAME}_H

#ifdef __cplusplus
extern "C" {
#endif

$defines

/* All that changes from row to row; you hold it, as many as you need. */
typedef struct {
$fields
} ${name}_state;

$functions
#ifdef __cplusplus
}
#endif

#endif
""")

SOURCE = Template("""\
/* $title

$equations */

#include <math.h>

#include "$name.h"

enum { $sizes };

$parameters
$arrays
$recurrent
$activation/* $equation */
static void step($real *x, const $real *u)
{
    $real a[UNITS];

    for (int i = 0; i < UNITS; i++) {
        a[i] = recurrent(x, i)$bias;
        for (int j = 0; j < INPUTS; j++)
            a[i] += W_in[i][j] * u[j];
    }
$move
}

$readout
void ${name}_init(${name}_state *state)
{
    for (int i = 0; i < UNITS; i++)
        state->x[i] = $start;$last
}

$functions""")

# (W x)_i for each topology
PRODUCTS = {
    Dense: """\
/* (W x)_i: every unit is linked to every unit. */
static $real recurrent(const $real *x, int i)
{
    $real total = $zero;

    for (int j = 0; j < UNITS; j++)
        total += W[i][j] * x[j];
    return total;
}
""",
    Sparse: """\
/* (W x)_i: the links that lead to unit i. */
static $real recurrent(const $real *x, int i)
{
    $real total = $zero;

    for (int k = link_first[i]; k < link_first[i + 1]; k++)
        total += link_weight[k] * x[link_from[k]];
    return total;
}
""",
    Rotation: """\
/* (W x)_i: the plane of units i and i + HALF is turned by an angle of its own. */
static $real recurrent(const $real *x, int i)
{
    if (i < HALF)
        return cosine[i] * x[i] - sine[i] * x[HALF + i];
    if (i < 2 * HALF)
        return sine[i - HALF] * x[i - HALF] + cosine[i - HALF] * x[i];
    return weight * x[i]; /* an odd unit at the end */
}
""",
}
RING = """\
/* (W x)_i: a ring, each unit is linked to the next. */
static $real recurrent(const $real *x, int i)
{
    return weight * x[i > 0 ? i - 1 : UNITS - 1];
}
"""
DELAY_LINE = """\
/* (W x)_i: a chain, each unit is linked to the next. */
static $real recurrent(const $real *x, int i)
{
    return i > 0 ? weight * x[i - 1] : $zero;
}
"""

PROJECT = """\
/* v = length v/|v|. Returns 0 where v has no direction: it is zero, or no number. */
static int project($real *v, $real length)
{
    $real squares = $zero, largest = $zero, factor;

    for (int i = 0; i < UNITS; i++)
        squares += v[i] * v[i];
    if (!(squares > $low && squares < $high)) { /* rare: the squares lose digits */
        for (int i = 0; i < UNITS; i++) {
            if (!isfinite(v[i]))
                return 0;
            largest = fmax$f(largest, fabs$f(v[i]));
        }
        if (!(largest > $zero))
            return 0;
        squares = $zero;
        for (int i = 0; i < UNITS; i++) {
            v[i] /= largest;
            squares += v[i] * v[i];
        }
    }
    factor = length / sqrt$f(squares);
    for (int i = 0; i < UNITS; i++)
        v[i] *= factor;
    return 1;
}

"""
PLAIN_SPHERE = """\
/* f(a) = r a/|a| */
static int activate($real *a)
{
    return project(a, radius);
}
"""
BENT_SPHERE = """\
/* f(a) = r z/|z|, z_i = c_i/sqrt(1 + (bend c_i)^2), c = sqrt(N) a/|a| */
static int activate($real *a)
{
    if (!project(a, $root))
        return 0;
    for (int i = 0; i < UNITS; i++)
        a[i] /= sqrt$f($one + (bend * a[i]) * (bend * a[i]));
    return project(a, radius);
}
"""
MOVE_ON_SPHERE = """\
    int moved = activate(a);

$leak    for (int i = 0; i < UNITS && moved; i++)
        x[i] = a[i];
    /* Without a direction the state keeps its own; the zero state gets one. */
    if (!moved && !project(x, radius))
        for (int i = 0; i < UNITS; i++)
            x[i] = $even;"""
LEAK_ON_SPHERE = """\
    for (int i = 0; i < UNITS && moved; i++)
        a[i] = ($one - leak) * x[i] + leak * a[i];
    moved = moved && project(a, radius);
"""
MOVE_EACH = """\
    for (int i = 0; i < UNITS; i++)
        if (!isfinite(a[i]))
            return; /* what is no number changes nothing */
    for (int i = 0; i < UNITS; i++)
        x[i] = $value;"""

READ_OUT = """\
/* y = b + W_out x$plus */
static void read_out(const $real *x, $real *y)
{
$components    for (int i = 0; i < OUTPUTS; i++) {
        y[i] = intercept[i];
        for (int j = 0; j < UNITS; j++)
            y[i] += W_out[i][j] * x[j];$products
    }
}
"""
COMPONENTS = """\
    $real p[COMPONENTS]; /* in units of their deviations */

    for (int c = 0; c < COMPONENTS; c++) {
        p[c] = $zero;
        for (int j = 0; j < UNITS; j++)
            p[c] += components[c][j] * (x[j] - centre[j]);
    }
"""
PRODUCT_TERMS = """
        for (int c = 0, k = 0; c < COMPONENTS; c++)
            for (int d = c; d < COMPONENTS; d++, k++)
                y[i] += W_products[i][k] * p[c] * p[d];"""

BEND_BACK = """\
/* Beyond a bound the value approaches a tenth of their distance more, so that no run diverges. */
static $real bend_back($real value, $real lowest, $real highest)
{
    const $real width = $beyond * (highest - lowest);
    const $real bound = value > highest ? highest : lowest;

    if (value <= highest && value >= lowest)
        return value;
    return width > $zero ? bound + width * tanh$f((value - bound) / width) : bound;
}

/* The newest row enters the network. */
static void enter(${name}_state *state$known)
{
$inputs    step(state->x, $u);
}

/* The row that comes next, as far as the network knows, in deviations. */
static void expect(const ${name}_state *state, $real *expected)
{
    read_out(state->x, expected);
    for (int i = 0; i < COLUMNS; i++) {
        $real value = $carried;
        expected[i] = isfinite(value) ? bend_back(value, low[i], high[i]) : state->s[i];
    }
}
"""
WITH_EXOGENOUS = """\
    $real u[INPUTS];

    for (int i = 0; i < COLUMNS; i++)
        u[i] = state->s[i];
    for (int i = 0; i < EXOGENOUS; i++)
        u[COLUMNS + i] = (exogenous[i] - exogenous_mean[i]) / exogenous_scale[i];
"""
FORECASTER = """\
void ${name}_update(${name}_state *state, const $real *row$known)
{
    $real value[COLUMNS], expected[COLUMNS];
    int missing = 0;

    enter(state$passed);
    for (int i = 0; i < COLUMNS; i++) {
        value[i] = (row[i] - mean[i]) / scale[i];
        missing = missing || !isfinite(value[i]);
    }
    if (missing)
        expect(state, expected);
    for (int i = 0; i < COLUMNS; i++)
        state->s[i] = isfinite(value[i]) ? value[i] : expected[i];
}

void ${name}_forecast(const ${name}_state *state, int steps$known, $real *out)
{
    ${name}_state now = *state;
    $real expected[COLUMNS];

    for (int k = 0; k < steps; k++) {
        enter(&now$each);
        expect(&now, expected);
        for (int i = 0; i < COLUMNS; i++) {
            now.s[i] = expected[i];
            out[k * COLUMNS + i] = mean[i] + scale[i] * expected[i];
        }
    }
}
"""
REGRESSOR = """\
void ${name}_predict(${name}_state *state, const $real *row, $real *out)
{
    $real u[INPUTS];

    for (int i = 0; i < INPUTS; i++) {
        u[i] = (row[i] - mean[i]) / scale[i];
        if (!isfinite(u[i])) {
            for (int j = 0; j < OUTPUTS; j++)
                out[j] = NAN;
            return;
        }
    }
    step(state->x, u);
    read_out(state->x, out);
}
"""
CLASSIFIER = """\
int ${name}_predict(${name}_state *state, const $real *row, $real *out)
{
    $real u[INPUTS], largest, total = $zero;
    int best = 0;

    for (int i = 0; i < INPUTS; i++) {
        u[i] = (row[i] - mean[i]) / scale[i];
        if (!isfinite(u[i])) {
            for (int j = 0; j < OUTPUTS; j++)
                out[j] = NAN;
            return -1;
        }
    }
    step(state->x, u);
    read_out(state->x, out);
    for (int i = 1; i < OUTPUTS; i++)
        if (out[i] > out[best])
            best = i;
    largest = out[best];
    for (int i = 0; i < OUTPUTS; i++) {
        out[i] = exp$f(sharpness * (out[i] - largest));
        total += out[i];
    }
    for (int i = 0; i < OUTPUTS; i++)
        out[i] /= total;
    return best;
}
"""

INIT_SAYS = {
    "forecaster": "The state after the training rows.",
    "regressor": "The state after the training rows; after several series, the zero state.",
    "classifier": "The zero state, which the network has forgotten after the first rows.",
}
DECLARED = {
    "forecaster": """\
/* A new row has come. A cell that is not a finite number counts as the forecast of it. */
void ${name}_update(${name}_state *state, const $real *row$known);

/* The next rows into out[steps][$columns]; the state stays as it is. */
void ${name}_forecast(const ${name}_state *state, int steps$known, $real *out);
""",
    "regressor": """\
/* A new row has come: out[$outputs] is the prediction for it.
   A row with a cell that is not a finite number gives NAN and leaves the state as it is. */
void ${name}_predict(${name}_state *state, const $real *row, $real *out);
""",
    "classifier": """\
/* A new row has come: its class, and the probabilities of all classes in out[$outputs].
   A row with a cell that is not a finite number gives -1 and NAN, and leaves the state as it is. */
int ${name}_predict(${name}_state *state, const $real *row, $real *out);

/* The names of the classes. */
extern const char *const ${name}_classes[$outputs];
""",
}


def c_files(model: Portable, name: str) -> dict[str, str]:
    """The texts of NAME.h and NAME.c."""
    words = _words(model, name)
    return {f"{name}.h": _header(model, words), f"{name}.c": _source(model, words)}


def _words(model: Portable, name: str) -> dict[str, str]:
    """What the templates are filled with."""
    single = model.dtype == np.float32
    known = ", const $real *exogenous" if model.exogenous else ""
    words = {
        "name": name,
        "NAME": name.upper(),
        "real": "float" if single else "double",
        "f": "f" if single else "",
        "low": _number(model.dtype.type(1e-30 if single else 1e-280)),
        "high": _number(model.dtype.type(1e30 if single else 1e280)),
        "columns": f"{name.upper()}_COLUMNS",
        "outputs": f"{name.upper()}_OUTPUTS",
        "title": f"{name}: an echo state network of {model.reservoir.units} units, a {model.kind}.",
        "passed": ", exogenous" if model.exogenous else "",
        "each": ", exogenous + k * EXOGENOUS" if model.exogenous else "",
        "zero": _number(model.dtype.type(0.0)),
        "one": _number(model.dtype.type(1.0)),
        "beyond": _number(model.dtype.type(BEYOND)),
    }
    return {**words, "known": _filled(known, words)}


def _filled(text: str, words: dict[str, str], **more: str) -> str:
    return Template(text).substitute(words, **more)


def _header(model: Portable, words: dict[str, str]) -> str:
    sizes = {"UNITS": model.reservoir.units}
    if model.loop is not None:
        sizes["COLUMNS"] = model.outputs
        if model.exogenous:
            sizes["EXOGENOUS"] = model.exogenous
    else:
        sizes |= {"COLUMNS": model.reservoir.n_inputs, "OUTPUTS": model.outputs}
    defines = [f"#define {words['NAME']}_{key} {value}" for key, value in sizes.items()]
    defines.append(
        f"#define {words['NAME']}_WASHOUT {model.washout} "
        "/* rows after which another start is forgotten */"
    )
    fields = ["    $real x[${NAME}_UNITS]; /* the state of the network */"]
    if model.loop is not None:
        fields.append("    $real s[${NAME}_COLUMNS]; /* the newest row, in deviations */")
    start = f"/* {INIT_SAYS[model.kind]} */\nvoid ${{name}}_init(${{name}}_state *state);\n\n"
    return HEADER.substitute(
        words,
        version=_comment(__version__),
        about="\n\n".join(_paragraphs(model)),
        defines="\n".join(defines),
        fields=_filled("\n".join(fields), words),
        functions=_filled(start + DECLARED[model.kind], words),
    )


def _paragraphs(model: Portable) -> Iterator[str]:
    """What a reader of the header should know."""
    if model.columns:
        yield _wrapped(f"Columns of a row: {', '.join(map(_comment, model.columns))}.")
    if model.exogenous:
        yield _wrapped(
            "Exogenous columns belong to the time of the row that is updated or forecast: "
            f"exogenous[{model.exogenous}] of a row, exogenous[steps][{model.exogenous}] of a "
            "forecast."
        )
    state = model.reservoir.units + (0 if model.loop is None else model.outputs)
    yield _wrapped(
        f"{model.count} numbers are constants, {model.count * model.dtype.itemsize} bytes; the "
        f"state is {state * model.dtype.itemsize} bytes."
    )
    if model.loop is not None:
        yield _wrapped(
            "Rows are taken as they are. The Kalman filter by which ESNForecaster cleans noisy "
            "rows is not part of this code."
        )


def _source(model: Portable, words: dict[str, str]) -> str:
    network = model.reservoir
    sizes = {"UNITS": network.units, "INPUTS": network.n_inputs, "OUTPUTS": model.outputs}
    if isinstance(network.recurrent, Rotation):
        sizes["HALF"] = network.units // 2
    if model.quadratic is not None:
        sizes["COMPONENTS"] = len(model.quadratic.components)
    if model.loop is not None:
        sizes["COLUMNS"] = model.outputs
        if model.exogenous:
            sizes["EXOGENOUS"] = model.exogenous
    equations = [
        "x' = f(W x + W_in u + b): the state x, the inputs u"
        + (", which are the newest row s and the exogenous columns" if model.exogenous else "")
        + (", which are the newest row s" if model.loop is not None and not model.exogenous else "")
    ]
    leak = network.leak
    if leak != 1.0:
        equations.append(f"with a leak of {leak!r} between x and x'")
    functions = {"forecaster": FORECASTER, "regressor": REGRESSOR, "classifier": CLASSIFIER}
    kept = _kept_arrays(model)
    return SOURCE.substitute(
        words,
        equations=_wrapped("; ".join(equations) + "."),
        sizes=", ".join(f"{key} = {value}" for key, value in sizes.items()),
        parameters="".join(_parameters(model, words)),
        arrays="\n".join(_arrays(model, kept, words)),
        recurrent=_filled(_product(network.recurrent), words),
        activation=_activation(model, words),
        equation=_equation(model),
        bias=" + bias[i]" if "bias" in kept else "",
        move=_move(model, words),
        readout=_readout(model, words),
        start="x_start[i]" if "x_start" in kept else words["zero"],
        last=""
        if model.loop is None
        else "\n    for (int i = 0; i < COLUMNS; i++)\n        state->s[i] = s_start[i];",
        functions=_filled(functions[model.kind], words),
    )


def _parameters(model: Portable, words: dict[str, str]) -> Iterator[str]:
    """The numbers of this network, each with what it is."""
    network, activation = model.reservoir, model.reservoir.activation
    found: dict[str, tuple[float, str]] = {}
    if isinstance(network.recurrent, (Shift, Rotation)):
        found["weight"] = network.recurrent.weight, "of the recurrent links"
    if isinstance(activation, OnSphere):
        found["radius"] = activation.radius, "r, of the sphere on which the state lives"
        if activation.bend:
            found["bend"] = activation.bend, "how much a unit saturates"
    if network.leak != 1.0:
        found["leak"] = network.leak, "share of the new state"
    if model.kind == "classifier":
        found["sharpness"] = model.sharpness, "from outputs to probabilities"
    if model.loop is not None and model.loop.carry not in (0.0, 1.0):
        found["carry"] = model.loop.carry, "share of the newest row in the next one"
    for name, (value, says) in found.items():
        number = _number(model.dtype.type(value))
        yield f"static const {words['real']} {name} = {number}; /* {says} */\n"


def _kept_arrays(model: Portable) -> dict[str, Floats]:
    """All arrays except a bias and a start of zeros."""
    return {
        name: one
        for name, one in model.arrays.items()
        if name not in ("bias", "x_start") or one.any()
    }


def _arrays(model: Portable, kept: dict[str, Floats], words: dict[str, str]) -> Iterator[str]:
    links = model.reservoir.recurrent
    for name, values in kept.items():
        yield _array(words["real"], name, values)
        if name == "link_weight":
            data = links.kernel_data()
            kind = "unsigned short" if data.columns.dtype == np.uint16 else "unsigned int"
            yield _array(kind, "link_from", data.columns)
            yield _array("int", "link_first", data.starts.astype(np.int64))
    if model.classes:
        names = ",\n".join(f"    {_text(one)}" for one in model.classes)
        yield f"const char *const {words['name']}_classes[] = {{\n{names},\n}};\n"


def _array(kind: str, name: str, values: Any) -> str:
    """A definition; an array without numbers would be no C, so it gets a zero."""
    values = values if values.size else np.zeros(1, values.dtype)
    rows = values if values.ndim == 2 else values[None]
    lines = [", ".join(map(_number, row)) for row in rows]
    if values.ndim == 2:
        lines = [f"{{{line}}}" for line in lines]
    body = "\n".join(
        textwrap.fill(line + ",", LINE, initial_indent="    ", subsequent_indent="     ")
        for line in lines
    )
    shape = "".join(f"[{size}]" for size in values.shape)
    return f"/* {COMMENTS[name]} */\nstatic const {kind} {name}{shape} = {{\n{body}\n}};\n"


def _product(links: Any) -> str:
    if isinstance(links, Shift):
        return RING if links.closed else DELAY_LINE
    return PRODUCTS[type(links)]


def _activation(model: Portable, words: dict[str, str]) -> str:
    activation = model.reservoir.activation
    if not isinstance(activation, OnSphere):
        return ""
    root = _number(model.dtype.type(np.sqrt(model.reservoir.units)))
    text = PROJECT + (BENT_SPHERE if activation.bend else PLAIN_SPHERE)
    return _filled(text, words, root=root) + "\n"


def _equation(model: Portable) -> str:
    terms = f"W x + W_in u{' + b' if 'bias' in _kept_arrays(model) else ''}"
    activation, leak = model.reservoir.activation, model.reservoir.leak
    if isinstance(activation, OnSphere):
        value = f"f({terms})"
    else:
        value = f"tanh({terms})" if isinstance(activation, Tanh) else terms
    if leak == 1.0:
        return f"x = {value}"
    mixed = f"(1 - leak) x + leak {value if value.endswith(')') else f'({value})'}"
    return f"x = {mixed}, projected again" if isinstance(activation, OnSphere) else f"x = {mixed}"


def _move(model: Portable, words: dict[str, str]) -> str:
    activation, leaky = model.reservoir.activation, model.reservoir.leak != 1.0
    if isinstance(activation, OnSphere):
        even = _number(model.dtype.type(activation.radius / np.sqrt(model.reservoir.units)))
        blend = _filled(LEAK_ON_SPHERE, words) if leaky else ""
        return _filled(MOVE_ON_SPHERE, words, leak=blend, even=even)
    value = f"tanh{words['f']}(a[i])" if isinstance(activation, Tanh) else "a[i]"
    if leaky:
        value = f"({words['one']} - leak) * x[i] + leak * {value}"
    return _filled(MOVE_EACH, words, value=value)


def _readout(model: Portable, words: dict[str, str]) -> str:
    quadratic = model.quadratic is not None
    text = _filled(
        READ_OUT,
        words,
        plus=", and the products of the principal components p of x" if quadratic else "",
        components=_filled(COMPONENTS, words) if quadratic else "",
        products=PRODUCT_TERMS if quadratic else "",
    )
    if model.loop is None:
        return text
    carried = {0.0: "expected[i]", 1.0: "state->s[i] + expected[i]"}.get(
        model.loop.carry, "carry * state->s[i] + expected[i]"
    )
    inputs = f"{_filled(WITH_EXOGENOUS, words)}\n" if model.exogenous else ""
    u = "u" if model.exogenous else "state->s"
    return f"{text}\n{_filled(BEND_BACK, words, carried=carried, inputs=inputs, u=u)}"


def _number(value: Any) -> str:
    """As short as it can be and still the same number; integers as they are."""
    if isinstance(value, np.integer):
        return str(value)
    return f"{value!s}f" if value.dtype == np.float32 else str(value)


def _comment(text: str) -> str:
    """A name from outside, for a comment: letters, digits and a few signs that mean nothing."""
    return "".join(
        one if one.isascii() and (one.isalnum() or one in " _-.()%") else "_" for one in text
    )


def _text(text: str) -> str:
    """A string of C. All bytes but letters, digits and a few signs are written as octal numbers."""
    plain = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _-.()"
    inner = "".join(
        chr(one) if one in plain else f"\\{one:03o}" for one in text.encode("utf-8", "replace")
    )
    return f'"{inner}"'


def _wrapped(text: str) -> str:
    return textwrap.fill(text, LINE, initial_indent="   ", subsequent_indent="   ")
