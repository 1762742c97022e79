"""The hue of a board: one of ten, by its number unless one was chosen; ``hues.css`` has their colours."""

HUES = ("rose", "sky", "iris", "lime", "coral", "azure", "teal", "violet", "green", "magenta")


def hue_of(seq: int, chosen: str = "") -> str:
    """Return the hue of the board with this number: the ``chosen`` one, if it is one of ``HUES``."""
    return chosen if chosen in HUES else HUES[(seq - 1) % len(HUES)]
