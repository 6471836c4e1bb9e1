"""The cache of compiled loops: only its owner can write to it, and it is not required."""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

import spheresn
from spheresn.kernels import cache

PACKAGE = Path(spheresn.__file__).parent
NOBODY = 65534
SETPRIV = shutil.which("setpriv")
AS_NOBODY = pytest.mark.skipif(
    SETPRIV is None or os.getuid() != 0,
    reason="only root can become another user, with Linux's setpriv",
)
# May read everything, since the interpreter may lie in root's home, and write what is nobody's.
BECOME = [
    "--reuid=65534",
    "--regid=65534",
    "--clear-groups",
    "--inh-caps=+dac_read_search",
    "--ambient-caps=+dac_read_search",
]
DRIVE = """
import warnings, numpy as np, spheresn as sn
network = sn.Reservoir(np.eye(2)[::-1], np.array([1.0, 0.0]), activation=sn.Linear())
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    states = sn.drive(network, np.array([1.0, 0.0, 0.0]))
    sn.drive(network, np.array([1.0, 0.0, 0.0], np.float32))
assert states.tolist() == [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]], states
print([str(one.message) for one in seen if one.category.__name__ == "NotCached"])
"""

# A loop that compiles quickly: the rows less their mean, and the mean itself.
CENTRE = """
import sys, warnings, numpy as np
from spheresn import kernels
order, real = sys.argv[1:] or ("C", "float64")
out, mean = np.empty((3, 2)), np.zeros(2)
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    for _ in range(2):
        mean[:] = 0.0
        kernels.centre(np.array([[1.0, 4.0], [3.0, 8.0]], real, order=order), mean, 1.0, 1.0, out)
assert out.tolist() == [[-1.0, -2.0], [1.0, 2.0], [2.0, 6.0]], out
print([str(one.message) for one in seen if one.category.__name__ == "NotCached"])
"""


