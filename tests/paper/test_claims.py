"""Claims: whose they are, whether they are quotations, and verdicts that respect errors."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pytest
import xarray as xr
from scipy import stats

from spheresn_paper.claim import (
    Claim,
    all_of,
    all_or_some,
    any_of,
    format_claim,
    graded,
    in_order,
    read_claims,
    verdict,
)
from spheresn_paper.interval import Interval, jackknife, of_mean, of_share

WORDS = ("holds", "fails", "open")


def possible(parts, judge):
    """The verdicts that result when every part that is open turns out one way or the other."""
    choices = [("holds", "fails") if part == "open" else (part,) for part in parts]
    return {judge(chosen) for chosen in product(*choices)}


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_verdict_on_parts_is_open_where_the_open_parts_matter(count):
    """And only there."""

    def plainly(parts):
        return verdict(all(p == "holds" for p in parts), any(p == "holds" for p in parts))

    for parts in product(WORDS, repeat=count):
        outcomes = possible(parts, plainly)
        expected = outcomes.pop() if len(outcomes) == 1 else "open"
        assert all_or_some(parts) == expected, parts


def test_all_some_and_two_conditions():
    for parts in product(WORDS, repeat=2):
        for function, ask in ((all_of, all), (any_of, any)):
            outcomes = possible(parts, lambda some, ask=ask: ask(p == "holds" for p in some))
            expected = ("holds" if outcomes.pop() else "fails") if len(outcomes) == 1 else "open"
            assert function(parts) == expected, parts
    assert [graded(*pair) for pair in product(WORDS, repeat=2)] == [
        *("holds", "holds", "holds"),
        *("partly", "fails", "open"),
        *("open", "open", "open"),
    ]


def test_an_interval_is_judged_at_both_ends():
    def rule(value):
        return verdict(value <= 1.0, value <= 2.0)

    ends = [((0.0, 0.9), "holds"), ((0.9, 1.1), "open"), ((1.1, 1.9), "partly")]
    ends += [((1.9, 2.1), "open"), ((2.1, 9.0), "fails"), ((0.0, 9.0), "open")]
    for (low, high), expected in ends:
        assert Interval((low + high) / 2, low, high).judge(rule) == expected
    assert Interval(1.0, 1.0, 1.0).below(1.0) == "holds" and Interval(1, 1, 1).above(1.0) == "fails"
    assert Interval(1.0, 0.5, 1.5).below(1.0) == Interval(1.0, 0.5, 1.5).above(1.0) == "open"


@pytest.mark.parametrize(
    ("interval", "expected"),
    [((-3, -4, -2), (3, 2, 4)), ((1, -2, 3), (1, 0, 3)), ((2, 1, 3), (2, 1, 3))],
)
def test_the_interval_of_a_magnitude(interval, expected):
    assert Interval(*interval).magnitude() == Interval(*expected)


def test_the_interval_of_a_mean_is_that_of_student():
    """t(.975) is 12.7062 for one degree of freedom and 4.3027 for two."""
    two = of_mean([1.0, 3.0])
    np.testing.assert_allclose([two.low, two.high], [2 - 12.7062, 2 + 12.7062], atol=1e-4)
    three = of_mean([1.0, np.nan, 2.0, 3.0])
    np.testing.assert_allclose(three.high - 2, 4.3027 / np.sqrt(3), atol=1e-4)
    rng = np.random.default_rng(0)
    values = rng.standard_normal(7)
    low, high = stats.t.interval(0.95, 6, values.mean(), stats.sem(values))
    one = of_mean(values)
    np.testing.assert_allclose([one.low, one.high], [low, high], rtol=1e-12)
    many = of_mean(values, tests=5)
    low, high = stats.t.interval(0.99, 6, values.mean(), stats.sem(values))
    np.testing.assert_allclose([many.low, many.high], [low, high], rtol=1e-12)


def test_one_network_or_none_has_no_interval():
    assert np.isnan([of_mean([1.0]).low, of_mean([]).centre, of_share(0, 0).low]).all()
    assert of_mean([1.0, np.nan]).centre == 1.0
    single = xr.DataArray([2.0], dims="network")
    alone = jackknife(single, lambda some: float(some.mean()))
    assert alone.centre == 2.0 and np.isnan(alone.low)
    holed = xr.DataArray([2.0, np.nan], dims="network")
    assert np.isnan(jackknife(holed, lambda some: float(some.mean(skipna=False))).centre)


@pytest.mark.parametrize(("count", "total"), [(0, 6), (3, 6), (146, 180), (180, 180)])
def test_the_interval_of_a_share_is_that_of_wilson(count, total):
    z, p = stats.norm.isf(0.025), count / total
    middle = (p + z * z / (2 * total)) / (1 + z * z / total)
    reach = z / (1 + z * z / total) * np.sqrt(p * (1 - p) / total + z * z / (4 * total**2))
    found = of_share(count, total)
    np.testing.assert_allclose([found.low, found.high], [middle - reach, middle + reach], atol=1e-9)


def test_the_jackknife_of_a_mean_is_student_and_a_share_stays_one():
    rng = np.random.default_rng(1)
    table = xr.DataArray(rng.standard_normal((6, 3)), dims=("network", "task"))
    one, other = jackknife(table, lambda some: float(some.mean())), of_mean(table.mean("task"))
    np.testing.assert_allclose([one.low, one.high], [other.low, other.high], rtol=1e-12)
    assert Interval(0.1, -0.2, 1.4).as_share() == Interval(0.1, 0.0, 1.0)


def claim(**more):
    usual = {"id": "c", "figure": "Fig. 1", "source": "eqn:a", "says": "s", "measured": "m"}
    return Claim(**{**usual, "rule": "r", "verdict": "holds", **more})


def test_the_source_tells_whose_claim_it_is():
    assert claim().by == "paper" and claim(source="this library").by == "library"
    for wrong in (
        {"by": "library"},
        {"source": "this library", "by": "paper"},
        {"source": "this library", "quoted": True},
    ):
        with pytest.raises(ValueError, match="by must be library, without a quotation, where"):
            claim(**wrong)


def test_claims_are_sorted_by_weight_and_otherwise_stay_in_order():
    claims = [
        {"id": name, "by": by, "weight": weight}
        for name, by, weight in (("a", "paper", 1), ("b", "library", 2), ("c", "paper", 3))
    ] + [{"id": "d", "by": "paper", "weight": 1}]
    assert [one["id"] for one in in_order(claims, "paper")] == ["c", "a", "d"]
    assert [one["id"] for one in in_order(claims, "library")] == ["b"]


def test_a_claim_as_text_has_quotation_marks_around_quotations_only(tmp_path):
    words = ("id", "figure", "source", "says", "measured", "rule")
    one = {**dict.fromkeys(words, "w"), "verdict": "open", "evidence": {}}
    path = tmp_path / "claims.json"
    path.write_text(json.dumps([one, {**one, "id": "q", "quoted": True}]))
    found = read_claims(path)  # a file without the newer fields can be read
    assert found["w"]["quoted"] is False and found["w"]["weight"] == 2
    assert "too close to call" in format_claim(found["w"]) and "“" not in format_claim(found["w"])
    assert "says      “w”" in format_claim(found["q"])
