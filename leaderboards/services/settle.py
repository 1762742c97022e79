"""Settling periods (``foundation/sync/settling.py`` tells how), and the look at all of them each second.

Where SQL decides, a memory that has followed it up to a transaction lacks only what came later (``mark_since``).
"""

import logging
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import datetime

from django.db.models import QuerySet

from foundation import redis
from foundation.errors import Unavailable
from foundation.failpoints import failpoint
from foundation.sync import barrier
from foundation.sync.memory import Memory
from foundation.sync.settling import Judged, Settling, greet
from leaderboards.models import Period, Standing, State, Storage
from leaderboards.services.readers import tell_readers
from leaderboards.services.reconcile import followed, mark_since, put_all, put_marked, reconcile
from leaderboards.services.restore import restore
from leaderboards.stores.zset_settling import ZsetSettler

logger = logging.getLogger(__name__)

FOLLOWED_EVERY = 5  # seconds: a memory that comes back lacks as much more
FOLLOWED_APART = 100  # transactions of SQL: where fewer came, nobody need note it
_LIVING = (State.OPEN, State.CLOSING)
Tell = Callable[[Period], None]
_noted: dict[int, tuple[int, int]] = {}  # by period: under which generation, up to which transaction


class PeriodSettling(Settling[Period]):
    """Settling a period. ``tell`` is called after each chunk with it: its ``rebuilt`` says how far it is."""

    columns = (*Settling.columns, "rebuilt", "emptied_at")

    def __init__(self, period: Period, tell: Tell = lambda _: None) -> None:
        super().__init__(period)
        self._tell = tell
        self._settler = ZsetSettler(redis.settling())

    @property
    def _redis_decides(self) -> bool:
        return self.row.board.storage == Storage.REDIS

    def _hold_alone(self, patience: float) -> None:
        barrier.hold_exclusive(self.row.pk, patience=patience)

    def _read(self) -> Period:
        return Period.objects.select_related("board").get(pk=self.row.pk)

    def _memory(self) -> Memory:
        return self._settler.memory(self.row)

    def _is_living(self) -> bool:
        return self.row.state in _LIVING  # final ones are read from SQL

    def _is_shut(self) -> bool:
        return self._redis_decides

    def _needs_generation(self) -> bool:
        """Where SQL decides, a memory of this generation lacks what is marked or announced, and nothing else."""
        return self._redis_decides or self.row.whole or self._memory().generation != self.row.generation

    def _is_lost(self, memory: Memory) -> bool:
        """Where Redis decides, memory of another generation may hold what SQL never saw: only none at all is lost.

        Where SQL decides, memory must be no older than the generation under which all was put last, and must tell up to
        where it has followed.
        """
        if self._redis_decides:
            return self.row.whole or memory.generation == 0
        of_this_course = memory.generation > 0 and self.row.emptied_at <= memory.generation <= self.row.generation
        return self.row.whole or not of_this_course or not 0 < memory.followed <= followed()

    def _marked_stale(self) -> None:
        tell_readers(self.row)

    def _superseded(self, judged: Judged) -> None:
        self.row.rebuilt = 0
        if judged.lost:
            self.row.emptied_at = self.row.generation

    def _estrange(self, generation: int) -> None:
        self._settler.estrange(self.row, generation)

    def _renew(self, judged: Judged) -> int | None:
        """Mark what a memory lacks that has followed SQL; then Redis gets the number."""
        if not judged.lost and not self._redis_decides:
            mark_since(self.row, judged.memory.followed)
            failpoint("settle.after_marked")
        return self._settler.renew(self.row, self.row.generation, judged.memory, empty=judged.lost)

    def _fill(self, above: int) -> bool:
        """redis: what is newer in SQL. hybrid: all of it while ``whole``, who is marked, who was announced."""
        if self._redis_decides:
            restore(self.row, above, self._put)
            return True
        if self.row.whole and not put_all(self.row, self._put):
            return False
        put_marked(self.row, self._put)
        reconcile(self.row)
        return True

    def _is_whole_again(self) -> bool:
        return not Standing.objects.filter(period=self.row, unput=True).exists()

    def _put(self, rows: int) -> None:
        self.row.rebuilt += rows
        self.row.unchanged.update(rebuilt=self.row.rebuilt)
        self._tell(self.row)


