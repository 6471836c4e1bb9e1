"""The properties of the short tests, on many more networks, signals, settings and data."""

from __future__ import annotations

import pytest

import test_properties as driving
import test_properties_estimators as estimators
import test_properties_measures as measures
from hostile import hold

EXAMPLES = {driving: 350, measures: 180, estimators: 150}
FEWER = {"pictures": 20, "units of the data do not matter": 60, "teaching by force": 60}


@pytest.fixture(params=EXAMPLES, ids=lambda module: module.__name__)
def laws(request):
    return request.param


def test_random_networks_and_data(laws, attack):
    """Random networks, signals and settings"""
    kind = laws.__name__.removeprefix("test_properties_").replace("test_properties", "driving")
    attack.name = f"Random networks, signals and settings: {kind}"
    attack.note = f"{len(laws.LAWS)} properties"
    for name, (law, cases) in laws.LAWS.items():
        with attack.attempt(name):
            # Attempt counts one itself
            attack.tries += hold(law, cases, FEWER.get(name, EXAMPLES[laws])) - 1
