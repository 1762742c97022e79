"""Find out each second which work on boards that Redis keeps is due (``foundation/worker/due.py``).

It reads the active periods from SQL, and their generations and marks from Redis in one round trip.
"""

from collections.abc import Sequence

from foundation import clock
from foundation.redis import client as redis
from foundation.sync.mirroring import record_idle_run
from leaderboards.models import Part, Standing, Storage
from leaderboards.selectors.catalog.parts import parts_of
from leaderboards.selectors.monitoring.lag import MIRROR
from leaderboards.services.sync.resync_periods import WATERMARK_TRANSACTIONS, active_periods, advance_watermark
from leaderboards.stores.redis.sync import ZsetSync

MIRROR_TASK, SETTLE_TASK, RANGES_TASK = TASKS = (
    "leaderboards.tasks.mirror",
    "leaderboards.tasks.settle",
    "leaderboards.tasks.follow_score_ranges",
)


def find_due_work() -> list[str]:
    """Return the names of the tasks that have work. Raises what the client raises."""
    columns = ("board__storage", "board", "label", "rules_json", "partitions", "generation", "stale_since")
    parts = parts_of(active_periods().only(*columns))
    overview = ZsetSync(redis.resync_client()).read_overview(parts)
    pairs = zip(parts, overview.generations, strict=True)
    mismatched = [part for part, generation in pairs if generation != part.generation]
    tasks = [MIRROR_TASK] if overview.dirty else []
    stale = any(each.stale_since or each.period.stale_since for each in parts)
    if mismatched or overview.announced or stale or _has_pending_publish():
        tasks.append(SETTLE_TASK)
    if any(each.family.has_ranges for each in parts):
        tasks.append(RANGES_TASK)
    if not overview.dirty and _any_mirrored(parts) and not _any_mirrored(mismatched):
        record_idle_run(MIRROR)
    advance_watermark(parts, clock.now(), WATERMARK_TRANSACTIONS)
    return tasks


def _has_pending_publish() -> bool:
    """Whether SQL has marked a standing that Redis may lack."""
    return Standing.objects.filter(pending_publish=True, period__in=active_periods()).exists()


def _any_mirrored(parts: Sequence[Part]) -> bool:
    """Whether Redis decides any of these families."""
    return any(each.board.storage == Storage.REDIS for each in parts)
