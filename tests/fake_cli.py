"""The command line with the fake experiment beside the real ones, as a process of its own that
tests can disturb.

FAKE_CONFIG: another quick preset, as JSON. FAKE_LIMIT: the process dies inside the write that makes
a file longer than so many bytes.
"""

import json
import os
import resource
import signal
import sys

import fake_experiment
from spheresn.apps.cli import main
from spheresn_paper.figures import EXPERIMENTS


def disturbed(arguments: list[str]) -> int:
    """Run the command line as the environment says."""
    EXPERIMENTS["fake"] = fake_experiment
    if "FAKE_CONFIG" in os.environ:
        fake_experiment.PRESETS["quick"] = fake_experiment.Config(
            **json.loads(os.environ["FAKE_CONFIG"])
        )
    if "FAKE_LIMIT" in os.environ:
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(os.environ["FAKE_LIMIT"]),) * 2)
    return main(arguments)


if __name__ == "__main__":
    sys.exit(disturbed(sys.argv[1:]))
