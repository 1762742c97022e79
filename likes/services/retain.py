"""Delete the rows of likes that were taken back, after a day, so that a late mirror cannot revive them.

For kinds that Redis decides the rows stay: a late state is compared with the version in the row.
"""

from datetime import datetime, timedelta

from likes import registry
from likes.core.kinds import Storage
from likes.models import Like

KEPT = timedelta(days=1)
CHUNK = 5_000


def retain(at: datetime) -> int:
    """Delete likes that were taken back more than a day ago; return how many rows."""
    kinds = [likeable.kind for likeable in registry.all_kinds() if likeable.storage != Storage.REDIS]
    old = Like.objects.filter(kind__in=kinds, amount=0, at__lt=at - KEPT).order_by("pk")
    deleted, size = 0, CHUNK
    while size == CHUNK:
        numbers = list(old.values_list("pk", flat=True)[:CHUNK])
        size = len(numbers)
        # The amount is checked again, so that a like that was given again meanwhile stays.
        deleted += Like.objects.filter(pk__in=numbers, amount=0).delete()[0]
    return deleted
