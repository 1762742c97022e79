"""Cursors: texts that name a gap in a list and the direction in which to read on.

They hold what their page shows anyway, so they are neither signed nor stored, and do not expire. The trap: a caller
may send any text, so everything in it is checked as input is.
"""

import json
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from foundation.messages import Message
from leaderboards.core.input.entries import read_player
from leaderboards.core.packing.layout import LAST_NUMBER
from leaderboards.core.ranking.gaps import Gap
from leaderboards.errors import BadCursor, BadPlayer

VERSION, WITH_NUMBER = 1, 2  # the latter has the player's number too
MOST_CHARACTERS = 2000
MOST_PARTS = 32  # of a value
_TEXT = re.compile(r"[A-Za-z0-9_-]+")
_AFTER, _BACKWARD = 1, 2


@dataclass(frozen=True, slots=True)
class Cursor:
    """A gap in the period ``label`` of the list ``scope``, and whether the page is the one before it."""

    scope: str
    label: str
    gap: Gap
    is_backward: bool


@lru_cache(maxsize=2048)
def cursor_text(cursor: Cursor) -> str:
    """Return the cursor as it is sent."""
    gap = cursor.gap
    flags = gap.is_after * _AFTER + cursor.is_backward * _BACKWARD
    number = [] if gap.number is None else [gap.number]
    parts = [
        WITH_NUMBER if number else VERSION,
        cursor.scope,
        cursor.label,
        flags,
        gap.player,
        *number,
        gap.at_ms,
        *gap.value,
    ]
    content = json.dumps(parts, ensure_ascii=False, separators=(",", ":")).encode()
    return urlsafe_b64encode(content).decode().rstrip("=")


def read_cursor(text: str) -> Cursor:
    """Parse a cursor. Raises ``BadCursor``."""
    if not 1 <= len(text) <= MOST_CHARACTERS or _TEXT.fullmatch(text) is None:
        raise _unreadable()
    try:
        parts = json.loads(urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except (ValueError, RecursionError) as error:
        raise _unreadable() from error
    if not isinstance(parts, list) or not parts or parts[0] not in (VERSION, WITH_NUMBER):
        raise _unreadable()
    number = parts.pop(5) if parts[0] == WITH_NUMBER and len(parts) > 5 else None
    if not 7 <= len(parts) <= 6 + MOST_PARTS or not _is_well_numbered(number):
        raise _unreadable()
    _, scope, label, flags, player, at_ms, *value = parts
    is_well_formed = isinstance(scope, str) and isinstance(label, str) and flags in range(4)
    if not is_well_formed or not all(map(_is_number, [flags, *value])) or not (at_ms is None or _is_number(at_ms)):
        raise _unreadable()
    try:
        gap = Gap(tuple(value), at_ms, read_player(player), bool(flags & _AFTER), number)
    except BadPlayer as error:
        raise _unreadable() from error
    return Cursor(scope, label, gap, bool(flags & _BACKWARD))


def _is_number(part: object) -> bool:
    return isinstance(part, int) and not isinstance(part, bool) and -(2**63) <= part < 2**63


def _is_well_numbered(number: Any) -> bool:
    return number is None or (_is_number(number) and 0 <= number <= LAST_NUMBER)


def _unreadable() -> BadCursor:
    return BadCursor(
        Message("This is no cursor: send `next_cursor` or `previous_cursor` of a page exactly as it came.")
    )
