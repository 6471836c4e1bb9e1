"""`spheresn forecast` of fields on a grid."""

from __future__ import annotations

import json

import numpy as np
import pytest

from spheresn.apps.cli import main
from test_fields import waves

xarray = pytest.importorskip("xarray")


def run(capsys, *arguments) -> tuple[int, str, str]:
    code = main([str(one) for one in arguments])
    out, error = capsys.readouterr()
    return code, out, error


def test_a_field_in_a_numpy_file_is_tested_and_forecast(tmp_path, capsys):
    field = waves(300)
    np.save(tmp_path / "field.npy", field)
    options = ("--patch", "4", "--halo", "2", "--units", 60, "--steps", 20)
    code, out, _ = run(
        capsys, "forecast", tmp_path / "field.npy", *options, "--out", tmp_path / "out", "--json"
    )
    said = json.loads(out)
    assert code == 0 and said["grid"] == [16] and said["patches"] == 4
    assert said["tested_steps"] == said["forecast_steps"] == 20
    assert said["valid_steps"]["networks"] == 20 > said["valid_steps"]["persistence"]
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "forecast.npy",
        "forecast.png",
        "forecast.svg",
    }
    truth = waves(320)[300:]
    assert np.load(tmp_path / "out" / "forecast.npy") == pytest.approx(truth, abs=0.2)


def test_land_and_absent_days_of_a_netcdf_file(tmp_path, capsys):
    """Both are told from each other: land stays NaN, days are filled, the last ones too."""
    field = waves(200)
    field[:, 12:] = np.nan
    days = np.datetime64("2026-01-01", "D") + np.arange(200)
    kept = np.delete(np.arange(200), [40, 41, 196])
    rows = xarray.DataArray(field[kept], {"time": days[kept]}, ("time", "x"), "u")
    rows.to_netcdf(tmp_path / "field.nc", engine="h5netcdf")
    options = ("--patch", "4", "--halo", "1", "--edges", "--units", 40, "--steps", 8, "--json")
    place = ("--out", tmp_path / "out")
    code, out, _ = run(capsys, "forecast", tmp_path / "field.nc", *options, *place)
    said = json.loads(out)
    assert code == 0 and said["patches"] == 3
    assert said["valid_steps"]["networks"] >= said["valid_steps"]["persistence"] > 0
    with xarray.open_dataarray(tmp_path / "out" / "forecast.nc", engine="h5netcdf") as found:
        assert np.isnan(found.values[:, 12:]).all() and np.isfinite(found.values[:, :12]).all()
        assert found.time.values[0] == days[-1] + 1


def test_a_variable_of_a_netcdf_file_keeps_its_names(tmp_path, capsys):
    field = waves(200).reshape(200, 4, 4)
    times = np.datetime64("2026-01-01", "D") + np.arange(200)
    dataset = xarray.Dataset(
        {"u": (("time", "y", "x"), field), "v": (("time", "y", "x"), field**2)}, {"time": times}
    )
    dataset.to_netcdf(tmp_path / "field.nc", engine="h5netcdf")
    options = ("--patch", "4,2", "--halo", "0,1", "--edges", "--units", 30, "--steps", 3)
    place = ("--variable", "u", "--out", tmp_path / "out")
    code, out, _ = run(capsys, "forecast", tmp_path / "field.nc", *options, *place)
    assert code == 0 and "2 patches of a grid of (4, 4)" in out and "persistence: " in out
    with xarray.open_dataarray(tmp_path / "out" / "forecast.nc", engine="h5netcdf") as found:
        assert found.name == "u" and found.dims == ("time", "y", "x") and found.shape == (3, 4, 4)
        assert found.time.values[0] == times[-1] + 1
    code, _, error = run(capsys, "forecast", tmp_path / "field.nc", "--patch", 4)
    assert code == 2 and "--variable must name one of u, v" in error
    code, _, error = run(capsys, "forecast", tmp_path / "field.nc", "--patch", 4, "--variable", "w")
    assert code == 2 and "--variable must be one of u, v, got 'w'" in error


def test_a_forecast_that_runs_away_is_said(tmp_path, capsys):
    """A field that grows without bounds leaves the range that was learned."""
    field = np.exp(0.03 * np.arange(200))[:, None] * (1 + 0.1 * np.sin(np.arange(8)))
    np.save(tmp_path / "field.npy", field)
    options = ("--patch", 4, "--halo", 0, "--units", 20, "--steps", 50, "--out", tmp_path / "out")
    code, out, _ = run(capsys, "forecast", tmp_path / "field.npy", *options)
    assert code == 0 and "a forecast leaves the range of the data" in out


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("field.csv", ("--patch", "4"), "FILE must end in .npy or .nc for a field"),
        ("field.npy", ("--patch", "4", "--season", "12"), "--season must be left out for a field"),
        ("field.npy", ("--patch", "4", "--units", "0"), "must be a whole number of at least 1"),
        ("field.npy", ("--patch", "four"), "--patch must be a whole number, or several"),
        ("field.npy", ("--patch", "5"), "patch must divide the 16 cells"),
        ("broken.npy", ("--patch", "4"), "FILE must be a readable .npy file"),
        ("broken.nc", ("--patch", "4"), "FILE must be a readable .nc file"),
        ("nowhere.npy", ("--patch", "4"), "FILE must be a readable .npy file"),
    ],
)
def test_what_cannot_be_read_gets_a_sentence(tmp_path, capsys, name, options, words):
    np.save(tmp_path / "field.npy", waves(90))
    for broken in ("broken.npy", "broken.nc"):
        (tmp_path / broken).write_bytes(b"no field")
    out = ("--out", tmp_path / "out")
    code, _, error = run(capsys, "forecast", tmp_path / name, *options, *out)
    assert code == 2 and words in error
