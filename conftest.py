"""Modules whose examples need a package that is not installed are not collected."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("sktime") else ["src/spheresn/apps/sktime.py"]
