"""Hostile bytes: a whole file, and what chance and malice can make of it. The same random generator
gives the same bytes.
"""

from __future__ import annotations

import io
import json
import os
import pickle
import struct
from collections.abc import Callable
from random import Random
from typing import Any

NUMBERS = [
    0,
    1,
    -1,
    2,
    127,
    255,
    2**15,
    2**16 - 1,
    2**31 - 1,
    2**31,
    2**32 - 1,
    2**40,
    2**62,
    2**63 - 1,
    2**63,
    2**64 - 1,
    10**12,
]
WORDS = [
    "", "x", "nan", "../../etc/passwd", "\x00", "\x1b[31m", "[red]", "{{7*7}}",
    "<script>alert(1)</script>", "\ud800", "a\nb", "9" * 5000, "O", "(",
]  # fmt: skip
STRANGE = [
    None,
    True,
    False,
    0.5,
    -0.0,
    1e308,
    5e-324,
    float("nan"),
    float("inf"),
    10**400,
    [],
    {},
    [[]],
    *NUMBERS,
    *WORDS,
]


class Loud:
    """Unpickled, it ends the process, which nobody can overlook."""

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[int]]:
        return os._exit, (77,)


PICKLE = pickle.dumps(Loud())


def damaged(raw: bytes, rng: Random, others: list[bytes]) -> bytes:
    """One to four accidents: flipped bits, numbers at the edge of their range, pieces cut out,
    doubled, moved, taken from another file.
    """
    data = bytearray(raw)
    for _ in range(rng.randint(1, 4)):
        rng.choice(ACCIDENTS)(data, rng, others)
    return bytes(data)


def _place(data: bytearray, rng: Random) -> int:
    """Anywhere, but often near the two ends, where the headers are."""
    end = len(data)
    return rng.choice(
        [rng.randint(0, end), rng.randint(0, min(end, 64)), rng.randint(max(end - 64, 0), end)]
    )


def _flip(data: bytearray, rng: Random, others: list[bytes]) -> None:
    if data:
        data[min(_place(data, rng), len(data) - 1)] ^= 1 << rng.randint(0, 7)


def _byte(data: bytearray, rng: Random, others: list[bytes]) -> None:
    place = _place(data, rng)
    data[place : place + 1] = bytes(
        [rng.choice([0, 1, 10, 34, 44, 127, 128, 255, rng.randint(0, 255)])]
    )


def _integer(data: bytearray, rng: Random, others: list[bytes]) -> None:
    place, size = _place(data, rng), rng.choice([2, 4, 8])
    number = rng.choice(NUMBERS) % 2 ** (8 * size)
    data[place : place + size] = number.to_bytes(size, rng.choice(["little", "big"]))


def _cut(data: bytearray, rng: Random, others: list[bytes]) -> None:
    del data[_place(data, rng) :]


def _remove(data: bytearray, rng: Random, others: list[bytes]) -> None:
    place = _place(data, rng)
    del data[place : place + rng.choice([1, 4, 8, 64, 1000])]


def _double(data: bytearray, rng: Random, others: list[bytes]) -> None:
    place, size = _place(data, rng), rng.choice([1, 8, 64, 512])
    data[place:place] = data[place : place + size] * rng.choice([1, 2, 20])


def _splice(data: bytearray, rng: Random, others: list[bytes]) -> None:
    other = rng.choice(others)
    place = rng.randint(0, len(other))
    data[_place(data, rng) :] = other[place:]


def _plant(data: bytearray, rng: Random, others: list[bytes]) -> None:
    place = _place(data, rng)
    word = rng.choice(
        [
            PICKLE,
            *(word.encode("utf-8", "surrogatepass") for word in WORDS),
            b",",
            b";" * 50,
            b'"',
            b"\n" * 20,
            b"\xff\xfe",
        ]
    )
    data[place : place + rng.choice([0, len(word)])] = word


ACCIDENTS = [
    _flip,
    _flip,
    _byte,
    _byte,
    _integer,
    _integer,
    _cut,
    _remove,
    _double,
    _splice,
    _plant,
]


