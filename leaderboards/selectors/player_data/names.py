"""Names of players, for display only: no rank depends on them, and ids replace them while SQL is unavailable."""

from collections.abc import Collection, Iterable
from itertools import count

from django.db import connection

from foundation.caching.micro_cache import TTL_SECONDS
from foundation.db.resilience import CACHE_TTL, SqlAway, StaleIfErrorCache
from leaderboards.models import Player

NAME_SECONDS = 2.0  # the greatest age of a shown name
_NAMED = f"SELECT external_id, name FROM {Player._meta.db_table} WHERE external_id = ANY(%s) AND name <> ''"  # noqa: S608 (a name of our own)


def _load(ids: Collection[str]) -> dict[str, str]:
    return dict.fromkeys(ids, "") | dict(_select_names(ids))


def _select_names(ids: Collection[str]) -> Iterable[tuple[str, str]]:
    """Select the names with one constant statement, which is faster than a query built by the ORM."""
    if connection.vendor != "postgresql":
        return Player.objects.filter(external_id__in=ids).exclude(name="").values_list("external_id", "name")
    with connection.cursor() as cursor:
        cursor.execute(_NAMED, [[*ids]])
        rows: list[tuple[str, str]] = cursor.fetchall()
        return rows


class _Generation:
    numbers = count(1)
    current = 0


_cache: StaleIfErrorCache[str, str] = StaleIfErrorCache(_load, fresh=CACHE_TTL)


def names_of(ids: Collection[str]) -> dict[str, str]:
    """Return the names of these ids, "" for players without one.

    A name that another process changed appears within ``NAME_SECONDS``.
    """
    try:
        return _cache.get_many(ids, fresh=NAME_SECONDS)
    except SqlAway:
        return {}


def names_for_caching(ids: Collection[str]) -> dict[str, str]:
    """Return names for results that are cached for ``TTL_SECONDS``, so that they expire within ``NAME_SECONDS``."""
    try:
        return _cache.get_many(ids, fresh=NAME_SECONDS - TTL_SECONDS)
    except SqlAway:
        return {}


def name_cache_generation() -> int:
    """Return a number that changes with each name that this process changes."""
    return _Generation.current


def cached_names(ids: Collection[str]) -> dict[str, str]:
    """Return names at most ``CACHE_TTL`` seconds old: for pages that refresh often with mostly the same players."""
    try:
        return _cache.get_many(ids)
    except SqlAway:
        return {}


def clear_name_cache() -> None:
    """Forget all cached names. The cache is cleared first: else a reader could cache old names under the new number."""
    _cache.forget()
    _Generation.current = next(_Generation.numbers)
