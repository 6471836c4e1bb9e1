"""Fields with masked cells, gaps in time, and times of the calendar."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import spheresn as sn
from spheresn.analysis import max_lyapunov
from spheresn.estimators.fields.geometry import Patches
from spheresn.estimators.fields.sources import ChannelStatistics, Source, channel_statistics
from test_fields import local, quick, waves
from test_persistence import altered

LINE = waves(300)[:, :12]  # a part of the ring, so with edges
CHEAP: dict[str, Any] = {"periodic": False, "halo": 1}


def ocean(land: Any = np.nan) -> np.ndarray:
    """The line, and land behind it: (300, 16)."""
    return np.hstack([LINE, np.full((300, 4), land)])


def searched(**options: Any) -> sn.ESNFieldForecaster:
    """One candidate, of which free runs choose the noise."""
    return quick(noise="auto", target="auto", verbose=False, units=40, **CHEAP, **options)


# ----------------------------------------------------------------------------------------- masks


@pytest.mark.parametrize("shared", [True, False])
def test_land_behind_an_edge_is_the_edge(shared):
    """To the last bit, the search included: masked cells are nothing to patches beside them."""
    small = searched(shared=shared).fit(LINE)
    masked = searched(shared=shared).fit(ocean())
    found = masked.forecast(20)
    assert np.isnan(found[:, 12:]).all()
    assert np.array_equal(found[:, :12], small.forecast(20))
    assert masked.noise_ == small.noise_ and masked.score_ == small.score_
    assert masked.patches_.count == 3 and len(masked.candidates_) == len(small.candidates_)


def test_nan_a_mask_and_a_masked_array_say_the_same():
    expected = quick(**CHEAP).fit(ocean()).forecast(5)
    given = np.arange(16) >= 12
    for land in (np.nan, 1e20, -7.0):
        assert np.array_equal(
            quick(**CHEAP).fit(ocean(land), mask=given).forecast(5), expected, True
        )
        array = np.ma.masked_array(ocean(land), np.broadcast_to(given, (300, 16)))
        assert np.array_equal(quick(**CHEAP).fit(array).forecast(5), expected, True)
        blocks = (array[a : a + 70] for a in range(0, 300, 70))
        assert np.array_equal(quick(**CHEAP).fit(blocks).forecast(5), expected, True)


def test_basins_that_do_not_touch_do_not_hear_each_other():
    """Two rows of a plane with land between. The other basin, turned around, has the same mean and
    deviation, and changes nothing.
    """
    field = np.full((200, 3, 12), np.nan)
    field[:, 0], field[:, 2] = LINE[:200], LINE[100:] ** 2
    turned = field.copy()
    turned[:, 2] = field[:, 2, ::-1]
    options: dict[str, Any] = {"patch": (1, 4), "halo": (1, 1), "periodic": False}
    one, other = (quick(shared=False, noise=0.0, **options).fit(f) for f in (field, turned))
    found, again = one.forecast(8), other.forecast(8)
    assert one.patches_.count == 6 and np.isnan(found[:, 1]).all()
    assert np.allclose(found[:, 0], again[:, 0], atol=1e-6)
    assert not np.allclose(found[:, 2], again[:, 2], atol=0.1)


@pytest.mark.parametrize("options", [{"shared": False}, {"patch": 1, "units": 150}])
def test_a_coast_is_learned(options):
    """By readouts of their own, or by one for single cells, of which none is cut by the coast."""
    field = waves(420)
    field[:, 13:15] = np.nan
    model = quick(**{"noise": 1e-3, "halo": 4, **options}).fit(field[:400])
    found, seen = model.forecast(20), ~np.isnan(field[0])
    assert np.isnan(found[:, ~seen]).all()
    error = np.sqrt(np.square(found - field[400:])[:, seen].mean())
    assert error < 0.2 * field[:, seen].std()


def test_a_shared_readout_learns_from_whole_patches():
    """Whatever a cut one has left: waves of the same mean and deviation there change nothing."""
    field, other = waves(300), waves(300)
    other[:, 12], other[:, 15] = field[:, 15], field[:, 12]
    for one in (field, other):
        one[:, 13:15] = np.nan
    cut, again = (quick(halo=0).fit(one) for one in (field, other))
    assert cut.patches_.count == 4 and cut.patches_.teaching(True) == 3
    assert np.allclose(cut.closed_loop_.matrix, again.closed_loop_.matrix, rtol=1e-6, atol=1e-9)
    found = cut.forecast(1)[0]
    assert np.isfinite(found[[12, 15]]).all() and np.isnan(found[[13, 14]]).all()


def test_patches_of_a_masked_grid_put_whole_ones_first():
    masked = np.zeros(16, bool)
    masked[[0, 1, 2, 3, 5]] = True
    patches = Patches((16,), 1, (4,), (1,), (True,), masked)
    assert (patches.count, patches.teaching(True), patches.teaching(False)) == (3, 2, 3)
    assert patches.inner.tolist() == [[8, 9, 10, 11], [12, 13, 14, 15], [4, 5, 6, 7]]
    assert patches.windows.tolist()[1] == [11, 12, 13, 14, 15, 16]  # 16 is nothing
    assert patches.windows.tolist()[2] == [16, 4, 16, 6, 7, 8]
    places = patches.group(np.array([2]))
    assert places.columns is not None and places.columns.tolist() == [4, 5, 6, 7, 8]
    fields = np.arange(16.0)[None]
    assert places.inputs(fields[:, places.columns])[0, 0].tolist() == [0, 4, 0, 6, 7, 8]
    assert len(patches.positions()) == 3 and patches.seen.tolist() == [4, *range(6, 16)]
    assert local().patches.seen is ...


def test_a_masked_value_never_moves_and_moves_nothing():
    model = quick(**CHEAP).fit(ocean())
    loop = model.closed_loop_
    state = np.concatenate([model.state_.ravel(), model.last_])
    tangents = np.eye(len(state))[:, -4:]  # along the land
    after, moved = loop.tangent_step(state, np.zeros(0), tangents)
    assert (after[-4:] == 0.0).all() and (moved == 0.0).all()
    _, moved = loop.tangent_step(state, np.zeros(0), np.eye(len(state)))
    step = 1e-6
    difference = [
        (loop.step(state + step * one, np.zeros(0)) - loop.step(state - step * one, np.zeros(0)))
        / (2 * step)
        for one in np.eye(len(state))[:: len(state) // 9]
    ]
    # On the sphere directions along the state are projected away: only the field is compared
    cells = np.arange(len(state) - 16, len(state) - 4)
    for column, one in zip(range(0, len(state), len(state) // 9), difference, strict=False):
        assert np.allclose(moved[cells, column], np.array(one)[cells], atol=1e-6)
    assert np.isfinite(max_lyapunov(model, 60, transient=20).exponent)


def test_one_channel_may_be_masked_where_another_is_not():
    field = np.stack([ocean(), np.hstack([LINE, LINE[:, :4]])], axis=2)
    model = quick(channels=True, shared=False, **CHEAP).fit(field)
    found = model.forecast(3)
    assert np.isnan(found[:, 12:, 0]).all() and np.isfinite(found[:, :, 1]).all()
    assert np.isfinite(found[:, :12, 0]).all()
    whole = quick(channels=True, shared=False, **CHEAP).fit(field, mask=np.arange(16) >= 12)
    assert np.isnan(whole.forecast(2)[:, 12:]).all()


def test_a_masked_model_comes_back_and_observes(tmp_path):
    model = quick(**CHEAP).fit(ocean())
    sn.save(model, tmp_path / "m")
    again = sn.load(tmp_path / "m")
    assert np.array_equal(again.forecast(4), model.forecast(4), equal_nan=True)
    moved = again.update(ocean(5e9)[:7]).forecast(2)  # whatever is below the mask
    assert np.array_equal(moved, model.update(ocean()[:7]).forecast(2), equal_nan=True)
    altered(tmp_path / "m", lambda tensors: tensors.update(masked=np.ones(16)))
    with pytest.raises(sn.io.ModelFileError, match="the mask does not fit the grid"):
        sn.load(tmp_path / "m")


@pytest.mark.parametrize(
    ("mask", "options", "words"),
    [
        (np.zeros(16), {}, r"mask must hold truth values of the shape \(16,\) of the grid, got fl"),
        (np.zeros(9, bool), {}, r"mask must hold truth values .*, got bool of shape \(9,\)"),
        (np.ones(16, bool), {}, "field must have a number somewhere, got none; check its mask"),
        (np.arange(16) % 4 == 0, {}, r"patch must be so small that .* no masked cell, got \(4,\)"),
    ],
)
def test_masks_that_leave_nothing_are_refused(mask, options, words):
    with pytest.raises(sn.BadInput, match=words):
        quick(**options).fit(waves(90), mask=mask)


def test_a_channel_without_numbers_is_refused():
    field = np.stack([waves(90), np.full((90, 16), np.nan)], axis=2)
    with pytest.raises(sn.BadInput, match="channel 1 of field must have a number somewhere"):
        quick(channels=True, shared=False).fit(field)


# ------------------------------------------------------------------------------------------ gaps


def test_gaps_in_time_are_guessed():
    """Of a field that moves on straight lines, a guess is exact."""
    ramp = np.arange(300.0)[:, None] * np.linspace(1.0, 2.0, 16)
    holed = ramp.copy()
    holed[np.random.default_rng(0).random(ramp.shape) < 0.1] = np.nan
    holed[[0, -1]] = ramp[[0, -1]]
    for form in (holed, iter([holed[:100], holed[100:]])):
        source = Source.of(form, False)
        found = source.without(channel_statistics(source).missing)
        assert found.hidden is None and np.allclose(found.read(0, 300), ramp)
    assert np.isnan(holed).any()  # the user's array stays as it was


def test_a_wave_with_gaps_is_forecast(tmp_path):
    field = waves(420)
    rng = np.random.default_rng(1)
    holed = np.where(rng.random(field.shape) < 0.02, np.nan, field)
    found = quick(noise=1e-2).fit(holed[:400]).forecast(10)
    assert np.sqrt(np.square(found - field[400:410]).mean()) < 0.2 * field.std()
    np.save(tmp_path / "f.npy", holed)
    mapped = np.load(tmp_path / "f.npy", mmap_mode="r")
    assert np.array_equal(quick(noise=1e-2).fit(mapped[:400]).forecast(10), found)


def test_an_update_with_gaps_goes_on_from_what_was_there():
    """A value that is missing at once is that of the row before."""
    one, other = (quick().fit(waves(300)) for _ in range(2))
    rows = waves(303)[300:]
    held = rows.copy()
    held[:, 4] = one.scaler_.backward(one.last_[None])[0, 4]
    rows[:, 4] = np.nan
    assert np.allclose(one.update(rows).forecast(3), other.update(held).forecast(3))


def test_statistics_are_those_of_the_values_that_are_there():
    rng = np.random.default_rng(0)
    field = np.where(rng.random((60, 8)) < 0.3, np.nan, rng.standard_normal((60, 8)))
    parts = [ChannelStatistics.of(field[a : a + 20], 2, a) for a in (0, 20, 40)]
    whole = ChannelStatistics.of(np.full((20, 8), np.nan), 2, 0) + parts[0] + parts[1] + parts[2]
    for k in range(2):
        own = field[:, k::2]
        assert whole.count[k] == (~np.isnan(own)).sum()
        assert np.isclose(whole.mean[k], np.nanmean(own))
        assert np.isclose(whole.scale()[k], np.nanstd(own))
        assert (whole.low[k], whole.high[k]) == (np.nanmin(own), np.nanmax(own))
    assert np.array_equal(whole.missing, 20 + np.isnan(field).sum(axis=0))


# ------------------------------------------------------------------------------- times and files

xarray = pytest.importorskip("xarray")


def dated(field: np.ndarray, times: Any) -> Any:
    return xarray.DataArray(
        field, {"time": times, "x": np.arange(field.shape[1])}, ("time", "x"), "sst"
    )


def test_months_go_on_by_the_calendar(tmp_path):
    import pandas as pd

    months = pd.date_range("2001-01-31", periods=300, freq="ME")
    model = quick().fit(dated(waves(300), months))
    coming = pd.date_range("2026-01-31", periods=3, freq="ME")
    assert np.array_equal(model.forecast(3).time.values, coming.to_numpy())
    sn.save(model, tmp_path / "m")
    assert sn.load(tmp_path / "m").forecast(3).identical(model.forecast(3))
    later = model.update(dated(waves(302)[300:], coming[:2])).forecast(1)
    assert later.time.values[0] == coming[2].to_numpy()
    assert model.update(waves(2)).forecast(1).time.values[0] == pd.Timestamp("2026-05-31")


def test_missing_dates_are_gaps_in_time():
    import pandas as pd

    days = pd.date_range("2024", periods=300).to_numpy()
    kept = np.delete(np.arange(300), [20, 21, 200])
    field = waves(300)
    holed = field.copy()
    holed[[20, 21, 200]] = np.nan
    found = quick().fit(dated(field[kept], days[kept])).forecast(4)
    assert found.identical(quick().fit(dated(holed, days)).forecast(4))
    assert found.time.values[0] == days[-1] + np.timedelta64(1, "D")
    jitter = days + np.random.default_rng(0).integers(-600, 600, 300).astype("timedelta64[s]")
    even = quick().fit(dated(field, jitter)).forecast(2)
    assert np.array_equal(even.values, quick().fit(field).forecast(2))
    numbers = quick().fit(dated(field[kept], 0.5 * kept)).forecast(2)
    assert np.allclose(numbers.time, [150.0, 150.5]) and np.allclose(numbers, found[:2])


def test_a_masked_dataset_keeps_its_names():
    found = quick(**CHEAP).fit(dated(ocean(), np.arange(300))).forecast(2)
    assert found.dims == ("time", "x") and found.time.values.tolist() == [300, 301]
    assert np.isnan(found[:, 12:]).all() and found.name == "sst"


@pytest.mark.parametrize("kind", ["nc", "zarr"])
def test_files_are_read_in_slices(tmp_path, monkeypatch, kind):
    """The variable itself is never loaded."""
    pytest.importorskip({"nc": "h5netcdf", "zarr": "zarr"}[kind])
    field, path = dated(waves(300), np.arange(300)), tmp_path / f"f.{kind}"
    expected = quick().fit(field).forecast(3)
    if kind == "nc":
        field.to_netcdf(path, engine="h5netcdf")
        lazy = xarray.open_dataset(path, engine="h5netcdf", cache=False)["sst"]
    else:
        field.to_dataset().to_zarr(path, consolidated=False)
        lazy = xarray.open_zarr(path, consolidated=False, chunks=None)["sst"]
    monkeypatch.setattr("spheresn.estimators.fields.sources.BLOCK_VALUES", 16 * 30)
    found = quick().fit(lazy)
    assert found.forecast(3).identical(expected)
    assert not lazy.variable._in_memory
