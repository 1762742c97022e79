"""Restoring voided submissions, as if they had never been voided: with their old value, time and tie order.

The standing is recomputed from all valid submissions, in the order in which they were applied. The limits of a sum
refuse no restoring: later submissions stay accepted, and the sum stops at the limit (``core/ranking/policies.replay``).
In a competition it is an action in its log (``services/events.py``).
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
from foundation.messages import Message
from leaderboards.errors import IdReused, SubmissionsDropped, UnknownPlayer
from leaderboards.models import Period, Player, PurgedSubmission, Submission
from leaderboards.services import events
from leaderboards.services.moderation.void import lock_open_period, recompute_standings, remaining_state, standing_row
from leaderboards.services.players.profiles import is_erased, refuse_erased
from leaderboards.services.sync.publish import write_and_publish
from leaderboards.stores.sql.locks import LockedStanding, lock_standings
from leaderboards.stores.sql.writes import StandingRow


def unvoid_by_hand(submission: Submission, reason: str, at: datetime, by: AbstractBaseUser | None) -> bool:
    """Restore a submission by a moderator's decision, in a competition through the port; False if it counts already.

    Raises as the port, or as ``unvoid_submission``.
    """
    if submission.competition:
        return events.source().unvoid(submission, reason, at, by)
    with transaction.atomic():
        is_done = unvoid_submission(submission, at)
        if is_done:
            record("score.restored", at=at, by=by, reason=reason, subjects=subjects_of(submission))
    return is_done


def unvoid_submission(submission: Submission, at: datetime) -> bool:
    """Restore a voided submission of an open period; False, with nothing changed, if it counts already.

    Raises ``PeriodClosed``, ``BoardReserved``, ``UnknownPlayer`` (erased), ``SubmissionsDropped`` if it was deleted, or
    ``IdReused`` if its import was undone and another submission has its id by now.
    """
    return unvoid_in_open(submission.period_id, submission.player_id, [submission.pk], at) > 0


@transaction.atomic
def unvoid_in_open(number: int, player: int, submissions: Collection[int], at: datetime) -> int:
    """Restore voided submissions of a player in the open period of this number; how many were void.

    ``player`` and ``submissions`` are internal numbers. Without submissions the standing is still recomputed. Raises as
    ``unvoid_submission``.
    """
    period = lock_open_period(number)
    restored, row = restore_voided(period, player, submissions)
    if row is not None:
        with pipelined() as statements:
            write_and_publish(statements, period, [row], at)
    failpoint("unvoid.before_commit")
    return restored


def unvoid_purged(purge: int, number: int, players: Collection[int], submissions: Collection[int], at: datetime) -> int:
    """Restore submissions of several players that a purge voided, in the open period ``number``; how many were void.

    All are internal numbers. Submissions that were deleted, that belong to erased players, or that are no longer void
    because of this purge are left as they are. Call it in a transaction. Raises ``PeriodClosed`` or ``BoardReserved``.
    """
    period = lock_open_period(number)
    known = Player.objects.filter(pk__in=players)
    locked = lock_standings(period, list(known.values_list("external_id", flat=True)))
    present = {each.pk for each in known.all() if not is_erased(each)}  # read under the locks
    rows = Submission.objects.filter(pk__in=submissions, period=period, player__in=present, purged__purge=purge)
    numbers = list(rows.exclude(voided_at=None).values_list("pk", flat=True))
    PurgedSubmission.objects.filter(submission__in=numbers).delete()
    Submission.objects.filter(pk__in=numbers).update(voided_at=None)
    recompute_standings(period, {name: each for name, each in locked.items() if each.player_id in present}, at)
    return len(numbers)


def restore_voided(period: Period, player: int, submissions: Collection[int]) -> tuple[int, StandingRow | None]:
    """Mark submissions as valid and recompute the standing, which stays locked.

    Returns how many were void, and the standing to write; None if it does not change, or never existed. ``player`` and
    ``submissions`` are internal numbers. Raises ``UnknownPlayer`` (erased), ``SubmissionsDropped`` if a submission was
    deleted, or ``IdReused`` if another one has its id.
    """
    owner, locked = _lock_standing(period, player)
    if locked is None:
        return 0, None
    restored = _clear_void(period, owner, submissions)
    state = remaining_state(period, owner)
    return restored, None if state == locked.state else standing_row(period, owner.external_id, locked, state)


def _lock_standing(period: Period, player: int) -> tuple[Player, LockedStanding | None]:
    """The player of this number and their standing, locked; None if they never had one.

    Raises ``UnknownPlayer`` if the player was erased or is being erased. A later erasure waits for the lock.
    """
    name = Player.objects.get(pk=player).external_id
    locked = lock_standings(period, [name]).get(name)
    present = Player.objects.get(pk=player)  # read under the lock
    if present.external_id != name:
        raise UnknownPlayer(Message("There is no such player any more."))
    refuse_erased(present)
    return present, locked


def _clear_void(period: Period, player: Player, submissions: Collection[int]) -> int:
    rows = Submission.objects.filter(pk__in=submissions, period=period, player=player)
    if rows.count() != len(set(submissions)):
        raise SubmissionsDropped(Message("The submission was not kept: it can not be restored any more."))
    PurgedSubmission.objects.filter(submission__in=submissions).delete()  # no purge keeps them void any more
    _restore_ids(rows.exclude(freed_id=None))
    return rows.exclude(voided_at=None).update(voided_at=None)


def _restore_ids(rows: QuerySet[Submission]) -> None:
    """Give submissions of an undone import their ids again, so that the same file does not count a second time.

    The trap: rows of a file without ids have ids of their run, so importing that file again does count a second time.
    """
    try:
        with transaction.atomic():
            rows.update(external_id=F("freed_id"), freed_id=None)
    except IntegrityError as error:
        raise IdReused(
            Message(
                "Its import was undone, and another import brought a score with the same id since: edit or "
                "restore that one, and leave this one void."
            )
        ) from error
