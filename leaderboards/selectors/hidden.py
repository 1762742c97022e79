"""Who has a standing and is not shown: the banned, and whoever an app above leaves out of an event.

Their scores stay where they are, so who is shown again has the old place back. SQL is asked at most once a second.
Where Redis decides, SQL may not know yet that somebody stands, so players are left out whether they stand or not.
The trap: while SQL is silent, a process that has not asked before shows them.
"""

from collections import defaultdict
from collections.abc import Callable, Collection
from datetime import timedelta
from typing import NamedTuple

from django.db.models import BigIntegerField, Q, QuerySet, Value

from foundation import clock
from foundation.sql import LATELY_SECONDS, Remembered, SqlAway
from leaderboards.models import FinalStanding, Period, Player, Standing, State, Storage

KEPT_SECONDS = 1.0
LAGS_AT_MOST = timedelta(hours=1)  # longer than a mirror is behind, but where it is stopped
LeftOut = Callable[[str], Collection[int]]
KeepsPlaces = Callable[[str], bool]


class _Asked(NamedTuple):
    pk: int
    label: str
    is_event: bool
    is_final: bool
    lags: bool  # SQL follows Redis, and may not have a standing yet that is shown already


class _Provided:
    left_out: LeftOut = staticmethod(lambda _label: ())
    keeps_places: KeepsPlaces = staticmethod(lambda _label: False)


def provide(left_out: LeftOut, keeps_places: KeepsPlaces) -> None:
    """Let an app above say, by a label of an event, which players (by internal number) are not shown in it, and
    whether their places stay empty; else everybody below moves up."""
    _Provided.left_out = staticmethod(left_out)
    _Provided.keeps_places = staticmethod(keeps_places)


def hidden_in(period: Period) -> frozenset[str]:
    """The ids of those who stand in the period and are not shown."""
    return hidden_by_period([period])[period.pk]


def hidden_by_period(periods: Collection[Period]) -> dict[int, frozenset[str]]:
    """The same by period (its pk), in two statements and one for each event."""
    asked = [_asked(each) for each in periods]
    try:
        found = _remembered.get_many(asked)
    except SqlAway:
        found = {}
    return {each.pk: found.get(each, frozenset()) for each in asked}


def hidden_now(period: Period) -> dict[int, str]:
    """The same in one period as SQL has it this moment, by internal number: for what is written down."""
    return _find([_asked(period)])[period.pk]


def keeps_places(period: Period) -> bool:
    """Whether the places of those who are not shown stay empty, so that nobody moves up."""
    try:
        return period.board.is_event and bool(_kept_empty.get(period.label))
    except SqlAway:
        return False


def forget_hidden() -> None:
    """Somebody is hidden or shown again: this process knows it at once."""
    _remembered.forget()
    _kept_empty.forget()


def _asked(period: Period) -> _Asked:
    is_final = period.state in (State.FINAL, State.EXPIRED)
    lags = period.board.storage == Storage.REDIS and not is_final
    return _Asked(period.pk, period.label, period.board.is_event, is_final, lags)


def _load(asked: Collection[_Asked]) -> dict[_Asked, frozenset[str]]:
    found = _find(asked)
    return {each: frozenset(found[each.pk].values()) for each in asked}


def _find(asked: Collection[_Asked]) -> dict[int, dict[int, str]]:
    found: dict[int, dict[int, str]] = defaultdict(dict)
    banned = Q(player__in=Player.objects.filter(banned_at__isnull=False).values("pk"))
    for is_final in {each.is_final for each in asked}:
        _add(found, [each for each in asked if each.is_final is is_final], banned)
    for each in asked:
        if each.is_event and (out := _Provided.left_out(each.label)):
            _add(found, [each], Q(player__in=out))
            if each.lags:
                found[each.pk] |= _called(Q(pk__in=out))
    return found


def _called(who: Q) -> dict[int, str]:
    return dict(Player.objects.filter(who).values_list("pk", "external_id"))


def _add(found: dict[int, dict[int, str]], asked: Collection[_Asked], who: Q) -> None:
    """Those of one kind: ``asked`` is not empty, and all of it final or none."""
    numbers = [each.pk for each in asked]
    columns = ("period_id", "player_id", "player__external_id")
    if next(iter(asked)).is_final:
        rows = list(FinalStanding.objects.filter(who, period__in=numbers).values_list(*columns))
    else:
        standing = Standing.objects.filter(who, period__in=numbers, score__isnull=False).values_list(*columns)
        rows = list(standing.union(_banned_of_late(), all=True) if any(each.lags for each in asked) else standing)
    lagging = [each.pk for each in asked if each.lags]
    for number, player, name in rows:
        for each in [number] if number else lagging:
            found[each][player] = name


def _banned_of_late() -> QuerySet[Player, tuple[int, int, str]]:
    """They may stand where SQL lags: as rows of no period."""
    banned = Player.objects.filter(banned_at__gt=clock.now() - LAGS_AT_MOST)
    return banned.annotate(nowhere=Value(0, BigIntegerField())).values_list("nowhere", "pk", "external_id")


def _load_kept_empty(labels: Collection[str]) -> dict[str, bool]:
    return {label: _Provided.keeps_places(label) for label in labels}


_remembered: Remembered[_Asked, frozenset[str]] = Remembered(_load, fresh=KEPT_SECONDS)
_kept_empty: Remembered[str, bool] = Remembered(_load_kept_empty, fresh=LATELY_SECONDS)
