"""Banning players and letting them in again, each with a reason that stays on record.

Who is banned keeps their scores and is shown nowhere; what follows in events is the work of the apps above. The trap:
an erasure bans for as long as it runs, and that ban would end with it, so banning somebody meanwhile is a ban anew.
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
    """Those who are not, or whom an erasure alone keeps out at the moment."""
    return Player.objects.filter(Q(banned_at=None) | Q(banned_at=F("erasing_since")))


def can_be_unbanned() -> QuerySet[Player]:
    """Those who are banned."""
    return Player.objects.filter(banned_at__isnull=False)


def ban(players: Collection[int], reason: str, at: datetime, by: AbstractBaseUser | None) -> list[Player]:
    """Ban those of these players (by internal number) who are not; all of them or none.

    Returns whom it banned. Raises ``BadReason`` where ``reason`` has not 1 to 300 characters.
    """
    return _set(can_be_banned().filter(pk__in=players), BanKind.BANNED, reason, at, by)


def unban(players: Collection[int], reason: str, at: datetime, by: AbstractBaseUser | None) -> list[Player]:
    """Let those of these players in again who are banned; all of them or none. Returns and raises as ``ban``."""
    return _set(can_be_unbanned().filter(pk__in=players), BanKind.LIFTED, reason, at, by)


def _set(
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
