"""Criteria: what a board compares if submissions have fields instead of points.

A criterion has a name, a greatest value and a direction. ``achieved_at`` is special: it is not sent but is the time of
the submission, and it is not part of a standing's value.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import cast

from leaderboards.errors import BadBoard

ACHIEVED_AT = "achieved_at"
MAX_CRITERIA = 16
MAX_SAFE_INTEGER = 2**53 - 1  # the greatest integer that is exact in JSON, Lua and a score

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,39}")
_TIME_BITS = {"s": 32, "ms": 43}
_RESOLUTIONS = {"s": 1000, "ms": 1}


class Order(StrEnum):
    """Which way is better."""

    DESC = "desc"
    ASC = "asc"


@dataclass(frozen=True, slots=True)
class Criterion:
    """A criterion: whole numbers from 0 to ``maximum``."""

    name: str
    maximum: int
    order: Order
    unit: str | None = None

    def __post_init__(self) -> None:
        if _NAME.fullmatch(self.name) is None:
            raise _bad("A criterion's name is 1 to 40 letters, digits and _, and starts with no digit.")
        if not 1 <= self.maximum <= MAX_SAFE_INTEGER:
            raise _bad(f"The greatest value of `{self.name}` is at least 1 and at most 2^53-1 (53 bits).")
        if self.is_time and self.unit not in _RESOLUTIONS:
            raise _bad(f"`{ACHIEVED_AT}` needs a `unit`: `s` or `ms`.")
        if not self.is_time and self.unit is not None:
            raise _bad(f"`{self.name}` has a `unit`; only `{ACHIEVED_AT}` has one.")

    @property
    def bits(self) -> int:
        """The number of bits of the greatest value."""
        return self.maximum.bit_length()

    @property
    def is_time(self) -> bool:
        """Whether it is the time of the submission, which is not sent."""
        return self.name == ACHIEVED_AT

    @property
    def resolution_ms(self) -> int:
        """For ``achieved_at``: its unit in milliseconds."""
        return _RESOLUTIONS[self.unit or "ms"]

    def to_json(self) -> dict[str, object]:
        """Return the criterion as the settings have it, with ``max``."""
        settings: dict[str, object] = {"name": self.name, "max": self.maximum, "order": self.order.value}
        return settings | ({"unit": self.unit} if self.unit else {})


def read_criteria(raw: object) -> tuple[Criterion, ...]:
    """Parse criteria of settings: ``[{"name", "bits" or "max", "order", "unit"?}, ...]``. Raises ``BadBoard``."""
    if not isinstance(raw, list):
        raise _bad('Criteria are a list such as [{"name": "stage", "bits": 15, "order": "desc"}].')
    return tuple(_read_criterion(each) for each in raw)


def check_criteria(criteria: Sequence[Criterion]) -> None:
    """Raise ``BadBoard`` if the list cannot work as a whole."""
    names = [criterion.name for criterion in criteria]
    duplicates = sorted({name for name in names if names.count(name) > 1})
    if duplicates:
        raise _bad(f"The criterion `{duplicates[0]}` is listed twice: give each its own name.")
    if len(names) > MAX_CRITERIA:
        raise _bad(f"There are {len(names)} criteria; {MAX_CRITERIA} are the most that work.")
    if names == [ACHIEVED_AT]:
        raise _bad(f"`{ACHIEVED_AT}` alone ranks nothing: add a criterion that a submission sends.")


def _read_criterion(raw: object) -> Criterion:
    if not isinstance(raw, dict):
        raise _bad("Each criterion is an object with `name`, `bits` or `max`, and `order`.")
    unknown = sorted(str(key) for key in raw.keys() - {"name", "bits", "max", "order", "unit"})
    if unknown:
        raise _bad(f"A criterion has no {unknown[0][:40]!r}: it has `name`, `bits` or `max`, `order`.")
    name, unit = raw.get("name"), raw.get("unit")
    if not isinstance(name, str) or not (unit is None or isinstance(unit, str)):
        raise _bad("A criterion's `name` and `unit` are texts.")
    if raw.get("order") not in ("desc", "asc"):
        raise _bad(f"`order` of the criterion {name[:40]!r} is `desc` or `asc`.")
    return Criterion(name, _read_maximum(raw, name, unit), Order(cast("str", raw["order"])), unit)


def _read_maximum(raw: dict[str, object], name: str, unit: str | None) -> int:
    given = [key for key in ("bits", "max") if key in raw]
    if not given and name == ACHIEVED_AT and unit in _TIME_BITS:
        return int(2 ** _TIME_BITS[unit] - 1)
    if len(given) != 1:
        raise _bad(f"The criterion {name[:40]!r} needs either `bits` or `max`.")
    size = raw[given[0]]
    if isinstance(size, bool) or not isinstance(size, int):
        raise _bad(f"`{given[0]}` of the criterion {name[:40]!r} is a whole number.")
    if given[0] == "max":
        return size
    if not 1 <= size <= 53:
        raise _bad(f"`bits` of the criterion {name[:40]!r} is 1 to 53.")
    return int(2**size - 1)


def _bad(detail: str) -> BadBoard:
    return BadBoard(detail, "criteria")
