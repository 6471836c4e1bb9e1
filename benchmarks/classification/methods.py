"""The methods of the chapter, each with its untouched default. All take equal series (cases,
channels, time), except ours and DTW, which take series as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

from .problems import Cases, Floats, Problem

Method = Callable[[Problem, int], tuple[Callable[[], Any], Callable[[Any], Floats]]]


def padded(cases: Cases, length: int) -> Floats:
    """Cases as (cases, channels, time), with zeros after the end of those that are shorter."""
    found = np.zeros((len(cases), cases[0].shape[1], length))
    for one, rows in zip(found, cases, strict=True):
        one[:, : len(rows)] = rows.T
    return found


def both(problem: Problem) -> tuple[Floats, Floats]:
    length = max(len(rows) for rows in problem.train + problem.test)
    return padded(problem.train, length), padded(problem.test, length)


def ours(problem: Problem, seed: int) -> Any:
    import spheresn as sn

    model = sn.ESNClassifier(random_state=seed)
    return (
        lambda: model.fit(problem.train, problem.train_labels),
        lambda fitted: fitted.predict(problem.test),
    )


def minirocket(problem: Problem, seed: int) -> Any:
    from aeon.classification.convolution_based import MiniRocketClassifier

    return _equal(MiniRocketClassifier(random_state=seed, n_jobs=1), problem)


def multirocket(problem: Problem, seed: int) -> Any:
    from aeon.classification.convolution_based import MultiRocketClassifier

    return _equal(MultiRocketClassifier(random_state=seed, n_jobs=1), problem)


def dtw(problem: Problem, seed: int) -> Any:
    """The nearest neighbour by dynamic time warping, with the window of a tenth that is usual."""
    from aeon.classification.distance_based import KNeighborsTimeSeriesClassifier

    train, test = (
        [np.ascontiguousarray(rows.T) for rows in part] for part in (problem.train, problem.test)
    )
    model = KNeighborsTimeSeriesClassifier(distance="dtw", distance_params={"window": 0.1})
    return lambda: model.fit(train, problem.train_labels), lambda fitted: fitted.predict(test)


# States that do not fit into memory several times, as the tensor components need them
MOST_STATES = 5e8


def reservoir_computing(problem: Problem, seed: int) -> Any:
    """Ridge regression of the reservoir model space, with the settings of the page "Time series
    classification" of the package's documentation; standardised series are our choice.

    Where the states of two directions are too many for the memory of a small machine, there is
    one direction.
    """
    from reservoir_computing.modules import RC_model
    from sklearn.preprocessing import OneHotEncoder

    np.random.seed(seed)  # noqa: NPY002  the package draws from the global generator
    scale = np.vstack(problem.train)
    mean, deviation = scale.mean(axis=0), scale.std(axis=0)
    train, test = (
        np.swapaxes(part, 1, 2)
        for part in both(
            Problem(
                problem.name,
                [(rows - mean) / deviation for rows in problem.train],
                problem.train_labels,
                [(rows - mean) / deviation for rows in problem.test],
                problem.test_labels,
            )
        )
    )
    encoder = OneHotEncoder(sparse_output=False)
    targets = encoder.fit_transform(problem.train_labels[:, None])
    units = 500
    model = RC_model(
        n_internal_units=units,
        spectral_radius=0.59,
        leak=0.6,
        connectivity=0.25,
        input_scaling=0.1,
        noise_level=0.01,
        n_drop=5,
        bidir=2 * units * train[..., 0].size < MOST_STATES,
        circle=False,
        dimred_method="tenpca",
        n_dim=75,
        mts_rep="reservoir",
        w_ridge_embedding=10.0,
        readout_type="lin",
        w_ridge=5.0,
    )

    def fit() -> Any:
        model.fit(train, targets)
        return model

    return fit, lambda fitted: encoder.categories_[0][np.asarray(fitted.predict(test)).astype(int)]


def _equal(model: Any, problem: Problem) -> Any:
    train, test = both(problem)
    return lambda: model.fit(train, problem.train_labels), lambda fitted: fitted.predict(test)


METHODS: dict[str, tuple[str, Method]] = {
    "spheresn": ("spheresn", ours),
    "MiniRocket": ("aeon", minirocket),
    "MultiRocket": ("aeon", multirocket),
    "1-NN DTW": ("aeon", dtw),
    "reservoir-computing": ("reservoir_computing", reservoir_computing),
}


def available() -> list[str]:
    """The methods whose packages are installed."""
    return [name for name, (package, _) in METHODS.items() if find_spec(package) is not None]
