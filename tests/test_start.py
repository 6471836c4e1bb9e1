"""Starting: help imports only what it needs, and nothing that only one operating system has."""

from __future__ import annotations

import ast
import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest

import spheresn
from spheresn.apps._extras import EXTRAS

HERE = Path(__file__).parent
HEAVY = {
    "numpy",
    "scipy",
    "numba",
    "sklearn",
    "matplotlib",
    "xarray",
    "pandas",
    "joblib",
    "jinja2",
    "safetensors",
    "sqlite3",
}
# Without what was imported before, by a measurement of the coverage for example
BEFORE = "import sys; before = set(sys.modules)"
IMPORTED = "print(*{name.partition('.')[0] for name in set(sys.modules) - before}, file=sys.stderr)"
# What CPython has on Linux or on Unix only: modules, and functions of `os`.
MODULES = (
    "fcntl",
    "resource",
    "pwd",
    "grp",
    "termios",
    "tty",
    "pty",
    "syslog",
    "readline",
    "curses",
    "crypt",
    "spwd",
    "nis",
)
FUNCTIONS = (
    "fork", "forkpty", "setsid", "killpg", "pread", "pwrite", "sched_getaffinity",
    "sched_setaffinity", "getuid", "geteuid", "getgid", "getpgid", "mkfifo", "wait3", "wait4",
    "chown", "fchmod", "sync", "posix_fallocate", "register_at_fork",
)  # fmt: skip
ELSEWHERE = f"""
import os, sys
sys.modules |= dict.fromkeys({MODULES})
for name in {FUNCTIONS}:
    vars(os).pop(name, None)
if hasattr(os, "process_cpu_count"):  # from Python 3.13 on; without sched_getaffinity it is this
    os.process_cpu_count = os.cpu_count
import filelock  # it knows each system, so its locks are taken for granted
filelock.lock_descriptor = lambda handle, blocking: True
filelock.unlock_descriptor = lambda handle: None
from spheresn.apps.cli import main
sys.exit(main(sys.argv[1:]))
"""


def python(code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """A new process that runs this code; what it says if it fails."""
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    return run


COMMANDS = (
    "forecast",
    "fit",
    "predict",
    "analyse",
    "export",
    "watch",
    "explore",
    "reproduce",
    "report",
    "list",
    "show",
)


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], *([name, "--help"] for name in COMMANDS)], ids=" ".join
)
def test_help_imports_nothing_heavy(arguments):
    code = (
        f"{BEFORE}\nfrom spheresn.apps.cli import main\ncode = main(sys.argv[1:])\n"
        f"{IMPORTED}\nsys.exit(code)"
    )
    run = python(code, *arguments)
    assert run.stdout and not HEAVY & set(run.stderr.split())


