"""`python -m spheresn`."""

import os
import sys
from contextlib import suppress

if __name__ == "__main__":  # workers import this module by name
    # The current folder, which `-m` searches first: only if it is where this library lies
    home = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    with suppress(FileNotFoundError):  # there is none
        if sys.path[0] == os.getcwd() != home:
            del sys.path[0]
    from .apps.cli import main

    sys.exit(main())
