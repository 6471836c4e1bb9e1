"""Are all numbers the same to the last bit after code was moved? Record them before and after, and
compare:

    python benchmarks/unchanged.py record --out before.json [--preset quick] [--source CHECKOUT]
    python benchmarks/unchanged.py compare before.json after.json
    python benchmarks/unchanged.py between main HEAD          # both steps, for two git revisions

It asks only the front door (`import spheresn as sn`) and the command line, so it runs whatever the
modules behind them are called. A case is one array, number or text. A record keeps its digest, and
some of its numbers so that a difference can be understood.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
import hashlib
import importlib.metadata
import io
import json
import os
import platform
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from unchanged_cases import LIBRARY, Named, lorenz

Entry = dict[str, Any]
Cases = dict[str, Entry]

KEPT = 200  # numbers of an array, evenly spread, and ten times as many characters of a text
SENTENCE = 5  # words; a shorter text is a name or a verdict
PACKAGES = ("numpy", "scipy", "numba", "scikit-learn")
THREADS = (
    "OPENBLAS_NUM_THREADS",
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)  # one each: sums do not depend on the load

# ---- what is kept of a result ----


def leaves(name: str, value: Any) -> Iterator[tuple[str, Entry]]:
    """The arrays, numbers and texts of a result: of nested dictionaries, lists and dataclasses, as
    the library and JSON have them.
    """
    if dataclasses.is_dataclass(value):
        value = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, np.ndarray) and value.dtype.kind not in "biuf":
        value = value.tolist()
    if isinstance(value, (list, tuple)) and value:
        value = _plain_list(value)
    if isinstance(value, dict) and value:
        for key, one in value.items():
            yield from leaves(f"{name}/{key}", one)
    elif isinstance(value, np.ndarray) or _is_number(value):
        yield name, _numbers(np.asarray(value, order="C"))
    else:
        yield name, _text(str(value))


def _plain_list(values: Any) -> Any:
    """Numbers as an array (JSON has null for NaN), texts as lines, claims by their id, other rows
    as columns.
    """
    if all(_is_number(one) or one is None for one in values) and any(
        one is not None for one in values
    ):
        return np.array([np.nan if one is None else one for one in values])
    if all(isinstance(one, str) for one in values):
        return "\n".join(values)
    if all(isinstance(one, dict) and one.keys() == values[0].keys() for one in values):
        if "id" in values[0]:
            return {one["id"]: one for one in values}
        return {key: [one[key] for one in values] for key in values[0]}
    return {str(place): one for place, one in enumerate(values)}


def _is_number(value: Any) -> bool:
    return isinstance(value, (bool, int, float, np.number, np.bool_))


def _numbers(array: np.ndarray) -> Entry:
    flat = array.ravel()
    digest = hashlib.sha256(f"{array.dtype} {array.shape} ".encode() + array.tobytes()).hexdigest()
    ends = (
        {"first": flat[0].item(), "last": flat[-1].item(), "mean": float(flat.mean(dtype=float))}
        if flat.size
        else {}
    )
    kept = flat[:: -(-flat.size // KEPT)].tolist() if flat.size else []
    return {
        "dtype": str(array.dtype),
        "shape": list(array.shape),
        "sha256": digest,
        **ends,
        "kept": kept,
    }


def _text(text: str) -> Entry:
    return {
        "text": text[: 10 * KEPT],
        "figures": re.findall(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?", text),
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
    }


def collect(cases: Cases, name: str, make: Callable[[], Iterable[tuple[str, Any]]]) -> None:
    """Add what `make` yields. A failure is a case too, so that the others are still compared; a
    comparison never passes it.
    """
    start = time.monotonic()
    try:
        for part, value in make():
            for place, entry in leaves(f"{name}/{part}", value):
                if place in cases:
                    raise ValueError(
                        f"a case must have a name of its own, got {place!r} twice; rename one"
                    )
                cases[place] = entry
    except Exception as error:
        cases[name] = {"error": f"{type(error).__name__}: {error}"}
        print(f"{name} failed: {error}", file=sys.stderr)
    print(f"{name}: {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)


def library(source: Path | None) -> Cases:
    """All cases of the spheresn that is importable here, which must be that of `source`."""
    import spheresn as sn

    if source is not None and not Path(sn.__file__).resolve().is_relative_to(source.resolve()):
        raise ValueError(
            f"--source must be a checkout with src/spheresn, got {str(source)!r}, which is not "
            "what is imported; mend it"
        )
    warnings.simplefilter("ignore")
    cases: Cases = {}
    for group in LIBRARY:
        collect(cases, group.__name__, lambda group=group: group(sn))
    return cases


# ---- the command line ----


def _tables(folder: Path) -> None:
    """A week's season with a gap, days as dates; a chaotic path without dates; AR(1) by months,
    with the noise that drives it.
    """
    day, shock = np.arange(400), np.random.default_rng(2).standard_normal(400)
    season = 20.0 + 3.0 * np.sin(2 * np.pi * day / 7) + 0.01 * day + 0.3 * shock
    ar = np.zeros(400)
    for k in range(1, 400):
        ar[k] = 0.8 * ar[k - 1] + shock[k]
    dates = np.datetime64("2021-03-01") + day
    months = np.datetime64("1990-01") + day
    sales = ["" if k == 100 else value for k, value in enumerate(season.tolist())]
    _write(folder / "seasonal.csv", ["date", "sales"], zip(dates, sales, strict=True))
    _write(folder / "lorenz.csv", ["x", "y", "z"], lorenz(1200).tolist())
    _write(
        folder / "ar1.csv",
        ["month", "shock", "value"],
        zip(months, shock.tolist(), ar.tolist(), strict=True),
    )


def _write(path: Path, head: list[str], rows: Iterable[Any]) -> None:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([head, *rows])


def _columns(text: str) -> dict[str, Any]:
    """A CSV table: columns of numbers (empty: NaN), or of texts."""
    head, *rows = csv.reader(io.StringIO(text))
    return {name: _cells([row[place] for row in rows]) for place, name in enumerate(head)}


def _cells(cells: list[str]) -> Any:
    try:
        return np.array([float(cell or "nan") for cell in cells])
    except ValueError:
        return cells


FILL, SMALL = ("--fill", "linear"), ("--units", "100")
COMMANDS: tuple[
    tuple[str, ...], ...
] = (  # in this order: later ones use the models of earlier ones
    ("forecast", "seasonal.csv", *FILL, "--steps", "28", "--out", "seasonal", "--json"),
    ("forecast", "lorenz.csv", "--steps", "50", "--out", "lorenz", "--json"),
    ("forecast", "ar1.csv", "--column", "value", "--seed", "3", "--out", "ar1", "--json"),
    ("forecast", "ar1.csv", "--steps", "12", "--out", "printed"),
    ("fit", "seasonal.csv", *FILL, *SMALL, "--out", "f.spheresn", "--json"),
    ("fit", "ar1.csv", *SMALL, "--target", "value", "--out", "r.spheresn", "--json"),
    ("predict", "f.spheresn", "seasonal.csv", *FILL, "--steps", "30"),
    ("predict", "f.spheresn", "seasonal.csv", *FILL, "--json"),
    ("predict", "r.spheresn", "ar1.csv"),
    ("analyse", "f.spheresn", "seasonal.csv", *FILL, "--json"),
    ("analyse", "r.spheresn", "ar1.csv"),
    ("analyse", "lorenz.csv", *SMALL, "--json"),
    ("list",),
)


def _asked(folder: Path, environment: dict[str, str], *arguments: str) -> str:
    """What `spheresn ARGUMENTS` prints. It runs in the folder with relative paths, so that no
    output depends on where that is.
    """
    command = [sys.executable, "-P", "-m", "spheresn", *arguments]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"exit code {done.returncode}, {done.stderr.strip()[-300:]}")
    return done.stdout


def commands(folder: Path, environment: dict[str, str], arguments: tuple[str, ...]) -> Named:
    """What one command prints, and the table that a forecast writes."""
    output = _asked(folder, environment, *arguments)
    as_csv = arguments[0] == "predict" and "--json" not in arguments
    yield (
        "printed",
        json.loads(output) if "--json" in arguments else _columns(output) if as_csv else output,
    )
    if arguments[0] == "forecast":
        out = arguments[arguments.index("--out") + 1]
        yield "forecast.csv", _columns((folder / out / "forecast.csv").read_text(encoding="utf-8"))


def reproduced(folder: Path, environment: dict[str, str], preset: str, jobs: int) -> Named:
    """Claims and data sets of all experiments; of the attributes, only numbers: the others say
    commit and versions.
    """
    import xarray as xr

    _asked(
        folder,
        environment,
        "reproduce",
        "--preset",
        preset,
        "--jobs",
        str(jobs),
        "--out",
        "results",
    )
    claims = json.loads((folder / "results/claims.json").read_text(encoding="utf-8"))
    yield "claims", claims
    yield "show", _asked(folder, environment, "show", claims[0]["id"], "--out", "results")
    for path in sorted((folder / "results").glob("*.nc")):
        with xr.open_dataset(path) as data:
            yield path.stem, {str(name): data[name].values for name in data.variables}
            yield (
                f"{path.stem}/attributes",
                {name: value for name, value in data.attrs.items() if _is_number(value)},
            )


# ---- record and compare ----


def record(source: Path | None, preset: str, jobs: int) -> dict[str, Any]:
    """Everything, computed by child processes with one thread each for linear algebra."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = {
            **os.environ,
            **dict.fromkeys(THREADS, "1"),
            "NO_COLOR": "1",
            "COLUMNS": "100",
        }
        environment["NUMBA_CACHE_DIR"] = str(
            folder / "numba"
        )  # empty: a cache beside the source does not notice changes in imported files
        if source is not None:
            environment["PYTHONPATH"] = os.pathsep.join(
                [str(source.resolve() / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
            )
        inner = [sys.executable, __file__, "library", "--out", str(folder / "library.json")]
        subprocess.run(
            [*inner, *(["--source", str(source)] if source else [])], env=environment, check=True
        )
        cases: Cases = json.loads((folder / "library.json").read_text())
        _tables(folder)
        for arguments in COMMANDS:
            collect(
                cases,
                " ".join(arguments),
                lambda arguments=arguments: commands(folder, environment, arguments),
            )
        collect(cases, "reproduce", lambda: reproduced(folder, environment, preset, jobs))
    versions = {package: importlib.metadata.version(package) for package in PACKAGES}
    return {
        "about": {
            "preset": preset,
            "python": platform.python_version(),
            "machine": platform.machine(),
            **versions,
        },
        "cases": cases,
    }


def compare(
    old: dict[str, Any], new: dict[str, Any], wording: bool = False
) -> tuple[list[str], int]:
    """A line for each case that differs, and the number of cases. `wording`: sentences may differ
    in all but their figures.
    """
    names, found = list(dict.fromkeys([*old["cases"], *new["cases"]])), []
    for name in names:
        one, two = old["cases"].get(name), new["cases"].get(name)
        if one is None or two is None:
            found.append(
                f"{name}: new, {_shown(two)}"
                if one is None
                else f"{name}: missing, was {_shown(one)}"
            )
        elif "error" in one or "error" in two:
            found.append(
                f"{name}: {_shown(one)} -> {_shown(two)}; a case that fails compares nothing"
            )
        elif one["sha256"] != two["sha256"] and not (wording and _reworded(one, two)):
            found.append(f"{name}: {_shown(one)} -> {_shown(two)}{_deviation(one, two)}")
    return found, len(names)


def _shown(entry: Entry | None) -> str:
    assert entry is not None
    if "kept" not in entry:
        return f"failed ({entry['error']})" if "error" in entry else repr(entry["text"])
    if entry["shape"] == []:
        return repr(entry["first"])
    ends = (
        f", first {entry['first']!r}, last {entry['last']!r}, mean {entry['mean']!r}"
        if entry["kept"]
        else ""
    )
    return f"{entry['dtype']} {tuple(entry['shape'])}{ends}"


def _reworded(one: Entry, two: Entry) -> bool:
    texts = [entry.get("text", "") for entry in (one, two)]
    return min(len(text.split()) for text in texts) >= SENTENCE and one["figures"] == two["figures"]


def _deviation(one: Entry, two: Entry) -> str:
    """The largest |new - old|/max(|new|, |old|) among the numbers kept."""
    if "kept" not in one or "kept" not in two or one["shape"] != two["shape"]:
        return ""
    a, b = np.asarray(one["kept"], dtype=float), np.asarray(two["kept"], dtype=float)
    differ = ~((a == b) | (np.isnan(a) & np.isnan(b)))
    if not differ.any():
        return (
            f"; none of the {len(a)} numbers kept differs (another dtype, a sign of zero, or "
            "other numbers)"
        )
    with np.errstate(invalid="ignore"):
        largest = np.nan_to_num(
            np.abs(b - a)[differ] / np.maximum(np.abs(a), np.abs(b))[differ],
            nan=np.inf,
            posinf=np.inf,
        ).max()
    return (
        f"; {differ.sum()} of {len(a)} numbers kept differ, by {largest:.2g} of their size at most"
    )


def report(old: dict[str, Any], new: dict[str, Any], wording: bool = False) -> int:
    """Print the comparison. Exit code 1 where anything differs."""
    for key in dict.fromkeys([*old["about"], *new["about"]]):
        if old["about"].get(key) != new["about"].get(key):
            print(f"note: {key} was {old['about'].get(key)}, is {new['about'].get(key)}")
    found, count = compare(old, new, wording)
    print(*found, f"{count} cases, {len(found)} differ", sep="\n")
    return 1 if found else 0


def between(revisions: list[str], preset: str, jobs: int) -> list[dict[str, Any]]:
    """A record of each revision, from an export of its sources."""
    records = []
    for revision in revisions:
        archive = subprocess.run(
            ["git", "archive", revision, "src"],
            cwd=Path(__file__).parents[1],
            capture_output=True,
            check=True,
        ).stdout
        with tempfile.TemporaryDirectory() as folder:
            with tarfile.open(fileobj=io.BytesIO(archive)) as content:
                content.extractall(folder, filter="data")
            records.append(record(Path(folder), preset, jobs))
    return records


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    texts = {
        "record": "compute everything and keep digests",
        "compare": "two records",
        "between": "record and compare two git revisions",
        "library": "the part of record that imports spheresn",
    }
    work = {name: verbs.add_parser(name, help=text) for name, text in texts.items()}
    for name in ("record", "library"):
        work[name].add_argument("--out", type=Path, required=True, help="file of the record")
        work[name].add_argument(
            "--source",
            type=Path,
            help="checkout whose src/ is recorded; by default what is importable",
        )
    for name in ("record", "between"):
        work[name].add_argument(
            "--preset", choices=("smoke", "quick"), default="smoke", help="of `spheresn reproduce`"
        )
        work[name].add_argument(
            "--jobs",
            type=int,
            default=os.cpu_count() or 1,
            help="processes of `spheresn reproduce`",
        )
    for name in ("compare", "between"):
        work[name].add_argument("old", help="record, or revision")
        work[name].add_argument("new", help="record, or revision")
        work[name].add_argument(
            "--wording",
            action="store_true",
            help=f"texts of {SENTENCE} words and more may differ in all but their figures",
        )
    asked = parser.parse_args(arguments)
    if asked.verb == "compare":
        return report(
            *(json.loads(Path(path).read_text()) for path in (asked.old, asked.new)),
            wording=asked.wording,
        )
    if asked.verb == "between":
        return report(
            *between([asked.old, asked.new], asked.preset, asked.jobs), wording=asked.wording
        )
    if asked.verb == "library":
        asked.out.write_text(json.dumps(library(asked.source)))
        return 0
    made = record(asked.source, asked.preset, asked.jobs)
    asked.out.write_text(json.dumps(made, indent=1) + "\n")
    failed = [name for name, entry in made["cases"].items() if "error" in entry]
    print(
        f"{len(made['cases'])} cases, {len(failed)} "
        f"failed{': ' + ', '.join(failed) if failed else ''}"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
