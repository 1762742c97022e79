"""Delete periods that were final for ``keep_periods_days``, and drop tables of periods that are gone.

A period and its rows go in one transaction, so nobody sees half of them. Tables of its own are emptied in it, which
takes a moment however many rows there are and locks only these tables; they are dropped later, since that locks the
divided tables as a whole. The trap: what other parts of the site refer to is kept, whatever the setting says.
"""

import logging
import time
from datetime import datetime, timedelta

from django.db import transaction

from foundation.db.resilience import SqlBusy, long_transaction
from foundation.sync import barrier
from foundation.worker.each import for_each
from leaderboards.models import (
    Difference,
    FinalStanding,
    Partition,
    Period,
    PeriodHistogram,
    PeriodSnapshot,
    PeriodState,
    Restriction,
    Standing,
)
from leaderboards.selectors.catalog.periods import clear_period_cache
from leaderboards.services.sync.invalidate import invalidate_readers
from leaderboards.stores.sql.own_tables import drop_own_tables, empty_own_tables, tables_without_period

logger = logging.getLogger(__name__)

TRIES = 5
PAUSE_SECONDS = 0.2
# Other rows keep a period: submissions and quarantined entries until they are deleted, leagues and rewards for good.
_GO_WITH_IT = (Standing, FinalStanding, Difference, Partition, PeriodHistogram, PeriodSnapshot, Restriction)


def delete_old_periods(at: datetime) -> int:
    """Delete expired periods that nothing keeps any more; returns how many. Errors are raised together at the end.

    A period whose tables somebody reads waits for the next call.
    """
    old = Period.objects.filter(state=PeriodState.EXPIRED, board__keep_periods_days__isnull=False)
    return sum(for_each(old.select_related("board").order_by("pk"), lambda period: _delete_if_due(period, at)))


def _delete_if_due(period: Period, at: datetime) -> int:
    days = period.board.keep_periods_days
    if days is None or period.closed_at is None or at - period.closed_at < timedelta(days=days) or _is_kept(period):
        return 0
    try:
        with long_transaction():
            barrier.hold_exclusive(period.pk)
            if _is_kept(period):
                return 0
            invalidate_readers(period)
            _delete_rows(period)
            period.delete()
            transaction.on_commit(clear_period_cache)
    except SqlBusy:
        return 0
    logger.info("period %s is deleted, %s days after it was final", period, days)
    return 1


def _is_kept(period: Period) -> bool:
    """Whether it has rows that do not go with it."""
    others = (each for each in Period._meta.related_objects if each.related_model not in _GO_WITH_IT)
    return any(each.related_model._base_manager.filter(**{each.field.name: period.pk}).exists() for each in others)


def _delete_rows(period: Period) -> None:
    if period.has_own_tables:
        empty_own_tables(period.pk)
        return
    for model in (FinalStanding, Standing):
        rows = model._base_manager.filter(period=period)
        rows._raw_delete(rows.db)  # nothing refers to them, and there may be millions


def drop_left_over_tables() -> int:
    """Drop the tables of periods that are gone; returns of how many. Those that are in use wait for the next call."""
    return sum(_drop(number) for number in tables_without_period())


def _drop(number: int) -> int:
    for tries in range(TRIES, 0, -1):
        try:
            drop_own_tables(number)
        except SqlBusy:
            if tries > 1:
                time.sleep(PAUSE_SECONDS)
        else:
            return 1
    logger.info("the tables of period %d are in use, and are dropped later", number)
    return 0
