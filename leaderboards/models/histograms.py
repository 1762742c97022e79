"""Histograms of running periods with many players. Nothing else depends on these rows; they may be deleted any time."""

from datetime import datetime, timedelta
from typing import ClassVar

from django.db import models

from leaderboards.core.ranking.histogram import Histogram
from leaderboards.models.periods import Period

EVERY = timedelta(seconds=60)
COST_SHARE = 20  # what took long is taken less often: at most a twentieth of the time goes into one period
RUNS_UNTIL_LATE = 5
RUNS_UNTIL_USELESS = 10  # an older histogram is not shown
OLDEST = timedelta(hours=1)  # nor is one of a period whose runs take long


class PeriodHistogram(models.Model):
    """The latest histogram of a period: ``content`` is ``Histogram.to_bytes`` of the players shown at ``taken_at``.

    ``tried_at`` is when the last run began, and ``took_ms`` how long it took, whether or not it came to an end. Before
    the first that did, ``taken_at`` is null.
    """

    period = models.OneToOneField(Period, models.CASCADE, primary_key=True, related_name="histogram")
    tried_at = models.DateTimeField()
    took_ms = models.BigIntegerField()
    taken_at = models.DateTimeField(null=True)
    content = models.BinaryField()

    class Meta:
        indexes: ClassVar = [models.Index(fields=["taken_at"], name="period_histogram_taken")]

    def __str__(self) -> str:
        return f"{self.period_id} {self.taken_at:%F %T}" if self.taken_at else f"{self.period_id}"

    @property
    def interval(self) -> timedelta:
        """How long after a run the next one is due."""
        return max(EVERY, COST_SHARE * timedelta(milliseconds=self.took_ms))

    def is_due(self, at: datetime) -> bool:
        """Whether a new one is to be taken. Beat's own delays may make a run some seconds early."""
        return at - self.tried_at >= self.interval * 0.9

    def is_late(self, at: datetime) -> bool:
        """Whether several runs should have replaced the histogram and did not."""
        return self.taken_at is not None and at - self.taken_at > min(RUNS_UNTIL_LATE * self.interval, OLDEST)

    def age_seconds(self, at: datetime) -> int:
        """Return for how many whole seconds the histogram has been there; 0 before the first."""
        return max(0, int((at - self.taken_at).total_seconds())) if self.taken_at else 0

    @property
    def useful_for(self) -> timedelta:
        """How old the histogram may be while it is shown."""
        return min(RUNS_UNTIL_USELESS * self.interval, OLDEST)

    def read(self) -> Histogram:
        """Return the histogram. Raises ``ValueError`` for a form of another release."""
        return Histogram.from_bytes(bytes(self.content))
