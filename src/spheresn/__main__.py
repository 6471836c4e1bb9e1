"""`python -m spheresn`."""

import sys

from .apps.cli import main

if __name__ == "__main__":  # workers import this module by name
    sys.exit(main())
