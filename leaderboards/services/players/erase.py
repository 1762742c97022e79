"""Erasing who a player is: what they have in open periods goes, what is final stays in its place under another id.

Ranks, scores and the hash over final standings do not change: they know the internal number alone. The player is
banned first, so that nobody scores for them meanwhile; that ban ends with the erasure, a moderator's stays.
The trap: a name in Redis outlives SQL's, so Redis is asked before SQL forgets, once more in the transaction that
renames them, which no mirror with their name in its hands outlasts.
Cut off anywhere, it is run again. What apps above know of them they forget in the same transaction (``register_hook``).
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
from foundation.models import DeadLetter
from foundation.redis import client as redis
from foundation.sync import barrier
from leaderboards.core.periods import PeriodKind
from leaderboards.errors import NotRanked, PeriodClosed, StillRanked, StorageUnavailable, UnknownPlayer
from leaderboards.models import (
    BanRecord,
    Difference,
    ImportedPlayer,
    LinkCode,
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
from leaderboards.services.players.erase_logs import admin_log_of, forget_in_audit, lock_entries, rename_in_admin_log
from leaderboards.services.players.profiles import ERASED_PREFIX, ensure_player, lock_player
from leaderboards.services.submit.decide_redis import forget_bans
from leaderboards.services.sync.mirror import DEAD_LETTER_KIND, mirror
from leaderboards.stores.redis.sync import ZsetSync
from leaderboards.stores.redis.writes import ZsetWriter

ACTIVE_STATES = (PeriodState.OPEN, PeriodState.CLOSING)
# None where the ban is an erasure's: of this run, or of one that was cut off.
_BAN_OF_ANOTHER = Case(When(banned_at=F("erasing_since"), then=None), default=F("banned_at"))

Look = Callable[[Player], None]
Forget = Callable[[Player, datetime], None]
Rename = Callable[[Player, str, datetime], None]
_first: list[Forget] = []
_more: list[Forget] = []
_renames: list[Rename] = []


@dataclass(frozen=True, slots=True)
class ErasureResult:
    """Who the player is from now on, the periods that they were taken out of, and how many rows of each kind it met."""

    player: str
    removed_from: list[str]
    standings: int
    final_standings: int
    submissions: int
    dead_letters: int
    differences: int
    link_codes: int


def register_hook(forget: Forget) -> None:
    """Have ``forget`` called for each who is erased, while they still have their id. Asking twice changes nothing.

    It is called in the transaction that renames them, those of apps below first; it may refuse, and it is run again.
    """
    if forget not in _more:
        _more.append(forget)


def register_hook_before(forget: Forget) -> None:
    """Have ``forget`` called before that, outside of any transaction: for what asks Redis. It may be cut off."""
    if forget not in _first:
        _first.append(forget)


def register_rename_hook(rename: Rename) -> None:
    """Have ``rename`` called with each who is erased, who has a new id by then, and the id of before: for what is
    stored under it. It is called at the end of the transaction that renames them. Asking twice changes nothing."""
    if rename not in _renames:
        _renames.append(rename)


def erase_player(
    external_id: str, at: datetime, reason: str = "", *, keep_scores: bool = False, precondition: Look | None = None
) -> ErasureResult:
    """Erase. Raises ``UnknownPlayer``, and ``PeriodClosed`` or what the link raises where it has to be run again.

    ``reason`` stays in the audit log: it must not say who they were. With ``keep_scores`` nobody is taken out of a
    period: ``StillRanked`` is raised where the player stands in one that is not final, and all is as it was. What
    ``precondition`` raises refuses it: it is called with the player as they are, held, before anything is done.
    """
    player = _known(external_id, at)
    _begin(player, at, precondition)
    living = Period.objects.filter(state__in=ACTIVE_STATES).select_related("board").order_by("pk")
    if keep_scores:
        _refuse_if_ranked(living, player, at)
        removed = []
    else:
        removed = [str(period) for period in living if _take_out(period, player, at)]
    _forget_in_redis(player)
    for forget in _first:
        forget(player, at)
    return _rename(player, removed, at, reason)


@transaction.atomic
def _begin(player: Player, at: datetime, precondition: Look | None) -> None:
    """From here on nobody scores for them, and nobody is given the player."""
    locked = lock_player(player)
    if precondition is not None:
        precondition(locked)
    them = Player.objects.filter(pk=player.pk)
    them.filter(banned_at=None).update(banned_at=at, erasing_since=at)
    them.filter(erasing_since=None).update(erasing_since=at)  # who was banned before: at another moment, so that stays
    transaction.on_commit(forget_bans)


def _known(external_id: str, at: datetime) -> Player:
    """The player; one whom only Redis has, because SQL refuses them, is named by a dead letter."""
    if DeadLetter.objects.filter(kind=DEAD_LETTER_KIND, payload__player=external_id).exists():
        return ensure_player(external_id, at)
    player = Player.objects.filter(external_id=external_id).first()
    if player is None:
        raise UnknownPlayer(f"There is no player {external_id!r}.")
    return player


def _refuse_if_ranked(living: QuerySet[Period], player: Player, at: datetime) -> None:
    """Raises ``StillRanked``, and ends what this very run began, with its ban; so it does where Redis cannot say."""
    try:
        found = [str(period) for period in living if _stands_in(period, player)]
        if found:
            raise StillRanked(
                f"The player has a score in {len(found)} periods that are not final, such as {found[0]}: anonymise "
                "once they are, or erase for good."
            )
    except SunwiError:
        begun = Player.objects.filter(pk=player.pk, erasing_since=at)
        begun.update(banned_at=_BAN_OF_ANOTHER, erasing_since=None)
        forget_bans()
        raise


def _stands_in(period: Period, player: Player) -> bool:
    """Whether they have a score there, or may get one from what SQL or Redis does not know of yet."""
    if Standing.objects.filter(Q(score__isnull=False) | Q(pending_publish=True), period=period, player=player).exists():
        return True
    if period.board.storage != Storage.REDIS:
        return False
    if period.stale_since is not None:
        raise _unsettled(period)
    return ZsetSync(redis.exclusive_client()).knows_player(period, player.external_id)


def _take_out(period: Period, player: Player, at: datetime) -> bool:
    """Whether they were in the period. Where Redis decides, only Redis can say."""
    ranked = Standing.objects.filter(period=period, player=player, score__isnull=False)
    if period.board.storage != Storage.REDIS and not ranked.exists():
        return False
    if period.state == PeriodState.CLOSING:
        raise PeriodClosed(f"Period {period} is closing: run it again when it is final.")
    if period.board.storage != Storage.SQL and period.stale_since is not None:
        raise _unsettled(period)
    was_there = False
    with suppress(NotRanked):
        remove_from_period(period, player.external_id, at)
        was_there = True
    if period.board.storage == Storage.REDIS:
        mirror(period)
    if ranked.exists() or Standing.objects.filter(period=period, player=player, pending_publish=True).exists():
        raise _unsettled(period)
    return was_there


def _unsettled(period: Period) -> StorageUnavailable:
    return StorageUnavailable(f"Redis does not have period {period} as it is: run it again when that is settled.")


def _forget_in_redis(player: Player) -> None:
    """Final periods are read from SQL, but their keys stay for a while."""
    final = final_standings_of(player).filter(period__state=PeriodState.FINAL).select_related("period__board")
    for row in final.exclude(period__board__storage=Storage.SQL):
        ZsetWriter(redis.boards()).remove_final(row.period, player.external_id, row.member)


@transaction.atomic
def _rename(player: Player, removed: list[str], at: datetime, reason: str) -> ErasureResult:
    lock_entries("player", player.pk)  # first: who undoes one holds it, and then the others
    QuarantinedEntry.objects.filter(player=player).delete()  # likewise who accepts one
    _wait_for_mirrors(player)
    for forget in _more:
        forget(player, at)
    old, new = player.external_id, _free_id(player)
    letters = DeadLetter.objects.filter(kind=DEAD_LETTER_KIND, payload__player=old)
    own = Submission.objects.filter(player=player)  # whatever became of them: one that was voided may count again
    for rows in (Player.objects.filter(pk=player.pk), letters, own):
        rename_in_admin_log(rows, new)
    admin_log_of(own).update(change_message="")  # why staff voided or restored them
    BanRecord.objects.filter(player=player).update(reason="")
    Restriction.objects.filter(player=player).update(reason="", lift_reason="")
    Purge.objects.filter(player=player).update(reason="", undo_reason="")
    _keep_correctors_out(player)
    member = Concat(Substr("member", 1, Length("member") - len(old)), Value(new))
    erased = ErasureResult(
        player=new,
        removed_from=removed,
        standings=Standing.objects.filter(player=player).update(member=member),
        final_standings=final_standings_of(player).update(member=member),
        submissions=own.exclude(external_id=None, freed_id=None).update(external_id=None, freed_id=None),
        dead_letters=letters.delete()[0],
        differences=Difference.objects.filter(player=old).update(player=new),
        link_codes=LinkCode.objects.filter(player=player).count(),
    )
    _refuse_if_back(player)
    nobody = {"name": "", "avatar_url": "", "country": "", "user": None, "erasing_since": None}
    _distrust_older_memory(player)
    RankHistoryEntry.objects.filter(player=player).delete()
    ImportedPlayer.objects.filter(player=player).delete()  # what they were called before an import
    Player.objects.filter(pk=player.pk).update(external_id=new, banned_at=_BAN_OF_ANOTHER, **nobody)
    QuarantinedEntry.objects.filter(player=player).delete()  # what came in the moment of the ban
    LinkCode.objects.filter(player=player).delete()  # behind the player, as whoever redeems one
    forget_in_audit(player)
    record("player.erased", at=at, subjects=[("player", player.pk)], reason=reason)
    for rename in _renames:
        rename(Player.objects.get(pk=player.pk), old, at)
    transaction.on_commit(forget_bans)
    invalidate_cached_files()
    return erased


def _wait_for_mirrors(player: Player) -> None:
    """Let all who have read their marks finish, since they would make them anew by the old name, and let nobody begin.

    Raises ``StorageUnavailable`` where Redis names them yet, or cannot be asked, and what the link raises.
    """
    decided_by_redis = Period.objects.filter(state__in=ACTIVE_STATES, board__storage=Storage.REDIS)
    living = list(decided_by_redis.select_related("board").order_by("pk"))
    for period in living:
        barrier.hold_exclusive(period.pk)
        period.refresh_from_db(fields=["stale_since"])
        if period.stale_since is not None or ZsetSync(redis.exclusive_client()).knows_player(
            period, player.external_id
        ):
            raise _unsettled(period)


def _keep_correctors_out(player: Player) -> None:
    """An act that corrects a closed event writes its final standings anew, and may have read the old name.

    After the apps above, who hold their own rows first, as they do when they correct.
    """
    closed = Period.objects.exclude(state__in=ACTIVE_STATES).filter(board__period=PeriodKind.EVENT)
    for number in closed.filter(standings__player=player).order_by("pk").values_list("pk", flat=True):
        barrier.hold_shared(number)


def _distrust_older_memory(player: Player) -> None:
    """A Redis that comes back with files of before knows the old name, and nobody else does: then all is put again."""
    theirs = Period.objects.filter(state__in=ACTIVE_STATES, standings__player=player, board__storage=Storage.HYBRID)
    theirs.update(emptied_generation=F("generation") + 1)


def _refuse_if_back(player: Player) -> None:
    """Another process hears of the ban within seconds; until then Redis may have let them in, and SQL have followed.

    Where SQL decides, somebody may have asked just before the ban and waited for their row. It is held by now.
    """
    ranked = Standing.objects.filter(player=player, score__isnull=False, period__state__in=ACTIVE_STATES)
    back = ranked.select_related("period__board").first()
    if back is not None:
        raise _unsettled(back.period)


def _free_id(player: Player) -> str:
    """``erased-<number>``, unless a game has called somebody so."""
    wanted = (f"{ERASED_PREFIX}{player.pk}{'-' * bool(nth)}{nth or ''}" for nth in count())
    return next(name for name in wanted if not Player.objects.filter(external_id=name).exists())
