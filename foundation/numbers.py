"""Parsing numbers from URLs and forms."""

DIGITS = 18  # every such number fits into SQL's 64 bits


def whole_number(text: str | None, digits: int = DIGITS) -> int | None:
    """Parse a number of 1 to ``digits`` ASCII digits; None for anything else."""
    if text is None or len(text) > digits or not (text.isascii() and text.isdigit()):
        return None
    return int(text)
