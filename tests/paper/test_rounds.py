"""Networks in rounds: intervals that stay honest, decisions that depend on the results alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr
from scipy import stats

import fake_rounds as fake
from spheresn_paper import reproduce as job
from spheresn_paper.figures import EXPERIMENTS
from spheresn_paper.interval import jackknife, look, of_mean, of_share
from spheresn_paper.rounds import format_looks, judge, looks, reached
from spheresn_paper.runner import canonical

PLANNED = looks(fake, "quick", fake.PRESETS["quick"])


def walk(values, others=(5.0, 5.1, 5.2, 5.1, 5.0, 5.2)):
    """What is reached when all results are there."""
    known = {"networks": values, "others": others}

    def load(task):
        return True, {"value": np.array(known[task["kind"]][task["network"]])}

    return reached(fake, "quick", fake.PRESETS["quick"], load)


def verdict_of(found, planned):
    dataset = fake.collect(found.config, found.results)
    return {one.id: one.verdict for one in judge(fake, planned, dataset)}["networks"]


def share_wrong(planned, runs=1500):
    """How often a mean of zero is called positive or not, by a rule that stops when it can."""
    rng, wrong = np.random.default_rng(0), 0
    for values in rng.standard_normal((runs, 24)):
        for n in PLANNED["networks"]:
            dataset = xr.Dataset({"networks": ("n", values[:n]), "others": ("o", [1.0, 1.0])})
            first = judge(fake, planned, dataset)[0].verdict
            if first != "open":
                wrong += 1
                break
    return wrong, runs


def test_intervals_of_all_looks_together_keep_their_level():
    """By simulation where every verdict is wrong. Each look on its own level of 95 % would not."""
    wrong, runs = share_wrong(PLANNED)
    assert stats.binomtest(wrong, runs, 0.05, alternative="greater").pvalue > 1e-3
    wrong, runs = share_wrong({})
    assert stats.binomtest(wrong, runs, 0.05, alternative="greater").pvalue < 1e-3


def test_the_whole_rule_keeps_the_level():
    """The walk from look to look gives up on what is out of reach, which can only help."""
    rng = np.random.default_rng(1)
    runs = [verdict_of(walk(values), PLANNED) for values in rng.standard_normal((400, 24))]
    wrong = sum(verdict != "open" for verdict in runs)
    assert stats.binomtest(wrong, len(runs), 0.05, alternative="greater").pvalue > 1e-3


def test_intervals_at_a_look():
    """Of K looks each has the level 1 - .05/K; ahead, Student's with the later number."""
    values = np.random.default_rng(2).standard_normal(6)
    with look(planned=4):
        mean, share = of_mean(values), of_share(3, 10)
        table = xr.DataArray(values, dims="network")
        left_out = jackknife(table, lambda some: float(some.mean()))
    low, high = stats.t.interval(1 - 0.05 / 4, 5, values.mean(), stats.sem(values))
    np.testing.assert_allclose([mean.low, mean.high], [low, high], rtol=1e-12)
    np.testing.assert_allclose([left_out.low, left_out.high], [low, high], rtol=1e-12)
    wilson = stats.binomtest(3, 10).proportion_ci(1 - 0.05 / 4, "wilson")
    np.testing.assert_allclose([share.low, share.high], [wilson.low, wilson.high], rtol=1e-12)
    with look(more=4.0):
        ahead, more = of_mean(values), of_share(3, 10)
    low, high = stats.t.interval(0.95, 23, values.mean(), values.std(ddof=1) / np.sqrt(24))
    np.testing.assert_allclose([ahead.low, ahead.high], [low, high], rtol=1e-12)
    assert more == replace(of_share(12, 40), centre=0.3)
    assert of_mean(values).high - of_mean(values).low < mean.high - mean.low  # as it was before


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (np.tile([1.0, 1.1, 1.2], 8), 3),  # clear
        (np.tile([-1.0, 1.0, 0.0], 8), 3),  # zero: no number of networks tells
        (np.tile([0.0, 1.0, 0.8], 8), 12),  # within reach, and then reached
        (np.r_[[0.0, 1.0, 0.8], np.tile([-0.5, 0.3], 12)], 6),  # no longer within reach
    ],
)
def test_another_round_is_computed_where_it_can_settle_a_claim(values, expected):
    found = walk(values)
    assert (found.config.networks, found.config.others, found.complete) == (expected, 2, True)
    assert found.tasks == fake.tasks(replace(fake.Config(), networks=expected, others=2))


