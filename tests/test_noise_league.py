"""The comparison on noisy rows: the limit, its bound, gaps, scores, what others do, the summary."""

from __future__ import annotations

import importlib
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from league import integrate
from league import run as league
from noise import collected, limit, methods, render, rivals, rows, scores, settings, shares, systems
from noise import run as noise
from noise.rows import Rows, Unit
from numba import cfunc
from scipy.linalg import expm
from scipy.stats import norm

LINEAR = np.array([[0.1, -1.0], [1.0, 0.05]])


@cfunc(integrate.SIGNATURE)
def spiral(x, out):
    """x' = LINEAR x: a turning that grows by .075 e-folds a unit of time."""
    out[0] = 0.1 * x[0] - x[1]
    out[1] = x[0] + 0.05 * x[1]


def window(columns: slice, gaps: bool, draw: int, sigma: float = 0.1) -> dict[str, Any]:
    """60 rows of the spiral, as they are and as they are seen, and the powers (60, 2, 2) of its
    flow from row to row.
    """
    rng = np.random.default_rng(draw)
    powers = np.array([expm(0.2 * k * LINEAR) for k in range(60)])
    path = powers @ np.array([1.0, 0.5])
    seen = path[:, columns] + sigma * rng.standard_normal(path[:, columns].shape)
    if gaps:
        seen[rng.random(seen.shape) < 0.3] = np.nan
    shooting = limit.Shooting(
        spiral, 0.2, np.array([1.0, 2.0]), seen, columns, np.full(seen.shape[1], sigma)
    )
    return {"path": path, "seen": seen, "powers": powers, "shooting": shooting, "sigma": sigma}


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("columns", [slice(None), slice(0, 1)])
def test_the_limit_of_a_linear_flow_is_least_squares_in_closed_form(columns, gaps) -> None:
    one = window(columns, gaps, draw=0)
    there = np.isfinite(one["seen"])
    design = one["powers"][:, columns][there]
    first = np.linalg.solve(design.T @ design, design.T @ one["seen"][there])
    state, bound, settled = one["shooting"].fit(one["path"])
    assert settled
    np.testing.assert_allclose(state, one["powers"][-1] @ first, rtol=1e-8)

    # The Cramér-Rao bound of a linear model is the covariance of least squares
    last = one["powers"][-1]
    covariance = last @ np.linalg.inv(design.T @ design) @ last.T * one["sigma"] ** 2
    scale = np.array([1.0, 2.0])
    np.testing.assert_allclose(bound, covariance / np.outer(scale, scale), rtol=1e-6)


def test_the_errors_of_the_limit_of_a_linear_flow_are_those_of_the_bound() -> None:
    found = []
    for draw in range(300):
        one = window(slice(0, 1), gaps=True, draw=draw)
        state, bound, _ = one["shooting"].fit(one["path"])
        error = (state - one["path"][-1]) / np.array([1.0, 2.0])
        found.append(error @ np.linalg.solve(bound, error) / 2.0)
    # Half of a chi square of two degrees of freedom: mean 1, deviation 1
    assert np.mean(found) == pytest.approx(1.0, abs=4.0 / math.sqrt(len(found)))


def test_the_true_equations_run_from_a_state() -> None:
    path = limit.free_run(spiral, 0.2, np.ones(2), np.array([1.0, 0.5]), 20)
    wanted = [expm(0.2 * k * LINEAR) @ [1.0, 0.5] for k in range(1, 21)]
    np.testing.assert_allclose(path, wanted, rtol=1e-11)


@pytest.mark.parametrize("value", [-0.7, 0.0, 2.0])
def test_crps_of_a_normal_sample_is_the_closed_form(value) -> None:
    # CRPS of N(m, s) at y, z = (y - m) / s: s (z (2 Φ(z) - 1) + 2 φ(z) - 1 / √π) [GNE07, eqn:crps]
    z = (value - 0.5) / 2.0
    wanted = 2.0 * (z * (2.0 * norm.cdf(z) - 1.0) + 2.0 * norm.pdf(z) - 1.0 / math.sqrt(math.pi))
    drawn = 0.5 + 2.0 * np.random.default_rng(0).standard_normal((8, 50_000))
    small = scores.crps(drawn, np.full(50_000, value))  # fair: small samples have the same mean
    assert small.mean() == pytest.approx(wanted, abs=4.0 * small.std() / math.sqrt(len(small)))
    large = scores.crps(drawn.reshape(-1, 1)[:40_000], np.array([value]))
    assert large[0] == pytest.approx(wanted, abs=0.05)


