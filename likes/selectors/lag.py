"""What is late, for /readyz and operators: likes that nobody counts, and kinds that Redis decides over and SQL does not
follow. What SQL refuses is not late: it has a dead letter.
"""

from datetime import timedelta

from django.db.models import CharField, Count, Exists, Min, OuterRef, Value
from django.db.models.functions import Concat

from foundation import clock
from foundation.models import DeadLetter, Heartbeat
from likes import registry
from likes.core.kinds import Storage
from likes.models import LikeChange, LikeKind

COUNT_DEAD_LETTER_KIND = "likes"  # the kind of dead letters about ``kind:thing`` whose likes SQL would not count
MIRROR = "mirror_likes"  # the sign of life of a mirror run that missed nothing
MIRRORED_EVERY = timedelta(seconds=10)
COUNTED_WITHIN = timedelta(seconds=30)
RESYNCED_WITHIN = timedelta(seconds=30)


def lag() -> list[str]:
    """One sentence for each thing that is late."""
    return [*_uncounted(), *_unmirrored(), *_unsettled()]


def mirror_age() -> timedelta | None:
    """How long ago every like that only Redis had was copied to SQL; None for never."""
    return Heartbeat.silence(MIRROR, clock.now())


def _uncounted() -> list[str]:
    subject = Concat(OuterRef("kind"), Value(":"), OuterRef("thing"), output_field=CharField())
    dead = DeadLetter.objects.filter(kind=COUNT_DEAD_LETTER_KIND, resolved_at=None, subject=subject)
    late = LikeChange.objects.filter(~Exists(dead), at__lt=clock.now() - COUNTED_WITHIN)
    found = late.aggregate(count=Count("pk"), first=Min("at"))
    return [f"likes to count: {found['count']}, the first since {found['first']:%F %R} UTC"] if found["count"] else []


def _unmirrored() -> list[str]:
    if not any(likeable.storage is Storage.REDIS for likeable in registry.all_kinds()):
        return []
    silence = mirror_age()
    if silence is None:
        return ["likes that only Redis has were never copied to SQL"]
    if silence > MIRRORED_EVERY:
        return [f"likes that only Redis has were last copied to SQL {silence.total_seconds():.0f} s ago"]
    return []


def _unsettled() -> list[str]:
    late = LikeKind.objects.filter(stale_since__lt=clock.now() - RESYNCED_WITHIN)
    found = late.aggregate(count=Count("pk"), first=Min("stale_since"))
    if not found["count"]:
        return []
    return [f"kinds of likes that Redis lacks: {found['count']}, the first since {found['first']:%F %R} UTC"]
