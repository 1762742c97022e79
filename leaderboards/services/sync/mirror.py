"""The mirror: copy the standings of boards that Redis decides to SQL, within a second.

It copies states with versions, never deltas, and SQL takes only newer versions: so it may run twice, late, concurrently
or be interrupted anywhere. A dirty mark is removed only if it still has the version that was copied.
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
from foundation.messages import Message
from foundation.models import DeadLetter
from foundation.redis import client as redis
from foundation.sync import barrier
from foundation.sync.isolate_failures import write_isolating_failures
from foundation.sync.mirroring import RUN_SECONDS, copy_until_clean, mirror_each
from leaderboards.errors import PeriodClosed, StorageUnavailable
from leaderboards.models import ACTIVE_STATES, Part, Period, Storage
from leaderboards.selectors.catalog.parts import parts_of
from leaderboards.selectors.monitoring.lag import MIRROR
from leaderboards.services.sync.invalidate import invalidate_readers
from leaderboards.stores.redis.quiet import quiet_parts
from leaderboards.stores.redis.stored_states import state_from
from leaderboards.stores.redis.sync import ALL, DirtyStanding, ZsetSync
from leaderboards.stores.sql.writes import StandingRow, player_ids_by_external_id, write_standings

logger = logging.getLogger(__name__)

CHUNK = 5000  # standings per transaction: a commit takes as long as writing a few hundred
DEAD_LETTER_KIND = "mirror"
DROPPED = "dropped"


def mirror_all(seconds: float = RUN_SECONDS) -> int:
    """Copy the dirty standings of every active redis period, for ``seconds``; returns how many were copied."""
    periods = Period.objects.filter(board__storage=Storage.REDIS, state__in=ACTIVE_STATES)
    parts = parts_of(periods.select_related("board"))
    quiet = quiet_parts(redis.boards(), parts)
    return mirror_each([part for part in parts if part not in quiet], _mirror_chunk, MIRROR, seconds)


def mirror(period: Period) -> int:
    """Copy everything in a period that is dirty now; returns how many standings. Raises what the client raises."""
    return sum(mirror_part(part) for part in period.parts)


def mirror_part(part: Part) -> int:
    """The same for one family of a period."""
    return copy_until_clean(partial(_mirror_chunk, part))


def _mirror_chunk(part: Part) -> tuple[int, int]:
    """Copy a chunk; returns how many standings were copied, and how many more were dirty at that moment."""
    store = ZsetSync(redis.boards())
    if not store.dirty(part, 1)[0]:
        return 0, 0
    with transaction.atomic():
        barrier.hold_shared(part.period_id)
        part.refresh_sync_state()
        if part.stale_since is not None:
            return 0, 0
        total, rows = store.dirty(part, CHUNK)
        failpoint("mirror.after_read")
        _copy(part.period, rows)
        if part.board.is_event:
            invalidate_readers(part.period)  # competitions count in SQL who has started
    failpoint("mirror.after_commit")
    store.clear_dirty(part, rows)
    failpoint("mirror.after_clean")
    return len(rows), max(0, total - len(rows))


def mirror_remaining(period: Period) -> None:
    """Copy what is dirty in the caller's transaction, which holds the exclusive barrier. Raises what the client raises.

    The dirty marks stay, so that the mirror finds them after a rollback.
    """
    for part in period.parts:
        _copy(period, ZsetSync(redis.exclusive_client()).dirty(part, ALL)[1])


def _copy(period: Period, rows: Sequence[DirtyStanding]) -> None:
    """Copy rows; those that SQL refuses become dead letters."""
    write_isolating_failures(rows, partial(_write, period), partial(_write_dead_letter, period))


def _write(period: Period, rows: Sequence[DirtyStanding]) -> None:
    player_ids = player_ids_by_external_id([row.player for row in rows], clock.now())
    standings = [_standing_row(period, player_ids[row.player], row) for row in rows]
    standings.sort(key=attrgetter("player_id"))
    write_standings(StatementRunner(), period, standings, only_newer=True)
    if dead_letters_of(period).exists():
        DeadLetter.resolve(DEAD_LETTER_KIND, [f"{period.pk}:{row.player}" for row in rows], "mirrored", clock.now())
    failpoint("mirror.before_commit")


def _write_dead_letter(period: Period, row: DirtyStanding, error: DatabaseError) -> None:
    """Note a row that SQL refuses. Redis still has it, and the player's next score is another attempt."""
    logger.error("a standing of period %s cannot be mirrored: %s", period.pk, error)
    payload = {"period": period.pk, "player": row.player, "version": row.version, "score": row.score}
    DeadLetter.note(DEAD_LETTER_KIND, f"{period.pk}:{row.player}", payload, str(error), clock.now())


