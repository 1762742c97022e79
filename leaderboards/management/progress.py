"""A one-line progress bar on stderr; nothing is drawn if stderr is not a terminal."""

import sys
from typing import TextIO

WIDTH = 40


class Progress:
    """A progress bar that each step draws again; ``close`` ends the line. A total of 0 is unknown and has no bar."""

    def __init__(self, total: int, stream: TextIO = sys.stderr) -> None:
        self._total = total
        self._stream = stream
        self._is_shown = stream.isatty()

    def step(self, done: int, text: str) -> None:
        """Show that ``done`` of the total is done."""
        if self._is_shown:
            share = min(done / self._total, 1) if self._total else 0
            bar = f"[{('#' * int(share * WIDTH)).ljust(WIDTH, '.')}] {share:4.0%} " if self._total else ""
            self._stream.write(f"\r{bar}{text}\x1b[K")
            self._stream.flush()

    def close(self) -> None:
        """End the line."""
        if self._is_shown:
            self._stream.write("\n")
