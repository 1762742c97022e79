"""The mirror: how SQL follows what Redis decides over, whatever that is. In chunks, in turns, with a sign of life.

It copies states, never deltas, each with a version: run twice, late, at once or cut off anywhere, it changes nothing
that is not newer. A dirty mark goes only while it is what was read. The trap: what is written faster than it is copied
is never clean, so nobody else may wait for that.
"""

import logging
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from datetime import datetime
from typing import Any, ClassVar, Generic, TypeVar

from django.db import DatabaseError, transaction
from django.db.models import QuerySet

from foundation import clock
from foundation.errors import Unavailable
from foundation.failpoints import failpoint
from foundation.models import DeadLetter, Heartbeat
from foundation.sql import AWAY, is_busy
from foundation.sync.poison import write_apart

logger = logging.getLogger(__name__)

RUN_SECONDS = 5.0
DROPPED = "dropped"

Row = TypeVar("Row")
Mirrored = TypeVar("Mirrored", bound=Hashable)
Copied = tuple[int, int]  # how many rows were copied, and how many were left

_left: dict[str, list[Any]] = {}  # by sign: those whose turn it was when this process's last run ended


class Mirror(ABC, Generic[Row]):
    """Copying the dirty rows of a family. ``name`` is that of its failpoints, ``dead`` the kind of its dead letters."""

    name: ClassVar[str]
    dead: ClassVar[str]
    chunk: ClassVar[int]  # rows a transaction

    @abstractmethod
    def dirty(self, limit: int) -> tuple[int, Sequence[Row]]:
        """How many rows SQL lacks, and about ``limit`` of them. Raises what the link raises, and ``Stale``."""

    @abstractmethod
    def hold(self) -> bool:
        """Keep out whoever settles until this transaction ends, and read the row again; False if it is stale."""

    @abstractmethod
    def write(self, rows: Sequence[Row]) -> None:
        """Write rows to SQL, unless it has newer ones."""

    @abstractmethod
    def clean(self, rows: Sequence[Row]) -> None:
        """Take off their dirty marks, where they are still what was read."""

    @abstractmethod
    def subject(self, row: Row) -> str:
        """What a dead letter about the row is about."""

    @abstractmethod
    def payload(self, row: Row) -> dict[str, Any]:
        """What is needed to look at it: at least its ``version``."""

    def copy_chunk(self) -> Copied:
        """How many rows were copied, and how many more were dirty at that moment."""
        if not self.dirty(1)[0]:
            return 0, 0
        with transaction.atomic():
            if not self.hold():
                return 0, 0
            total, rows = self.dirty(self.chunk)
            failpoint(f"{self.name}.after_read")
            self.copy(rows)
        failpoint(f"{self.name}.after_commit")
        self.clean(rows)
        failpoint(f"{self.name}.after_clean")
        return len(rows), max(0, total - len(rows))

    def copy_all(self) -> int:
        """Copy what is dirty by now; returns how many rows that were.

        It ends with a chunk that left nothing behind, not when nothing is dirty: under steady load that never comes.
        """
        copied = 0
        while True:
            found, left = self.copy_chunk()
            copied += found
            if not found or not left:
                return copied

    def copy(self, rows: Sequence[Row]) -> None:
        """Write rows in the caller's transaction, and set aside those that SQL refuses."""
        write_apart(rows, self._write, self._set_aside)

    def _write(self, rows: Sequence[Row]) -> None:
        self.write(rows)
        if self.set_aside().exists():
            DeadLetter.resolve(self.dead, [self.subject(row) for row in rows], "mirrored", clock.now())
        failpoint(f"{self.name}.before_commit")

    def _set_aside(self, row: Row, error: DatabaseError) -> None:
        """Redis still has it, and its next change tries again."""
        subject = self.subject(row)
        logger.error("%s cannot be mirrored: %s", subject, error)
        DeadLetter.note(self.dead, subject, self.payload(row), str(error), clock.now())

    @classmethod
    def set_aside(cls) -> "QuerySet[DeadLetter]":
        """The letters about rows that SQL refuses."""
        return DeadLetter.objects.filter(kind=cls.dead, resolved_at=None)

    @classmethod
    def given_up(cls) -> "QuerySet[DeadLetter]":
        """The letters that somebody has dropped: what SQL has counts, until the next change in Redis."""
        return DeadLetter.objects.filter(kind=cls.dead, resolution=DROPPED)

    @classmethod
    def is_given_up(cls, subject: str, version: int) -> bool:
        """Whether somebody has given up a later state than SQL has, which is of ``version``."""
        return cls.given_up().filter(subject=subject, payload__version__gt=version).exists()

    @classmethod
    def drop(cls, letter: DeadLetter, at: datetime) -> None:
        """Give up: SQL keeps what it has, until the next change in Redis."""
        DeadLetter.resolve(cls.dead, [letter.subject], DROPPED, at)


def mirror_each(
    each: Iterable[Mirrored], copy_chunk: Callable[[Mirrored], Copied], sign: str, seconds: float = RUN_SECONDS
) -> int:
    """Mirror each, a chunk at a time in turns, for about so many seconds; returns how many rows were copied.

    Who was left when the time was over is the first of the next run. A run that missed nothing, and left nobody, gives
    the ``sign`` of life. Where Redis is away, or somebody else holds what a chunk needs, the dirty marks stay, and the
    next run goes on. What fails is raised when all had their turn; without SQL nobody's turn would come to anything.
    """
    turns, ends_at = deque(_those_left_first(each, sign)), clock.monotonic() + seconds
    copied, missed, failed = 0, False, list[Exception]()
    while turns and clock.monotonic() < ends_at:
        one = turns.popleft()
        try:
            found, left = copy_chunk(one)
        except Exception as error:
            missed = True
            if isinstance(error, AWAY) and not is_busy(error):
                raise
            if isinstance(error, (Unavailable, *AWAY)):
                logger.warning("%s is not mirrored now: %s", one, getattr(error, "detail", error))
            else:
                failed.append(error)
            continue
        copied += found
        if found and left:
            turns.append(one)
    _left[sign] = list(turns)
    if failed:
        raise ExceptionGroup("some could not be mirrored", failed)
    if not missed and not turns:
        Heartbeat.note(sign, clock.now())
    return copied


def _those_left_first(each: Iterable[Mirrored], sign: str) -> Sequence[Mirrored]:
    places = {one: place for place, one in enumerate(_left.get(sign, ()))}
    return sorted(each, key=lambda one: places.get(one, len(places)))
