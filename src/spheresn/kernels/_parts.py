"""How numba compiles a loop and the functions inside it, in less time.

numba generates machine code for every function, also for one that is only ever part of a loop; that
code never runs. `Part` relies on the inside of numba, so it is used with the version it was tested
with; others compile as usual, which takes longer. No result changes by a bit.
"""

from __future__ import annotations

import gc
from typing import Any

import numba
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler


class Part(JITCodeLibrary):
    """The optimised code of a function, to be linked into loops; without machine code of its own.

    This took an eighth of the time to compile the loops of a first forecast.
    """

    def _finalize_final_module(self) -> None:
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """None: Python never calls a part."""
        self._ensure_finalized()  # type: ignore[no-untyped-call]
        return 0

    @property
    def codegen(self) -> Any:
        """What numba gives the function's environment to, which only machine code has."""
        return self

    def set_env(self, env_name: str, env: Any) -> None:
        """Nothing to do: a loop from the cache does not have the environments of its parts either.

        Only exceptions and Python objects need them.
        """


class PartCompiler(Compiler):
    """Compiles a function into a `Part`."""

    def compile_extra(self, func: Any) -> Any:
        """The result of compiling, as numba wants it."""
        codegen = self.state.targetctx.codegen()
        self.state.library = Part(codegen, func.__qualname__)  # type: ignore[no-untyped-call]
        self.state.library.enable_object_caching()
        return super().compile_extra(func)  # type: ignore[no-untyped-call]


# What compiles the functions inside a loop
INNER_COMPILER = PartCompiler if numba.__version__.startswith("0.68.") else Compiler


class LoopCompiler(Compiler):
    """Compiles a loop and its parts while the garbage collector rests.

    The compiler makes many objects and hardly any garbage, and a tenth of its time went into
    looking for it. numba compiles one loop at a time.
    """

    def compile_extra(self, func: Any) -> Any:
        """The result of compiling, as numba wants it."""
        active = gc.isenabled()
        gc.disable()
        try:
            return super().compile_extra(func)  # type: ignore[no-untyped-call]
        finally:
            if active:
                gc.enable()
