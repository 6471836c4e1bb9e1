"""Adapters whose package is not installed are not collected; one BLAS thread for each process."""

import os
from importlib.util import find_spec

# Workers of pytest-xdist that have as many BLAS threads as there are processors wait for each other
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

collect_ignore = [
    f"src/spheresn/adapters/{name}.py" for name in ("aeon", "sktime") if find_spec(name) is None
]
