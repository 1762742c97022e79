"""What children do in tests of snapshots: begin competitions with scores, take what is due, and tell what is kept.

Each child finds times of its own around now, so what is due is named by its minutes from the start.
"""

from datetime import timedelta
from typing import Any

from competitions.models import Competition, Snapshot, SnapshotRow
from competitions.services.snapshot import take_due
from tests.competitions import site

PLAYERS = {f"p{number}": number for number in range(20)}


def begin() -> list[int]:
    """One in each storage, with the same scores; their numbers."""
    for storage in site.STORAGES:
        site.raced(site.open_competition(site.make_board(storage)), PLAYERS, site.START)
    return list(Competition.objects.order_by("pk").values_list("pk", flat=True))


def take(minutes: int) -> int:
    """Take what is due so long after the start; returns how many snapshots were taken."""
    return take_due(site.START + timedelta(minutes=minutes, seconds=50))


def kept() -> list[Any]:
    """Each snapshot: when it was due, whose it is, how many it counted, and how many rows it has."""
    return [
        [
            (snapshot.due_at - snapshot.competition.starts_at) // timedelta(minutes=1),
            snapshot.competition_id,
            snapshot.total,
            SnapshotRow.objects.filter(snapshot=snapshot).count(),
        ]
        for snapshot in Snapshot.objects.select_related("competition").order_by("due_at", "competition_id")
    ]
