"""Fields from memory maps, iterators, xarray, Dask and files; models of fields on disk."""

from __future__ import annotations

import gc
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import numpy as np
import pandas as pd
import pytest

import fake_field
import spheresn as sn
from runs import until
from spheresn.estimators.fields import learning, workers
from spheresn.estimators.fields.sources import ChannelStatistics, Mapped, Source, channel_statistics
from test_fields import quick, waves
from test_persistence import rewritten

xarray = pytest.importorskip("xarray")
dask = pytest.importorskip("dask")
array = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")

FIELD = waves(300)


@pytest.fixture(scope="module")
def plain() -> np.ndarray:
    return quick().fit(FIELD).forecast(5)


# -------------------------------------------------------------------------------------- sources


def test_a_memory_map_and_blocks_of_an_iterator_give_the_same_forecast(tmp_path, plain):
    np.save(tmp_path / "field.npy", FIELD)
    mapped = np.load(tmp_path / "field.npy", mmap_mode="r")
    assert np.array_equal(quick().fit(mapped).forecast(5), plain)
    blocks = (FIELD[a : a + 77] for a in range(0, 300, 77))
    assert np.array_equal(quick().fit(blocks).forecast(5), plain)
    floats = np.load(tmp_path / "field.npy", mmap_mode="r").astype(np.float32)
    assert quick().fit(floats).forecast(2) == pytest.approx(plain[:2], abs=0.05)


