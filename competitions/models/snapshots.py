"""Stored standings of a competition at a moment, for rank history and rank alerts."""

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from competitions.models.competitions import Competition
from leaderboards.models import Player


class Snapshot(models.Model):
    """The standings of a competition at a moment. ``due_at`` is the scheduled time, one snapshot for each.

    ``total`` counts all ranked players, also those beyond the stored rows. ``compared_at`` is when its rank alerts
    were written.
    """

    competition = models.ForeignKey(
        Competition, models.CASCADE, related_name="snapshots", verbose_name=_("competition")
    )
    due_at = models.DateTimeField(_("due"))
    taken_at = models.DateTimeField(_("taken"))
    total = models.BigIntegerField(_("players"))
    compared_at = models.DateTimeField(_("compared at"), null=True)

    class Meta:
        ordering = ("competition", "due_at")
        verbose_name = _("snapshot")
        verbose_name_plural = _("snapshots")
        constraints: ClassVar = [models.UniqueConstraint(fields=["competition", "due_at"], name="snapshot_unique")]
        indexes: ClassVar = [
            models.Index(fields=["due_at"], condition=Q(compared_at=None), name="snapshot_to_compare"),
        ]

    def __str__(self) -> str:
        return f"{self.competition_id} {self.due_at:%F %T}"


class SnapshotRow(models.Model):
    """A row of a snapshot. ``points`` are scaled as in the standings; boards of criteria have ``fields`` instead."""

    snapshot = models.ForeignKey(Snapshot, models.CASCADE, related_name="rows", db_index=False)
    player = models.ForeignKey(Player, models.CASCADE, related_name="snapshot_rows")
    rank = models.BigIntegerField()
    points = models.BigIntegerField(null=True)
    fields = models.JSONField(null=True)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["snapshot", "player"], name="snapshot_row_unique")]

    def __str__(self) -> str:
        return f"{self.snapshot_id}/{self.rank}"
