"""Restoring voided submissions, as if none of them had ever been voided: value, time and ties are those of before.

The standing is derived anew from all that counts, in the order in which it was applied. The limits of a sum refuse no
restoring: what was accepted meanwhile stays accepted, and the sum stops at the limit as it does without a voided one
(``core/policies.replay``). In a competition it is an act on record (``services/events.py``).
"""

from collections.abc import Collection
from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser
from django.db import IntegrityError, transaction
from django.db.models import F, QuerySet

from foundation.audit import record
from foundation.audit.row_values import subjects_of
from foundation.db.pipeline import pipelined
from foundation.failpoints import failpoint
from leaderboards.errors import IdReused, SubmissionsDropped, UnknownPlayer
from leaderboards.models import Period, Player, PurgedSubmission, Submission
from leaderboards.services import events
from leaderboards.services.moderation.void import lock_open_period, recompute_standings, remaining_state, standing_row
from leaderboards.services.players.profiles import is_erased, refuse_erased
from leaderboards.services.sync.publish import write_and_publish
from leaderboards.stores.sql.locks import LockedStanding, lock_standings
from leaderboards.stores.sql.writes import StandingRow


def unvoid_by_hand(submission: Submission, reason: str, at: datetime, by: AbstractBaseUser | None) -> bool:
    """Restore what somebody has judged anew, in a competition through the port; False where that was done before.

    Raises what refuses it there, or here.
    """
    if submission.competition:
        return events.source().unvoid(submission, reason, at, by)
    with transaction.atomic():
        is_done = unvoid_submission(submission, at)
        if is_done:
            record("score.restored", at=at, by=by, reason=reason, subjects=subjects_of(submission))
    return is_done


def unvoid_submission(submission: Submission, at: datetime) -> bool:
    """Let a voided submission of an open period count again; False if it counts already, which changes nothing.

    Raises ``PeriodClosed``, ``BoardReserved``, ``UnknownPlayer`` (erased), ``SubmissionsDropped`` where it was not
    kept, or ``IdReused`` where its import was undone and its id stands for another by now.
    """
    return unvoid_in_open(submission.period_id, submission.player_id, [submission.pk], at) > 0


@transaction.atomic
def unvoid_in_open(number: int, player: int, submissions: Collection[int], at: datetime) -> int:
    """Let those of a player's submissions that are voided count again, in the open period of this number; how many.

    ``player`` and ``submissions`` are internal numbers. Without any the standing is derived anew all the same. Raises
    what ``unvoid_submission`` does.
    """
    period = lock_open_period(number)
    restored, row = restore_voided(period, player, submissions)
    if row is not None:
        with pipelined() as statements:
            write_and_publish(statements, period, [row], at)
    failpoint("unvoid.before_commit")
    return restored


def unvoid_purged(purge: int, number: int, players: Collection[int], submissions: Collection[int], at: datetime) -> int:
    """Let these submissions of several players count again, in the open period of this ``number``; how many were void.

    All are internal numbers. What was not kept, what is of who was erased, and what is not void because of this purge
    any more, is left out. Call it in a transaction.
    Raises ``PeriodClosed`` or ``BoardReserved``.
    """
    period = lock_open_period(number)
    known = Player.objects.filter(pk__in=players)
    locked = lock_standings(period, list(known.values_list("external_id", flat=True)))
    there = {each.pk for each in known.all() if not is_erased(each)}  # read behind the locks
    theirs = Submission.objects.filter(pk__in=submissions, period=period, player__in=there, purged__purge=purge)
    numbers = list(theirs.exclude(voided_at=None).values_list("pk", flat=True))
    PurgedSubmission.objects.filter(submission__in=numbers).delete()
    Submission.objects.filter(pk__in=numbers).update(voided_at=None)
    recompute_standings(period, {name: each for name, each in locked.items() if each.player_id in there}, at)
    return len(numbers)


def restore_voided(period: Period, player: int, submissions: Collection[int]) -> tuple[int, StandingRow | None]:
    """Take the marks of voiding off and derive the standing anew, locked: how many there were, and the standing to be
    written; None where it stays as it is, or there never was one.

    ``player`` and ``submissions`` are internal numbers. Raises ``UnknownPlayer`` (erased), ``SubmissionsDropped``
    where one of the submissions is no more, or ``IdReused`` where another has the id of one.
    """
    whose, locked = _hold_standing(period, player)
    if locked is None:
        return 0, None
    restored = _unmark(period, whose, submissions)
    state = remaining_state(period, whose)
    return restored, None if state == locked.state else standing_row(period, whose.external_id, locked, state)


def _hold_standing(period: Period, player: int) -> tuple[Player, LockedStanding | None]:
    """The player of this number as they are now, and their standing, locked; None where they never had one.

    Raises ``UnknownPlayer`` for a player who was erased, or is being: an erasure waits for the lock, or was before it.
    """
    name = Player.objects.get(pk=player).external_id
    locked = lock_standings(period, [name]).get(name)
    found = Player.objects.get(pk=player)  # read behind the lock
    if found.external_id != name:
        raise UnknownPlayer("There is no such player any more.")
    refuse_erased(found)
    return found, locked


def _unmark(period: Period, player: Player, submissions: Collection[int]) -> int:
    rows = Submission.objects.filter(pk__in=submissions, period=period, player=player)
    if rows.count() != len(set(submissions)):
        raise SubmissionsDropped("The submission was not kept: it can not be restored any more.")
    PurgedSubmission.objects.filter(submission__in=submissions).delete()  # no purge has it void from here on
    _take_ids(rows.exclude(freed_id=None))
    return rows.exclude(voided_at=None).update(voided_at=None)


def _take_ids(rows: QuerySet[Submission]) -> None:
    """Those whose import was undone have their ids again, so that the same file does not count beside them.

    The trap: rows of a file without ids have ids of their run, so the same file imported again does count beside them.
    """
    try:
        with transaction.atomic():
            rows.update(external_id=F("freed_id"), freed_id=None)
    except IntegrityError as error:
        raise IdReused(
            "Its import was undone, and another import brought a score with the same id since: edit or restore that "
            "one, and leave this one void."
        ) from error
