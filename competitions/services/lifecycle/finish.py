"""A competition's end: its period is closed, its result is provisional for the review, and then it is final, once.

Anybody who joined and is gone is left out as the period closes. Behind the curtain of a freeze all this happens too;
the public hears of the result by the reveal. Who confirms earlier is in ``services/lifecycle/confirm.py``.
"""

from datetime import datetime, timedelta

from django.db import transaction

from competitions.models import Competition
from competitions.selectors.results.review import is_review_over
from competitions.services.lifecycle.confirm import make_final
from competitions.services.lifecycle.freeze import freeze_if_due
from competitions.services.locks import get_or_open_period, lock_competition
from foundation.failpoints import failpoint
from foundation.worker.each import for_each
from leaderboards.models import Period, PeriodState
from leaderboards.services.periods.close import close_period, stop_accepting


def finish_due(at: datetime) -> int:
    """Close what ended more than its board's grace ago, oldest first, and make final what was reviewed.

    Returns how many became final.
    """
    ended = Competition.objects.exclude(published_at=None).filter(cancelled_at=None, final_at=None, ends_at__lte=at)
    oldest_first = ended.select_related("board").defer("picture").order_by("ends_at", "pk")
    return sum(for_each(oldest_first, lambda competition: finish(competition, at)))


def finish(competition: Competition, at: datetime) -> bool:
    """Close it, and make it final if its review is over, as far as that is possible now.

    True if it became final by this call; False while it waits or is under review, or if it was final before.
    """
    if competition.closed_at is None and not _close(competition, at):
        return False
    if competition.closed_at is not None and not is_review_over(competition, at):
        return False
    return _settle(competition, at)


def _close(competition: Competition, at: datetime) -> bool:
    """Close its period; whether that is closed now."""
    if not _is_over(competition, at):
        return False
    freeze_if_due(competition, at)
    period = get_or_open_period(competition)
    if period.state == PeriodState.OPEN and not _stop(competition, period, at):
        return False
    if period.state == PeriodState.CLOSING:
        close_period(period, at)
        period.refresh_from_db()
    failpoint("finish.after_close")
    return period.state in (PeriodState.FINAL, PeriodState.EXPIRED)


@transaction.atomic
def _stop(competition: Competition, period: Period, at: datetime) -> bool:
    """Take no more scores, unless its end has been moved meanwhile; it cannot be moved afterwards."""
    if not _is_over(lock_competition(competition), at):
        return False
    stop_accepting(period)
    return True


@transaction.atomic
def _settle(competition: Competition, at: datetime) -> bool:
    """Mark it closed, and final if its review is over: a review of no time is over at once."""
    locked = lock_competition(competition)
    if locked.final_at is not None or locked.cancelled_at is not None:
        return False
    if locked.closed_at is None:
        locked.closed_at = at
        locked.save(update_fields=["closed_at"])
    if not is_review_over(locked, at):
        return False
    make_final(locked, at)
    return True


def _is_over(competition: Competition, at: datetime) -> bool:
    return competition.ends_at + timedelta(seconds=competition.board.grace_seconds) <= at
