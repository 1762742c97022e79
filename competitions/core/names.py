"""Names of teams and divisions: how they are checked, normalized and compared."""

import unicodedata
from hashlib import blake2b

from competitions.errors import BadName
from foundation.messages import Message
from leaderboards.core.input.names import display_name, has_bidi_control

LONGEST = 60

_UNPRINTABLE = frozenset({"Cc", "Cs", "Zl", "Zp"})  # control, lone surrogate, line and paragraph separator


def read_name(raw: str) -> str:
    """Return the name in NFC with single blanks, at most ``LONGEST`` characters. Raises ``BadName``."""
    if any(unicodedata.category(each) in _UNPRINTABLE for each in raw) or has_bidi_control(raw):
        raise BadName(Message("The name holds a character that is not shown: leave it out."))
    name = " ".join(unicodedata.normalize("NFC", raw).split())
    if not display_name(name, ""):
        raise BadName(Message("Give a name that can be seen."))
    if len(name) > LONGEST:
        raise BadName(
            Message(
                "The name has %(length)s characters; up to %(longest)s are allowed.", length=len(name), longest=LONGEST
            )
        )
    return name


def key_of(name: str) -> str:
    """Return 24 hexadecimal digits that are equal for names that differ only in case, width or composition."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return blake2b(folded.encode(), digest_size=12).hexdigest()
