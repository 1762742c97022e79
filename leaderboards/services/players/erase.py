"""Erasing a player's identity: they leave open periods, and stay in final ones under another id.

Ranks, scores and the hash of final standings do not change: they refer to the internal number only. The player is
banned first, so that no scores come in meanwhile; that ban ends with the erasure, a moderator's ban stays.
The trap: a mirror pass could write the old name again. So Redis is checked before SQL is changed, and once more in the
transaction that renames the player, behind the exclusive barrier of all periods that Redis decides. An interrupted
erasure is run again. The apps above erase their data in the same transaction (``erase_hooks.py``).
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from itertools import count

from django.db import transaction
from django.db.models import Case, F, Q, QuerySet, Value, When
from django.db.models.functions import Concat, Length, Substr

from foundation.audit import record
from foundation.errors import SunwiError
from foundation.messages import Message
from foundation.models import DeadLetter
from foundation.redis import client as redis
from leaderboards.core.erased_ids import ERASED_PREFIX
from leaderboards.errors import NotRanked, PeriodClosed, StillRanked, UnknownPlayer
from leaderboards.models import (
    ACTIVE_STATES,
    IN_REDIS,
    WITHOUT_SUBMISSIONS,
    BanRecord,
    Difference,
    Follow,
    ImportedPlayer,
    LinkCode,
    Partition,
    Period,
    PeriodState,
    Player,
    Purge,
    QuarantinedEntry,
    RankHistoryEntry,
    Restriction,
    Standing,
    Storage,
    Submission,
)
from leaderboards.selectors.exports.cached_files import invalidate_cached_files
from leaderboards.selectors.player_data.personal_data import final_standings_of
from leaderboards.services.moderation.remove import remove_from_period
from leaderboards.services.players import erase_hooks
from leaderboards.services.players.erase_logs import admin_log_of, forget_in_audit, lock_entries, rename_in_admin_log
from leaderboards.services.players.erase_waits import (
    out_of_sync,
    refuse_if_ranked_again,
    refuse_if_unheard,
    wait_for_corrections,
    wait_for_mirrors,
)
from leaderboards.services.players.pictures import forget_picture
from leaderboards.services.players.profiles import ensure_player, lock_player
from leaderboards.services.submit.decide_redis import forget_bans
from leaderboards.services.sync.mirror import DEAD_LETTER_KIND, mirror
from leaderboards.stores.dynamodb.writes import DynamoWriter
from leaderboards.stores.redis.sync import ZsetSync
from leaderboards.stores.redis.writes import ZsetWriter

# The ban after the erasure: None if it was an erasure's own, else the moderator's.
_REMAINING_BAN = Case(When(banned_at=F("erasing_since"), then=None), default=F("banned_at"))

Check = Callable[[Player], None]


@dataclass(frozen=True, slots=True)
class ErasureResult:
    """The player's new id, the periods that they were removed from, and the number of rows changed, by kind."""

    player: str
    removed_from: list[str]
    standings: int
    final_standings: int
    submissions: int
    dead_letters: int
    differences: int
    link_codes: int


def erase_player(
    external_id: str,
    at: datetime,
    reason: str = "",
    *,
    keep_scores: bool = False,
    precondition: Check | None = None,
) -> ErasureResult:
    """Erase the player. Raises ``UnknownPlayer``; ``PeriodClosed`` or as the Redis client if it has to be run again.

    ``reason`` stays in the audit log: it must not identify the player. With ``keep_scores`` the player is removed from
    no period: if they are ranked in one that is not final, ``StillRanked`` is raised and nothing has changed.
    ``precondition`` is called with the locked player before anything is done; it raises to refuse the erasure.
    """
    player = _find_player(external_id, at)
    _start(player, at, precondition)
    active = Period.objects.filter(state__in=ACTIVE_STATES).select_related("board").order_by("pk")
    if keep_scores:
        _refuse_if_ranked(active, player, at)
        removed = []
    else:
        removed = [str(period) for period in active if _remove_from(period, player, at)]
    _forget_in_redis(player)
    for forget in erase_hooks.hooks_before:
        forget(player, at)
    return _rename(player, removed, at, reason)


@transaction.atomic
def _start(player: Player, at: datetime, precondition: Check | None) -> None:
    """Ban the player and mark them as being erased: no scores and no account links from here on."""
    locked = lock_player(player)
    if precondition is not None:
        precondition(locked)
    rows = Player.objects.filter(pk=player.pk)
    rows.filter(banned_at=None).update(banned_at=at, erasing_since=at)
    rows.filter(erasing_since=None).update(erasing_since=at)  # banned before, at another time: that ban stays
    transaction.on_commit(forget_bans)


def _find_player(external_id: str, at: datetime) -> Player:
    """The player. One that only Redis has, because SQL refused them, is found by their dead letter and created."""
    if DeadLetter.objects.filter(kind=DEAD_LETTER_KIND, payload__player=external_id).exists():
        return ensure_player(external_id, at)
    player = Player.objects.filter(external_id=external_id).first()
    if player is None:
        raise UnknownPlayer(Message("There is no player %(player)s.", player=repr(external_id)))
    return player


def _refuse_if_ranked(active: QuerySet[Period], player: Player, at: datetime) -> None:
    """Raise ``StillRanked`` if the player is ranked in an active period. On any error the ban of this run is lifted."""
    try:
        found = [str(period) for period in active if _may_be_ranked(period, player)]
        if found:
            raise StillRanked(
                Message(
                    "The player has a score in %(number)s periods that are not final, such as %(period)s: anonymise "
                    "once they are, or erase for good.",
                    number=len(found),
                    period=found[0],
                )
            )
    except SunwiError:
        started = Player.objects.filter(pk=player.pk, erasing_since=at)
        started.update(banned_at=_REMAINING_BAN, erasing_since=None)
        forget_bans()
        raise


