"""Which players are hidden in a period: the banned, the restricted, and those whom competitions exclude from an event.

Their scores are kept, so a player who is shown again has the old rank back. SQL is asked at most once a second for a
period. While Redis decides, SQL may not have a player's standing yet, so players are hidden with or without one.
The trap: while SQL is unavailable, a process without a cached answer shows hidden players.
"""

from collections import defaultdict
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, NamedTuple

from django.db.models import BigIntegerField, CharField, Expression, F, Q, QuerySet, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce

from foundation import clock
from foundation.db.resilience import CACHE_TTL, SqlAway, StaleIfErrorCache
from leaderboards.models import (
    OVER_STATES,
    FinalStanding,
    Period,
    Player,
    RestrictionKind,
    Standing,
    Storage,
)
from leaderboards.selectors.visibility.restrictions import active_restrictions, current_viewer

HIDDEN_SECONDS = 1.0  # the delay until a hidden player disappears
MAX_MIRROR_LAG = timedelta(hours=1)  # longer than a running mirror is behind
EventExclusions = Callable[[str], Collection[int]]
KeepsPlaces = Callable[[str], bool]


class _PeriodKey(NamedTuple):
    pk: int
    board: int
    label: str
    is_event: bool
    is_final: bool
    lags: bool  # SQL follows Redis, and may not have a standing yet that is shown already
    is_elsewhere: bool  # DynamoDB has the scores, and SQL an empty standing of each player


class _HiddenPlayers(NamedTuple):
    """The players hidden in a period (ids), those hidden only by a shadow, and how many have a standing in SQL."""

    players: frozenset[str]
    shadowed: frozenset[str]
    standing: int

    def for_viewer(self) -> frozenset[str]:
        """Return the players hidden from the current viewer: shadowed viewers see themselves."""
        viewer = current_viewer()
        return self.players - {viewer} if viewer in self.shadowed else self.players


_NO_PLAYERS = _HiddenPlayers(frozenset(), frozenset(), 0)


class _Registered:
    excluded: EventExclusions = staticmethod(lambda _label: ())
    keeps_vacated_places: KeepsPlaces = staticmethod(lambda _label: False)


def register_event_exclusions(excluded: EventExclusions, keeps_vacated_places: KeepsPlaces) -> None:
    """Register which players (by internal number) another app excludes from an event, by the event's label, and
    whether their places stay empty; else everybody below moves up."""
    _Registered.excluded = staticmethod(excluded)
    _Registered.keeps_vacated_places = staticmethod(keeps_vacated_places)


def hidden_in(period: Period) -> frozenset[str]:
    """Return the ids of the players hidden in the period from the current viewer, with or without a standing."""
    return _hidden_players_in([period])[period.pk].for_viewer()


def hidden_counts(periods: Collection[Period]) -> dict[int, int]:
    """Count by period (pk) the hidden players with a standing: two SQL statements, and one for each event."""
    return {number: hidden.standing for number, hidden in _hidden_players_in(periods).items()}


def hidden_now(period: Period) -> dict[int, str]:
    """Return the ids of all hidden players by internal number, uncached and for no viewer: for results that are stored.

    In a final period these are exactly the hidden players with a final standing.
    """
    return {number: row.name for number, row in _find_hidden([_period_key(period)])[period.pk].items()}


def hidden_and_shadowed_now(period: Period) -> tuple[frozenset[str], frozenset[str]]:
    """Return the ids of all hidden players, and of those hidden only by a shadow, uncached and for no viewer."""
    hidden = _summarise(_find_hidden([_period_key(period)])[period.pk].values())
    return hidden.players, hidden.shadowed


def shadowed_in(period: Period) -> frozenset[str]:
    """Return the ids of the players hidden in the period only by a shadow, who therefore see themselves."""
    return _hidden_players_in([period])[period.pk].shadowed


def is_shadowed_on(board: int, player: str) -> bool:
    """Return whether a player is shadowed on a board or everywhere, without a period; other restrictions may apply."""
    try:
        return not {(None, player), (board, player)}.isdisjoint(_shadows.get("all") or ())
    except SqlAway:
        return False


