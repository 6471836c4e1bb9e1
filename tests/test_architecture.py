"""The shape of the library: imports point down, the interface is small, and imports are quiet."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import spheresn
from spheresn.apps._extras import EXTRAS

ROOT = Path(spheresn.__file__).parent
SOURCES = ROOT.parent
PACKAGES = ("spheresn", "spheresn_explorer", "spheresn_paper")
LAYERS = [
    ["_errors", "_running", "_version"],
    ["_formatting", "_validation"],
    ["_numerics"],
    ["sphere", "system", "topology", "metrics"],
    ["activations"],
    ["reservoir", "compose", "kernels", "driving", "grid"],
    ["readout", "series"],
    ["closed_loop"],
    ["_plain", "analysis", "assimilation", "datasets"],
    ["plotting", "selection"],
    ["estimators"],
    ["io"],
    ["forecasting"],
    ["adapters"],
    ["apps._extras", "apps._json", "apps._pages", "apps._terminal"],
    ["apps.tables"],
    ["apps.forecasts"],
    ["spheresn_explorer", "spheresn_paper"],
    ["apps.cli"],
    ["__main__"],
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
# Within a layer there is an order too: what may import what beside it.
BESIDE = {
    ("compose", "reservoir"),
    ("driving", "compose"),
    ("driving", "kernels"),
    ("driving", "reservoir"),
    ("grid", "driving"),
    ("grid", "reservoir"),
}


def part_of(module: tuple[str, ...]) -> str:
    """The part that a module belongs to: within spheresn its first name, or one more within `apps`;
    the other packages are a part each.
    """
    if module[0] != "spheresn":
        return module[0]
    return ".".join(module[1:3]) if module[1] == "apps" else module[1]


def parts_imported(path: Path) -> set[str]:
    """The parts that a file imports, wherever in the file."""
    package = path.relative_to(SOURCES).parts[:-1]
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            modules = [tuple(alias.name.split(".")) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            named = tuple((node.module or "").split(".")) if node.module else ()
            base = package[: len(package) - node.level + 1] + named if node.level else named
            whole = base in {("spheresn",), ("spheresn", "apps")}
            modules = [(*base, alias.name) for alias in node.names] if whole else [base]
        else:
            continue
        ours = [one for one in modules if one[0] in PACKAGES and one != ("spheresn",)]
        found |= {part_of(module) for module in ours}
    return found


def test_imports_point_down():
    """The library knows nothing of its applications, and each of its parts only what is below."""
    checked = 0
    for path in [path for package in PACKAGES for path in (SOURCES / package).rglob("*.py")]:
        module = path.relative_to(SOURCES).with_suffix("").parts
        if module in {("spheresn", "__init__"), ("spheresn", "apps", "__init__")}:
            continue
        part = part_of(module)
        for other in parts_imported(path) - {part, "__version__"}:
            checked += 1
            assert LEVEL[other] < LEVEL[part] or (part, other) in BESIDE, (
                f"{'/'.join(module)} imports {other}, which is not below it"
            )
    assert checked > 25


def test_public_names_are_what_the_front_door_says():
    assert all(hasattr(spheresn, name) for name in spheresn.__all__)
    visible = {name for name in vars(spheresn) if not name.startswith("_")}
    modules = {name for name in visible if isinstance(vars(spheresn)[name], type(os))}
    assert visible - modules <= set(spheresn.__all__)
    assert len(spheresn.__all__) <= 25 and sorted(spheresn.__all__) == list(spheresn.__all__)


def test_type_checkers_and_python_see_the_same_names():
    """What `__getattr__` finds at run time is what the block for type checkers imports."""
    tree = ast.parse((ROOT / "__init__.py").read_text())
    (block,) = (
        node
        for node in tree.body
        if isinstance(node, ast.If)
        and not node.orelse
        and ast.unparse(node.test) == "typing.TYPE_CHECKING"
    )
    shown = {alias.asname or alias.name for node in block.body for alias in node.names}
    assert shown == {*spheresn._HOME, *spheresn._PARTS}


WATCH = """
import sys
seen = []
def watch(event, args):
    writes = event == 'open' and isinstance(args[1], str) and set(args[1]) & set('wax+')
    if writes or event.startswith('socket.connect'):
        seen.append((event, args))
sys.addaudithook(watch)
import spheresn
[getattr(spheresn, name) for name in (*spheresn.__all__, *spheresn._PARTS)]
heavy = {'matplotlib', 'dask', 'distributed', 'plotly', 'dash', 'polars', 'xarray', 'typer', 'rich'}
heavy |= {'jinja2', 'numba', 'filelock', 'h5netcdf', 'spheresn.apps'}
heavy |= {'spheresn_paper', 'spheresn_explorer'}
heavy &= set(sys.modules)
assert not heavy, heavy
assert not seen, seen
"""


# pandas and its pyarrow are not in the list: scikit-learn imports them if they are installed. The
# next test hides them.
def test_importing_writes_nothing_opens_nothing_and_draws_nothing(tmp_path):
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    run = subprocess.run(
        [sys.executable, "-c", WATCH], cwd=tmp_path, capture_output=True, text=True, env=environment
    )
    assert run.returncode == 0, run.stderr
    assert not list(tmp_path.iterdir())


def test_the_library_works_without_its_extras():
    """All of it imports, fits, forecasts, saves and loads where no package of an extra is found."""
    hidden = [name for names in EXTRAS.values() for name in names]
    code = "import sys, bare; bare.hide(*sys.argv[1:]); bare.use_library()"
    run = subprocess.run(
        [sys.executable, "-c", code, *hidden],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])},
    )
    assert run.returncode == 0, run.stderr


def test_every_reference_key_resolves():
    keys = {
        line.split("{")[1].split(",")[0]
        for line in (SOURCES.parent / "references.bib").read_text().splitlines()
        if line.startswith("@")
    }

    used = {
        key
        for path in SOURCES.rglob("*.py")
        for key in re.findall(r"\[([A-Z]{2,4}\d{2})\b", path.read_text())
    }
    assert used and used <= keys, used - keys


def test_no_place_of_work_in_the_project():
    """Text files contain no paths of a machine and no addresses of package registries."""
    listed = subprocess.run(["git", "ls-files"], cwd=SOURCES.parent, capture_output=True, text=True)
    for name in listed.stdout.split():
        path = SOURCES.parent / name
        if (
            path.suffix in (".py", ".md", ".toml", ".txt", ".cff", ".bib")
            and path.exists()
            and path.name != Path(__file__).name
        ):
            text = path.read_text()
            assert "/simple" not in text and f"{Path.home()}/" not in text, name


def test_what_is_left_out_of_the_coverage_says_why():
    """Every exclusion gives its reason, in some words after " - "."""
    lines = [
        line
        for path in SOURCES.rglob("*.py")
        for line in path.read_text().splitlines()
        if "pragma:" in line
    ]
    assert lines
    for line in lines:
        assert re.search(r"# pragma: no (cover|branch) - \w+(\W+\w+){2,}", line), line
