"""Running purges step by step: submissions are voided, or restored if the purge is undone.

A step scans a range of submissions by number and voids them in transactions of some players each. Its progress is
written only once the whole range is done, so after a killed worker the next one repeats the range. Repeating it, or two
workers at once, changes nothing: each transaction locks the purge's row, and then the standings.

In competitions each void is an action of its own in their log. Requests that were under way when the purge was
requested commit later, so everything is scanned a second time once they have; what was scanned before is void by then.
The trap: writes to Redis come last in a transaction, and the purge's row is locked until then, so its counts are
written after them.
"""

import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import F, Q, QuerySet

from foundation import clock
from foundation.chunks import in_chunks
from foundation.db.resilience import long_transaction
from foundation.errors import SunwiError, Unavailable
from foundation.failpoints import failpoint
from foundation.messages import Message
from foundation.worker.each import for_each
from leaderboards.errors import StorageUnavailable
from leaderboards.models import Period, PeriodState, Player, Purge, PurgedSubmission, Submission
from leaderboards.selectors.moderation.purges import (
    active_purges_since,
    can_be_voided,
    covered_by_purge_q,
    highest_number,
    is_range_committed,
    range_of,
    restored_since,
    valid_submissions_in,
)
from leaderboards.services import events
from leaderboards.services.moderation.unvoid import unvoid_purged
from leaderboards.services.moderation.void import lock_open_period, recompute_standings, void_by_hand
from leaderboards.stores.sql.locks import lock_standings

logger = logging.getLogger(__name__)

BUDGET_SECONDS = 4.0
SCAN_CHUNK = 4000  # submissions per step: about two seconds if all of them are voided
PLAYER_SCAN_CHUNK = 4000  # submissions per step of a purge of one player
PLAYERS_PER_TRANSACTION = 25  # their standings are locked together
RESTORE_CHUNK = 2000


class _Chosen(NamedTuple):
    """A submission to void or restore."""

    pk: int
    period: int
    player: int
    competition: int


class _Overruled(SunwiError):
    """A newer decision than the purge restored the submission: roll its voiding back."""


def run_due(at: datetime, seconds: float = BUDGET_SECONDS) -> int:
    """Continue all unfinished purges for about ``seconds``; how many submissions were voided or restored."""
    is_unfinished = Q(finished_at=None, undo_asked_at=None) | Q(undo_asked_at__isnull=False, undone_at=None)
    until = clock.monotonic() + seconds
    due = list(Purge.objects.filter(is_unfinished).order_by("pk"))
    return sum(for_each(due, lambda purge: run(purge, at, until)))


def run(purge: Purge, at: datetime, until: float) -> int:
    """Continue a purge until it ends, has to wait, or ``until`` (monotonic seconds) is past; how many changed."""
    done = 0
    while True:
        step = _undo_step if purge.undo_asked_at is not None else _void_step
        done += step(purge, at)
        purge.refresh_from_db()
        is_finished = purge.undone_at is not None or (purge.finished_at is not None and purge.undo_asked_at is None)
        if is_finished or is_waiting(purge) or clock.monotonic() >= until:
            return done


def is_waiting(purge: Purge) -> bool:
    """Whether everything was scanned once, and requests that were under way then have not committed yet."""
    return purge.undo_asked_at is None and not purge.all_in and purge.last >= purge.highest


def _void_step(purge: Purge, at: datetime) -> int:
    """Scan and void the next range."""
    end = _end_of_range(purge)
    rows = valid_submissions_in(range_of(purge)).filter(pk__gt=purge.last, pk__lte=end)
    voided = 0
    for number, some in _by_period(_chosen(rows.filter(can_be_voided(), ~restored_since(purge)))):
        voided += _void_in_event(purge, some, at) if some[0].competition else _void_some(purge, number, some, at)
    failpoint("purge.before_progress")
    progress = {"last": end, "kept": F("kept") + rows.count()}
    if end >= purge.highest:
        progress |= _progress_at_end(purge, at)
    unchanged = Purge.objects.filter(pk=purge.pk, last=purge.last, all_in=purge.all_in)
    unchanged.filter(undo_asked_at=None, finished_at=None).update(**progress)
    return voided


