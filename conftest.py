"""Not collected: adapters without their package, and scripts. One BLAS thread for each process."""

import os
from importlib.util import find_spec

# Workers of pytest-xdist that have as many BLAS threads as there are processors wait for each other
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

collect_ignore = [
    "tests/typing_user.py",  # looking for doctests would run it, and it writes a file
    *(f"src/spheresn/adapters/{name}.py" for name in ("aeon", "sktime") if find_spec(name) is None),
]
