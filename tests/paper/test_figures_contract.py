"""What every experiment owes to the machinery, and the geometry of Fig. 2."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys

import numpy as np
import pytest

from spheresn_paper.figures import EXPERIMENTS, ORDER, Claim
from spheresn_paper.report.publish import restore_tuples
from spheresn_paper.reproduce import PRESETS
from spheresn_paper.runner import canonical


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_configurations_and_tasks_are_plain_values(name):
    module = EXPERIMENTS[name]
    assert (
        name == module.NAME
        and set(module.PRESETS) == set(PRESETS)
        and module.FIGURE
        and module.TITLE
    )
    for config in module.PRESETS.values():
        again = module.Config(
            **{
                key: restore_tuples(value)
                for key, value in json.loads(canonical(dataclasses.asdict(config))).items()
            }
        )
        assert again == config
        tasks = module.tasks(config)
        assert json.loads(canonical(tasks)) == tasks and tasks == module.tasks(again)
        assert len({canonical(task) for task in tasks}) == len(tasks) > 0


@pytest.mark.filterwarnings(
    "ignore"
)  # of empty legends and medians of nothing, which `publish` does not show
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_experiment_without_any_result_is_all_holes_and_no_error(name):
    module = EXPERIMENTS[name]
    config = module.PRESETS["smoke"]
    dataset = module.collect(config, [None] * len(module.tasks(config)))
    assert module.plot(dataset)
    assert all(isinstance(claim, Claim) for claim in module.claims(dataset))


def test_experiments_stand_in_the_order_of_the_paper():
    assert tuple(EXPERIMENTS) == ORDER
    figures = [EXPERIMENTS[name].FIGURE for name in ORDER]
    assert figures[:8] == [*(f"Fig. {n}" for n in range(1, 7)), "Figs. 7-9", "Counterexamples"]
    assert set(figures[8:]) == {"beyond the paper"}


ONE = """
import sys
from spheresn_paper.figures import EXPERIMENTS
def imported():
    here = "spheresn_paper.figures."
    return {name.removeprefix(here) for name in sys.modules if name.startswith(here)}
assert "memory" in EXPERIMENTS and len(EXPERIMENTS) == 12 and not imported(), imported()
assert not {"matplotlib", "xarray"} & set(sys.modules)
assert EXPERIMENTS["geometry"].NAME == "geometry"
assert imported() == {"fig2_geometry", "common"}, imported()
"""


def test_a_figure_is_imported_when_it_is_asked_for():
    run = subprocess.run([sys.executable, "-c", ONE], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


def test_a_verdict_is_one_of_four_words():
    with pytest.raises(ValueError, match="verdict must be one of holds, partly, fails, open"):
        Claim("a", "b", "c", "d", "e", "f", "maybe")


def geometry(seed: int = 0):
    module = EXPERIMENTS["geometry"]
    config = module.PRESETS["smoke"]
    return module, module.collect(
        config, [module.run(config, task, seed) for task in module.tasks(config)]
    )


def test_the_drawn_states_are_on_the_circle_below_their_linear_steps():
    _, data = geometry()
    states, linear = data["state"].values, data["linear"].values
    np.testing.assert_allclose(np.linalg.norm(states, axis=1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(
        linear / np.linalg.norm(linear, axis=1)[:, None], states[1:], atol=1e-12
    )
    smallest, needed = data["margin"].values
    assert (
        smallest >= needed and np.linalg.norm(linear, axis=1).min() >= 1.0
    )  # the drawn network meets the condition, so no arrow ends inside


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_condition_keeps_every_linear_step_outside_even_for_the_worst_input(seed):
    module, data = geometry(seed)
    assert float(data["shortest"].min()) >= 1.0 - 1e-9
    assert float(data["shortest"].sel(input="worst").min()) <= float(
        data["shortest"].sel(input="random").min()
    )
    assert not ((data["meets"] == 1) & (data["never"] == 0)).any()  # sufficient
    assert {claim.id: claim.verdict for claim in module.claims(data)}[
        "condition-keeps-outside"
    ] == "holds"
