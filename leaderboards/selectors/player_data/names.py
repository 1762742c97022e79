"""Names and countries of players. They are shown only: no rank depends on them, and ids stand for them while SQL is
silent. A country comes with the name, so it costs no statement of its own."""

from collections.abc import Collection, Iterable
from itertools import count

from django.db import connection

from foundation.caching.micro_cache import TTL_SECONDS
from foundation.db.resilience import CACHE_TTL, SqlAway, StaleIfErrorCache
from leaderboards.models import Player

NAME_SECONDS = 2.0  # as old as a name may be
MOST_COUNTRIES = 100_000  # of some 100 bytes each
_NAMED = f"SELECT external_id, name, country FROM {Player._meta.db_table} WHERE external_id = ANY(%s)"  # noqa: S608 (a name of our own)


def _load(ids: Collection[str]) -> dict[str, str]:
    found = dict.fromkeys(ids, "")
    for player, name, country in _named(ids):
        found[player] = name
        if country:
            _countries[player] = country
        else:
            _countries.pop(player, None)
    return found


def _named(ids: Collection[str]) -> Iterable[tuple[str, str, str]]:
    """One statement, whatever their number, and no query is put together."""
    if len(_countries) > MOST_COUNTRIES:
        _countries.clear()
    if connection.vendor != "postgresql":
        return Player.objects.filter(external_id__in=ids).values_list("external_id", "name", "country")
    with connection.cursor() as cursor:
        cursor.execute(_NAMED, [[*ids]])
        rows: list[tuple[str, str, str]] = cursor.fetchall()
        return rows


_countries: dict[str, str] = {}


class _Forgotten:
    numbers = count(1)
    times = 0


_remembered: StaleIfErrorCache[str, str] = StaleIfErrorCache(_load, fresh=CACHE_TTL)


def names_of(ids: Collection[str]) -> dict[str, str]:
    """The names of those that have one, empty for the others; a name that another process changed, a moment later."""
    try:
        return _remembered.get_many(ids, fresh=NAME_SECONDS)
    except SqlAway:
        return {}


def names_for_caching(ids: Collection[str]) -> dict[str, str]:
    """The same for who keeps what they make of them for a second."""
    try:
        return _remembered.get_many(ids, fresh=NAME_SECONDS - TTL_SECONDS)
    except SqlAway:
        return {}


def countries_of(ids: Iterable[str]) -> dict[str, str]:
    """The countries (ISO 3166, two capital letters) of those that have one, as they were when the names were read."""
    return {player: _countries[player] for player in ids if player in _countries}


def name_cache_generation() -> int:
    """Another number after each name that this process has changed."""
    return _Forgotten.times


def cached_names(ids: Collection[str]) -> dict[str, str]:
    """The same as of the last seconds: for who asks again and again, and so mostly for the same players."""
    try:
        return _remembered.get_many(ids)
    except SqlAway:
        return {}


def clear_name_cache() -> None:
    """Start anew. The trap: who reads in between must not keep old names under the new number."""
    _remembered.forget()
    _countries.clear()
    _Forgotten.times = next(_Forgotten.numbers)
