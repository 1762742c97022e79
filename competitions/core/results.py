"""A published result as bytes: one JSON document that begins with its own hash.

The hash is SHA-256 over the bytes of the document without the 64 digits of ``content_hash``, its first member. So
anybody can check it without a rule for how numbers or texts are written. The document is written and read in parts:
the opening (all members before the rows), the rows, and the closing, with the teams if there are any.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator

BEGINNING = b'{"content_hash":"'
CLOSING = b"]}"
TEAMS = b'],"teams":['  # between the rows and the closing
DIGITS = 64
_AFTER_DIGITS = b'",'
_ROWS = b',"rows":['


def opening(head: bytes) -> bytes:
    """Return the part before the rows, without the hash digits; ``head`` is a JSON object of the other members."""
    return BEGINNING + _AFTER_DIGITS + head[1:-1] + _ROWS


def with_digits(unsigned: bytes, content_hash: str) -> bytes:
    """Return the opening with the hash inserted; ``content_hash`` is 64 hexadecimal digits."""
    return BEGINNING + content_hash.encode() + unsigned[len(BEGINNING) :]


def head_of(signed: bytes) -> bytes:
    """Return the head that ``opening`` was given, from an opening with digits."""
    start = len(BEGINNING) + DIGITS + len(_AFTER_DIGITS)
    return b"{" + signed[start : -len(_ROWS)] + b"}"


def joined(several: Iterable[list[bytes]]) -> Iterator[bytes]:
    """Join rows of JSON with commas; each list becomes one part."""
    for nth, rows in enumerate(several):
        yield (b"," if nth else b"") + b",".join(rows)


def with_player_renamed(part: bytes, old: bytes, new: bytes, name: bytes) -> bytes:
    """Return the part with a new id and name for one player; ``old``, ``new`` and ``name`` are quoted JSON strings.

    The pattern matches no other player: inside a JSON string a quote always has a backslash before it.
    """
    row = re.compile(rb'"player":' + re.escape(old) + rb',"name":"(?:[^"\\]|\\.)*"')
    return row.sub(lambda _: b'"player":' + new + b',"name":' + name, part)


class ContentHash:
    """SHA-256 of a document that is added in parts, and of its parts after the opening."""

    def __init__(self, unsigned: bytes) -> None:
        """``unsigned`` is the opening without its digits."""
        self._document, self._rows = hashlib.sha256(unsigned), hashlib.sha256()

    def add(self, part: bytes) -> None:
        """Add the next part after the opening, including the closing."""
        self._document.update(part)
        self._rows.update(part)

    @property
    def of_document(self) -> str:
        """The ``content_hash`` of the document."""
        return self._document.hexdigest()

    @property
    def of_rows(self) -> str:
        """A hash that is equal for documents with the same rows, teams and closing."""
        return self._rows.hexdigest()
