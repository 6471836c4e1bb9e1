"""Distances of climates against closed forms, invariances and what chance gives."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import spheresn as sn
from spheresn.analysis import Climatology, climate
from spheresn.analysis.climates import BINS, JOINT_BINS, delay_of
from spheresn.metrics import hellinger


def normal(mean, deviation, cells=20_000):
    """Probabilities of fine cells."""
    middles = (np.arange(cells) + 0.5) / cells * 60.0 - 30.0
    return np.exp(-0.5 * ((middles - mean) / deviation) ** 2) / deviation


def red_noise(rows, columns, rng, memory=0.9):
    """An autoregression of order one, which forgets in about ten rows."""
    found = np.zeros((rows + 200, columns))
    shocks = rng.standard_normal(found.shape)
    for k in range(1, len(found)):
        found[k] = memory * found[k - 1] + shocks[k]
    return found[200:]


@pytest.mark.parametrize(
    ("mean", "one", "two"), [(0, 1, 1), (1, 1, 1), (0.3, 1, 2.5), (-4, 0.5, 1)]
)
def test_the_distance_of_two_normals(mean, one, two):
    """H² = 1 - √(2 σ₁ σ₂/(σ₁² + σ₂²)) exp(-(μ₁ - μ₂)²/(4 (σ₁² + σ₂²)))."""
    squares = one**2 + two**2
    exact = 1.0 - np.sqrt(2.0 * one * two / squares) * np.exp(-(mean**2) / (4.0 * squares))
    assert np.isclose(hellinger(normal(0, one), normal(mean, two)), np.sqrt(exact), atol=1e-7)


def test_the_distance_of_neighbours_keeps_its_digits():
    """(ε, 1 - ε) against (0, 1): H² = 1 - √(1 - ε) = ε/2 + ε²/8 + ..."""
    tiny = 1e-18
    assert np.isclose(hellinger([tiny, 1.0], [0.0, 1.0]), np.sqrt(tiny / 2), rtol=1e-9)


weights = st.lists(st.floats(0.0, 1e300), min_size=4, max_size=4)


@given(weights, weights, weights)
def test_the_distance_is_a_metric(one, two, three):
    assert hellinger(one, one) == 0.0 and hellinger(one, two) == hellinger(two, one)
    assert 0.0 <= hellinger(one, two) <= 1.0 + 1e-15
    assert hellinger(one, three) <= hellinger(one, two) + hellinger(two, three) + 1e-12


def test_the_distance_of_counts_does_not_depend_on_their_sum(rng):
    counts = rng.random((3, 2, 6))
    assert np.allclose(hellinger(counts, 7.0 * counts), 0.0, atol=1e-15)
    assert hellinger(counts, counts[:, :1]).shape == (3, 2)
    assert hellinger([1, 0], [0, 3]) == 1.0
    assert hellinger([0, 0], [0, 3]) == 1.0 and hellinger([0, 0], [0, 0]) == 0.0


@pytest.mark.parametrize(
    ("p", "q", "said"),
    [
        ([1, 2], [1, 2, 3], "as many cells"),
        (1.0, [1.0], "as many cells"),
        ([1, -1], [1, 1], "at least 0"),
        ([1, np.nan], [1, 1], "p must be finite"),
    ],
)
def test_what_is_no_distribution(p, q, said):
    with pytest.raises(sn.BadInput, match=said):
        hellinger(p, q)


def test_a_series_has_its_own_climate(rng):
    series = red_noise(4000, 3, rng)
    found = climate(series, series)
    for part in (found.marginal, found.joint):
        assert np.array_equal(part.values, np.zeros(3))
    # Segments of the run go beyond the blocks of the series
    assert (found.spectrum.values < found.spectrum.chance).all()
    assert found.verdict == "same" and found.excess < 1.0


def test_half_of_a_uniform_series():
    """Uniform on [0, 1] and on [0, 1/2]: Σ √(p q) = √(1/2)."""
    grid = (np.arange(6400) + 0.5) / 6400
    series = np.concatenate([[0.0], np.random.default_rng(0).permutation(grid), [1.0]])
    found = climate(series[series < 0.5], series)
    assert np.isclose(found.marginal.values[0], np.sqrt(1.0 - np.sqrt(0.5)), atol=1e-3)
    assert found.verdict == "different"


def test_two_normals_as_series(rng):
    """Bins lower the distance by little."""
    series, run = rng.standard_normal((2, 100_000))
    exact = np.sqrt(1.0 - np.exp(-1.0 / 8.0))
    assert np.isclose(climate(run + 1.0, series).marginal.values[0], exact, rtol=0.01)


def test_disjoint_supports_and_a_point(rng):
    series = red_noise(3000, 2, rng)
    beyond = climate(series + 1e3, series)
    assert np.allclose(beyond.marginal.values, 1.0) and np.allclose(beyond.joint.values, 1.0)
    point = climate(np.tile(series.mean(axis=0), (600, 1)), series)
    assert np.allclose(point.spectrum.values, 1.0) and point.verdict == "different"
    # A point in a bin of probability p has H² = 1 - √p
    low, high = series.min(axis=0), series.max(axis=0)
    bins, own = (
        np.floor((BINS - 1) * (rows - low) / (high - low) + 0.5)
        for rows in (series, series.mean(axis=0))
    )
    inside = (bins == own).mean(axis=0)
    assert np.allclose(point.marginal.values**2, 1.0 - np.sqrt(inside), atol=1e-12)


def test_the_joint_histogram_sees_what_the_columns_do_not():
    """(u, u) and (u, v) in bins of probability w: Σ √(p q) = Σ w^(3/2). The two bins at the ends
    are half as likely as the others.
    """
    rng, fine = np.random.default_rng(0), 88  # bins of 1/88: the ends are four of them wide
    cells = np.arange(fine**2)
    apart = (np.column_stack([cells // fine, cells % fine]) + 0.5) / fine
    once = (np.arange(fine**2) + 0.5) / fine**2
    series, run = (
        np.vstack([[[0.0, 0.0], [1.0, 1.0]], rng.permutation(rows)])
        for rows in (apart, np.column_stack([once, once]))
    )
    found = climate(run, series)
    w = np.append(np.full(JOINT_BINS - 2, 1.0), [0.5, 0.5]) / (JOINT_BINS - 1)
    assert np.isclose(found.joint.values[0], np.sqrt(1.0 - (w**1.5).sum()), atol=2e-3)
    assert (found.marginal.values < 0.06).all() and found.verdict == "different"
    assert "columns 0 and 1" in found.reason


def test_a_trace_more_than_the_range_is_no_other_climate():
    """A sine is often at its ends."""
    wave = np.sin(0.1 * np.arange(8000.0))
    assert climate(1.005 * wave, wave).marginal.values[0] < 0.05


def test_the_spectrum_sees_what_the_histogram_does_not():
    """The same circle, run through twice as fast."""
    phase = 0.1 * np.arange(8000.0)
    found = climate(np.sin(2 * phase), np.sin(phase))
    assert (found.marginal.values < 0.05).all() and found.spectrum.values[0] > 0.9
    assert found.verdict == "different" and found.reason.startswith("spectrum of column 0")


def test_the_joint_histogram_of_one_column_sees_the_direction_of_time(rng):
    """A series and its reverse have the same histogram and spectrum."""
    slopes = np.cumsum(0.2 * rng.random(9000)) % 1.0  # rises slowly, falls at once
    found = climate(slopes[::-1].copy(), slopes)
    assert found.delay >= 1 and found.joint.values[0] > found.joint.limit[0]
    assert (found.marginal.values < 0.01).all()
    assert (found.spectrum.values < found.spectrum.limit).all()


def test_neither_units_nor_the_order_of_columns_matter(rng):
    series, run = red_noise(4000, 3, rng), red_noise(1500, 3, rng, 0.95)
    first = climate(run, series)
    order, scale = [2, 0, 1], np.array([1e-3, -5.0, 1e6])
    moved = climate(*((rows * scale + 7.0)[:, order] for rows in (run, series)))
    for part in ("marginal", "spectrum"):
        for name in ("values", "chance", "most", "limit"):
            one, two = (getattr(getattr(both, part), name) for both in (first, moved))
            assert np.allclose(one[order], two, rtol=0, atol=1e-9)
    assert np.allclose(np.sort(first.joint.values), np.sort(moved.joint.values), atol=1e-9)
    assert moved.verdict == first.verdict


@pytest.mark.parametrize(("rows", "run"), [(4000, 4000), (8000, 2000), (2000, 8000)])
def test_what_chance_gives(rows, run):
    """Against many pairs of independent series of these lengths."""
    rng = np.random.default_rng(rows)
    many = red_noise(rows + run, 60, rng).T[:, :, None]
    found = [climate(one[rows:], one[:rows]) for one in many]
    for part, tolerance in (("marginal", 0.1), ("joint", 0.1), ("spectrum", 0.15)):
        seen = np.array([getattr(one, part).values[0] for one in found])
        said = np.array([getattr(one, part).chance[0] for one in found])
        assert np.isclose(np.sqrt((said**2).mean()), np.sqrt((seen**2).mean()), rtol=tolerance)
    assert np.mean([one.verdict == "different" for one in found]) <= 0.05


def test_what_is_too_short_is_said(rng):
    walk = rng.standard_normal(200).cumsum()
    assert climate(walk[:100], walk[100:]).verdict == "too short"


def test_a_model_that_is_close(rng):
    """Further off than chance, and not far."""
    series, run = red_noise(60_000, 1, rng), red_noise(60_000, 1, rng)
    found = climate(run * 1.06, series)
    assert found.verdict == "close" and found.marginal.values[0] > found.marginal.most[0]


def test_one_series_for_many_runs(rng):
    series, run = red_noise(4000, 2, rng), red_noise(900, 2, rng)
    once = Climatology.of(series)
    for part in ("marginal", "joint", "spectrum"):
        two = (getattr(one, part) for one in (once.compare(run), climate(run, series)))
        assert np.array_equal(*(part.values for part in two))


def test_constants_and_runs_out_of_range(rng):
    constant = np.column_stack([np.full(800, 3.0), red_noise(800, 1, rng)[:, 0]])
    found = climate(constant, constant)
    assert np.array_equal(found.marginal.values, [0.0, 0.0])
    assert found.spectrum.values[0] == 0.0 and found.verdict == "same"
    assert climate(np.zeros(100), np.zeros(100)).verdict == "same"
    away = constant.copy()
    away[:, 0] = 1e308
    assert climate(away, constant).marginal.values[0] == 1.0


@pytest.mark.parametrize(
    ("run", "series", "said"),
    [
        (np.zeros((100, 2)), np.zeros((100, 3)), "run must have 3 column"),
        (np.zeros(100), np.zeros(20), "series must have at least 64"),
        (np.zeros(3), np.zeros(100), "run must have at least 8"),
        (np.full(100, np.nan), np.zeros(100), "run must be finite"),
        (np.zeros((100, 0)), np.zeros((100, 0)), "series must have a column"),
        (np.zeros(100), np.array([-1.5e308, 1.5e308] * 50), "scale it down"),
    ],
)
def test_what_has_no_climate(run, series, said):
    with pytest.raises(sn.BadInput, match=said):
        climate(run, series)


def test_a_run_shorter_than_the_segments(rng):
    with pytest.raises(sn.BadInput, match="to have a spectrum"):
        Climatology.of(rng.random(8000)).compare(rng.random(100))


@pytest.mark.parametrize("period", [20, 60, 300])
def test_the_delay_of_a_wave(period):
    """cos(2π τ/P) falls below 1 - 1/e beyond τ = P arccos(1 - 1/e)/2π."""
    exact = period * np.arccos(1.0 - np.exp(-1.0)) / (2 * np.pi)
    found = delay_of(np.sin(2 * np.pi * np.arange(100 * period) / period))
    assert found == np.ceil(exact)
    assert delay_of(np.zeros(10)) == 1
