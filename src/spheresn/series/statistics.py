"""The autocorrelation of a series, and its differences from a moving average."""

from __future__ import annotations

import numpy as np

from .._validation import Floats

MEAN_ROUNDING = 8.0 * np.finfo(float).eps  # of the largest value, by which a mean may be wrong
# Rows up to which the sums are exact and no slower than by Fourier transforms
MOST_ROWS_SUMMED = 512


def autocorrelations(values: Floats, most: int) -> Floats:
    """The autocorrelations of values (T,) at the lags 0 to `most` < T; zeros of a constant.

    >>> autocorrelations(np.array([1.0, -1.0] * 50), 2).round(2).tolist()
    [1.0, -0.99, 0.98]
    """
    centred = values - values.mean()
    largest = float(np.abs(centred).max(initial=0.0))
    if largest <= MEAN_ROUNDING * np.abs(values).max(initial=0.0):
        return np.zeros(most + 1)
    centred = centred / largest  # so that squares neither over- nor underflow
    if len(values) <= MOST_ROWS_SUMMED:
        found = np.correlate(centred, centred, "full")[len(values) - 1 :][: most + 1]
    else:
        size = 2 ** int(np.ceil(np.log2(2 * len(values))))
        spectrum = np.abs(np.fft.rfft(centred, size)) ** 2
        found = np.fft.irfft(spectrum, size)[: most + 1]
    return np.asarray(found / found[0])


def beside_moving_average(values: Floats, season: int) -> tuple[int, Floats]:
    """Values (T,) less their centred moving average over one season, from the first row that has
    one; that row, and the rest (T - season + 1,), or one less if the season is even.

    >>> first, rest = beside_moving_average(np.array([0.0, 3.0, 0.0, 0.0, 3.0]), 3)
    >>> first, rest.tolist()
    (1, [2.0, -1.0, -1.0])
    """
    window = np.ones(season) if season % 2 else np.r_[0.5, np.ones(season - 1), 0.5]
    trend = np.convolve(values, window / season, "valid")
    first = (len(window) - 1) // 2
    return first, values[first : first + len(trend)] - trend