def strange_value(rng: Random) -> Any:
    """What JSON can say and nobody expects."""
    if rng.random() < 0.03:
        return json.loads("[" * 900 + "]" * 900)
    return rng.choice(STRANGE)


def changed(tree: Any, rng: Random) -> Any:
    """A JSON value with one place of it replaced, removed, renamed, wrapped or exchanged with its
    neighbour.
    """
    if not isinstance(tree, dict | list) or not tree or rng.random() < 0.08:
        return strange_value(rng) if rng.random() < 0.9 else [tree, tree]
    keys = list(tree) if isinstance(tree, dict) else list(range(len(tree)))
    key = rng.choice(keys)
    made = tree.copy()
    act = rng.random()
    if act < 0.1:
        del made[key]
    elif act < 0.15 and isinstance(made, dict):
        made[rng.choice(WORDS)] = made.pop(key)
    elif act < 0.25:
        made[key] = tree[rng.choice(keys)]
    else:
        made[key] = changed(tree[key], rng)
    return made


def tensor_file(header: bytes, data: bytes) -> bytes:
    """The frame of safetensors."""
    return struct.pack("<Q", len(header)) + header + data


def tensors_with_another_header(raw: bytes, rng: Random) -> bytes:
    """A safetensors file whose header is well-formed JSON and says something else; so may the
    model's own header inside of it.
    """
    size = struct.unpack("<Q", raw[:8])[0]
    outer, data = json.loads(raw[8 : 8 + size]), raw[8 + size :]
    inside = outer.get("__metadata__", {}).get("spheresn")
    for _ in range(rng.randint(1, 3)):
        if inside is not None and rng.random() < 0.7:
            inside = json.dumps(changed(json.loads(inside), rng))
            outer = {**outer, "__metadata__": {"spheresn": inside}}
        elif isinstance(outer, dict):
            outer = changed(outer, rng)
            inside = inside if isinstance(outer, dict) else None
    text = json.dumps(outer).encode()
    return tensor_file(text + b" " * (-len(text) % 8), data)


SHAPES = [
    "()", "(3,)", "(0,)", "(-1,)", "(1000000000000,)", "(99999, 99999)", "(2, 2, 2)",
    "(3.5,)", "3", "('a',)", "(None,)", "(" * 90 + ")" * 90,
]  # fmt: skip
TYPES = [
    "<f8", ">f8", "<f4", "<i8", "|b1", "|O", "O", "<U5", "|S0", "|V8", "<M8[ns]", "<c16", "<f2",
    "x", "", "<U1000000000", "f8,f8", "<g",
]  # fmt: skip


def array_file(rng: Random) -> bytes:
    """An NPY file whose header is well-formed, or nearly, and promises what it likes."""
    order = rng.choice(["True", "False", "False", "False", "0", "None"])
    header = (
        f"{{'descr': {rng.choice(TYPES)!r}, 'fortran_order': {order}, 'shape': "
        f"{rng.choice(SHAPES)}, }}"
    )
    header = rng.choice(
        [header] * 8
        + [header[:-3], header + "#", header.replace("descr", "x"), "{" * 300, "Loud()", header * 2]
    )
    text = header.encode() + b" " * rng.choice([0, 1, 64]) + b"\n"
    version, size = rng.choice(
        [((1, 0), "<H")] * 6 + [((2, 0), "<I"), ((3, 0), "<I"), ((9, 9), "<H")]
    )
    length = rng.choice([len(text)] * 9 + [rng.choice(NUMBERS) % 2**16])
    body = rng.choice(
        [
            PICKLE,
            bytes(24),
            struct.pack("<3d", 1.5, -2.0, 1e300),
            struct.pack("<2d", float("nan"), 1.0),
            b"",
            rng.randbytes(999),
        ]
    )
    return b"\x93NUMPY" + bytes(version) + struct.pack(size, length) + text + body


def saved(values: Any) -> bytes:
    """The bytes of an honest NPY file."""
    import numpy as np

    file = io.BytesIO()
    np.save(file, values)
    return file.getvalue()
