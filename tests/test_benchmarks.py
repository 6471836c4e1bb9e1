"""The parts of the benchmark harness that are not time: statistics, targets, the page, and a peer
that fails.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import peers
import pytest
import race
import render
import run
import start
import unknown_pasts
import verdicts

import paper

BENCHMARKS = Path(run.__file__).parent
BROAD = {"Exception", "BaseException"}
HIDING = {"suppress", "nan_to_num", "nanmean", "nanmedian", "nanmax", "nanmin", "nansum", "fillna"}
SECTIONS = {"fit": ("Fitting", "How it was done."), "states": ("States", "")}


def lines(**values: list[float]) -> list[dict[str, Any]]:
    kinds = {"ours": "ours", "floor": "reference"}
    return [race.line(name, kinds.get(name, "peer"), numbers) for name, numbers in values.items()]


def entry(date: str, *cases: race.Case, numpy: str = "2.4") -> dict[str, Any]:
    where = {
        "cpu": "a processor",
        "cores": 2,
        "memory_gb": 8,
        "system": "Linux",
        "python": "3.11",
        "blas": ["openblas"],
    }
    return {
        "date": date,
        "quick": False,
        "machine": {**where, "versions": {"numpy": numpy}},
        "cases": list(cases),
    }


def test_summary_of_five_rounds_is_their_order_statistics() -> None:
    assert verdicts.summary([5.0, 1.0, 4.0, 2.0, 3.0]) == verdicts.Summary(3.0, 2.0, 4.0, 1.0, 5)


def test_ratio_is_of_the_medians_and_its_range_of_the_rounds_that_both_ran() -> None:
    found = verdicts.ratio([8.0, 6.0, 100.0], [2.0, 1.0])
    assert (found.value, found.low, found.high) == (8.0 / 1.5, 4.0, 6.0)


def test_ratio_does_not_change_with_the_unit_and_turns_over_with_its_sides() -> None:
    above, below = [3.0, 5.0, 4.0], [1.0, 2.0, 1.5]
    plain, turned = verdicts.ratio(above, below), verdicts.ratio(below, above)
    scaled = verdicts.ratio([7 * a for a in above], [7 * b for b in below])
    assert scaled.value == pytest.approx(plain.value) and turned.value == pytest.approx(
        1 / plain.value
    )
    assert (turned.low, turned.high) == pytest.approx((1 / plain.high, 1 / plain.low))


@pytest.mark.parametrize(("wanted", "reached"), [(3.9, True), (4.0, True), (4.1, False)])
def test_target_is_judged_against_the_fastest_peer_and_not_against_a_reference(
    wanted: float, reached: bool
) -> None:
    case = race.case(
        "N", lines(ours=[1.0], slow=[9.0], quick=[4.0], floor=[0.5]), [race.faster("ours", wanted)]
    )
    (found,) = verdicts.verdicts(case)
    assert found is not None and (found.against, found.ratio.value, found.reached) == (
        "quick",
        4.0,
        reached,
    )


def test_target_to_stay_within_a_factor_or_below_a_value() -> None:
    targets = [
        race.within("ours", 2.0, "floor"),
        race.within("ours", 1.9, "floor"),
        race.within("ours", 1.0, None),
    ]
    found = verdicts.verdicts(race.case("N", lines(ours=[1.0], floor=[0.5]), targets))
    assert [one is not None and one.reached for one in found] == [True, False, True]


def test_target_without_a_rival_is_not_judged() -> None:
    assert verdicts.verdicts(
        race.case("N", lines(ours=[1.0], peer=[]), [race.faster("ours", 2.0)])
    ) == [None]


def test_slope_of_a_power_law_is_its_exponent() -> None:
    sizes = [10.0, 30.0, 200.0]
    assert verdicts.slope(sizes, [0.3 * n**1.7 for n in sizes]) == pytest.approx(1.7)


def test_race_runs_every_candidate_equally_often_and_names_a_peer_that_fails() -> None:
    calls: list[str] = []

    def broken() -> race.Run:
        raise ImportError("no such package")

    def counting() -> race.Run:
        return lambda: calls.append("turn")

    entries = [
        race.Entry("ours", "ours", lambda: lambda: sum(range(400_000))),
        race.Entry("b", "peer", broken),
        race.Entry("c", "peer", counting),
    ]
    effort = race.Effort(rounds=3, seconds=5.0)
    found = {line["name"]: line for line in race.race(entries, effort)}
    assert [len(found[name]["values"]) for name in ("ours", "b", "c")] == [3, 0, 3]
    assert found["b"]["missing"] == "ImportError: no such package"
    assert len(calls) >= 5  # two turns before the race, three in it


def hiding(path: Path) -> Iterator[tuple[str, str]]:
    """File and function of each place that catches any exception or takes NaN for a number."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            for node in ast.walk(function):
                name = None
                if isinstance(node, ast.ExceptHandler):
                    caught = {one.id for one in ast.walk(node.type or tree) if hasattr(one, "id")}
                    name = "Exception" if caught & BROAD or node.type is None else None
                elif isinstance(node, ast.Call):
                    name = getattr(node.func, "attr", getattr(node.func, "id", None))
                    name = name if name in HIDING else None
                if name is not None:
                    yield f"{path.relative_to(BENCHMARKS)}:{function.name}", name


