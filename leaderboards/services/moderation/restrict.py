"""Restricting players: hiding them or single standings, shadowing them, banning them from a board; and lifting that.

Each has a reason on record. A ban from all boards is ``ban.py``; a ban without a board is passed on to that. A call
restricts all the players that it names, or none. Their scores stay stored, so lifting restores the old places.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import QuerySet

from foundation.audit import record
from foundation.failpoints import failpoint
from foundation.messages import Message
from foundation.reasons import reason_given
from leaderboards.errors import NotHideable
from leaderboards.models import Board, Period, Player, Restriction, RestrictionKind
from leaderboards.selectors.visibility.restrictions import active_restrictions
from leaderboards.services.moderation.ban import ban, can_be_banned, unban
from leaderboards.services.submit.decide_redis import forget_bans
from leaderboards.services.sync.invalidate import invalidate_readers_of_competitions

ACTIONS = {
    RestrictionKind.HIDDEN: "player.hidden",
    RestrictionKind.SHADOWED: "player.shadowed",
    RestrictionKind.BANNED: "player.banned_from_board",
}
STANDING_HIDDEN = "player.standing_hidden"
LIFTED = "player.restriction_lifted"


@dataclass(frozen=True, slots=True)
class RestrictionScope:
    """The kind of a restriction, and where it holds: on one board, or on all (None); or in one period of the board.

    Only hiding can be limited to a ``period`` (``hidden_in_period``).
    """

    kind: RestrictionKind
    board: Board | None = None
    period: Period | None = None

    @property
    def key(self) -> str:
        """A text that identifies the scope."""
        where = f"{self.kind}:{self.board.seq if self.board else ''}"
        return f"{where}:{self.period.pk}" if self.period else where

    @property
    def is_ban_from_all(self) -> bool:
        """Whether this is the ban of ``ban.py``."""
        return self.kind == RestrictionKind.BANNED and self.board is None


def hidden_in_period(period: Period) -> RestrictionScope:
    """The scope that hides standings in this period only. Raises ``NotHideable`` for a competition's period."""
    if period.board.is_event:
        raise NotHideable(
            Message(
                "This standing is of a competition: disqualify the participant there. That hides it in the "
                "competition alone, rewards follow, and it can be taken back."
            )
        )
    return RestrictionScope(RestrictionKind.HIDDEN, period.board, period)


def scope_of(row: Restriction) -> RestrictionScope:
    """The scope of a restriction."""
    return RestrictionScope(RestrictionKind(row.kind), row.board, row.period)


def can_be_restricted(scope: RestrictionScope) -> QuerySet[Player]:
    """The players who do not have the restriction."""
    if scope.is_ban_from_all:
        return can_be_banned()
    return Player.objects.exclude(pk__in=_active(scope).values("player"))


def restrict(
    players: Collection[int], scope: RestrictionScope, reason: str, at: datetime, by: AbstractBaseUser | None
) -> list[Player]:
    """Restrict players (by internal number), except those who have the restriction already; all of them or none.

    Returns the players that were restricted. Raises ``BadReason`` unless ``reason`` has 1 to 300 characters.
    """
    if scope.is_ban_from_all:
        return ban(players, reason, at, by)
    reason = reason_given(reason)
    with transaction.atomic():
        _lock(players)
        locked = list(can_be_restricted(scope).filter(pk__in=players).order_by("pk"))
        where = {"board": scope.board, "period": scope.period, "kind": scope.kind}
        rows = Restriction.objects.bulk_create(
            Restriction(player=player, since=at, by_id=_number(by), reason=reason, **where) for player in locked
        )
        for row in rows:
            _record(action_of(row), row, reason, at, by)
        failpoint("restrict.before_commit")
        transaction.on_commit(forget_bans)
        invalidate_readers_of_competitions(scope.board)
    return locked


def hide_standings(
    players_by_period: Mapping[Period, Collection[int]], reason: str, at: datetime, by: AbstractBaseUser | None
) -> int:
    """Hide, in each period, the standings of its players (by internal number); all of them or none.

    Returns how many were newly hidden. Raises ``BadReason`` and ``NotHideable``.
    """
    everybody = {player for players in players_by_period.values() for player in players}
    with transaction.atomic():
        _lock(everybody)  # all at once, in one order: two calls over several periods cannot deadlock
        return sum(
            len(restrict(players, hidden_in_period(period), reason, at, by))
            for period, players in players_by_period.items()
        )


def lift_restrictions(
    restrictions: Collection[int], reason: str, at: datetime, by: AbstractBaseUser | None
) -> list[Restriction]:
    """Lift restrictions (by internal number), as far as they are active; all of them or none.

    Returns the lifted ones, with their players. Raises ``BadReason``.
    """
    reason = reason_given(reason)
    with transaction.atomic():
        rows = active_restrictions().select_for_update(of=("self",)).select_related("player", "board", "period")
        locked = list(rows.filter(pk__in=restrictions).order_by("pk"))
        for each in locked:
            each.lifted_at, each.lifted_by_id, each.lift_reason = at, _number(by), reason
            _record(LIFTED, each, reason, at, by)
        Restriction.objects.bulk_update(locked, ["lifted_at", "lifted_by", "lift_reason"])
        failpoint("restrict.before_commit")
        transaction.on_commit(forget_bans)
        for board in {each.board for each in locked}:
            invalidate_readers_of_competitions(board)
    return locked


def lift_from(
    players: Collection[int], scope: RestrictionScope, reason: str, at: datetime, by: AbstractBaseUser | None
) -> list[Player]:
    """Lift the restriction of this scope from players (by internal number) who have it; all of them or none.

    Returns the players. Raises ``BadReason``.
    """
    if scope.is_ban_from_all:
        return unban(players, reason, at, by)
    rows = _active(scope).filter(player__in=players)
    return [row.player for row in lift_restrictions(rows.values_list("pk", flat=True), reason, at, by)]


def action_of(row: Restriction) -> str:
    """The audit action of imposing it."""
    return ACTIONS[RestrictionKind(row.kind)] if row.period_id is None else STANDING_HIDDEN


def scope_note(row: Restriction) -> dict[str, object]:
    """The part of an audit note that identifies the restriction among others of its player.

    Notes about one period have no board, so a search for decisions on the board does not find them.
    """
    where = {"board": row.board_id} if row.period_id is None else {"period": row.period_id}
    return {"kind": row.kind, **where}


def _lock(players: Collection[int]) -> None:
    """Lock the players' rows, so that two calls for the same players run one after the other."""
    list(Player.objects.select_for_update(of=("self",)).filter(pk__in=players).order_by("pk").values_list("pk"))


def _active(scope: RestrictionScope) -> QuerySet[Restriction]:
    return active_restrictions().filter(kind=scope.kind, board=scope.board, period=scope.period)


def _record(act: str, row: Restriction, reason: str, at: datetime, by: AbstractBaseUser | None) -> None:
    board: list[tuple[str, object]] = [] if row.board_id is None else [("board", row.board_id)]
    subjects = [("player", row.player_id), *board]
    note = {"restriction": row.pk, **scope_note(row)}
    record(act, at=at, by=by, subjects=subjects, reason=reason, note=note)


def _number(by: AbstractBaseUser | None) -> int | None:
    return by.pk if by else None
