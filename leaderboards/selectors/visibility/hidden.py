"""Who is not shown in a period: the banned, who is restricted there or on its board, and whom an app above leaves out
of an event.

Their scores stay where they are, so who is shown again has the old place back. SQL is asked at most once a second.
Where Redis decides, SQL may not know yet that somebody stands, so players are left out whether they stand or not.
The trap: while SQL is silent, a process that has not asked before shows them.
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
from leaderboards.models import FinalStanding, Period, PeriodState, Player, RestrictionKind, Standing, Storage
from leaderboards.selectors.visibility.restrictions import active_restrictions, current_viewer

HIDDEN_SECONDS = 1.0  # how long it may take until somebody who is hidden is left out
MAX_MIRROR_LAG = timedelta(hours=1)  # longer than a mirror is behind, but where it is stopped
LeftOut = Callable[[str], Collection[int]]
KeepsPlaces = Callable[[str], bool]


class _Asked(NamedTuple):
    pk: int
    board: int
    label: str
    is_event: bool
    is_final: bool
    lags: bool  # SQL follows Redis, and may not have a standing yet that is shown already


class _Out(NamedTuple):
    """Who is not shown in a period: ``shadowed`` for nothing else than that, so that they see themselves; and how many
    of all of them stand there, as SQL knows."""

    players: frozenset[str]
    shadowed: frozenset[str]
    standing: int

    def seen(self) -> frozenset[str]:
        """The players whom the present viewer does not see."""
        own = current_viewer()
        return self.players - {own} if own in self.shadowed else self.players


_NOBODY = _Out(frozenset(), frozenset(), 0)


class _Provided:
    excluded: LeftOut = staticmethod(lambda _label: ())
    keeps_vacated_places: KeepsPlaces = staticmethod(lambda _label: False)


def register_event_exclusions(excluded: LeftOut, keeps_vacated_places: KeepsPlaces) -> None:
    """Let an app above say, by a label of an event, which players (by internal number) are not shown in it, and
    whether their places stay empty; else everybody below moves up."""
    _Provided.excluded = staticmethod(excluded)
    _Provided.keeps_vacated_places = staticmethod(keeps_vacated_places)


def hidden_in(period: Period) -> frozenset[str]:
    """The ids of those who are not shown in the period, whether they stand there or not."""
    return _out_of([period])[period.pk].seen()


def hidden_counts(periods: Collection[Period]) -> dict[int, int]:
    """By period (its pk) how many of those who stand are not shown: two statements, and one for each event."""
    return {number: out.standing for number, out in _out_of(periods).items()}


def hidden_now(period: Period) -> dict[int, str]:
    """The same as ``hidden_in`` as SQL has it this moment, by internal number, no matter who looks: for what is written
    down. Of a final period they are exactly those who stand there."""
    return {number: row.name for number, row in _find([_asked(period)])[period.pk].items()}


def shadowed_in(period: Period) -> frozenset[str]:
    """The ids of those who are not shown in the period for no other reason than a shadow, and so see themselves."""
    return _out_of([period])[period.pk].shadowed


def is_shadowed_on(board: int, player: str) -> bool:
    """Whether a shadow lies on a player there, for who has no period at hand; something else may keep them out too."""
    try:
        return not {(None, player), (board, player)}.isdisjoint(_shadows.get("all") or ())
    except SqlAway:
        return False


def _out_of(periods: Collection[Period]) -> dict[int, _Out]:
    asked = [_asked(each) for each in periods]
    try:
        found = _remembered.get_many(asked)
    except SqlAway:
        found = {}
    return {each.pk: found.get(each, _NOBODY) for each in asked}


def keeps_vacated_places(period: Period) -> bool:
    """Whether the places of those who are not shown stay empty, so that nobody moves up."""
    try:
        return period.board.is_event and bool(_kept_empty.get(period.label))
    except SqlAway:
        return False


def clear_hidden_cache() -> None:
    """Somebody is hidden or shown again: this process knows it at once."""
    _remembered.forget()
    _kept_empty.forget()
    _shadows.forget()


def _asked(period: Period) -> _Asked:
    is_final = period.state in (PeriodState.FINAL, PeriodState.EXPIRED)
    lags = period.board.storage == Storage.REDIS and not is_final
    return _Asked(period.pk, period.board_id, period.label, period.board.is_event, is_final, lags)


def _load(asked: Collection[_Asked]) -> dict[_Asked, _Out]:
    found = _find(asked)
    return {each: _out(found[each.pk].values()) for each in asked}


def _out(rows: Collection["_Row"]) -> _Out:
    shadowed = frozenset(row.name for row in rows if row.kinds == {RestrictionKind.SHADOWED})
    return _Out(frozenset(row.name for row in rows), shadowed, sum(row.stands for row in rows))


@dataclass(slots=True)
class _Row:
    """Somebody who is not shown; ``kinds`` of their restrictions, with an empty one for a ban or an app above."""

    name: str
    kinds: set[str] = field(default_factory=set)
    stands: bool = False


_Found = dict[int, dict[int, _Row]]  # by period and player (internal numbers)


def _find(asked: Collection[_Asked]) -> _Found:
    found: _Found = defaultdict(dict)
    for is_final in {each.is_final for each in asked}:
        _add_restricted(found, [each for each in asked if each.is_final is is_final])
    for each in asked:
        if each.is_event and (out := _Provided.excluded(each.label)):
            for player, name in _held([each]).filter(player__in=out).values_list(*_WHO):
                _add(found[each.pk], player, name, "", stands=True)
            if each.lags:
                for player, name in Player.objects.filter(pk__in=out).values_list("pk", "external_id"):
                    _add(found[each.pk], player, name, "", stands=False)
    return found


def _add(found: dict[int, _Row], player: int, name: str, kind: str, *, stands: bool) -> None:
    row = found.setdefault(player, _Row(name))
    row.kinds.add(kind)
    row.stands = row.stands or stands


_WHO = ("player", "player__external_id")
_COLUMNS = ("in_period", "on_board", "only_in", "player_number", "called", "why")
_ALL_BOARDS, _LAGGING_BOARDS = 0, -1  # where a row is of no period


def _add_restricted(found: _Found, asked: Collection[_Asked]) -> None:
    """The banned and the restricted, in one statement: ``asked`` is not empty, and all of it final or none.

    Who is hidden or shadowed goes on scoring, so where a period runs they are left out before SQL, or what is
    remembered of it, knows that they stand.
    """
    several = [_banned_standing(asked), _restricted_standing(asked)]
    if not next(iter(asked)).is_final:
        several.append(_restricted_on(asked))
    if any(each.lags for each in asked):
        several.append(_banned_of_late())
    for period, board, only, player, name, kind in several[0].union(*several[1:], all=True):
        for each in asked:
            if period in (0, each.pk) and only in (0, each.pk) and _concerns(board, each):
                _add(found[each.pk], player, name, kind, stands=period != 0)


def _concerns(board: int, each: _Asked) -> bool:
    return each.lags if board == _LAGGING_BOARDS else board in (_ALL_BOARDS, each.board)


def _held(asked: Collection[_Asked]) -> QuerySet[Any]:
    """The standings of these periods, which are all final or none."""
    numbers = [each.pk for each in asked]
    if next(iter(asked)).is_final:
        return FinalStanding.objects.filter(period__in=numbers).order_by()
    return Standing.objects.filter(period__in=numbers, score__isnull=False).order_by()


def _banned_standing(asked: Collection[_Asked]) -> QuerySet[Any]:
    banned = Player.objects.filter(banned_at__isnull=False).values("pk")
    rows = _held(asked).filter(player__in=banned)
    where = (F("period_id"), _number(_ALL_BOARDS), _number(0))
    return _as_rows(rows, where, ("player_id", "player__external_id"), _text(""))


def _restricted_standing(asked: Collection[_Asked]) -> QuerySet[Any]:
    """From the few who are restricted to their standings."""
    numbers = [each.pk for each in asked]
    if next(iter(asked)).is_final:
        path, rows = (
            "player__final_standings__period_id",
            active_restrictions().filter(player__final_standings__period__in=numbers),
        )
    else:
        path = "player__standings__period_id"
        rows = active_restrictions().filter(
            player__standings__period__in=numbers, player__standings__score__isnull=False
        )
    return _as_rows(rows, (F(path), _board(), _only()), ("player_id", "player__external_id"), F("kind"))


def _restricted_on(asked: Collection[_Asked]) -> QuerySet[Any]:
    whole = Q(board=None) | Q(board__in={each.board for each in asked}, period=None)
    rows = active_restrictions().filter(whole | Q(period__in=[each.pk for each in asked]))
    return _as_rows(rows, (_number(0), _board(), _only()), ("player_id", "player__external_id"), F("kind"))


def _banned_of_late() -> QuerySet[Any]:
    """They may stand where SQL lags: as rows of no period."""
    banned = Player.objects.filter(banned_at__gt=clock.now() - MAX_MIRROR_LAG).order_by()
    where = (_number(0), _number(_LAGGING_BOARDS), _number(0))
    return _as_rows(banned, where, ("pk", "external_id"), _text(""))


def _as_rows(
    rows: QuerySet[Any],
    where: tuple[Combinable, Expression, Expression],
    player: tuple[str, str],
    why: Combinable,
) -> QuerySet[Any]:
    """``where`` is the period of a standing, the board, and the one period that they are not shown in; 0 for all."""
    number, name = player
    named = dict(zip(_COLUMNS, (*where, F(number), F(name), why), strict=True))
    found: QuerySet[Any] = rows.annotate(**named).values_list(*_COLUMNS)
    return found


def _board() -> Expression:
    return Coalesce(F("board_id"), _number(_ALL_BOARDS), output_field=BigIntegerField())


def _only() -> Expression:
    return Coalesce(F("period_id"), _number(0), output_field=BigIntegerField())


def _load_shadows(_keys: Collection[str]) -> dict[str, frozenset[tuple[int | None, str]]]:
    shadows = active_restrictions().filter(kind=RestrictionKind.SHADOWED)
    return {"all": frozenset(shadows.values_list("board", "player__external_id"))}


def _number(value: int) -> Value:
    return Value(value, BigIntegerField())


def _text(value: str) -> Value:
    return Value(value, CharField())


def _load_kept_empty(labels: Collection[str]) -> dict[str, bool]:
    return {label: _Provided.keeps_vacated_places(label) for label in labels}


_remembered: StaleIfErrorCache[_Asked, _Out] = StaleIfErrorCache(_load, fresh=HIDDEN_SECONDS)
_shadows: StaleIfErrorCache[str, frozenset[tuple[int | None, str]]] = StaleIfErrorCache(
    _load_shadows, fresh=HIDDEN_SECONDS
)
_kept_empty: StaleIfErrorCache[str, bool] = StaleIfErrorCache(_load_kept_empty, fresh=CACHE_TTL)
