"""Doing what was asked for of purges, in turns: submissions voided, or restored where the purge is undone.

A turn looks at a stretch of submissions by number, void by void in transactions of some players each; only when all of
it was looked at the row of the purge says so, so the next after a killed worker goes on there. Voiding again, or
two workers at once, changes nothing: each transaction holds the purge's row, and then the standings.
In competitions each void is an act on record of its own. What was being received as a purge was asked for is committed
later, so all is looked at a second time once that is in; what was there is void by then.
The trap: writes to Redis come last in a transaction, and the row of the purge is held until then, so its counts are
written behind them.
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
SCAN_CHUNK = 4000  # submissions that a turn looks at: about two seconds, where all of them are voided
PLAYER_SCAN_CHUNK = 4000  # submissions a turn, where a player's are looked at alone
PLAYERS_PER_TRANSACTION = 25  # whose standings a transaction holds
RESTORE_CHUNK = 2000


class _Chosen(NamedTuple):
    """A submission that is to be voided or restored."""

    pk: int
    period: int
    player: int
    competition: int


class _Overruled(SunwiError):
    """A submission counts by a newer decision than the purge: what was done to it is taken back."""


def run_due(at: datetime, seconds: float = BUDGET_SECONDS) -> int:
    """Go on with every purge that is not through, for so many seconds; how many submissions were voided or restored."""
    under_way = Q(finished_at=None, undo_asked_at=None) | Q(undo_asked_at__isnull=False, undone_at=None)
    until = clock.monotonic() + seconds
    due = list(Purge.objects.filter(under_way).order_by("pk"))
    return sum(for_each(due, lambda purge: run(purge, at, until)))


def run(purge: Purge, at: datetime, until: float) -> int:
    """Go on with one until it is through, waits for what is not in yet, or ``until`` (monotonic seconds) is past."""
    done = 0
    while True:
        turn = _undo_turn if purge.undo_asked_at is not None else _turn
        done += turn(purge, at)
        purge.refresh_from_db()
        is_through = purge.undone_at is not None or (purge.finished_at is not None and purge.undo_asked_at is None)
        if is_through or is_waiting(purge) or clock.monotonic() >= until:
            return done


def is_waiting(purge: Purge) -> bool:
    """Whether all that was there was looked at, and what was under way then is not in yet."""
    return purge.undo_asked_at is None and not purge.all_in and purge.last >= purge.highest


def _turn(purge: Purge, at: datetime) -> int:
    """Look at the next stretch."""
    end = _end_of_stretch(purge)
    rows = valid_submissions_in(range_of(purge)).filter(pk__gt=purge.last, pk__lte=end)
    voided = 0
    for number, some in _by_period(_chosen(rows.filter(can_be_voided(), ~restored_since(purge)))):
        voided += _void_in_event(purge, some, at) if some[0].competition else _void_some(purge, number, some, at)
    failpoint("purge.before_progress")
    course = {"last": end, "kept": F("kept") + rows.count()}
    if end >= purge.highest:
        course |= _after_the_last(purge, at)
    as_seen = Purge.objects.filter(pk=purge.pk, last=purge.last, all_in=purge.all_in)
    as_seen.filter(undo_asked_at=None, finished_at=None).update(**course)
    return voided


def _after_the_last(purge: Purge, at: datetime) -> dict[str, Any]:
    """What becomes of a purge that has looked at all up to its ``highest``: it is through, or begins once more, or
    waits."""
    if purge.all_in:
        return {"finished_at": at}
    if not is_range_committed(range_of(purge), at):
        return {}
    return {"last": 0, "kept": 0, "highest": highest_number(), "all_in": True}


def _end_of_stretch(purge: Purge) -> int:
    """The number of the last row that this turn looks at: a player's own by an index, else whichever there are."""
    rows, most = Submission.objects.all(), SCAN_CHUNK
    if purge.player_id is not None:
        rows, most = valid_submissions_in(range_of(purge)), PLAYER_SCAN_CHUNK
    numbers = rows.filter(pk__gt=purge.last, pk__lte=purge.highest).order_by("pk").values_list("pk", flat=True)
    with long_transaction():
        last = list(numbers[most - 1 : most])
    return last[0] if last else purge.highest


def _chosen(rows: QuerySet[Submission]) -> list[_Chosen]:
    found = rows.order_by("period", "player", "pk").values_list("pk", "period_id", "player_id", "competition")
    with long_transaction():
        return [_Chosen(*each) for each in found]


