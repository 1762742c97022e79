"""Banning players and lifting bans, each with a reason on record.

Banned players keep their scores and are shown nowhere; the apps above handle the effects on competitions. The trap: an
erasure bans the player while it runs, and that ban ends with it; a ban by a moderator meanwhile replaces it.
"""

from collections.abc import Collection
from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import F, Q, QuerySet

from foundation.audit import record
from foundation.audit.row_values import subjects_of
from foundation.failpoints import failpoint
from foundation.reasons import reason_given
from leaderboards.models import BanKind, BanRecord, Player
from leaderboards.services.submit.decide_redis import forget_bans
from leaderboards.services.sync.invalidate import invalidate_readers_of_competitions


def can_be_banned() -> QuerySet[Player]:
    """The players who are not banned, or are banned only by an erasure that runs."""
    return Player.objects.filter(Q(banned_at=None) | Q(banned_at=F("erasing_since")))


def can_be_unbanned() -> QuerySet[Player]:
    """The banned players."""
    return Player.objects.filter(banned_at__isnull=False)


def ban(players: Collection[int], reason: str, at: datetime, by: AbstractBaseUser | None) -> list[Player]:
    """Ban players (by internal number), except those who are banned already; all of them or none.

    Returns the players that were banned. Raises ``BadReason`` unless ``reason`` has 1 to 300 characters.
    """
    return _set_ban(can_be_banned().filter(pk__in=players), BanKind.BANNED, reason, at, by)


def unban(players: Collection[int], reason: str, at: datetime, by: AbstractBaseUser | None) -> list[Player]:
    """Lift the bans of these players, if they are banned; all of them or none. Returns and raises as ``ban``."""
    return _set_ban(can_be_unbanned().filter(pk__in=players), BanKind.LIFTED, reason, at, by)


def _set_ban(
    players: QuerySet[Player], kind: BanKind, reason: str, at: datetime, by: AbstractBaseUser | None
) -> list[Player]:
    reason = reason_given(reason)
    with transaction.atomic():
        locked = list(players.select_for_update(of=("self",)).order_by("pk"))
        rows = Player.objects.filter(pk__in=[player.pk for player in locked])
        rows.update(banned_at=at if kind == BanKind.BANNED else None)
        number = by.pk if by else None
        BanRecord.objects.bulk_create(
            BanRecord(player=player, kind=kind, at=at, by_id=number, reason=reason) for player in locked
        )
        act = "player.banned" if kind == BanKind.BANNED else "player.unbanned"
        for player in locked:
            record(act, at=at, by=by, subjects=subjects_of(player), reason=reason)
        failpoint("ban.before_commit")
        transaction.on_commit(forget_bans)
        invalidate_readers_of_competitions(None)
    return locked
