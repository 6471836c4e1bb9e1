"""The script behind `make mutants`: what it changes, and how it counts."""

import argparse
import ast
import json

import mutants
from mutants import Mutant, changes, drawn, table, with_change

SOURCE = '''"""Numbers: 1 < 2."""
LIMIT = 3.0


def half(a: int = 4, b: float = 5.0) -> bool:
    """Not 6."""
    if not (a < b and a + 1.5
            > 0):
        raise ValueError(7)
    return True
'''


def test_a_change_replaces_one_expression_in_its_place():
    """Conditions, operators and numbers in functions; no defaults, errors, texts or settings."""
    found = list(changes(ast.parse(SOURCE)))
    texts = []
    for place, (node, _) in enumerate(found):
        mutant = Mutant("half.py", node.lineno, place, "", "")
        text = with_change(SOURCE, mutant)
        ast.parse(text)
        assert text.count("\n") == SOURCE.count("\n") and text != SOURCE
        texts.append(text)
    assert len(set(texts)) == len(texts) == 10
    assert sum("1.7999999999999998" in text for text in texts) == 1
    assert sum("return (False)" in text for text in texts) == 1
    assert all("LIMIT = 3.0" in text and "ValueError(7)" in text for text in texts)


def test_a_sample_is_the_same_again_and_the_beginning_of_a_larger_one():
    few, many = drawn(5, 3, []), drawn(50, 3, [])
    assert few == many[:5] == drawn(5, 3, []) and few != drawn(5, 4, [])
    assert not any("/kernels/" in one.path or "/apps/" in one.path for one in many)
    every = drawn(10**6, 3, ["metrics"])
    assert all("metrics" not in one.path for one in every)
    assert len({one.name for one in every}) == len(every)


def test_the_table_counts_by_package_and_asks_for_verdicts(monkeypatch, tmp_path):
    path = tmp_path / "verdicts.json"
    library = tmp_path / "src" / "spheresn"
    (library / "readout").mkdir(parents=True)
    (library / "metrics.py").write_text("    if a < b:\n    a | b\n")
    (library / "readout" / "loo.py").write_text("1\n" * 3)
    known = {"src/spheresn/metrics.py: if a < b:: a < b -> a <= b": ["equivalent", "never equal"]}
    path.write_text(json.dumps(known))
    monkeypatch.setattr(mutants, "VERDICTS", path)
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    made = [
        Mutant("src/spheresn/metrics.py", 1, 0, "a < b", "a <= b"),
        Mutant("src/spheresn/metrics.py", 2, 1, "a | b", "b"),
        *(Mutant("src/spheresn/readout/loo.py", k, k, "1", "2") for k in range(1, 4)),
    ]
    outcomes = dict(
        zip(
            (one.name for one in made),
            ["passed", "noticed", "hangs", "passed", "not reached"],
            strict=True,
        )
    )
    text = table(made, outcomes, argparse.Namespace(seed=7, without=[]))
    assert "| spheresn | 2 | 1 | 1 | 0 | 0 | 100 % |" in text
    assert "| readout | 3 | 1 | 0 | 0 | 2 | 33 % |" in text
    assert "| all | 5 | 2 | 1 | 0 | 2 | 50 % |" in text
    assert "5 mutants, seed 7" in text and text.count("no verdict yet") == 2
    assert "never equal" in text
