"""Encoding answers as JSON, with exact decimals and times in UTC, and for ETags.

Decimals are written digit by digit; points never become floats. ``Volatile`` marks a value that changes without the
answer changing (``as_of``, seconds left): it is sent, but left out of the ETag.
"""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import orjson


class Volatile:
    """A value that is left out of the ETag."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


class Encoded:
    """A part of an answer that is JSON already; the ETag uses its digest."""

    __slots__ = ("content", "digest")

    def __init__(self, content: bytes, digest: str) -> None:
        self.content, self.digest = content, digest


def as_json(answer: Any) -> bytes:
    """Encode the answer for sending."""
    return orjson.dumps(answer, default=_encode)


def etag_bytes(answer: Any) -> bytes:
    """Encode the answer without ``Volatile`` values, as input of its ETag."""
    return orjson.dumps(answer, default=_encode_for_etag)


def number(value: Decimal | int) -> Decimal | int:
    """A decimal without trailing zeros; an int if it is whole."""
    return int(value) if value == value // 1 else Decimal(value).normalize()


def when(at: datetime) -> str:
    """Format as RFC 3339 in UTC, with a fraction only if it is not zero: ``2026-11-20T09:00:00Z``."""
    if at.tzinfo is not UTC:
        at = at.astimezone(UTC)
    fraction = at.microsecond
    precision = "seconds" if not fraction else "microseconds" if fraction % 1000 else "milliseconds"
    return at.isoformat(timespec=precision).removesuffix("+00:00") + "Z"


def when_or_none(at: datetime | None) -> str | None:
    """As ``when``; None for None."""
    return None if at is None else when(at)


def _encode(value: Any) -> Any:
    if isinstance(value, Encoded):
        return orjson.Fragment(value.content)
    return value.value if isinstance(value, Volatile) else _encode_decimal(value)


def _encode_for_etag(value: Any) -> Any:
    if isinstance(value, Encoded):
        return value.digest
    return None if isinstance(value, Volatile) else _encode_decimal(value)


def _encode_decimal(value: Any) -> Any:
    if isinstance(value, Decimal):
        return orjson.Fragment(f"{value:f}")
    raise TypeError(f"{type(value).__name__} has no place in an answer")
