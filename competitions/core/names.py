"""Names of teams and divisions: one line that can be seen, and how two of them are compared."""

import unicodedata
from hashlib import blake2b

from competitions.errors import BadName
from leaderboards.core.input.names import display_name, has_bidi_control

LONGEST = 60

_UNPRINTED = frozenset({"Cc", "Cs", "Zl", "Zp"})  # control, lone surrogate, line and paragraph separator


def read_name(raw: str) -> str:
    """The name as it is kept: composed, blanks single. Raises ``BadName``; it has up to ``LONGEST`` characters."""
    if any(unicodedata.category(each) in _UNPRINTED for each in raw) or has_bidi_control(raw):
        raise BadName("The name holds a character that is not shown: leave it out.")
    name = " ".join(unicodedata.normalize("NFC", raw).split())
    if not display_name(name, ""):
        raise BadName("Give a name that can be seen.")
    if len(name) > LONGEST:
        raise BadName(f"The name has {len(name)} characters; up to {LONGEST} are allowed.")
    return name


def key_of(name: str) -> str:
    """What two names that differ in capitals, width or composition alone have in common: 24 hexadecimal digits."""
    alike = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return blake2b(alike.encode(), digest_size=12).hexdigest()
