"""One module per figure of the paper, and three that go beyond it."""

from types import ModuleType

from . import bent, decay, dial, example, lyapunov, memory, stability, tradeoff

EXPERIMENTS: dict[str, ModuleType] = {module.NAME: module for module in (lyapunov, decay, memory, example, tradeoff, stability, dial, bent)}
