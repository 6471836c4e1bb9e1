"""Mutants of the library: small wrong changes, each of which some test should notice.

    make mutants                                   # 100 mutants, seed 0: tests/MUTANTS.md
    make mutants MUTANTS="--count 300 --seed 1"    # goes on where it was stopped

A sample of changes is drawn from all places in `src/spheresn` where a comparison, an operator, a
number or a condition stands. Each changed copy of the library is tested by the tests that reach the
changed line, the quickest first, until one fails. What passes is listed with a verdict, which
somebody must write into `mutants.json`: "equivalent" (no input can tell), "tuning" (a choice of
speed or taste that no theorem fixes) or "hole" (a test is missing). Left out are compiled loops,
whose lines cannot be watched (they are compared to the plain step by tests of their own), the
applications, and numbers that are names of their own: they are settings.

Tools for this (mutmut, cosmic-ray) run the whole suite for each mutant, or watch lines without the
caches of compiled code; this script is shorter than their configuration would be.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).parent.parent
LIBRARY = Path("src", "spheresn")
SOURCES = sorted((ROOT / LIBRARY).rglob("*.py"))
# What was measured holds for these sources only
BUILD = (
    ROOT / "build" / "mutants" / sha256(b"".join(map(Path.read_bytes, SOURCES))).hexdigest()[:12]
)
TABLE, VERDICTS = ROOT / "tests" / "MUTANTS.md", ROOT / "tests" / "mutants.json"
LEFT_OUT = ("apps", "kernels", "adapters", "plotting.py", "__main__.py")
# They test other things than the library, or its mistakes only; or they watch lines themselves
APART = (
    *("faults", "explorer", "paper", "data"),
    *("test_benchmarks", "test_cli", "test_dependencies", "test_docs", "test_examples"),
    *("test_fuzz", "test_start", "test_architecture", "test_constants", "test_readme"),
    *("test_league", "test_classification_league", "test_series_benchmark", "test_compiling"),
    *("test_fields_benchmark", "test_fields_cli", "test_own_cli", "test_current_folder"),
    *("test_interrupted_fit", "test_unchanged", "test_determinism"),
)
SECONDS = 60.0  # of the tests of one mutant, at most, by their usual times
PATIENCE = 6.0  # times as long, then it hangs, which counts as noticed
COMPARED = {
    ast.Lt: (ast.LtE, ast.GtE), ast.LtE: (ast.Lt, ast.Gt), ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt), ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,), ast.In: (ast.NotIn,), ast.NotIn: (ast.In,),
}  # fmt: skip
COMPUTED = {
    ast.Add: (ast.Sub,), ast.Sub: (ast.Add,), ast.Mult: (ast.Div,), ast.Div: (ast.Mult,),
    ast.FloorDiv: (ast.Mult,), ast.Mod: (ast.Mult,), ast.Pow: (ast.Mult,),
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """One change: a file of the library, the line, what stood there and what stands there now;
    again: how often the same change was possible before in this line.
    """

    path: str
    line: int
    place: int
    before: str
    after: str
    again: int = 0

    @property
    def change(self) -> str:
        return f"{self.before} -> {self.after}" + (f" ({self.again + 1})" if self.again else "")

    @property
    def name(self) -> str:
        return f"{self.path}:{self.line}: {self.change}"


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description="Mutants of the library.")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--without", nargs="*", default=[], help="parts of paths to leave out")
    parser.add_argument("--survivors", action="store_true", help="only those that passed before")
    chosen = parser.parse_args(arguments)
    BUILD.mkdir(parents=True, exist_ok=True)
    reach = reached()
    sample = drawn(chosen.count, chosen.seed, chosen.without)
    found = json.loads(kept().read_text()) if kept().exists() else {}
    for number, mutant in enumerate(sample, 1):
        again = chosen.survivors and found.get(mutant.name) == "passed"
        if mutant.name not in found or again:
            found[mutant.name] = tried(mutant, reach)
            kept().write_text(json.dumps(found, indent=1, ensure_ascii=False))
        print(f"{number}/{len(sample)} {found[mutant.name]}: {mutant.name}", flush=True)
    text = table(sample, found, chosen)
    TABLE.write_text(text, encoding="utf-8")
    print(text)


def kept() -> Path:
    return BUILD / "outcomes.json"


# What can be changed


def drawn(count: int, seed: int, without: Sequence[str]) -> list[Mutant]:
    """A sample of all mutants of the library; that of a larger count begins with it."""
    everything = [
        mutant
        for path in SOURCES
        if not any(part in path.relative_to(ROOT / LIBRARY).parts for part in LEFT_OUT)
        and not any(part in path.as_posix() for part in without)
        for mutant in mutants_of(path)
    ]
    random.Random(seed).shuffle(everything)
    return everything[:count]


def mutants_of(path: Path) -> Iterator[Mutant]:
    text = path.read_text(encoding="utf-8")
    again: Counter[tuple[int, str, str]] = Counter()
    for place, (node, replacement) in enumerate(changes(ast.parse(text))):
        change = node.lineno, one_line(ast.unparse(node)), one_line(ast.unparse(replacement))
        line, before, after = change
        yield Mutant(path.relative_to(ROOT).as_posix(), line, place, before, after, again[change])
        again[change] += 1


def one_line(code: str) -> str:
    return " ".join(code.split())


def changes(tree: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """An expression and what takes its place, always in the same order."""
    for node in watched(tree):
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            for other in COMPARED[type(node.ops[0])]:
                yield node, ast.Compare(node.left, [other()], node.comparators)
        elif isinstance(node, ast.BinOp) and not isinstance(
            node.left, ast.Constant | ast.JoinedStr
        ):
            for other in COMPUTED.get(type(node.op), ()):
                yield node, ast.BinOp(node.left, other(), node.right)
        elif isinstance(node, ast.BoolOp):
            swapped = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield node, ast.BoolOp(swapped, node.values)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
            yield node, node.operand
        elif isinstance(node, ast.IfExp):
            yield node, ast.IfExp(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse)
        elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
            yield node, ast.Constant(not node.value)
        elif isinstance(node, ast.Constant) and isinstance(node.value, int):
            yield node, ast.Constant(node.value + 1)
        elif isinstance(node, ast.Constant) and isinstance(node.value, float):
            yield node, ast.Constant(1.2 * node.value if node.value else 0.2)


def watched(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes inside of functions, without annotations, decorators, defaults and errors."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            for statement in node.body:
                yield from inside(statement)


def inside(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Raise | ast.Assert):
        return  # functions in functions come by themselves
    yield node
    for name, value in ast.iter_fields(node):
        if name not in ("annotation", "returns", "decorator_list"):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from inside(child)


# Which tests reach it


def reached() -> dict[str, dict[int, list[str]]]:
    """File -> line -> tests, the quickest first. Measured once, and again for new test files."""
    rounds = sorted(BUILD.glob("times-*.xml"))
    last = max((one.stat().st_mtime for one in rounds), default=0.0)
    new = [name for name in test_files() if (ROOT / name).stat().st_mtime > last]
    if new:
        measure(new, len(rounds))
    seconds: dict[str, float] = {}
    reach: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    for number in range(len(rounds) + bool(new)):
        found = passed_tests(BUILD / f"times-{number}.xml")
        files = {test.partition("::")[0] for test in found}
        seconds = {t: took for t, took in seconds.items() if t.partition("::")[0] not in files}
        seconds |= found
        for path, line, test in contexts(BUILD / f"coverage-{number}"):
            reach[path][line].add(test)
    return {
        path: {line: quickest(tests, seconds) for line, tests in lines.items()}
        for path, lines in reach.items()
    }


def test_files() -> list[str]:
    return [
        path.relative_to(ROOT).as_posix()
        for path in sorted((ROOT / "tests").glob("test_*.py"))
        if path.stem not in APART
    ]


def measure(names: Sequence[str], number: int) -> None:
    """Run these test files and note which test runs which lines."""
    config, times = BUILD / "coverage.cfg", BUILD / f"times-{number}.xml"
    config.write_text(
        f"[run]\nsource = {ROOT / LIBRARY}\ndata_file = {BUILD / f'coverage-{number}'}\n"
    )
    command = [
        sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "--cov",
        f"--cov-config={config}", "--cov-context=test", "--cov-report=",
        f"--junitxml={times}.part", "-o", "junit_family=xunit1", *names,
    ]  # fmt: skip
    subprocess.run(command, cwd=ROOT, check=False)
    Path(f"{times}.part").replace(times)


def passed_tests(times: Path) -> dict[str, float]:
    """Test -> seconds, of those that passed."""
    return {
        f"{case.get('file')}::{case.get('name')}": float(case.get("time") or 0.0)
        for case in ElementTree.parse(times).getroot().iter("testcase")
        if case.find("failure") is None and case.find("error") is None
    }


def contexts(data: Path) -> Iterator[tuple[str, int, str]]:
    """File of the library, line, test."""
    from coverage.numbits import numbits_to_nums

    with sqlite3.connect(data) as base:
        rows = base.execute(
            "SELECT file.path, context.context, line_bits.numbits FROM line_bits "
            "JOIN file ON file.id = line_bits.file_id "
            "JOIN context ON context.id = line_bits.context_id"
        ).fetchall()
    for path, context, bits in rows:
        name, test = Path(path).relative_to(ROOT).as_posix(), context.partition("|")[0]
        for line in numbits_to_nums(bits):
            yield name, line, test


def quickest(tests: set[str], seconds: dict[str, float]) -> list[str]:
    """Those that passed, the quickest first, as many as run in SECONDS."""
    total, chosen = 0.0, []
    for test in sorted((one for one in tests if one in seconds), key=lambda one: seconds[one]):
        total += seconds[test]
        if chosen and total > SECONDS:
            break
        chosen.append(test)
    return chosen


# Whether a test notices


def tried(mutant: Mutant, reach: dict[str, dict[int, list[str]]]) -> str:
    """ "noticed", "hangs", "passed" or "not reached"."""
    lines = reach.get(mutant.path, {})  # a line within a statement may not be among them
    tests = lines.get(max((one for one in lines if one <= mutant.line), default=0), [])
    if not tests:
        return "not reached"
    tree = BUILD / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(ROOT / "src", tree / "src", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ROOT.iterdir():
        if name.name not in ("src", "build", ".git", ".venv", "results"):
            (tree / name.name).symlink_to(name)
    changed = tree / mutant.path
    changed.write_text(with_change(changed.read_text(encoding="utf-8"), mutant), encoding="utf-8")
    command = [
        sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider",
        "--rootdir", str(tree), *tests,
    ]  # fmt: skip
    env = {**os.environ, "PYTHONPATH": str(tree / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    run = subprocess.Popen(
        command, cwd=tree, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True,
    )  # fmt: skip
    try:
        return "passed" if run.wait(60.0 + PATIENCE * SECONDS) == 0 else "noticed"
    except subprocess.TimeoutExpired:
        os.killpg(run.pid, signal.SIGKILL)
        run.wait()
        return "hangs"


def with_change(text: str, mutant: Mutant) -> str:
    """The file with the change in its place; everything else stays as it is, line by line."""
    node, replacement = list(changes(ast.parse(text)))[mutant.place]
    assert node.end_lineno is not None and node.end_col_offset is not None
    lines = [line.encode() for line in text.splitlines(keepends=True)]
    first, last = node.lineno - 1, node.end_lineno - 1
    head, tail = lines[first][: node.col_offset], lines[last][node.end_col_offset :]
    code = one_line(ast.unparse(ast.fix_missing_locations(replacement)))
    code = f"({code}{chr(10) * (last - first)})"
    lines[first : last + 1] = [head + code.encode() + tail]
    return b"".join(lines).decode()


# What is told


def table(sample: Sequence[Mutant], found: dict[str, str], chosen: argparse.Namespace) -> str:
    verdicts = json.loads(VERDICTS.read_text(encoding="utf-8")) if VERDICTS.exists() else {}
    count: dict[str, Counter[str]] = defaultdict(Counter)
    survivors = []
    for mutant in sorted(sample, key=lambda one: (one.path, one.line, one.place, one.after)):
        outcome = found[mutant.name]
        if outcome in ("passed", "not reached"):
            verdict, reason = verdicts.get(key(mutant), ("hole", "no verdict yet"))
            survivors.append(f"| `{escaped(mutant.name)}` | {verdict} | {reason} |")
            outcome = verdict
        count[package(mutant)][outcome] += 1
        count["all"][outcome] += 1
    head = (
        f"# Mutants\n\n`make mutants` wrote this. {len(sample)} mutants, seed {chosen.seed}"
        + (f", without {', '.join(chosen.without)}" if chosen.without else "")
        + ". What is changed, and how it is judged, `tests/mutants.py` says.\n\n"
        "| package | mutants | noticed | equivalent | tuning | holes | noticed, of what counts |\n"
        "|---|--:|--:|--:|--:|--:|--:|\n"
    )
    rows = [line(name, one) for name, one in sorted(count.items(), key=lambda one: one[0] == "all")]
    passed = "\n\n## Those that pass\n\n| change | verdict | why |\n|---|---|---|\n"
    return head + "\n".join(rows) + passed + "\n".join(survivors) + "\n"


def line(name: str, one: Counter[str]) -> str:
    noticed = one["noticed"] + one["hangs"]
    counted = noticed + one["hole"]
    share = f"{100 * noticed / counted:.0f} %" if counted else ""
    cells = (one.total(), noticed, one["equivalent"], one["tuning"], one["hole"], share)
    return f"| {name} | " + " | ".join(map(str, cells)) + " |"


def key(mutant: Mutant) -> str:
    """With the text of the line instead of its number, which moves."""
    text = (ROOT / mutant.path).read_text(encoding="utf-8").splitlines()[mutant.line - 1].strip()
    return f"{mutant.path}: {text}: {mutant.change}"


def package(mutant: Mutant) -> str:
    parts = Path(mutant.path).relative_to(LIBRARY).parts
    return parts[0] if len(parts) > 1 else "spheresn"


def escaped(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    main(sys.argv[1:])