def _may_be_ranked(period: Period, player: Player) -> bool:
    """Whether the player has a score in the period, or may get one from a write that is still under way."""
    if Standing.objects.filter(Q(score__isnull=False) | Q(pending_publish=True), period=period, player=player).exists():
        return True
    if period.board.storage == Storage.DYNAMODB:
        return bool(DynamoWriter().look_up(period, [player.external_id]))
    if period.board.storage != Storage.REDIS:
        return False
    if period.is_stale:
        raise out_of_sync(period)
    part = period.part_of(player.external_id)
    return ZsetSync(redis.exclusive_client()).knows_player(part, player.external_id)


def _remove_from(period: Period, player: Player, at: datetime) -> bool:
    """Remove the player from the period; whether they were ranked. Where Redis or DynamoDB decides, only that knows."""
    ranked = Standing.objects.filter(period=period, player=player, score__isnull=False)
    if period.board.storage not in WITHOUT_SUBMISSIONS and not ranked.exists():
        return False
    if period.state == PeriodState.CLOSING:
        raise PeriodClosed(Message("Period %(period)s is closing: run it again when it is final.", period=str(period)))
    if period.board.storage in IN_REDIS and period.is_stale:
        raise out_of_sync(period)
    was_there = False
    with suppress(NotRanked):
        remove_from_period(period, player.external_id, at)
        was_there = True
    if period.board.storage == Storage.REDIS:
        mirror(period)
    if ranked.exists() or Standing.objects.filter(period=period, player=player, pending_publish=True).exists():
        raise out_of_sync(period)
    return was_there


def _forget_in_redis(player: Player) -> None:
    """Remove the player from the keys in Redis and items in DynamoDB of final periods, which stay for a while."""
    final = final_standings_of(player).filter(period__state=PeriodState.FINAL).select_related("period__board")
    for row in final.exclude(period__board__storage=Storage.SQL):
        if row.period.board.storage in IN_REDIS:
            part = row.period.part_of(player.external_id)
            ZsetWriter(redis.boards()).remove_final(part, player.external_id, row.member)
        else:
            DynamoWriter().delete_standing(row.period, player.external_id)


@transaction.atomic
def _rename(player: Player, removed: list[str], at: datetime, reason: str) -> ErasureResult:
    lock_entries("player", player.pk)  # first: an undo locks the entry, then the player
    QuarantinedEntry.objects.filter(player=player).delete()  # likewise accepting one
    wait_for_mirrors(player)
    for forget in erase_hooks.hooks:
        forget(player, at)
    old, new = player.external_id, _free_id(player)
    letters = DeadLetter.objects.filter(kind=DEAD_LETTER_KIND, payload__player=old)
    own = Submission.objects.filter(player=player)  # also voided ones, which may be restored
    for rows in (Player.objects.filter(pk=player.pk), letters, own):
        rename_in_admin_log(rows, new)
    admin_log_of(own).update(change_message="")  # why staff voided or restored them
    BanRecord.objects.filter(player=player).update(reason="")
    Restriction.objects.filter(player=player).update(reason="", lift_reason="")
    Purge.objects.filter(player=player).update(reason="", undo_reason="")
    wait_for_corrections(player)
    member = Concat(Substr("member", 1, Length("member") - len(old)), Value(new))
    own.exclude(metadata=None).update(metadata=None)
    erased = ErasureResult(
        player=new,
        removed_from=removed,
        standings=Standing.objects.filter(player=player).update(member=member, metadata=None),
        final_standings=final_standings_of(player).update(member=member, metadata=None),
        submissions=own.exclude(external_id=None, freed_id=None).update(external_id=None, freed_id=None),
        dead_letters=letters.delete()[0],
        differences=Difference.objects.filter(player=old).update(player=new),
        link_codes=LinkCode.objects.filter(player=player).count(),
    )
    refuse_if_ranked_again(player)
    refuse_if_unheard(player)
    nobody = {"name": "", "avatar_url": "", "country": "", "user": None, "erasing_since": None}
    _invalidate_older_dumps(player)
    forget_picture(player)
    RankHistoryEntry.objects.filter(player=player).delete()
    Follow.objects.filter(player=player).delete()  # who followed them hears nothing of who they are now
    ImportedPlayer.objects.filter(player=player).delete()  # it has their names from before an import
    Player.objects.filter(pk=player.pk).update(external_id=new, banned_at=_REMAINING_BAN, **nobody)
    QuarantinedEntry.objects.filter(player=player).delete()  # entries that came while the ban was set
    LinkCode.objects.filter(player=player).delete()  # after the player: the order in which redeeming locks them
    forget_in_audit(player)
    record("player.erased", at=at, subjects=[("player", player.pk)], reason=reason)
    for rename in erase_hooks.rename_hooks:
        rename(Player.objects.get(pk=player.pk), old, at)
    transaction.on_commit(forget_bans)
    invalidate_cached_files()
    return erased


def _invalidate_older_dumps(player: Player) -> None:
    """Have active hybrid periods rebuilt if Redis comes back with an older dump, which has the old name."""
    periods = Period.objects.filter(state__in=ACTIVE_STATES, standings__player=player, board__storage=Storage.HYBRID)
    newer = F("generation") + 1
    Partition.objects.filter(period__in=periods.filter(partitions__gt=1)).update(emptied_generation=newer)
    periods.update(emptied_generation=newer)


def _free_id(player: Player) -> str:
    """``erased-<number>``, with a suffix if a game uses that id."""
    wanted = (f"{ERASED_PREFIX}{player.pk}{'-' * bool(nth)}{nth or ''}" for nth in count())
    return next(name for name in wanted if not Player.objects.filter(external_id=name).exists())
