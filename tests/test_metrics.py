"""Truths about nrmse, accuracy and valid_time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spheresn import metrics

RNG = np.random.default_rng(0)
TARGET, PREDICTION = RNG.normal(size=(200, 3)), RNG.normal(size=(200, 3))


def test_a_perfect_prediction_has_no_error_and_full_accuracy() -> None:
    assert metrics.nrmse(TARGET, TARGET) == 0.0
    assert metrics.accuracy(TARGET, TARGET) == 1.0


def test_the_mean_predictor_has_error_one_and_accuracy_zero() -> None:
    mean = np.broadcast_to(TARGET.mean(axis=0), TARGET.shape)
    assert metrics.nrmse(TARGET, mean) == pytest.approx(1.0, rel=1e-14)
    assert metrics.accuracy(TARGET, mean) == pytest.approx(0.0, abs=1e-14)


def test_accuracy_is_never_negative() -> None:
    assert metrics.nrmse(TARGET, -TARGET) > 1
    assert metrics.accuracy(TARGET, -TARGET) == 0.0


def test_a_damped_prediction_of_a_centred_target_has_the_error_of_the_damping() -> None:
    centred = TARGET - TARGET.mean(axis=0)
    assert metrics.nrmse(centred, 0.7 * centred) == pytest.approx(0.3, rel=1e-13)


def test_several_columns_count_together_as_the_printed_norms_do() -> None:
    """[VAL19, eqn:error] written out: squared norms of rows, averaged over time."""
    error = np.mean([e @ e for e in TARGET - PREDICTION])
    spread = np.mean([d @ d for d in TARGET - TARGET.mean(axis=0)])
    assert metrics.nrmse(TARGET, PREDICTION) == pytest.approx(np.sqrt(error / spread), rel=1e-14)


def test_a_vector_is_one_column() -> None:
    assert metrics.nrmse(TARGET[:, 0], PREDICTION[:, 0]) == metrics.nrmse(
        TARGET[:, :1], PREDICTION[:, :1]
    )
    assert metrics.valid_time(TARGET[:, 0], PREDICTION[:, 0]) == metrics.valid_time(
        TARGET[:, :1], PREDICTION[:, :1]
    )


@given(st.floats(-100, 100), st.floats(0.01, 100), st.sampled_from([-1, 1]))
def test_a_common_shift_and_scale_changes_nothing(shift: float, scale: float, sign: int) -> None:
    target, prediction = (shift + sign * scale * rows for rows in (TARGET, PREDICTION))
    assert metrics.nrmse(target, prediction) == pytest.approx(
        metrics.nrmse(TARGET, PREDICTION), rel=1e-9
    )
    assert metrics.valid_time(target, prediction, threshold=0.5) == metrics.valid_time(
        TARGET, PREDICTION, threshold=0.5
    )


def test_many_targets_at_once_have_the_errors_of_each_alone_whatever_their_sizes() -> None:
    sizes = np.array([1e-200, 1.0, 1e200])[:, None]
    targets, guesses = (part[:, None] * sizes for part in (TARGET, PREDICTION))
    alone = [metrics.nrmse(targets[:, i], guesses[:, i]) for i in range(3)]
    assert metrics.nrmse_of_each(targets, guesses) == pytest.approx(alone, rel=1e-13)
    assert alone == pytest.approx([metrics.nrmse(TARGET, PREDICTION)] * 3, rel=1e-13)


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_squares_beyond_the_range_of_floats_do_no_harm(scale: float) -> None:
    assert metrics.nrmse(scale * TARGET, scale * PREDICTION) == pytest.approx(
        metrics.nrmse(TARGET, PREDICTION), rel=1e-12
    )
    assert metrics.valid_time(scale * TARGET, scale * PREDICTION, 2.0) == metrics.valid_time(
        TARGET, PREDICTION, 2.0
    )


@given(st.floats(0.05, 0.5), st.floats(0.1, 2.0), st.floats(0.01, 1.0))
def test_an_error_that_grows_exponentially_is_valid_until_its_closed_form_time(
    rate: float, threshold: float, dt: float
) -> None:
    """|eₖ| = 1e-6 exp(rate k) passes the threshold at k = log(1e6 threshold)/rate."""
    k = np.arange(600)
    target = np.sqrt(2) * np.cos(np.pi * (k + 0.5) / 2)  # ±1 in turn: variance one
    crossing = np.log(1e6 * threshold) / rate
    expected = min(np.ceil(crossing), k.size)
    time = metrics.valid_time(target, target + 1e-6 * np.exp(rate * k), threshold, dt)
    assert time == pytest.approx(expected * dt) or abs(crossing - round(crossing)) < 1e-6


def test_a_forecast_equal_to_the_threshold_is_still_valid() -> None:
    target = np.array([-1.0, 1.0, -1.0, 1.0])
    assert metrics.valid_time(target, target + 0.5, threshold=0.5) == 4.0
    assert metrics.valid_time(target, target + 0.5, threshold=0.49) == 0.0


def test_a_forecast_that_comes_back_was_valid_only_until_it_left() -> None:
    target = np.tile([-1.0, 1.0], 5)
    astray = target + np.where(np.arange(10) == 3, 9.0, 0.0)
    assert metrics.valid_time(target, astray, dt=0.5) == 1.5


def test_columns_share_one_threshold_in_valid_time() -> None:
    """Two equal columns: error norm and spread both grow by √2, so the time is that of one
    column.
    """
    target, prediction = TARGET[:, :1], TARGET[:, :1] + np.linspace(0, 1, 200)[:, None]
    doubled = metrics.valid_time(np.tile(target, 2), np.tile(prediction, 2))
    assert doubled == metrics.valid_time(target, prediction) > 0


@pytest.mark.parametrize("lost", [np.nan, np.inf, -np.inf, 1e300])
def test_a_diverged_forecast_has_left_its_target(lost: float) -> None:
    diverged = TARGET.copy()
    diverged[7:, 1] = lost
    assert metrics.valid_time(TARGET, diverged) == 7.0


@pytest.mark.parametrize("lost", [np.nan, np.inf])
def test_nrmse_of_a_diverged_prediction_is_refused(lost: float) -> None:
    diverged = TARGET.copy()
    diverged[7:, 1] = lost
    with pytest.raises(
        ValueError,
        match=r"prediction must be finite, got (nan|inf) at index \(7, 1\); fill or drop",
    ):
        metrics.nrmse(TARGET, diverged)


@pytest.mark.parametrize("measure", [metrics.nrmse, metrics.accuracy, metrics.valid_time])
@pytest.mark.parametrize(
    ("target", "prediction", "sentence"),
    [
        (
            np.full(9, 0.1),
            np.zeros(9),
            r"target must vary, got \[0.1\] in every row; a constant has no variance",
        ),
        (
            [1.0],
            [1.0],
            "target must have at least 2 rows to have a variance, got 1; pass a longer one",
        ),
        ([], [], "target must have at least 2 rows"),
        ([1.0, np.nan], [1.0, 1.0], r"target must be finite, got nan at index \(1, 0\)"),
        (
            [1.0, 2.0, 3.0],
            [1.0, 2.0],
            r"prediction must have the shape of target, \(3, 1\), got \(2, 1\); align the two",
        ),
        (
            np.eye(3),
            np.eye(3)[:, 0],
            r"prediction must have the shape of target, \(3, 3\), got \(3, 1\)",
        ),
        ([0.0, 1.0], "ab", "prediction must be an array of real numbers, got str"),
        ([0.0, 1.0], [[1.0], [1.0, 2.0]], "prediction must be an array of real numbers, got list"),
        (np.zeros((2, 2, 2)), np.zeros(2), "target must have 1 or 2 dimension"),
    ],
)
def test_a_bad_argument_is_refused_in_a_sentence(measure, target, prediction, sentence) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=sentence):
        measure(target, prediction)


@pytest.mark.parametrize("name", ["threshold", "dt"])
def test_threshold_and_dt_must_be_positive(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name} must be finite and greater than 0, got 0"):
        metrics.valid_time(TARGET, TARGET, **{name: 0})
