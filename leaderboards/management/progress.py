"""A one-line progress bar on stderr; nothing is drawn if stderr is not a terminal."""

import sys
from typing import TextIO

WIDTH = 40


class Progress:
    """A progress bar that each step draws again; ``close`` ends the line."""

    def __init__(self, total: int, stream: TextIO = sys.stderr) -> None:
        self._total = max(total, 1)
        self._stream = stream
        self._is_shown = stream.isatty()

    def step(self, done: int, text: str) -> None:
        """Show that ``done`` of the total is done."""
        if self._is_shown:
            share = min(done / self._total, 1)
            bar = ("#" * int(share * WIDTH)).ljust(WIDTH, ".")
            self._stream.write(f"\r[{bar}] {share:4.0%} {text}\x1b[K")
            self._stream.flush()

    def close(self) -> None:
        """End the line."""
        if self._is_shown:
            self._stream.write("\n")