def test_crps_of_a_sample_without_spread_is_its_error() -> None:
    np.testing.assert_allclose(scores.crps(np.full((5, 2), 3.0), np.array([1.0, 3.5])), [2.0, 0.5])


def test_intervals_without_an_end_cover_nothing() -> None:
    truth, ends = np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.5, np.nan])
    assert scores.covered(truth, ends - 1.0, ends).tolist() == [True, True, False]


def test_gaps_have_the_stated_share_and_one_stretch_of_the_training_rows() -> None:
    for draw in range(20):
        lost = rows.gaps((7000, 3), np.random.default_rng(draw))
        whole = np.flatnonzero(lost.all(axis=1))
        stretch = [
            one for one in np.split(whole, np.flatnonzero(np.diff(whole) > 1) + 1) if len(one) > 9
        ]
        assert len(stretch) == 1 and rows.STRETCH <= len(stretch[0]) < rows.STRETCH + 5
        assert stretch[0][0] >= 4000 and stretch[0][-1] < 4900
        others = np.delete(lost, stretch[0], axis=0)
        error = math.sqrt(rows.LOST * (1.0 - rows.LOST) / others.size)
        assert others.mean() == pytest.approx(rows.LOST, abs=4.5 * error)


def unit(**changed: Any) -> Unit:
    plain = {"system": "Spiral", "columns": "all", "rows": 5000, "noise": 0.1, "gaps": False}
    return Unit(**{**plain, "draw": 0, "seed": 0, "method": "spheresn", **changed})


SERIES = np.random.default_rng(5).standard_normal((6000, 2)) * [1.0, 30.0] + [4.0, 0.0]


def test_all_levels_and_columns_have_the_same_noise_and_the_stated_size() -> None:
    one, other, first, next_draw = (
        Rows.of(unit(**changed), SERIES)
        for changed in ({}, {"noise": 0.01}, {"columns": "first"}, {"draw": 1})
    )
    drawn = (one.seen - one.clean) / one.sigma
    np.testing.assert_allclose((other.seen - other.clean) / other.sigma, drawn, atol=1e-9)
    np.testing.assert_allclose((first.seen - first.clean) / first.sigma, drawn[:, :1], atol=1e-9)
    assert drawn.std() == pytest.approx(1.0, abs=0.03)
    assert np.abs(np.corrcoef(drawn[:, 0], (next_draw.seen - next_draw.clean)[:, 0])[0, 1]) < 0.06
    np.testing.assert_allclose(one.seen[:5000].std(axis=0), 1.0)
    np.testing.assert_allclose(one.sigma / one.deviation, 0.1)
    np.testing.assert_allclose(one.clean * one.unit + one.mean, SERIES, atol=1e-12)

    short = Rows.of(unit(rows=1000), SERIES)
    assert len(short.seen) == 2000
    np.testing.assert_allclose(short.clean * short.unit + short.mean, SERIES[4000:], atol=1e-12)
    quiet = Rows.of(unit(noise=0.0, gaps=True), SERIES)
    there = np.isfinite(quiet.seen)
    assert np.array_equal(quiet.seen[there], quiet.clean[there]) and not there.all()


def test_a_run_is_valid_until_its_error_exceeds_the_threshold_in_clean_deviations() -> None:
    # Both columns are e^(k/10) 1e-6 deviations away: above .4 for the first time at 10 log(.4e6)
    seen = Rows.of(unit(), SERIES)
    away = 1e-6 * np.exp(0.1 * np.arange(400.0))[:, None] * seen.deviation
    truth = seen.clean[5000:5400]
    assert seen.valid(5000, truth + away) == math.ceil(10.0 * math.log(0.4e6))
    assert seen.valid(5000, truth) == 400
    broken = truth.copy()
    broken[17:] = np.nan
    assert seen.valid(5000, broken) == 17


def test_missing_cells_lie_on_straight_lines() -> None:
    table = np.array([[np.nan, 1.0], [2.0, np.nan], [np.nan, np.nan], [4.0, 7.0], [np.nan, 8.0]])
    wanted = [[2.0, 1.0], [2.0, 3.0], [3.0, 5.0], [4.0, 7.0], [4.0, 8.0]]
    np.testing.assert_allclose(rivals.filled(table), wanted)


def test_the_rule_names_the_same_systems_whatever_the_results() -> None:
    known = json.loads(systems.LEAGUE.read_text(encoding="utf-8"))
    names = systems.candidates(known)
    assert names[:5] == ["JerkCircuit", "SprottD", "Rossler", "SprottP", "LorenzStenflo"]
    for name in names:
        one = known["systems"][name]
        assert one["chaotic"] and one["columns"] in (3, 4)
        assert 0.1 <= one["lyapunov"] * one["period"] <= 1.5
    assert (
        min([systems.half(one) for one in names].count(half) for half in ("development", "report"))
        >= 8
    )


