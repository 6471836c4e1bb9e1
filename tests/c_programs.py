"""Exported models as programs: C that a compiler of this machine makes, and what it prints."""

from __future__ import annotations

import subprocess
import warnings
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import softmax

import spheresn as sn
from spheresn.estimators import OutOfRange

STRICT = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"]
SANITIZED = ["-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
HEAD = """\
#include <math.h>
#include <stdio.h>
static const double inputs[] = {{{inputs}}};
static int taken;
static double value(void)
{{
    return inputs[taken++];
}}
"""
FORECASTER = """
static void run_{name}(void)
{{
    static {name}_state state;
    static {real} row[{columns}], beside[{e} + 1], coming[{steps} * {e} + 1];
    static {real} out[{steps} * {columns}];
    {name}_init(&state);
    for (int k = 0; k < {rows}; k++) {{
        for (int i = 0; i < {columns}; i++)
            row[i] = ({real})value();
        for (int i = 0; i < {e}; i++)
            beside[i] = ({real})value();
        {name}_update(&state, row{beside});
    }}
    for (int i = 0; i < {steps} * {e}; i++)
        coming[i] = ({real})value();
    (void)beside, (void)coming;
    {name}_forecast(&state, {steps}{coming}, out);
    for (int i = 0; i < {steps} * {columns}; i++)
        printf("%.17g\\n", (double)out[i]);
}}
"""
OTHER = """
static void run_{name}(void)
{{
    static {name}_state state;
    static {real} row[{columns}], out[{outputs}];
    {name}_init(&state);
    for (int k = 0; k < {rows}; k++) {{
        for (int i = 0; i < {columns}; i++)
            row[i] = ({real})value();
        {call}
        for (int i = 0; i < {outputs}; i++)
            printf("%.17g\\n", (double)out[i]);
    }}
}}
"""


@dataclass(frozen=True, eq=False)
class Case:
    """A model, the rows (K, d) it gets, and for a forecaster the exogenous columns (K, e) of these
    and (F, e) of the rows to forecast.
    """

    name: str
    model: Any
    rows: np.ndarray
    steps: int = 0
    beside: np.ndarray | None = None
    coming: np.ndarray | None = None
    dtype: str = "float64"

    @property
    def expected(self) -> np.ndarray:
        """What Python says, one row for each that the program prints."""
        if self.steps:
            after = deepcopy(self.model).update(self.rows, self.beside)
            with warnings.catch_warnings():  # of forecasts that leave the range, and are bent back
                warnings.simplefilter("ignore", OutOfRange)
                return np.asarray(after.forecast(self.steps, self.coming)).reshape(self.shape)
        start = getattr(self.model, "state_", np.zeros(self.model.reservoir_.units))
        found = self.model.frame_.read(self.rows, self.model.weights_, start)
        if hasattr(self.model, "classes_"):
            return np.asarray(softmax(self.model.sharpness_ * found, axis=1))
        return np.asarray(found).reshape(len(self.rows), -1)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of what the program prints."""
        if self.steps:
            return self.steps, self.rows.shape[1]
        return len(self.rows), self.model.weights_.matrix.shape[1]

    @property
    def program(self) -> str:
        """A function of C that runs the case."""
        e = 0 if self.beside is None else self.beside.shape[1]
        real = "float" if self.dtype == "float32" else "double"
        known = {"name": self.name, "real": real, "rows": len(self.rows), "e": e}
        known["columns"] = self.rows.shape[1]
        if self.steps:
            return FORECASTER.format(
                **known,
                steps=self.steps,
                beside=", beside" if e else "",
                coming=", coming" if e else "",
            )
        known["outputs"] = self.shape[1]
        call = f"{self.name}_predict(&state, row, out);"
        if hasattr(self.model, "classes_"):
            call = f"int best = {self.name}_predict(&state, row, out);\n        "
            call += f'fprintf(stderr, "%s", best < 0 ? "-" : {self.name}_classes[best]);'
        return OTHER.format(**known, call=call)

    @property
    def inputs(self) -> str:
        """What the program reads, as constants of C."""
        rows = self.rows if self.beside is None else np.hstack([self.rows, self.beside])
        numbers = [rows.ravel(), np.zeros(0) if self.coming is None else self.coming.ravel()]
        words = {"nan": "NAN", "inf": "INFINITY", "-inf": "-INFINITY"}
        return ", ".join(
            words.get(repr(one), repr(one)) for one in np.concatenate(numbers).tolist()
        )


def write(cases: list[Case], folder: Path) -> list[Path]:
    """The sources of a program that runs all cases."""
    folder.mkdir(parents=True, exist_ok=True)
    files, text = [folder / "main.c"], HEAD.format(inputs=", ".join(one.inputs for one in cases))
    for case in cases:
        written = sn.export(case.model, folder, name=case.name, dtype=case.dtype)
        files.append(written[1])
        text += f'#include "{case.name}.h"\n{case.program}'
    calls = "".join(f"    run_{case.name}();\n" for case in cases)
    files[0].write_text(f"{text}\nint main(void)\n{{\n{calls}    return 0;\n}}\n")
    return files


def run(
    cases: list[Case], folder: Path, compiler: str, options: list[str]
) -> tuple[dict[str, np.ndarray], str]:
    """What the compiled program prints for each case, and the names of the classes."""
    files = write(cases, folder)
    program = folder / compiler
    made = subprocess.run(
        [compiler, *STRICT, *options, "-o", program, *files, "-lm"], capture_output=True, text=True
    )
    assert made.returncode == 0 and not made.stderr, made.stderr
    ran = subprocess.run([program], capture_output=True)
    assert ran.returncode == 0, ran.stderr.decode()
    return parsed(cases, ran.stdout.decode()), ran.stderr.decode("utf-8")


def parsed(cases: list[Case], printed: str) -> dict[str, np.ndarray]:
    """The numbers that a program has printed, for each case."""
    numbers = np.array([float(one) for one in printed.split()])
    ends = np.cumsum([case.shape[0] * case.shape[1] for case in cases])
    assert len(numbers) == ends[-1]
    parts = np.split(numbers, ends[:-1])
    return {case.name: part.reshape(case.shape) for case, part in zip(cases, parts, strict=True)}
