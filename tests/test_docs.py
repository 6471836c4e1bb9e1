"""The documentation: it builds without a warning, needs no network, its code runs, and no public
name lacks an example.
"""

import functools
import importlib
import inspect
import io
import json
import re
import subprocess
import sys
import zlib
from contextlib import redirect_stdout
from html.parser import HTMLParser
from pathlib import Path

import pytest

from spheresn_paper.figures import EXPERIMENTS
from test_architecture import LAYERS

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
MODULES = [
    "spheresn",
    *(
        f"spheresn.{name}"
        for name in (
            "analysis",
            "assimilation",
            "datasets",
            "forecasting",
            "io",
            "metrics",
            "topology",
            "readout",
            "plotting",
            "sphere",
        )
    ),
]
PAGES = sorted(
    page for page in DOCS.rglob("*.md") if "```python\n" in page.read_text(encoding="utf-8")
)
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LOADED = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src"}


def public_callables() -> dict[str, object]:
    """Every public function and class by its full name."""
    found = {}
    for name in MODULES:
        module = importlib.import_module(name)
        own = [
            key
            for key, value in vars(module).items()
            if not key.startswith("_") and getattr(value, "__module__", "") == name
        ]
        for key in getattr(module, "__all__", own):
            value = getattr(module, key)
            if inspect.isfunction(value) or inspect.isclass(value):
                found[f"{name}.{key}"] = value
    return found