def test_free_runs_are_followed_for_the_stated_times() -> None:
    assert systems.horizon(0.01, 0.0) == 2500 and systems.horizon(0.01, 0.05) == 1500
    assert systems.horizon(1e-4, 0.0) == 10_000


def test_a_cycle_repeats_for_ever_and_noise_does_not() -> None:
    origins = 5000 + 30 * np.arange(10)
    angle = 2.0 * np.pi / 25.0 * np.arange(7000.0)
    cycle = np.column_stack([np.cos(angle), np.sin(2.0 * angle)])
    assert systems.repeated(cycle, origins, 0.01) == pytest.approx(15.0)
    assert systems.repeated(SERIES, origins[:5], 0.1) < 0.5


def test_every_condition_has_a_setting_of_the_others() -> None:
    cells = {(columns, level) for columns in collected.COLUMNS for level in collected.NOISE}
    assert all(set(own) == cells for own in settings.SETTINGS.values())
    assert set(settings.SETTINGS) == set(settings.NAMES) < set(methods.METHODS)


def test_a_smoother_leaves_a_polynomial_of_its_order_as_it_is() -> None:
    pytest.importorskip("reservoirpy")
    time = np.linspace(-1.0, 1.0, 900)[:, None]
    cubic = np.hstack([time**3 - time, 1.0 + time**2])
    fitted = rivals.Smoothed(cubic, 0, window=17, order=3)
    np.testing.assert_allclose(fitted.smooth(cubic), cubic, atol=1e-12)
    plain = rivals.Smoothed(cubic, 0, window=1, order=0)
    assert plain.smooth(cubic) is cubic
    assert plain.forecast(cubic[:0], 3).shape == (3, 2)


def waves(count: int) -> np.ndarray:
    angle = 0.3 * np.arange(float(count))
    return np.column_stack([np.cos(angle), np.sin(angle), np.cos(1.3 * angle)])


def test_an_ensemble_follows_exact_rows_and_does_not_follow_worthless_ones() -> None:
    table = waves(700)
    fitted = rivals.EnsembleFilter(table[:600], 0, inflation=1.0, drift=0.1)
    np.testing.assert_allclose(fitted.forecast(table[600:650], 40), table[650:690], atol=0.02)

    # Rows without noise are taken as they are, rows of infinite noise change nothing
    exact = rivals.EnsembleFilter(table[:600], 0, inflation=1.0, drift=0.1)
    kept, exact.variance = exact.variance, np.full(3, 1e-20)
    exact.values = exact.values + np.sqrt(kept)[:, None] * exact.rng.standard_normal((3, 100))
    exact.assimilate(np.array([[0.3, np.nan, 0.1]]))
    np.testing.assert_allclose(exact.values[0], 0.3, atol=1e-6)
    np.testing.assert_allclose(exact.values[2], 0.1, atol=1e-6)
    blind, free = (rivals.EnsembleFilter(table[:600], 0, 1.0, 0.0) for _ in range(2))
    blind.variance = np.full(3, 1e20)
    blind.assimilate(np.full((5, 3), 9.0))
    free.assimilate(np.full((5, 3), np.nan))
    np.testing.assert_allclose(blind.values, free.values, atol=1e-7)


class Known:
    """A method that knows the rows of the truth after an origin, or forecasts zeros."""

    noise = np.array([0.05, 0.1])

    def __init__(self, train: np.ndarray, seed: int) -> None:
        assert np.isfinite(train).all()
        self.train = len(train)

    def forecast(self, context: np.ndarray, steps: int) -> np.ndarray:
        self.seen = len(context)
        return np.zeros((steps, context.shape[1]))

    def interval(self, steps: int, level: float) -> tuple[np.ndarray, np.ndarray]:
        return np.full((steps, 2), -np.inf), np.full((steps, 2), 0.0)

    def paths(self, steps: int, count: int) -> np.ndarray:
        return np.zeros((count, steps, 2))


