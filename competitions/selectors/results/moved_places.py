"""Find the revisions that moved a player's place since their last notice.

Revisions may come faster than notices, so the latest revision need not be the cause. The trap: a stored document is
large, so it is read only for players who were not notified of it.
"""

import json
from collections.abc import Mapping

from competitions.models import NotificationProgress, Revision
from competitions.selectors.results.revisions import parts_of
from leaderboards.models import Player


class PlaceChanges:
    """Looks back from the latest revision."""

    def __init__(self, revision: Revision) -> None:
        """Documents are read on demand."""
        self._latest = revision
        self._earlier: list[tuple[Revision, int]] | None = None
        self._ranks: dict[int, Mapping[str, int]] = {}

    def since_notified(self, player: Player, notified_rank: int | None, rank: int | None) -> list[int]:
        """Return the numbers of the revisions that moved the player from ``notified_rank`` to ``rank``.

        None is no place. Raises ``Unavailable`` while an erasure rewrites a result.
        """
        numbers, next_rank, number = [], rank, self._latest.number
        for revision, last_player in self._earlier_revisions():
            rank_here = notified_rank if last_player >= player.pk else self._rank_in(revision, player)
            if rank_here != next_rank:
                numbers.append(number)
            if rank_here == notified_rank:
                break
            next_rank, number = rank_here, revision.number
        return sorted(numbers) or [self._latest.number]

    def _earlier_revisions(self) -> list[tuple[Revision, int]]:
        """Return the earlier revisions, latest first, each with the last player who was notified of it."""
        if self._earlier is None:
            rows = Revision.objects.filter(competition=self._latest.competition_id, number__lt=self._latest.number)
            last_player = dict(
                NotificationProgress.objects.filter(revision__in=rows).values_list("revision", "last_player")
            )
            self._earlier = [(row, last_player.get(row.pk, 0)) for row in rows.order_by("-number")]
        return self._earlier

    def _rank_in(self, revision: Revision, player: Player) -> int | None:
        if revision.pk not in self._ranks:
            document = json.loads(b"".join(parts_of(revision)))
            self._ranks[revision.pk] = {row["player"]: row["rank"] for row in document["rows"]}
        return self._ranks[revision.pk].get(player.external_id)
