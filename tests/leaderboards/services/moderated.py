"""What moderators do to a board, worked out naively: a list of submissions, each void or not, and plain sums over it.

Nothing here packs, replays a part, or knows a store: ``ranks`` begins from nothing each time. Who is not shown is asked
of ``hidden``, which is the place for further ways to hide somebody.
"""

from dataclasses import dataclass, field

from leaderboards.core.policies import State
from tests.oracle import OracleBoard, Row, Value


@dataclass
class Kept:
    """A submission as a moderator sees it: ``claimed`` is the purge that has it void, ``edits`` the values before."""

    pk: int
    player: str
    value: Value
    at_ms: int
    received: int
    service: str
    is_void: bool = False
    claimed: int | None = None
    edits: list[tuple[int, Value]] = field(default_factory=list)


@dataclass
class NaivePurge:
    """A range of moments [since, until), of a player or of a service, or of all."""

    pk: int
    entry: int
    since: int
    until: int
    player: str
    service: str
    is_done: bool = False
    to_undo: bool = False
    is_undone: bool = False

    def holds(self, row: Kept) -> bool:
        """Whether the submission lies in it."""
        return (
            self.since <= row.received < self.until
            and self.player in ("", row.player)
            and self.service in ("", row.service)
        )


@dataclass
class Naive:
    """A board that keeps submissions, and all that was done to them."""

    board: OracleBoard
    rows: list[Kept] = field(default_factory=list)
    purges: list[NaivePurge] = field(default_factory=list)
    banned: set[str] = field(default_factory=set)

    def hidden(self, player: str) -> bool:
        """Whether others see nothing of the player."""
        return player in self.banned

    def void(self, row: Kept) -> None:
        """By hand; what is void stays so."""
        row.is_void = True

    def restore(self, row: Kept) -> None:
        """By hand: no purge has it void from then on."""
        row.is_void, row.claimed = False, None

    def remove(self, player: str) -> None:
        """Take the player out, with all that counts of theirs."""
        for row in self.rows:
            row.is_void = row.is_void or row.player == player

    def work(self) -> None:
        """Do all that was asked for of purges."""
        for purge in self.purges:
            if not purge.is_done and not purge.to_undo:
                purge.is_done = True
                for row in self.rows:
                    if purge.holds(row) and not row.is_void:
                        row.is_void, row.claimed = True, purge.pk
            if purge.to_undo and not purge.is_undone:
                purge.is_undone = True
                for row in self.rows:
                    if row.claimed == purge.pk:
                        self.restore(row)

    def counting(self, player: str) -> list[State]:
        """What counts of a player, in the order in which it was accepted."""
        return [State(row.value, row.at_ms) for row in self.rows if row.player == player and not row.is_void]

    def ranks(self) -> list[Row]:
        """The list that others see."""
        players = {row.player for row in self.rows if not self.hidden(row.player)}
        self.board.counted = {player: states for player in players if (states := self.counting(player))}
        return self.board.rows()
