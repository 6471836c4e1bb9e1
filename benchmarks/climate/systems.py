"""The flows of the comparison on long free runs, and their series.

Thirteen flows on which no setting of 0.2.0 was chosen, four of them written here, and six more of
each half (`league.systems.half`): the first by the rule of the comparison on noisy rows
(`noise.systems.candidates`) whose columns are no angles. Left out are eight flows on which settings
were chosen.

30 rows per dominant period, though not exactly where motion is periodic or driven, because the same
30 rows again and again have no histogram. 5,000 rows to learn from, 8,000 in which forecasts begin,
and 16,000 as the climate that free runs are compared with. How far the 8,000 rows are from the
16,000 is what the truth itself differs by.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from league import systems as league
from league.systems import PER_PERIOD, TOLERANCE, TRAIN, Floats, half, orbit, settled
from noise.systems import candidates

from spheresn.io import whole_file

DATA = Path("build/climate/data")
LEAGUE = Path(__file__).parents[1] / "league.json"
FORECAST, REFERENCE = 8000, 16_000  # rows after the training rows
GIVEN = (
    "Aizawa",
    "BonhoefferVanDerPol",
    "Chen",
    "CoupledRossler",
    "Dadras",
    "MooreSpiegel",
    "NoseHoover",
    "RabinovichFabrikant",
    "Rucklidge",
    "SprottD",
    "SprottS",
    "TwoTorus",
    "VanDerPol",
)
CHOSEN_ON = (
    *("Duffing", "Halvorsen", "HindmarshRose", "Lorenz"),
    *("Lorenz84", "Rossler", "SprottB", "Thomas"),
)
EACH = 6  # of the other systems, of each half
OFF = 1.0 + 0.01 * np.pi  # of a period, in 30 rows


def names(known: dict[str, Any]) -> list[str]:
    """The thirteen, and those of the rule."""
    found = [
        name
        for name in candidates(known)
        if name not in (*GIVEN, *CHOSEN_ON) and not _has_angles(name)
    ]
    halves = ([name for name in found if half(name) == one] for one in ("development", "report"))
    return [*GIVEN, *(name for own in halves for name in own[:EACH])]


def _has_angles(name: str) -> bool:
    from league.flows import load

    return bool(load(name).wraps.any())


def _flow(name: str, slope: Any, start: list[float], period: float, **other: Any) -> Any:
    """A flow that is not in dysts: slope(x, out) writes dx/dt."""
    from league.flows import Flow
    from league.integrate import SIGNATURE
    from numba import cfunc, njit

    inner, size = njit(slope), len(start)

    def pair(x, out):
        inner(x[:size], out[:size])
        inner(x[size:], out[size:])

    one, two = cfunc(SIGNATURE)(slope), cfunc(SIGNATURE)(pair)
    wraps = other.get("wraps", np.zeros(size))
    observed = other.get("observed", lambda states: states)
    return Flow(name, one, two, np.array(start), period, np.nan, wraps, observed)


def coupled_rossler() -> Any:
    """Two Rössler systems of different frequency, weakly coupled by their first columns: in phase,
    with amplitudes of their own.
    """

    def slope(x, out):
        for k, frequency in enumerate((0.98, 1.02)):
            a, b, c, other = x[3 * k], x[3 * k + 1], x[3 * k + 2], x[3 - 3 * k]
            out[3 * k] = -frequency * b - c + 0.05 * (other - a)
            out[3 * k + 1] = frequency * a + 0.15 * b
            out[3 * k + 2] = 0.2 + c * (a - 10.0)

    return _flow("CoupledRossler", slope, [1.0, 2.0, 0.1, -3.0, 1.0, 0.1], 2.0 * np.pi)


def bonhoeffer_van_der_pol() -> Any:
    """The oscillator of Bonhoeffer and van der Pol, driven by a cosine, in a chaotic regime
    (Rajasekar and Lakshmanan 1988). The phase of the drive is seen as its cosine and sine.
    """

    def slope(x, out):
        out[0] = x[0] - x[0] ** 3 / 3.0 - x[1] + 0.74 * np.cos(x[2])
        out[1] = 0.1 * (x[0] + 0.7 - 0.8 * x[1])
        out[2] = 1.0

    return _flow(
        "BonhoefferVanDerPol",
        slope,
        [0.1, 0.2, 0.0],
        OFF * 2.0 * np.pi,
        wraps=np.array([0.0, 0.0, 2.0 * np.pi]),
        observed=lambda x: np.column_stack([x[:, :2], np.cos(x[:, 2]), np.sin(x[:, 2])]),
    )


def van_der_pol() -> Any:
    """x'' = 2 (1 - x²) x' - x: a cycle."""

    def slope(x, out):
        out[0] = x[1]
        out[1] = 2.0 * (1.0 - x[0] ** 2) * x[1] - x[0]

    return _flow("VanDerPol", slope, [1.0, 0.0], OFF * 7.62987)


OWN: dict[str, Callable[[], Any]] = {
    "BonhoefferVanDerPol": bonhoeffer_van_der_pol,
    "CoupledRossler": coupled_rossler,
    "VanDerPol": van_der_pol,
}


def two_torus(rows: int) -> Floats:
    """A torus in space that is wound around with two frequencies in the golden ratio."""
    angle = OFF * 2.0 * np.pi / PER_PERIOD * np.arange(rows)
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
    flow = OWN[name]() if name in OWN else load(name)
    begin, scale = settled(flow)
    states = orbit(flow, runge_kutta_row, begin, rows, TOLERANCE * scale, "series")
    if name in known:
        one = known[name]
        exponent, error = (one[key] * one["period"] for key in ("lyapunov", "lyapunov_error"))
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
    known = json.loads(LEAGUE.read_text(encoding="utf-8"))
    for name in names(known):
        make(name, known["systems"], asked.data)


if __name__ == "__main__":
    main()
