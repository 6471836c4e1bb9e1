"""Named arrays as bytes and back: safetensors, so that the same arrays give the same bytes and
reading them runs no code.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from ...._errors import BadInput, sentence

Arrays = dict[str, NDArray[Any]]


def pack(arrays: Arrays) -> bytes:
    """The arrays as bytes; numbers and truth values only."""
    for name, values in arrays.items():
        if np.asarray(values).dtype.kind not in "biuf":
            raise ValueError(
                f"result {name!r} must hold real numbers, got {np.asarray(values).dtype}; split "
                "or convert it"
            )
    return save({name: _native(values) for name, values in arrays.items()})


def unpack(content: bytes) -> Arrays:
    """The arrays that `pack` was given."""
    try:
        return dict(load(content))
    except (SafetensorError, ValueError, TypeError, KeyError) as error:
        raise BadInput(
            f"a result must be whole, got bytes that hold no arrays ({sentence(error)}); compute "
            "it anew"
        ) from None


def _native(values: Any) -> NDArray[Any]:
    """In this machine's byte order and in C order, which is how the bytes are stored;
    `ascontiguousarray` would make a number a vector.
    """
    array = np.array(values, order="C")
    return array.astype(array.dtype.newbyteorder("="))
