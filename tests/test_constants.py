"""Each number at the top of a module says why it has its value, and has a name of its own."""

import ast
import io
import tokenize
from collections import defaultdict
from pathlib import Path

import pytest

import spheresn

FOLDER = Path(spheresn.__file__).parent.parent
MODULES = sorted(
    module for name in ("spheresn", "spheresn_explorer") for module in (FOLDER / name).rglob("*.py")
)


def has_number(value: ast.AST) -> bool:
    """Whether a number is written in an expression; indices do not count."""
    indices = {
        inner
        for node in ast.walk(value)
        if isinstance(node, ast.Subscript)
        for inner in ast.walk(node.slice)
    }
    return any(
        isinstance(node, ast.Constant) and type(node.value) in (int, float)
        for node in ast.walk(value)
        if node not in indices
    )


def constants(tree: ast.Module) -> list[tuple[str, ast.expr, ast.stmt]]:
    """Name, value and statement of the numbers in capitals."""
    found = []
    for line in tree.body:
        if not isinstance(line, (ast.Assign, ast.AnnAssign)) or line.value is None:
            continue
        for target in line.targets if isinstance(line, ast.Assign) else [line.target]:
            pairs = [(target, line.value)]
            if isinstance(target, ast.Tuple):
                values = getattr(line.value, "elts", [line.value] * len(target.elts))
                pairs = list(zip(target.elts, values, strict=True))
            found += [
                (name.id, value, line)
                for name, value in pairs
                if isinstance(name, ast.Name) and name.id.isupper() and has_number(value)
            ]
    return found


def comments(text: str) -> set[int]:
    """The lines with a comment."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return {token.start[0] for token in tokens if token.type == tokenize.COMMENT}


def explained(body: list[ast.stmt], statement: ast.stmt, lines: set[int]) -> bool:
    """Whether a comment is in the statement, or above the block of statements around it."""
    if lines & set(range(statement.lineno, statement.end_lineno + 1)):
        return True
    ends = {one.end_lineno: one for one in body}
    while statement.lineno - 1 in ends:
        statement = ends[statement.lineno - 1]
    return statement.lineno - 1 in lines


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(FOLDER)))
def test_numbers_have_reasons(module):
    text = module.read_text(encoding="utf-8")
    tree, lines = ast.parse(text), comments(text)
    bare = {
        name for name, _, statement in constants(tree) if not explained(tree.body, statement, lines)
    }
    for table in tree.body:
        if isinstance(table, ast.ClassDef) and table.name.endswith("Defaults"):
            words = (ast.get_docstring(table) or "").replace(":", ",").split()
            named = {word.strip(",.;") for word in words}
            bare |= {
                f"{table.name}.{field.target.id}"
                for field in table.body
                if isinstance(field, ast.AnnAssign)
                and field.target.id not in named
                and not explained(table.body, field, lines)
            }
    assert not bare


def test_no_two_numbers_have_the_same_name():
    found = defaultdict(lambda: defaultdict(list))
    for module in MODULES:
        for name, value, _ in constants(ast.parse(module.read_text(encoding="utf-8"))):
            found[name][ast.dump(value)].append(module.name)
    several = {name: list(values.values()) for name, values in found.items() if len(values) > 1}
    assert not several
