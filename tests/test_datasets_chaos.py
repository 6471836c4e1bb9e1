"""Truths about the chaotic systems."""

from typing import Any

import numpy as np
import pytest
from scipy.integrate import simpson
from scipy.linalg import expm

from spheresn import _errors, datasets
from spheresn.datasets import chaos

LOOSE: Any = datasets  # for arguments that the types forbid
STANDARD = {
    "lorenz": lambda t, p: chaos._lorenz(p, 10.0, 28.0, 8 / 3),
    "rossler": lambda t, p: chaos._rossler(p, 0.2, 0.2, 5.7),
}
DIVERGENCE = {
    "lorenz": lambda p: -(10 + 1 + 8 / 3) + 0 * p[:, 0],
    "rossler": lambda p: 0.2 + p[:, 0] - 5.7,
}
START = {"lorenz": np.array([2.0, 3.0, 15.0]), "rossler": np.array([1.0, -4.0, 0.5])}


def flow(system: str, start: np.ndarray, times: np.ndarray) -> np.ndarray:
    return chaos._flow(STANDARD[system], start, times)


@pytest.mark.parametrize("side", [-1, 0, 1])
def test_the_fixed_points_of_lorenz_stay_fixed(side: int) -> None:
    """The origin and x = y = ±√(β(ρ − 1)), z = ρ − 1."""
    x = side * np.sqrt(8 / 3 * 27)
    point = np.array([x, x, 27.0 * abs(side)])
    assert flow("lorenz", point, np.linspace(0, 3, 7)) == pytest.approx(
        np.tile(point, (7, 1)), abs=1e-7
    )


@pytest.mark.parametrize("sign", [-1, 1])
def test_the_fixed_points_of_rossler_stay_fixed(sign: int) -> None:
    """x = (c ± √(c² − 4ab))/2, y = −x/a, z = x/a."""
    x = (5.7 + sign * np.sqrt(5.7**2 - 0.16)) / 2
    point = np.array([x, -x / 0.2, x / 0.2])
    assert flow("rossler", point, np.linspace(0, 1, 5)) == pytest.approx(
        np.tile(point, (5, 1)), abs=1e-7
    )


def test_lorenz_with_a_small_rho_ends_in_the_attracting_fixed_point() -> None:
    """For 1 < ρ < σ(σ + β + 3)/(σ − β − 1) = 24.7 the two points beside the origin are stable."""
    x, y, z = datasets.lorenz(1, rho=10.0, transient=100.0)[0]
    assert (
        abs(x) == pytest.approx(np.sqrt(8 / 3 * 9), abs=1e-8)
        and y == pytest.approx(x, abs=1e-8)
        and z == pytest.approx(9, abs=1e-8)
    )


def test_lorenz_on_its_axis_decays_exponentially() -> None:
    """x = y = 0 is invariant, with z' = −βz."""
    times = np.linspace(0, 2, 9)
    exact = np.outer(np.exp(-8 / 3 * times), [0, 0, 5.0])
    assert flow("lorenz", np.array([0, 0, 5.0]), times) == pytest.approx(exact, abs=1e-9)


def test_lorenz_has_an_exact_integral_when_beta_is_twice_sigma() -> None:
    """(x² − 2σz)' = −2σ(x² − βz), so for β = 2σ it decays as exp(−2σt)."""
    x, _, z = datasets.lorenz(40, 0.05, rng=3, transient=0.0, sigma=1.5, beta=3.0).T
    integral = x**2 - 3.0 * z
    assert integral == pytest.approx(integral[0] * np.exp(-3.0 * 0.05 * np.arange(40)), abs=1e-8)


def test_lorenz_is_symmetric_under_half_a_turn_about_its_axis() -> None:
    turn, times = np.array([-1, -1, 1]), np.linspace(0, 10, 50)
    assert (
        flow("lorenz", START["lorenz"] * turn, times)
        == flow("lorenz", START["lorenz"], times) * turn
    ).all()