def run(
    code: str = CENTRE, nobody: bool = False, source: Path = PACKAGE.parent, **environment: str
) -> str:
    """What a process with this environment and nothing else prints."""
    wanted = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(source),
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1",
        **environment,
    }
    who = [str(SETPRIV), *BECOME] if nobody else []
    ended = subprocess.run(
        [*who, sys.executable, "-c", code], capture_output=True, text=True, env=wanted, cwd="/"
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.strip()


def kept(place: Path) -> list[Path]:
    """The files of compiled loops below a directory."""
    return sorted(place.rglob("*.nbc"))


@pytest.fixture
def fresh(monkeypatch):
    """The choice of a directory made anew, in the test and after it."""
    monkeypatch.setattr("numba.config.CACHE_DIR", "")
    for name in (cache.folder, cache._warn_not_cached):
        name.cache_clear()
    yield monkeypatch
    for name in (cache.folder, cache._warn_not_cached):
        name.cache_clear()


@pytest.fixture
def elsewhere(tmp_path):
    """A copy of the package, where others can write nothing."""
    shutil.copytree(
        PACKAGE, tmp_path / "src" / "spheresn", ignore=shutil.ignore_patterns("__pycache__")
    )
    return tmp_path / "src"


@AS_NOBODY
def test_a_user_without_a_home_on_a_read_only_package_uses_the_temporary_folder_alone(
    elsewhere, tmp_path
):
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    alone = {"HOME": "/nonexistent", "TMPDIR": str(shared)}
    assert run(DRIVE, nobody=True, source=elsewhere, **alone) == "[]"
    (made,) = shared.glob("spheresn*")
    assert (
        made.stat().st_uid == NOBODY
        and made.stat().st_mode & 0o777 == 0o700
        and len(kept(made)) == 1
    )
    assert not [path for path in elsewhere.rglob("*") if path.suffix in (".nbi", ".nbc", ".pyc")]


@AS_NOBODY
def test_a_directory_that_somebody_else_made_for_us_is_refused(elsewhere, tmp_path):
    """Whoever can write to it could have us execute what they like."""
    shared = tmp_path / "shared"
    shared.mkdir()
    trap = shared / f"spheresn-{NOBODY}"
    trap.mkdir()
    shared.chmod(0o1777)
    trap.chmod(0o777)
    assert "set NUMBA_CACHE_DIR" in run(
        nobody=True, source=elsewhere, HOME="/nonexistent", TMPDIR=str(shared)
    )
    assert not kept(trap)


@AS_NOBODY
def test_where_nothing_can_be_written_it_compiles_in_memory_and_says_so_once(elsewhere):
    said = run(nobody=True, source=elsewhere, NUMBA_CACHE_DIR="/proc/nothing")
    assert said.count("no directory can be written to") == 1 and "set NUMBA_CACHE_DIR" in said


def test_the_users_choice_then_the_users_folder(tmp_path):
    assert (
        run(NUMBA_CACHE_DIR=str(tmp_path / "mine"), XDG_CACHE_HOME=str(tmp_path / "other")) == "[]"
    )
    assert kept(tmp_path / "mine") and not kept(tmp_path / "other")
    assert run(XDG_CACHE_HOME=str(tmp_path / "other"), HOME=str(tmp_path)) == "[]"
    assert run(HOME=str(tmp_path)) == "[]"
    assert kept(tmp_path / "other" / "spheresn") and kept(tmp_path / ".cache" / "spheresn")


def test_code_of_other_sources_is_left_alone_and_the_result_is_that_of_these(elsewhere, tmp_path):
    """A kernel that every loop includes is edited; the cache of before it is full."""
    mine = {"NUMBA_CACHE_DIR": str(tmp_path / "mine")}
    run(source=elsewhere, **mine)
    path = elsewhere / "spheresn" / "kernels" / "least_squares.py"
    text = path.read_text()
    assert text.count("        out[count, j] = weight * gap\n") == 1
    path.write_text(text.replace("= weight * gap\n", "= 2 * weight * gap\n"))
    run(CENTRE.replace("[2.0, 6.0]]", "[4.0, 12.0]]"), source=elsewhere, **mine)
    assert len(kept(tmp_path / "mine")) == 2
    path.write_text(text)
    run(source=elsewhere, **mine)
    assert len(kept(tmp_path / "mine")) == 2


def test_processes_that_compile_at_the_same_moment_get_their_own_code(tmp_path):
    """Four with four signatures of one loop, then each signature once more from what they left
    behind.
    """
    code = CENTRE.replace(
        "order, real =", "sys.argv += sys.stdin.readline().split()\norder, real ="
    )
    environment = {
        **os.environ,
        "NUMBA_CACHE_DIR": str(tmp_path),
        "PYTHONPATH": str(PACKAGE.parent),
        "OMP_NUM_THREADS": "1",
    }
    kinds = [f"{order} {real}" for order in "CF" for real in ("float64", "float32")]
    for _ in range(2):
        running = [
            subprocess.Popen(
                [sys.executable, "-c", code],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                env=environment,
            )
            for _ in kinds
        ]
        for process, kind in zip(running, kinds, strict=True):
            process.stdin.write(kind + "\n")
            process.stdin.flush()
        said = [process.communicate()[1] for process in running]
        assert [process.returncode for process in running] == [0, 0, 0, 0], said
        assert len(kept(tmp_path)) == len(kinds) and not list(tmp_path.rglob("*.tmp"))


def test_a_damaged_file_is_compiled_again(tmp_path):
    mine = {"NUMBA_CACHE_DIR": str(tmp_path)}
    run(**mine)
    (file,) = kept(tmp_path)
    whole = file.read_bytes()
    for damaged in (b"", whole[:1000], whole[:-1] + bytes([whole[-1] ^ 1])):
        file.write_bytes(damaged)
        assert run(**mine) == "[]"
        assert cache._checked(file.read_bytes())


def test_what_nobody_asked_for_in_a_month_is_removed(fresh, tmp_path):
    fresh.setenv("XDG_CACHE_HOME", str(tmp_path))
    place = tmp_path / "spheresn"
    ages = {"0" * 16: 31, "1" * 16: 29, "notes": 99}
    for name, days in ages.items():
        (place / name).mkdir(parents=True)
        os.utime(place / name, (time.time() - days * 86400,) * 2)
    place.chmod(0o700)
    assert cache.folder() == place / cache.digest()
    assert sorted(path.name for path in place.iterdir()) == sorted(
        ["1" * 16, "notes", cache.digest()]
    )


def test_a_folder_that_others_can_write_to_and_a_link_are_not_ours(fresh, tmp_path):
    fresh.setenv("XDG_CACHE_HOME", str(tmp_path / "open"))
    fresh.setattr("tempfile.tempdir", str(tmp_path))
    theirs = tmp_path / "open" / "spheresn"
    theirs.mkdir(parents=True)
    theirs.chmod(0o777)
    (tmp_path / f"spheresn-{os.getuid()}").symlink_to(theirs)
    with pytest.warns(cache.NotCached, match="no directory can be written to; set NUMBA_CACHE_DIR"):
        assert cache.folder() is None
    assert not list(theirs.iterdir())


def test_no_home_no_user_folder(fresh):
    fresh.delenv("XDG_CACHE_HOME", raising=False)
    fresh.setattr(os.path, "expanduser", lambda path: path)
    assert [path.name for path in cache.places()] == [f"spheresn-{os.getuid()}"]


def test_a_cache_that_goes_away_while_we_compile_is_reported_once(fresh, tmp_path):
    """As on a full disk: the result is not lost."""
    fresh.setenv("XDG_CACHE_HOME", str(tmp_path))

    class Result:
        class codegen:
            @staticmethod
            def magic_tuple():
                return ()

        @staticmethod
        def _reduce():
            return ()

    one = cache.KernelCache(run)
    shutil.rmtree(one.cache_path)
    with pytest.warns(
        cache.NotCached,
        match="cannot be written to .No such file or directory.; set NUMBA_CACHE_DIR",
    ):
        one.save_overload("f(x)", Result)
    one.save_overload("f(y)", Result)  # a second warning would be an error
    for nothing in (one.enable, one.disable, one.flush):
        nothing()


def test_without_a_directory_nothing_is_loaded_or_saved(monkeypatch):
    """Inside this process; the tests above ask another one."""
    monkeypatch.setattr(cache, "folder", lambda: None)

    class Context:
        @staticmethod
        def refresh():
            pass

        @staticmethod
        def codegen():
            return SimpleNamespace(magic_tuple=tuple)

    one = cache.KernelCache(run)
    assert one.load_overload("f(x)", Context) is None
    assert one.save_overload("f(x)", SimpleNamespace(codegen=Context.codegen())) is None


def test_a_content_that_does_not_agree_with_its_digest_is_refused():
    with pytest.raises(ValueError, match="damaged"):
        cache._checked(bytes(40))


def test_a_terminal_is_reported_and_nothing_else_is(tmp_path):
    environment = {
        **os.environ,
        "NUMBA_CACHE_DIR": str(tmp_path),
        "PYTHONPATH": str(PACKAGE.parent),
    }
    ours, theirs = pty.openpty()
    said = []
    for _ in range(2):
        subprocess.run(
            [sys.executable, "-c", CENTRE],
            stdout=subprocess.DEVNULL,
            stderr=theirs,
            env=environment,
            check=True,
        )
        os.write(theirs, b"|")
        said.append("")
        while not said[-1].endswith("|"):
            said[-1] += os.read(ours, 1000).decode()
    assert said == [f"\r{cache.COMPILING}\x1b[K\r\x1b[K\r|", "|"]
    quiet = subprocess.run(
        [sys.executable, "-c", CENTRE],
        capture_output=True,
        env={**environment, "NUMBA_CACHE_DIR": str(tmp_path / "b")},
    )
    assert quiet.returncode == 0 and not quiet.stderr
