"""What an exported forecaster costs on a Cortex-M4: bytes of flash, state and stack, instructions
per row and per step of a forecast, and how long a free run on Lorenz stays true.

    python benchmarks/device.py

Debian's packages gcc, gcc-arm-none-eabi, libnewlib-arm-none-eabi and qemu-system-arm must be there.
The programs run in QEMU with one instruction per nanosecond of the board's time, so that its timer
counts instructions, which is checked by a loop of known length. How long a run stays true is
measured on this machine, whose code for the same file must agree with that of the board. Writes
benchmarks/device.json.
"""

from __future__ import annotations

import ctypes
import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import board
import numpy as np

import spheresn as sn

UNITS = (50, 100, 200, 500, 1000)
TRAINING = 4000  # rows
ORIGINS, APART, STEPS = 12, 250, 1500  # of forecasts that are compared with what happened; rows
ALIKE = 50  # steps of a forecast in which board and machine must agree
# Of the readout in single precision: the rounding of the states is noise of about this size, which
# the search, in double precision, does not see
SINGLE_PENALTY = 1e-11
DT, EXPONENT = 0.02, 0.906  # of Lorenz, per unit of time
CARELESS = (100, 200)  # units that are also tried in single precision without the penalty
COUNTED = 20  # steps whose instructions are counted; all take the same path
LOOPS = 1_000_000  # of two instructions each
PROBE = """\
#include <stdint.h>
#include <stdio.h>
#include "net.h"

#define TIMER ((volatile uint32_t *)0xE000E010u)
#define STACK 65536
#define PAINT 0xA5

static double rows[{count}][3] = {{{rows}}};
static {real} out[{alike} * 3];
static net_state state;

static uint32_t now(void) {{ return 0xFFFFFFu - TIMER[2]; }}

static void loop(void)
{{
    uint32_t n = {loops};
    __asm volatile("1: subs %0, #1\\n bne 1b" : "+r"(n) : : "cc");
}}
static void update(void)
{{
    for (int k = 0; k < {count}; k++) {{
        {real} row[3] = {{({real})rows[k][0], ({real})rows[k][1], ({real})rows[k][2]}};
        net_update(&state, row);
    }}
}}
static void forecast(void) {{ net_forecast(&state, {count}, out); }}

static uint32_t counted(void (*what)(void))
{{
    uint32_t first = now();
    what();
    return now() - first;
}}

/* Bytes of stack: how far down the paint below this frame is gone. */
static uint32_t __attribute__((noinline)) stack_of(void (*what)(void))
{{
    uint8_t *here = __builtin_frame_address(0), *low = here - STACK;
    for (uint8_t *p = low; p < here - 48; p++)
        *p = PAINT;
    what();
    while (*low == PAINT)
        low++;
    return (uint32_t)(here - low);
}}

int main(void)
{{
    TIMER[1] = 0xFFFFFFu;
    TIMER[2] = 0;
    TIMER[0] = 5;
    net_init(&state);
    net_forecast(&state, {alike}, out);
    for (int i = 0; i < {alike} * 3; i++)
        printf("%.9g\\n", (double)out[i]);
    printf("%lu %lu %lu %u %lu %lu\\n", (unsigned long)counted(loop),
           (unsigned long)counted(update), (unsigned long)counted(forecast),
           (unsigned)sizeof(net_state), (unsigned long)stack_of(forecast),
           (unsigned long)stack_of(update));
    return 0;
}}
"""


def fitted(units: int, rows: np.ndarray, dtype: str) -> sn.ESNForecaster:
    """The forecaster of default settings; for single precision with a penalty."""
    options = {"penalty": SINGLE_PENALTY} if dtype == "float32" else {}
    return sn.ESNForecaster(units, observation_noise=0, random_state=0, **options).fit(rows)