def test_every_public_name_has_an_example():
    names = public_callables()
    assert len(names) > 80
    assert not [name for name, value in names.items() if ">>>" not in (inspect.getdoc(value) or "")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_code_of_a_page_runs_and_prints_what_the_page_shows(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    names, printed = {"__name__": page.stem}, ""
    for language, text in FENCE.findall(page.read_text(encoding="utf-8")):
        if language == "python":
            with redirect_stdout(io.StringIO()) as out:
                exec(compile(text, str(page), "exec"), names)
            printed = out.getvalue()
        elif language == "text":
            assert printed == text


class Assets(HTMLParser):
    """What a page makes a browser load."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in LOADED and given.get("rel") not in (
            "canonical",
            "next",
            "prev",
            "index",
            "search",
        ):
            self.addresses.append(given.get(LOADED[tag]) or "")


def check_pages(site: Path) -> None:
    """No page loads anything from elsewhere, and what it loads is there."""
    pages = [
        page
        for page in site.rglob("*.html")
        if page.name != "report.html" and "_static" not in page.parts
    ]
    assert len(pages) > 30
    for page in pages:
        for address in Assets(page.read_text(encoding="utf-8")).addresses:
            assert not re.match(r"(https?:)?//", address), (page.name, address)
            assert not address or (page.parent / address.split("?")[0].split("#")[0]).exists(), (
                page.name,
                address,
            )


def check_style_sheets(site: Path) -> None:
    """No style sheet loads anything from elsewhere."""
    sheets = [sheet.read_text(encoding="utf-8") for sheet in site.rglob("*.css")]
    assert sheets and not [
        text for text in sheets if re.search(r"(url\(|@import)\s*[\"']?(https?:)?//", text)
    ]


def check_formulas(site: Path) -> None:
    """Formulas are MathML, and nothing is left of their LaTeX; docstrings, which are plain text,
    have none.
    """
    pages = {
        name: (site / f"{name}.html").read_text(encoding="utf-8")
        for name in ("theory", "scaling", "research/exponents")
    }
    article = {
        name: page[page.index("<article") : page.index("</article>")]
        for name, page in pages.items()
    }
    assert article["theory"].count("<math") > 200 and all(
        "<math" in text for text in article.values()
    )
    assert not [name for name, text in article.items() if re.search(r"\$|\\[a-z]", text)]


def check_names(site: Path) -> None:
    """The API pages hold every public name."""
    inventory = (site / "objects.inv").read_bytes().split(b"\n", 4)[4]
    listed = {line.split()[0] for line in zlib.decompress(inventory).decode().splitlines()}
    assert set(public_callables()) <= listed


def test_the_site_builds_without_a_warning_and_needs_no_network(tmp_path):
    """One test, so that several workers do not each build it."""
    pytest.importorskip("sphinx", reason="sphinx is not installed")
    pytest.importorskip("myst_parser", reason="myst-parser is not installed")
    pytest.importorskip("pydata_sphinx_theme", reason="pydata-sphinx-theme is not installed")
    site = tmp_path / "html"
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-q",
        "-W",
        "--keep-going",
        "-n",
        "-d",
        str(tmp_path / "trees"),
        str(DOCS),
        str(site),
    ]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    check_pages(site)
    check_style_sheets(site)
    check_formulas(site)
    check_names(site)


def names_by_module(text: str, pattern: str) -> dict[str, list[str]]:
    """The names that lines of this pattern give, under the module that was named last."""
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        if line.startswith(".. currentmodule:: "):
            names = found.setdefault(line.split()[-1], [])
        elif (match := re.fullmatch(pattern, line)) is not None:
            names.append(match[1])
    return found


def test_the_index_of_the_interface_lists_what_its_pages_describe():
    """All names of a page, in their order."""
    pages = [page for page in (DOCS / "api").glob("*.md") if page.name != "index.md"]
    described = {
        module: names
        for page in pages
        for module, names in names_by_module(
            page.read_text("utf-8"), r"\.\. auto(?:function|class|exception):: (\w+)(?:\(\))?"
        ).items()
    }
    assert names_by_module((DOCS / "api" / "index.md").read_text("utf-8"), r"   (\w+)") == described


def test_the_diagram_names_every_part():
    drawing = (DOCS / "images" / "layers.svg").read_text(encoding="utf-8")
    shown = set(re.findall(r"\w+", drawing))
    parts = {part.rpartition(".")[2] for layer in LAYERS for part in layer}
    assert parts - {"_version", "__main__"} <= shown


def test_the_gallery_shows_every_example():
    shown = re.findall(r"\{figure\} images/(\w+)\.png", (DOCS / "gallery.md").read_text("utf-8"))
    assert sorted(shown) == sorted(path.stem for path in (ROOT / "examples").glob("*.py"))


def test_pictures_are_small():
    assert not [path.name for path in (DOCS / "images").iterdir() if path.stat().st_size > 150_000]


@pytest.fixture
def formulas(monkeypatch):
    pytest.importorskip("sphinx", reason="sphinx is not installed")
    monkeypatch.syspath_prepend(str(DOCS))
    return importlib.import_module("mathml")


def signs(text: str) -> list[tuple[str, str]]:
    """The bars of a formula: form and sign."""
    return re.findall(r'form="(\w+)">(\|)</mo>', text)


def test_bars_open_and_close_in_turn(formulas):
    assert signs(formulas.mathml("|a| + |b|")) == [("prefix", "|"), ("postfix", "|")] * 2
    # A row of its own, in which the first opens and the last closes
    assert not signs(formulas.mathml(r"\left|a\right|"))


@pytest.mark.parametrize("tex", [r"\nosuchcommand x", r"\frac{1}", "|a", "a_"])
def test_a_formula_that_cannot_be_read_is_an_error(formulas, tex):
    with pytest.raises(formulas.MathError):
        formulas.mathml(tex)


def test_the_name_of_a_function_stands_apart_from_its_argument(formulas):
    space = "<mspace"
    assert space in formulas.mathml(r"\log x")
    assert not [
        tex
        for tex in (r"\log|x|", r"\tanh(x)", r"\tanh\left(x\right)")
        if space in formulas.mathml(tex)
    ]
    assert [
        bool(re.search("<mi>max</mi>", formulas.mathml(tex))) for tex in (r"\max(a, b)", r"\max x")
    ] == [True, False]


@pytest.fixture
def measured(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))
    return importlib.import_module("measured")


def test_numbers_are_medians_of_the_file(measured, tmp_path):
    runs = {str(seed): {"valid": value} for seed, value in enumerate((1.0, 2.0, 90.0))}
    path = tmp_path / "quality.json"
    path.write_text(
        json.dumps(
            {"forecasting": {"Lorenz": dict.fromkeys(measured.MODELS, runs)}, "classification": {}}
        )
    )
    assert measured.valid("Lorenz", "tanh", path) == "2.0"
    assert measured.quality(path).count("2.0") == len(measured.MODELS)


def test_a_claim_cannot_break_the_table(measured, tmp_path):
    path = tmp_path / "claims.json"
    claim = {
        "id": "c",
        "says": "|a| <b>\n*x*",
        "measured": "1 | 2",
        "verdict": "fails",
        "figure": "Fig. 1",
        "source": "eqn:a | b",
        "preset": "smoke",
        "by": "paper",
        "quoted": False,
        "weight": 2,
    }
    path.write_text(json.dumps([claim]))
    *_, row = measured.claims(path=path).splitlines()
    assert re.sub(r"\\.", "", row).count("|") == 4 and "\\<b\\>" in row and "“" not in row
    assert measured.claim("c", path).startswith("**✗ fails**: 1 \\| 2")


def test_the_tables_of_fields_say_mean_error_and_median(measured, tmp_path):
    path = tmp_path / "fields.json"
    runs = {
        "0": {"valid": [1.0, 3.0], "fit_s": 2.0, "step_ms": 0.25},
        "1": {"valid": [2.0, 2.0], "fit_s": 4.0, "step_ms": 0.75},
    }
    found = {
        "exponents": {"ring": [0.5, 0.01]},
        "goals": {"ring": 6.0},
        "runs": {"ring": {"spheresn": runs}, "plane": {"spheresn": runs}},
    }
    path.write_text(json.dumps(found))
    lines = measured.fields("table", path=path).splitlines()
    assert lines[2:] == [
        "| ring | 6.0 | 2 | 2.0 ± 0.4 | 3.0 | 0.5 |",
        "| plane |  | 2 | 2.0 ± 0.4 | 3.0 | 0.5 |",
    ]
    assert measured.fields("exponents", path=path) == "ring 0.5000 ± 0.0100"
    assert "not measured" in measured.fields("peers", path=path)
    found["runs"]["ring"]["other"] = runs
    path.write_text(json.dumps(found))
    assert measured.fields("peers", path=path).count("\n") == 3


def test_the_growth_of_a_fit_is_a_line_for_each_size(measured, tmp_path):
    one = {"fit_s": 1.5, "step_ms": 0.1, "peak_mb": 40.2, "file_mb": 4.1}
    found = {"base": {"cells": 512}, "growth": {"cells": {"1024": one}}}
    (tmp_path / "growth.json").write_text(json.dumps(found))
    *_, line = measured.growth(tmp_path / "growth.json").splitlines()
    assert line == "| 1,024 cells | 1.5 | 0.1 | 40 | 4 |"


def test_long_free_runs_are_listed_with_their_failures(measured, tmp_path, monkeypatch):
    one = {"valid": [2.0], "runs": [[0.9, 0.9]], "truth": [0.0, 0.0], "exponent": None, "fit": 1.0}
    found = {
        "systems": {"A": {"half": "report", "exponent": 0.0}, "B": {"half": "development"}},
        "results": {"all, noise 0": {"spheresn": {"A, 0": {**one, "error": None}}}},
    }
    path = tmp_path / "climate.json"
    path.write_text(json.dumps(found))
    assert measured.climate("systems", "development", path) == "B"
    assert "1 of 1" in measured.climate("table", "report", path)
    assert measured.climate("failures", path=path).startswith("- A, all, noise 0: 1 of 1")
    assert measured.climate("failures", "development", path) == "None."
    assert measured.climate("missing", path=path) == "Nothing is missing."
    for picture, said in ((path, "climate.json"), (tmp_path / "none.png", "`make climate`")):
        monkeypatch.setattr(measured, "CLIMATE_PICTURE", picture)
        assert said in measured.climate("picture", path=path)


def test_the_table_of_a_device_is_a_line_for_each_size(measured, tmp_path):
    one = {"flash": 4316, "state": 412, "stack": 900, "update": 4966, "forecast": 6776, "valid": 9}
    tools = {"compiler": "cc 1", "emulator": "em 2", "options": "-O2"}
    path = tmp_path / "device.json"
    path.write_text(
        json.dumps({"float32": {"500": one}, "tools": tools, "careless": {"500": {"valid": 1.25}}})
    )
    *_, line = measured.device("float32", path=path).splitlines()
    assert line == "| 500 | 4.3 | 0.4 | 0.9 | 4,966 | 6,776 | 9.0 |"
    assert measured.device("tools", path=path) == "cc 1, `-O2`; em 2"
    assert measured.device("rate", "64", path) == "12,900"
    assert measured.device("careless", "500", path) == "1.2"
    assert "nothing.json is missing" in measured.device("tools", path=tmp_path / "nothing.json")


def test_the_tables_of_streams(measured, tmp_path):
    one = {"rows": 1000, "alarms": 0.0125, "inside": 0.9875, "changes": 2}
    delays = {"watch": [3, 5, None, 9], "watch, early": [0, 0, 0, 0], "CUSUM": [None] * 4}
    calm = {"watch": [None, 1, None, None], "watch, early": [0] * 4, "CUSUM": [None] * 4}
    methods = {"watch": {"found": 3, "elsewhere": 2.04}}
    found = {
        "calm": {"waves": one},
        "faults": {"waves": {"nothing": calm, "stuck": delays}},
        "labelled": {"heart": {"stretches": 3, "rows": 9000, "methods": methods}},
        "thresholds": {"CUSUM": {"false": 0.25}, "other": {"false": 0.5}},
        "stream": {
            "memory_mb": [10.2, 11.0],
            "summary": {"rows": 5000, "alarms": 5, "changes": 1},
            "seconds": 120.0,
        },
    }
    path = tmp_path / "surprise.json"
    path.write_text(json.dumps(found))
    assert measured.surprise("calm", path).endswith("| waves | 1,000 | 1.25% | 98.75% | 2 |")
    *_, false, stuck = measured.surprise("faults", path).splitlines()
    assert false == "| nothing: false alarms | 25% | 0% |" and stuck == "| stuck | 5 (25%) | – |"
    assert measured.surprise("labelled", path).endswith("| heart: 3 in 9,000 rows | 3; 2.0 |")
    assert measured.surprise("thresholds", path) == "25% to 50%"
    assert measured.surprise("stream", path).startswith(
        "5,000 rows of one column through a pipe: 2"
    )
    assert "surprise.json is missing" in measured.surprise("more", path)


def test_the_table_of_several_as_one_has_a_row_for_each_composition(measured, tmp_path):
    place = {"kind": "chain", "topology": "ring", "units": 100}
    ratios = [{**place, "work": "drive", "ratio": 1.234}, {**place, "work": "w", "ratio": 0.9}]
    ratios.append({**place, "units": 500, "work": "drive", "ratio": 2.0})
    path = tmp_path / "compose.json"
    path.write_text(json.dumps({"ratios": ratios}))
    head, _, first, second = measured.compose(path).splitlines()
    assert head == "| | drive | w |" and first == "| chain, ring, 100 units each | 1.23 | 0.90 |"
    assert second == "| chain, ring, 500 units each | 2.00 | – |"
    assert "`make compose` makes it" in measured.compose(tmp_path / "none.json")


def test_what_people_know_besides_one_series_is_measured(measured, tmp_path):
    ways = {
        "forgetting 0.99": {"valid": {str(k): [k, 3 * k] for k in range(1, 5)}, "seconds": 2.0},
        "fitted again": {"valid": {str(k): [9.0, 9.0] for k in range(1, 5)}, "seconds": 80.0},
    }
    found = {
        "drift": {"rows": 20_000, "ways": ways},
        "recordings": {"A": {"ten": [1.0, 2.25]}, "B": {"ten": [3.0, 4.0]}},
        "physics": {"0.01": {"500": {"alone": 0.76, "both": {"valid": [2.0], "share": [0.5]}}}},
        "onset": {"published": 3.57, "networks": {"7": [3.57, 3.5, 3.5695]}},
    }
    path = tmp_path / "knowledge.json"
    path.write_text(json.dumps(found))
    ask = functools.partial(measured.knowledge, path=path)
    assert (ask("drift", "times"), ask("drift", "rows")) == ("40", "20,000")
    line = "| forgetting 0.99 | 2.0 | 4.0 | 6.0 | 8.0 | 3.5 | 2.5% |"
    assert ask("drift", "table").splitlines()[2] == line
    assert ask("recordings").endswith("| ten | 1.0, 2.2 | 3.0, 4.0 |")
    assert ask("onset", "table").endswith("| 7 | 2 of 3 | 0.0005 | 0.0700 |")
    assert ask("physics").endswith("| alone | 0.8 |\n| both | 2.0 (0.50) |")
    assert "`make knowledge KNOWLEDGE=parameters` makes it" in ask("parameters")


def test_what_is_absent_says_how_to_make_it(measured, tmp_path):
    nowhere = tmp_path / "nothing.json"
    for kind in (
        measured.quality,
        measured.classes,
        measured.report,
        measured.benchmarks,
        measured.growth,
    ):
        assert "nothing.json is missing" in kind(nowhere)
    assert "nothing.json is missing; `make league`" in measured.league("table", path=nowhere)
    assert "nothing.json is missing; `python bench" in measured.fields("table", path=nowhere)
    assert "nothing.json is missing; `make climate`" in measured.climate("table", path=nowhere)
    assert "nothing.json is missing" in measured.claims(path=nowhere)
    assert "spheresn show some-claim" in measured.claim("some-claim", nowhere)


def test_the_data_of_the_pages_come_from_the_runs(measured, tmp_path, monkeypatch):
    renew = importlib.import_module("renew")
    for name, preset, seed, word in (
        ("one", "paper", 0, "holds"),
        ("two", "quick", 3, "open"),
        ("three", "quick", 4, "fails"),
    ):
        run = tmp_path / name
        run.mkdir()
        claims = [{"id": "a", "verdict": word, "preset": preset}, {"id": "b", "verdict": "holds"}]
        (run / "claims.json").write_text(json.dumps(claims))
        (run / "runs.json").write_text(json.dumps({"runs": {key: {"seed": seed} for key in "xy"}}))
    runs = [tmp_path / name for name in ("one", "two", "three")]
    renew.renew(runs[:2], tmp_path)
    assert json.loads((tmp_path / "claims.json").read_text())[0]["verdict"] == "holds"
    text = measured.seeds(tmp_path / "verdicts.json")
    assert text.startswith("Runs compared: paper, seed 0; quick, seed 3. 1 of 2 verdicts are the")
    assert "1 differ only" in text and text.endswith("contradict each other: none.")
    renew.renew(runs[1:], tmp_path)
    assert "`a` (holds, open, fails)" in measured.seeds(tmp_path / "verdicts.json")
    renew.renew(runs[2:], tmp_path)  # the other runs of this preset are gone
    assert list(json.loads((tmp_path / "verdicts.json").read_text())) == [
        "paper, seed 0",
        "quick, seed 4",
    ]
    assert json.loads((tmp_path / "claims.json").read_text())[0]["preset"] == "paper"
    two = {"runs": {"x": {"seed": 1}, "y": {"seed": 2}}}
    (runs[0] / "runs.json").write_text(json.dumps(two))
    with pytest.raises(SystemExit, match="must come from one seed"):
        renew.renew(runs, tmp_path)


def test_the_claims_of_the_paper_stand_apart_and_by_weight(measured, tmp_path):
    def one(name, by, weight, quoted=False):
        words = dict.fromkeys(("says", "measured", "figure", "source"), name)
        return {**words, "id": name, "verdict": "open", "preset": "smoke"} | {
            "by": by,
            "weight": weight,
            "quoted": quoted,
        }

    path = tmp_path / "claims.json"
    claims = [one("minor", "paper", 1), one("ours", "library", 2), one("main", "paper", 3, True)]
    path.write_text(json.dumps(claims))
    paper, ours = measured.claims(path=path), measured.claims("library", path)
    assert paper.index("“main”") < paper.index("minor") and "ours" not in paper
    assert "ours" in ours and "main" not in ours and "too close to call: 1" in ours


def test_the_page_on_scaling_has_the_units_of_all_experiments():
    units = {
        name: len(module.tasks(module.PRESETS["paper"])) for name, module in EXPERIMENTS.items()
    }
    rows = re.findall(
        r"^\| (\w+) \| (\d+) \| (\d+) \|", (DOCS / "scaling.md").read_text(), re.MULTILINE
    )
    *parts, (_, total, seconds) = rows
    assert {name: int(count) for name, count, _ in parts} == units
    assert int(total) == sum(units.values())
    # Each row is rounded to a second
    assert int(seconds) == pytest.approx(sum(int(one) for *_, one in parts), abs=len(parts) / 2)