def test_intervals_are_judged_by_the_clean_rows() -> None:
    seen = Rows.of(unit(), SERIES)
    ahead = scores.leads(0.1, 200)
    assert ahead == {"1 row": 1, "10 rows": 10, "50 rows": 50, "1 T": 10, "3 T": 30, "10 T": 100}
    assert "10 T" not in scores.leads(0.1, 99)
    judge, fitted = scores.Intervals(seen, ahead), Known(seen.seen[:5000], 0)
    origins = [5000 + 30 * k for k in range(20)]
    for origin in origins:
        judge.point(origin, fitted.forecast(seen.seen[5000:origin], 200))
        judge.take(origin, fitted)
    found = judge.found()
    truth = seen.clean[[origin + 9 for origin in origins]]
    assert found["10 rows"]["covered"] == pytest.approx((truth <= 0.0).mean())
    assert found["10 rows"]["crps"] == pytest.approx((np.abs(truth) / seen.deviation).mean())
    # White noise has no more to tell than its climate: E|X - y| - E|X - X'|/2 = 1 / √π
    assert found["10 rows"]["climate"] == pytest.approx(1.0 / math.sqrt(math.pi), abs=0.15)
    assert found["10 rows"]["fixed"] == pytest.approx(1.0 / math.sqrt(math.pi), abs=0.15)


def written(folder: Path) -> Path:
    """A system's file as `noise.systems` writes it."""
    folder.mkdir()
    np.savez(
        folder / "Spiral.npz",
        series=SERIES,
        dt=1.0,
        lyapunov=0.1,
        half="report",
        origins=5000 + 15 * np.arange(40),
        scale=np.array([1.0, 30.0]),
    )
    return folder


def test_units_are_resumed_and_a_method_that_fails_is_missing(tmp_path, monkeypatch) -> None:
    data, out = written(tmp_path / "data"), tmp_path / "out"

    def failing(train: np.ndarray, seed: int) -> Any:
        if len(train) > 2000:
            raise RuntimeError("it cannot")
        return Known(train, seed)

    monkeypatch.setitem(methods.METHODS, "known", Known)
    monkeypatch.setitem(methods.METHODS, "failing", failing)
    noise.warmed.cache_clear()
    wanted = [
        unit(method=name, draw=draw, gaps=gaps)
        for name in ("known", "failing")
        for draw in (0, 1)
        for gaps in (False, True)
        if not (name == "failing" and gaps)
    ]
    for one in wanted:
        noise.perform(one, data, out)
    assert league.todo(wanted, out) == [one for one in wanted if one.method == "failing"]

    found = json.loads(json.dumps(collected.collect(data, out)))
    own = found["results"]["all, 5000 rows, noise 0.1"]
    assert own["failing"]["Spiral"] == [
        {"draw": draw, "seed": 0, "error": "RuntimeError: it cannot"} for draw in (0, 1)
    ]
    kept = own["known"]["Spiral"][1]
    raw = json.loads(unit(draw=1, method="known").file(out).read_text())
    assert kept["mean"] == pytest.approx(0.1 * np.mean(raw["valid_rows"]), abs=1e-3)
    assert kept["noise"] == pytest.approx(
        (Known.noise / Rows.of(unit(draw=1, method="known"), SERIES).sigma).tolist(), rel=1e-2
    )
    assert next(shares.failures(found))[:2] == ("failing", "Spiral")
    labelled = collected.collect(data, out, out)["results"]["all, 5000 rows, noise 0.1"]
    assert set(labelled) == {"known", "failing", "known @out", "failing @out"}

    # What was collected stays where it was not measured again
    unit(draw=0, method="known").file(out).unlink()
    fresh = collected.joined(found, collected.collect(data, out))
    assert [one["draw"] for one in fresh["results"][unit().setting]["known"]["Spiral"]] == [0, 1]


def made_up(ours: float = 0.8, first: float = 0.9) -> dict[str, Any]:
    """Four systems, two of each half, on which every method has a share of the limit of its own;
    with one variable the limit is `first` of that with all.
    """
    limits = {"0": 25.0, "0.01": 6.0, "0.05": 5.0, "0.1": 4.0}
    of_limit = {"limit": 1.0, "spheresn": ours, "0.2.0": 0.5, "NG-RC": 0.3}
    halves = dict(zip("ABCD", ("report", "development") * 2, strict=True))
    results: dict[str, Any] = {}
    for (columns, part), (level, most), gaps, count in (
        (one, two, three, four)
        for one in (("all", 1.0), ("first", first))
        for two in limits.items()
        for three in (False, True)
        for four in (5000, 1000)
        if not three or (four == 5000 and two[0] in ("0", "0.01"))
    ):
        where = shares.setting(columns, level, count, gaps)
        for method, share in of_limit.items():
            for name in halves:
                for draw, seed in ((0, 0), (0, 1), (1, 0), (1, 1)):
                    if method == "limit" and seed:
                        continue
                    value = most * part * share * (0.5 if gaps else 1.0)
                    one = {"draw": draw, "seed": seed, "mean": value, "median": value, "fit": 2.0}
                    one |= {"error": None, "squared": 0.9, "bound": 1.0}
                    one |= {what: [0.9] * 5 + [None] for what in shares.JUDGED}
                    one |= {"noise": [1.0, 1.3]}
                    own = results.setdefault(where, {}).setdefault(method, {})
                    own.setdefault(name, []).append(one)
    kinds = {name: {"half": half, "columns": 2} for name, half in halves.items()}
    return {"systems": kinds, "excluded": {}, "results": results}