def settle_due(at: datetime) -> int:
    """Settle and reconcile whatever needs it; returns how many periods were brought back.

    Raises ``RedisAway`` or its kin if Redis cannot be reached: then nothing is due yet.
    """
    greet()
    periods = list(living())
    _look_at(periods, at)
    stale = Period.objects.filter(stale_since__isnull=False, state__in=_LIVING)  # final ones are read from SQL
    due = stale.select_related("board").order_by("stale_since")
    settled = sum(PeriodSettling(period).attempt() for period in due)
    note_followed(periods, at)
    return settled


def settle_now(period: Period) -> bool:
    """Settle a period before the schedule does; False, with a word in the log, where it cannot be done now."""
    try:
        greet()
    except Unavailable as error:
        logger.warning("period %s is not settled yet: %s", period, error.detail)
        return False
    return PeriodSettling(period).attempt()


def everything() -> Iterable[PeriodSettling]:
    """All that a server which nobody knows may remember. Final periods are no longer read from Redis."""
    settler = ZsetSettler(redis.settling())
    for period in Period.objects.filter(state=State.FINAL).exclude(board__storage=Storage.SQL):
        settler.unlink(period)  # files from before an erasure may name somebody erased
    return [PeriodSettling(period) for period in living()]


def living() -> QuerySet[Period]:
    """The periods that Redis shows, or should."""
    return Period.objects.filter(state__in=_LIVING).exclude(board__storage=Storage.SQL).select_related("board")


def _look_at(periods: Sequence[Period], at: datetime) -> None:
    """Mark stale whose memory is another (a FLUSHALL, say), and reconcile what was announced and not published."""
    living = [period for period in periods if period.stale_since is None]
    marked = set(Standing.objects.filter(unput=True, period__in=living).values_list("period", flat=True).distinct())
    for period, pulse in zip(living, ZsetSettler(redis.settling()).pulses(living), strict=True):
        if pulse is None or pulse.generation != period.generation or period.pk in marked:
            PeriodSettling(period).mark_stale(at)
        elif pulse.inflight:
            _try_reconcile(period, at)


def _try_reconcile(period: Period, at: datetime) -> None:
    """Where Redis does not take what SQL has committed, SQL answers."""
    try:
        reconcile(period)
    except Unavailable as error:
        logger.warning("period %s is not reconciled yet: %s", period.pk, error.detail)
        PeriodSettling(period).mark_stale(at)


def note_followed(periods: Sequence[Period], at: datetime, apart: int = 0) -> None:
    """Note up to where SQL was followed, of each hybrid period every few seconds. A stranger is told nothing.

    ``apart``: only where SQL has begun so many transactions since this process noted it last.
    """
    hybrid = [each for each in periods if each.board.storage == Storage.HYBRID and each.stale_since is None]
    due = [each for each in hybrid if each.pk % FOLLOWED_EVERY == int(at.timestamp()) % FOLLOWED_EVERY]
    upto = followed() if due else 0
    due = [each for each in due if upto - _noted_of(each) >= apart]
    if not due or not upto:
        return
    with suppress(Unavailable):
        ZsetSettler(redis.boards()).note_followed(due, upto)
        for gone in _noted.keys() - {each.pk for each in periods}:
            _noted.pop(gone, None)
        _noted.update((each.pk, (each.generation, upto)) for each in due)


def _noted_of(period: Period) -> int:
    """Up to where this process last noted it under this generation; 0 for never."""
    generation, upto = _noted.get(period.pk, (0, 0))
    return upto if generation == period.generation else 0
