"""Have score ranges follow the partitions of each period that has them, cut them, and cut them anew where one grows
hot.

The steps are in ``core/range_steps.py``. SQL knows where a period is cut and numbers the runs; a lease only saves work,
since ranges refuse what an earlier run has sent. Ranges hold under the generations of all partitions: when one is drawn
anew, they are not read any more, and made anew.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import F, Q
from django.db.models.functions import Now

from foundation import clock
from foundation.errors import Unavailable
from foundation.failpoints import failpoint
from foundation.redis import client as redis
from foundation.sync import generations
from foundation.worker.each import for_each
from leaderboards.core.instants import milliseconds
from leaderboards.core.range_steps import (
    IndexLost,
    Pass,
    RangeIndex,
    beginning,
    dropping,
    filling,
    passing,
    preparing,
)
from leaderboards.core.ranking.rules import Order
from leaderboards.core.score_ranges import choose_cuts, counts_at_cuts, is_hot
from leaderboards.models import Period, ScoreRanges, generations_of
from leaderboards.selectors.catalog.parts import load_parts
from leaderboards.services.sync.resync_periods import active_periods
from leaderboards.stores.redis.score_ranges import RangeRefused, RangeStore

logger = logging.getLogger(__name__)

LEASE = timedelta(seconds=10)
RUN_SECONDS = 0.7  # for passes, and for filling, of a period; then the next run goes on
RECUT_AFTER = timedelta(minutes=1)
COMPARE_AFTER = timedelta(minutes=5)


def follow_all(at: datetime) -> int:
    """Let the ranges of all running periods follow their partitions; returns how many do."""
    ScoreRanges.objects.exclude(period__in=active_periods()).delete()
    has_begun = Q(starts_at=None) | Q(starts_at__lte=at)
    periods = list(active_periods().filter(has_begun, partitions__gt=1, rules_json__score_ranges=True))
    load_parts(periods)
    return sum(for_each(periods, lambda period: follow(period, at)))


def follow(period: Period, at: datetime) -> bool:
    """Let the ranges of a period follow its partitions, if nobody does; whether they follow all of them now.

    What Redis refuses or does not answer is for the next run.
    """
    if period.is_stale:
        return False
    ScoreRanges.objects.get_or_create(period=period)
    row = _take_lease(period)
    if row is None:
        return False
    run = _Run(period, row, at)
    try:
        return run.run()
    except IndexLost:
        logger.warning("the score ranges of period %s are not whole: they are made anew", period)
        run.forget()
    except Unavailable as error:
        logger.info("the score ranges of period %s follow later: %s", period, error.detail)
    finally:
        ScoreRanges.objects.filter(pk=row.pk, fence=row.fence).update(lease_expires_at=None)
    return False


def _take_lease(period: Period) -> ScoreRanges | None:
    """Take the lease under a new fence; None if another run has it."""
    rows = ScoreRanges.objects.filter(period=period)
    free = rows.filter(
        Q(lease_expires_at=None) | Q(lease_expires_at__lt=Now()) | Q(lease_expires_at__gt=Now() + 6 * LEASE)
    )
    if not free.update(lease_expires_at=Now() + LEASE, fence=F("fence") + 1):
        return None
    return rows.get()


@dataclass
class _Run:
    """One run for a period."""

    period: Period
    row: ScoreRanges
    at: datetime
    passes: int = 0

    def __post_init__(self) -> None:
        self._store = RangeStore(redis.resync_client(), self.period)
        self._begun = clock.monotonic()

    def run(self) -> bool:
        """Make what is lacking, follow, and fill. Returns whether all partitions are followed."""
        if self.row.generations != generations_of(self.period):
            self.forget()
        self._make_ready()
        found = self._pass()
        if found.whole and self.row.next_index:
            found = self._fill(self.row.next_index)
        elif found.whole and self.row.index:
            self._compare(self.row.index, found.sizes[self.row.epoch])
            if self._is_due_for_a_cut(found.sizes[self.row.epoch]):
                self._cut()
        if found.whole:
            self.save(followed_at=self.at)
        return found.whole and bool(self.row.epoch)

    def _make_ready(self) -> None:
        """Have ranges to follow with: do what an earlier run did not come to."""
        if self.row.next_index and self.row.fill_partition == self.period.partitions:
            self._switch(self.row.next_index)
        if not self.row.epoch and not self.row.next_epoch:
            self._cut()
        if self.row.next_index and self.row.fill_partition is None:
            self._store.run(preparing(self.row.next_index, self.period.partitions, self.row.fence))
            failpoint("ranges.after_prepared")
            self.save(fill_partition=0, fill_cursor="0")

    def forget(self) -> None:
        """Delete the ranges, to be made anew."""
        for index in self._indexes:
            self._store.run(dropping(index, self.period.partitions))
        failpoint("ranges.after_dropped")
        self.save(epoch=0, next_epoch=0, generations=generations_of(self.period))

    def save(self, **values: Any) -> None:
        """Save columns, if this is still the last run. Raises ``RangeRefused``."""
        if not ScoreRanges.objects.filter(pk=self.row.pk, fence=self.row.fence).update(**values):
            raise RangeRefused("Another run follows by now.")
        for name, value in values.items():
            setattr(self.row, name, value)

    @property
    def _indexes(self) -> Sequence[RangeIndex]:
        return [index for index in (self.row.index, self.row.next_index) if index]

    def _is_over(self) -> bool:
        return clock.monotonic() - self._begun > RUN_SECONDS

    def _pass(self) -> Pass:
        """Pass until all notes were read that there are now, or time is over."""
        as_of = milliseconds(clock.now())
        found = self._store.run(beginning(self._indexes, self.period.partitions, self.row.fence))
        while not found.whole:
            self.passes += 1
            found = self._store.run(passing(self._indexes, self.row.fence, self.passes, as_of, found))
            failpoint("ranges.after_a_pass")
            if self._is_over():
                break
        return found

    def _cut(self) -> None:
        """Choose cuts for ranges that are to be filled."""
        cuts = choose_cuts(self._store.sample(), self.period.partitions)
        self.save(
            next_epoch=generations.next_generation(),
            next_cuts=[cut.text for cut in cuts],
            fill_partition=None,
            cut_at=self.at,
        )

    def _compare(self, index: RangeIndex, sizes: Sequence[int]) -> None:
        """Count the players of each range in their partitions, at times. Raises ``IndexLost`` if ranges have others."""
        if self.row.compared_at is not None and self.at - self.row.compared_at < COMPARE_AFTER:
            return
        if (counts := self._store.counts_before(index.cuts)) is not None:
            if counts != counts_at_cuts(sizes, len(index.cuts), self.period.rules.order is Order.DESC):
                raise IndexLost
            self.save(compared_at=self.at)

    def _is_due_for_a_cut(self, sizes: Sequence[int]) -> bool:
        is_rested = self.row.cut_at is None or self.at - self.row.cut_at >= RECUT_AFTER
        return is_rested and is_hot(sizes)

    def _fill(self, index: RangeIndex) -> Pass:
        """Fill new ranges for a while, pass once more, and have them read when they are full."""
        partition, cursor = self.row.fill_partition or 0, self.row.fill_cursor
        while partition < self.period.partitions:
            cursor = self._store.run(filling(index, partition, cursor, self.row.fence))
            failpoint("ranges.after_filled_a_part")
            partition += cursor == "0"
            if self._is_over():
                break
        self.save(fill_partition=partition, fill_cursor=cursor)
        found = self._pass()
        if partition == self.period.partitions:
            self._switch(index)
        return found

    def _switch(self, index: RangeIndex) -> None:
        """Delete the former ranges, and have the new ones read."""
        if self.row.index:
            self._store.run(dropping(self.row.index, self.period.partitions))
        failpoint("ranges.before_switched")
        self.save(epoch=index.epoch, slot=index.slot, cuts=self.row.next_cuts, next_epoch=0, next_cuts=[])
