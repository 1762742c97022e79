"""Delete the notices of old competitions, and most of their snapshots; a coarse rank history stays.

It works in small batches, each a transaction of its own, and can be interrupted and repeated.
"""

from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q, QuerySet

from competitions.models import Competition, Notice, Snapshot
from foundation.sunwi_settings import sunwi_settings

BATCH = 1000
STEPS = 48  # the number of snapshots that an old competition keeps


def retain_due(at: datetime) -> int:
    """Delete old notices and snapshots; returns how many were deleted."""
    before = at - timedelta(days=sunwi_settings.KEEP_RECORDS_DAYS)
    over = Competition.objects.filter(Q(final_at__lt=before) | Q(cancelled_at__lt=before))
    deleted = _delete_in_batches(Notice.objects.filter(competition__in=over))
    for competition in over.only("pk"):
        deleted += _thin_snapshots(competition)
    return deleted


def _thin_snapshots(competition: Competition) -> int:
    """Keep every n-th snapshot, counted from the last one, so that about ``STEPS`` are left."""
    numbers = list(competition.snapshots.order_by("-due_at").values_list("pk", flat=True))
    step = -(-len(numbers) // STEPS)
    surplus = [pk for nth, pk in enumerate(numbers) if nth % step]
    for pk in surplus:  # one by one: each may have ten thousand rows
        Snapshot.objects.filter(pk=pk).delete()
    return len(surplus)


def _delete_in_batches(rows: QuerySet[Any]) -> int:
    deleted = 0
    while batch := list(rows.values_list("pk", flat=True)[:BATCH]):
        rows.model._default_manager.filter(pk__in=batch).delete()
        deleted += len(batch)
    return deleted
