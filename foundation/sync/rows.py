"""What SQL knows of each family of keys in Redis that is kept in step with it."""

from typing import Any

from django.db import models
from django.db.models import QuerySet


class SyncedRow(models.Model):
    """The row beside a family of keys.

    ``generation`` must equal Redis's own before anything is read or written there. ``stale_since`` is set while Redis
    may lack something: nobody reads there. ``needs_full_rebuild`` while it may lack everything. ``lease_expires_at`` is
    the lease of who brings it back.
    """

    generation = models.BigIntegerField(default=0)
    stale_since = models.DateTimeField(null=True)
    needs_full_rebuild = models.BooleanField(default=False)
    lease_expires_at = models.DateTimeField(null=True)

    class Meta:
        abstract = True

    @property
    def as_queryset(self) -> "QuerySet[Any]":
        """The row as a query."""
        return type(self)._default_manager.filter(pk=self.pk)

    @property
    def same_generation(self) -> "QuerySet[Any]":
        """The same while nobody gave it another generation than this one."""
        return self.as_queryset.filter(generation=self.generation)


class DrawnGeneration(models.Model):
    """A row drawn for its number alone: numbers grow and are never used again, also after a rollback."""

    drawn_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "leaderboards_drawngeneration"  # where it was made: a table of numbers is not moved

    def __str__(self) -> str:
        return str(self.pk)
