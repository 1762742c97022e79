"""Who has a standing and is not shown: the banned, and whoever an app above leaves out of an event.

Their scores stay where they are, so whoever is shown again has his place back. SQL is asked at most once a second.
The trap: while SQL is silent, a process that has not asked before shows them.
"""

from collections import defaultdict
from collections.abc import Callable, Collection
from typing import NamedTuple

from django.db.models import Q

from foundation.sql import Remembered, SqlAway
from leaderboards.models import FinalStanding, Period, Player, Standing, State

KEPT_SECONDS = 1.0
LeftOut = Callable[[str], Collection[int]]


class _Asked(NamedTuple):
    pk: int
    label: str
    is_event: bool
    is_final: bool


class _Provided:
    left_out: LeftOut = staticmethod(lambda _label: ())


def provide(left_out: LeftOut) -> None:
    """Let ``left_out`` say, by a label of an event, which players (by internal number) are not shown in it."""
    _Provided.left_out = staticmethod(left_out)


def hidden_in(period: Period) -> frozenset[str]:
    """The ids of those who stand in the period and are not shown."""
    return hidden_by_period([period])[period.pk]


def hidden_by_period(periods: Collection[Period]) -> dict[int, frozenset[str]]:
    """The same by period (its pk), in two statements and one for each event."""
    asked = [
        _Asked(each.pk, each.label, each.board.is_event, each.state in (State.FINAL, State.EXPIRED)) for each in periods
    ]
    try:
        found = _remembered.get_many(asked)
    except SqlAway:
        found = {}
    return {each.pk: found.get(each, frozenset()) for each in asked}


def forget_hidden() -> None:
    """Somebody is hidden or shown again: this process knows it at once."""
    _remembered.forget()


def _load(asked: Collection[_Asked]) -> dict[_Asked, frozenset[str]]:
    found: dict[int, set[str]] = defaultdict(set)
    banned = Q(player__in=Player.objects.filter(banned_at__isnull=False).values("pk"))
    for is_final in {each.is_final for each in asked}:
        _add(found, [each for each in asked if each.is_final is is_final], banned)
    for each in asked:
        if each.is_event and (out := _Provided.left_out(each.label)):
            _add(found, [each], Q(player__in=out))
    return {each: frozenset(found[each.pk]) for each in asked}


def _add(found: dict[int, set[str]], asked: Collection[_Asked], who: Q) -> None:
    """Those of one kind: ``asked`` is not empty, and all of it final or none."""
    numbers = [each.pk for each in asked]
    columns = ("period_id", "player__external_id")
    if next(iter(asked)).is_final:
        rows = list(FinalStanding.objects.filter(who, period__in=numbers).values_list(*columns))
    else:
        rows = list(Standing.objects.filter(who, period__in=numbers, score__isnull=False).values_list(*columns))
    for number, player in rows:
        found[number].add(player)


_remembered: Remembered[_Asked, frozenset[str]] = Remembered(_load, fresh=KEPT_SECONDS)
