"""A line on the terminal that shows how far a long fit is."""

from __future__ import annotations

import sys
import time

QUIET_SECONDS = 2.0  # seconds before anything is shown
BAR_WIDTH = 24  # characters: bar and count fit into the narrowest terminal, of 80


class Progress:
    """Counts networks that have been tried; shows them on a terminal after QUIET_SECONDS.

    `noun` is what is counted, if it is not networks.
    """

    def __init__(self, shown: bool, noun: str = "network") -> None:
        self.shown = shown and sys.stderr is not None and sys.stderr.isatty()
        self.noun = noun
        self.begin = time.monotonic()
        self.done = 0
        self.total = 0
        self.drawn = False

    def expect(self, count: int) -> None:
        """So many more networks will be tried."""
        self.total += count

    def advance(self) -> None:
        """One more network has been tried."""
        self.done += 1
        if self.shown and time.monotonic() - self.begin > QUIET_SECONDS:
            filled = BAR_WIDTH * self.done // max(self.total, 1)
            bar = "#" * filled + "." * (BAR_WIDTH - filled)
            sys.stderr.write(f"\rspheresn: {bar} {self.noun} {self.done} of {self.total}\x1b[K")
            sys.stderr.flush()
            self.drawn = True

    def close(self) -> None:
        """Remove the line."""
        if self.drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self.drawn = False
