"""The sync state that SQL has of a family of keys in Redis."""

from typing import Any

from django.db import models
from django.db.models import QuerySet


class SyncedRow(models.Model):
    """The row of a family of keys.

    ``generation`` must equal Redis's before anything is read or written there. ``stale_since`` is set while Redis may
    lack something; then it is not read. ``needs_full_rebuild`` is set while it may lack everything.
    ``lease_expires_at`` is set while a worker resyncs the row.
    """

    generation = models.BigIntegerField(default=0)
    stale_since = models.DateTimeField(null=True)
    needs_full_rebuild = models.BooleanField(default=False)
    lease_expires_at = models.DateTimeField(null=True)

    class Meta:
        abstract = True

    @property
    def as_queryset(self) -> "QuerySet[Any]":
        """A queryset of this row alone."""
        return type(self)._default_manager.filter(pk=self.pk)

    @property
    def same_generation(self) -> "QuerySet[Any]":
        """A queryset of this row; empty if its generation in SQL is no longer the one loaded here."""
        return self.as_queryset.filter(generation=self.generation)


class DrawnGeneration(models.Model):
    """The source of generations: only its sequence is used (``generations``)."""

    drawn_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = (
            "leaderboards_drawngeneration"  # its first home: renaming the table would break rollbacks of a release
        )

    def __str__(self) -> str:
        return str(self.pk)
