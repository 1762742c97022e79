"""The forms that a board's scores can take, with what a test sends to each and what it then stands for.

A form turns small whole numbers into entries, such that some numbers share their leading criterion.
"""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from leaderboards.core.ranking.rules import Ties, Update

Value = tuple[int, ...]

BY_TIME = (Ties.FIRST_COME, Ties.LAST_COME)
SHARING = (Ties.SHARED, Ties.DENSE)
EVERY = BY_TIME + SHARING
NO_SUMS = (Update.BEST, Update.LATEST)


@dataclass(frozen=True)
class Form:
    """Settings of a board, and ``entry``: the part of a submission that says ``n``."""

    name: str
    settings: dict[str, Any]
    ties: tuple[Ties, ...]
    value: Callable[[int], Value]
    entry: Callable[[int], dict[str, Any]]
    updates: tuple[Update, ...]
    in_member: bool | None  # None where it depends on the ties

    def __str__(self) -> str:
        return self.name

    def may_be_compact(self, ties: Ties) -> bool:
        """Whether a compact board may have this form: no time is in the member, dense scores are few."""
        if ties is Ties.DENSE:
            return self.has_levels
        return not self.in_member if self.in_member is not None else not ties.by_time

    @property
    def has_levels(self) -> bool:
        """Whether its scores are few enough for dense ranks of a divided board."""
        return bool(self.settings.get("total_maximum", 2**31) < 10_000)


def points(
    name: str,
    settings: dict[str, Any],
    ties: tuple[Ties, ...],
    in_member: bool | None = False,
    value: Callable[[int], int] = int,
    updates: tuple[Update, ...] = tuple(Update),
) -> Form:
    """A board of points; ``value`` counts them in their last decimal."""

    def entry(n: int) -> dict[str, Any]:
        decimals = settings.get("decimals", 0)
        return {"points": str(Decimal(value(n)).scaleb(-decimals)) if decimals else value(n)}

    return Form(name, settings, ties, lambda n: (value(n),), entry, updates, in_member)


def criteria(
    name: str, settings: dict[str, Any], ties: tuple[Ties, ...], names: tuple[str, ...], in_member: bool = False
) -> Form:
    """A board of fields: the first counts in fours, the second in twos, the rest hold what is left."""

    def value(n: int) -> Value:
        return (n // 4, n // 2 % 2, n % 2) if len(names) == 3 else (n // 2, n % 2)

    def entry(n: int) -> dict[str, Any]:
        return {"fields": dict(zip(names, value(n), strict=True))}

    return Form(name, settings, ties, value, entry, NO_SUMS, in_member)


def _field(name: str, bits: int, order: str = "desc") -> dict[str, Any]:
    return {"name": name, "bits": bits, "order": order}


_STAGE, _CREW = _field("stage", 15), _field("crew", 16, "asc")
_WIDE = [_field("stage", 30), _field("crew", 30, "asc")]
_WHEN = {"name": "achieved_at", "unit": "s", "order": "asc"}
_WHEN_MS = {"name": "achieved_at", "unit": "ms", "order": "desc"}
_WIDEST = {"maximum": 2**53 - 1, "total_maximum": 2**53 - 1}
_NEGATIVE = {"minimum": -500, "maximum": 500, "total_maximum": 1000}
_TWO, _THREE = ("stage", "crew"), ("stage", "crew", "left")

FORMS = (
    points("milliseconds-in-score", {"total_maximum": 8_388_607}, BY_TIME),
    points("seconds-in-score", {"tie_break": "score"}, BY_TIME),
    points("member", {"tie_break": "member"}, BY_TIME, in_member=True),
    points("all-time", {"period": "all_time"}, EVERY, in_member=None),
    points("plain", {}, SHARING),
    points("negative-minimum", _NEGATIVE, EVERY, value=lambda n: 3 * n - 10),
    points("negative-in-member", _NEGATIVE | {"tie_break": "member"}, BY_TIME, True, lambda n: 3 * n - 10),
    points("decimals", {"decimals": 2, "maximum": 1000, "total_maximum": 20_000}, EVERY, value=lambda n: 25 * n),
    points("widest-points", _WIDEST, EVERY, None, lambda n: n + (2**53 - 1000 if n % 2 else 0), NO_SUMS),
    criteria("criteria-integer", {"criteria": [_field("stage", 10), _field("crew", 10, "asc")]}, EVERY, _TWO),
    criteria("criteria-bits-with-time", {"criteria": [_STAGE, _CREW], "tie_break": "score"}, BY_TIME, _TWO),
    criteria("criteria-bits", {"criteria": [_STAGE, _field("crew", 20, "asc"), _field("left", 27)]}, SHARING, _THREE),
    criteria("criteria-overflow", {"criteria": [*_WIDE, _field("left", 30)]}, BY_TIME, _THREE, in_member=True),
    criteria("achieved-at", {"criteria": [_field("stage", 14), _CREW, _WHEN]}, EVERY, _TWO),
    criteria("achieved-at-between", {"criteria": [_field("stage", 8), _WHEN, _field("crew", 12, "asc")]}, EVERY, _TWO),
    criteria("achieved-at-in-member", {"criteria": [*_WIDE, _WHEN_MS]}, BY_TIME, _TWO, in_member=True),
)
