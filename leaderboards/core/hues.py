"""The hue of a board: one of ten, by its number, so that it is the same on every page; ``hues.css`` has them."""

HUES = ("rose", "sky", "iris", "lime", "coral", "azure", "teal", "violet", "green", "magenta")


def hue_of(seq: int) -> str:
    """Return the hue of the board with this number."""
    return HUES[(seq - 1) % len(HUES)]
