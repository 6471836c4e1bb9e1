"""Models for other places: C for a microcontroller, ONNX for browsers and other languages."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import DTypeLike

from ... import _validation
from ..._errors import BadInput
from ..files import check_outputs, whole_file
from .c_source import c_files
from .onnx_graphs import onnx_files
from .portable import Portable

FORMATS = ("c", "onnx")
LONGEST_IDENTIFIER = 31  # letters of a name that every C compiler tells apart
# NAME.h must not hide a header of C
HEADERS = frozenset(
    (
        *("assert", "complex", "ctype", "errno", "fenv", "float", "inttypes", "iso646", "limits"),
        *("locale", "math", "setjmp", "signal", "stdarg", "stdbool", "stddef", "stdint", "stdio"),
        *("stdlib", "string", "tgmath", "time", "wchar", "wctype"),
    )
)


def export(
    model: Any,
    path: str | os.PathLike[str],
    format: str = "c",
    *,
    name: str = "model",
    dtype: DTypeLike = "float64",
) -> list[Path]:
    """Write a fitted forecaster, regressor or classifier of steps into the directory `path`, for
    places without Python; returns the files.

    format "c": NAME.h and NAME.c, C99 without a heap, arrays constant. `NAME_init`, then
    `NAME_update` and `NAME_forecast` of a forecaster, `NAME_predict` of the others. "onnx", which
    needs the package onnx: NAME_init.onnx and one graph for each of the other functions. name: of
    files and functions. dtype: float64 or float32. An exported forecaster takes rows as they are:
    the filter of noisy rows is not exported.

    >>> import tempfile
    >>> import numpy as np
    >>> import spheresn as sn
    >>> wave = sn.datasets.mso(300)
    >>> model = sn.ESNForecaster(units=20, bend=0, memory=5, random_state=0).fit(wave)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     header, source = export(model, folder, name="wave")
    ...     print(header.name, source.name, "wave_forecast" in header.read_text())
    wave.h wave.c True
    """
    return write(contents_of(model, format, name, dtype), path, {})


def contents_of(model: Any, format: str, name: str, dtype: DTypeLike) -> dict[str, bytes]:
    """The files of an export by their names."""
    _validation.one_of("format", format, FORMATS)
    _check_name(name)
    portable = Portable.of(model, dtype)
    if format == "onnx":
        return onnx_files(portable, name)
    return {file: text.encode("ascii") for file, text in c_files(portable, name).items()}


def write(
    contents: Mapping[str, bytes], path: str | os.PathLike[str], inputs: Mapping[str, Path | None]
) -> list[Path]:
    """Files into a directory, each whole, none of them one of the `inputs`."""
    files = [Path(path, name) for name in contents]
    check_outputs(files, inputs, streams=False)
    for file, content in zip(files, contents.values(), strict=True):
        with whole_file(file) as draft:
            draft.write_bytes(content)
    return files


def _check_name(name: Any) -> None:
    """A name becomes part of files and of identifiers."""
    fits = isinstance(name, str) and re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name, re.ASCII)
    if not fits or len(name) > LONGEST_IDENTIFIER or name.lower() in HEADERS:
        raise BadInput(
            "name must be a letter and then letters, digits or _, at most "
            f"{LONGEST_IDENTIFIER} in all, and no header of C, got {name!r}; choose another name"
        )
