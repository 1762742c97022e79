"""Rendered HTML with places for the viewer's own parts, and without the line breaks that nobody sees."""

import re
from collections.abc import Callable

_BLANK_LINES = re.compile(r"\n\s*\n")
# Blanks between lines, before elements that begin a line of their own anyway.
_BETWEEN_BLOCKS = re.compile(
    r"\s*\n\s*(?=</?(?:div|section|nav|form|p|h[123]|ul|li|figure|figcaption|table|caption|t?head|t?body|tr|main|meta|link)\b)"
)
_PLACE = re.compile("<!--own ([a-z_]+)-->")


def squeezed(html: str) -> str:
    """Return HTML without the line breaks that nobody sees."""
    return _BLANK_LINES.sub("\n", _BETWEEN_BLOCKS.sub("", html))


class PageTemplate:
    """Rendered HTML, encoded once and split at its places."""

    def __init__(self, rendered: str) -> None:
        pieces = _PLACE.split(squeezed(rendered))  # alternately text and the name of a place
        self._pieces = [piece if nth % 2 else piece.encode() for nth, piece in enumerate(pieces)]

    def filled(self, part_of: Callable[[str], str]) -> bytes:
        """Return the HTML with ``part_of(place)`` in each place."""
        return b"".join(part_of(piece).encode() if isinstance(piece, str) else piece for piece in self._pieces)
