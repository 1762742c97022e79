"""Check names, and choose what is shown of a player: the name, or the id if the name is invisible.

A game may send a name of blanks, marks or letters without a glyph; a row and a link must still have a text.
"""

import json
import re
from unicodedata import category

from foundation.messages import Message

_INVISIBLE = frozenset("\u115f\u1160\u2800\u3164\uffa0")  # letters and signs by category, but without a glyph
# Embeddings, overrides and isolates change the direction of the text up to the end of the line.
_BIDI_CONTROL = re.compile("[\u202a-\u202e\u2066-\u2069]")


def has_bidi_control(text: str) -> bool:
    """Whether ``text`` contains a character that changes the direction of the text around it."""
    return _BIDI_CONTROL.search(text) is not None


_LINE_CHARACTERS = frozenset("\r\n\t")
_UNPRINTED = frozenset({"Cc", "Cs", "Zl", "Zp"})  # control, lone surrogate, line and paragraph separator

BIDI_CONTROL_MESSAGE = Message(
    "It contains a mark that turns the direction of the text around it: type it anew instead of pasting it."
)
UNPRINTABLE_MESSAGE = Message(
    "It contains a character that cannot be shown, such as a control character or a line break: take it out."
)


def is_printable(text: str, lines: bool = False) -> bool:
    """Whether ``text`` has no control characters, line separators or lone surrogates.

    With ``lines`` it may have tabs and line breaks.
    """
    allowed = _LINE_CHARACTERS if lines else frozenset[str]()
    return text.isprintable() or all(category(each) not in _UNPRINTED or each in allowed for each in text)


def is_encodable(value: object) -> bool:
    """Whether ``value`` can be written as UTF-8 JSON, that is, without lone surrogates."""
    try:
        json.dumps(value, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError:
        return False
    return True


def unprintable_reason(text: str, lines: bool = False) -> str | None:
    """Return why ``text`` may not be shown as a name, or with ``lines`` as several lines; None if it may."""
    if has_bidi_control(text):
        return BIDI_CONTROL_MESSAGE
    return None if is_printable(text, lines) else UNPRINTABLE_MESSAGE


def display_name(name: str, player: str) -> str:
    """Return the name, or the player's id if the name is invisible; without bidirectional controls."""
    if name and name.isascii() and name.isprintable() and not name.isspace():
        return name  # nearly all are
    text = name if any(_is_visible(letter) for letter in name) else player
    return text if text.isascii() else _BIDI_CONTROL.sub("", text)


def _is_visible(letter: str) -> bool:
    return category(letter)[0] not in "CZM" and letter not in _INVISIBLE
