"""The mirror: SQL follows the boards that Redis decides over, within a second.

It copies states, never deltas, each with a version: run twice, late, at once or cut off anywhere, it
changes nothing that is not newer. A dirty mark goes only while it is of the version that was copied.
"""

import logging
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from operator import attrgetter

from django.db import DatabaseError, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from foundation import clock
from foundation.db.pipeline import StatementRunner
from foundation.dead_letters import DeadLetterHandler
from foundation.failpoints import failpoint
from foundation.models import DeadLetter
from foundation.redis import client as redis
from foundation.sync import barrier
from foundation.sync.mirroring import RUN_SECONDS, copy_until_clean, mirror_each
from foundation.sync.poison import write_isolating_failures
from leaderboards.errors import PeriodClosed, StorageUnavailable
from leaderboards.models import Period, PeriodState, Storage
from leaderboards.selectors.monitoring.lag import MIRROR
from leaderboards.services.sync.invalidate import invalidate_readers
from leaderboards.stores.redis.sync import ALL, DirtyStanding, ZsetSync
from leaderboards.stores.redis.writes import state_from
from leaderboards.stores.sql.writes import StandingRow, player_ids_by_external_id, write_standings

logger = logging.getLogger(__name__)

CHUNK = 5000  # standings a transaction: to commit takes as long as to write a few hundred
DEAD_LETTER_KIND = "mirror"
DROPPED = "dropped"


def mirror_all(seconds: float = RUN_SECONDS) -> int:
    """Copy what is dirty in every living redis period, for so many seconds; returns how many standings were copied."""
    periods = Period.objects.filter(board__storage=Storage.REDIS, state__in=(PeriodState.OPEN, PeriodState.CLOSING))
    return mirror_each(periods.select_related("board"), _mirror_chunk, MIRROR, seconds)


def mirror(period: Period) -> int:
    """Copy everything of one period that is dirty by now. Raises what the link raises."""
    return copy_until_clean(partial(_mirror_chunk, period))


def _mirror_chunk(period: Period) -> tuple[int, int]:
    """How many standings were copied, and how many more were dirty at that moment."""
    settler = ZsetSync(redis.boards())
    if not settler.dirty(period, 1)[0]:
        return 0, 0
    with transaction.atomic():
        barrier.hold_shared(period.pk)
        period.refresh_from_db(fields=["generation", "stale_since", "state", "ends_at"])
        if period.stale_since is not None:
            return 0, 0
        total, rows = settler.dirty(period, CHUNK)
        failpoint("mirror.after_read")
        _copy(period, rows)
        if period.board.is_event:
            invalidate_readers(period)  # who has not started is counted in SQL
    failpoint("mirror.after_commit")
    settler.clear_dirty(period, rows)
    failpoint("mirror.after_clean")
    return len(rows), max(0, total - len(rows))


def mirror_remaining(period: Period) -> None:
    """Copy what is dirty, in the transaction of a caller who has locked all writers out. Raises what the link raises.

    Nothing is taken off the dirty marks: the next after a rollback finds them all.
    """
    _copy(period, ZsetSync(redis.exclusive_client()).dirty(period, ALL)[1])


def _copy(period: Period, rows: Sequence[DirtyStanding]) -> None:
    """Copy rows, and set aside those that SQL refuses."""
    write_isolating_failures(rows, partial(_write, period), partial(_bury, period))


def _write(period: Period, rows: Sequence[DirtyStanding]) -> None:
    numbers = player_ids_by_external_id([row.player for row in rows], clock.now())
    standings = [_standing_row(period, numbers[row.player], row) for row in rows]
    standings.sort(key=attrgetter("player_id"))
    write_standings(StatementRunner(), period, standings, only_newer=True)
    if dead_letters_of(period).exists():
        DeadLetter.resolve(DEAD_LETTER_KIND, [f"{period.pk}:{row.player}" for row in rows], "mirrored", clock.now())
    failpoint("mirror.before_commit")


def _bury(period: Period, row: DirtyStanding, error: DatabaseError) -> None:
    """Set a row aside that SQL refuses; Redis still has it, and the player's next score tries again."""
    logger.error("a standing of period %s cannot be mirrored: %s", period.pk, error)
    payload = {"period": period.pk, "player": row.player, "version": row.version, "score": row.score}
    DeadLetter.note(DEAD_LETTER_KIND, f"{period.pk}:{row.player}", payload, str(error), clock.now())


def dead_letters_of(period: Period) -> QuerySet[DeadLetter]:
    """The standings of the period that are set aside."""
    return DeadLetter.objects.filter(kind=DEAD_LETTER_KIND, subject__startswith=f"{period.pk}:", resolved_at=None)


def dropped_players(period: Period) -> set[str]:
    """The players of the period whose standing somebody has given up in Redis: SQL's is what counts."""
    dropped = DeadLetter.objects.filter(kind=DEAD_LETTER_KIND, subject__startswith=f"{period.pk}:", resolution=DROPPED)
    return {subject.partition(":")[2] for subject in dropped.values_list("subject", flat=True)}


def is_dropped(period: Period, player: str, version: int) -> bool:
    """Whether somebody has given up a later state of a standing than SQL has, which is of ``version``."""
    dropped = DeadLetter.objects.filter(kind=DEAD_LETTER_KIND, subject=f"{period.pk}:{player}", resolution=DROPPED)
    return dropped.filter(payload__version__gt=version).exists()


def active_period_of(letter: DeadLetter) -> Period:
    """The period of what was set aside. Raises ``PeriodClosed`` or ``StorageUnavailable`` if it cannot be mirrored."""
    period = Period.objects.select_related("board").get(pk=letter.payload["period"])
    if period.state not in (PeriodState.OPEN, PeriodState.CLOSING):
        raise PeriodClosed(f"Period {period.label} is {period.state}, with what SQL had: drop the letter.")
    if period.stale_since is not None:
        raise StorageUnavailable(f"Period {period.label} is being settled: try again when it is.")
    return period


def retry(letter: DeadLetter) -> str:
    """Try to mirror again what was set aside; why SQL still refuses it, or nothing. Raises as ``active_period_of``."""
    period = active_period_of(letter)
    ZsetSync(redis.boards()).mark_dirty(period, letter.payload["player"])
    return mirror_letter(letter, period)


def mirror_letter(letter: DeadLetter, period: Period) -> str:
    """Mirror the period; why SQL refuses what the letter is about, or nothing. Raises what the link raises."""
    mirror(period)
    letter.refresh_from_db()
    if letter.resolved_at is not None:
        return ""
    active_period_of(letter)  # one that became stale meanwhile was not mirrored, and the reason is an old one
    return letter.reason


def drop(letter: DeadLetter, at: datetime) -> None:
    """Give up: SQL keeps what it has of this standing, until the player scores again."""
    DeadLetter.resolve(DEAD_LETTER_KIND, [letter.subject], DROPPED, at)


def _dropping() -> str:
    return _("SQL keeps what it has of this standing, and the period closes with that.")


DEAD_LETTER_WORK = DeadLetterHandler(lambda letter, _at: retry(letter), drop, _dropping)


def _standing_row(period: Period, player_id: int, row: DirtyStanding) -> StandingRow:
    if row.score is None:
        return StandingRow(player_id, row.player, row.player, None, None, row.version)
    state = state_from(period, row.score, row.member, row.stored_state)
    return StandingRow(player_id, row.player, row.member, state, row.score, row.version)
