"""Truths about the delay integrator and the Mackey-Glass series."""

from math import factorial

import numpy as np
import pytest

from spheresn import _errors, datasets
from spheresn.datasets import delay


def steps_solution(t: np.ndarray) -> np.ndarray:
    """x' = −x(t − 1) with history 1: x(t) = Σⱼ (−1)ʲ (t − j + 1)ʲ/j! over all j ≤ t + 1."""
    terms = np.array(
        [(-1) ** j * np.clip(t - j + 1, 0, None) ** j / factorial(j) for j in range(15)]
    )
    return np.asarray(terms.sum(axis=0))


def order(error: list[float]) -> np.ndarray:
    return -np.diff(np.log2(error))


@pytest.mark.parametrize("per_delay", [1, 2, 7])
def test_polynomials_up_to_the_fourth_degree_are_integrated_exactly(per_delay: int) -> None:
    """On [n, n + 1] the solution of x' = −x(t − 1) has degree n + 1; Simpson's rule is exact until
    the delayed one exceeds three.
    """
    values, slopes = delay.solve(
        lambda x, past: -past, lambda t: 1.0, 1.0, 4 * per_delay, per_delay
    )
    t = np.arange(values.size) / per_delay
    assert values == pytest.approx(steps_solution(t), abs=1e-14)
    assert slopes[per_delay:] == pytest.approx(-steps_solution(t[:-per_delay]), abs=1e-14)


def test_the_order_is_four_against_the_method_of_steps() -> None:
    error = [
        abs(
            delay.solve(lambda x, past: -past, lambda t: 1.0, 1.0, 10 * m, m)[0][-1]
            - steps_solution(np.array(10.0))
        )
        for m in (4, 8, 16)
    ]
    assert order(error) == pytest.approx(4, abs=0.2)


def test_the_order_is_four_on_a_nonlinear_equation_with_a_known_solution() -> None:
    """x = 1/(1 + t) solves x' = −x²; as 1/x = 1/x_τ + τ, also x' = −x x_τ/(1 + τ x_τ)."""

    def error(m: int) -> float:
        values, _ = delay.solve(
            lambda x, past: -x * past / (1 + 0.5 * past), lambda t: 1 / (1 + t), 0.5, 6 * m, m
        )
        return float(np.abs(values - 1 / (1 + 0.5 / m * np.arange(6 * m + 1))).max())

    assert order([error(m) for m in (4, 8, 16, 32)]) == pytest.approx(4, abs=0.4)


def test_the_order_is_four_on_mackey_glass() -> None:
    """Differences of halved steps shrink sixteenfold."""

    def end(m: int) -> float:
        return float(
            delay.solve(
                lambda x, p: 0.2 * p / (1 + p**10) - 0.1 * x, lambda t: 1.2, 17.0, 6 * m, m
            )[0][-1]
        )

    ends = np.array([end(m) for m in (34, 68, 136, 272)])
    assert order(list(np.abs(np.diff(ends)))) == pytest.approx(4, abs=0.5)


def test_an_equation_that_ignores_its_delay_is_plain_decay() -> None:
    values, _ = delay.solve(lambda x, past: -x, lambda t: 1.0, 1.0, 60, 20)
    assert values == pytest.approx(np.exp(-np.arange(61) / 20), abs=1e-7)


def test_no_steps_return_the_present() -> None:
    values, slopes = delay.solve(lambda x, past: past, lambda t: 2.0 + t, 1.0, 0, 3)
    assert values.tolist() == [2.0] and slopes == pytest.approx([1.0])


def test_hermite_interpolation_is_exact_for_cubics_and_of_fourth_order_beyond() -> None:
    grid, times = np.arange(9) * 0.25, np.linspace(0, 2, 1001)
    assert delay.hermite(grid**3 - grid, 3 * grid**2 - 1, 0.25, times) == pytest.approx(
        times**3 - times, abs=1e-14
    )
    error = []
    for n in (8, 16, 32):
        grid = np.arange(n + 1) * 2 / n
        error.append(
            np.abs(delay.hermite(np.sin(grid), np.cos(grid), 2 / n, times) - np.sin(times)).max()
        )
    assert order(error) == pytest.approx(4, abs=0.3)


def test_a_solution_that_explodes_is_an_error_and_not_a_nan() -> None:
    with pytest.raises(_errors.StateOverflow, match="the solution must stay bounded"):
        delay.solve(lambda x, past: x * x, lambda t: 1.0, 1.0, 100, 10)


@pytest.mark.parametrize(("name", "value"), [("delay", 0.0), ("steps", -1), ("per_delay", 0)])
def test_a_bad_grid_is_refused_in_a_sentence(name: str, value: float) -> None:
    grid = {"delay": 1.0, "steps": 3, "per_delay": 2, name: value}
    with pytest.raises(ValueError, match=f"{name} must be .*, got {value}"):
        delay.solve(lambda x, past: -past, lambda t: 1.0, **grid)  # type: ignore[arg-type]


def test_mackey_glass_of_exponent_ten_has_the_known_spread() -> None:
    """[MG77], as in THEORY.md section 7: std .226, mean .930, range .42 … 1.32."""
    series = datasets.mackey_glass(5000)
    assert series.std() == pytest.approx(0.226, abs=0.003) and series.mean() == pytest.approx(
        0.930, abs=0.003
    )
    assert series.min() == pytest.approx(0.42, abs=0.01) and series.max() == pytest.approx(
        1.32, abs=0.01
    )


def test_the_printed_exponent_one_dies_out_at_one() -> None:
    """x = .2 x/(1 + xⁿ)/.1 has the root x = 1 for every n; for n = 1 it is stable at any delay, as
    |∂/∂x_τ| = .05 < .1.
    """
    series = datasets.mackey_glass(500, exponent=1.0)
    assert series.std() < 1e-6 and series == pytest.approx(1.0, abs=1e-6)


def test_mackey_glass_decays_exponentially_while_it_sees_a_constant_past() -> None:
    """For t ≤ τ the source is constant: x(t) = s + (1.2 − s) exp(−t/10), s = 2.4/(1 + 1.2¹⁰)."""
    t, source = np.arange(18.0), 2.4 / (1 + 1.2**10)
    assert datasets.mackey_glass(18, transient=0.0)[:, 0] == pytest.approx(
        source + (1.2 - source) * np.exp(-t / 10), abs=1e-10
    )


@pytest.mark.parametrize("dt", [0.73, 0.365, 3.65])
def test_rows_between_the_steps_are_as_accurate_as_rows_on_them(dt: float) -> None:
    """73 time units later every dt meets the series read at whole times; .73 is no multiple of its
    step 17/187.
    """
    meeting = datasets.mackey_glass(74, transient=0.0)[73]
    assert datasets.mackey_glass(round(73 / dt) + 1, dt, transient=0.0)[
        round(73 / dt)
    ] == pytest.approx(meeting, abs=1e-6)


@pytest.mark.parametrize(("tau", "dt"), [(0.05, 1.0), (1.0, 50.0), (np.pi, 1.0)])
def test_any_delay_and_any_dt_are_served(tau: float, dt: float) -> None:
    """For a short delay x = 1 is stable: −.1 x − .4 x_τ is, as long as τ < arccos(−1/4)/√(.16 −
    .01) = 4.7.
    """
    assert datasets.mackey_glass(3, dt, delay=tau, transient=400.0) == pytest.approx(1.0, abs=1e-6)
