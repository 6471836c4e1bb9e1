"""The flows of the comparison on long free runs, and their series.

Thirteen flows on which no setting of 0.2.0 was chosen, two of them written here, and six more of
each half (`league.systems.half`) by a rule: those of league.json that are chaotic, with three to
six columns, in the order of the SHA-256 of "climate " and their name. Left out are eight flows on
which settings were chosen.

30 rows per dominant period: 5,000 to learn from, 8,000 in which forecasts begin, and 16,000 as the
climate that free runs are compared with. How far the 8,000 rows are from the 16,000 is what the
truth itself differs by.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
from league import systems as league
from league.systems import PER_PERIOD, TOLERANCE, TRAIN, Floats, half, orbit, settled

from spheresn.io import whole_file

DATA = Path("build/climate/data")
LEAGUE = Path(__file__).parents[1] / "league.json"
FORECAST, REFERENCE = 8000, 16_000  # rows after the training rows
OWN = ("CoupledRossler", "TwoTorus")
GIVEN = (
    "Aizawa",
    "Chen",
    "Dadras",
    "ForcedFitzHughNagumo",  # the driven oscillator of Bonhoeffer and van der Pol
    "ForcedVanDerPol",
    "MooreSpiegel",
    "NoseHoover",
    "RabinovichFabrikant",
    "Rucklidge",
    "SprottD",
    "SprottS",
    *OWN,
)
CHOSEN_ON = (
    *("Duffing", "Halvorsen", "HindmarshRose", "Lorenz"),
    *("Lorenz84", "Rossler", "SprottB", "Thomas"),
)
COLUMNS, EACH = (3, 6), 6  # of the other systems; how many of each half


def names(known: dict[str, Any]) -> list[str]:
    """The thirteen, and those of the rule, from the systems of league.json."""
    order = sorted(known, key=lambda name: hashlib.sha256(f"climate {name}".encode()).hexdigest())
    found = [
        name
        for name in order
        if known[name]["chaotic"]
        and COLUMNS[0] <= known[name]["columns"] <= COLUMNS[1]
        and name not in (*GIVEN, *CHOSEN_ON)
    ]
    halves = ([name for name in found if half(name) == one] for one in ("development", "report"))
    return [*GIVEN, *(name for own in halves for name in own[:EACH])]


def coupled_rossler() -> Any:
    """Two Rössler systems of different frequency, weakly coupled by their first columns: in phase,
    with amplitudes of their own.
    """
    from league.flows import Flow
    from league.integrate import SIGNATURE
    from numba import cfunc, njit

    @njit
    def slope(x, out):
        for k, (frequency, other) in enumerate(((0.98, 3), (1.02, 0))):
            a, b, c = x[3 * k], x[3 * k + 1], x[3 * k + 2]
            out[3 * k] = -frequency * b - c + 0.05 * (x[other] - a)
            out[3 * k + 1] = frequency * a + 0.15 * b
            out[3 * k + 2] = 0.2 + c * (a - 10.0)

    def pair(x, out):
        slope(x[:6], out[:6])
        slope(x[6:], out[6:])

    start = np.array([1.0, 2.0, 0.1, -3.0, 1.0, 0.1])
    return Flow(
        "CoupledRossler",
        cfunc(SIGNATURE)(slope.py_func),
        cfunc(SIGNATURE)(pair),
        start,
        2.0 * np.pi,
        np.nan,
        np.zeros(6),
        lambda states: states,
    )


def two_torus(rows: int) -> Floats:
    """A torus in space that is wound around with two frequencies in the golden ratio."""
    angle = 2.0 * np.pi / PER_PERIOD * np.arange(rows)
    around, along = (1.0 + np.sqrt(5.0)) / 2.0 * angle, angle
    ring = 2.0 + np.cos(around)
    return np.column_stack([ring * np.cos(along), ring * np.sin(along), np.sin(around)])


def reference(name: str, known: dict[str, Any]) -> dict[str, Any]:
    """The series of a system (T, d), its exponent per period, and the error of that."""
    from league.flows import load
    from league.integrate import runge_kutta_row

    rows = TRAIN + FORECAST + REFERENCE
    if name == "TwoTorus":
        return {"series": two_torus(rows), "exponent": 0.0, "error": 0.0, "half": half(name)}
    flow = coupled_rossler() if name in OWN else load(name)
    begin, scale = settled(flow)
    states = orbit(flow, runge_kutta_row, begin, rows, TOLERANCE * scale, "series")
    if name in known:
        one = known[name]
        exponent, error = (one[key] * one["period"] for key in ("lyapunov", "lyapunov_error"))
        if not one["chaotic"]:
            exponent = error = 0.0
    else:
        found = league.largest_exponent(flow, begin, flow.period / PER_PERIOD, scale)
        exponent, error = (value * flow.period for value in found)
    series = flow.observed(states)
    return {"series": series, "exponent": exponent, "error": error, "half": half(name)}


def make(name: str, known: dict[str, Any], folder: Path) -> None:
    """Write the file of a system, if it is not there."""
    path, begin = folder / f"{name}.npz", time.perf_counter()
    if path.exists():
        return
    found = reference(name, known)
    with whole_file(path) as draft, draft.open("wb") as file:
        np.savez_compressed(file, **found)
    print(
        f"{name}, {found['half']}: {found['series'].shape}, exponent per period "
        f"{found['exponent']:.3f}, {time.perf_counter() - begin:.1f} s",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA)
    asked = parser.parse_args()
    asked.data.mkdir(parents=True, exist_ok=True)
    known = json.loads(LEAGUE.read_text(encoding="utf-8"))["systems"]
    for name in names(known):
        make(name, known, asked.data)


if __name__ == "__main__":
    main()
