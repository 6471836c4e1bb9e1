"""What a series is: its scale, its autocorrelation, its moving average."""

import numpy as np
import pytest

from spheresn.series.scaling import Scaler, in_own_deviations
from spheresn.series.statistics import MOST_ROWS_SUMMED, autocorrelations, beside_moving_average


@pytest.mark.parametrize("rows", [MOST_ROWS_SUMMED - 1, MOST_ROWS_SUMMED + 1, 3 * MOST_ROWS_SUMMED])
@pytest.mark.parametrize("size", [1.0, 1e-200, 1e200])
def test_autocorrelations_are_their_sums_however_they_are_made(rows, size):
    values = np.random.default_rng(0).standard_normal(rows).cumsum()
    centred = values - values.mean()
    expected = [centred[lag:] @ centred[: rows - lag] for lag in range(40)]
    assert np.allclose(autocorrelations(size * values, 39), expected / expected[0], atol=1e-12)
    assert not autocorrelations(np.full(rows, size), 3).any()


@pytest.mark.parametrize("season", [2, 3, 12, 13])
def test_lines_and_seasons_are_separated_by_the_moving_average(season):
    """A line is its own moving average, and a whole season of mean zero has none."""
    pattern = np.random.default_rng(1).standard_normal(season)
    pattern -= pattern.mean()
    rows = np.arange(5 * season)
    first, rest = beside_moving_average(3.0 - 0.2 * rows + pattern[rows % season], season)
    assert np.allclose(rest, pattern[(first + np.arange(len(rest))) % season])


def test_what_varies_by_rounding_only_is_constant():
    rows = np.where(np.arange(50) % 2, 0.3, 0.1 + 0.2)[:, None]
    assert np.ptp(rows) > 0.0 and np.abs(in_own_deviations(rows)).max() < 1e-12


def test_the_scaler_of_some_columns_scales_these():
    """Rows of a field have all cells of a channel scale alike."""
    rng = np.random.default_rng(2)
    scaler, rows = Scaler.of(rng.standard_normal((9, 3))), rng.standard_normal((4, 12))
    whole = scaler.of_columns(np.arange(12)).forward(rows)
    assert np.array_equal(
        whole.reshape(4, 4, 3), scaler.forward(rows.reshape(16, 3)).reshape(4, 4, 3)
    )
    some = np.array([7, 2, 2])
    assert np.array_equal(scaler.of_columns(some).forward(rows[:, some]), whole[:, some])
    assert np.allclose(scaler.of_columns(np.arange(12)).backward(whole), rows)
