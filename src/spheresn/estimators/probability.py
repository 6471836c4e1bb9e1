"""From the outputs of a ridge classifier to probabilities."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, softmax

from .._validation import Floats

# At the one all classes are nearly as likely, at the other the largest output is nearly certain
BLUNTEST, SHARPEST = np.log(1e-2), np.log(1e3)


def probabilities(outputs: Floats, sharpness: float) -> Floats:
    """softmax(sharpness · outputs) of the rows (n, classes)."""
    return np.asarray(softmax(sharpness * outputs, axis=1))


def fit_sharpness(outputs: Floats, indicators: Floats) -> float:
    """The sharpness with the largest likelihood on outputs of rows that were left out.

    The targets are drawn towards each other as if one more case had come out wrong, so that no
    number of cases makes certain [PLA99].
    """
    finite = np.isfinite(outputs).all(axis=1)
    count = max(int(finite.sum()), 1)
    doubt = 1.0 / (count + 1.0)
    targets = (1.0 - doubt) * indicators[finite] + doubt / indicators.shape[1]

    def loss(logarithm: float) -> float:
        return -float((targets * log_softmax(np.exp(logarithm) * outputs[finite], axis=1)).sum())

    found = minimize_scalar(loss, bounds=(BLUNTEST, SHARPEST), method="bounded")
    return float(np.exp(found.x))