def test_no_failure_becomes_a_number() -> None:
    """Each place that catches every exception is here, with the test that it makes no number of it;
    the differences of `unchanged.py` take NaN for infinitely large.
    """
    found = {one for path in sorted(BENCHMARKS.rglob("*.py")) for one in hiding(path)}
    assert found == {
        ("classification/run.py:measure", "Exception"),  # ..._one_that_fails_is_missing
        ("league/run.py:attempted", "Exception"),  # test_a_method_that_fails_is_missing_...
        ("noise/rows.py:of", "nanmean"),  # of rows whose cells were taken out on purpose
        ("panels/run.py:forecast", "Exception"),  # test_a_method_that_fails_is_missing_there
        ("series/run.py:forecasts", "Exception"),  # test_a_method_that_fails_has_no_forecast
        ("targets/run.py:error", "Exception"),  # test_a_method_that_fails_is_missing_on_its_task
        ("race.py:race", "Exception"),  # test_race_runs_..._and_names_a_peer_that_fails
        ("unchanged.py:collect", "Exception"),  # test_a_case_that_fails_is_never_passed_...
        ("unchanged.py:_deviation", "nan_to_num"),
    }


def test_an_import_that_fails_has_no_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A peer that fails in a later round is missing as a whole; ours stops the run."""
    asked: list[str] = []

    def seconds(code: str) -> float:
        name = code.split()[-1]
        asked.append(name)
        if name == broken and asked.count(name) == 3:
            raise RuntimeError("no such package")
        return 0.5

    monkeypatch.setattr(start, "_seconds", seconds)
    broken = "rclib"
    found = {line["name"]: line for line in start._imports(4)}
    assert found["rclib"]["values"] == [] and found["rclib"]["missing"] == "no such package"
    assert found["echoes"]["values"] == [0.5] * 4 and asked.count("rclib") == 3
    broken = "ESNRegressor"
    asked.clear()
    with pytest.raises(RuntimeError, match="no such package"):
        start._imports(4)


def test_own_failure_is_not_swallowed() -> None:
    def broken() -> race.Run:
        raise ValueError("ours")

    with pytest.raises(ValueError, match="ours"):
        race.race([race.Entry("ours", "ours", broken)], race.Effort(rounds=1))


def test_peer_that_ends_its_process_is_left_out_and_the_rest_runs_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[list[str]] = []

    def process(row: str, threads: int, quick: bool, gone: list[str]) -> tuple[dict[str, Any], str]:
        asked.append(list(gone))
        return {"cases": []}, "" if "rclib" in gone else "rclib"

    monkeypatch.setattr(run, "_process", process)
    run._measured("fit", 1, quick=True)
    assert asked == [[], ["rclib"]]
    line = race.race(
        [race.Entry("rclib, cholesky", "peer", lambda: int)],
        race.Effort(without=frozenset({"rclib"})),
    )[0]
    assert line["values"] == [] and "ended the process" in line["missing"]


def test_page_shows_ratio_verdict_missing_peer_and_the_date_of_what_is_older() -> None:
    new = race.case(
        "N = 5",
        [
            *lines(ours=[0.002], quick=[0.01]),
            race.line("gone", "peer", [], missing="no such package"),
        ],
    )
    new["targets"] = [race.faster("ours", 4.0), race.faster("ours", 6.0)]
    old = race.case("full W", lines(ours=[1.0]), steps=1000)
    results = {
        "entries": {
            "fit/1": entry("2026-05-02T10:00", new),
            "states/2": entry("2026-01-02T10:00", old, numpy="2.0"),
        }
    }
    page = render.rendered(results, SECTIONS)
    assert "| fit: ours | N = 5 | fastest peer | ≥ 4× | yes: 5× (5 .. 5) quick |" in page
    assert "≥ 6× | **no**: 5× (5 .. 5) quick |" in page
    assert "| N = 5 | gone | missing |  |  |  |  | no such package |" in page
    assert (
        "### two threads, measured on 2026-01-02 (with numpy 2.0)" in page
        and "### one thread\n" in page
    )
    assert "| full W | ours | 1,000 µs/step |" in page


def test_former_entries_stay_where_a_row_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "results.json").write_text(
        json.dumps(
            {"entries": {"states/1": entry("2026-01-02T10:00", race.case("W", lines(ours=[1.0])))}}
        )
    )
    fresh = entry("2026-05-02T10:00", race.case("N", lines(ours=[2.0])))
    monkeypatch.setattr(run, "_measured", lambda row, threads, quick: fresh)
    assert run.main(["--rows", "fit", "--threads", "1", "--out", str(tmp_path)]) == 0
    kept = json.loads((tmp_path / "results.json").read_text())["entries"]
    assert (kept["states/1"]["date"], kept["fit/1"]["date"]) == (
        "2026-01-02T10:00",
        "2026-05-02T10:00",
    )
    assert "measured on 2026-01-02" in (tmp_path / "RESULTS.md").read_text()


def test_samples_belong_to_their_innermost_frame() -> None:
    stacks = [
        "main (a.py:1);fit (b.py:2);dgemm_kernel (libscipy_openblas64_-32.so) 6",
        "main (a.py:1);drive (drive.py:9);0x7f2c (?) 2",
        "main (a.py:1);DOUBLE_add (numpy/_core/_multiarray_umath.cpython-311-x86_64-linux-gnu.so) "
        "1",
        "main (a.py:1);gc_collect_main (libpython3.11.so.1.0) 1",
    ]
    assert paper.shares(stacks) == dict(zip(paper.PLACES, (60.0, 20.0, 10.0, 10.0), strict=True))


def test_links_have_the_same_number_in_every_row_and_the_radius_of_the_circular_law() -> None:
    matrix = peers.sparse_links(400)
    assert (np.diff(matrix.indptr) == 40).all()
    assert np.abs(np.linalg.eigvals(matrix.toarray())).max() == pytest.approx(peers.RADIUS, rel=0.1)


def test_a_start_loses_the_rows_that_nobody_knows() -> None:
    """Parity of three signs cannot be known in the first two rows, and can in all others."""
    ring = {"activation": "spherical", "topology": "ring", "bias_ratio": 3.0}
    lost = unknown_pasts.measure(
        unknown_pasts.parity, 0, units=60, train=600, memory=1.0, bend=1.0, **ring
    )
    assert 1.8 < lost["8 nearest of 64 pasts"] < 3.0 < lost["empty"] < lost["empty, as it is"]