def test_a_share_is_the_ratio_of_the_means_and_its_interval_that_of_the_systems() -> None:
    found = made_up()
    where = [shares.setting("all", level) for level in shares.NOISY]
    one = shares.share(found, where, "spheresn", ["A", "C"])
    assert one is not None and one.valid == pytest.approx(0.8 * 5.0)
    assert (one.low, one.share, one.high) == pytest.approx((0.8, 0.8, 0.8))
    for cell in found["results"][where[0]]["spheresn"]["A"]:
        cell["mean"] = 6.0
    spread = shares.share(found, where[:1], "spheresn", ["A", "C"])
    # Of two systems drawn again, both are A or both are C in a quarter of the cases each
    assert spread is not None
    assert (spread.low, spread.share, spread.high) == pytest.approx((0.8, 0.9, 1.0))

    found["results"][where[0]]["NG-RC"]["A"][1] = {"draw": 0, "seed": 1, "error": "no"}
    assert shares.share(found, where, "NG-RC", ["A", "C"]) is None
    assert shares.share(found, where, "NG-RC", ["C"]) is not None


def test_a_system_whose_first_variable_says_too_little_is_left_out() -> None:
    assert shares.chosen(made_up(first=0.51), "first") == ["A", "B", "C", "D"]
    assert shares.chosen(made_up(first=0.49), "first") == []
    assert shares.chosen(made_up(first=0.49), "all", "report") == ["A", "C"]


def test_a_difference_is_that_of_the_same_draws_and_networks() -> None:
    found = made_up(ours=0.4)
    where = [shares.setting("all", level) for level in shares.NOISY]
    for place, cell in enumerate(found["results"][where[0]]["spheresn"]["A"]):
        cell["mean"] += 0.3 * place  # mean of the differences over the settings: 0, .1, .2, .3
    gain = shares.difference(found, where, "A")
    assert gain is not None
    assert gain == pytest.approx((-0.5 + 0.15, np.std([0.0, 0.1, 0.2, 0.3], ddof=1) / 2.0))
    assert shares.worse(found, "all") == ["A", "C"]
    assert shares.worse(made_up(ours=0.6), "all") == []


@pytest.fixture
def measured(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "docs"))
    return importlib.import_module("measured")


def test_the_page_renders_from_what_was_collected(measured, tmp_path) -> None:
    (tmp_path / "noise.json").write_text(json.dumps(made_up()))
    page = (Path(measured.HERE) / "noise.md").read_text()
    wanted = [one.partition("}}")[0].strip() for one in page.split("{{")[1:]]
    assert len(wanted) > 20 and all(one.startswith("noise/") for one in wanted)
    told = {
        one: measured.noise(*one.split("/")[1:], path=tmp_path / "noise.json") for one in wanted
    }
    assert all(told.values()) and told["noise/share/all/report"] == "80 % (80-80)"
    assert "| **spheresn** | 80 % (80-80) |" in told["noise/table/all/report"]
    assert "| A | 5.0 | 4.00 | 80 % | 2.50 | +1.50 ± 0.00 |" in told["noise/each/all/report"]
    assert "| **spheresn** | 50 % | 50 % | 50 % | 50 % |" in told["noise/gaps/report"]
    assert "| all variables | 1 % | 1.15 | 1.00-1.30 | 50 % |" in told["noise/levels/report"]
    assert "| one | 10 % | 0.90 | 0.90 | 0.90 | 0.90 | 0.90 |  |" in told["noise/cover/report"]
    assert told["noise/bound/all"].startswith("0.90 times the bound")
    missing = measured.noise("table", path=tmp_path / "nothing.json")
    assert "nothing.json is missing; `make noise`" in missing


def test_the_picture_is_drawn(tmp_path) -> None:
    render.picture(made_up(), tmp_path / "noise.png")
    assert (tmp_path / "noise.png").read_bytes()[1:4] == b"PNG"
