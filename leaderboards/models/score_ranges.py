"""Score ranges of a period: where they are cut, and how far filling new ones has come."""

from collections.abc import Iterable

from django.db import models

from leaderboards.core.range_steps import RangeIndex
from leaderboards.core.score_ranges import Place, place_of
from leaderboards.models.periods import Period


class ScoreRanges(models.Model):
    """The score ranges of a period (``core/score_ranges.py``). ``epoch`` is 0 while none are read.

    They hold under ``generations``, the sum of those of the partitions: each of these only grows. The next ones are
    being filled while ``next_epoch`` is not 0: the partitions before ``fill_partition`` are done (None: not begun), and
    of that one what is before ``fill_cursor``. ``fence`` numbers the runs that follow the partitions;
    ``lease_expires_at`` is set while one does. ``cut_at`` is when the last cuts were chosen, ``followed_at`` when all
    partitions were followed, ``compared_at`` when all players were counted on both sides.
    """

    period = models.OneToOneField(Period, models.CASCADE, related_name="score_ranges")
    epoch = models.BigIntegerField(default=0)
    slot = models.PositiveSmallIntegerField(default=0)
    cuts = models.JSONField(default=list)
    generations = models.BigIntegerField(default=0)
    next_epoch = models.BigIntegerField(default=0)
    next_cuts = models.JSONField(default=list)
    fill_partition = models.PositiveSmallIntegerField(null=True)
    fill_cursor = models.CharField(max_length=40, default="0")
    fence = models.BigIntegerField(default=0)
    lease_expires_at = models.DateTimeField(null=True)
    cut_at = models.DateTimeField(null=True)
    compared_at = models.DateTimeField(null=True)
    followed_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.period_id}: {self.epoch}"

    @property
    def index(self) -> RangeIndex | None:
        """The ranges that are read; None if there are none."""
        return RangeIndex(self.epoch, self.slot, places_of(self.cuts)) if self.epoch else None

    @property
    def next_index(self) -> RangeIndex | None:
        """The ranges that are being filled."""
        return RangeIndex(self.next_epoch, 1 - self.slot, places_of(self.next_cuts)) if self.next_epoch else None


def places_of(texts: Iterable[str]) -> tuple[Place, ...]:
    """Return cuts as they are stored."""
    return tuple(map(place_of, texts))


def generations_of(period: Period) -> int:
    """Return the sum of the generations of the period's partitions."""
    return sum(part.generation for part in period.parts)
