"""Give changed rules of a board to its periods that have not begun. Once a period has begun, its rules never change.

The trap: a change may be saved before a period begins and committed after that. So the time is read from SQL under the
period's barrier, and the period gets a new generation, so that writers that know the old rules are refused.
"""

from datetime import timedelta
from functools import partial
from typing import Any

from django.db import transaction

from foundation import clock
from foundation.errors import Unavailable
from foundation.messages import Message
from foundation.redis import client as redis
from foundation.sync import barrier, generations
from leaderboards.errors import StorageUnavailable
from leaderboards.models import IN_REDIS, Board, Partition, Period, PeriodState, Standing, Storage
from leaderboards.services.periods.delete_replaced import delete_keys
from leaderboards.services.periods.partitions import replace_partitions
from leaderboards.services.sync.resync_periods import resync_now
from leaderboards.stores.redis.reads import ZsetStore
from leaderboards.stores.redis.sync import ZsetSync

A_DAY = timedelta(days=1)  # for clock errors: SQL's clock decides whether these periods have begun


def refresh_rules(board: Board) -> None:
    """Give the board's rules to its periods that have not begun. Competitions keep the rules that were announced.

    Raises ``ClockOff``, and ``StorageUnavailable`` if Redis decides for the board and is unavailable: then let the
    caller's transaction roll back.
    """
    if board.is_event:
        return
    rules = board.rules.to_json()
    upcoming = Period.objects.filter(board=board, state=PeriodState.OPEN, starts_at__gt=clock.now() - A_DAY)
    for period in upcoming.exclude(rules_json=rules, partitions=board.partitions).order_by("pk"):
        _refresh(period, rules, board.partitions)


@transaction.atomic
def _refresh(period: Period, rules: dict[str, Any], partitions: int) -> None:
    generation = generations.next_generation()
    barrier.hold_exclusive(period.pk)
    present = Period.objects.select_related("board").get(pk=period.pk)
    if _is_fixed(present):
        return
    if present.board.storage == Storage.REDIS and present.stale_since is None:
        if _has_standings_in_redis(present, generation):
            rules = present.rules_json
    elif present.board.storage in IN_REDIS:
        present.stale_since, present.needs_full_rebuild = present.stale_since or clock.now(), True
    present.rules_json, present.generation = rules, generation
    present.save(update_fields=["rules_json", "generation", "stale_since", "needs_full_rebuild"])
    if present.board.storage == Storage.HYBRID and (present.is_divided or partitions > 1):
        former = replace_partitions(present, partitions)
        transaction.on_commit(partial(delete_keys, present, former))
    elif present.is_divided:
        Partition.objects.filter(period=present).update(generation=generation)
    if present.stale_since is not None:
        transaction.on_commit(partial(resync_now, present))


def _is_fixed(period: Period) -> bool:
    """Whether the period has begun or SQL has a standing of it. Raises ``ClockOff``."""
    if period.starts_at is None or period.starts_at <= clock.trusted_now():
        return True
    standings = Standing.objects.filter(period=period)
    if period.board.storage != Storage.DYNAMODB:  # which has the scores of these players
        standings = standings.filter(score__isnull=False)
    return standings.exists()


def _has_standings_in_redis(period: Period, generation: int) -> bool:
    """Lock out writers with the new generation, and return whether Redis has any standing. Raises if it cannot."""
    store = ZsetSync(redis.exclusive_client())
    try:
        for part in period.parts:
            if not store.replace_generation(part, generation):
                raise _redis_unavailable()
            part.generation = generation
        return any(ZsetStore(redis.exclusive_client()).read(part, []).total for part in period.parts)
    except Unavailable as error:
        raise _redis_unavailable() from error


def _redis_unavailable() -> StorageUnavailable:
    return StorageUnavailable(
        Message("Redis decides for this board and is away, so its rules cannot change now; try again.")
    )
