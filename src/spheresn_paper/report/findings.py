"""The first screen: three findings, each with its answer, a sentence in numbers and a picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spheresn.apps._pages import Drawing

from ..claim import all_or_some
from .section import Section

ANSWERS = {"holds": "Yes", "partly": "Partly", "fails": "No", "open": "Too close to call"}
SIGNALS = ("white-noise", "mso", "lorenz", "mackey-glass", "santa-fe-laser")
Numbers = Mapping[str, Mapping[str, Any]]  # evidence by the id of the claim


@dataclass(frozen=True)
class Finding:
    """What the page says first: a promise of the paper, and whether it was kept."""

    promise: str
    verdict: str
    sentence: str
    drawing: Drawing | None
    sizes: str
    experiment: str
    claims: tuple[str, ...]

    @property
    def answer(self) -> str:
        """The verdict as an answer."""
        return ANSWERS.get(self.verdict, self.verdict)


def findings(sections: Sequence[Section]) -> list[Finding]:
    """The findings whose experiments are in this run."""
    there = {section.name: section for section in sections}
    found = []
    for promise, experiment, ids, say in PROMISES:
        section = there.get(experiment)
        claims = {one["id"]: one for one in section.claims} if section else {}
        judged = [name for name in ids if name in claims]
        if section is None or not set(NEEDED[experiment]) <= set(judged):
            continue
        verdict = _together([claims[name]["verdict"] for name in judged])
        evidence = {name: claims[name]["evidence"] for name in judged}
        picture = [one for one in section.drawings if one.stem == f"{experiment}_finding"]
        drawing = picture[0] if picture else None
        sentence = say(evidence)
        found.append(
            Finding(promise, verdict, sentence, drawing, section.sizes, experiment, tuple(judged))
        )
    return found


def _together(verdicts: Sequence[str]) -> str:
    """The verdict on several claims; among others, one that holds partly does not hold."""
    if len(set(verdicts)) == 1:
        return verdicts[0]
    return all_or_some(["fails" if one == "partly" else one for one in verdicts])


def _say_memory(numbers: Numbers) -> str:
    noise = numbers["memory-comparable-with-linear-white-noise"]
    gaps = [float(one["gap"]) for one in numbers.values()]
    return (
        f"White noise is recalled with mean accuracy {noise['spherical_paper']:.2f} (linear "
        f"{noise['linear_paper']:.2f}, tanh {noise['tanh_paper']:.2f}). On {len(gaps)} signals the "
        f"sphere is at most {max(*gaps, 0.0):.2f} behind linear networks."
    )


def _say_chaos(numbers: Numbers) -> str:
    small, large = (float(numbers["never-chaotic"][name]) for name in ("N = 2, proved", "N = 500"))
    typical = numbers["large-networks-cannot-be-chaotic"]
    return (
        f"Of {typical['runs']:.0f} runs of random networks {typical['clearly_positive']:.0f} are "
        f"chaotic. But two units can be (exponent {small:+.2f}), and networks of any size: proved. "
        f"Measured: 500 dense units ({large:+.2f}). Where the paper's condition for echo states is "
        "met, they are impossible: proved."
    )


def _say_best(numbers: Numbers) -> str:
    shares = numbers["best-when-both-memory-and-nonlinearity"]
    low, high = (max(float(shares[f"paper_train_{end}"]), 0.0) for end in ("low", "high"))
    return (
        "Training rows, which choose the hyper-parameters in the text, leave it open: the sphere "
        f"wins {low:.0%} to {high:.0%} of the tasks in the box. If validation rows choose them, it "
        f"wins {shares['paper_validation']:.0%}."
        if low <= 0.5 <= high
        else f"Of the tasks in the box the sphere wins {shares['paper_train']:.0%} if training "
        f"rows choose the hyper-parameters, as in the text, {shares['paper_validation']:.0%} if "
        "validation rows do."
    )


Tell = Callable[[Numbers], str]
PROMISES: tuple[tuple[str, str, tuple[str, ...], Tell], ...] = (
    (
        "A memory like that of linear networks?",
        "memory",
        tuple(f"memory-comparable-with-linear-{signal}" for signal in SIGNALS),
        _say_memory,
    ),
    (
        "Never chaotic, echo states guaranteed?",
        "stability",
        ("never-chaotic", "large-networks-cannot-be-chaotic", "condition-implies-echo-state"),
        _say_chaos,
    ),
    (
        "Best where memory and nonlinearity are both needed?",
        "tradeoff",
        ("best-when-both-memory-and-nonlinearity",),
        _say_best,
    ),
)
NEEDED = {  # without these there is no sentence
    "memory": ("memory-comparable-with-linear-white-noise",),
    "stability": PROMISES[1][2],
    "tradeoff": PROMISES[2][2],
}
FOUND_BY = frozenset(NEEDED)  # the experiments behind the findings
