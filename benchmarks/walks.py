"""How many files a reader crosses who follows a call: the distinct modules whose functions run.

    python benchmarks/walks.py [--list WALK]

A walk is one thing that people do. Imports are done before, so that only calls count.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import spheresn as sn

ROOTS = [
    str(Path(sn.__file__).parents[1] / name)
    for name in ("spheresn", "spheresn_paper", "spheresn_explorer")
]


def crossed(call: Callable[[], Any]) -> set[str]:
    """The files of ours whose functions run, module bodies left out."""
    found: set[str] = set()

    def note(frame: Any, event: str, argument: Any) -> None:
        if event == "call" and frame.f_code.co_name != "<module>":
            found.add(frame.f_code.co_filename)

    sys.setprofile(note)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            call()
    finally:
        sys.setprofile(None)
    return {name for name in found if any(name.startswith(root + "/") for root in ROOTS)}


def walks(place: Path) -> dict[str, Callable[[], Any]]:
    from spheresn.apps.cli import main
    from spheresn.forecasting import SeriesForecaster

    wave = sn.datasets.mso(400)
    months = np.sin(np.arange(90.0) / 2) + 3
    table = place / "sales.csv"
    dates = np.arange("2015-01", "2022-07", dtype="datetime64[M]")
    table.write_text(
        "month,sales\n" + "".join(f"{d}-01,{v:.3f}\n" for d, v in zip(dates, months, strict=True))
    )
    cases = [np.sin(w * np.arange(60.0) + p)[:, None] for p in range(8) for w in (0.3, 0.5)]
    field = sn.datasets.lorenz96(300, 8, rng=0)
    network = sn.random_reservoir(20, rng=0)
    return {
        "fit and forecast": lambda: (
            sn.ESNForecaster(30, random_state=0, verbose=False).fit(wave).forecast(20)
        ),
        "SeriesForecaster": lambda: SeriesForecaster(verbose=False).fit(months).forecast(6),
        "forecast FILE": lambda: main(
            ["forecast", str(table), "--steps", "6", "--out", str(place / "out")]
        ),
        "classifier": lambda: (
            sn.ESNClassifier(40, random_state=0).fit(cases, [0, 1] * 8).predict(cases)
        ),
        "field": lambda: (
            sn.ESNFieldForecaster(30, patch=2, halo=2, random_state=0, verbose=False)
            .fit(field)
            .forecast(9)
        ),
        "one figure": lambda: main(
            [
                "reproduce",
                "geometry",
                "--preset",
                "smoke",
                "--jobs",
                "1",
                "--out",
                str(place / "run"),
            ]
        ),
        "max_lyapunov": lambda: sn.analysis.max_lyapunov(network, 700),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--list", metavar="WALK", help="print the files of this walk")
    asked = parser.parse_args().list
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        for name, call in walks(Path(folder)).items():
            if asked not in (None, name):
                continue
            crossed(call)  # imports and compiles
            found = crossed(call)
            print(f"{name:18} {len(found)}")
            if asked:
                print("\n".join(sorted(found)))


if __name__ == "__main__":
    main()
