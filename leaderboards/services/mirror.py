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

from foundation import clock, redis
from foundation.dead_letters import Work
from foundation.failpoints import failpoint
from foundation.models import DeadLetter
from foundation.statements import Statements
from foundation.sync import barrier
from foundation.sync.mirroring import RUN_SECONDS, mirror_each, until_clean
from foundation.sync.poison import write_apart
from leaderboards.errors import PeriodClosed, StorageUnavailable
from leaderboards.models import Period, State, Storage
from leaderboards.selectors.lag import MIRROR
from leaderboards.services.readers import tell_readers
from leaderboards.stores.sql_writes import StandingRow, player_numbers, write_standings
from leaderboards.stores.zset_settling import ALL, Dirty, ZsetSettler
from leaderboards.stores.zset_writes import state_from

logger = logging.getLogger(__name__)

CHUNK = 5000  # standings a transaction: to commit takes as long as to write a few hundred
DEAD = "mirror"
DROPPED = "dropped"


def mirror_all(seconds: float = RUN_SECONDS) -> int:
    """Copy what is dirty in every living redis period, for so many seconds; returns how many standings were copied."""
    periods = Period.objects.filter(board__storage=Storage.REDIS, state__in=(State.OPEN, State.CLOSING))
    return mirror_each(periods.select_related("board"), _mirror_chunk, MIRROR, seconds)


def mirror(period: Period) -> int:
    """Copy everything of one period that is dirty by now. Raises what the link raises."""
    return until_clean(partial(_mirror_chunk, period))


def _mirror_chunk(period: Period) -> tuple[int, int]:
    """How many standings were copied, and how many more were dirty at that moment."""
    settler = ZsetSettler(redis.boards())
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
            tell_readers(period)  # who has not started is counted in SQL
    failpoint("mirror.after_commit")
    settler.clean(period, rows)
    failpoint("mirror.after_clean")
    return len(rows), max(0, total - len(rows))


def copy_rest(period: Period) -> None:
    """Copy what is dirty, in the transaction of a caller who has locked all writers out. Raises what the link raises.

    Nothing is taken off the dirty marks: the next after a rollback finds them all.
    """
    _copy(period, ZsetSettler(redis.alone()).dirty(period, ALL)[1])


def _copy(period: Period, rows: Sequence[Dirty]) -> None:
    """Copy rows, and set aside those that SQL refuses."""
    write_apart(rows, partial(_write, period), partial(_bury, period))


def _write(period: Period, rows: Sequence[Dirty]) -> None:
    numbers = player_numbers([row.player for row in rows], clock.now())
    standings = [_standing_row(period, numbers[row.player], row) for row in rows]
    standings.sort(key=attrgetter("player_id"))
    write_standings(Statements(), period, standings, only_newer=True)
    if buried(period).exists():
        DeadLetter.resolve(DEAD, [f"{period.pk}:{row.player}" for row in rows], "mirrored", clock.now())
    failpoint("mirror.before_commit")


def _bury(period: Period, row: Dirty, error: DatabaseError) -> None:
    """Set a row aside that SQL refuses; Redis still has it, and the player's next score tries again."""
    logger.error("a standing of period %s cannot be mirrored: %s", period.pk, error)
    payload = {"period": period.pk, "player": row.player, "version": row.version, "score": row.score}
    DeadLetter.note(DEAD, f"{period.pk}:{row.player}", payload, str(error), clock.now())


def buried(period: Period) -> QuerySet[DeadLetter]:
    """The standings of the period that are set aside."""
    return DeadLetter.objects.filter(kind=DEAD, subject__startswith=f"{period.pk}:", resolved_at=None)


def given_up(period: Period) -> set[str]:
    """The players of the period whose standing somebody has given up in Redis: SQL's is what counts."""
    dropped = DeadLetter.objects.filter(kind=DEAD, subject__startswith=f"{period.pk}:", resolution=DROPPED)
    return {subject.partition(":")[2] for subject in dropped.values_list("subject", flat=True)}


def is_given_up(period: Period, player: str, version: int) -> bool:
    """Whether somebody has given up a later state of a standing than SQL has, which is of ``version``."""
    dropped = DeadLetter.objects.filter(kind=DEAD, subject=f"{period.pk}:{player}", resolution=DROPPED)
    return dropped.filter(payload__version__gt=version).exists()


def living_period(letter: DeadLetter) -> Period:
    """The period of what was set aside. Raises ``PeriodClosed`` or ``StorageUnavailable`` if it cannot be mirrored."""
    period = Period.objects.select_related("board").get(pk=letter.payload["period"])
    if period.state not in (State.OPEN, State.CLOSING):
        raise PeriodClosed(f"Period {period.label} is {period.state}, with what SQL had: drop the letter.")
    if period.stale_since is not None:
        raise StorageUnavailable(f"Period {period.label} is being settled: try again when it is.")
    return period


def retry(letter: DeadLetter) -> str:
    """Try to mirror again what was set aside; why SQL still refuses it, or nothing. Raises as ``living_period``."""
    period = living_period(letter)
    ZsetSettler(redis.boards()).soil(period, letter.payload["player"])
    return mirror_letter(letter, period)


def mirror_letter(letter: DeadLetter, period: Period) -> str:
    """Mirror the period; why SQL refuses what the letter is about, or nothing. Raises what the link raises."""
    mirror(period)
    letter.refresh_from_db()
    if letter.resolved_at is not None:
        return ""
    living_period(letter)  # one that became stale meanwhile was not mirrored, and the reason is an old one
    return letter.reason


def drop(letter: DeadLetter, at: datetime) -> None:
    """Give up: SQL keeps what it has of this standing, until the player scores again."""
    DeadLetter.resolve(DEAD, [letter.subject], DROPPED, at)


def _dropping() -> str:
    return _("SQL keeps what it has of this standing, and the period closes with that.")


DEAD_WORK = Work(lambda letter, _at: retry(letter), drop, _dropping)


def _standing_row(period: Period, player_id: int, row: Dirty) -> StandingRow:
    if row.score is None:
        return StandingRow(player_id, row.player, row.player, None, None, row.version)
    state = state_from(period, row.score, row.member, row.held)
    return StandingRow(player_id, row.player, row.member, state, row.score, row.version)
