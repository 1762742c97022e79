"""The families in Redis of many periods, with one more statement if any of the periods is divided.

Readers, and writers of boards that Redis decides, have the rows of partitions from a cache while SQL is unavailable,
as they have the period's own (docs/decisions/0010): the script compares the generation of each.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from copy import copy

from foundation.db.resilience import StaleIfErrorCache
from leaderboards.models import Part, Partition, Period

MAX_CACHED_PERIODS = 200  # of up to 256 rows each

_Key = tuple[int, int]  # a period's number, and into how many partitions it is divided


def parts_of(periods: Iterable[Period]) -> list[Part]:
    """Return the rows of the families of these periods, in their order: periods themselves, or their partitions.

    A period is left out if it got another number of partitions between the statement for it and that for its
    partitions: its row and theirs do not belong together. Who looks again finds it.
    """
    found = list(periods)
    load_parts(found)
    return [part for period in found if len(period.parts) == period.partitions for part in period.parts]


def load_parts(periods: Iterable[Period]) -> None:
    """Read the partitions of these periods now."""
    divided = [period for period in periods if period.is_divided]
    by_period = _read(period.pk for period in divided)
    for period in divided:
        period.set_parts(by_period[period.pk])


def load_cached_parts(periods: Iterable[Period]) -> None:
    """Read the partitions of these periods now; while SQL is unavailable, from the cache. Raises ``SqlAway``."""
    by_key = {_key(period): period for period in periods if period.is_divided}
    for key, rows in _cache.get_many(list(by_key)).items() if by_key else ():
        by_key[key].set_parts(_copied(rows))


def cached_parts(period: Period, fresh: float = 0.0) -> list[Partition] | None:
    """Return the partitions, at most ``fresh`` seconds old; while SQL is unavailable, from the cache.

    None if there are not as many as the period's row says. Raises ``SqlAway``.
    """
    rows = _cache.get(_key(period), fresh)
    return None if rows is None else _copied(rows)


def reload_parts(period: Period) -> None:
    """Read the partitions of a divided period again, and cache them. Raises ``SqlAway``."""
    if period.is_divided and (rows := _cache.refresh(_key(period))):
        period.set_parts(_copied(rows))


def clear_parts_cache() -> None:
    """Make this process see changed partitions at once."""
    _cache.forget()


def _load(keys: Collection[_Key]) -> dict[_Key, list[Partition]]:
    by_period = _read(number for number, _ in keys)
    return {(number, count): rows for number, count in keys if len(rows := by_period[number]) == count}


_cache: StaleIfErrorCache[_Key, list[Partition]] = StaleIfErrorCache(_load, most=MAX_CACHED_PERIODS)


def _read(numbers: Iterable[int]) -> dict[int, list[Partition]]:
    by_period = defaultdict[int, list[Partition]](list)
    if wanted := set(numbers):
        for part in Partition.objects.filter(period__in=wanted).order_by("number"):
            by_period[part.period_id].append(part)
    return by_period


def _key(period: Period) -> _Key:
    return period.pk, period.partitions


def _copied(rows: Iterable[Partition]) -> list[Partition]:
    """Copy cached rows, since each knows the copy of the period that it is of."""
    return [copy(row) for row in rows]