def test_a_round_waits_for_every_result_of_the_one_before():
    """And what is there of later ones does not count."""
    values = np.tile([0.0, 1.0, 0.8], 8)

    def load(task):
        there = (task["kind"], task["network"]) != ("networks", 1)
        return there, {"value": np.array(values[task["network"]])} if there else None

    found = reached(fake, "quick", fake.PRESETS["quick"], load)
    assert (found.config.networks, found.config.others, found.complete) == (3, 2, False)


def test_a_failed_network_is_left_out_and_a_broken_rule_ends_the_rounds():
    values = [*np.tile([0.0, 1.0, 0.8], 8)]

    def load(task):
        failed = (task["kind"], task["network"]) == ("networks", 1)
        return True, None if failed else {"value": np.array(values[task["network"]])}

    found = reached(fake, "quick", fake.PRESETS["quick"], load)
    assert found.complete and found.results[1] is None

    def broken(dataset):
        raise ValueError("a rule of the claims fails")

    module = SimpleNamespace(**{**vars(fake), "claims": broken})
    found = reached(module, "quick", fake.PRESETS["quick"], load)
    assert found.complete and found.config.networks == 3


class Interrupted(Exception):
    """A run is stopped."""


def run(out, jobs, stop_after=None, seed=5):
    """Run the experiment; which units were computed, and the claims as they are written."""
    computed = []

    @contextmanager
    def show(totals: dict[str, int]) -> Iterator[object]:
        def advance(unit, error, seconds):
            if seconds is not None:
                computed.append(unit.task)
            if stop_after is not None and len(computed) >= stop_after:
                raise Interrupted

        yield advance

    experiments = {"rounds": fake}
    wanted = job.request(experiments, [], "quick", out, jobs, seed)
    job.reproduce(experiments, wanted, show, lambda text: None)
    return computed, (out / "claims.json").read_bytes()


def test_workers_interruptions_and_order_change_nothing(tmp_path):
    """One worker, three workers, and a run that is stopped twice end with the same bytes."""
    alone, claims = run(tmp_path / "one", 1)
    together, same = run(tmp_path / "three", 3)
    first = len(fake.tasks(replace(fake.Config(), networks=3, others=2)))
    assert claims == same and sorted(alone) == sorted(together)
    assert first < len(alone) < len(fake.tasks(fake.Config()))  # some rounds, but not all
    for stop in (2, first + 1 - 2):
        with pytest.raises(Interrupted):
            run(tmp_path / "stopped", 1, stop)
    _, again = run(tmp_path / "stopped", 2)
    assert again == claims
    places = [tmp_path / name / "units" for name in ("one", "three", "stopped")]
    files = [{one.name for one in place.iterdir()} for place in places]
    assert files[0] == files[1] == files[2]
    sections = job.republish({"rounds": fake}, tmp_path / "one", lambda text: None)
    assert (tmp_path / "one/claims.json").read_bytes() == claims
    assert sections[0].looks == format_looks(PLANNED, SimpleNamespace(**sections[0].config))
    page = (tmp_path / "one/report.html").read_text()
    assert sections[0].looks in page and "hold at all planned looks together" in page
    numbers = sections[0].config["networks"], sections[0].config["others"]
    assert sections[0].sizes == f"{numbers[0]} networks, {numbers[1]} others"
    known = json.loads((tmp_path / "one/runs.json").read_text())["runs"]["rounds"]["config"]
    assert canonical(known) == canonical(vars(fake.Config()))  # what was asked for


def test_what_the_findings_rest_on_is_computed_first(tmp_path):
    wanted = job.request(EXPERIMENTS, [], "quick", tmp_path, 1, 0)
    order = list(dict.fromkeys(item.unit.experiment for item in job.plan(EXPERIMENTS, wanted)))
    assert order[:3] == ["memory", "tradeoff", "stability"] and sorted(order) == sorted(EXPERIMENTS)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_the_looks_of_an_experiment_are_settings_and_end_with_the_preset(name):
    """The preset paper has one look: its intervals are plain 95 %."""
    module = EXPERIMENTS[name]
    assert set(getattr(module, "LOOKS", {})) <= {"quick"}
    assert not looks(module, "paper", module.PRESETS["paper"])
    for preset, planned in getattr(module, "LOOKS", {}).items():
        config = module.PRESETS[preset]
        for field, numbers in planned.items():
            assert numbers[0] > 1 and list(numbers) == sorted(set(numbers))
            assert numbers[-1] == getattr(config, field)
            whole = [canonical(task) for task in module.tasks(config)]
            few = module.tasks(replace(config, **{field: numbers[0]}))
            assert {canonical(task) for task in few} < set(whole)