def _hidden_players_in(periods: Collection[Period]) -> dict[int, _HiddenPlayers]:
    keys = [_period_key(each) for each in periods]
    try:
        hidden = _cache.get_many(keys)
    except SqlAway:
        hidden = {}
    return {key.pk: hidden.get(key, _NO_PLAYERS) for key in keys}


def keeps_vacated_places(period: Period) -> bool:
    """Return whether the places of hidden players stay empty, so that nobody moves up."""
    try:
        return period.board.is_event and bool(_places_kept.get(period.label))
    except SqlAway:
        return False


def clear_hidden_cache() -> None:
    """Make this process see a changed restriction at once."""
    _cache.forget()
    _places_kept.forget()
    _shadows.forget()


def _period_key(period: Period) -> _PeriodKey:
    is_final = period.state in OVER_STATES
    lags, is_elsewhere = (period.board.storage == each and not is_final for each in (Storage.REDIS, Storage.DYNAMODB))
    return _PeriodKey(period.pk, period.board_id, period.label, period.board.is_event, is_final, lags, is_elsewhere)


def _load(periods: Collection[_PeriodKey]) -> dict[_PeriodKey, _HiddenPlayers]:
    rows = _find_hidden(periods)
    return {key: _summarise(rows[key.pk].values()) for key in periods}


def _summarise(rows: Collection["_Row"]) -> _HiddenPlayers:
    shadowed = frozenset(row.name for row in rows if row.kinds == {RestrictionKind.SHADOWED})
    return _HiddenPlayers(frozenset(row.name for row in rows), shadowed, sum(row.stands for row in rows))


@dataclass(slots=True)
class _Row:
    """A hidden player (``name`` is the id) with the kinds of their restrictions; "" is a ban or another app."""

    name: str
    kinds: set[str] = field(default_factory=set)
    stands: bool = False


_RowsByPeriod = dict[int, dict[int, _Row]]  # by period and player (internal numbers)


def _find_hidden(periods: Collection[_PeriodKey]) -> _RowsByPeriod:
    rows: _RowsByPeriod = defaultdict(dict)
    for is_final in {each.is_final for each in periods}:
        _add_restricted(rows, [each for each in periods if each.is_final is is_final])
    for each in periods:
        if each.is_event and (excluded := _Registered.excluded(each.label)):
            for player, name in _standings_in([each]).filter(player__in=excluded).values_list(*_PLAYER_COLUMNS):
                _add(rows[each.pk], player, name, "", stands=True)
            if each.lags:
                for player, name in Player.objects.filter(pk__in=excluded).values_list("pk", "external_id"):
                    _add(rows[each.pk], player, name, "", stands=False)
    return rows


def _add(rows: dict[int, _Row], player: int, name: str, kind: str, *, stands: bool) -> None:
    row = rows.setdefault(player, _Row(name))
    row.kinds.add(kind)
    row.stands = row.stands or stands


_PLAYER_COLUMNS = ("player", "player__external_id")
_COLUMNS = ("in_period", "on_board", "only_in", "player_number", "called", "why")
_ALL_BOARDS, _LAGGING_BOARDS = 0, -1  # board of a row that belongs to no period


def _add_restricted(rows: _RowsByPeriod, periods: Collection[_PeriodKey]) -> None:
    """Add the banned and the restricted, with one SQL statement; ``periods`` is not empty, and all or none are final.

    Hidden and shadowed players go on scoring. So in running periods they are hidden even before SQL, or this cache,
    has their standing.
    """
    queries = [_banned_with_standing(periods), _restricted_with_standing(periods)]
    if not next(iter(periods)).is_final:
        queries.append(_restricted_on(periods))
    if any(each.lags for each in periods):
        queries.append(_recently_banned())
    by_pk = {each.pk: (each,) for each in periods}
    for period, board, only, player, name, kind in queries[0].union(*queries[1:], all=True):
        for each in by_pk[period] if period else periods:
            if only in (0, each.pk) and _applies_to(board, each):
                _add(rows[each.pk], player, name, kind, stands=period != 0)


def _applies_to(board: int, period: _PeriodKey) -> bool:
    return period.lags if board == _LAGGING_BOARDS else board in (_ALL_BOARDS, period.board)


