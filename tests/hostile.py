"""Networks and signals at the edges of what is valid, drawn by hypothesis, and what must hold of
any answer to them.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import spheresn as sn
from spheresn.analysis import MeaninglessPrediction
from spheresn.estimators import OutOfRange

PATTERNS = ("noise", "zeros", "constant", "spikes", "subnormal", "mixed")
EDGES = np.array([0.0, -0.0, 1.0, -2.5, 5e-324, -1e-310, 1e-200, 1e-8, -1e8, 1e150, -1e300, 1e300])
OUR_WARNINGS = (sn.DegenerateStep, OutOfRange, MeaninglessPrediction)
SENTENCE = re.compile(r"[^\n]* must [^\n]*, got [^\n]*; [^\n]+")
# Sentences of scikit-learn's own validation, which its checks of estimators ask for.
THEIRS = re.compile(r"Found array with \d+ sample\(s\)[^\n]*")


@dataclass(frozen=True)
class Case:
    """A network and a signal from a few numbers, so that a failure can be read and repeated."""

    units: int = 3
    inputs: int = 1
    topology: str = "ring"
    activation: Any = sn.OnSphere()  # noqa: RUF009  frozen
    leak: float = 1.0
    bias: float = 0.0
    scaling: float = 1.0
    pattern: str = "noise"
    steps: int = 5
    seed: int = 0

    def rng(self, purpose: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, purpose])

    @property
    def reservoir(self) -> sn.Reservoir:
        return self.network()

    def network(self, **changes: Any) -> sn.Reservoir:
        """Drive and bias are in units of the radius, so that neither is always lost beside the
        other.
        """
        size = self.activation.sphere_radius or 1.0
        density = {"density": 0.5 if self.units > 20 else 1.0} if self.topology == "sparse" else {}
        options = {
            "leak": self.leak,
            "bias_scaling": self.bias * size,
            "input_scaling": self.scaling * size,
            **density,
            **changes,
        }
        options = {
            "activation": self.activation,
            "topology": self.topology,
            "rng": self.rng(0),
            **options,
        }
        return sn.random_reservoir(self.units, self.inputs, **options)

    def signal(self, more: int = 0, purpose: int = 1) -> np.ndarray:
        return like(self.pattern, (self.steps + more, self.inputs), self.rng(purpose))

    @property
    def start(self) -> np.ndarray:
        return (self.activation.sphere_radius or 1.0) * self.rng(2).standard_normal(self.units)


def like(pattern: str, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    """Values of one of the PATTERNS."""
    noise = rng.standard_normal(shape)
    return {
        "noise": noise,
        "zeros": np.zeros(shape),
        "constant": np.full(shape, noise.flat[0] if noise.size else 0.0),
        "spikes": np.where(rng.uniform(size=shape) < 0.2, 1e300 * np.sign(noise), noise),
        "subnormal": 5e-324 * rng.integers(-9, 9, shape),
        "mixed": rng.choice(EDGES, shape),
    }[pattern]


# The same examples every time; shrinking is left out, since a case is a few numbers already and
# shrinking took minutes.
SETTINGS = settings(
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate],
    report_multiple_bugs=False,
)
SPHERES = st.builds(
    sn.OnSphere,
    st.sampled_from([1.0, 1e-150, 1e-7, 2.5, 1e9, 1e150]),
    st.sampled_from([0.0, 0.5, 1.0, 1e3]),
)
CASES = st.builds(
    Case,
    units=st.integers(1, 60),
    inputs=st.integers(1, 3),
    topology=st.sampled_from(list(sn.topology.TOPOLOGIES)),
    activation=st.integers(0, 5).flatmap(
        lambda kind: {0: st.just(sn.Tanh()), 1: st.just(sn.Linear())}.get(kind, SPHERES)
    ),
    leak=st.sampled_from([1.0, 1.0, 0.5, 1e-3]),
    bias=st.sampled_from([0.0, 0.3, 1e4]),
    scaling=st.sampled_from([1.0, 1e-6, 1e3]),
    pattern=st.sampled_from(PATTERNS),
    steps=st.integers(0, 8),
    seed=st.integers(0, 2**16),
)
TAME = CASES.map(
    lambda case: replace(case, pattern="noise", steps=case.steps + 3, bias=0.3, scaling=1.0)
)


@contextmanager
def refusals_allowed() -> Iterator[None]:
    """What is out of scope gets one sentence of the library's own: what must be, what was got, what
    to do.
    """
    try:
        yield
    except (sn.NoDirection, sn.StateOverflow) as error:
        if not re.fullmatch(r"[^\n]+; [^\n]+", str(error)):
            raise
    except ValueError as error:
        ours = isinstance(error, sn.BadInput) and SENTENCE.fullmatch(str(error))
        if not ours and not THEIRS.fullmatch(str(error)):
            raise


def finite(*values: Any) -> bool:
    """No NaN and no infinity; True, for a law to say that it had an answer to judge."""
    assert all(np.isfinite(np.asarray(value, float)).all() for value in values)
    return True


def hold(law: Callable[[Any], Any], cases: st.SearchStrategy[Any], examples: int) -> int:
    """Try a law on so many cases, the same ones each time; at least one in ten must have had an
    answer, or nothing was tested.
    """
    tried = answered = 0

    @settings(SETTINGS, max_examples=examples)
    @given(cases)
    def one(case: Any) -> None:
        nonlocal tried, answered
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for ours in OUR_WARNINGS:
                warnings.simplefilter("ignore", ours)
            try:
                tried, answered = tried + 1, answered + bool(law(case))
            except Exception as error:
                raise AssertionError(f"{case}: {type(error).__name__}: {error}") from error

    one()
    assert answered >= tried / 10, f"only {answered} of {tried} cases had an answer"
    return tried