def dead_letters_of(period: Period) -> QuerySet[DeadLetter]:
    """The open dead letters of the period: standings that SQL has refused."""
    return DeadLetter.objects.filter(kind=DEAD_LETTER_KIND, subject__startswith=f"{period.pk}:", resolved_at=None)


def dropped_players(period: Period) -> set[str]:
    """The players whose dead letter was dropped: SQL's standing counts, not Redis's."""
    dropped = DeadLetter.objects.filter(kind=DEAD_LETTER_KIND, subject__startswith=f"{period.pk}:", resolution=DROPPED)
    return {subject.partition(":")[2] for subject in dropped.values_list("subject", flat=True)}


def is_dropped(period: Period, player: str, version: int) -> bool:
    """Whether a dead letter of this player with a later version than ``version``, SQL's, was dropped."""
    dropped = DeadLetter.objects.filter(kind=DEAD_LETTER_KIND, subject=f"{period.pk}:{player}", resolution=DROPPED)
    return dropped.filter(payload__version__gt=version).exists()


def active_period_of(letter: DeadLetter) -> Period:
    """Return the dead letter's period. Raises ``PeriodClosed`` or ``StorageUnavailable`` if it cannot be mirrored."""
    period = Period.objects.select_related("board").get(pk=letter.payload["period"])
    if period.state not in ACTIVE_STATES:
        raise PeriodClosed(
            Message(
                "Period %(period)s is %(state)s, with what SQL had: drop the letter.",
                period=period.label,
                state=period.state,
            )
        )
    if period.is_stale:
        raise StorageUnavailable(
            Message("Period %(period)s is being brought up to date: try again in a moment.", period=period.label)
        )
    return period


def retry(letter: DeadLetter) -> str:
    """Mirror a dead letter again; returns why SQL still refuses it, or "". Raises as ``active_period_of``."""
    period = active_period_of(letter)
    player = letter.payload["player"]
    ZsetSync(redis.boards()).mark_dirty(period.part_of(player), player)
    return mirror_letter(letter, period)


def mirror_letter(letter: DeadLetter, period: Period) -> str:
    """Mirror the period; returns why SQL refuses the letter's standing, or "". Raises what the client raises."""
    mirror(period)
    letter.refresh_from_db()
    if letter.resolved_at is not None:
        return ""
    active_period_of(letter)  # if it became stale meanwhile, nothing was mirrored and the reason is old
    return letter.reason


def drop(letter: DeadLetter, at: datetime) -> None:
    """Drop a dead letter: SQL keeps its standing until the player scores again."""
    DeadLetter.resolve(DEAD_LETTER_KIND, [letter.subject], DROPPED, at)


def _describe_drop() -> str:
    return _("SQL keeps what it has of this standing, and the period closes with that.")


DEAD_LETTER_WORK = DeadLetterHandler(lambda letter, _at: retry(letter), drop, _describe_drop)


def _standing_row(period: Period, player_id: int, row: DirtyStanding) -> StandingRow:
    if row.score is None:
        return StandingRow(player_id, row.player, row.player, None, None, row.version)
    state = state_from(period, row.score, row.member, row.stored_state)
    return StandingRow(player_id, row.player, row.member, state, row.score, row.version)
