"""The mark of a board: the first letter of its name, on the board's hue."""


def mark_of(name: str) -> str:
    """Return the first letter or digit of a name, in upper case; without any, its first character."""
    return next((each.upper() for each in name if each.isalnum()), name[:1])
