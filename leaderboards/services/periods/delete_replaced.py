"""Delete the periods that were opened ahead by settings which the board has no more: a schedule, or ``own_tables``.

They have not begun, so they have no scores. The trap: a change may be saved before a period begins and committed after
that. So the time is read from SQL under the period's barrier.
"""

import logging
from collections.abc import Sequence
from datetime import datetime
from functools import partial

from django.db import transaction
from django.db.models import QuerySet

from foundation import clock
from foundation.errors import Unavailable
from foundation.redis import client as redis
from foundation.sync import barrier
from leaderboards.core.periods import PeriodKind, window_of
from leaderboards.errors import BadLabel
from leaderboards.models import IN_REDIS, Board, Part, Period, PeriodState, Standing
from leaderboards.selectors.catalog.periods import clear_period_cache
from leaderboards.stores.redis.sync import ZsetSync

logger = logging.getLogger(__name__)


def delete_replaced_periods(board: Board, at: datetime) -> None:
    """Delete the periods that have not begun and are not as the board's schedules say any more."""
    if board.period == PeriodKind.SCHEDULE:
        for period in _upcoming(board, at):
            if not _is_window(board, period):
                _delete(period)


def delete_with_other_tables(board: Board, at: datetime) -> None:
    """Delete the periods that have not begun and whose tables are not where the board's setting has them."""
    for period in _upcoming(board, at):
        if not board.is_event and period.has_own_tables != board.own_tables:
            _delete(period)


def _upcoming(board: Board, at: datetime) -> QuerySet[Period]:
    return Period.objects.filter(board=board, state=PeriodState.OPEN, starts_at__gt=at).order_by("pk")


def _is_window(board: Board, period: Period) -> bool:
    try:
        window = window_of(board.calendar, period.label)
    except BadLabel:
        return False
    return (window.starts_at, window.ends_at) == (period.starts_at, period.ends_at)


@transaction.atomic
def _delete(period: Period) -> None:
    barrier.hold_exclusive(period.pk)
    present = Period.objects.select_related("board").filter(pk=period.pk).first()
    if present is None or present.starts_at is None or present.starts_at <= clock.trusted_now():
        return
    if Standing.objects.filter(period=present).exists():
        logger.warning("period %s is no window any more, and stays: it has standings", present)
        return
    parts = present.parts
    Period.objects.filter(pk=present.pk).delete()
    transaction.on_commit(clear_period_cache)
    if present.board.storage in IN_REDIS:
        transaction.on_commit(partial(delete_keys, present, parts))


def delete_keys(period: Period, parts: Sequence[Part]) -> None:
    """Delete the keys of families. If Redis is away they stay, and are never read: a new row has another generation."""
    try:
        for part in parts:
            ZsetSync(redis.resync_client()).unlink(part)
    except Unavailable as error:
        logger.warning("the keys of period %s stay in Redis: %s", period, error.detail)
