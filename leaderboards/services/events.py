"""The port to what declares events: the competitions, an app above this one, which is never imported here.

The app that knows them registers with ``provide`` when the process starts; until then there are none. The trap: on
redis boards no submissions are kept, so attempts cannot be counted there.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from django.contrib.auth.models import AbstractBaseUser

from foundation.errors import SunwiError
from leaderboards.core.periods import Window
from leaderboards.errors import BadBoard, UnknownCompetition
from leaderboards.models import Board, QuarantinedEntry, Storage, Submission


@dataclass(frozen=True, slots=True)
class Event:
    """A competition as scoring sees it: its board, its window, how often a player may score in it.

    ``attempts`` None is as often as they like. Raises ``BadBoard`` where the board cannot count them.
    ``freeze_due``: the next change of its standings is to be hidden, and what the public sees is not kept yet.
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
                f"Board {self.board.seq} keeps its scores in Redis, which cannot count attempts: leave the number "
                "of attempts empty, or take a board with another storage.",
                "attempts",
            )


@dataclass(frozen=True, slots=True)
class BanPreview:
    """What hiding players in events, or showing them again, comes to; all are numbers of rows.

    ``live`` are events without a final result, ``finals`` those whose final result gets another revision. ``own`` are
    the rewards of these players that are revoked by a ban, or granted anew by its end; ``others`` are the other
    players whose rewards change.
    """

    live: int = 0
    finals: int = 0
    own: int = 0
    others: int = 0


class Events(Protocol):
    """What scoring asks about competitions. May raise ``Unavailable``; then their entries are refused as such.

    All but ``freeze``, ``void``, ``unvoid`` and ``accept_late`` are questions, which write nothing.
    """

    def named(self, numbers: Collection[int], at: datetime) -> Mapping[int, Event | SunwiError]:
        """The events of these numbers; one that takes no entries is its refusal, an unknown one is left out."""

    def names(self, numbers: Collection[int]) -> Mapping[int, str]:
        """How the events of these numbers are called, drafts and those that are over too; unknown ones are left out."""

    def joined(self, pairs: Collection[tuple[int, str]]) -> Mapping[tuple[int, str], datetime]:
        """Of the pairs (event, player) those where the player takes part now, each with when they last joined."""

    def gone(self, number: int) -> Collection[int]:
        """The players (by internal number) who took part in an event and do no more: they get no final rank."""

    def freeze(self, number: int, at: datetime) -> None:
        """Keep what the public sees of an event from ``at`` on, if that is due: before the first change that it hides.

        Asked again it changes nothing. Raises ``Unavailable`` where it cannot be kept: then nothing may change.
        """

    def if_banned(self, players: Collection[int], *, banned: bool, board: int | None = None) -> BanPreview:
        """What leaving these players (by internal number) out would come to, or showing them again: in the events of
        one board, by its number, or in all."""

    def void(self, submission: Submission, reason: str, at: datetime, by: AbstractBaseUser | None) -> bool:
        """Void a submission of an event, running or closed, and keep on record why, also where it is void already
        because its player has gone. Again changes nothing, and is False.

        Raises what refuses it, a ``SunwiError``.
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
        """Restore a voided submission of an event, likewise; with a ``purge`` (its number) only what is void because of
        that one still."""

    def accept_late(self, entry: QuarantinedEntry, reason: str, at: datetime, by: AbstractBaseUser | None) -> None:
        """Take a quarantined entry of a closed event, in the caller's transaction, as its jury accepts a late score.

        Again changes nothing. Raises what refuses it, a ``SunwiError``.
        """


class _NoEvents:
    def named(self, numbers: Collection[int], at: datetime) -> Mapping[int, Event | SunwiError]:  # noqa: ARG002 (none)
        return {}

    def names(self, numbers: Collection[int]) -> Mapping[int, str]:  # noqa: ARG002 (none)
        return {}

    def joined(self, pairs: Collection[tuple[int, str]]) -> Mapping[tuple[int, str], datetime]:  # noqa: ARG002 (nobody)
        return {}

    def gone(self, number: int) -> Collection[int]:  # noqa: ARG002 (nobody)
        return ()

    def freeze(self, number: int, at: datetime) -> None:
        """There is nothing to hide."""

    def if_banned(
        self,
        players: Collection[int],  # noqa: ARG002 (there are no events)
        *,
        banned: bool,  # noqa: ARG002 (likewise)
        board: int | None = None,  # noqa: ARG002 (likewise)
    ) -> BanPreview:
        return BanPreview()

    def void(self, submission: Submission, reason: str, at: datetime, by: AbstractBaseUser | None) -> bool:  # noqa: ARG002 (none)
        raise UnknownCompetition(f"There is no competition {submission.competition}.")

    def unvoid(
        self,
        submission: Submission,
        reason: str,  # noqa: ARG002 (there are no events)
        at: datetime,  # noqa: ARG002 (likewise)
        by: AbstractBaseUser | None,  # noqa: ARG002 (likewise)
        *,
        purge: int | None = None,  # noqa: ARG002 (likewise)
    ) -> bool:
        raise UnknownCompetition(f"There is no competition {submission.competition}.")

    def accept_late(self, entry: QuarantinedEntry, reason: str, at: datetime, by: AbstractBaseUser | None) -> None:  # noqa: ARG002 (none)
        raise UnknownCompetition(f"There is no competition {entry.competition}.")


class _Provided:
    events: Events = _NoEvents()


def provide(events: Events) -> None:
    """Let ``events`` answer from now on, in this process."""
    _Provided.events = events


def source() -> Events:
    """Who knows the events."""
    return _Provided.events
