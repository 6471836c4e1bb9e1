"""A unit of work, and the rows that it sees."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from league.systems import THRESHOLD, TRAIN, Floats

LOST, STRETCH = 0.08, 60  # share of the cells; rows in a row, of the training rows


@dataclass(frozen=True)
class Unit:
    """What a result is a function of."""

    system: str
    columns: str
    rows: int
    noise: float
    gaps: bool
    draw: int
    seed: int
    method: str

    @property
    def setting(self) -> str:
        gaps = ", gaps" if self.gaps else ""
        return f"{self.columns}, {self.rows} rows, noise {self.noise:g}{gaps}"

    def file(self, out: Path) -> Path:
        method = "".join(sign if sign.isalnum() else "-" for sign in self.method).strip("-")
        setting = f"{self.columns}-{self.rows}-{self.noise:g}{'-gaps' if self.gaps else ''}"
        return out / setting / method / f"{self.system}-{self.draw}-{self.seed}.json"


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of a unit from the begin of its training part on, standardised as they are seen.

    clean, seen (T, m); deviation (m,): of the clean training rows; sigma (m,): of the noise;
    mean, unit (m,): clean = (state - mean) / unit; missing: which cells are not seen.
    """

    clean: Floats
    seen: Floats
    deviation: Floats
    sigma: Floats
    mean: Floats
    unit: Floats
    train: int

    @staticmethod
    def of(unit: Unit, series: Floats) -> Rows:
        """The draw is the same for every level of noise, and for one column as for all."""
        name = int.from_bytes(hashlib.sha256(unit.system.encode()).digest()[:4], "big")
        drawn = np.random.default_rng([unit.draw, 1, name]).standard_normal(series.shape)
        columns = slice(None) if unit.columns == "all" else slice(0, 1)
        begin = TRAIN - unit.rows
        clean, drawn = series[begin:, columns], drawn[begin:, columns]
        sigma = unit.noise * clean[: unit.rows].std(axis=0)
        seen = clean + sigma * drawn
        if unit.gaps:
            lost = gaps(series.shape, np.random.default_rng([unit.draw, 2, name]))
            seen = np.where(lost[begin:, columns], np.nan, seen)
        known = seen[: unit.rows]
        mean, deviation = np.nanmean(known, axis=0), np.nanstd(known, axis=0)
        clean, seen = (clean - mean) / deviation, (seen - mean) / deviation
        own = clean[: unit.rows].std(axis=0)
        return Rows(clean, seen, own, sigma / deviation, mean, deviation, unit.rows)

    def valid(self, origin: int, forecast: Floats) -> int:
        """Rows until a forecast (steps, m) has parted from the truth at an origin."""
        truth = self.clean[origin : origin + len(forecast)]
        errors = np.sqrt((((forecast - truth) / self.deviation) ** 2).mean(axis=1))
        parted = ~(errors <= THRESHOLD)  # true for NaN
        return int(parted.argmax()) if parted.any() else len(forecast)


def gaps(shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
    """Which cells are missing: single ones anywhere, and one stretch of all columns in the last
    thousand of the training rows, not at their ends.
    """
    lost = rng.random(shape) < LOST
    begin = TRAIN - rng.integers(200, 900)
    lost[begin : begin + STRETCH] = True
    return lost
