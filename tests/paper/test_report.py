"""The page is a function of the sections: it escapes what it prints, its drawings are images that
it holds, it fetches nothing.
"""

from __future__ import annotations

import os
from base64 import b64decode
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import fake_experiment as fake
from elements import Elements
from spheresn._errors import NotInstalled
from spheresn.apps._pages import Drawing
from spheresn_paper.figures import EXPERIMENTS
from spheresn_paper.report import Hole, Section, page
from spheresn_paper.report.findings import findings
from spheresn_paper.report.publish import Sketch, draw, fill_sizes, save_figures
from spheresn_paper.report.section import numbers
from spheresn_paper.runner import CannotWrite

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'&"


def drawn(module: Any, folder: Path, preset: str = "smoke") -> tuple[Drawing, ...]:
    config = module.PRESETS[preset]
    dataset = module.collect(config, [module.run(config, task, 0) for task in module.tasks(config)])
    return tuple(
        Drawing(
            stem,
            fill_sizes(module.CAPTIONS[stem], asdict(config)),
            (folder / f"{stem}.svg").read_text(encoding="utf-8"),
        )
        for stem in save_figures(module.plot, dataset, folder)
    )


def hostile_section(folder: Path) -> Section:
    """Everything that can come from a file or an experiment says something nasty."""
    claim = dict.fromkeys(("figure", "source", "says", "measured", "rule", "experiment"), HOSTILE)
    claim |= {"by": "paper", "quoted": True, "weight": 2}
    return Section(
        "fake",
        HOSTILE,
        HOSTILE,
        HOSTILE,
        {HOSTILE: [HOSTILE, 1.5], "wide": "x" * 300},
        3,
        HOSTILE,
        units=30,
        computed=(HOSTILE, "y" * 200),
        notes=(HOSTILE,),
        holes=tuple(Hole(f'{{"index":{index}}}', HOSTILE) for index in range(25)),
        problem=HOSTILE,
        drawings=drawn(fake, folder),
        numbers=tuple(numbers(xr.Dataset({HOSTILE: ("x", np.ones(3), {"long_name": HOSTILE})}))),
        claims=tuple(
            {**claim, "id": f"c{i}", "verdict": verdict, "evidence": {HOSTILE: 1.0}}
            for i, verdict in enumerate(("holds", "partly", "fails", "open"))
        ),
    )


def claim(name: str, verdict: str = "holds", **more: Any) -> dict[str, Any]:
    words = dict.fromkeys(("figure", "source", "says", "measured", "rule"), name)
    usual = {"id": name, "verdict": verdict, "evidence": {}, "experiment": "fake"}
    return {**words, **usual, "by": "paper", "quoted": False, "weight": 2, **more}


def promised(
    picture: Drawing, chaos: str = "fails", best: str = "partly", high: float = 0.3
) -> list[Section]:
    """Three sections with what the findings need."""
    means = {"spherical_paper": 0.97, "linear_paper": 0.99, "tanh_paper": 0.1, "gap": 0.02}
    recall = [
        claim(f"memory-comparable-with-linear-{signal}", evidence=means, experiment="memory")
        for signal in ("white-noise", "mso")
    ]
    exponents = {"N = 2, proved": 0.67, "N = 500": 0.52}
    random = {"runs": 9.0, "clearly_positive": 0.0}
    stability = [
        claim("never-chaotic", chaos, evidence=exponents),
        claim("large-networks-cannot-be-chaotic", chaos, evidence=random),
        claim("condition-implies-echo-state", "fails"),
    ]
    shares = {"paper_validation": 0.0, "paper_train": 0.1}
    shares |= {"paper_train_low": 0.0, "paper_train_high": high}
    won = [claim("best-when-both-memory-and-nonlinearity", best, evidence=shares)]
    return [
        Section(
            name, f"Fig. {name}", name, "quick", {}, 0, "c", sizes=f"N = 7 of {name}",
            drawings=(replace(picture, stem=f"{name}_finding", caption=f"picture of {name}"),),
            claims=tuple(claims),
        )
        for name, claims in (("memory", recall), ("stability", stability), ("tradeoff", won))
    ]  # fmt: skip


@pytest.fixture(scope="module")
def written(tmp_path_factory) -> Path:
    """A page with real drawings and a hostile section."""
    folder = tmp_path_factory.mktemp("page")
    real = [
        Section(
            name,
            module.FIGURE,
            module.TITLE,
            "smoke",
            {},
            0,
            f"spheresn reproduce {name}",
            drawings=drawn(module, folder),
        )
        for name, module in EXPERIMENTS.items()
        if name in ("schematic", "geometry")
    ]
    path = folder / "report.html"
    sections = [*real, *promised(drawn(fake, folder)[0]), hostile_section(folder)]
    path.write_text(page(sections), encoding="utf-8")
    return path


