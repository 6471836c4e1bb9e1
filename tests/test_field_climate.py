"""The climate of fields: energies, two-point statistics, means and variances, runs that leave."""

import numpy as np
import pytest

import spheresn as sn
from spheresn.analysis import field_climate

CELLS = 24


def random_waves(rows, rng, amplitudes=(1.0, 0.5), cells=CELLS):
    """Waves of one, two, ... lengths around a ring, each with a random phase in each row: what is
    drawn is exchangeable in time.
    """
    x = 2 * np.pi * np.arange(cells) / cells
    phases = rng.uniform(0, 2 * np.pi, (rows, len(amplitudes)))
    return sum(a * np.cos((k + 1) * x + phases[:, k : k + 1]) for k, a in enumerate(amplitudes))


def test_energies_and_correlations_of_waves_are_known(rng):
    """A wave of amplitude a has the energy a²/2; two points of it correlate as cos(k r)."""
    field = random_waves(4000, rng, (2.0,))
    found = field_climate(3.0 * field[:2000], field)
    assert np.allclose(found.energies[1][:3], [2.0, 0.0, 0.0], atol=0.02)
    plain = field_climate(field[:2000], field)
    # Both are deviations from the mean of the field, which is not quite zero
    assert np.allclose(found.energies[0], 9.0 * plain.energies[0], rtol=1e-3)
    lags = 2 * np.pi * np.arange(CELLS // 2 + 1) / CELLS
    assert np.allclose(found.correlations[1], np.cos(lags), atol=0.05)
    assert found.wavenumbers.tolist() == list(range(1, CELLS // 2 + 1))
    assert found.lag == 4  # cos(2π 3/24) is .71, cos(2π 4/24) is .5, below 1 - 1/e


def test_energies_add_up_to_the_variance(rng):
    """Parseval, of fields in the plane whose waves all lie in the shells."""
    field = rng.standard_normal((400, 6, 6))
    field -= field.mean(axis=(1, 2), keepdims=True)
    # On six cells a corner has the wavenumber round(3 √2) = 4, beyond half of the grid
    waves = np.fft.fftfreq(6) * 6
    outside = np.round(np.hypot(*np.meshgrid(waves, waves))) > 3
    field = np.fft.ifft2(np.where(outside, 0.0, np.fft.fft2(field))).real
    found = field_climate(field, field)
    assert np.isclose(found.energies[1].sum(), found.variances[1].mean())


def test_the_same_system_is_the_same_and_others_are_not(rng):
    field, other = random_waves(1600, rng), random_waves(1600, rng)
    assert field_climate(other, field).verdict in ("same", "close")
    shifted = np.roll(other, 5, axis=1)
    assert field_climate(shifted, field).verdict in ("same", "close")
    cases = {
        "mean": other + 0.6,
        "spectrum": random_waves(1600, rng, (0.5, 1.0)),
        "variance": 1.6 * other,
        "frozen": np.repeat(other[:1], 400, axis=0),
    }
    for name, run in cases.items():
        found = field_climate(run, field)
        assert found.verdict == "different", name
        if name in ("mean", "spectrum", "variance"):
            part = getattr(found, name)
            assert part.values[0] > part.limit[0], name
    assert abs(field_climate(cases["mean"], field).mean.values[0] - 0.6 / field.std()) < 0.05


def test_units_do_not_matter(rng):
    field, run = random_waves(800, rng), random_waves(400, rng)
    one, other = field_climate(run, field), field_climate(8.0 * run + 3.0, 8.0 * field + 3.0)
    for name in ("values", "pairs", "spectrum", "mean", "variance"):
        assert np.allclose(getattr(one, name).values, getattr(other, name).values, atol=1e-3)
    assert one.verdict == other.verdict
    assert np.allclose(other.means[1], 8.0 * one.means[1] + 3.0)
    assert np.allclose(other.energies, 64.0 * one.energies)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -1e300, 1e9])
def test_runs_that_leave_are_noticed(rng, bad):
    field, run = random_waves(800, rng), random_waves(400, rng)
    run[123:, 7] = bad
    found = field_climate(run, field)
    assert (found.verdict, found.left) == ("different", 123)
    assert found.reason == "the run leaves the range of the field at row 123"
    assert np.isfinite(found.energies).all() and found.values.values[0] < found.values.limit[0]
    run[2:] = bad
    early = field_climate(run, field)
    assert early.left == 2 and early.verdict == "different"


def test_masked_cells_count_for_nothing(rng):
    field, run = random_waves(800, rng), random_waves(400, rng)
    holed, holed_run = field.copy(), run.copy()
    holed[:, 20:] = holed_run[:, 20:] = np.nan
    found = field_climate(holed_run, holed)
    assert np.isnan(found.means[:, 20:]).all() and np.isfinite(found.means[:, :20]).all()
    cut = field_climate(run[:, :20], field[:, :20])
    assert np.allclose(found.values.values, cut.values.values)
    assert np.allclose(found.mean.values, cut.mean.values)
    assert found.verdict in ("same", "close") and found.left is None


def test_a_forecaster_of_a_masked_field_gives_such_runs(rng):
    from test_fields import quick, waves

    field = waves(400)
    field[:, 12:] = np.nan
    run = quick(shared=False, noise=1e-3).fit(field[:300]).forecast(80)
    assert field_climate(run, field).left is None


def test_few_rows_say_nothing(rng):
    slow = np.cumsum(rng.standard_normal((64, 4)), axis=0)
    assert field_climate(slow[:20], slow).verdict == "too short"


@pytest.mark.parametrize(
    ("run", "field", "words"),
    [
        (np.zeros((90, 4)), np.zeros((90, 4)), r"field must vary"),
        (np.zeros((90, 3)), np.eye(90)[:, :4], r"run must have the grid \(4,\) of field"),
        (np.zeros((3, 4)), np.eye(90)[:, :4], "run must have at least 8 rows to have a climate"),
        (np.zeros((90, 4)), np.eye(9), "field must have at least 64 rows to have a climate"),
        (np.zeros((90, 4)), np.full((90, 4), np.nan), "field must have a number somewhere"),
        (np.zeros((90, 4)), np.where(np.eye(90)[:, :4], np.nan, 1.0), "field must be finite"),
        (np.zeros(90), np.zeros(90), r"field must be \(T, \*grid\)"),
        (np.zeros((90, 4)), 1e308 * np.eye(90)[:, :4], "field must vary, and its squares fit"),
    ],
)
def test_what_has_no_climate_is_refused(run, field, words):
    with pytest.raises(sn.BadInput, match=words), np.errstate(over="ignore", invalid="ignore"):
        field_climate(run, field)