def without(*packages: str, arguments: list[str]) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of the command where these packages are not found."""
    code = f"import sys, bare; bare.hide(*{packages})\nfrom spheresn.apps.cli import main\n"
    run = subprocess.run(
        [sys.executable, "-c", f"{code}sys.exit(main(sys.argv[1:]))", *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), *sys.path])},
    )
    return run.returncode, run.stdout, run.stderr


@pytest.mark.parametrize("arguments", [[], ["--help"], ["fit", "x.csv"], ["nonsense"]], ids=str)
def test_without_its_extra_the_command_says_what_to_install(arguments):
    packages = ", ".join(EXTRAS["app"])
    said = f"spheresn must find the packages {packages}, got none; pip install 'spheresn[app]'"
    assert without(*EXTRAS["app"], arguments=arguments) == (2, "", f"spheresn: {said}\n")


@pytest.mark.parametrize("package", EXTRAS["app"])
def test_one_missing_package_is_found_before_any_work(package):
    said = f"spheresn must find the package {package}, got none; pip install 'spheresn[app]'"
    assert without(package, arguments=["reproduce"]) == (2, "", f"spheresn: {said}\n")


def test_the_commands_are_those_of_the_packages_that_are_found():
    code, help_text, said = without("spheresn_paper", "spheresn_explorer", arguments=["--help"])
    assert (code, said) == (0, "")
    found = [name for name in COMMANDS if f"\n  {name} " in help_text]
    assert found == ["forecast", "fit", "predict", "analyse", "export", "watch"]
    assert without("spheresn_paper", arguments=["list"])[:2] == (2, "")


@pytest.mark.parametrize(
    ("extra", "arguments", "command"),
    [
        ("explore", ["explore"], "explore"),
        ("paper", ["reproduce"], "reproduce"),
        ("paper", ["report", "results"], "report"),
        ("parquet", ["fit", "t.parquet", "--out", "m.spheresn"], "reading 't.parquet'"),
    ],
)
def test_a_command_that_lacks_its_extra_says_which(
    tmp_path, monkeypatch, extra, arguments, command
):
    monkeypatch.chdir(tmp_path)
    Path("t.parquet").write_bytes(b"PAR1")
    package = EXTRAS[extra][0]
    said = f"{command} must find the package {package}, got none; pip install 'spheresn[{extra}]'"
    assert without(package, arguments=arguments) == (2, "", f"spheresn: {said}\n")


def test_what_is_known_of_the_paper_needs_no_extra():
    code, listed, said = without(*EXTRAS["paper"], arguments=["list"])
    assert (code, said) == (0, "") and "Fig. 3" in listed


def test_the_front_door_imports_nothing_heavy_until_a_name_is_asked_for():
    assert not HEAVY & set(
        python(
            f"{BEFORE}\nimport spheresn\ndir(spheresn), spheresn.BadInput\n{IMPORTED}"
        ).stderr.split()
    )


ORDERS = [
    "import spheresn.driving; from spheresn.grid import drive_grid; drive = spheresn.drive",
    "from spheresn import drive; import spheresn.driving",
    "import spheresn.apps.cli, spheresn.estimators, spheresn.analysis, spheresn_explorer; "
    "from spheresn import drive",
    "from spheresn import *; import spheresn",
    "from spheresn import driving, drive; import spheresn",
]


@pytest.mark.parametrize("order", ORDERS)
def test_drive_is_the_function_in_whatever_order_parts_are_imported(order):
    check = (
        "assert isinstance(drive, types.FunctionType) and spheresn.drive is drive is "
        "sys.modules['spheresn.driving'].drive"
    )
    python(f"import sys, types, spheresn\n{order}\n{check}")


def test_no_module_takes_the_place_of_a_name_of_the_front_door():
    """Importing a module puts it into its package under its own name."""
    modules = {
        path.stem
        for path in Path(spheresn.__file__).parent.iterdir()
        if path.suffix == ".py" or path.is_dir()
    }
    assert not modules & set(spheresn._HOME)


def test_type_checkers_see_what_is_found():
    """The imports that only a type checker runs, the table that `__getattr__` looks into, and
    `__all__` agree.
    """
    seen, hidden = {}, set()
    for node in ast.walk(ast.parse(inspect.getsource(spheresn))):
        if isinstance(node, ast.ImportFrom) and node.level:
            seen |= {alias.name: node.module for alias in node.names}
            # `from . import io as io`: found as an attribute, but not among the names listed
            hidden |= {alias.name for alias in node.names if alias.asname is not None}
    assert seen.pop("__version__") == "_version"
    parts = {name for name, module in seen.items() if module is None}
    assert parts <= set(spheresn._PARTS)
    assert {name: module for name, module in seen.items() if module} == spheresn._HOME
    assert set(spheresn.__all__) == (parts | set(spheresn._HOME)) - hidden
    assert dir(spheresn) == sorted([*spheresn.__all__, "__version__"])
    for name in spheresn._PARTS:
        assert getattr(spheresn, name) is sys.modules[f"spheresn.{name}"]
    with pytest.raises(AttributeError, match="module 'spheresn' has no attribute 'nothing'"):
        spheresn.nothing  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'nothing' from 'spheresn'"):
        from spheresn import nothing  # noqa: F401


@pytest.mark.parametrize("arguments", [["--help"], ["list"]], ids=" ".join)
def test_commands_start_without_what_other_systems_lack(arguments):
    assert "forecast" in python(ELSEWHERE, *arguments).stdout


def test_a_run_needs_nothing_else_in_the_process_that_leads_it(tmp_path):
    """Its workers are not asked: they are started with a descriptor, which Windows cannot hand
    on.
    """
    python(
        ELSEWHERE,
        "reproduce",
        "schematic",
        "--preset",
        "smoke",
        "--jobs",
        1,
        "--out",
        tmp_path / "results",
    )
    assert (tmp_path / "results" / "report.html").exists() and os.listdir(tmp_path) == ["results"]
