"""Which revisions of a result moved a player's place since they were last told it.

Revisions may follow one another faster than people are told: then the latest one need not be why a place is another.
The trap: a stored document is large, so one is read only where somebody has not heard of it.
"""

import json
from collections.abc import Mapping

from competitions.models import NotificationProgress, Revision
from competitions.selectors.results.revisions import parts_of
from leaderboards.models import Player


class PlaceChanges:
    """Looks back from one revision, which is the latest."""

    def __init__(self, revision: Revision) -> None:
        """Nothing is read before somebody is asked for."""
        self._latest = revision
        self._earlier: list[tuple[Revision, int]] | None = None
        self._ranks: dict[int, Mapping[str, int]] = {}

    def since_notified(self, player: Player, was: int | None, rank: int | None) -> list[int]:
        """The numbers of the revisions that moved the player from ``was``, which they were told last, to ``rank``.

        Places are None for no place. Raises ``Unavailable`` while an erasure writes a result anew.
        """
        found, after, number = [], rank, self._latest.number
        for revision, last_player in self._told_before():
            known = was if last_player >= player.pk else self._rank_in(revision, player)
            if known != after:
                found.append(number)
            if known == was:
                break
            after, number = known, revision.number
        return sorted(found) or [self._latest.number]

    def _told_before(self) -> list[tuple[Revision, int]]:
        """The revisions before, the latest first, each with the player up to whom it was told."""
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
