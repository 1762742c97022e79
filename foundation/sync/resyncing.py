"""Settling: making Redis show again what SQL knows, where it did not hear of it, was restarted or lost its memory.

Nobody reads a stale row's family from Redis. Memory that is not trusted gets a new generation: first in SQL, behind
the barrier, so that nobody decides under the old one any more; then what may be missing is marked; then Redis gets the
number; then what is missing. Cut off anywhere it is run again, also twice at once: the generation decides who goes on.
Nobody asks Redis behind the barrier.
"""

import logging
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from typing import Any, Generic, NamedTuple, TypeVar

from django.db import connection, transaction
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Now

from foundation import clock
from foundation.db.resilience import CONNECTION_ERRORS, SqlAway, SqlBusy, is_busy
from foundation.errors import Unavailable
from foundation.failpoints import failpoint
from foundation.models import KnownRedis
from foundation.redis import client as redis
from foundation.redis.client import RedisAway, RedisSilent
from foundation.sync import barrier, generations
from foundation.sync.redis_state import RedisState
from foundation.sync.rows import SyncedRow

logger = logging.getLogger(__name__)

LEASE = timedelta(seconds=10)
BLOCKING_LEASE = timedelta(seconds=2)  # where Redis decides: nobody decides until it is back
MAX_LEASE = timedelta(minutes=1)  # more than one has when a statement that waited for the row's lock meets it
LEASE_RENEWAL_SECONDS = 0.5
EXCLUSIVE_WAIT_SECONDS = 1.0

Row = TypeVar("Row", bound=SyncedRow)
Done = TypeVar("Done")


class AssessedState(NamedTuple):
    """The memory of a row that SQL gave a new generation, as it was found, and whether it is worth nothing."""

    memory: RedisState
    lost: bool


