"""The command line with the fake experiment beside the real ones, as a process of its own that tests can kill."""

import sys

import fake_experiment
from spheresn.cli import main
from spheresn.experiments import EXPERIMENTS

if __name__ == "__main__":
    EXPERIMENTS["fake"] = fake_experiment
    sys.exit(main())
