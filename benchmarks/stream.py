"""Row 10: a fit to a million steps in bounded memory, each candidate in a process of its own.

`python stream.py ours 1000000 500` is one such process: it prints what it took as JSON. Counted is
resident memory as Linux reports it (VmRSS, and its peak VmHWM, reset before the stream begins)
above what it was after the imports.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from race import OURS, PEER, Case, Effort, case, line, within

TITLE = "A million steps: N = 500, rows in chunks of 10,000"
NOTE = """Ours: `partial_fit` of the default network, everything automatic, the readout solved for
at the end. reservoirpy has no streaming ridge: it fits to all rows at once, and its peak at a
million steps is extrapolated along a straight line from two shorter series. Every run is one fresh
process; memory is the peak above the imports, so compiled code and solving count."""
THREADS = (1,)
CHUNK, MEMORY = 10_000, 5


def measure(effort: Effort) -> Iterator[Case]:
    """Memory, then time per step."""
    units, steps, shorter = (
        (30, 20_000, (2000, 4000)) if effort.quick else (500, 1_000_000, (50_000, 100_000))
    )
    _process("ours", CHUNK, 20)  # compiled code on disk, as after any first run
    ours = _process("ours", steps, units)
    name = f"N = {units}, {steps:,} steps"
    try:
        theirs = [_process("reservoirpy", few, units) for few in shorter]
    except RuntimeError as error:
        gone = line("reservoirpy", PEER, [], missing=str(error))
        peer_memory, peer_time = gone, gone
    else:
        peer_memory = line(
            "reservoirpy",
            PEER,
            [_extrapolated(shorter, [one["peak"] for one in theirs], steps)],
            _memory_text(shorter, theirs),
        )
        seconds = theirs[-1]["seconds"] * steps / shorter[-1]
        peer_time = line(
            "reservoirpy", PEER, [seconds], f"{shorter[-1]:,} steps, times {steps / shorter[-1]:g}"
        )
    memory = [
        line(
            "partial_fit",
            OURS,
            [ours["peak"]],
            f"{8e-6 * steps * units:.0f} MB would hold all states",
        ),
        peer_memory,
    ]
    yield case(f"peak memory, {name}", memory, [within("partial_fit", 100.0, None)], unit="MB")
    yield case(
        f"time, {name}", [line("partial_fit", OURS, [ours["seconds"]]), peer_time], steps=steps
    )


def _memory_text(shorter: tuple[int, ...], theirs: list[dict[str, float]]) -> str:
    seen = ", ".join(
        f"{one['peak']:.0f} MB for {few:,} steps" for few, one in zip(shorter, theirs, strict=True)
    )
    return f"extrapolated; seen: {seen}"


def _extrapolated(shorter: tuple[int, ...], peaks: list[float], steps: int) -> float:
    (a, b), (low, high) = shorter, peaks
    return low + (high - low) * (steps - a) / (b - a)


def _process(who: str, steps: int, units: int) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, __file__, who, str(steps), str(units)], capture_output=True, text=True
    )
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
        raise RuntimeError(last[0])
    return json.loads(done.stdout.strip().splitlines()[-1])


def chunks(steps: int, rng: np.random.Generator) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """White noise u and y_k = u_{k-1} u_{k-2} + .3 u_{k-5}, in chunks of one series."""
    past = np.zeros(MEMORY)
    for first in range(0, steps, CHUNK):
        u = np.concatenate([past, rng.uniform(-1.0, 1.0, min(CHUNK, steps - first))])
        past = u[-MEMORY:]
        yield u[MEMORY:, None], u[4:-1] * u[3:-2] + 0.3 * u[:-5]


def resident(field: str = "VmRSS") -> float:
    """Megabytes (1e6 bytes) of this process."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(1024e-6 * float(line.split()[1]) for line in lines if line.startswith(field + ":"))


def _ours(steps: int, units: int) -> None:
    import spheresn as sn

    model = sn.ESNRegressor(units, random_state=0)
    for signal, target in chunks(steps, np.random.default_rng(0)):
        model.partial_fit(signal, target)
    model.predict(signal[:100])


def _reservoirpy(steps: int, units: int) -> None:
    from reservoirpy.nodes import Reservoir, Ridge

    signal, target = (
        np.concatenate(part) for part in zip(*chunks(steps, np.random.default_rng(0)), strict=True)
    )
    model = Reservoir(units, sr=0.9, input_scaling=0.1, seed=0) >> Ridge(ridge=1e-6)
    model.fit(signal, target[:, None], warmup=100)


def main(who: str, steps: int, units: int) -> None:
    """One candidate, in this process."""
    if who == "ours":  # `import spheresn` alone imports next to nothing
        import spheresn.estimators
        import spheresn.kernels.loop  # noqa: F401
    else:
        import reservoirpy.nodes  # noqa: F401
    imported = resident()
    Path("/proc/self/clear_refs").write_text("5")
    begin = time.perf_counter()
    {"ours": _ours, "reservoirpy": _reservoirpy}[who](steps, units)
    print(
        json.dumps({"peak": resident("VmHWM") - imported, "seconds": time.perf_counter() - begin})
    )


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
