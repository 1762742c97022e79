"""Resync: bring Redis up to SQL after it missed a change, was restarted or lost its memory.

While a row is stale, its family is not read from Redis. The steps, for memory that cannot be trusted:

1. SQL gets a new generation, under the exclusive barrier, so that every writer of the old generation has ended.
2. The rows that Redis may lack are marked.
3. Redis gets the generation, only if its state is still the assessed one.
4. Redis gets what it lacks.
5. The row is declared synced, under the exclusive barrier.

An interrupted resync is run again. Of two at once, only the one with the current generation goes on. Redis is never
called while the exclusive barrier is held.
"""

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, Generic, NamedTuple, TypeVar

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Now

from foundation import clock
from foundation.db.resilience import CONNECTION_ERRORS, SqlAway, is_busy, is_only_busy
from foundation.errors import Unavailable
from foundation.failpoints import failpoint
from foundation.redis.client import RedisAway, RedisSilent
from foundation.sync import barrier, generations
from foundation.sync.leases import renewing_leases, stale_and_free
from foundation.sync.redis_state import RedisState
from foundation.sync.rows import SyncedRow

logger = logging.getLogger(__name__)

LEASE = timedelta(seconds=10)
BLOCKING_LEASE = timedelta(seconds=2)  # where Redis decides, since writes are refused until the resync has ended
LEASE_RENEWAL_SECONDS = 0.5
EXCLUSIVE_WAIT_SECONDS = 1.0

Row = TypeVar("Row", bound=SyncedRow)
Result = TypeVar("Result")


class AssessedState(NamedTuple):
    """What Redis had when SQL gave the row a new generation, and whether it is useless and must be emptied."""

    memory: RedisState
    lost: bool


