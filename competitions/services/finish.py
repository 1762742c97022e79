"""A competition's end: its period is closed, and then it is final, once.

Whoever joined and is gone is left out as the period closes. Behind the curtain of a freeze all this happens too;
the public hears of the result by the reveal.
"""

from datetime import datetime, timedelta

from django.db import transaction

from competitions.models import Competition
from competitions.services.changes import announce
from competitions.services.freeze import freeze_if_due
from competitions.services.locked import locked, period_of
from competitions.services.revise import revise
from foundation.each import for_each
from leaderboards.models import Period, State
from leaderboards.services.close import close_period, stop_taking


def finish_due(at: datetime) -> int:
    """Finish every competition that ended more than its board's grace ago, oldest first; returns how many."""
    ended = Competition.objects.exclude(published_at=None).filter(cancelled_at=None, final_at=None, ends_at__lte=at)
    oldest_first = ended.select_related("board").defer("picture").order_by("ends_at", "pk")
    return sum(for_each(oldest_first, lambda competition: finish(competition, at)))


def finish(competition: Competition, at: datetime) -> bool:
    """Close its period and make it final, as far as that is possible now; False while it waits, or if it was before."""
    if not _is_over(competition, at):
        return False
    freeze_if_due(competition, at)
    period = period_of(competition)
    if period.state == State.OPEN and not _stop(competition, period, at):
        return False
    if period.state == State.CLOSING:
        close_period(period, at)
        period.refresh_from_db()
    return period.state in (State.FINAL, State.EXPIRED) and _make_final(competition, at)


@transaction.atomic
def _stop(competition: Competition, period: Period, at: datetime) -> bool:
    """Take no more scores, unless its end has been moved meanwhile; it cannot be moved afterwards."""
    if not _is_over(locked(competition), at):
        return False
    stop_taking(period)
    return True


@transaction.atomic
def _make_final(competition: Competition, at: datetime) -> bool:
    held = locked(competition)
    if held.final_at is not None or held.cancelled_at is not None:
        return False
    held.final_at = at
    held.save(update_fields=["final_at"])
    revise(held, at)
    announce(held, "final", f"competition-{held.pk}-final", at)
    return True


def _is_over(competition: Competition, at: datetime) -> bool:
    return competition.ends_at + timedelta(seconds=competition.board.grace_seconds) <= at
