"""Problems of likes for /readyz: likes that are not counted in time, and kinds of Redis that SQL does not follow.

Likes that SQL refuses do not count as late: they have a dead letter.
"""

from datetime import timedelta

from django.db.models import CharField, Count, Exists, Min, OuterRef, Value
from django.db.models.functions import Concat

from foundation import clock
from foundation.models import DeadLetter, Heartbeat
from likes import registry
from likes.core.kinds import Storage
from likes.models import LikeChange, LikeKind

COUNT_DEAD_LETTER_KIND = "likes"  # dead letters about ``kind:thing`` whose likes SQL refused to count
MIRROR = "mirror_likes"  # the heartbeat of mirror runs that copied everything
MIRRORED_EVERY = timedelta(seconds=10)
COUNTED_WITHIN = timedelta(seconds=30)
RESYNCED_WITHIN = timedelta(seconds=30)


def lag() -> list[str]:
    """One sentence for each problem."""
    return [*_uncounted(), *_unmirrored(), *_stale()]


def mirror_age() -> timedelta | None:
    """The time since the last complete mirror run; None if there was none."""
    return Heartbeat.silence(MIRROR, clock.now())


def _uncounted() -> list[str]:
    subject = Concat(OuterRef("kind"), Value(":"), OuterRef("thing"), output_field=CharField())
    dead = DeadLetter.objects.filter(kind=COUNT_DEAD_LETTER_KIND, resolved_at=None, subject=subject)
    late = LikeChange.objects.filter(~Exists(dead), at__lt=clock.now() - COUNTED_WITHIN)
    total = late.aggregate(count=Count("pk"), first=Min("at"))
    return [f"likes to count: {total['count']}, the first since {total['first']:%F %R} UTC"] if total["count"] else []


def _unmirrored() -> list[str]:
    if not any(likeable.storage is Storage.REDIS for likeable in registry.all_kinds()):
        return []
    silence = mirror_age()
    if silence is None:
        return ["likes that only Redis has were never copied to SQL"]
    if silence > MIRRORED_EVERY:
        return [f"likes that only Redis has were last copied to SQL {silence.total_seconds():.0f} s ago"]
    return []


def _stale() -> list[str]:
    late = LikeKind.objects.filter(stale_since__lt=clock.now() - RESYNCED_WITHIN)
    total = late.aggregate(count=Count("pk"), first=Min("stale_since"))
    if not total["count"]:
        return []
    return [f"kinds of likes that Redis lacks: {total['count']}, the first since {total['first']:%F %R} UTC"]
