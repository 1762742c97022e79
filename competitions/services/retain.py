"""Letting go what competitions of long ago were told, and most of their snapshots: the history keeps its shape.

Small batches, each a transaction of its own; run twice or cut off, it goes on where it was.
"""

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Q, QuerySet

from competitions.models import Competition, Notice, Snapshot

BATCH = 1000
STEPS = 48  # of a history, once its competition is long over


def retain_due(at: datetime) -> int:
    """Thin out what is old; returns how many notices and snapshots went."""
    before = at - timedelta(days=settings.KEEP_RECORDS_DAYS)
    over = Competition.objects.filter(Q(final_at__lt=before) | Q(cancelled_at__lt=before))
    gone = _delete(Notice.objects.filter(competition__in=over))
    for competition in over.only("pk"):
        gone += _thin(competition)
    return gone


def _thin(competition: Competition) -> int:
    """Leave every so manieth snapshot, the last one among them."""
    taken = list(competition.snapshots.order_by("-due_at").values_list("pk", flat=True))
    step = -(-len(taken) // STEPS)
    gone = [pk for nth, pk in enumerate(taken) if nth % step]
    for pk in gone:  # each may have ten thousand rows
        Snapshot.objects.filter(pk=pk).delete()
    return len(gone)


def _delete(rows: QuerySet[Any]) -> int:
    gone = 0
    while batch := list(rows.values_list("pk", flat=True)[:BATCH]):
        rows.model._default_manager.filter(pk__in=batch).delete()
        gone += len(batch)
    return gone
