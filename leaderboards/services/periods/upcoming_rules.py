"""Periods that have not begun: they take over what changes on their board. Once one has begun, its rules are its own.

The trap: a change may be saved before a turn and committed after it. So SQL is asked what time it is behind the
period's barrier, and the period gets a new generation: who has read the old rules by then decides nothing by them.
"""

from datetime import timedelta
from functools import partial
from typing import Any

from django.db import transaction

from foundation import clock
from foundation.errors import Unavailable
from foundation.redis import client as redis
from foundation.sync import barrier, generations
from leaderboards.errors import StorageUnavailable
from leaderboards.models import Board, Period, PeriodState, Standing, Storage
from leaderboards.services.sync.resync_periods import resync_now
from leaderboards.stores.redis.reads import ZsetStore
from leaderboards.stores.redis.sync import ZsetSync

A_DAY = timedelta(days=1)  # whether a period of these has begun is asked of SQL


def refresh_rules(board: Board) -> None:
    """Give the board's present rules to periods that have not begun; those of competitions keep what was announced.

    Raises ``ClockOff``, and ``StorageUnavailable`` where Redis decides for the board and is away; then nothing is kept
    of the caller's transaction, if they let it through.
    """
    if board.is_event:
        return
    rules = board.rules.to_json()
    about = Period.objects.filter(board=board, state=PeriodState.OPEN, starts_at__gt=clock.now() - A_DAY)
    for period in about.exclude(rules_json=rules).order_by("pk"):
        _refresh(period, rules)


@transaction.atomic
def _refresh(period: Period, rules: dict[str, Any]) -> None:
    number = generations.next_generation()
    barrier.hold_exclusive(period.pk)
    present = Period.objects.select_related("board").get(pk=period.pk)
    has_begun = present.starts_at is None or present.starts_at <= clock.trusted_now()
    if has_begun or Standing.objects.filter(period=present, score__isnull=False).exists():
        return
    if present.board.storage == Storage.REDIS and present.stale_since is None:
        if _stands_in_redis(present, number):
            rules = present.rules_json
    elif present.board.storage != Storage.SQL:
        present.stale_since, present.needs_full_rebuild = present.stale_since or clock.now(), True
    present.rules_json, present.generation = rules, number
    present.save(update_fields=["rules_json", "generation", "stale_since", "needs_full_rebuild"])
    if present.stale_since is not None:
        transaction.on_commit(partial(resync_now, present))


def _stands_in_redis(period: Period, number: int) -> bool:
    """Whether somebody has a standing there, where nobody writes by the old rules any more."""
    try:
        if not ZsetSync(redis.exclusive_client()).replace_generation(period, number):
            raise _away()
        period.generation = number
        return bool(ZsetStore(redis.exclusive_client()).read(period, []).total)
    except Unavailable as error:
        raise _away() from error


def _away() -> StorageUnavailable:
    return StorageUnavailable("Redis decides for this board and is away, so its rules cannot change now; try again.")
