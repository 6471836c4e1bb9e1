"""Errors of a prediction: nrmse, accuracy, valid_time; time is axis 0 of both arrays. The distance
of two distributions: hellinger. Probabilities beside the shares that were observed: reliability.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _validation
from ._errors import BadInput
from ._numerics import powers_of_two
from ._validation import Floats

NORMAL_95 = 1.959964  # deviations: 95 % of a normal distribution are nearer to its mean


def nrmse(target: ArrayLike, prediction: ArrayLike) -> float:
    """The normalised root mean square error: 0 is perfect, 1 is the error of predicting the mean.

    NRMSE = √( ⟨|yₖ − ŷₖ|²⟩ / ⟨|yₖ − ⟨y⟩|²⟩ ), averaged over the given rows [VAL19, eqn:error]. With
    several columns it is the root mean square error over the root of the mean column variance, so a
    column that varies little has little weight. Both arrays are (T,) or (T, m).

    >>> nrmse([0.0, 1.0, 2.0, 3.0], [1.5, 1.5, 1.5, 1.5])
    1.0
    """
    rows = _validation.table("target", target)
    guess = _validation.table("prediction", prediction)
    _validation.same_shape("prediction", guess, "target", rows)
    return float(nrmse_of_each(rows[:, None], guess[:, None])[0])


def accuracy(target: ArrayLike, prediction: ArrayLike) -> float:
    """γ = max(1 − NRMSE, 0): 1 is perfect, 0 is no better than the mean [VAL19, eqn:error].

    Both arrays are (T,) or (T, m).

    >>> accuracy([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 2.0, 3.0])
    1.0
    """
    return max(1.0 - nrmse(target, prediction), 0.0)


def nrmse_of_each(targets: Floats, predictions: Floats) -> Floats:
    """`nrmse` of D targets at once (D,), each of m columns: both arrays are (T, D, m), finite.

    >>> targets = np.array([[[0.0], [5.0]], [[2.0], [9.0]]])
    >>> nrmse_of_each(targets, np.array([[[1.0], [5.0]], [[1.0], [9.0]]]))
    array([1., 0.])
    """
    rows, units, spreads = _scaled(targets)
    with np.errstate(over="ignore"):
        errors = predictions / units
        errors -= rows
        return _rms(errors) / spreads


def valid_time(
    target: ArrayLike, prediction: ArrayLike, threshold: float = 0.4, dt: float = 1.0
) -> float:
    """The time until the normalised error of a forecast first exceeds the threshold.

    dt times the number of rows before |yₖ − ŷₖ| / √⟨|y − ⟨y⟩|²⟩ > threshold, for all columns
    together; T dt if it never does. Both arrays are (T,) or (T, m). NaN or infinity in the
    prediction exceeds every threshold, because closed loops can diverge.

    >>> valid_time([0.0, 1.0, 0.0, 1.0], [0.0, 1.0, 0.5, 1.0], dt=0.1)
    0.2
    """
    rows = _validation.table("target", target)
    # not table(), which rejects NaN
    guess = _validation.floats("prediction", prediction, (1, 2), np.float64)
    guess = guess.reshape(-1, 1) if guess.ndim == 1 else guess
    _validation.same_shape("prediction", guess, "target", rows)
    limit = _validation.real("threshold", threshold, 0, above=True)
    step = _validation.real("dt", dt, 0, above=True)
    scaled, unit, spread = _scaled(rows[:, None])
    with np.errstate(over="ignore", invalid="ignore"):
        errors = (scaled[:, 0] - guess / unit) / spread / np.sqrt(rows.shape[1])
        valid = np.linalg.norm(errors, axis=1) <= limit  # False for NaN
    return step * float(valid.size if valid.all() else valid.argmin())


def hellinger(p: ArrayLike, q: ArrayLike) -> Any:
    """The Hellinger distance of distributions along the last axis: 0 is the same, 1 is disjoint.

    H = √(1 - Σ √(pᵢ qᵢ)) [HEL09], of weights of at least 0 that are divided by their sums, such as
    counts. Weights that are all zero are at distance 1 from any others, and 0 from each other.

    >>> hellinger([1, 1, 0], [0, 2, 2]).round(4)  # √(1 - 1/2)
    np.float64(0.7071)
    """
    one, two = (
        _validation.finite(name, np.asarray(values, np.float64))
        for name, values in (("p", p), ("q", q))
    )
    if one.ndim < 1 or two.ndim < 1 or one.shape[-1] != two.shape[-1]:
        raise BadInput(
            f"p and q must have as many cells along their last axis, got shapes {one.shape} and "
            f"{two.shape}; count both in the same cells"
        )
    if (one < 0.0).any() or (two < 0.0).any():
        raise BadInput("p and q must be at least 0, got a negative weight; pass counts")
    shares, empty = [], []
    for weights in (one, two):
        # Divided by the largest first, so that no sum overflows
        largest = weights.max(axis=-1, keepdims=True, initial=0.0)
        scaled = weights / np.where(largest > 0.0, largest, 1.0)
        empty.append(largest[..., 0] == 0.0)
        shares.append(scaled / np.where(largest > 0.0, scaled.sum(axis=-1, keepdims=True), 1.0))
    # (1 - Σ √(p q)) = Σ (√p - √q)²/2 does not lose digits where the two are close
    squares = np.square(np.sqrt(shares[0]) - np.sqrt(shares[1])).sum(axis=-1) / 2.0
    return np.where(empty[0] | empty[1], (empty[0] != empty[1]) * 1.0, np.sqrt(squares))[()]


@dataclass(frozen=True, eq=False)
class Reliability:
    """Predicted probabilities of classes beside their observed shares, from `reliability`.

    predicted, observed (B,): of the cases of each bin, the mean probability of the predicted class,
    and the share of cases that had it; lower, upper: a 95 % interval of this share [WIL27]; counts:
    the cases of each bin. brier: the Brier score of all probabilities [BRI50], from 0, certain and
    right, to 2, certain and wrong. gap: the mean of |predicted - observed| over all cases.

    >>> found = reliability([[1.0, 0.0], [0.0, 1.0]], ["a", "a"], ["a", "b"], bins=1)
    >>> found.brier, found.gap  # one is right, one wrong, both are certain
    (1.0, 0.5)
    """

    predicted: Floats
    observed: Floats
    lower: Floats
    upper: Floats
    counts: Floats
    brier: float
    gap: float


def reliability(
    probabilities: ArrayLike, labels: ArrayLike, classes: ArrayLike, bins: int = 10
) -> Reliability:
    """Whether about 80 % of the cases that are predicted with 80 % have the predicted class.

    probabilities (n, classes), as `predict_proba` gives them for series that were not learned
    from; labels (n,); classes: the labels of the columns. The cases are sorted by the probability
    of their predicted class into `bins` bins of the same size.

    >>> found = reliability([[0.7, 0.3], [0.7, 0.3], [0.1, 0.9]], ["a", "b", "b"], ["a", "b"], 1)
    >>> found.predicted.round(3), found.observed.round(3), round(found.brier, 3)
    (array([0.767]), array([0.667]), 0.393)
    """
    shares = _validation.array("probabilities", probabilities, 2)
    names, truth = np.asarray(classes), np.asarray(labels)
    _validation.same_length("labels", truth, "probabilities", shares)
    _validation.at_least("probabilities", len(shares), 1, "to be judged")
    if shares.shape[1] != len(names) or not np.isin(truth, names).all():
        raise BadInput(
            f"classes must name the {shares.shape[1]} columns of probabilities and all labels, got "
            f"{names.tolist()}; pass classes_ of the classifier"
        )
    right = truth[:, None] == names[None, :]
    best = shares.argmax(axis=1)
    rows = np.arange(len(shares))
    order = np.argsort(shares[rows, best], kind="stable")
    parts = np.array_split(order, min(_validation.whole("bins", bins, 1), len(order)))
    predicted = np.array([shares[part, best[part]].mean() for part in parts])
    observed = np.array([right[part, best[part]].mean() for part in parts])
    counts = np.array([len(part) for part in parts])
    brier = float(np.square(shares - right).sum(axis=1).mean())
    gap = float(np.average(np.abs(predicted - observed), weights=counts))
    return Reliability(predicted, observed, *_wilson(observed, counts), counts, brier, gap)


def _wilson(shares: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """The interval of the shares that counts like these leave possible."""
    spread = NORMAL_95**2 / counts
    middle = (shares + spread / 2.0) / (1.0 + spread)
    half = np.sqrt(spread * (shares * (1.0 - shares) + spread / 4.0)) / (1.0 + spread)
    return middle - half, middle + half


def _scaled(targets: Floats) -> tuple[Floats, Floats, Floats]:
    """Targets (T, D, m), each in a unit of about its size, these units (D, m), and the spreads in
    these units (D,).

    A spread is the root of the mean column variance, which must not be zero.
    """
    _validation.at_least("target", len(targets), 2, "to have a variance")
    constant = (targets == targets[0]).all(axis=0).all(axis=1)
    if constant.any():
        raise BadInput(
            f"target must vary, got {targets[0, constant.argmax()].tolist()} in every row; a "
            "constant has no variance to measure errors by"
        )
    units = powers_of_two(_sizes(targets))
    rows = targets / units
    return rows, units, _rms(rows - rows.mean(axis=0))


def _rms(rows: Floats) -> Floats:
    """The root mean square (D,) over axes 0 and 2; squares of entries like 1e±200 are safe.

    It overwrites the rows: new memory for each step would take most of the time.
    """
    sizes = _sizes(rows)
    safe = np.where((sizes > 0.0) & (sizes < np.inf), sizes, 1.0)
    rows /= safe
    rows *= rows
    return np.asarray(safe[:, 0] * np.sqrt(rows.mean(axis=0).mean(axis=1)))


def _sizes(rows: Floats) -> Floats:
    """The largest modulus over axes 0 and 2, once per column (D, m): rows are divided by it, which
    takes three times as long by (D, 1).
    """
    columns = np.maximum(rows.max(axis=0), -rows.min(axis=0))
    return np.repeat(columns.max(axis=1, keepdims=True), rows.shape[2], axis=1)
