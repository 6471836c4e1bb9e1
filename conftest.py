"""Adapters whose package is not installed are not collected."""

from importlib.util import find_spec

collect_ignore = [
    f"src/spheresn/adapters/{name}.py" for name in ("aeon", "sktime") if find_spec(name) is None
]