def test_everything_printed_is_escaped(written):
    found = Elements(written.read_text(encoding="utf-8"))
    assert not {"script", "iframe", "object"} & set(found.tags) and found.only_drawings()
    assert not [name for name, _ in found.attributes if name.startswith("on")]


def test_every_id_is_unique_and_every_link_finds_its_own(written):
    found = Elements(written.read_text(encoding="utf-8"))
    ids = [value for name, value in found.attributes if name == "id"]
    links = {value[1:] for name, value in found.attributes if name == "href" and value[0] == "#"}
    assert len(ids) == len(set(ids)) > 9 and len(links) > 3 and links - {HOSTILE} <= set(ids)


def test_an_image_is_the_drawing_with_its_caption(written, tmp_path):
    """To the last byte; what it says instead of a picture is escaped."""
    found = Elements(written.read_text(encoding="utf-8"))
    images = [value.partition(",")[2] for name, value in found.attributes if name == "src"]
    drawings = [path.read_bytes() for path in written.parent.glob("*.svg")]
    assert {b64decode(image) for image in images} == set(drawings)
    assert len(images) == len(drawings) + 3  # the pictures of the findings are the fake one's
    words = {value for name, value in found.attributes if name == "alt"}
    assert fake.CAPTIONS["fake"] in words and len(words) == len(images)
    hostile = Section("fake", "f", "t", "smoke", {}, 0, "c", drawings=(Drawing("a", HOSTILE, "x"),))
    assert ("alt", HOSTILE) in Elements(page([hostile])).attributes


def test_findings_answer_what_the_verdicts_say():
    picture = Drawing("fake", "c", "<svg/>")
    found = findings(promised(picture))
    assert [one.answer for one in found] == ["Yes", "No", "Partly"]
    assert "0.97 (linear 0.99, tanh 0.10)" in found[0].sentence and "+0.52" in found[1].sentence
    assert "+0.67" in found[1].sentence and "wins 10% if training rows" in found[2].sentence
    assert "0% if validation rows do" in found[2].sentence
    wide = findings(promised(picture, high=0.8))
    assert "leave it open: the sphere wins 0% to 80%" in wide[2].sentence
    assert [one.drawing.caption for one in found] == [
        f"picture of {name}" for name in ("memory", "stability", "tradeoff")
    ]
    other = findings(promised(picture, chaos="open", best="open"))
    assert [one.answer for one in other] == ["Yes", "Too close to call", "Too close to call"]
    mixed = findings(promised(picture, chaos="holds"))
    assert mixed[1].answer == "Partly"


def test_a_finding_needs_its_claims_and_not_its_picture():
    memory, stability, tradeoff = promised(Drawing("fake", "c", "<svg/>"))
    assert findings([]) == [] and findings([replace(memory, claims=memory.claims[1:])]) == []
    assert findings([replace(stability, claims=stability.claims[:2])]) == []
    (bare,) = findings([replace(tradeoff, drawings=())])
    assert bare.drawing is None and "<img" not in page([replace(tradeoff, drawings=())])


def test_the_page_begins_with_the_findings_and_tells_whose_claims_are_which():
    own = Section("dial", "ours", "t", "quick", {}, 0, "c", claims=(
        claim("small", weight=1, quoted=True), claim("great", weight=3), claim("own", by="library"),
    ))  # fmt: skip
    text = page([*promised(Drawing("fake", "c", "<svg/>")), own])
    places = [text.index(f'id="{name}"') for name in ("findings", "claims", "claim-great")]
    places += [text.index(f'id="{name}"') for name in ("claim-small", "ours", "claim-own", "dial")]
    assert places == sorted(places)
    assert "<q>small</q>" in text and text.count("<q>") == 1
    assert "Preset <b>quick</b>, networks smaller or fewer than the paper&#39;s" in text
    assert 'id="figure-memory_finding"' not in text and "N = 7 of memory" in text


def test_captions_state_the_sizes_of_the_run():
    for name, module in EXPERIMENTS.items():
        for preset, config in module.PRESETS.items():
            for caption in module.CAPTIONS.values():
                assert not set("{}") & set(fill_sizes(caption, asdict(config))), (name, preset)
    memory = EXPERIMENTS["memory"]
    sentences = [
        fill_sizes(memory.CAPTIONS["memory_paper"], asdict(memory.PRESETS[preset]))
        for preset in ("quick", "paper")
    ]
    assert "This run has N = 1000, 5 networks, 3500 training" in sentences[0]
    assert "This run has N = 1000, 20 networks, 5000 training" in sentences[1]


