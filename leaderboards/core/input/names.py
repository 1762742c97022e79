"""What no name may hold, and which name is shown of a player: their own if anything of it can be seen, else their id.

A game may send a name of blanks, marks or letters that draw nothing; a row and a link must still say who is meant.
"""

import json
import re
from unicodedata import category

_DRAW_NOTHING = frozenset("\u115f\u1160\u2800\u3164\uffa0")  # letters and signs by category, blanks to the eye


# What turns the direction of all that follows, up to the end of the line: embeddings, overrides, isolates.
_TURNS = re.compile("[\u202a-\u202e\u2066-\u2069]")


def has_bidi_control(text: str) -> bool:
    """Whether ``text`` holds a character that makes what stands beside it read backwards."""
    return _TURNS.search(text) is not None


_OF_LINES = frozenset("\r\n\t")
_UNPRINTED = frozenset({"Cc", "Cs", "Zl", "Zp"})  # control, lone surrogate, line and paragraph separator

BIDI_CONTROL_MESSAGE = (
    "It contains a mark that turns the direction of the text around it: type it anew instead of pasting it."
)
UNPRINTABLE_MESSAGE = (
    "It contains a character that cannot be shown, such as a control character or a line break: take it out."
)


def is_printable(text: str, lines: bool = False) -> bool:
    """Whether ``text`` has no control characters, separators of lines or halves of characters.

    With ``lines`` it may have tabs and ends of lines.
    """
    taken = _OF_LINES if lines else frozenset[str]()
    return text.isprintable() or all(category(each) not in _UNPRINTED or each in taken for each in text)


def is_encodable(value: object) -> bool:
    """Whether ``value``, as JSON has it, can be written down as UTF-8: no text in it holds half a character."""
    try:
        json.dumps(value, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError:
        return False
    return True


def unprintable_reason(text: str, lines: bool = False) -> str | None:
    """Why people may not be shown ``text`` as a name, or with ``lines`` as several lines; None if they may."""
    if has_bidi_control(text):
        return BIDI_CONTROL_MESSAGE
    return None if is_printable(text, lines) else UNPRINTABLE_MESSAGE


def display_name(name: str, player: str) -> str:
    """The name, or the id where the name is empty to the eye; without what turns the direction of its neighbours."""
    return _TURNS.sub("", name if any(_is_seen(letter) for letter in name) else player)


def _is_seen(letter: str) -> bool:
    return category(letter)[0] not in "CZM" and letter not in _DRAW_NOTHING
