"""The same seed, the same numbers: in another process, with other hashes, with more threads, from a
seed or from its generator.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import digest
import plain
import spheresn as sn
from spheresn.readout import Gram, solve

HERE = Path(__file__).parent
REGRESSOR = {"units": 80, "bend": 0.5, "memory": 5, "random_state": 7}


def elsewhere(*names: str, **environment: str) -> dict[str, str]:
    """Fingerprints from a fresh interpreter."""
    path = os.pathsep.join([str(HERE.parent / "src"), str(HERE)])
    command = [sys.executable, str(HERE / "digest.py"), *names]
    found = subprocess.run(
        command,
        env={**os.environ, "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert found.returncode == 0, found.stderr
    return json.loads(found.stdout)


def test_another_process_with_other_hashes_finds_every_bit():
    here = {name: digest.fingerprint(name) for name in digest.PARTS}
    assert len(set(here.values())) == len(here)
    assert elsewhere(PYTHONHASHSEED="1", OPENBLAS_NUM_THREADS="2") == here


def test_a_second_time_finds_every_bit():
    once, again = (
        [digest.fingerprint(name) for name in ("regressor", "exponents", "memory")]
        for _ in range(2)
    )
    assert once == again


@pytest.mark.parametrize(
    "build",
    [
        sn.random_reservoir,
        lambda units, rng: sn.random_reservoir(units, topology="sparse", rng=rng),
    ],
)
def test_a_seed_is_its_generator(build):
    one, two = build(50, rng=9), build(50, rng=np.random.default_rng(9))
    assert np.array_equal(one.recurrent.toarray(), two.recurrent.toarray()) and np.array_equal(
        one.inputs, two.inputs
    )
    other = build(50, rng=10)
    assert not np.array_equal(one.recurrent.toarray(), other.recurrent.toarray())


def fitted(**options) -> sn.ESNRegressor:
    x = sn.datasets.white_noise(600, rng=2)
    return sn.ESNRegressor(**{**REGRESSOR, **options}).fit(x, np.roll(x, 2, axis=0))


def test_a_random_state_is_a_seed_or_a_legacy_generator_and_says_so():
    seeded = fitted()
    assert np.array_equal(
        seeded.weights_.matrix, fitted(random_state=np.random.RandomState(7)).weights_.matrix
    )
    assert not np.array_equal(seeded.weights_.matrix, fitted(random_state=8).weights_.matrix)
    with pytest.raises(ValueError, match="random_state must be"):
        fitted(random_state=np.random.default_rng(7))


def test_fitting_leaves_the_global_random_state_alone():
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    fitted()
    assert np.array_equal(np.random.get_state()[1], before)  # noqa: NPY002


def test_threads_do_not_change_a_small_fit():
    """Below a thousand units linear algebra has one thread whatever the limit, so the fit is the
    same to the last bit.
    """
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads, user_api="blas"):
            found.append(fitted())
    one, two = found
    assert np.array_equal(one.weights_.matrix, two.weights_.matrix) and one.penalty_ == two.penalty_


def test_threads_change_a_solution_by_rounding_only(rng):
    """Threads add the same products in another order: √T eps of S, which its condition number
    multiplies.
    """
    x = rng.standard_normal((4000, 150))
    y, found = x[:, :2] + rng.standard_normal((4000, 2)), []
    for threads in (1, 2):
        with threadpool_limits(threads, user_api="blas"):
            found.append(solve(Gram.of(x, y), 1e-3).matrix)
    limit = plain.EPS * np.sqrt(4000) * np.linalg.cond(x - x.mean(axis=0)) ** 2
    assert np.abs(found[0] - found[1]).max() <= limit * np.abs(found[0]).max()
