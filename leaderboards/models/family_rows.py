"""What SQL knows of a family of standings in Redis: that of an undivided period, or of a partition of a period."""

from django.db import models

from foundation.sync.rows import SyncedRow
from leaderboards.models.fast_copy import FastCopyModel


class FamilyRow(FastCopyModel, SyncedRow):
    """The row of a family of standings (``SyncedRow``).

    During a full rebuild, ``rebuild_progress`` is the number of rows written; ``emptied_generation`` is the generation
    of the last full rebuild. ``verified_at`` is when it was compared with SQL, ``verify_cursor`` how far that came.
    """

    emptied_generation = models.BigIntegerField(default=0)
    rebuild_progress = models.BigIntegerField(default=0)
    verified_at = models.DateTimeField(null=True)
    verify_cursor = models.CharField(max_length=40, blank=True)

    class Meta:
        abstract = True
