"""A published result as bytes: one JSON document that begins with its own hash.

The hash is SHA-256 over the bytes of the document without the 64 digits of ``content_hash``, its first member. So
who checks it needs no rule of how numbers or texts are written, and no number of ours. It is written and read in
parts: the opening (all members before the rows), rows, and the closing, with the teams where there are any.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator

BEGINNING = b'{"content_hash":"'
CLOSING = b"]}"
TEAMS = b'],"teams":['  # behind the rows, and before the same closing
DIGITS = 64
_AFTER_DIGITS = b'",'
_ROWS = b',"rows":['


def opening(head: bytes) -> bytes:
    """What stands before the rows, still without the digits; ``head`` is a JSON object of the other members."""
    return BEGINNING + _AFTER_DIGITS + head[1:-1] + _ROWS


def with_digits(unsigned: bytes, content_hash: str) -> bytes:
    """The opening with its digits; ``content_hash`` is 64 hexadecimal digits."""
    return BEGINNING + content_hash.encode() + unsigned[len(BEGINNING) :]


def head_of(signed: bytes) -> bytes:
    """The members of an opening with digits, as a JSON object: what ``opening`` was made of."""
    start = len(BEGINNING) + DIGITS + len(_AFTER_DIGITS)
    return b"{" + signed[start : -len(_ROWS)] + b"}"


def joined(several: Iterable[list[bytes]]) -> Iterator[bytes]:
    """Rows as JSON, each list one part, with commas between all of them."""
    for nth, rows in enumerate(several):
        yield (b"," if nth else b"") + b",".join(rows)


def with_player_renamed(part: bytes, old: bytes, new: bytes, name: bytes) -> bytes:
    """A part with another id and name for one player; all three are JSON strings with their quotes.

    No other player can be meant: inside a JSON string a quote never stands without a backslash before it.
    """
    row = re.compile(rb'"player":' + re.escape(old) + rb',"name":"(?:[^"\\]|\\.)*"')
    return row.sub(lambda _: b'"player":' + new + b',"name":' + name, part)


class ContentHash:
    """SHA-256 over a document that comes in parts, and over what of it stands behind the opening."""

    def __init__(self, unsigned: bytes) -> None:
        """``unsigned`` is the opening without its digits."""
        self._whole, self._behind = hashlib.sha256(unsigned), hashlib.sha256()

    def add(self, part: bytes) -> None:
        """A part behind the opening, the closing too."""
        self._whole.update(part)
        self._behind.update(part)

    @property
    def of_document(self) -> str:
        """What ``content_hash`` says."""
        return self._whole.hexdigest()

    @property
    def of_rows(self) -> str:
        """The same for two documents with the same rows."""
        return self._behind.hexdigest()
