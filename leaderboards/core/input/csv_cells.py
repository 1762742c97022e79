"""Escape CSV cells that a spreadsheet would run as a formula.

The trap: the apostrophe changes the text, so programs that read the file ask for it raw. Numbers, also negative ones
and numbers written as text, never change.
"""

import re

_FORMULA = re.compile(r"[\s\0]*[=+\-@\t\r\n＝＋－＠]")
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")


def safe_cell(value: object) -> object:
    """Return ``value``; a text that begins like a formula, also after blanks, gets an apostrophe before it."""
    if isinstance(value, str) and _FORMULA.match(value) and not _NUMBER.fullmatch(value):
        return f"'{value}"
    return value


def raw_cell(value: object) -> object:
    """Return ``value`` unchanged."""
    return value
