"""Choose settings for the other methods: each of a grid on the systems of the development half, by
one draw and one network, and for each noise and both kinds of columns the one whose valid times
are longest in the mean. 5 % of noise gets the setting of 10 %; clean rows are not smoothed, and
their filter is that of 1 %.
"""

from __future__ import annotations

import argparse
from functools import partial
from itertools import product
from pathlib import Path
from statistics import mean

from league.run import run
from league.systems import TRAIN, half

from .collected import COLUMNS, collect
from .rows import Unit
from .run import perform
from .systems import DATA

OUT, NOISE = Path("build/noise/chosen"), (0.0, 0.01, 0.1)
WINDOWS = [(1, 0), (5, 2), (9, 3), (17, 3), (35, 4)]  # rows, order
# Degree, rows, and how many rows lie between them
NGRC = {
    "all": [(2, 2, 1), (3, 2, 1), (2, 2, 4), (3, 2, 4), (2, 4, 4)],
    "first": [(2, 4, 3), (3, 4, 3), (2, 6, 3), (3, 6, 3), (3, 3, 5)],
}
ENSEMBLE = [*product((1.0, 1.02), (0.0, 0.1, 0.3)), (1.0, 1.0)]  # inflation, drift
GRIDS = {
    "NG-RC": NGRC,
    "reservoirpy bias, smoothed": dict.fromkeys(COLUMNS, WINDOWS),
    "ensemble Kalman filter": dict.fromkeys(COLUMNS, ENSEMBLE),
}


def name(method: str, setting: tuple[float, ...]) -> str:
    return f"{method} [{' '.join(f'{one:g}' for one in setting)}]"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--methods", nargs="+", choices=list(GRIDS), default=list(GRIDS))
    parser.add_argument("--noise", type=float, nargs="+", default=NOISE)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--out", type=Path, default=OUT)
    asked = parser.parse_args()
    systems = [one.stem for one in sorted(asked.data.glob("*.npz"))]
    systems = [one for one in systems if half(one) == "development"]
    cells = [
        one for one in product(asked.methods, COLUMNS, asked.noise) if one[2] or one[0] == "NG-RC"
    ]
    units = [
        Unit(system, columns, TRAIN, noise, False, 0, 0, name(method, setting))
        for method, columns, noise in cells
        for setting in GRIDS[method][columns]
        for system in systems
    ]
    run(units, asked.data, asked.out, asked.jobs, partial(perform, intervals=False))
    found = collect(asked.data, asked.out)["results"]
    for method, columns, noise in cells:
        results = found[Unit("", columns, TRAIN, noise, False, 0, 0, "").setting]
        scores = {}
        for setting in GRIDS[method][columns]:
            own = results[name(method, setting)]
            if all(own[one][0]["error"] is None for one in systems):
                scores[setting] = mean(own[one][0]["mean"] for one in systems)
        best = max(scores, key=lambda one: scores[one])
        told = ", ".join(f"{one}: {score:.2f}" for one, score in scores.items())
        print(f'{method}, ("{columns}", {noise:g}): {best},  # of {told}')


if __name__ == "__main__":
    main()
