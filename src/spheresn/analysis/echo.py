"""The echo state property: a proof that the state forgets its start, a refutation, or a test."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from .. import _validation, sphere
from .._errors import BadInput
from .._numerics import power_of_two
from .._validation import Floats
from ..activations import OnSphere
from ..compose import Composition, Driven, reservoirs_of
from ..driving import drive, starts_of
from ..reservoir import Reservoir, check_reservoir
from ..system import System
from ._common import Signal, input_rows, start_state
from ._echo_proofs import Proof, prove
from ._secular import decompose
from .lyapunov import MaxLyapunov, max_lyapunov

ROWS_AT_ONCE = 512  # rows at a time, so that long signals need little memory


@dataclass(frozen=True, eq=False)
class EchoState:
    """What is known about the echo state property along a signal.

    verdict: "certified" (proved: all trajectories converge), "refuted" (proved: after any number of
    steps some are still apart) or "empirical" (a test without proof). A refutation is about all
    starts together: if the maximal exponent is negative, almost all trajectories may still
    converge. reason: the argument in one sentence. washout: the number of steps until differences
    have shrunk to `tolerance`. It is infinite if they need not shrink, and for a test if they did
    not: a negative exponent is local, and a network with several attractors has one too.

    For a certificate of the sphere or tanh, rate is the proved mean log contraction per step, and
    contraction (T,) the log of a factor by which all distances have shrunk. Of a linear network,
    rate is the mean over ever more steps, log ρ; its washout comes from the powers of its matrix,
    because distances may grow before they shrink. It is infinite above 1,000 units, whose powers
    are not computed, unless W is a ring or made of rotations. For a test, exponent is the maximal
    Lyapunov exponent, and distances (T,) the largest distance from the first trajectory.

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
    >>> tripling = sn.Reservoir(recurrent=3.0 * np.eye(2), inputs=[1.0, 0.0])
    >>> pre_activation_outside_sphere(tripling, [1.0, -1.0])
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

    signal: (T, d), or a number of steps without input. In the following u_k = W_in s_k + b.

    Sphere without leak: each step contracts distances at least by the factor q_k = r σ_max/m_k,
    where m_k = min over |x| = r of |W x + u_k| [DUN64] (times √(1 + bend² N) with a bend). A
    negative mean of log q_k certifies. If |W⁻¹u_k| < r for all k, every step maps the sphere onto
    itself one to one, so after any number of steps some states are 2r apart: refuted. The paper's
    eqn:condition implies this case. tanh: certified if 1 - leak + leak σ_max < 1 [JAE01]. Linear:
    certified or refuted by the spectral radius of A = (1 - leak) I + leak W, with the washout from
    |Aᵏ|: for a non-normal A it is longer than log(tolerance)/log ρ.

    Several reservoirs as one are refuted if a layer is, driven by the states of those before it.
    Side by side they are certified if all are, and distances shrink as in the slowest. A chain is
    certified if its first layer is, and each later one by a proof that holds for every signal, as
    those of tanh and linear layers do; its washout is not computed, and infinite.

    In all other cases the result is a test: the maximal exponent with its standard error, and
    trajectories from `starts` (m, N). By default the starts are random, and the second is the
    antipode of the first.

    >>> import spheresn as sn
    >>> turn = sn.Reservoir(recurrent=[[0.0, -2.0], [2.0, 0.0]], inputs=[1.0, 0.0])
    >>> echo_state(turn, np.zeros(10)).verdict, echo_state(turn, np.full(10, 5.0)).verdict
    ('refuted', 'certified')
    """
    rows = input_rows(system, signal)
    limit = _validation.real("tolerance", tolerance, 0.0, 1.0, above=True)
    _validation.at_least("signal", len(rows), 1, "to drive the system")
    proof = _proof(system, rows, limit)
    if proof is not None:
        return EchoState(
            proof.verdict,
            proof.reason,
            _proved_washout(proof, limit),
            proof.rate,
            proof.contraction,
        )
    generator = _validation.generator(rng)
    count = _validation.whole("trajectories", trajectories, 2)
    states = _start_states(system, starts, count, generator)
    exponent = max_lyapunov(system, rows, transient, states[0], generator)
    distances = _distances(system, rows, states)
    washout = _tested_washout(exponent.exponent, distances, limit)
    reason = _describe(exponent, distances)
    return EchoState("empirical", reason, washout, exponent=exponent, distances=distances)


def pre_activation_outside_sphere(reservoir: Reservoir, signal: Signal) -> OutsideSphere:
    """The paper's condition σ_min(W) >= 1 + (|W_in| s_max + |b|)/r [VAL19, eqn:condition].

    It implies only that |a_k| >= r for every state. The paper takes it for a sufficient condition
    of the echo state property, but it implies the opposite: every step is then one to one on the
    whole sphere, and `echo_state` returns "refuted".

    >>> import spheresn as sn
    >>> turn = sn.Reservoir(recurrent=[[0.0, -2.0], [2.0, 0.0]], inputs=[1.0, 0.0])
    >>> pre_activation_outside_sphere(turn, np.zeros(10)).holds
    True
    """
    check_reservoir(reservoir)
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


def _proof(system: System, rows: Floats, tolerance: float) -> Proof | None:
    if isinstance(system, Reservoir):
        return prove(system, rows, tolerance)
    if not isinstance(system, Composition):
        return None
    start = start_state(system, None, np.random.default_rng(0))
    states, proofs = np.empty((len(rows), system.units), system.dtype), []
    for place, one in enumerate(system.layers):
        signal = one.signal(rows, states)
        proof = prove(one.reservoir, signal, tolerance)
        if proof is not None and proof.verdict == "refuted":
            return replace(proof, reason=f"layer {place}: {proof.reason}")
        proofs.append(proof)
        states[:, one.place] = drive(one.reservoir, signal, start[one.place])
    return _together(system, proofs, tolerance)


def _together(system: Composition, proofs: list[Proof | None], tolerance: float) -> Proof | None:
    """The certificate that follows from those of all layers, if each has one.

    The certificate of a sphere is one along its signal. In a later layer of a chain this signal is
    another for every start, and so nothing follows.
    """
    known = [proof for proof in proofs if proof is not None]
    later = [one for one in system.layers if one.source is not None]
    along = any(one.reservoir.activation.sphere_radius is not None for one in later)
    if len(known) < len(proofs) or along:
        return None
    rates = [proof.rate for proof in known if proof.rate is not None]
    rate, slowest = max(rates), known[int(np.argmax(rates))]
    if later:
        reason = f"each layer forgets whatever drives it; the slowest: {slowest.reason}"
        return Proof("certified", reason, rate, washout=np.inf)
    curves = [proof.contraction for proof in known if proof.contraction is not None]
    return Proof(
        "certified",
        f"each layer forgets; the slowest: {slowest.reason}",
        rate,
        np.max(curves, axis=0) if len(curves) == len(known) else None,
        max(_proved_washout(proof, tolerance) for proof in known),
    )


def _start_states(
    system: System, starts: ArrayLike | None, count: int, rng: np.random.Generator
) -> Floats:
    """The given starts (m, N), or random ones, of which the second is the antipode of the first."""
    if starts is not None:
        given = _validation.array("starts", starts, 2)
        _validation.at_least("starts", len(given), 2, "to have a distance")
        return starts_of(system, given, len(given)) if isinstance(system, Driven) else given
    if not isinstance(system, Driven):
        raise BadInput(
            "starts must be given for a system that is not a Reservoir, got None; pass states of "
            "shape (m, N)"
        )
    points = np.hstack([_points(one, count, rng) for one in reservoirs_of(system)])
    points[1] = -points[0]
    return np.asarray(points.astype(system.dtype))


def _points(reservoir: Reservoir, count: int, rng: np.random.Generator) -> Floats:
    """Random states (count, N)."""
    radius = reservoir.activation.sphere_radius
    if radius is None:
        return rng.uniform(-1.0, 1.0, (count, reservoir.units))
    return np.array([sphere.random_point(reservoir.units, rng, radius) for _ in range(count)])


def _distances(system: System, rows: Floats, starts: Floats) -> Floats:
    """The largest distance from the first trajectory after each step (T,)."""
    pieces = []
    for first in range(0, len(rows), ROWS_AT_ONCE):
        states = _drive_all(system, rows[first : first + ROWS_AT_ONCE], starts)
        unit = power_of_two(states)
        pieces.append(unit * np.linalg.norm((states[1:] - states[:1]) / unit, axis=2).max(axis=0))
        starts = states[:, -1].copy()
    return np.concatenate(pieces)


def _drive_all(system: System, rows: Floats, starts: Floats) -> Floats:
    """States (m, T, N)."""
    if isinstance(system, Driven):
        return np.asarray(drive(system, np.broadcast_to(rows, (len(starts), *rows.shape)), starts))
    states = np.empty((len(starts), len(rows), starts.shape[1]))
    for i, state in enumerate(starts):
        for k, row in enumerate(rows):
            states[i, k] = state = system.step(state, row)
    return states


def _proved_washout(proof: Proof, tolerance: float) -> float:
    """The first step at which the proved contraction reaches the tolerance.

    If that is after the end of the signal, it is extrapolated at the mean rate.
    """
    if proof.washout is not None:
        return float(proof.washout)
    if proof.rate is None or proof.contraction is None:
        return np.inf
    if proof.contraction[-1] <= np.log(tolerance):
        return float(np.argmax(proof.contraction <= np.log(tolerance)) + 1)
    return float(np.log(tolerance) / proof.rate)


def _tested_washout(exponent: float, distances: Floats, tolerance: float) -> float:
    """log(tolerance)/λ; infinite if the trajectories are still apart after twice that time.

    In that case there are several attractors, and each of them contracts.
    """
    estimate = float(np.log(tolerance) / exponent) if exponent < 0 else np.inf
    return (
        np.inf
        if len(distances) > 2 * estimate and distances[-1] > np.sqrt(tolerance) * distances[0]
        else estimate
    )


def _describe(exponent: MaxLyapunov, distances: Floats) -> str:
    sign = (
        "negative" if exponent.exponent < -2 * exponent.standard_error else "not clearly negative"
    )
    return (
        f"no proof either way; the maximal exponent {exponent.exponent:.4g} ± "
        f"{exponent.standard_error:.1g} is {sign}, and trajectories were {distances[0]:.2g} apart "
        f"after one step and {distances[-1]:.2g} apart after {len(distances)}"
    )
