"""Earlier ranks as a shadowed viewer sees them: they were ranked, and everybody below them stood one rank lower.

Snapshots hold the ranks without shadowed players, and a shadowed player's own rank beside them
(``RankHistoryEntry.moves_from``).
"""

from collections.abc import Collection
from typing import Any

from django.db.models import Q, QuerySet

from leaderboards.models import PeriodSnapshot, RankHistoryEntry
from leaderboards.selectors.visibility.restrictions import current_viewer


def snapshots_seen() -> QuerySet[PeriodSnapshot]:
    """Query the snapshots in which anybody was ranked; the viewer of ``viewing_as`` counts, even if shadowed then."""
    viewer = current_viewer()
    if viewer is None:
        return PeriodSnapshot.objects.filter(total__gt=0)
    own = RankHistoryEntry.objects.filter(player__external_id=viewer, moves_from__isnull=False)
    return PeriodSnapshot.objects.filter(Q(total__gt=0) | Q(pk__in=own.values("snapshot")))


def ranks_moved_from(snapshots: Collection[int] | QuerySet[PeriodSnapshot, Any]) -> dict[int, int]:
    """Return the rank from which others stood one lower, by snapshot (pk) in which the viewer was shadowed."""
    viewer = current_viewer()
    if viewer is None:
        return {}
    own = RankHistoryEntry.objects.filter(snapshot__in=snapshots, player__external_id=viewer)
    rows = own.filter(moves_from__isnull=False).values_list("snapshot", "moves_from")
    return {snapshot: rank for snapshot, rank in rows if rank is not None}


def rank_seen(rank: int, player: str, moved_from: int | None) -> int:
    """Return the ``rank`` of a player as the viewer sees it; their own is kept as it was."""
    is_moved = moved_from is not None and rank >= moved_from and player != current_viewer()
    return rank + 1 if is_moved else rank
