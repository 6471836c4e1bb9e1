"""Other people's local networks for fields: xesn's, tuned, and the recipe of Pathak et al.

Both are tanh networks on patches with a readout from Gram matrices. xesn schedules a task for each
patch and step, which is too slow for a search. So its weights are run here by a plain loop, and one
forecast of its own is compared with it. `python benchmarks/fields_peers.py [xesn | recipe]`
searches settings on 2,000 times of the training series, judged by free runs in what follows.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve
from scipy.sparse import csr_matrix, random_array
from scipy.sparse.linalg import eigs

from spheresn.estimators.fields.geometry import Patches

Fields = NDArray[np.float64]
TRIES, RIDGES = 12, (1e-10, 1e-8, 1e-6, 1e-4)  # 48 settings; ours tries 44
SCALES = (0.2, 0.3, 0.5, 1.0)  # of the input, for the recipe
SEARCH_STEPS, SEARCH_WINDOWS, SEARCH_FOLLOWED = 2000, 4, 5.0
BLOCK = 1000


@dataclass(frozen=True, eq=False)
class Local:
    """r' = (1 - leak) r + leak tanh(W r + W_in u + b) at every patch; states are columns (N, P).

    squared: whether the readout sees every other state squared. shared: one readout for all
    patches, or one for each.
    """

    patches: Patches
    recurrent: Any
    inputs: Fields
    bias: Fields
    leak: float = 1.0
    squared: bool = False
    shared: bool = False

    def step(self, states: Fields, fields: Fields) -> Fields:
        """The states (N, R P) one step after R fields (R, size)."""
        windows = self.patches.places.inputs(fields).reshape(-1, self.inputs.shape[1]).T
        after = np.tanh(self.recurrent @ states + self.inputs @ windows + self.bias[:, None])
        return after if self.leak == 1.0 else (1.0 - self.leak) * states + self.leak * after

    def starts(self, runs: int = 1) -> Fields:
        """States of zero."""
        return np.zeros((len(self.bias), runs * self.patches.count))

    def read(self, states: Fields) -> Fields:
        """What the readout sees of states (N, ...)."""
        if self.squared:
            states = states.copy()
            states[::2] **= 2
        return states

    def learn(self, fields: Fields, skip: int, ridges: Sequence[float]) -> list[Fields]:
        """Readouts (R, N, m) for each ridge, from fields (T, size) without the first states."""
        units, (count, outputs) = len(self.bias), self.patches.inner.shape
        readouts = 1 if self.shared else count
        gram = np.zeros((readouts, units, units))
        cross = np.zeros((readouts, units, outputs))
        states = self.starts()
        for first in range(0, len(fields) - 1, BLOCK):
            stop = min(first + BLOCK, len(fields) - 1)
            kept = np.empty((count, stop - first, units))
            for t in range(first, stop):
                states = self.step(states, fields[t : t + 1])
                kept[:, t - first] = self.read(states).T
            late = max(skip - first, 0)
            for p in range(count):
                rows = kept[p, late:]
                after = fields[first + late + 1 : stop + 1, self.patches.inner[p]]
                gram[p % readouts] += rows.T @ rows
                cross[p % readouts] += rows.T @ after
        return [
            np.stack(
                [
                    solve(gram[p] + ridge * np.eye(units), cross[p], assume_a="sym")
                    for p in range(readouts)
                ]
            )
            for ridge in ridges
        ]

    def runs(
        self, weights: Fields, fields: Fields, starts: Any, steps: int, spin_up: int
    ) -> Fields:
        """Free runs (R, steps, size) that begin at these times of a field."""
        states, count = self.starts(len(starts)), self.patches.count
        for k in range(spin_up):
            states = self.step(states, fields[starts - spin_up + k])
        now, found = fields[starts], np.empty((len(starts), steps, fields.shape[1]))
        for k in range(steps):
            states = self.step(states, now)
            seen = self.read(states).reshape(len(self.bias), len(starts), count)
            now = now.copy()
            if self.shared:
                now[:, self.patches.inner] = np.tensordot(seen, weights[0], (0, 0))
            else:
                now[:, self.patches.inner] = np.einsum("nrp,pnm->rpm", seen, weights, optimize=True)
            now = np.clip(now, -1e3, 1e3)
            found[:, k] = now
        return found


def pathak(patches: Patches, units: int, seed: int, radius: float, inputs: float) -> Local:
    """The network of [PAT18]: three links per unit, each unit takes one cell, half are squared."""
    rng = np.random.default_rng(seed)
    uniform = rng.uniform
    matrix = csr_matrix(random_array((units, units), density=3 / units, rng=rng))
    matrix *= radius / np.abs(eigs(matrix, 1, return_eigenvectors=False, v0=np.ones(units))[0])
    width = patches.windows.shape[1]
    weights = np.zeros((units, width))
    weights[np.arange(units), np.arange(units) * width // units] = uniform(-inputs, inputs, units)
    return Local(patches, matrix, weights, np.zeros(units), squared=True, shared=True)


def xesn_network(patches: Patches, units: int, seed: int, dials: dict[str, float]) -> Any:
    """An xesn of a field on a line, built and not trained."""
    from xesn import LazyESN

    uniform = {"distribution": "uniform"}
    esn = LazyESN(
        esn_chunks={"x": patches.patch[0]},
        overlap={"x": patches.halo[0], "time": 0},
        boundary="periodic",
        n_reservoir=units,
        leak_rate=dials["leak"],
        tikhonov_parameter=dials["ridge"],
        persist=True,
        input_kwargs={
            **uniform,
            "factor": dials["inputs"],
            "normalization": "svd",
            "is_sparse": False,
            "random_seed": seed,
        },
        adjacency_kwargs={
            **uniform,
            "factor": dials["radius"],
            "normalization": "eig",
            "is_sparse": True,
            "connectedness": 5,
            "random_seed": seed + 100,
        },
        bias_kwargs={**uniform, "factor": dials["bias"], "random_seed": seed + 200},
    )
    esn.build()
    return esn


def as_local(esn: Any, patches: Patches) -> Local:
    """The network of an xesn in our loop."""
    return Local(patches, esn.W, esn.Win, esn.bias_vector, esn.leak_rate)


def readouts_of(esn: Any, patches: Patches) -> Fields:
    """The readouts (P, N, m) of an xesn, which keeps them side by side."""
    return np.asarray(esn.Wout).reshape(-1, patches.count, esn.n_reservoir).transpose(1, 2, 0)


def random_dials(rng: np.random.Generator) -> dict[str, float]:
    """Settings of xesn, drawn around those of its documentation and beyond."""
    return {
        "radius": round(float(rng.uniform(0.05, 1.0)), 3),
        "inputs": round(float(10.0 ** rng.uniform(-0.3, 0.8)), 3),
        "bias": round(float(10.0 ** rng.uniform(-0.5, 0.5)), 3),
        "leak": float(rng.choice([0.5, 0.75, 1.0, 1.0])),
    }


def search(
    rows: Fields, networks: Iterable[tuple[dict[str, float], Local]], unit: float, spin_up: int
) -> list[dict[str, float]]:
    """Settings with the valid time of their free runs in held-out windows, best first.

    rows (T, size): the training series, standardised; unit: Lyapunov times per step. Each network
    is tried with all of RIDGES, which share one Gram matrix.
    """
    from fields import valid_times

    horizon = int(SEARCH_FOLLOWED / unit)
    held = rows[SEARCH_STEPS : 2 * SEARCH_STEPS]
    starts = np.linspace(spin_up, len(held) - horizon - 1, SEARCH_WINDOWS).astype(np.int64)
    truth = np.stack([held[t + 1 : t + 1 + horizon] for t in starts])
    found = []
    for dials, network in networks:
        weights = network.learn(rows[:SEARCH_STEPS], spin_up, RIDGES)
        for ridge, one in zip(RIDGES, weights, strict=True):
            runs = network.runs(one, held, starts, horizon, spin_up)
            valid = float(np.mean(valid_times(truth, runs, 1.0, unit)))
            found.append({**dials, "ridge": ridge, "valid": round(valid, 2)})
            print(found[-1], flush=True)
    return sorted(found, key=lambda one: -one["valid"])


def xesn_tries(patches: Patches, units: int) -> Iterator[tuple[dict[str, float], Local]]:
    """Networks of xesn with random settings."""
    rng = np.random.default_rng(0)
    for number in range(TRIES):
        dials = random_dials(rng)
        esn = xesn_network(patches, units, 1000 + number, {**dials, "ridge": 0.0})
        yield dials, as_local(esn, patches)


def recipe_tries(patches: Patches, units: int) -> Iterator[tuple[dict[str, float], Local]]:
    """Networks of the recipe with its spectral radius and several scales of the input."""
    for inputs in SCALES:
        dials = {"radius": 0.6, "inputs": inputs}
        yield dials, pathak(patches, units, 1000, **dials)


def main() -> None:
    """Search settings of xesn for KS, L = 60, or of the recipe for KS, L = 200."""
    import fields

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("method", choices=("xesn", "recipe"), nargs="?", default="xesn")
    if parser.parse_args().method == "xesn":
        name, tries = "KS, L = 60", xesn_tries
    else:
        name, tries = "KS, L = 200", recipe_tries
    problem = fields.PROBLEMS[name]
    unit = fields.saved()["exponents"][name][0] * problem.dt
    rows, patches, _ = fields.standardised(problem)
    for one in search(rows, tries(patches, problem.units), unit, fields.SPIN_UP)[:5]:
        print("best:", one)


if __name__ == "__main__":
    main()