def _by_period(rows: Iterable[_Chosen]) -> Iterator[tuple[int, list[_Chosen]]]:
    """By period, with some players of it each time."""
    grouped: dict[int, dict[int, list[_Chosen]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        grouped[row.period][row.player].append(row)
    for number, players in grouped.items():
        for some in in_chunks(players.values(), PLAYERS_PER_TRANSACTION):
            yield number, [row for theirs in some for row in theirs]


def _void_some(purge: Purge, number: int, rows: Sequence[_Chosen], at: datetime) -> int:
    """Void these of some players in one transaction; none where the period has closed meanwhile."""

    def void() -> int:
        if not _is_held(purge):
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
    """Void these of a competition, each an act on record there; those that it refuses stay."""
    _refuse_closing(rows[0].period)
    return sum(_void_one(purge, row.pk, at) for row in rows)


def _void_one(purge: Purge, number: int, at: datetime) -> int:
    submission = Submission.objects.select_related("player", "period__board").get(pk=number)

    def void() -> int:
        if not _is_held(purge) or not void_by_hand(submission, purge.reason, at, purge.by):
            return 0
        if Submission.objects.filter(restored_since(purge), pk=number).exists():  # behind the locks of the void
            raise _Overruled("Somebody has restored it since the purge was asked for.")
        _claim(purge, [number])
        return 1

    return _counted(purge, "voided", void)


def _undo_turn(purge: Purge, at: datetime) -> int:
    """Restore the next of those that the purge voided and nobody restored; each takes its row along. What another
    purge is about too is void because of that one from then on."""
    rows = PurgedSubmission.objects.filter(purge=purge, pk__gt=purge.undo_last).order_by("pk")
    numbers = list(rows.values_list("pk", flat=True)[:RESTORE_CHUNK])
    end = numbers[-1] if numbers else purge.undo_last
    _leave_to_others(purge, numbers)
    voided = Submission.objects.filter(pk__in=numbers, purged__purge=purge).exclude(voided_at=None)
    restored = 0
    for number, some in _by_period(_chosen(voided)):
        restored += _restore_some(purge, number, some, at)
    failpoint("purge.before_undo_progress")
    left = PurgedSubmission.objects.filter(purge=purge, pk__in=numbers).count()
    course = {"undo_last": end, "lost": F("lost") + left}
    if len(numbers) < RESTORE_CHUNK:
        course["undone_at"] = at
    Purge.objects.filter(pk=purge.pk, undo_last=purge.undo_last, undone_at=None).update(**course)
    return restored


@transaction.atomic
def _leave_to_others(purge: Purge, numbers: Sequence[int]) -> None:
    """Give the other purges that stand what they are about as well; they are held, so that none is undone meanwhile."""
    for other in active_purges_since(purge.asked_at).exclude(pk=purge.pk).select_for_update(of=("self",)):
        both = Submission.objects.filter(covered_by_purge_q(other), pk__in=numbers).values("pk")
        left = PurgedSubmission.objects.filter(purge=purge, submission__in=both).update(purge=other)
        Purge.objects.filter(pk=other.pk).update(voided=F("voided") + left)


def _restore_some(purge: Purge, number: int, rows: Sequence[_Chosen], at: datetime) -> int:
    """Restore these of some players of a period in one transaction; of a competition one by one."""
    if rows[0].competition:
        _refuse_closing(number)
        return sum(_counted(purge, "restored", partial(_restore_in_event, purge, row, at)) for row in rows)
    players, numbers = {row.player for row in rows}, [row.pk for row in rows]
    return _counted(purge, "restored", partial(unvoid_purged, purge.pk, number, players, numbers, at))


def _restore_in_event(purge: Purge, row: _Chosen, at: datetime) -> int:
    """Through the port, which asks behind its lock whether the submission is void because of this purge still."""
    submission = Submission.objects.select_related("player", "period__board").get(pk=row.pk)
    return int(events.source().unvoid(submission, purge.undo_reason, at, purge.undo_by, purge=purge.pk))


def _counted(purge: Purge, name: str, deed: Callable[[], int]) -> int:
    """Do it, and add it up in the same transaction; 0 where it was refused, and then nothing has changed."""
    try:
        with transaction.atomic():
            done = deed()
            Purge.objects.filter(pk=purge.pk).update(**{name: F(name) + done})
            failpoint("purge.before_commit_of_some")
    except Unavailable:
        raise
    except SunwiError as error:
        logger.info("purge %s leaves some as they are: %s", purge.pk, error.detail)
        return 0
    return done


def _refuse_closing(number: int) -> None:
    """A competition that is being closed is asked again in a moment. Raises ``StorageUnavailable``."""
    if Period.objects.filter(pk=number, state=PeriodState.CLOSING).exists():
        raise StorageUnavailable("It is being closed: try again in a moment.")


def _is_held(purge: Purge) -> bool:
    """Hold the purge's row; whether it is still to be done, and not to be undone by now."""
    rows = Purge.objects.select_for_update(of=("self",)).filter(pk=purge.pk, undo_asked_at=None, finished_at=None)
    return rows.first() is not None


def _claim(purge: Purge, numbers: Sequence[int]) -> None:
    """Say that these are void because of this purge."""
    PurgedSubmission.objects.bulk_create(
        (PurgedSubmission(submission_id=number, purge=purge) for number in numbers),
        batch_size=1000,
        update_conflicts=True,
        unique_fields=["submission"],
        update_fields=["purge"],
    )
