"""The mark of a board: the first letter of its name, on the board's hue."""


def mark_of(name: str) -> str:
    """The first letter or digit of a name; the first sign of one that has none."""
    return next((each.upper() for each in name if each.isalnum()), name[:1])
