"""The comparison of two trees: it passes nothing that differs, be it the last bit of one number."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import unchanged
import unchanged_cases


def record(**values: Any) -> dict[str, Any]:
    cases = {
        place: entry
        for name, value in values.items()
        for place, entry in unchanged.leaves(name, value)
    }
    return {"about": {"preset": "smoke"}, "cases": cases}


def compared(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    old: dict[str, Any],
    new: dict[str, Any],
    *options: str,
) -> tuple[int, list[str]]:
    paths = [tmp_path / "before.json", tmp_path / "after.json"]
    for path, content in zip(paths, (old, new), strict=True):
        path.write_text(json.dumps(content))
    code = unchanged.main(["compare", *map(str, paths), *options])
    return code, capsys.readouterr().out.splitlines()


def test_equal_records_do_not_differ(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = record(states=np.linspace(0.0, 1.0, 5000), verdict="holds", gaps=[1.0, None], nothing=[])
    assert compared(tmp_path, capsys, one, one) == (0, ["4 cases, 0 differ"])


@pytest.mark.parametrize(("size", "place"), [(5, 3), (5000, 0), (5000, 1234)])
def test_last_bit_of_one_number_is_found(
    size: int, place: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = np.linspace(1.0, 2.0, size)
    after = before.copy()
    after[place] = np.nextafter(after[place], 9.0)
    code, lines = compared(tmp_path, capsys, record(a=before, b=1), record(a=after, b=1))
    assert (
        code == 1
        and lines[-1] == "2 cases, 1 differ"
        and lines[0].startswith("a: ")
        and len(lines) == 2
    )
    kept = place % (size // 200 or 1) == 0
    assert (
        f"by {(after - before)[place] / after[place]:.2g} of their size at most" in lines[0]
    ) == kept
    assert ("none of the 200 numbers kept differs" in lines[0]) != kept


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (0.0, -0.0),
        (1.0, np.float32(1.0)),
        (1, 1.0),
        (np.ones((2, 3)), np.ones((3, 2))),
        (np.nan, 1.0),
        (np.inf, 1.0),
        (1.0, "1.0"),
        ("holds", "fails"),
    ],
)
def test_whatever_is_not_the_same_differs(before: Any, after: Any) -> None:
    found, count = unchanged.compare(record(a=before), record(a=after))
    assert (
        count == 1
        and len(found) == 1
        and unchanged.compare(record(a=before), record(a=before)) == ([], 1)
    )


def test_missing_and_new_cases_are_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, lines = compared(tmp_path, capsys, record(both=1, old=2.5), record(both=1, new="x"))
    assert (code, lines) == (1, ["old: missing, was 2.5", "new: new, 'x'", "3 cases, 2 differ"])


def test_a_case_that_fails_is_never_passed_and_the_others_are_kept() -> None:
    def broken() -> Any:
        yield "first", 1.0
        raise ValueError("no such name")

    cases: unchanged.Cases = {}
    unchanged.collect(cases, "group", broken)
    assert list(cases) == ["group/first", "group"]
    found, count = unchanged.compare({"cases": cases}, {"cases": cases})
    assert count == 2 and len(found) == 1 and "ValueError: no such name" in found[0]


def test_two_results_of_one_name_are_a_failure() -> None:
    cases: unchanged.Cases = {}
    unchanged.collect(cases, "group", lambda: [("a", 1), ("a", 2)])
    assert "'group/a' twice" in cases["group"]["error"]


@pytest.mark.parametrize(
    ("after", "passes"),
    [
        ("over 9 networks the error is -1.5", True),
        ("over 9 networks the error is 1.5", False),
        ("-1.5, 9", False),
    ],
)
def test_sentences_may_be_reworded_on_request_but_not_their_figures(
    after: str, passes: bool
) -> None:
    old, new = record(a="with 9 networks we measured an error of -1.5"), record(a=after)
    assert len(unchanged.compare(old, new)[0]) == 1
    assert len(unchanged.compare(old, new, wording=True)[0]) == (0 if passes else 1)
    assert len(unchanged.compare(record(a="holds"), record(a="fails"), wording=True)[0]) == 1


def test_leaves_of_claims_rows_and_dataclasses_have_names() -> None:
    @dataclass
    class Found:
        total: float
        verdict: str

    claims = [
        {"id": "one", "evidence": {"networks": 9}},
        {"id": "two", "evidence": {"networks": 8}},
    ]
    names = record(
        claims=claims,
        rows=[{"time": "a", "x": 1.0}, {"time": "b", "x": None}],
        found=Found(1.0, "certified"),
    )["cases"]
    assert {
        "claims/one/evidence/networks",
        "claims/two/id",
        "rows/time",
        "rows/x",
        "found/total",
        "found/verdict",
    } <= names.keys()
    assert (
        names["rows/x"]["first"] == 1.0
        and np.isnan(names["rows/x"]["last"])
        and names["rows/time"]["text"] == "a\nb"
    )


def test_tables_are_read_back_to_the_last_bit() -> None:
    third = 1.0 / 3.0
    columns = unchanged._columns(f"date,x\n2021-03-01,{third!r}\n2021-03-02,\n")
    assert (
        columns["date"] == ["2021-03-01", "2021-03-02"]
        and columns["x"][0] == third
        and np.isnan(columns["x"][1])
    )


def test_columns_known_ahead_go_by_the_name_that_the_method_has() -> None:
    def before(self: Any, X: Any, known: Any = None) -> None: ...
    def after(self: Any, X: Any, exogenous: Any = None) -> None: ...

    assert (unchanged_cases._beside(before, 1), unchanged_cases._beside(after, 1)) == (
        {"known": 1},
        {"exogenous": 1},
    )


def test_another_preset_or_version_is_noted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = {**record(a=1), "about": {"preset": "quick"}}
    assert compared(tmp_path, capsys, record(a=1), other) == (
        0,
        ["note: preset was smoke, is quick", "1 cases, 0 differ"],
    )