def runs(source: Path, truth: np.ndarray, units: int, dtype: str) -> np.ndarray:
    """Forecasts (ORIGINS, STEPS, 3) by the code as this machine compiles it."""
    library = source.with_suffix(".so")
    subprocess.run(
        ["gcc", "-O2", "-std=c99", "-shared", "-fPIC", "-o", library, source, "-lm"], check=True
    )
    code, state = ctypes.CDLL(str(library)), np.zeros(units + 3, dtype)
    rows = np.ascontiguousarray(truth, dtype)
    found = np.zeros((ORIGINS, STEPS, 3), dtype)
    code.net_init(state.ctypes)
    for origin, out in enumerate(found):
        code.net_forecast(state.ctypes, STEPS, out.ctypes)
        for row in rows[origin * APART : (origin + 1) * APART]:
            code.net_update(state.ctypes, row.ctypes)
    return found.astype(np.float64)


def median_valid(found: np.ndarray, truth: np.ndarray) -> float:
    """In Lyapunov times, of runs from origins that are APART."""
    return EXPONENT * float(
        np.median(
            [
                sn.metrics.valid_time(truth[k * APART :][:STEPS], run, dt=DT)
                for k, run in enumerate(found)
            ]
        )
    )


def measure(model: sn.ESNForecaster, truth: np.ndarray, dtype: str, folder: Path) -> dict[str, Any]:
    """One line of the table."""
    real = "float" if dtype == "float32" else "double"
    text = ", ".join("{" + ", ".join(map(repr, row)) + "}" for row in truth[:COUNTED].tolist())
    probe = folder / "probe.c"
    known = {"real": real, "rows": text, "count": COUNTED, "alike": ALIKE, "loops": LOOPS}
    probe.write_text(PROBE.format(**known))
    _, source = sn.export(model, folder, name="net", dtype=dtype)
    printed = board.run(board.build([probe, source], folder, ["-O2", "-std=gnu99"])).split()
    loop, update, forecast, state, *stacks = map(int, printed[-6:])
    here = runs(source, truth, model.units, dtype)
    off = np.abs(np.array(printed[:-6], float).reshape(ALIKE, 3) - here[0, :ALIKE]).max()
    assert off < (1e-6 if dtype == "float64" else 0.1), f"board and machine differ by {off}"
    per_tick = 2 * LOOPS / loop
    assert 35 < per_tick < 45, f"the timer does not count instructions: {per_tick} per tick"
    object_file = folder / "net.o"
    subprocess.run(
        [board.COMPILER, *board.TARGET, "-O2", "-std=c99", "-c", source, "-o", object_file],
        check=True,
    )
    sizes = subprocess.run(
        ["arm-none-eabi-size", object_file], capture_output=True, text=True, check=True
    ).stdout.split()[6:8]
    return {
        "flash": sum(map(int, sizes)),
        "state": state,
        "stack": max(stacks),
        "update": round(update * per_tick / COUNTED),
        "forecast": round(forecast * per_tick / COUNTED),
        "valid": median_valid(here, truth),
    }


def main() -> None:
    series = sn.datasets.lorenz(TRAINING + ORIGINS * APART + STEPS, DT)
    rows, truth = series[:TRAINING], series[TRAINING:]
    found: dict[str, Any] = {}
    for units in UNITS:
        for dtype in ("float64", "float32"):
            with tempfile.TemporaryDirectory() as folder:
                line = measure(fitted(units, rows, dtype), truth, dtype, Path(folder))
            found.setdefault(dtype, {})[str(units)] = line
            print(units, dtype, line, flush=True)
        if units in CARELESS:
            with tempfile.TemporaryDirectory() as folder:
                model = fitted(units, rows, "float64")
                _, source = sn.export(model, folder, name="net", dtype="float32")
                valid = median_valid(runs(source, truth, units, "float32"), truth)
            found.setdefault("careless", {})[str(units)] = {"valid": valid}
            print(units, "float32 of default settings", valid, flush=True)
    compiler, emulator = (
        subprocess.run([tool, "--version"], capture_output=True, text=True).stdout.splitlines()[0]
        for tool in (board.COMPILER, board.EMULATOR)
    )
    found["tools"] = {"compiler": compiler, "emulator": emulator, "options": "-O2"}
    path = Path(__file__).with_suffix(".json")
    path.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
