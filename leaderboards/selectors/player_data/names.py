"""Names of players. They are shown only: no rank depends on them, and ids stand for them while SQL is silent."""

from collections.abc import Collection, Iterable
from itertools import count

from django.db import connection

from foundation.caching.micro_cache import TTL_SECONDS
from foundation.db.resilience import CACHE_TTL, SqlAway, StaleIfErrorCache
from leaderboards.models import Player

NAME_SECONDS = 2.0  # as old as a name may be
_NAMED = f"SELECT external_id, name FROM {Player._meta.db_table} WHERE external_id = ANY(%s) AND name <> ''"  # noqa: S608 (a name of our own)


def _load(ids: Collection[str]) -> dict[str, str]:
    return dict.fromkeys(ids, "") | dict(_named(ids))


def _named(ids: Collection[str]) -> Iterable[tuple[str, str]]:
    """One statement, whatever their number, and no query is put together."""
    if connection.vendor != "postgresql":
        return Player.objects.filter(external_id__in=ids).exclude(name="").values_list("external_id", "name")
    with connection.cursor() as cursor:
        cursor.execute(_NAMED, [[*ids]])
        rows: list[tuple[str, str]] = cursor.fetchall()
        return rows


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
    _Forgotten.times = next(_Forgotten.numbers)
