"""A kind's row in SQL: who counts, mirrors or repairs the kind holds it.

The trap: who holds it for long keeps everybody else of the kind waiting, except for those who would not wait.
"""

from likes.models import LikeKind
from likes.registry import Likeable


def lock_kind(likeable: Likeable) -> None:
    """Wait for the one who counts the kind, and let nobody else until this transaction ends."""
    LikeKind.objects.select_for_update().get_or_create(kind=likeable.kind, defaults={"storage": likeable.storage})


def try_lock_kind(likeable: Likeable) -> bool:
    """The same without waiting: False where somebody is at it."""
    LikeKind.objects.get_or_create(kind=likeable.kind, defaults={"storage": likeable.storage})
    return LikeKind.objects.select_for_update(skip_locked=True).filter(kind=likeable.kind).exists()
