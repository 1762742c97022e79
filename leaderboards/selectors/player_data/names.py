"""Names and countries of players, for display only: no rank depends on them, and ids replace names while SQL is away.

A country is read with the name, so it needs no statement of its own.
"""

from collections.abc import Collection, Iterable
from itertools import count

from django.db import connection

from foundation.caching.micro_cache import TTL_SECONDS
from foundation.db.resilience import CACHE_TTL, SqlAway, StaleIfErrorCache
from leaderboards.models import Player

NAME_SECONDS = 2.0  # the greatest age of a shown name
MOST_COUNTRIES = 100_000  # of some 100 bytes each
_NAMED = f"SELECT external_id, name, country FROM {Player._meta.db_table} WHERE external_id = ANY(%s)"  # noqa: S608 - the table's name is our own


def _load(ids: Collection[str]) -> dict[str, str]:
    names = dict.fromkeys(ids, "")
    for player, name, country in _select_names(ids):
        names[player] = name
        if country:
            _countries[player] = country
        else:
            _countries.pop(player, None)
    return names


def _select_names(ids: Collection[str]) -> Iterable[tuple[str, str, str]]:
    """Select names and countries with one constant statement, which is faster than a query built by the ORM."""
    if len(_countries) > MOST_COUNTRIES:
        _countries.clear()
    if connection.vendor != "postgresql":
        return Player.objects.filter(external_id__in=ids).values_list("external_id", "name", "country")
    with connection.cursor() as cursor:
        cursor.execute(_NAMED, [[*ids]])
        rows: list[tuple[str, str, str]] = cursor.fetchall()
        return rows


_countries: dict[str, str] = {}


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


def countries_of(ids: Iterable[str]) -> dict[str, str]:
    """Return the countries (ISO 3166, two capital letters) of players that have one, as read with the names."""
    return {player: _countries[player] for player in ids if player in _countries}


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
    _countries.clear()
    _Generation.current = next(_Generation.numbers)