class Resync(ABC, Generic[Row]):
    """Settling one row. Each call of Redis raises what the link raises; the next run goes on."""

    columns: tuple[str, ...] = ("generation", "stale_since", "needs_full_rebuild", "lease_expires_at")

    def __init__(self, row: Row) -> None:
        self.row = row

    @abstractmethod
    def _lock_exclusively(self, max_wait: float) -> None:
        """Wait for all who decide, then keep them out until this transaction ends. Raises ``SqlBusy``."""

    def _read(self) -> Row:
        """The row as it is now."""
        row: Row = self.row.as_queryset.get()
        return row

    @abstractmethod
    def _read_redis_state(self) -> RedisState:
        """What Redis remembers."""

    @abstractmethod
    def _is_lost(self, memory: RedisState) -> bool:
        """Whether that is worth nothing."""

    @abstractmethod
    def _set_generation(self, judged: AssessedState) -> int | None:
        """Give Redis the row's generation; the latest version there, None where memory is not as judged any more."""

    @abstractmethod
    def _copy_missing(self, above: int) -> bool:
        """Give Redis what it lacks: all that is newer than version ``above``. False if somebody else took over."""

    def _needs_generation(self) -> bool:
        """Whether the memory cannot be filled as it is. Where Redis decides it never can: it may lack a last second."""
        return True

    def _is_read_from_redis(self) -> bool:
        """Whether anybody reads the row from Redis."""
        return True

    def _blocks_writes_while_stale(self) -> bool:
        """Whether nobody decides over the row while it is stale."""
        return True

    def _on_new_generation(self, judged: AssessedState) -> None:
        """Called when the row has got a new generation, before it is saved."""

    def _is_complete(self) -> bool:
        """Asked behind the barrier at last: whether nothing is missing."""
        return True

    def _resynced_fields(self) -> dict[str, Any]:
        """What else is saved of a row when it is settled."""
        return {}

    def resync(self) -> bool:
        """Bring a stale row back; False if it is not stale, or somebody else is at it."""
        if not self._lease():
            return False
        try:
            with self._beating():
                above: int | None = 0
                if self._needs_generation():
                    judged = self.assign_generation()
                    above = None if judged is None else self.install_generation(judged)
                return above is not None and self._copy_missing(above) and self._declare()
        finally:
            with suppress(*CONNECTION_ERRORS):  # else it runs out
                self.row.same_generation.update(lease_expires_at=None)

    def try_resync(self) -> bool:
        """The same; False, with a word in the log, also where it cannot be done now."""
        try:
            return self.resync()
        except Unavailable as error:
            logger.warning("%s is not settled yet: %s", self.row, error.detail)
        except CONNECTION_ERRORS as error:
            if not is_busy(error):
                raise
            logger.warning("%s is not settled yet: %s", self.row, error)
        except Exception:
            logger.exception("%s cannot be settled", self.row)
        return False

    def assign_generation(self, unknown_server: bool = False) -> AssessedState | None:
        """Give the row a new generation in SQL: from here on nobody decides or reads under the old one.

        None where somebody else has. ``unknown_server`` is for a server that nobody knows: the worker that settled the
        row on another one has worked for nothing.
        """
        memory = self._read_redis_state()
        number = generations.next_generation_above(memory.generation)
        with transaction.atomic():
            self._lock_exclusively(EXCLUSIVE_WAIT_SECONDS)
            before, self.row = self.row, self._read()
            if self.row.generation != before.generation or not self._is_read_from_redis():
                self.row = before
                return None
            judged = AssessedState(memory, self._is_lost(memory))
            self.row.generation, self.row.needs_full_rebuild = number, judged.lost
            self.row.stale_since = self.row.stale_since or clock.now()
            if unknown_server:
                self.row.lease_expires_at = None
            self._on_new_generation(judged)
            self.row.save(update_fields=self.columns)
            failpoint("settle.before_commit")
        failpoint("settle.after_generation")
        return judged

    @abstractmethod
    def _fence_generation(self, generation: int) -> None:
        """Let nobody read or write the family: memory, if there is any, gets a generation that SQL gives nothing."""

    def assign_generation_or_fence(self) -> AssessedState | None:
        """The same for a server that nobody knows. Who cannot be judged now is left for later, and read by nobody."""
        return self._or_fence(lambda: self.assign_generation(unknown_server=True))

    def install_generation_or_fence(self, judged: AssessedState) -> bool:
        """Give the server that nobody knows the number; False where it is another memory by now."""
        return self._or_fence(lambda: self.install_generation(judged) is not None) is not False

    def _or_fence(self, step: Callable[[], Done]) -> Done | None:
        """What a step comes to; None where it fails for the row alone, since its family keeps no other waiting.

        Raises what the link raises, and what SQL raises while it is away.
        """
        try:
            return step()
        except Exception as error:
            if isinstance(error, (RedisAway, RedisSilent, *CONNECTION_ERRORS, SqlAway)) and not _is_busy(error):
                raise
            logger.warning("%s is judged later: %s", self.row, getattr(error, "detail", error))
        self._fence_generation(generations.next_generation())
        return None

    def install_generation(self, judged: AssessedState) -> int | None:
        """Give Redis the number. Above which version it lacks what SQL has; None where it is another memory by now."""
        found = self._set_generation(judged)
        failpoint("settle.after_renew")
        return -1 if judged.lost and found is not None else found

    @contextmanager
    def _beating(self) -> Iterator[None]:
        """Renew the lease meanwhile, however long a step takes. A process that is frozen, or dead, renews nothing.

        The trap: who is superseded in each step that takes longer than a lease never comes to an end, nor does anybody.
        """
        over = threading.Event()

        def beat() -> None:
            try:
                while not over.wait(LEASE_RENEWAL_SECONDS):
                    with suppress(*CONNECTION_ERRORS):
                        self.renew_lease()
            finally:
                connection.close()

        heart = threading.Thread(target=beat, name=f"settling {self.row}", daemon=True)
        heart.start()
        try:
            yield
        finally:
            over.set()
            heart.join()

    def renew_lease(self) -> None:
        """Renew the lease. Who holds the row's lock for long does so at last in that transaction."""
        self.row.same_generation.update(lease_expires_at=self._lease_ends())

    def _on_marked_stale(self) -> None:
        """Called when the row was marked: SQL answers for it from here on."""

    def mark_stale(self, at: datetime) -> None:
        """Unless somebody gave the row another generation since we read it. If it is locked, the next look does it."""
        try:
            if self.row.same_generation.filter(stale_since=None).update(stale_since=at):
                self._on_marked_stale()
        except CONNECTION_ERRORS as error:
            if not is_busy(error):
                raise
            logger.warning("%s is marked stale later: %s", self.row, error)

    def _lease(self) -> bool:
        """Whether it is stale and nobody is at it. The lease saves work; the generation keeps it right.

        It runs by SQL's clock. The trap: a worker whose own clock is an hour fast would break the others' leases, so
        that all begin again and again, and killed it would leave one that keeps them away for an hour. A lease that
        ends later than any that is given now is from before SQL's clock was set back: it is none.
        """
        held = {"lease_expires_at__gt": Now(), "lease_expires_at__lt": Now() + MAX_LEASE}
        free = self.row.as_queryset.filter(stale_since__isnull=False).exclude(**held)
        if not free.update(lease_expires_at=self._lease_ends()):
            return False
        self.row = self._read()
        return True

    def _lease_ends(self) -> CombinedExpression:
        return Now() + (min(LEASE, BLOCKING_LEASE) if self._blocks_writes_while_stale() else LEASE)

    def _declare(self) -> bool:
        """The last step, behind the barrier: only if nothing is missing and nobody renewed meanwhile."""
        with transaction.atomic():
            self._lock_exclusively(barrier.MAX_WAIT_SECONDS)
            if not self._is_complete():
                return False
            settled = bool(
                self.row.same_generation.update(stale_since=None, needs_full_rebuild=False, **self._resynced_fields())
            )
            failpoint("settle.before_declared")
        failpoint("settle.after_declared")
        return settled


def _is_busy(error: Exception) -> bool:
    return isinstance(error, SqlBusy) or is_busy(error)


ResyncSource = Callable[[], Iterable[Resync[Any]]]
_sources: list[ResyncSource] = []


def register_resync_source(everything: ResyncSource) -> None:
    """Have all that this names distrusted when a server is met that SQL does not know. Asking twice changes nothing."""
    if everything not in _sources:
        _sources.append(everything)


def register_server() -> None:
    """Make the server behind the settling link known, after every row got a generation that it never had.

    Of a server that nobody knows all memory is judged anew; what cannot be judged is away by itself until it can, and
    keeps no other from coming back.
    """
    link = redis.resync_client()
    identity = link.fetch_identity()
    if KnownRedis.is_known(identity):
        return
    for everything in _sources:
        pairs = [(each, each.assign_generation_or_fence()) for each in everything()]
        if not all(each.install_generation_or_fence(judged) for each, judged in pairs if judged is not None):
            return  # memory has changed since: the next run judges it anew
    if link.fetch_identity() == identity:
        KnownRedis.objects.get_or_create(identity=identity)
        logger.info("another Redis is known now, or one that was made a primary")
