"""Answers as JSON: exact numbers, times in UTC, and what an ETag leaves out.

Decimals go out digit by digit; no float is made of points. ``Volatile`` marks what differs between two
answers that say the same (``as_of``, seconds left): it is sent, and left out of the ETag.
"""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import orjson


class Volatile:
    """A value that an ETag does not look at."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


class Encoded:
    """A part of an answer that is JSON already; an ETag looks at its digest alone."""

    __slots__ = ("content", "digest")

    def __init__(self, content: bytes, digest: str) -> None:
        self.content, self.digest = content, digest


def as_json(answer: Any) -> bytes:
    """The whole answer."""
    return orjson.dumps(answer, default=_shown)


def etag_bytes(answer: Any) -> bytes:
    """The answer without what passes: what its ETag is made of."""
    return orjson.dumps(answer, default=_left_out)


def number(value: Decimal | int) -> Decimal | int:
    """A decimal without trailing zeros; an int where it is whole."""
    return int(value) if value == value // 1 else Decimal(value).normalize()


def when(at: datetime) -> str:
    """RFC 3339 in UTC, with a fraction only where there is one: ``2026-11-20T09:00:00Z``."""
    if at.tzinfo is not UTC:
        at = at.astimezone(UTC)
    part = at.microsecond
    finest = "seconds" if not part else "microseconds" if part % 1000 else "milliseconds"
    return at.isoformat(timespec=finest).removesuffix("+00:00") + "Z"


def when_or_none(at: datetime | None) -> str | None:
    """The same for what may have no time."""
    return None if at is None else when(at)


def _shown(value: Any) -> Any:
    if isinstance(value, Encoded):
        return orjson.Fragment(value.content)
    return value.value if isinstance(value, Volatile) else _exact(value)


def _left_out(value: Any) -> Any:
    if isinstance(value, Encoded):
        return value.digest
    return None if isinstance(value, Volatile) else _exact(value)


def _exact(value: Any) -> Any:
    if isinstance(value, Decimal):
        return orjson.Fragment(f"{value:f}")
    raise TypeError(f"{type(value).__name__} has no place in an answer")
