"""Texts in the cells of a CSV: what a spreadsheet would run as a formula is made a text that it shows.

The trap: an apostrophe before a text changes it, so programs that read the file ask for it raw. Numbers, also
negative ones and those that are written as text, never change.
"""

import re

_FORMULA = re.compile(r"[\s\0]*[=+\-@\t\r\n＝＋－＠]")
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")


def safe_cell(value: object) -> object:
    """``value``; a text that begins as formulas do, also behind blanks, with an apostrophe before it."""
    if isinstance(value, str) and _FORMULA.match(value) and not _NUMBER.fullmatch(value):
        return f"'{value}"
    return value


def raw_cell(value: object) -> object:
    """``value`` as it is."""
    return value
