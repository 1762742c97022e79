"""Snapshots of the best ranks of running periods, for movement and a player's rank over time.

Players below the best have no rows. Nothing else depends on these rows; they may be deleted at any time.
"""

from typing import ClassVar

from django.db import models

from leaderboards.models.periods import Period
from leaderboards.models.players import Player


class PeriodSnapshot(models.Model):
    """A snapshot of a period's best ranks; one per ``due_at``, the time of the grid.

    ``total`` is the number of ranked players; ``is_whole`` is set if each of them has a row.
    """

    period = models.ForeignKey(Period, models.CASCADE, related_name="snapshots", db_index=False)
    due_at = models.DateTimeField()
    taken_at = models.DateTimeField()
    total = models.BigIntegerField()
    is_whole = models.BooleanField()

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["period", "due_at"], name="period_snapshot_unique")]

    def __str__(self) -> str:
        return f"{self.period_id} {self.due_at:%F %T}"


BELOW_ALL = 2**62  # as ``moves_from``: nobody stands lower


class RankHistoryEntry(models.Model):
    """A player's rank in a snapshot, with scaled ``points``, or ``fields`` on boards of criteria.

    ``moves_from`` is set for a player who was shadowed. They had ``rank`` in their own view alone, and there every
    other player from the rank ``moves_from`` stood one rank lower. ``BELOW_ALL``: nobody did, as the rank was shared.
    """

    pk = models.CompositePrimaryKey("snapshot_id", "player_id")
    snapshot = models.ForeignKey(PeriodSnapshot, models.CASCADE, related_name="ranks", db_index=False)
    player = models.ForeignKey(Player, models.CASCADE, related_name="rank_history")
    rank = models.BigIntegerField()
    points = models.BigIntegerField(null=True)
    fields = models.JSONField(null=True)
    moves_from = models.BigIntegerField(null=True)

    def __str__(self) -> str:
        return f"{self.snapshot_id}/{self.rank}"
