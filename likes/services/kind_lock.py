"""The lock on a kind's row in SQL; counting, mirroring and repairing a kind take it.

The trap: holding it for long blocks all other work on the kind, except for ``try_lock_kind``.
"""

from likes.models import LikeKind
from likes.registry import Likeable


def lock_kind(likeable: Likeable) -> None:
    """Lock the kind's row until this transaction ends; wait if it is locked."""
    LikeKind.objects.select_for_update().get_or_create(kind=likeable.kind, defaults={"storage": likeable.storage})


def try_lock_kind(likeable: Likeable) -> bool:
    """As ``lock_kind``, without waiting: False if it is locked."""
    LikeKind.objects.get_or_create(kind=likeable.kind, defaults={"storage": likeable.storage})
    return LikeKind.objects.select_for_update(skip_locked=True).filter(kind=likeable.kind).exists()
