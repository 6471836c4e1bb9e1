"""The pages about the theory speak of things that exist."""

import re
from functools import reduce
from pathlib import Path

import pytest

import spheresn

ROOT = Path(__file__).parents[1]
LABELS = {
    "eqn:ESN",
    "eqn:linear_update",
    "eqn:activation",
    "eqn:reservoir_readout",
    "eqn:new_system",
    "eqn:new_linear_update",
    "eqn:new_activation",
    "eqn:condition",
    "enq:map",
    "eqn:evolution",
    "eqn:evolution_IC",
    "eqn:evolution_general",
    "eqn:jacobian",
    "eqn:jacobian_approx",
    "eqn:LLE",
    "eqn:input_3",
    "eqn:norm_factor",
    "eqn:final_state",
    "eqn:memory_matrix",
    "eqn:stateupdate_one-step",
    "eqn:update",
    "eqn:impact_input",
    "eqn:module",
    "eqn:impact",
    "eqn:memory_loss",
    "eqn:memory_linear",
    "eqn:memory_linear_fixed_step",
    "eqn:memory_linear_fixed_state",
    "eqn:tanh_memory",
    "eqn:error",
    "eqn:MSO",
    "eqn:MG",
    "eqn:contractivity",
}
ROWS = [
    line.strip("| ").split(" | ")
    for line in (ROOT / "docs" / "equations.md").read_text().splitlines()
    if "::" in line
]


def test_every_labelled_equation_of_the_paper_has_a_row():
    labelled = [row[0].strip("`") for row in ROWS if row[0].startswith("`")]
    assert len(labelled) == len(set(labelled)) and set(labelled) == LABELS


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_functions_and_tests_in_the_table_exist(row):
    function, test = (cell.strip("` ") for cell in row[-2:])
    assert callable(reduce(getattr, function.split("."), spheresn)), function
    file, name = test.split("::")
    assert re.search(rf"^def {name}\(", (ROOT / "tests" / file).read_text(), re.MULTILINE), test


def test_labels_in_the_code_and_in_the_pages_are_the_paper_s():
    texts = [*(ROOT / "src").rglob("*.py"), *(ROOT / "docs").glob("*.md")]
    used = {
        label
        for path in texts
        for label in re.findall(r"\be(?:qn|nq):[A-Za-z_\-]+\d?", path.read_text())
    }
    assert used <= LABELS, used - LABELS


def test_functions_named_on_the_theory_page_exist():
    text = (ROOT / "docs" / "theory.md").read_text()
    names = {
        name
        for name in re.findall(r"`([A-Za-z_.]+)(?:\([^`]*\))?`", text)
        if not name.endswith((".bib", ".cff"))
    }
    assert len(names) > 20
    for name in names:
        homes = (spheresn, spheresn.analysis)
        assert any(_reach(home, name) for home in homes), name


def test_keys_on_the_theory_page_resolve():
    keys = set(re.findall(r"^@\w+\{(\w+)", (ROOT / "references.bib").read_text(), re.MULTILINE))
    assert (
        set(re.findall(r"\[([A-Z]{2,4}\d{2})\]", (ROOT / "docs" / "theory.md").read_text())) <= keys
    )


def test_every_public_measure_is_in_the_table():
    """Functions of `analysis`; the result classes come with them."""
    listed = {row[-2].strip("` ").removeprefix("analysis.") for row in ROWS}
    functions = {name for name in spheresn.analysis.__all__ if name[0].islower()}
    assert functions <= listed, functions - listed


def _reach(home, name):
    for part in name.split("."):
        if not hasattr(home, part):
            return False
        home = getattr(home, part)
    return True