def _standings_in(periods: Collection[_PeriodKey]) -> QuerySet[Any]:
    """Query the standings of these periods, of which all or none are final."""
    numbers = [each.pk for each in periods]
    if next(iter(periods)).is_final:
        return FinalStanding.objects.filter(period__in=numbers).order_by()
    return Standing.objects.filter(_ranked(periods), period__in=numbers).order_by()


def _ranked(periods: Collection[_PeriodKey], path: str = "") -> Q:
    elsewhere = [each.pk for each in periods if each.is_elsewhere]
    return Q(**{f"{path}score__isnull": False}) | (Q(**{f"{path}period__in": elsewhere}) if elsewhere else Q())


def _banned_with_standing(periods: Collection[_PeriodKey]) -> QuerySet[Any]:
    banned = Player.objects.filter(banned_at__isnull=False).values("pk")
    rows = _standings_in(periods).filter(player__in=banned)
    where = (F("period_id"), _number(_ALL_BOARDS), _number(0))
    return _select(rows, where, ("player_id", "player__external_id"), _text(""))


def _restricted_with_standing(periods: Collection[_PeriodKey]) -> QuerySet[Any]:
    """Join from the restrictions, which are few, to the standings."""
    numbers = [each.pk for each in periods]
    if next(iter(periods)).is_final:
        path = "player__final_standings__period_id"
        rows = active_restrictions().filter(player__final_standings__period__in=numbers)
    else:
        path = "player__standings__period_id"
        rows = active_restrictions().filter(
            _ranked(periods, "player__standings__"), player__standings__period__in=numbers
        )
    return _select(rows, (F(path), _board(), _only_period()), ("player_id", "player__external_id"), F("kind"))


def _restricted_on(periods: Collection[_PeriodKey]) -> QuerySet[Any]:
    of_boards = Q(board=None) | Q(board__in={each.board for each in periods}, period=None)
    rows = active_restrictions().filter(of_boards | Q(period__in=[each.pk for each in periods]))
    return _select(rows, (_number(0), _board(), _only_period()), ("player_id", "player__external_id"), F("kind"))


def _recently_banned() -> QuerySet[Any]:
    """Query players whose standing SQL may not have yet, as rows of no period."""
    banned = Player.objects.filter(banned_at__gt=clock.now() - MAX_MIRROR_LAG).order_by()
    where = (_number(0), _number(_LAGGING_BOARDS), _number(0))
    return _select(banned, where, ("pk", "external_id"), _text(""))


def _select(
    rows: QuerySet[Any],
    where: tuple[Combinable, Expression, Expression],
    player: tuple[str, str],
    why: Combinable,
) -> QuerySet[Any]:
    """Select ``_COLUMNS``. ``where``: the standing's period, the board, and the only restricted period; 0 means all."""
    number, name = player
    columns = dict(zip(_COLUMNS, (*where, F(number), F(name), why), strict=True))
    selected: QuerySet[Any] = rows.annotate(**columns).values_list(*_COLUMNS)
    return selected


def _board() -> Expression:
    return Coalesce(F("board_id"), _number(_ALL_BOARDS), output_field=BigIntegerField())


def _only_period() -> Expression:
    return Coalesce(F("period_id"), _number(0), output_field=BigIntegerField())


def _load_shadows(_keys: Collection[str]) -> dict[str, frozenset[tuple[int | None, str]]]:
    shadows = active_restrictions().filter(kind=RestrictionKind.SHADOWED)
    return {"all": frozenset(shadows.values_list("board", "player__external_id"))}


def _number(value: int) -> Value:
    return Value(value, BigIntegerField())


def _text(value: str) -> Value:
    return Value(value, CharField())


def _load_places_kept(labels: Collection[str]) -> dict[str, bool]:
    return {label: _Registered.keeps_vacated_places(label) for label in labels}


_cache: StaleIfErrorCache[_PeriodKey, _HiddenPlayers] = StaleIfErrorCache(_load, fresh=HIDDEN_SECONDS)
_shadows: StaleIfErrorCache[str, frozenset[tuple[int | None, str]]] = StaleIfErrorCache(
    _load_shadows, fresh=HIDDEN_SECONDS
)
_places_kept: StaleIfErrorCache[str, bool] = StaleIfErrorCache(_load_places_kept, fresh=CACHE_TTL)
