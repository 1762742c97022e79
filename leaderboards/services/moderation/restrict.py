"""Hiding players or single standings, shadowing players and banning them from a board, and the end of it, each with a
reason on record.

A ban from everything is ``services/moderation/ban.py``; who asks here for a ban without a board gets that. All or
nothing, however many players are named. What they have scored stays where it is, so lifting gives the old places back.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import QuerySet

from foundation.audit import record
from foundation.failpoints import failpoint
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
    """What is kept from players: the kind, on a board, or (None) on all; in one ``period`` of the board, if there is
    one, of which see ``hidden_in_period``."""

    kind: RestrictionKind
    board: Board | None = None
    period: Period | None = None

    @property
    def key(self) -> str:
        """A text that tells one from another."""
        where = f"{self.kind}:{self.board.seq if self.board else ''}"
        return f"{where}:{self.period.pk}" if self.period else where

    @property
    def is_ban_from_all(self) -> bool:
        """Whether this is the ban that ``services/moderation/ban.py`` knows."""
        return self.kind == RestrictionKind.BANNED and self.board is None


def hidden_in_period(period: Period) -> RestrictionScope:
    """What hides standings in this period alone. Raises ``NotHideable`` where it is the period of a competition."""
    if period.board.is_event:
        raise NotHideable(
            "This standing is of a competition: disqualify the participant there. That hides it in the "
            "competition alone, rewards follow, and it can be taken back."
        )
    return RestrictionScope(RestrictionKind.HIDDEN, period.board, period)


def scope_of(row: Restriction) -> RestrictionScope:
    """What a restriction keeps from its player."""
    return RestrictionScope(RestrictionKind(row.kind), row.board, row.period)


def can_be_restricted(what: RestrictionScope) -> QuerySet[Player]:
    """Those of whom this is not so already."""
    if what.is_ban_from_all:
        return can_be_banned()
    return Player.objects.exclude(pk__in=_running(what).values("player"))


def restrict(
    players: Collection[int], what: RestrictionScope, reason: str, at: datetime, by: AbstractBaseUser | None
) -> list[Player]:
    """Restrict those of these players (by internal number) who are not so already; all of them or none.

    Returns whom it restricted. Raises ``BadReason`` where ``reason`` has not 1 to 300 characters.
    """
    if what.is_ban_from_all:
        return ban(players, reason, at, by)
    reason = reason_given(reason)
    with transaction.atomic():
        _hold(players)
        locked = list(can_be_restricted(what).filter(pk__in=players).order_by("pk"))
        where = {"board": what.board, "period": what.period, "kind": what.kind}
        made = Restriction.objects.bulk_create(
            Restriction(player=player, since=at, by_id=_number(by), reason=reason, **where) for player in locked
        )
        for row in made:
            _record(action_of(row), row, reason, at, by)
        failpoint("restrict.before_commit")
        transaction.on_commit(forget_bans)
        invalidate_readers_of_competitions(what.board)
    return locked


def hide_standings(
    whose: Mapping[Period, Collection[int]], reason: str, at: datetime, by: AbstractBaseUser | None
) -> int:
    """Hide, in each of these periods, the standings of these players (by internal number); all of them or none.

    Returns how many it hid: not those that were hidden before. Raises ``BadReason`` likewise, and ``NotHideable``.
    """
    everybody = {player for players in whose.values() for player in players}
    with transaction.atomic():
        _hold(everybody)  # in one order, whatever the periods: two who hide several never wait for each other
        return sum(
            len(restrict(players, hidden_in_period(period), reason, at, by)) for period, players in whose.items()
        )


def lift_restrictions(
    restrictions: Collection[int], reason: str, at: datetime, by: AbstractBaseUser | None
) -> list[Restriction]:
    """Lift those of these restrictions (by internal number) that run; all of them or none.

    Returns which it lifted, with their players. Raises ``BadReason`` likewise.
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
    players: Collection[int], what: RestrictionScope, reason: str, at: datetime, by: AbstractBaseUser | None
) -> list[Player]:
    """Lift one restriction of each of these players (by internal number) who has it; all of them or none.

    Returns whose it lifted. Raises ``BadReason`` likewise.
    """
    if what.is_ban_from_all:
        return unban(players, reason, at, by)
    rows = _running(what).filter(player__in=players)
    return [row.player for row in lift_restrictions(rows.values_list("pk", flat=True), reason, at, by)]


def action_of(row: Restriction) -> str:
    """How the audit log calls imposing it."""
    return ACTIONS[RestrictionKind(row.kind)] if row.period_id is None else STANDING_HIDDEN


def scope_note(row: Restriction) -> dict[str, object]:
    """What tells the restriction from others of its player in notes of the audit log. Notes about one period have no
    board, so that who asks for what was decided on the board does not find them."""
    where = {"board": row.board_id} if row.period_id is None else {"period": row.period_id}
    return {"kind": row.kind, **where}


def _hold(players: Collection[int]) -> None:
    """The players' rows are held, so two who restrict the same ones at once do it one after the other."""
    list(Player.objects.select_for_update(of=("self",)).filter(pk__in=players).order_by("pk").values_list("pk"))


def _running(what: RestrictionScope) -> QuerySet[Restriction]:
    return active_restrictions().filter(kind=what.kind, board=what.board, period=what.period)


def _record(act: str, row: Restriction, reason: str, at: datetime, by: AbstractBaseUser | None) -> None:
    board: list[tuple[str, object]] = [] if row.board_id is None else [("board", row.board_id)]
    subjects = [("player", row.player_id), *board]
    note = {"restriction": row.pk, **scope_note(row)}
    record(act, at=at, by=by, subjects=subjects, reason=reason, note=note)


def _number(by: AbstractBaseUser | None) -> int | None:
    return by.pk if by else None
