"""A kind's row in SQL: whoever counts or repairs the kind holds it; and a kind that is kept another way than before.

Counts live elsewhere in each storage, rows do not. So a kind that moved has its counts made of its rows, before
anybody counts in the new place.
"""

from django.db import transaction

from likes.core.kinds import Storage
from likes.models import LikeKind
from likes.registry import Likeable
from likes.stores.sql_counts import put_right, things_after

CHUNK = 500


def hold(likeable: Likeable) -> None:
    """Wait for whoever counts the kind, and let nobody else until this transaction ends."""
    LikeKind.objects.select_for_update().get_or_create(kind=likeable.kind, defaults={"storage": likeable.storage})


def held(likeable: Likeable) -> bool:
    """The same without waiting: False where somebody is at it."""
    LikeKind.objects.get_or_create(kind=likeable.kind, defaults={"storage": likeable.storage})
    return LikeKind.objects.select_for_update(skip_locked=True).filter(kind=likeable.kind).exists()


def adopt(likeable: Likeable) -> None:
    """Make the counts of a kind that SQL decides over and that moved here. Nothing where it did not move."""
    moved = LikeKind.objects.filter(kind=likeable.kind).exclude(storage=likeable.storage)
    if likeable.storage == Storage.REDIS or not moved.exists():
        return
    with transaction.atomic():
        hold(likeable)
        place = ""
        while things := things_after(likeable.kind, place, CHUNK):
            likeable.counted(put_right(likeable.kind, likeable.storage, things))
            place = things[-1]
        moved.update(storage=likeable.storage, generation=0, stale_since=None)