class Resync(ABC, Generic[Row]):
    """The resync of one row. Errors of Redis are raised; the next run goes on."""

    columns: tuple[str, ...] = ("generation", "stale_since", "needs_full_rebuild", "lease_expires_at")

    def __init__(self, row: Row) -> None:
        self.row = row

    @property
    def shared_barrier(self) -> Hashable | None:
        """What names the barrier that this row shares with others (``resync_together.py``); None if it shares none."""
        return None

    @abstractmethod
    def _lock_exclusively(self, max_wait: float) -> None:
        """Take the row's barrier exclusively until this transaction ends. Raises ``SqlBusy``."""

    def rows(self) -> "QuerySet[Any]":
        """Query the rows of its kind, with what a resync reads of them."""
        return type(self.row)._default_manager.all()

    def _read(self) -> Row:
        """Read the row again."""
        row: Row = self.rows().get(pk=self.row.pk)
        return row

    @abstractmethod
    def _read_redis_state(self) -> RedisState:
        """Read the state of the family in Redis."""

    @abstractmethod
    def _is_lost(self, memory: RedisState) -> bool:
        """Whether what Redis has is useless and must be emptied."""

    @abstractmethod
    def _set_generation(self, assessed: AssessedState) -> int | None:
        """Give Redis the row's generation; returns the latest version there, None if it is not as assessed any more."""

    def _needs_fill(self) -> bool:
        """Whether all is copied first, while writers leave what they write to the resync."""
        return False

    def _fill(self) -> None:
        """Copy all that SQL has."""

    def _end_fill(self) -> bool:
        """Have writers tell Redis again; False if another worker took over. Called under the exclusive barrier."""
        return True

    @abstractmethod
    def _copy_missing(self, above: int) -> bool:
        """Give Redis everything newer than version ``above``; False if another worker took over."""

    def _needs_generation(self) -> bool:
        """Whether the row needs a new generation. Where Redis decides it always does: the last second may be lost."""
        return True

    def _is_read_from_redis(self) -> bool:
        """Whether the row is read from Redis at all."""
        return True

    def _blocks_writes_while_stale(self) -> bool:
        """Whether writes are refused while the row is stale."""
        return True

    def _on_new_generation(self, assessed: AssessedState) -> None:
        """Called with the new generation set on the row, before it is saved."""

    def _is_complete(self) -> bool:
        """Whether Redis lacks nothing. Called under the exclusive barrier, as the last step."""
        return True

    def _resynced_fields(self) -> dict[str, Any]:
        """Further columns and values to save when the row is declared synced."""
        return {}

    def resync(self) -> bool:
        """Resync a stale row; False if it is not stale, or another worker has the lease."""
        if not self._take_lease():
            return False
        try:
            with renewing_leases([self], LEASE_RENEWAL_SECONDS, f"resync {self.row}"):
                above: int | None = 0
                if self._needs_generation():
                    assessed = self.assign_generation()
                    above = None if assessed is None else self.install_generation(assessed)
                return above is not None and self._filled() and self._copy_missing(above) and self._declare_synced()
        finally:
            with suppress(*CONNECTION_ERRORS):  # then the lease expires by itself
                self.end_lease()

    def try_resync(self) -> bool:
        """Resync, but log errors and return False. Raises only if SQL cannot be reached."""
        return bool(self.attempt(self.resync))

    def attempt(self, step: Callable[[], Result]) -> Result | None:
        """Run a step, but log errors and return None. Raises only if SQL cannot be reached."""
        try:
            return step()
        except Unavailable as error:
            logger.warning("%s is not resynced yet: %s", self.row, error.detail)
        except CONNECTION_ERRORS as error:
            if not is_busy(error):
                raise
            logger.warning("%s is not resynced yet: %s", self.row, error)
        except Exception:
            logger.exception("%s cannot be resynced", self.row)
        return None

    def assign_generation(self, unknown_server: bool = False) -> AssessedState | None:
        """Give the row a new generation in SQL; returns None if another worker gave it one meanwhile.

        With ``unknown_server`` the lease of a worker that resyncs the row on another server is ended.
        """
        memory = self._read_redis_state()
        generation = generations.next_generation_above(memory.generation)
        with transaction.atomic():
            self._lock_exclusively(EXCLUSIVE_WAIT_SECONDS)
            assessed = self.assign_locked(self._read(), memory, generation, unknown_server)
            if assessed is None:
                return None
            self.row.save(update_fields=self.columns)
            self._on_staleness_saved()
            failpoint("settle.before_commit")
        failpoint("settle.after_generation")
        return assessed

    def assign_locked(
        self, current: Row, memory: RedisState, generation: int, unknown_server: bool
    ) -> AssessedState | None:
        """The step of ``assign_generation`` under the exclusive barrier. ``current`` was read there; save it then."""
        before, self.row = self.row, current
        if self.row.generation != before.generation or not self._is_read_from_redis():
            self.row = before
            return None
        assessed = AssessedState(memory, self._is_lost(memory))
        self.row.generation, self.row.needs_full_rebuild = generation, assessed.lost
        self.row.stale_since = self.row.stale_since or clock.now()
        if unknown_server:
            self.row.lease_expires_at = None
        self._on_new_generation(assessed)
        return assessed

    @abstractmethod
    def _fence_generation(self, generation: int) -> None:
        """Block reads and writes of the family: it gets a generation that SQL gives to no row. Its data stays."""

    def assign_generation_or_fence(self) -> AssessedState | None:
        """Assign a generation for an unknown server; if that fails for this row alone, fence it and return None."""
        return self._run_or_fence(lambda: self.assign_generation(unknown_server=True))

    def install_generation_or_fence(self, assessed: AssessedState) -> bool:
        """Give the unknown server the generation, or fence the row; False if its state is not the assessed one."""
        return self._run_or_fence(lambda: self.install_generation(assessed) is not None) is not False

    def _run_or_fence(self, step: Callable[[], Result]) -> Result | None:
        """Run a step. If it fails for this row alone, fence the row, to be resynced later, and return None."""
        try:
            return step()
        except Exception as error:
            raise_if_away(error)
            self.fence(error)
        return None

    def fence(self, error: Exception) -> None:
        """Fence the row, to be resynced later, because of ``error``."""
        logger.warning("%s is resynced later: %s", self.row, getattr(error, "detail", error))
        self._fence_generation(generations.next_generation())

    def install_generation(self, assessed: AssessedState) -> int | None:
        """Give Redis the generation; returns the version above which Redis lacks what SQL has, -1 if it lacks all.

        Returns None if the state in Redis is not the assessed one any more.
        """
        sequence = self._set_generation(assessed)
        failpoint("settle.after_renew")
        return -1 if assessed.lost and sequence is not None else sequence

    def renew_lease(self) -> None:
        """Renew the lease. Call it at the end of a transaction that locked the row for long."""
        self.row.same_generation.update(lease_expires_at=self.lease_end())

    def end_lease(self) -> None:
        """Give the lease back."""
        self.row.same_generation.update(lease_expires_at=None)

    def _on_marked_stale(self) -> None:
        """Called after the row was marked stale: from now on SQL answers reads."""

    def _on_staleness_saved(self) -> None:
        """Called in a transaction that gave the row, and others of its barrier, generations or declared them synced."""

    def mark_stale(self, at: datetime) -> None:
        """Mark the row stale, unless its generation changed since it was read. If it is locked, only log that."""
        try:
            if self.row.same_generation.filter(stale_since=None).update(stale_since=at):
                self._on_marked_stale()
        except CONNECTION_ERRORS as error:
            if not is_busy(error):
                raise
            logger.warning("%s is marked stale later: %s", self.row, error)

    def _take_lease(self) -> bool:
        """Take the lease if the row is stale and no other worker has it. The lease only saves work."""
        if not stale_and_free(self.row.as_queryset).update(lease_expires_at=self.lease_end()):
            return False
        self.row = self._read()
        return True

    def _filled(self) -> bool:
        """Fill the family if need be; False if another worker took over."""
        if not self._needs_fill():
            return True
        self._fill()
        with transaction.atomic():
            self._lock_exclusively(barrier.MAX_WAIT_SECONDS)
            return self._end_fill()

    def lease_end(self) -> CombinedExpression:
        """When a lease ends that is given now, by SQL's clock."""
        return Now() + (min(LEASE, BLOCKING_LEASE) if self._blocks_writes_while_stale() else LEASE)

    def _declare_synced(self) -> bool:
        """Clear ``stale_since`` under the exclusive barrier, if nothing is missing and the generation is still ours."""
        with transaction.atomic():
            self._lock_exclusively(barrier.MAX_WAIT_SECONDS)
            is_synced = self.declare_locked()
            if is_synced:
                self._on_staleness_saved()
            failpoint("settle.before_declared")
        failpoint("settle.after_declared")
        return is_synced

    def declare_locked(self) -> bool:
        """The step of ``_declare_synced`` under the exclusive barrier."""
        if not self._is_complete():
            return False
        values = {"stale_since": None, "needs_full_rebuild": False, **self._resynced_fields()}
        return bool(self.row.same_generation.update(**values))


def raise_if_away(error: Exception) -> None:
    """Raise ``error`` if a server is away, so that it is not of one row alone."""
    if isinstance(error, (RedisAway, RedisSilent, *CONNECTION_ERRORS, SqlAway)) and not is_only_busy(error):
        raise error
