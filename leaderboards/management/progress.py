"""A progress bar of one line on stderr, for people who watch: nothing is drawn into files and pipes."""

import sys
from typing import TextIO

WIDTH = 40


class Progress:
    """Drawn anew with each step; ``close`` ends the line."""

    def __init__(self, whole: int, stream: TextIO = sys.stderr) -> None:
        self._whole = max(whole, 1)
        self._stream = stream
        self._is_shown = stream.isatty()

    def step(self, done: int, text: str) -> None:
        """Show that ``done`` of the whole is through."""
        if self._is_shown:
            share = min(done / self._whole, 1)
            bar = ("#" * int(share * WIDTH)).ljust(WIDTH, ".")
            self._stream.write(f"\r[{bar}] {share:4.0%} {text}\x1b[K")
            self._stream.flush()

    def close(self) -> None:
        """Leave the line."""
        if self._is_shown:
            self._stream.write("\n")