def test_the_same_numbers_give_the_same_drawing(tmp_path):
    one, other = drawn(fake, tmp_path / "one"), drawn(fake, tmp_path / "other")
    assert one == other


def test_a_drawing_that_fails_is_reported_but_one_that_cannot_be_written_stops_the_report(tmp_path):
    def fails(dataset):
        raise RuntimeError("no such\ncolour")

    data = tmp_path / "fake.nc"
    fake.collect(fake.Config(1), [None]).to_netcdf(data, engine="h5netcdf")
    assert draw(Sketch(fails, data, tmp_path)) == ((), "RuntimeError: no such colour")
    assert draw(Sketch(fake.plot, data, tmp_path)) == (("fake",), None)
    (tmp_path / "file").touch()
    with pytest.raises(CannotWrite, match="must be writable, got File exists"):
        draw(Sketch(fake.plot, data, tmp_path / "file"))


def test_numbers_tell_range_and_holes():
    (row,) = numbers(
        xr.Dataset(
            {
                "a": (("x", "y"), np.array([[1.0, np.nan], [3.0, 2.0]])),
                "word": ("x", np.array(["p", "q"])),
            }
        )
    )
    assert row == {
        "name": "a",
        "meaning": "",
        "shape": "2 x × 2 y",
        "low": "1",
        "median": "2",
        "high": "3",
        "missing": "1",
    }


def test_claims_come_first_with_words_rules_and_the_command(written):
    text = written.read_text(encoding="utf-8")
    assert text.index('id="claims"') < text.index('id="schematic"')
    assert all(
        words in text
        for words in (
            "✓ holds: 3",
            "◐ partly: 2",
            "✗ fails: 4",
            "≈ too close to call: 1",
            "Rule: ",
            "spheresn reproduce geometry",
        )
    )
    assert "25 of 30 units have no result" in text and "and 13 more" in text


@pytest.mark.parametrize("width", [390, 1200])
def test_in_a_browser_nothing_is_fetched_the_console_is_clean_and_nothing_sticks_out(
    browser, written, width
):
    tab = browser.new_page(viewport={"width": width, "height": 844})
    said, asked = [], []
    tab.on("console", lambda message: said.append(message.text))
    tab.on("pageerror", lambda error: said.append(str(error)))
    tab.on("dialog", lambda dialog: said.append(dialog.message))
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto(written.as_uri())
    tab.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    fetched = [url for url in asked if not url.startswith("data:")]
    assert fetched == [written.as_uri()] and said == []
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    assert tab.evaluate(
        "[...document.images].every(one => one.complete && one.naturalWidth > 250 && "
        "one.getBoundingClientRect().width > (one.closest('.finding') ? 150 : 250))"
    )
    if "SPHERESN_SCREENSHOTS" in os.environ:
        tab.screenshot(
            path=Path(os.environ["SPHERESN_SCREENSHOTS"], f"report-{width}.png"), full_page=True
        )
    tab.close()


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1280, 800)])
def test_the_first_screen_holds_three_findings_with_their_pictures(
    browser, tmp_path, width, height
):
    path = tmp_path / "report.html"
    path.write_text(page(promised(drawn(fake, tmp_path)[0])), encoding="utf-8")
    tab = browser.new_page(viewport={"width": width, "height": height})
    tab.goto(path.as_uri())
    assert tab.evaluate("document.querySelectorAll('.finding img').length") == 3
    bottom = "document.querySelector('#findings').getBoundingClientRect().bottom"
    assert tab.evaluate(bottom) <= height
    tab.close()


def test_printed_the_details_are_open(browser, written):
    tab = browser.new_page()
    tab.goto(written.as_uri())
    tab.emulate_media(media="print")
    assert tab.evaluate(
        "[...document.querySelectorAll('details')].every(one => "
        "one.getBoundingClientRect().height > 20)"
    )
    tab.close()


def test_only_a_recording_that_is_not_installed_is_no_fault():
    """By the class of the error, whatever its words are."""
    absent = Hole("{}", "any words", NotInstalled.__name__)
    said = [
        Hole("{}", "NotInstalled: x", "ValueError"),
        Hole("{}", "FileNotFoundError: x", "FileNotFoundError"),
        Hole("{}", "not computed"),
    ]
    plain = Section("fake", "Fig. 0", "t", "smoke", {}, 0, "c", holes=(absent,))
    assert not plain.faulty and replace(plain, problem="x").faulty
    assert all(replace(plain, holes=(absent, hole)).faulty for hole in said)
