"""Does the state forget where it started? A proof that it does, a proof that it cannot, or a
test.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .. import _validation, sphere
from .._validation import BadInput, Floats
from ..activations import OnSphere
from ..reservoir import Reservoir
from ..system import System
from ._echo_proofs import Proof, proved
from ._secular import decompose
from ._setting import Signal, input_rows
from ._trajectories import distances_between, several_starts
from .lyapunov import MaxLyapunov, max_lyapunov


@dataclass(frozen=True, eq=False)
class EchoState:
    """What is known about the echo state property along a signal.

    verdict: "certified" (proved: all trajectories meet), "refuted" (proved: some never do) or
    "empirical" (a test, no proof). reason: the argument in one sentence. rate: for a certificate,
    the proved mean log contraction per step. contraction (T,): for a spherical or tanh certificate,
    the log of the factor by which all distances have shrunk at least. "refuted" speaks of all
    starts at once: almost all may still meet, when the maximal exponent is negative. washout: steps
    until differences have shrunk to `tolerance`; infinite if they need not, and for a test if they
    did not: a negative exponent is local, and a network with several attractors has one too.
    exponent, distances (T,): for a test, the maximal Lyapunov exponent, and the largest distance
    from the first trajectory.

    >>> import spheresn as sn
    >>> halving = sn.Reservoir(recurrent=[[0.5]], inputs=[1.0], activation=sn.Linear())
    >>> found = echo_state(halving, 10, tolerance=2.0**-20)
    >>> found.verdict, round(found.rate, 6), round(found.washout, 6)
    ('certified', -0.693147, 20.0)
    """

    verdict: str
    reason: str
    washout: float
    rate: float | None = None
    contraction: Floats | None = None
    exponent: MaxLyapunov | None = None
    distances: Floats | None = None


@dataclass(frozen=True)
class OutsideSphere:
    """Whether σ_min(W) >= needed = 1 + (|W_in| s_max + |b|)/r.

    >>> import spheresn as sn
    >>> pre_activation_outside_sphere(sn.Reservoir(recurrent=3.0 * np.eye(2), inputs=[1.0, 0.0]), [1.0, -1.0])
    OutsideSphere(holds=True, smallest_singular_value=3.0, needed=2.0)
    """

    holds: bool
    smallest_singular_value: float
    needed: float


def echo_state(
    system: System,
    signal: Signal,
    starts: ArrayLike | None = None,
    trajectories: int = 4,
    tolerance: float = 1e-6,
    transient: int = 500,
    rng: np.random.Generator | int = 0,
) -> EchoState:
    """The echo state property along a signal: certified, refuted, or tested.

    Sphere, no leak: each step contracts by at least q_k = r σ_max/m_k, m_k = min over |x| = r of |W
    x + u_k| [DUN64]; mean log q_k < 0 certifies (times √(1 + bend² N) when bent). If |W⁻¹u_k| < r
    for all k every step maps the sphere onto itself, one to one, so states 2r apart remain possible
    for ever: refuted, and eqn:condition of the paper implies just that. tanh: certified if 1 - leak
    + leak σ_max < 1 [JAE01]. Linear: certified or refuted by the spectral radius of (1 - leak) I +
    leak W. Otherwise: the maximal exponent with its standard error, and trajectories from `starts`
    (m, N), by default random ones, the second the antipode of the first. signal: (T, d), or a
    number of steps without input. u_k = W_in s_k + b throughout.

    >>> import spheresn as sn
    >>> turn = sn.Reservoir(recurrent=[[0.0, -2.0], [2.0, 0.0]], inputs=[1.0, 0.0])
    >>> echo_state(turn, np.zeros(10)).verdict, echo_state(turn, np.full(10, 5.0)).verdict
    ('refuted', 'certified')
    """
    rows, limit = (
        input_rows(system, signal),
        _validation.real("tolerance", tolerance, 0.0, 1.0, above=True),
    )
    _validation.at_least("signal", len(rows), 1, "to drive the system")
    proof = proved(system, rows) if isinstance(system, Reservoir) else None
    if isinstance(system, Reservoir) and proof is not None:
        return EchoState(
            proof.verdict,
            proof.reason,
            _proved_washout(proof, limit, system.units),
            proof.rate,
            proof.contraction,
        )
    generator = _validation.generator(rng)
    several = several_starts(
        system, starts, _validation.whole("trajectories", trajectories, 2), generator
    )
    exponent = max_lyapunov(system, rows, transient, several[0], generator)
    apart = distances_between(system, rows, several)
    washout = _tested_washout(exponent.exponent, apart, limit)
    return EchoState(
        "empirical", _reading(exponent, apart), washout, exponent=exponent, distances=apart
    )


def pre_activation_outside_sphere(reservoir: Reservoir, signal: Signal) -> OutsideSphere:
    """σ_min(W) >= 1 + (|W_in| s_max + |b|)/r: then |a_k| >= r for every state, and nothing more
    [VAL19, eqn:condition].

    The paper takes this inequality for a sufficient condition of the echo state property. It
    implies the opposite: every step is then one to one on the whole sphere, and `echo_state`
    answers "refuted".

    >>> import spheresn as sn
    >>> turn = sn.Reservoir(recurrent=[[0.0, -2.0], [2.0, 0.0]], inputs=[1.0, 0.0])
    >>> pre_activation_outside_sphere(turn, np.zeros(10)).holds
    True
    """
    if not isinstance(reservoir.activation, OnSphere):
        raise BadInput(
            f"reservoir must live on a sphere, got {reservoir.activation}; the condition speaks "
            "of a radius"
        )
    rows, smallest = input_rows(reservoir, signal), decompose(reservoir).smallest
    largest_input = float(sphere.norms(rows).max(initial=0.0))
    gain = float(np.linalg.norm(reservoir.inputs, 2)) if reservoir.n_inputs else 0.0
    needed = (
        1.0
        + (gain * largest_input + float(np.linalg.norm(reservoir.bias)))
        / reservoir.activation.radius
    )
    return OutsideSphere(smallest >= needed, smallest, needed)


def _proved_washout(proof: Proof, tolerance: float, units: int) -> float:
    """The first step at which the proved contraction has reached the tolerance; beyond the signal,
    at its mean rate.
    """
    if proof.rate is None:
        return np.inf
    if proof.contraction is not None and proof.contraction[-1] <= np.log(tolerance):
        return float(np.argmax(proof.contraction <= np.log(tolerance)) + 1)
    # Wᴺ = 0 for a nilpotent W
    return float(np.log(tolerance) / proof.rate) if proof.rate > -np.inf else float(units)


def _tested_washout(exponent: float, apart: Floats, tolerance: float) -> float:
    """log(tolerance)/λ, unless the trajectories had twice that time and are still apart: several
    attractors, each contracting.
    """
    estimate = float(np.log(tolerance) / exponent) if exponent < 0 else np.inf
    return (
        np.inf
        if len(apart) > 2 * estimate and apart[-1] > np.sqrt(tolerance) * apart[0]
        else estimate
    )


def _reading(exponent: MaxLyapunov, apart: Floats) -> str:
    sign = (
        "negative" if exponent.exponent < -2 * exponent.standard_error else "not clearly negative"
    )
    return (
        f"no proof either way; the maximal exponent {exponent.exponent:.4g} ± "
        f"{exponent.standard_error:.1g} is {sign}, "
        f"and trajectories {apart[0]:.2g} apart after one step end {apart[-1]:.2g} apart after "
        f"{len(apart)}"
    )
