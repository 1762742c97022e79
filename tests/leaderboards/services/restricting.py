"""Restricting players as moderators do, and letting go of it."""

from collections.abc import Collection
from datetime import datetime

from django.db.models import Q

from foundation import clock
from leaderboards.models import Board, Period, Player, Restriction, RestrictionKind
from leaderboards.services.moderation.ban import unban
from leaderboards.services.moderation.restrict import (
    RestrictionScope,
    hidden_in_period,
    lift_from,
    lift_restrictions,
    restrict,
)

EVERY_WAY = (
    "hidden", "shadowed", "banned", "hidden everywhere", "shadowed everywhere", "banned everywhere",
)  # fmt: skip  # as a line
HIDDEN_STANDING = "hidden standing"  # in the running period of the board alone; it cannot be a competition's
WAYS_ON_A_BOARD = (*EVERY_WAY, HIDDEN_STANDING)


def keep_out(how: str, board: Board, *players: str, at: datetime | None = None) -> None:
    """In one of all the ways: a kind, followed by "everywhere" where it is not on the board alone, or "standing"."""
    assert len(restrict(_numbers(players), _what(how, board), "A test.", at or clock.now(), None)) == len(players)


def let_back_from(how: str, board: Board, *players: str, at: datetime) -> None:
    """The end of what ``keep_out`` did in this way, and of nothing else."""
    what = _what(how, board)
    if what.is_ban_from_all:
        held = unban(_numbers(players), "Over.", at, None)
    else:
        held = lift_from(_numbers(players), what, "Over.", at, None)
    assert len(held) == len(players)


def _what(how: str, board: Board) -> RestrictionScope:
    if how == HIDDEN_STANDING:
        begun = Period.objects.filter(Q(starts_at=None) | Q(starts_at__lte=clock.now()), board=board)
        return hidden_in_period(begun.select_related("board").latest("starts_at", "pk"))
    kind, _, everywhere = how.partition(" ")
    return RestrictionScope(RestrictionKind(kind), None if everywhere else board)


def _numbers(players: Collection[str]) -> list[int]:
    return list(Player.objects.filter(external_id__in=players).values_list("pk", flat=True))


def let_back() -> None:
    """Everybody, from everything."""
    lift_restrictions(Restriction.objects.values_list("pk", flat=True), "Over.", clock.now(), None)
    unban(Player.objects.values_list("pk", flat=True), "Over.", clock.now(), None)
