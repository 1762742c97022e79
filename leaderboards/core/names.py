"""Which name is shown of a player: his own if anything of it can be seen, else his id.

A game may send a name of blanks, marks or letters that draw nothing; a row and a link must still say who is meant.
"""

import re
from unicodedata import category

_DRAW_NOTHING = frozenset("\u115f\u1160\u2800\u3164\uffa0")  # letters and signs by category, blanks to the eye


# What turns the direction of all that follows, up to the end of the line: embeddings, overrides, isolates.
_TURNS = re.compile("[\u202a-\u202e\u2066-\u2069]")


def turns_direction(text: str) -> bool:
    """Whether ``text`` holds a character that makes what stands beside it read backwards."""
    return _TURNS.search(text) is not None


def shown_name(name: str, player: str) -> str:
    """The name, or the id where the name is empty to the eye; without what turns the direction of its neighbours."""
    return _TURNS.sub("", name if any(_is_seen(letter) for letter in name) else player)


def _is_seen(letter: str) -> bool:
    return category(letter)[0] not in "CZM" and letter not in _DRAW_NOTHING