def test_rossler_without_b_is_a_linear_spiral_in_the_plane() -> None:
    """From z = 0 with b = 0 nothing ever lifts off: (x, y)' = [[0, −1], [1, a]] (x, y)."""
    points = datasets.rossler(60, 0.3, transient=0.0, b=0.0)
    exact = [expm(np.array([[0, -1], [1, 0.2]]) * 0.3 * k) @ [0, -5] for k in range(60)]
    assert not points[:, 2].any()
    assert points[:, :2] == pytest.approx(np.array(exact), rel=1e-8, abs=1e-8)


@pytest.mark.parametrize("system", STANDARD)
def test_volumes_shrink_as_the_divergence_says(system: str) -> None:
    """Liouville: det ∂x(t)/∂x(0) = exp ∫ div dt; −(σ + 1 + β) for Lorenz, a + x − c for Rössler."""
    times, eps = np.linspace(0, 0.8, 81), 1e-4
    columns = [
        flow(system, START[system] + e, times)[-1] - flow(system, START[system] - e, times)[-1]
        for e in eps * np.eye(3)
    ]
    exponent = simpson(DIVERGENCE[system](flow(system, START[system], times)), x=times)
    assert np.log(np.linalg.det(np.array(columns) / (2 * eps))) == pytest.approx(exponent, abs=1e-4)


@pytest.mark.parametrize("system", STANDARD)
def test_a_flow_can_be_cut_anywhere(system: str) -> None:
    """φ(s + t) = φ(t) ∘ φ(s)."""
    halfway = flow(system, START[system], np.array([1.3]))[0]
    assert flow(system, halfway, np.array([0.9])) == pytest.approx(
        flow(system, START[system], np.array([2.2])), abs=1e-7
    )


@pytest.mark.parametrize("dataset", [datasets.lorenz, datasets.rossler, datasets.mackey_glass])
def test_reading_twice_as_often_gives_the_same_points(dataset) -> None:  # type: ignore[no-untyped-def]
    coarse, fine = dataset(20, 0.4, transient=1.0, rng=1), dataset(39, 0.2, transient=1.0, rng=1)
    assert fine[::2] == pytest.approx(coarse, abs=1e-9)


@pytest.mark.parametrize(
    "dataset", [datasets.lorenz, datasets.rossler, datasets.mackey_glass, datasets.henon]
)
def test_the_transient_is_the_part_before_the_first_row(dataset) -> None:  # type: ignore[no-untyped-def]
    options = {} if dataset is datasets.henon else {"dt": 0.5}
    whole, rest = (
        dataset(11, transient=0, **options),
        dataset(5, transient=6 * options.get("dt", 1), **options),
    )
    assert rest == pytest.approx(whole[6:], abs=1e-8)


@pytest.mark.parametrize(
    "dataset", [datasets.lorenz, datasets.rossler, datasets.mackey_glass, datasets.henon]
)
def test_a_seed_fixes_the_series_and_moves_its_start(dataset) -> None:  # type: ignore[no-untyped-def]
    seeded = dataset(8, rng=5, transient=2)
    assert (seeded == dataset(8, rng=np.random.default_rng(5), transient=2)).all()
    assert (seeded != dataset(8, rng=6, transient=2)).any() and (
        seeded != dataset(8, transient=2)
    ).any()


@pytest.mark.parametrize("dataset", [datasets.lorenz, datasets.rossler, datasets.mackey_glass])
def test_one_row_without_a_transient_is_the_start(dataset) -> None:  # type: ignore[no-untyped-def]
    start = {"lorenz": [[0.0, 1.0, 0.0]], "rossler": [[0.0, -5.0, 0.0]], "mackey_glass": [[1.2]]}
    assert dataset(1, transient=0).tolist() == start[dataset.__name__]


def test_the_henon_orbit_obeys_its_recurrence() -> None:
    x, y = datasets.henon(500, rng=2).T
    assert x[1:] == pytest.approx(1 - 1.4 * x[:-1] ** 2 + y[:-1], abs=1e-15)
    assert y[1:] == pytest.approx(0.3 * x[:-1], abs=1e-15)


