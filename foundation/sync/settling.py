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

from foundation import clock, redis
from foundation.errors import Unavailable
from foundation.failpoints import failpoint
from foundation.models import KnownRedis
from foundation.redis import RedisAway, RedisSilent
from foundation.sql import AWAY, SqlAway, SqlBusy, is_busy
from foundation.sync import barrier, generations
from foundation.sync.memory import Memory
from foundation.sync.rows import InStep

logger = logging.getLogger(__name__)

LEASE = timedelta(seconds=10)
SHUT_LEASE = timedelta(seconds=2)  # where Redis decides: nobody decides until it is back
LONGEST_LEASE = timedelta(minutes=1)  # more than one has when a statement that waited for the row's lock meets it
BEAT_SECONDS = 0.5
ALONE_WITHIN_SECONDS = 1.0

Row = TypeVar("Row", bound=InStep)
Done = TypeVar("Done")


class Judged(NamedTuple):
    """The memory of a row that SQL gave a new generation, as it was found, and whether it is worth nothing."""

    memory: Memory
    lost: bool


class Settling(ABC, Generic[Row]):
    """Settling one row. Each call of Redis raises what the link raises; the next run goes on."""

    columns: tuple[str, ...] = ("generation", "stale_since", "whole", "settling_until")

    def __init__(self, row: Row) -> None:
        self.row = row

    @abstractmethod
    def _hold_alone(self, patience: float) -> None:
        """Wait for all who decide, then keep them out until this transaction ends. Raises ``SqlBusy``."""

    def _read(self) -> Row:
        """The row as it is now."""
        row: Row = self.row.in_sql.get()
        return row

    @abstractmethod
    def _memory(self) -> Memory:
        """What Redis remembers."""

    @abstractmethod
    def _is_lost(self, memory: Memory) -> bool:
        """Whether that is worth nothing."""

    @abstractmethod
    def _renew(self, judged: Judged) -> int | None:
        """Give Redis the row's generation; the latest version there, None where memory is not as judged any more."""

    @abstractmethod
    def _fill(self, above: int) -> bool:
        """Give Redis what it lacks: all that is newer than version ``above``. False if somebody else took over."""

    def _needs_generation(self) -> bool:
        """Whether the memory cannot be filled as it is. Where Redis decides it never can: it may lack a last second."""
        return True

    def _is_living(self) -> bool:
        """Whether anybody reads the row from Redis."""
        return True

    def _is_shut(self) -> bool:
        """Whether nobody decides over the row while it is stale."""
        return True

    def _superseded(self, judged: Judged) -> None:
        """Called when the row has got a new generation, before it is saved."""

    def _is_whole_again(self) -> bool:
        """Asked behind the barrier at last: whether nothing is missing."""
        return True

    def _settled(self) -> dict[str, Any]:
        """What else is saved of a row when it is settled."""
        return {}

    def settle(self) -> bool:
        """Bring a stale row back; False if it is not stale, or somebody else is at it."""
        if not self._lease():
            return False
        try:
            with self._beating():
                above: int | None = 0
                if self._needs_generation():
                    judged = self.supersede()
                    above = None if judged is None else self.take_over(judged)
                return above is not None and self._fill(above) and self._declare()
        finally:
            with suppress(*AWAY):  # else it runs out
                self.row.unchanged.update(settling_until=None)

    def attempt(self) -> bool:
        """The same; False, with a word in the log, also where it cannot be done now."""
        try:
            return self.settle()
        except Unavailable as error:
            logger.warning("%s is not settled yet: %s", self.row, error.detail)
        except AWAY as error:
            if not is_busy(error):
                raise
            logger.warning("%s is not settled yet: %s", self.row, error)
        except Exception:
            logger.exception("%s cannot be settled", self.row)
        return False

    def supersede(self, distrust: bool = False) -> Judged | None:
        """Give the row a new generation in SQL: from here on nobody decides or reads under the old one.

        None where somebody else has. ``distrust`` is for a server that nobody knows: the worker that settled the row
        on another one has worked for nothing.
        """
        memory = self._memory()
        number = generations.above(memory.generation)
        with transaction.atomic():
            self._hold_alone(ALONE_WITHIN_SECONDS)
            before, self.row = self.row, self._read()
            if self.row.generation != before.generation or not self._is_living():
                self.row = before
                return None
            judged = Judged(memory, self._is_lost(memory))
            self.row.generation, self.row.whole = number, judged.lost
            self.row.stale_since = self.row.stale_since or clock.now()
            if distrust:
                self.row.settling_until = None
            self._superseded(judged)
            self.row.save(update_fields=self.columns)
            failpoint("settle.before_commit")
        failpoint("settle.after_generation")
        return judged

    @abstractmethod
    def _estrange(self, generation: int) -> None:
        """Let nobody read or write the family: memory, if there is any, gets a generation that SQL gives nothing."""

    def distrust(self) -> Judged | None:
        """The same for a server that nobody knows. Who cannot be judged now is left for later, and read by nobody."""
        return self._or_estrange(lambda: self.supersede(distrust=True))

    def greeted(self, judged: Judged) -> bool:
        """Give the server that nobody knows the number; False where it is another memory by now."""
        return self._or_estrange(lambda: self.take_over(judged) is not None) is not False

    def _or_estrange(self, step: Callable[[], Done]) -> Done | None:
        """What a step comes to; None where it fails for the row alone, since its family keeps no other waiting.

        Raises what the link raises, and what SQL raises while it is away.
        """
        try:
            return step()
        except Exception as error:
            if isinstance(error, (RedisAway, RedisSilent, *AWAY, SqlAway)) and not _is_busy(error):
                raise
            logger.warning("%s is judged later: %s", self.row, getattr(error, "detail", error))
        self._estrange(generations.draw())
        return None

    def take_over(self, judged: Judged) -> int | None:
        """Give Redis the number. Above which version it lacks what SQL has; None where it is another memory by now."""
        found = self._renew(judged)
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
                while not over.wait(BEAT_SECONDS):
                    with suppress(*AWAY):
                        self.keep_lease()
            finally:
                connection.close()

        heart = threading.Thread(target=beat, name=f"settling {self.row}", daemon=True)
        heart.start()
        try:
            yield
        finally:
            over.set()
            heart.join()

    def keep_lease(self) -> None:
        """Renew the lease. Who holds the row's lock for long does so at last in that transaction."""
        self.row.unchanged.update(settling_until=self._lease_ends())

    def _marked_stale(self) -> None:
        """Called when the row was marked: SQL answers for it from here on."""

    def mark_stale(self, at: datetime) -> None:
        """Unless somebody gave the row another generation since we read it. If it is locked, the next look does it."""
        try:
            if self.row.unchanged.filter(stale_since=None).update(stale_since=at):
                self._marked_stale()
        except AWAY as error:
            if not is_busy(error):
                raise
            logger.warning("%s is marked stale later: %s", self.row, error)

    def _lease(self) -> bool:
        """Whether it is stale and nobody is at it. The lease saves work; the generation keeps it right.

        It runs by SQL's clock. The trap: a worker whose own clock is an hour fast would break the others' leases, so
        that all begin again and again, and killed it would leave one that keeps them away for an hour. A lease that
        ends later than any that is given now is from before SQL's clock was set back: it is none.
        """
        held = {"settling_until__gt": Now(), "settling_until__lt": Now() + LONGEST_LEASE}
        free = self.row.in_sql.filter(stale_since__isnull=False).exclude(**held)
        if not free.update(settling_until=self._lease_ends()):
            return False
        self.row = self._read()
        return True

    def _lease_ends(self) -> CombinedExpression:
        return Now() + (min(LEASE, SHUT_LEASE) if self._is_shut() else LEASE)

    def _declare(self) -> bool:
        """The last step, behind the barrier: only if nothing is missing and nobody renewed meanwhile."""
        with transaction.atomic():
            self._hold_alone(barrier.PATIENCE_SECONDS)
            if not self._is_whole_again():
                return False
            settled = bool(self.row.unchanged.update(stale_since=None, whole=False, **self._settled()))
            failpoint("settle.before_declared")
        failpoint("settle.after_declared")
        return settled


def _is_busy(error: Exception) -> bool:
    return isinstance(error, SqlBusy) or is_busy(error)


Everything = Callable[[], Iterable[Settling[Any]]]
_everything: list[Everything] = []


def also(everything: Everything) -> None:
    """Have all that this names distrusted when a server is met that SQL does not know. Asking twice changes nothing."""
    if everything not in _everything:
        _everything.append(everything)


def greet() -> None:
    """Make the server behind the settling link known, after every row got a generation that it never had.

    Of a server that nobody knows all memory is judged anew; what cannot be judged is away by itself until it can, and
    keeps no other from coming back.
    """
    link = redis.settling()
    identity = link.who()
    if KnownRedis.is_known(identity):
        return
    for everything in _everything:
        pairs = [(each, each.distrust()) for each in everything()]
        if not all(each.greeted(judged) for each, judged in pairs if judged is not None):
            return  # memory has changed since: the next run judges it anew
    if link.who() == identity:
        KnownRedis.objects.get_or_create(identity=identity)
        logger.info("another Redis is known now, or one that was made a primary")
