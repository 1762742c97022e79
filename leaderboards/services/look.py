"""The look of each second at all boards: whether the mirror or settling has something to do (``foundation/due.py``).

It asks SQL for the living periods and Redis, in one round trip, whether it has each as SQL knows it.
"""

from collections.abc import Sequence

from foundation import clock, redis
from foundation.sync.mirroring import nothing_left
from leaderboards.models import Period, Standing, Storage
from leaderboards.selectors.lag import MIRROR
from leaderboards.services.settle import FOLLOWED_APART, living, note_followed
from leaderboards.stores.zset_settling import ZsetSettler

MIRROR_TASK, SETTLE_TASK = TASKS = ("leaderboards.tasks.mirror", "leaderboards.tasks.settle")


def due() -> list[str]:
    """Which of both have something to do. Raises what the link raises."""
    periods = list(living().only("board__storage", "board", "label", "generation", "stale_since"))
    glance = ZsetSettler(redis.settling()).glance(periods)
    strange = [each for each, there in zip(periods, glance.generations, strict=True) if there != each.generation]
    names = [MIRROR_TASK] if glance.dirty else []
    if strange or glance.announced or any(each.stale_since for each in periods) or _is_marked():
        names.append(SETTLE_TASK)
    if not glance.dirty and _follows(periods) and not _follows(strange):
        nothing_left(MIRROR)
    note_followed(periods, clock.now(), FOLLOWED_APART)
    return names


def _is_marked() -> bool:
    """Whether Redis may lack a standing that SQL has marked."""
    return Standing.objects.filter(unput=True, period__in=living()).exists()


def _follows(periods: Sequence[Period]) -> bool:
    """Whether SQL follows Redis in any of these periods."""
    return any(each.board.storage == Storage.REDIS for each in periods)
