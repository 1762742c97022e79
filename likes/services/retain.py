"""Letting go of likes that were taken back: the row of a like stays for a day, since a late mirror must not revive it.

Of kinds that Redis decides over it stays: there the version in it is what a late state is compared with.
"""

from datetime import datetime, timedelta

from likes import registry
from likes.core.kinds import Storage
from likes.models import Like

KEPT = timedelta(days=1)
CHUNK = 5_000


def retain(at: datetime) -> int:
    """Let go of what was taken back more than a day ago; returns how many rows went."""
    kinds = [likeable.kind for likeable in registry.all_kinds() if likeable.storage != Storage.REDIS]
    old = Like.objects.filter(kind__in=kinds, amount=0, at__lt=at - KEPT).order_by("pk")
    gone, found = 0, CHUNK
    while found == CHUNK:
        # Asked for again in the DELETE itself: a like that was given anew meanwhile stays.
        chosen = list(old.values_list("pk", flat=True)[:CHUNK])
        found = len(chosen)
        gone += Like.objects.filter(pk__in=chosen, amount=0).delete()[0]
    return gone
