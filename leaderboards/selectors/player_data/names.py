"""Names and countries of players, for display only: no rank depends on them, and ids replace names while SQL is away.

Country and picture are read with the name, so they need no statement of their own. Cached names are used for
``TRUST_SECONDS`` while this process knows which were changed (``name_changes.py``), else as long as each function says.
"""

import threading
from collections.abc import Collection, Iterable
from itertools import count

from django.db import connection
from django.db.models import Case, F, Value, When

from foundation.caching.micro_cache import TTL_SECONDS
from foundation.db.resilience import CACHE_TTL, SqlAway, StaleIfErrorCache
from leaderboards.models import Player
from leaderboards.selectors.player_data.name_changes import Change, NameChanges

NAME_SECONDS = 2.0  # so long after a change the old name may still be shown
TRUST_SECONDS = 600.0
MAX_NAMES = 150_000  # of some 300 bytes each; twice as many numbers and countries of players, of some 100 bytes
_NAMED = (
    "SELECT id, external_id, name, country, CASE WHEN picture_from = avatar_url THEN picture ELSE '' END"  # noqa: S608 - the table's name is our own
    f" FROM {Player._meta.db_table} WHERE external_id = ANY(%s)"
)


def _load(ids: Collection[str]) -> dict[str, str]:
    names, since = dict.fromkeys(ids, ""), _cache.drops
    rows = list(_select_names(ids))
    with _lock:
        for number, player, name, country, picture in rows:
            names[player] = name
            if (before := _players.get(number, player)) != player:
                _cache.drop([before])  # their id has changed, and somebody else may get the old one
            _players[number] = player
            if not _cache.is_dropped(player, since):  # else these may be old
                _set_country(player, country)
                _set_picture(player, picture)
    return names


def _set_country(player: str, country: str) -> None:
    if country:
        _countries[player] = country
    else:
        _countries.pop(player, None)


def _set_picture(player: str, picture: str) -> None:
    if picture != _pictures.get(player, ""):
        if picture:
            _pictures[player] = picture
        else:
            del _pictures[player]
        _Generation.of_pictures = next(_Generation.numbers)


def _select_names(ids: Collection[str]) -> Iterable[tuple[int, str, str, str, str]]:
    """Select names, countries and pictures with one constant statement, faster than a query built by the ORM."""
    if max(len(_players), len(_countries)) > 2 * MAX_NAMES:
        _prune()
    if connection.vendor != "postgresql":
        shown = Case(When(picture_from=F("avatar_url"), then="picture"), default=Value(""))
        players = Player.objects.filter(external_id__in=ids).annotate(shown=shown)
        return players.values_list("pk", "external_id", "name", "country", "shown")
    with connection.cursor() as cursor:
        cursor.execute(_NAMED, [[*ids]])
        rows: list[tuple[int, str, str, str, str]] = cursor.fetchall()
        return rows


_lock = threading.RLock()  # of the three below, with what the cache drops
_countries: dict[str, str] = {}
_pictures: dict[str, str] = {}
_players: dict[int, str] = {}  # by number: the id under which a name is cached, also after the id has changed


class _Generation:
    numbers = count(1)
    current = of_pictures = 0


_cache: StaleIfErrorCache[str, str] = StaleIfErrorCache(_load, fresh=CACHE_TTL, most=MAX_NAMES)


def names_of(ids: Collection[str]) -> dict[str, str]:
    """Return the names of these ids, "" for players without one.

    A name that another process changed appears within ``NAME_SECONDS``.
    """
    return _names(ids, NAME_SECONDS)


def names_for_caching(ids: Collection[str]) -> dict[str, str]:
    """Return names for results that are cached for ``TTL_SECONDS``, so that they expire within ``NAME_SECONDS``."""
    return _names(ids, NAME_SECONDS - TTL_SECONDS)


def cached_names(ids: Collection[str]) -> dict[str, str]:
    """Return names at most ``CACHE_TTL`` seconds old: for pages that refresh often with mostly the same players."""
    return _names(ids, CACHE_TTL)


def _names(ids: Collection[str], fresh: float) -> dict[str, str]:
    """Return names that are at most ``fresh`` seconds old, or current as far as changes are known."""
    try:
        return _cache.get_many(ids, fresh=TRUST_SECONDS if _changes.are_known() else fresh)
    except SqlAway:
        return {}


def countries_of(ids: Iterable[str]) -> dict[str, str]:
    """Return the countries (ISO 3166, two capital letters) of players that have one, as read with the names."""
    return {player: _countries[player] for player in ids if player in _countries}


def picture_of(player: str) -> str:
    """Return the digest of a player's picture, as read with the name; empty without one."""
    return _pictures.get(player, "")


def picture_generation() -> int:
    """Return a number that changes with each picture that this process reads anew."""
    return _Generation.of_pictures


def name_cache_generation() -> int:
    """Return a number that changes with each name that this process changes."""
    return _Generation.current


def forget_names(ids: Collection[str]) -> None:
    """Forget the cached names of these players, whom this process has changed."""
    _cache.drop(ids)
    _Generation.current = next(_Generation.numbers)


def clear_name_cache() -> None:
    """Forget all cached names. The cache is cleared first: else a reader could cache old names under the new number."""
    _forget()
    _changes.reset()
    _Generation.current = next(_Generation.numbers)


def _forget() -> None:
    with _lock:  # the cache comes last: what is read meanwhile is not cached, as its number would be missing
        _players.clear()
        _countries.clear()
        _pictures.clear()
        _cache.forget()


def _prune() -> None:
    """Forget the numbers, countries and pictures of players whose names are not cached any more."""
    with _lock:
        _cache.distrust_reads()  # a name that is being read would be cached without its number
        for number in [number for number, player in _players.items() if player not in _cache]:
            del _players[number]
        for by_player in (_countries, _pictures):
            for player in [player for player in by_player if player not in _cache]:
                del by_player[player]


def _drop(changes: Collection[Change]) -> None:
    """Forget the names of changed players: under their ids of now, and under those under which they were read.

    A player who was not read before may be read right now, under an id that they no longer have.
    """
    with _lock:
        cached = [_players.pop(number, None) for number, _ in changes]
        if None in cached:
            _cache.distrust_reads()
        _cache.drop({player for player in (*cached, *(player for _, player in changes)) if player is not None})


_changes = NameChanges(_drop, _forget)
