"""Surprise: probabilities are uniform where nothing is wrong, and changes as rare as promised."""

import numpy as np
import pytest

from spheresn.estimators import surprise
from spheresn.estimators.surprise import alike_for, judged


def errors(rows, columns=1, seed=0):
    """Independent errors with heavy tails."""
    return np.random.default_rng(seed).standard_t(3, (rows, columns))


def begins(judgements):
    """Rows where a change is announced."""
    found = list(judgements)
    return [k for k in range(1, len(found)) if found[k].changed and not found[k - 1].changed]


@pytest.mark.parametrize("columns", [1, 3])
@pytest.mark.parametrize("level", [0.1, 0.01])
def test_a_share_of_level_are_alarms_whatever_the_distribution(columns, level):
    """Independent and uniform: the number of alarms is binomial."""
    found = list(judged(errors(8000, columns), level, 1e5, 100))[100:]
    p = np.array([one.probability for one in found])
    deviation = np.sqrt(level * (1 - level) / len(p))
    assert abs((p <= level).mean() - level) < 3.5 * deviation
    assert np.abs(np.sort(p) - np.linspace(0, 1, len(p))).max() < 1.7 / np.sqrt(
        len(p)
    )  # Kolmogorov, Smirnov
    assert abs(np.corrcoef(p[1:], p[:-1])[0, 1]) < 3.5 / np.sqrt(len(p))


def test_the_unit_of_errors_does_not_matter():
    """Powers of two change no digit."""
    e = errors(1500, 2)
    one, other = (list(judged(x, 0.01, 1e3, 100)) for x in (e, e * [1024.0, 2.0**-30]))
    for a, b in zip(one, other, strict=True):
        assert np.array_equal([a.size, a.probability], [b.size, b.probability], equal_nan=True)
        assert (a.evidence, a.since) == (b.evidence, b.since)
        assert np.array_equal(a.width * [1024.0, 2.0**-30], b.width)


def test_changes_by_chance_are_rarer_than_patience_says():
    """E T >= patience, because R - k is a martingale [POL85]; here of T cut off at 1,000."""
    patience, times = 40.0, []
    for seed in range(25):
        found = judged(errors(1030, 1, seed), 0.01, patience, 30)
        times.append(next((k for k, one in enumerate(found) if one.changed), 1030) - 30)
    assert np.mean(times) > patience and min(times) < 500


FAULTS = {
    "ten times as large": (lambda e: 10.0 * e, 15),
    "twice as large": (lambda e: 2.0 * e, 100),
    "shifted": (lambda e: e + 2.0, 50),
    "a third": (lambda e: e / 3.0, 150),
    "stuck at zero": (lambda e: 0.0 * e, 40),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_surprise_that_stays_is_a_change_and_ends(fault):
    change, most = FAULTS[fault]
    e = errors(4000)
    e[2000:2500] = change(e[2000:2500])
    found = list(judged(e, 0.01, 1e4, 200))
    (begin,) = begins(found)
    assert 2000 < begin < 2000 + most
    assert abs(found[begin].since - 2000) < 60
    end = next(k for k in range(begin, 4000) if not found[k].changed)
    assert 2500 < end < 3200 and found[end].since is None


def test_one_wild_row_is_an_alarm_and_no_change():
    e = errors(3000)
    e[2000] = 1e200
    found = list(judged(e, 0.001, 1e4, 200))
    assert found[2000].probability <= 1 / 1800 and found[2000].size == 1e150
    assert not begins(found)


@pytest.mark.parametrize("columns", [1, 2])
def test_an_alarm_of_one_column_is_a_row_outside_of_its_interval(columns):
    """Of several, what lies outside of the box is an alarm too, except by ties."""
    e = errors(3000, columns)
    found = list(judged(e, 0.05, 1e9, 100))
    for row, one in zip(e, found, strict=True):
        outside = (np.abs(row) > one.width).any()
        assert not outside or one.probability <= 0.05
        if columns == 1 and not outside and np.isfinite(one.width).all():
            assert one.probability > 0.05 * (1.0 - 0.2)  # its rank is at the edge, by chance
    known = [one for one in found if np.isfinite(one.width).all()]
    assert len(known) > 2800


def test_errors_that_are_alike_do_not_count_several_times():
    """Runs of five equal errors: without the time tau, chance announced 9 changes."""
    e = np.repeat(errors(2400), 5, axis=0)
    assert len(begins(judged(e, 0.01, 1e4, 500))) <= 1


@pytest.mark.parametrize("phi", [0.0, 0.5, 0.8])
def test_the_time_of_an_autoregression(phi):
    """tau = (1 + phi)/(1 - phi)."""
    x = np.random.default_rng(0).standard_normal(60_000)
    for k in range(1, len(x)):
        x[k] += phi * x[k - 1]
    assert alike_for(x) == pytest.approx((1 + phi) / (1 - phi), rel=0.15)


def test_the_time_of_what_does_not_vary():
    assert alike_for(np.ones(9)) == alike_for(np.ones(1)) == 1.0
    assert alike_for(np.array([1.0, 0.0, 0.0, 0.0])) >= 1.0


def test_only_the_newest_errors_are_kept(monkeypatch):
    """Probabilities are those of a plain count over the newest rows."""
    monkeypatch.setattr(surprise, "KEPT_ERRORS", 50)
    e, rng = errors(400), np.random.default_rng(0)
    found = list(judged(e, 0.01, 1e9, 20))
    sizes, chances = np.abs(e[:, 0]), [rng.random(2)[0] for _ in range(380)]
    for k in range(20, 400):
        past = sizes[max(20, k - 50) : k]
        larger = (past > sizes[k]).sum()
        wanted = (larger + chances[k - 20]) / (len(past) + 1)
        assert found[k].probability == pytest.approx(wanted, abs=1e-12)


def test_missing_columns_are_judged_by_the_others():
    e = errors(2000, 2)
    e[1500, 0] = e[1600] = e[10, 1] = np.nan
    e[1500, 1] = 50.0
    found = list(judged(e, 0.01, 1e4, 200))
    assert found[1500].probability <= 0.01
    assert np.isnan(found[1600].probability) and np.isnan(found[1600].size)
    assert np.isnan(found[200].probability) and np.isfinite(found[201].probability)
    assert found[1600].evidence == found[1599].evidence


def test_forecasts_without_errors_are_judged_too():
    e = np.zeros((300, 2))
    e[250] = 1e-6
    found = list(judged(e, 0.01, 1e4, 50))
    assert found[250].probability < 0.01 and not found[249].changed