def test_the_henon_map_turns_areas_over_and_shrinks_them_by_b() -> None:
    """det J = −b: a shear that keeps areas, x' → x' + a x², leaves (x, y) → (1 + y, b x), seen on
    triangles of orbit points.
    """
    points = datasets.henon(300, rng=1)
    straight = points[1:] + np.column_stack([1.4 * points[:-1, 0] ** 2, np.zeros(299)])
    before, after = (
        np.linalg.det(np.diff(p[: 299 // 3 * 3].reshape(-1, 3, 2), axis=1))
        for p in (points[:-1], straight)
    )
    assert after == pytest.approx(-0.3 * before, abs=1e-13) and (np.abs(before) > 1e-3).any()


def test_henon_without_b_is_the_solvable_quadratic_map() -> None:
    """For a = 2, b = 0: x = cos θ becomes 1 − 2 cos² θ = −cos 2θ, hence xₖ = −cos(2ᵏ θ) for k ≥
    1.
    """
    # Past the first step, which still sees the random y
    x = datasets.henon(20, rng=4, a=2.0, b=0.0, transient=1)[:, 0]
    theta = np.arccos(x[0])
    assert x[1:] == pytest.approx(-np.cos(2.0 ** np.arange(1, 20) * theta), abs=1e-9)


def test_henon_with_a_small_a_ends_in_its_fixed_point() -> None:
    """a x² + (1 − b) x − 1 = 0, attracting for a < 3(1 − b)²/4 = .3675."""
    assert datasets.henon(3, a=0.2)[:, 0] == pytest.approx(
        (-0.7 + np.sqrt(0.49 + 0.8)) / 0.4, abs=1e-13
    )


def test_henon_beyond_it_ends_in_the_cycle_of_two() -> None:
    """a² x² − a(1 − b) x + (1 − b)² − a = 0, attracting for .3675 < a < .9125."""
    pair = sorted(datasets.henon(2, a=0.6)[:, 0])
    assert pair == pytest.approx(sorted(np.roots([0.36, -0.42, 0.49 - 0.6])), abs=1e-13)


@pytest.mark.parametrize(
    "call",
    [
        lambda: datasets.henon(5, a=3.0),
        lambda: datasets.rossler(5, a=5.0),
        lambda: datasets.lorenz(5, sigma=-10.0),
    ],
)
def test_a_trajectory_that_escapes_is_an_error_and_not_a_nan(call) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(
        _errors.StateOverflow,
        match="the trajectory must stay bounded, got an escape to infinity; choose other",
    ):
        call()


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: LOOSE.lorenz(0), "steps must be a whole number of at least 1, got 0"),
        (lambda: LOOSE.lorenz(5, 0.0), "dt must be finite and greater than 0, got 0.0"),
        (lambda: LOOSE.lorenz(5, rho=np.nan), "rho must be a finite number, got nan"),
        (
            lambda: LOOSE.lorenz(5, transient=-1.0),
            "transient must be finite and at least 0, got -1.0",
        ),
        (lambda: LOOSE.rossler(5, rng="x"), "rng must be a numpy Generator or a seed, got 'x'"),
        (lambda: LOOSE.rossler(5, c=np.inf), "c must be a finite number, got inf"),
        (
            lambda: LOOSE.henon(5, transient=1.5),
            "transient must be a whole number of at least 0, got 1.5",
        ),
        (lambda: LOOSE.henon(5, a="1"), "a must be a real number, got '1'"),
        (lambda: LOOSE.mackey_glass(5, delay=0), "delay must be finite and greater than 0, got 0"),
        (lambda: LOOSE.mackey_glass(5, -1.0), "dt must be finite and greater than 0, got -1.0"),
        (
            lambda: LOOSE.mackey_glass(5, substeps=0),
            "substeps must be a whole number of at least 1, got 0",
        ),
        (lambda: LOOSE.mackey_glass(5, exponent=-1), r"exponent must be in \[0, 100\], got -1"),
    ],
)
def test_a_bad_argument_is_refused_in_a_sentence(call, sentence) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=sentence):
        call()


def test_random_starts_of_henon_fill_their_rectangle():
    """Within ±.5 in x, ±.05 in y: the largest of 200 uniform numbers is within 5 % of the end."""
    starts = np.array([datasets.henon(1, transient=0, rng=seed)[0] for seed in range(200)])
    for column, end in ((0, 0.5), (1, 0.05)):
        assert 0.95 * end < starts[:, column].max() <= end
        assert 0.95 * end < -starts[:, column].min() <= end
