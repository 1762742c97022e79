"""Finish a competition: close its period, keep the result provisional during the review, then make it final.

Participants who have left are excluded when the period closes (by ``close_period``, through
``events.players_who_left``). All this also happens during a freeze; the public sees the result after the reveal.
``services/lifecycle/confirm.py`` makes a result final before its review ends.
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
from leaderboards.models import OVER_STATES, Period, PeriodState
from leaderboards.services.periods.close import close_period, stop_accepting


def finish_due(at: datetime) -> int:
    """Close competitions whose board's grace time has passed, oldest first, and make reviewed results final.

    Returns how many became final.
    """
    ended = Competition.objects.exclude(published_at=None).filter(cancelled_at=None, final_at=None, ends_at__lte=at)
    oldest_first = ended.select_related("board").defer("picture").order_by("ends_at", "pk")
    return sum(for_each(oldest_first, lambda competition: finish(competition, at)))


def finish(competition: Competition, at: datetime) -> bool:
    """Close a competition, and make it final if its review is over, as far as possible now.

    Returns True if this call made it final; False while it waits or is under review, or if it was final before.
    """
    if competition.closed_at is None and not _close(competition, at):
        return False
    if competition.closed_at is not None and not is_review_over(competition, at):
        return False
    return _mark_closed_and_final(competition, at)


def _close(competition: Competition, at: datetime) -> bool:
    """Close its period; returns whether it is closed now."""
    if not _is_over(competition, at):
        return False
    freeze_if_due(competition, at)
    period = get_or_open_period(competition)
    if period.state == PeriodState.OPEN and not _stop_scores(competition, period, at):
        return False
    if period.state == PeriodState.CLOSING:
        close_period(period, at)
        period.refresh_from_db()
    failpoint("finish.after_close")
    return period.state in OVER_STATES


@transaction.atomic
def _stop_scores(competition: Competition, period: Period, at: datetime) -> bool:
    """Stop accepting scores, unless the end was moved meanwhile. After this the end cannot be moved."""
    if not _is_over(lock_competition(competition), at):
        return False
    stop_accepting(period)
    return True


@transaction.atomic
def _mark_closed_and_final(competition: Competition, at: datetime) -> bool:
    """Mark it closed, and final if its review is over. A review of 0 hours is over at once."""
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