def test_the_file_of_an_iterator_is_removed_with_its_map(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    source = Source.of(iter([FIELD]), False)
    assert len(list(tmp_path.iterdir())) == 1
    assert np.array_equal(source.read(3, 5), FIELD[3:5])
    del source
    gc.collect()
    assert not list(tmp_path.iterdir())


def test_a_dask_array_is_read_slice_by_slice(plain):
    lazy = array.from_array(FIELD, chunks=(100, 16))
    assert np.array_equal(quick().fit(lazy).forecast(5), plain)


def test_a_survey_in_blocks_is_that_of_all_rows(monkeypatch):
    field = np.random.default_rng(0).standard_normal((50, 4, 3, 2)) * [1.0, 5.0] + [0.0, 100.0]
    whole = ChannelStatistics.of(field.reshape(50, -1), 2, 0)
    monkeypatch.setattr("spheresn.estimators.fields.sources.BLOCK_VALUES", 7 * 24)
    parts = channel_statistics(Source.of(field, True))
    assert parts.count == whole.count == 600
    assert parts.mean == pytest.approx(field.mean(axis=(0, 1, 2)))
    assert parts.scale() == pytest.approx(field.std(axis=(0, 1, 2)))
    assert np.array_equal(parts.low, field.min(axis=(0, 1, 2)))
    assert np.array_equal(parts.high, field.max(axis=(0, 1, 2)))


def test_the_time_of_an_infinity_is_said_also_in_a_later_block(monkeypatch):
    monkeypatch.setattr("spheresn.estimators.fields.sources.BLOCK_VALUES", 160)
    field = FIELD.copy()
    field[123, 5] = np.inf
    with pytest.raises(sn.BadInput, match="got inf at time 123 in cell 5"):
        quick().fit(field)


def test_a_dataset_of_xarray_is_refused():
    dataset = xarray.Dataset({"u": (("time", "x"), FIELD)})
    with pytest.raises(sn.BadInput, match="got an xarray Dataset; pass one of its variables"):
        quick().fit(dataset)


# --------------------------------------------------------------------------------------- labels


def labelled(**coordinates: Any) -> Any:
    return xarray.DataArray(FIELD, coordinates, ("time", "x"), "u")


def test_names_and_coordinates_come_back_and_time_goes_on(plain):
    hours = np.datetime64("2026-01-01T00", "h") + np.arange(300)
    model = quick().fit(labelled(time=hours, x=np.linspace(0, 1, 16)))
    found = model.forecast(5)
    assert found.name == "u" and found.dims == ("time", "x")
    assert np.array_equal(found.values, plain)
    assert np.array_equal(found.x, np.linspace(0, 1, 16))
    assert np.array_equal(found.time, hours[-1] + np.arange(1, 6))
    later = labelled(time=hours + 300, x=np.linspace(0, 1, 16))[:10]
    assert model.update(later).forecast(1).time.values[0] == hours[-1] + 11
    assert model.update(FIELD[:2]).forecast(1).time.values[0] == hours[-1] + 13


def test_blocks_that_come_later_move_the_time_too():
    """An iterator has no length; its rows are counted."""
    hours = np.datetime64("2026-01-01T00", "h") + np.arange(300)
    one, other = (quick().fit(labelled(time=hours)) for _ in range(2))
    one.update(FIELD[:7])
    other.update(iter([FIELD[:3], FIELD[3:7]]))
    xarray.testing.assert_identical(one.forecast(2), other.forecast(2))
    assert other.forecast(1).time.values[0] == hours[-1] + 8


def test_numbers_as_times_go_on_too_and_axes_without_coordinates_have_none():
    found = quick().fit(labelled(time=0.25 * np.arange(300))).forecast(2)
    assert found.time.values == pytest.approx([75.0, 75.25]) and "x" not in found.coords
    assert "time" not in quick().fit(labelled()).forecast(2).coords
    names = labelled(time=[f"row {i}" for i in range(300)])
    assert "time" not in quick().fit(names).forecast(2).coords
    without = quick().fit(xarray.DataArray(FIELD, dims=("time", "x")))
    assert without.forecast(1).name is None
    assert "time" not in without.update(FIELD[:3]).forecast(2).coords


@pytest.mark.parametrize(
    "times", [np.where(np.arange(300) > 100, 0.5, 0.0) + np.arange(300), np.zeros(300)]
)
def test_unequal_intervals_are_refused(times):
    with pytest.raises(sn.BadInput, match="time must have equal intervals"):
        quick().fit(labelled(time=times))


# ---------------------------------------------------------------------------------------- files


@pytest.mark.parametrize("shared", [True, False])
def test_a_saved_model_forecasts_the_same_to_the_last_bit(tmp_path, shared):
    field = np.stack([FIELD, FIELD[:, ::-1] ** 2], axis=2).reshape(300, 4, 4, 2)
    model = quick(
        patch=(2, 4),
        halo=(1, 0),
        periodic=(True, False),
        channels=True,
        shared=shared,
        position=True,
        components=5,
    ).fit(field)
    sn.save(model, tmp_path / "m.spheresn")
    again = sn.load(tmp_path / "m.spheresn")
    assert np.array_equal(again.forecast(7), model.forecast(7))
    assert np.array_equal(again.update(field[:3]).forecast(2), model.update(field[:3]).forecast(2))
    assert again.get_params() == model.get_params()
    assert again.noise_ == model.noise_ and again.shared_ is shared


def test_labels_are_saved(tmp_path):
    hours = np.datetime64("2026-01-01T00", "h") + np.arange(300)
    for options in ({"time": hours, "x": [f"c{i}" for i in range(16)]}, {}):
        model = quick().fit(labelled(**options))
        sn.save(model, tmp_path / "m.spheresn")
        assert sn.load(tmp_path / "m.spheresn").forecast(3).identical(model.forecast(3))


MISFITS = {
    "another grid": lambda h: h["values"].update(grid=[32]),
    "a grid as large as numbers go": lambda h: h["values"].update(grid=[2**62]),
    "a negative grid": lambda h: h["values"].update(grid=[-16]),
    "several channels": lambda h: h["values"].update(channels=2),
    "several channels and a smaller grid": lambda h: h["values"].update(grid=[8], channels=2),
    "channels without end": lambda h: h["parameters"].update(channels=2**62),
    "a readout each": lambda h: h["values"].update(shared_=False),
    "a flag that is none": lambda h: h["values"].update(shared_="yes"),
    "another halo": lambda h: h["parameters"].update(halo=3),
    "patches in patches": lambda h: h["parameters"].update(patch=[[4]]),
    "coordinates of objects": lambda h: h["values"]["labels"].update(
        coordinates={"x": {"type": "O", "values": [1]}}
    ),
}


@pytest.mark.parametrize("name", MISFITS)
def test_a_file_whose_parts_do_not_fit_is_refused(tmp_path, name):
    sn.save(quick().fit(labelled(x=np.arange(16.0))), tmp_path / "m.spheresn")
    rewritten(tmp_path / "m.spheresn", lambda _, header: MISFITS[name](header))
    with pytest.raises(sn.io.ModelFileError):
        sn.load(tmp_path / "m.spheresn")


def test_a_file_with_the_range_or_the_states_of_another_model_is_refused(tmp_path):
    for name, value in {"low_": np.zeros(2), "state_": np.zeros((3, 60))}.items():
        model = quick().fit(FIELD)
        setattr(model, name, value)
        sn.save(model, tmp_path / "m.spheresn")
        with pytest.raises(sn.io.ModelFileError):
            sn.load(tmp_path / "m.spheresn")


# -------------------------------------------------------------------------------------- cluster


def test_a_map_is_sent_by_the_name_of_its_file(tmp_path):
    np.save(tmp_path / "field.npy", FIELD)
    mapped = np.load(tmp_path / "field.npy", mmap_mode="r")
    sent = Mapped.of(mapped)
    assert sent is not None and np.array_equal(sent[3:9], FIELD[3:9])
    assert Mapped.of(mapped[10:]) is None


def test_a_client_that_is_none_is_refused():
    with pytest.raises(sn.BadInput, match=r"client must be a dask\.distributed Client, got str"):
        quick().fit(FIELD, client="tcp://127.0.0.1:8786")


class Synchronous:
    """A client whose cluster is this thread."""

    def compute(self, nodes):
        return dask.compute(*nodes, scheduler="synchronous")

    def gather(self, futures):
        return futures

    def cancel(self, futures):
        pass


@pytest.mark.parametrize("shared", [True, False])
def test_tasks_of_a_graph_are_those_of_one_process(tmp_path, monkeypatch, shared):
    monkeypatch.setattr(learning, "TASK_ROWS", 120)
    np.save(tmp_path / "field.npy", FIELD)
    mapped = np.load(tmp_path / "field.npy", mmap_mode="r")
    lazy = array.from_array(FIELD, chunks=(100, 16))
    expected = quick(shared=shared, washout=5).fit(FIELD)
    for form in (FIELD, mapped, mapped[:], lazy, xarray.DataArray(lazy, dims=("t", "x"))):
        found = quick(shared=shared, washout=5).fit(form, client=Synchronous())
        assert np.array_equal(found.closed_loop_.matrix, expected.closed_loop_.matrix)
        assert np.array_equal(np.asarray(found.forecast(4)), expected.forecast(4))


def test_a_cluster_that_loses_a_worker_learns_what_one_process_learns(tmp_path, monkeypatch):
    """A real cluster of processes; one worker is killed while it holds sums that are needed."""
    from dask_cluster import cluster

    monkeypatch.setattr(learning, "TASK_ROWS", 120)
    field = waves(600)
    np.save(tmp_path / "field.npy", field)
    models = {
        shared: quick(units=40, shared=shared, washout=5).fit(field).forecast(5)
        for shared in (True, False)
    }
    original = workers.Cluster.readouts

    def armed(self, *arguments):
        (tmp_path / "armed").touch()
        return original(self, *arguments)

    monkeypatch.setattr(workers.Cluster, "readouts", armed)
    with ExitStack() as stack:
        address, processes = stack.enter_context(cluster(tmp_path / "cluster"))
        client = stack.enter_context(distributed.Client(address))
        pool = stack.enter_context(ThreadPoolExecutor(1))
        client.wait_for_workers(2, timeout=60)
        lazy = array.from_array(field, chunks=(100, 16))
        lazy = lazy.map_blocks(fake_field.gated, str(tmp_path), dtype=float)
        options: Any = {"units": 40, "washout": 5}
        going = pool.submit(quick(**options).fit, lazy, client=client)
        until(lambda: (tmp_path / "reached").exists())
        processes[1].kill()
        (tmp_path / "go").touch()
        found = going.result(timeout=120).forecast(5)
        assert found == pytest.approx(models[True], abs=1e-10)
        mapped = np.load(tmp_path / "field.npy", mmap_mode="r")
        found = quick(**options, shared=False).fit(mapped, client=client).forecast(5)
        assert found == pytest.approx(models[False], abs=1e-10)
        broken = np.where(field > 4.4, np.inf, field)
        with pytest.raises(sn.BadInput, match="field must be finite"):
            quick(**options).fit(broken, client=client)


@pytest.mark.parametrize("shared", [True, False])
def test_tasks_of_a_graph_know_the_mask(tmp_path, shared):
    holed = np.where(np.arange(16) > 11, np.nan, FIELD)
    np.save(tmp_path / "field.npy", holed)
    mapped = np.load(tmp_path / "field.npy", mmap_mode="r")
    lazy = array.from_array(holed, chunks=(100, 16))
    covered = np.ma.masked_array(FIELD, np.isnan(holed))
    expected = quick(shared=shared, washout=5).fit(holed)
    for form in (holed, mapped, lazy, covered, array.ma.masked_invalid(lazy)):
        found = quick(shared=shared, washout=5).fit(form, client=Synchronous())
        assert np.array_equal(found.closed_loop_.matrix, expected.closed_loop_.matrix)
        assert np.array_equal(found.forecast(4), expected.forecast(4), equal_nan=True)


def test_a_data_frame_is_a_field_of_one_axis():
    rows = np.random.default_rng(0).standard_normal((6, 4))
    assert np.array_equal(Source.of(pd.DataFrame(rows), False).values, rows)
