"""The same numbers with one worker or two, here or on a cluster, stopped and resumed, freshly
compiled or not, with one thread or two.
"""

from __future__ import annotations

import json
import signal

import numpy as np
import xarray as xr
from threadpoolctl import threadpool_limits

import digest
import plain
import spheresn as sn
from dask_cluster import cluster
from runs import finish, rows, start, until
from test_determinism import elsewhere

EXPERIMENT, UNITS = "lyapunov", 12
RUN = ("reproduce", EXPERIMENT, "--preset", "smoke", "--out")


def finished(out, *options):
    code, _, errors = finish(start(*RUN, out, *options))
    assert code == 0, errors
    return out


def same(one, other):
    """Every bit of every unit, the collected data, and the claims."""
    assert rows(one) == rows(other) and len(rows(one)) == UNITS
    assert all(status == "done" for status, _ in rows(one).values())
    data = [xr.load_dataset(out / f"{EXPERIMENT}.nc", engine="h5netcdf") for out in (one, other)]
    assert data[0].equals(data[1])
    assert json.loads((one / "claims.json").read_text()) == json.loads(
        (other / "claims.json").read_text()
    )


def test_an_experiment_is_the_same_wherever_it_runs(attack, tmp_path):
    """A real experiment with one worker, two, on Dask, and killed and resumed: every bit."""
    alone = finished(tmp_path / "alone", "--jobs", "1")
    with attack.attempt("two workers, killed and resumed"):
        process = start(*RUN, tmp_path / "two", "--jobs", "2")
        until(lambda: len(rows(tmp_path / "two")) >= 2, process)
        process.send_signal(signal.SIGKILL)
        finish(process)
        same(alone, finished(tmp_path / "two", "--jobs", "2"))
    with attack.attempt("Dask"), cluster(tmp_path) as (address, _):
        same(alone, finished(tmp_path / "dask", "--dask", address))


def test_fresh_interpreters_agree(attack, tmp_path):
    """Fresh interpreters: other hashes, two BLAS threads, kernels compiled anew and from the cache:
    every bit.
    """
    names = ("states", "regressor", "forecaster", "memory")
    here = {name: digest.fingerprint(name) for name in names}
    for seed in ("0", "12345"):
        with attack.attempt(f"PYTHONHASHSEED={seed}"):
            assert elsewhere(*names, PYTHONHASHSEED=seed, OPENBLAS_NUM_THREADS="2") == here
    for cache in ("cold", "warm"):
        with attack.attempt(f"{cache} cache of kernels"):
            assert elsewhere("states", NUMBA_CACHE_DIR=str(tmp_path / "cache")) == {
                "states": here["states"]
            }
            assert list((tmp_path / "cache").rglob("*.nbc"))


def test_threads_change_large_fits_by_rounding_only(attack):
    """Fits of more than a thousand units with one and two BLAS threads: equal to √T eps times the
    condition number.

    Threads add the same products in another order, √T eps of S; a penalty of p times the trace
    bounds the condition number by 1/p. The predictions move less than the weights: relative to
    their size by that bound.
    """
    x = sn.datasets.mackey_glass(2500)
    worst = 0.0
    for share in (1e-3, 1e-6):
        with attack.attempt(f"penalty {share:g}"):
            found = []
            for threads in (1, 2):
                with threadpool_limits(threads, user_api="blas"):
                    model = sn.ESNRegressor(
                        1000, bend=0.5, memory=5, penalty=share, random_state=0
                    ).fit(x[:-1], x[1:])
                    found.append(model.predict(x[:-1]))
            spread = model.frame_.states(x[:-1])
            condition = (np.square(spread - spread.mean(axis=0)).sum() + share) / share
            moved = np.abs(found[0] - found[1]).max() / np.abs(found[0]).max()
            assert moved <= plain.EPS * np.sqrt(len(x)) * condition
            worst = max(worst, float(moved))
    attack.note = f"predictions moved by {worst:.0e} at most"
