"""Which families are stale, and what a divided period says of its partitions."""

from django.db import transaction
from django.db.models import Min

from leaderboards.models import ACTIVE_STATES, Part, Partition, Period


def stale_parts(has_partitions: bool = True) -> list[Part]:
    """Return the stale families, those that have been so for longest first; without partitions if there are none."""
    stale = Period.objects.filter(stale_since__isnull=False, partitions=1, state__in=ACTIVE_STATES)
    parts: list[Part] = [*stale.select_related("board").order_by("stale_since", "pk")]
    if has_partitions:
        of_divided = Partition.objects.filter(stale_since__isnull=False, period__state__in=ACTIVE_STATES)
        parts += of_divided.select_related("period__board").order_by("stale_since", "pk")
    return parts  # final periods are read from SQL


def note_stale_parts(part: Part) -> None:
    """Note on the period of a partition since when any of its partitions has been stale.

    The period is locked first, so that of two who note it the later one sees what both have changed.
    """
    if not isinstance(part, Partition):
        return
    with transaction.atomic():
        period = Period.objects.select_for_update().filter(pk=part.period_id)
        list(period.values_list("pk"))
        first = Partition.objects.filter(period=part.period_id).aggregate(first=Min("stale_since"))["first"]
        period.update(stale_since=first)
