"""Programs for a Cortex-M4: made by Debian's cross compiler, run by QEMU, which prints by
semihosting.

The board is mps2-an386: 4 MB each of memory for code and for data. Its processor has a unit for
single precision; double precision is computed by software.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

COMPILER, EMULATOR = "arm-none-eabi-gcc", "qemu-system-arm"
TARGET = ["-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"]
# The table of vectors, and the unit for floating point switched on before the library starts
START = """\
extern int stack_end;
void _start(void);
void reset(void);
void reset(void)
{
    *(volatile unsigned *)0xE000ED88u |= 0xFu << 20;
    __asm volatile("dsb\\n isb");
    _start();
}
__attribute__((section(".vectors"), used)) const struct {
    int *stack;
    void (*start)(void);
} vectors = {&stack_end, reset};
"""
LAYOUT = """\
MEMORY { CODE (rx) : ORIGIN = 0x00000000, LENGTH = 4M
         DATA (rwx) : ORIGIN = 0x20000000, LENGTH = 4M }
ENTRY(reset)
SECTIONS {
    .vectors : { KEEP(*(.vectors)) } > CODE
    .init : { KEEP(*(.init)) } > CODE
    .fini : { KEEP(*(.fini)) } > CODE
    .text : { *(.text*) *(.rodata*) } > CODE
    .ARM.exidx : { *(.ARM.exidx*) *(.ARM.extab*) } > CODE
    .init_array : { KEEP(*(.init_array*)) KEEP(*(.fini_array*)) } > CODE
    .data : { *(.data*) } > DATA
    .bss : { __bss_start__ = .; *(.bss*) *(COMMON) __bss_end__ = .; } > DATA
    end = .;
    __end__ = .;
    stack_end = ORIGIN(DATA) + LENGTH(DATA);
}
"""


def build(sources: list[Path], folder: Path, options: list[str]) -> Path:
    """The program of these sources."""
    folder.mkdir(parents=True, exist_ok=True)
    start, layout, program = folder / "start.c", folder / "layout.ld", folder / "program.elf"
    start.write_text(START)
    layout.write_text(LAYOUT)
    command = [COMPILER, *TARGET, *options, "--specs=rdimon.specs"]
    command += ["-T", str(layout), "-o", str(program), str(start), *map(str, sources), "-lm"]
    made = subprocess.run(command, capture_output=True, text=True)
    if made.returncode:
        raise RuntimeError(made.stderr)
    return program


def run(program: Path) -> str:
    """What the program prints. One instruction takes one nanosecond of the board's own time."""
    command = [EMULATOR, "-machine", "mps2-an386", "-nographic", "-monitor", "none"]
    command += ["-serial", "none", "-icount", "shift=0", "-kernel", str(program)]
    command += ["-semihosting-config", "enable=on,target=native"]
    ran = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if ran.returncode:
        raise RuntimeError(f"the program ended with {ran.returncode}: {ran.stderr}")
    return ran.stdout
