"""The look of each second at all boards: whether the mirror or settling has something to do
(``foundation/worker/find_due_work.py``).

It asks SQL for the living periods and Redis, in one round trip, whether it has each as SQL knows it.
"""

from collections.abc import Sequence

from foundation import clock
from foundation.redis import client as redis
from foundation.sync.mirroring import record_idle_run
from leaderboards.models import Period, Standing, Storage
from leaderboards.selectors.monitoring.lag import MIRROR
from leaderboards.services.sync.resync_periods import WATERMARK_TRANSACTIONS, active_periods, advance_watermark
from leaderboards.stores.redis.sync import ZsetSync

MIRROR_TASK, SETTLE_TASK = TASKS = ("leaderboards.tasks.mirror", "leaderboards.tasks.settle")


def find_due_work() -> list[str]:
    """Which of both have something to do. Raises what the link raises."""
    periods = list(active_periods().only("board__storage", "board", "label", "generation", "stale_since"))
    glance = ZsetSync(redis.resync_client()).read_overview(periods)
    strange = [each for each, there in zip(periods, glance.generations, strict=True) if there != each.generation]
    names = [MIRROR_TASK] if glance.dirty else []
    if strange or glance.announced or any(each.stale_since for each in periods) or _is_marked():
        names.append(SETTLE_TASK)
    if not glance.dirty and _follows(periods) and not _follows(strange):
        record_idle_run(MIRROR)
    advance_watermark(periods, clock.now(), WATERMARK_TRANSACTIONS)
    return names


def _is_marked() -> bool:
    """Whether Redis may lack a standing that SQL has marked."""
    return Standing.objects.filter(pending_publish=True, period__in=active_periods()).exists()


def _follows(periods: Sequence[Period]) -> bool:
    """Whether SQL follows Redis in any of these periods."""
    return any(each.board.storage == Storage.REDIS for each in periods)
