"""What is installed is listed with a reason, asked for as the list says, and pinned."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from spheresn.apps._extras import EXTRAS

ROOT = Path(__file__).parents[1]
REQUIREMENT = re.compile(r"([\w.-]+)(\[[\w,]+\])?(.*)")


def plain(name: str) -> str:
    """A package's name as registries compare them."""
    return re.sub(r"[-_.]+", "-", name).lower()


def pins(file: str = "constraints.txt") -> dict[str, str]:
    """Package -> version in a file of constraints; every line must pin one."""
    lines = [
        line
        for line in (ROOT / file).read_text(encoding="utf-8").splitlines()
        if line and not line.startswith("#")
    ]
    assert len(lines) > 30 and not [
        line for line in lines if not re.fullmatch(r"[\w.-]+==[\w.!+]+", line)
    ]
    return {plain(line.split("==")[0]): line.split("==")[1] for line in lines}


def asked() -> dict[str, dict[str, str]]:
    """Heading of the page -> package -> bound, from pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    parts = {"Always": project["project"]["dependencies"]}
    parts |= {
        f"Extra: {name}": extra
        for name, extra in project["project"]["optional-dependencies"].items()
    }
    parts |= {
        f"Group: {name}": [one for one in group if isinstance(one, str)]
        for name, group in project["dependency-groups"].items()
    }
    found = {
        heading: [
            REQUIREMENT.fullmatch(one) for one in wanted if not one.startswith("spheresn[")
        ]  # an extra of ours that is part of another one
        for heading, wanted in parts.items()
    }
    return {
        heading: {one[1] + (one[2] or ""): one[3] or "any" for one in wanted if one}
        for heading, wanted in found.items()
    }


def listed() -> dict[str, dict[str, list[str]]]:
    """Heading -> package -> the other cells of its row, from the page."""
    found = {}
    for part in (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8").split("\n## ")[1:]:
        rows = [
            [cell.strip() for cell in line.strip("|").split("|")]
            for line in part.splitlines()
            if line.startswith("| ")
        ]
        found[part.splitlines()[0]] = {name: cells for name, *cells in rows[1:]}
    return found


def test_the_page_lists_what_the_project_asks_for():
    assert {
        heading: {name: cells[0] for name, cells in rows.items()}
        for heading, rows in listed().items()
    } == asked()


def test_everything_is_pinned_and_the_page_says_to_what():
    known, apart = pins(), pins("benchmarks/series/constraints.txt")
    for heading, rows in listed().items():
        versions = apart if heading in ("Extra: sktime", "Group: series") else known
        for name, (_, tested, why) in rows.items():
            assert tested == versions[plain(name.partition("[")[0])], name
            assert len(why) > 8, name


def test_the_library_alone_brings_seven_packages():
    assert list(asked()["Always"]) == [
        "numpy",
        "scipy",
        "numba",
        "scikit-learn",
        "joblib",
        "threadpoolctl",
        "safetensors",
    ]


def test_commands_look_for_the_packages_of_their_extras():
    wanted = {
        heading.removeprefix("Extra: "): {
            name.partition("[")[0].replace("-", "_") for name in packages
        }
        for heading, packages in asked().items()
        if heading.startswith("Extra: ")
    }
    # The laser recording is read, not imported; no command needs sktime; `all` adds no package
    assert wanted.pop("sktime") == {"sktime"}
    assert wanted.pop("laser") == {"reservoirpy"} and wanted.pop("all") == set()
    assert {extra: set(packages) for extra, packages in EXTRAS.items()} == wanted


def test_the_build_backend_is_pinned_too():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert {plain(name) for name in project["build-system"]["requires"]} <= set(pins())