def _progress_at_end(purge: Purge, at: datetime) -> dict[str, Any]:
    """The changes to a purge that has scanned up to its ``highest``: it is finished, starts again, or waits."""
    if purge.all_in:
        return {"finished_at": at}
    if not is_range_committed(range_of(purge), at):
        return {}
    return {"last": 0, "kept": 0, "highest": highest_number(), "all_in": True}


def _end_of_range(purge: Purge) -> int:
    """The number of the last submission of this step; a purge of one player finds its own by an index."""
    rows, limit = Submission.objects.all(), SCAN_CHUNK
    if purge.player_id is not None:
        rows, limit = valid_submissions_in(range_of(purge)), PLAYER_SCAN_CHUNK
    numbers = rows.filter(pk__gt=purge.last, pk__lte=purge.highest).order_by("pk").values_list("pk", flat=True)
    with long_transaction():
        last = list(numbers[limit - 1 : limit])
    return last[0] if last else purge.highest


def _chosen(rows: QuerySet[Submission]) -> list[_Chosen]:
    found = rows.order_by("period", "player", "pk").values_list("pk", "period_id", "player_id", "competition")
    with long_transaction():
        return [_Chosen(*each) for each in found]


def _by_period(rows: Iterable[_Chosen]) -> Iterator[tuple[int, list[_Chosen]]]:
    """Group by period, and by at most ``PLAYERS_PER_TRANSACTION`` players."""
    grouped: dict[int, dict[int, list[_Chosen]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        grouped[row.period][row.player].append(row)
    for number, players in grouped.items():
        for some in in_chunks(players.values(), PLAYERS_PER_TRANSACTION):
            yield number, [row for theirs in some for row in theirs]


def _void_some(purge: Purge, number: int, rows: Sequence[_Chosen], at: datetime) -> int:
    """Void submissions of some players in one transaction; none if the period has closed meanwhile."""

    def void() -> int:
        if not _lock_running(purge):
            return 0
        period = lock_open_period(number)
        names = Player.objects.filter(pk__in={row.player for row in rows}).values_list("external_id", flat=True)
        locked = lock_standings(period, list(names))
        theirs = Submission.objects.filter(~restored_since(purge), pk__in=[row.pk for row in rows], voided_at=None)
        numbers = list(theirs.values_list("pk", flat=True))
        _claim(purge, numbers)
        Submission.objects.filter(pk__in=numbers).update(voided_at=at)
        recompute_standings(period, locked, at)
        return len(numbers)

    return _counted(purge, "voided", void)


def _void_in_event(purge: Purge, rows: Sequence[_Chosen], at: datetime) -> int:
    """Void submissions of a competition one by one, through the port; those that it refuses stay valid."""
    _refuse_closing(rows[0].period)
    return sum(_void_one(purge, row.pk, at) for row in rows)


def _void_one(purge: Purge, number: int, at: datetime) -> int:
    submission = Submission.objects.select_related("player", "period__board").get(pk=number)

    def void() -> int:
        if not _lock_running(purge) or not void_by_hand(submission, purge.reason, at, purge.by):
            return 0
        if Submission.objects.filter(restored_since(purge), pk=number).exists():  # under the locks of the void
            raise _Overruled("Somebody has restored it since the purge was asked for.")
        _claim(purge, [number])
        return 1

    return _counted(purge, "voided", void)


def _undo_step(purge: Purge, at: datetime) -> int:
    """Restore the next submissions that the purge voided; each loses its ``PurgedSubmission`` row.

    Submissions that another purge covers too stay void, because of that one from then on.
    """
    rows = PurgedSubmission.objects.filter(purge=purge, pk__gt=purge.undo_last).order_by("pk")
    numbers = list(rows.values_list("pk", flat=True)[:RESTORE_CHUNK])
    end = numbers[-1] if numbers else purge.undo_last
    _hand_to_other_purges(purge, numbers)
    voided = Submission.objects.filter(pk__in=numbers, purged__purge=purge).exclude(voided_at=None)
    restored = 0
    for number, some in _by_period(_chosen(voided)):
        restored += _restore_some(purge, number, some, at)
    failpoint("purge.before_undo_progress")
    left = PurgedSubmission.objects.filter(purge=purge, pk__in=numbers).count()
    progress = {"undo_last": end, "lost": F("lost") + left}
    if len(numbers) < RESTORE_CHUNK:
        progress["undone_at"] = at
    Purge.objects.filter(pk=purge.pk, undo_last=purge.undo_last, undone_at=None).update(**progress)
    return restored


@transaction.atomic
def _hand_to_other_purges(purge: Purge, numbers: Sequence[int]) -> None:
    """Hand submissions to other active purges that cover them; those are locked, so none is undone meanwhile."""
    for other in active_purges_since(purge.asked_at).exclude(pk=purge.pk).select_for_update(of=("self",)):
        both = Submission.objects.filter(covered_by_purge_q(other), pk__in=numbers).values("pk")
        left = PurgedSubmission.objects.filter(purge=purge, submission__in=both).update(purge=other)
        Purge.objects.filter(pk=other.pk).update(voided=F("voided") + left)


def _restore_some(purge: Purge, number: int, rows: Sequence[_Chosen], at: datetime) -> int:
    """Restore submissions of some players in one transaction; those of a competition one by one."""
    if rows[0].competition:
        _refuse_closing(number)
        return sum(_counted(purge, "restored", partial(_restore_in_event, purge, row, at)) for row in rows)
    players, numbers = {row.player for row in rows}, [row.pk for row in rows]
    return _counted(purge, "restored", partial(unvoid_purged, purge.pk, number, players, numbers, at))


def _restore_in_event(purge: Purge, row: _Chosen, at: datetime) -> int:
    """Restore through the port, which checks under its lock that the submission is still void because of this purge."""
    submission = Submission.objects.select_related("player", "period__board").get(pk=row.pk)
    return int(events.source().unvoid(submission, purge.undo_reason, at, purge.undo_by, purge=purge.pk))


def _counted(purge: Purge, name: str, action: Callable[[], int]) -> int:
    """Run ``action`` and add its count to the purge in one transaction; 0, with nothing changed, if it is refused."""
    try:
        with transaction.atomic():
            done = action()
            Purge.objects.filter(pk=purge.pk).update(**{name: F(name) + done})
            failpoint("purge.before_commit_of_some")
    except Unavailable:
        raise
    except SunwiError as error:
        logger.info("purge %s leaves some as they are: %s", purge.pk, error.detail)
        return 0
    return done


def _refuse_closing(number: int) -> None:
    """Raise ``StorageUnavailable`` while the competition's period is closing, so that the step is tried again."""
    if Period.objects.filter(pk=number, state=PeriodState.CLOSING).exists():
        raise StorageUnavailable(Message("It is being closed: try again in a moment."))


def _lock_running(purge: Purge) -> bool:
    """Lock the purge's row; whether it is still running, and not being undone."""
    rows = Purge.objects.select_for_update(of=("self",)).filter(pk=purge.pk, undo_asked_at=None, finished_at=None)
    return rows.first() is not None


def _claim(purge: Purge, numbers: Sequence[int]) -> None:
    """Record that these submissions are void because of this purge."""
    PurgedSubmission.objects.bulk_create(
        (PurgedSubmission(submission_id=number, purge=purge) for number in numbers),
        batch_size=1000,
        update_conflicts=True,
        unique_fields=["submission"],
        update_fields=["purge"],
    )
