"""The port to events: the interface that the competitions app implements; leaderboards never import it.

That app registers its implementation with ``provide`` when the process starts; without it there are no events. The
trap: redis boards keep no submissions, so attempts cannot be counted there.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from django.contrib.auth.models import AbstractBaseUser

from foundation.errors import SunwiError
from foundation.messages import Message
from leaderboards.core.periods import Window
from leaderboards.errors import BadBoard, UnknownCompetition
from leaderboards.models import Board, QuarantinedEntry, Storage, Submission


@dataclass(frozen=True, slots=True)
class Event:
    """A competition as scoring sees it: its board, its window, and its limit of attempts per player.

    ``attempts`` None is no limit. Raises ``BadBoard`` if the board cannot count attempts. ``freeze_due``: the standings
    must be frozen for the public before their next change.
    """

    number: int
    board: Board
    window: Window
    attempts: int | None = None
    hides_ranks: bool = False
    freeze_due: bool = False

    def __post_init__(self) -> None:
        if self.attempts is not None and self.board.storage == Storage.REDIS:
            raise BadBoard(
                Message(
                    "Board %(board)s keeps its scores in Redis, which cannot count attempts: leave the number "
                    "of attempts empty, or take a board with another storage.",
                    board=self.board.seq,
                ),
                "attempts",
            )


@dataclass(frozen=True, slots=True)
class BanPreview:
    """What a ban of players, or its end, changes in events; all are counts.

    ``live`` are events without a final result, ``finals`` those whose final result gets another revision. ``own`` are
    the rewards of these players that a ban revokes, or its end grants again; ``others`` are the other players whose
    rewards change.
    """

    live: int = 0
    finals: int = 0
    own: int = 0
    others: int = 0


class Events(Protocol):
    """What scoring needs of competitions. Methods may raise ``Unavailable``; entries are refused with it then.

    Only ``freeze``, ``void``, ``unvoid`` and ``accept_late`` write.
    """

    def find_events(self, numbers: Collection[int], at: datetime) -> Mapping[int, Event | SunwiError]:
        """The events of these numbers. One that accepts no entries is given as its refusal; unknown ones are absent."""

    def names(self, numbers: Collection[int]) -> Mapping[int, str]:
        """The names of these events, drafts and past ones too; unknown ones are absent."""

    def joined_times(self, pairs: Collection[tuple[int, str]]) -> Mapping[tuple[int, str], datetime]:
        """The pairs (event, player) where the player takes part now, each with the time when they last joined."""

    def players_who_left(self, number: int) -> Collection[int]:
        """The players (by internal number) who left an event or were removed: they get no final rank."""

    def freeze(self, number: int, at: datetime) -> None:
        """Freeze the public standings of an event, if that is due. Call it before the first change that is hidden.

        Calling it again changes nothing. Raises ``Unavailable`` if it fails: then no standing may change.
        """

    def preview_ban(self, players: Collection[int], *, banned: bool, board: int | None = None) -> BanPreview:
        """What banning these players (by internal number), or unbanning them, would change: in one board's events or
        in all."""

    def void(self, submission: Submission, reason: str, at: datetime, by: AbstractBaseUser | None) -> bool:
        """Void a submission of an event, running or closed, and record why, even if it is void because its player left.

        False, with nothing changed, if that was done before. Raises a ``SunwiError`` if it is refused.
        """

    def unvoid(
        self,
        submission: Submission,
        reason: str,
        at: datetime,
        by: AbstractBaseUser | None,
        *,
        purge: int | None = None,
    ) -> bool:
        """Restore a voided submission of an event, likewise; with a ``purge`` (its number) only if that voided it."""

    def accept_late(self, entry: QuarantinedEntry, reason: str, at: datetime, by: AbstractBaseUser | None) -> None:
        """Accept a quarantined entry of a closed event as a late score, in the caller's transaction.

        Calling it again changes nothing. Raises a ``SunwiError`` if it is refused.
        """


class _NoEvents:
    def find_events(self, numbers: Collection[int], at: datetime) -> Mapping[int, Event | SunwiError]:
        return {}

    def names(self, numbers: Collection[int]) -> Mapping[int, str]:
        return {}

    def joined_times(self, pairs: Collection[tuple[int, str]]) -> Mapping[tuple[int, str], datetime]:
        return {}

    def players_who_left(self, number: int) -> Collection[int]:
        return ()

    def freeze(self, number: int, at: datetime) -> None:
        """Nothing to do without events."""

    def preview_ban(
        self,
        players: Collection[int],
        *,
        banned: bool,
        board: int | None = None,
    ) -> BanPreview:
        return BanPreview()

    def void(self, submission: Submission, reason: str, at: datetime, by: AbstractBaseUser | None) -> bool:
        raise UnknownCompetition(Message("There is no competition %(number)s.", number=submission.competition))

    def unvoid(
        self,
        submission: Submission,
        reason: str,
        at: datetime,
        by: AbstractBaseUser | None,
        *,
        purge: int | None = None,
    ) -> bool:
        raise UnknownCompetition(Message("There is no competition %(number)s.", number=submission.competition))

    def accept_late(self, entry: QuarantinedEntry, reason: str, at: datetime, by: AbstractBaseUser | None) -> None:
        raise UnknownCompetition(Message("There is no competition %(number)s.", number=entry.competition))


class _Provided:
    events: Events = _NoEvents()


def provide(events: Events) -> None:
    """Use ``events`` from now on, in this process."""
    _Provided.events = events


def source() -> Events:
    """The registered implementation."""
    return _Provided.events
