"""Programs that the library starts, which are all Python itself."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

# Without it, `python -m` and `python -c`, with which all pools start their workers, search the
# current folder first: a file `pickle.py` there would be executed.
SAFE = {"PYTHONSAFEPATH": "1"}


@contextmanager
def environment(values: Mapping[str, str] = SAFE) -> Iterator[None]:
    """Within the block, processes that are started have these variables.

    >>> with environment():
    ...     os.environ["PYTHONSAFEPATH"]
    '1'
    """
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
