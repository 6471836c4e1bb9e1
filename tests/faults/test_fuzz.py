"""A hundred thousand hostile files, each read in a process that it may bring down: none does, and
none is taken for more than it is.
"""

from __future__ import annotations

import fuzz
from doors import DOORS

MODELS = {"model": 38_000, "forecaster": 1_500}
RESULTS = {"result": 27_000, "signed": 5_000, "runs": 5_000, "report": 100, "claims": 10_000}
TABLES = {
    "npy": 12_000,
    "csv": 1_000,
    "parquet": 1_500,
    "excel": 3_000,
    "ods": 1_500,
    "long": 1_000,
    "upload": 150,
    "laser": 5_000,
}
EVERY = {**MODELS, **RESULTS, **TABLES}
assert set(EVERY) == set(DOORS) and sum(EVERY.values()) > 100_000


def read_all(attack, plan: dict[str, int]) -> None:
    """Every file is a try; what broke is written down with the number by which the file can be made
    again.
    """
    broke = {(name, number): fault for name, number, fault in fuzz.attack(plan)}
    attack.note = ", ".join(f"{name} {count:,}" for name, count in plan.items())
    for key in ((name, number) for name, count in plan.items() for number in range(count)):
        with attack.attempt(key):
            assert key not in broke, broke[key]


def test_models(attack):
    """Hostile model files."""
    read_all(attack, MODELS)


def test_results_and_claims(attack):
    """Hostile results of units, runs, reports of them, and claims."""
    read_all(attack, RESULTS)


def test_tables(attack):
    """Hostile tables: NPY, CSV, Parquet, uploads, laser recordings."""
    read_all(attack, TABLES)
