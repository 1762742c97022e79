"""What moderators do to a board, worked out naively: a list of submissions, each void or not, and plain sums over it.

Nothing here packs, replays a part, or knows a store: ``ranks`` begins from nothing each time. Who is not shown is asked
of ``hidden``. Ways to keep a player out are those of ``restricting.WAYS_ON_A_BOARD``.
"""

from dataclasses import dataclass, field

from leaderboards.core.ranking.policies import StandingState
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
    restored: int = 0  # when somebody did so by hand
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
    asked_at: int
    done_at: int | None = None
    to_undo: bool = False
    is_undone: bool = False

    def stands_since(self, at: int) -> bool:
        """Whether it stands, and was not through before that moment."""
        return not self.to_undo and (self.done_at is None or self.done_at >= at)

    def holds(self, row: Kept) -> bool:
        """Whether the submission lies in it, and nobody restored it by hand since it was asked for."""
        return (
            row.restored <= self.asked_at
            and self.since <= row.received < self.until
            and self.player in ("", row.player)
            and self.service in ("", row.service)
        )


@dataclass
class Deed:
    """An entry of the log: a player was kept out in one of the ways, or (``is_end``) let back."""

    entry: int
    player: str
    how: str
    is_end: bool
    is_undone: bool = False


@dataclass
class Judged:
    """An entry of the log: a submission was voided, or restored."""

    entry: int
    row: Kept
    to_void: bool
    at: int
    is_undone: bool = False


@dataclass
class Naive:
    """A board that keeps submissions, and all that was done to them."""

    board: OracleBoard
    rows: list[Kept] = field(default_factory=list)
    purges: list[NaivePurge] = field(default_factory=list)
    out: dict[tuple[str, str], int] = field(default_factory=dict)  # by player and way the entry that holds
    actions: list[Deed] = field(default_factory=list)
    judged: list[Judged] = field(default_factory=list)

    def ways(self, player: str) -> set[str]:
        """All that keeps the player out now."""
        return {how for who, how in self.out if who == player}

    def hidden(self, player: str) -> bool:
        """Whether others see nothing of the player."""
        return bool(self.ways(player))

    def shadowed(self, player: str) -> bool:
        """Whether nothing but shadows lies on the player, who sees themselves then."""
        return self.hidden(player) and self.ways(player) <= {"shadowed", "shadowed everywhere"}

    def refused(self, player: str) -> bool:
        """Whether what the player submits is refused."""
        return not self.ways(player).isdisjoint({"banned", "banned everywhere"})

    def keep_out_or_let_back(self, entry: int, player: str, how: str) -> None:
        """What this entry tells: the other of what is so."""
        is_end = (player, how) in self.out
        if is_end:
            del self.out[player, how]
        else:
            self.out[player, how] = entry
        self.actions.append(Deed(entry, player, how, is_end))

    def can_undo(self, action: Deed) -> bool:
        """Once, and not what somebody overruled since."""
        last = [each for each in self.actions if (each.player, each.how) == (action.player, action.how)][-1]
        return not action.is_undone and last is action

    def can_undo_judging(self, judged: Judged) -> bool:
        """Once, not what somebody overruled since, and not while a purge that stands is about it too."""
        row = judged.row
        last = [each for each in self.judged if each.row is row][-1]
        if judged.is_undone or last is not judged or row.is_void is not judged.to_void:
            return False
        return not judged.to_void or self.purge_about(row, judged.at) is None

    def purge_about(self, row: Kept, since: int, but: int | None = None) -> NaivePurge | None:
        """The first that stands since then and is about the submission, or none."""
        found = (each for each in self.purges if each.pk != but and each.stands_since(since) and each.holds(row))
        return next(found, None)

    def judge(self, entry: int, row: Kept, at: int, *, to_void: bool) -> None:
        """Void or restore, as this entry tells."""
        if to_void:
            row.is_void = True
        else:
            self.restore(row)
            row.restored = at
        self.judged.append(Judged(entry, row, to_void, at))

    def restore(self, row: Kept) -> None:
        """No purge has it void from then on."""
        row.is_void, row.claimed = False, None

    def remove(self, player: str) -> None:
        """Take the player out, with all that counts of theirs."""
        for row in self.rows:
            row.is_void = row.is_void or row.player == player

    def work(self, at: int) -> None:
        """Do all that was asked for of purges."""
        for purge in self.purges:
            if purge.done_at is None and not purge.to_undo:
                purge.done_at = at
                for row in self.rows:
                    if purge.holds(row) and not row.is_void:
                        row.is_void, row.claimed = True, purge.pk
            if purge.to_undo and not purge.is_undone:
                purge.is_undone = True
                for row in self.rows:
                    if row.claimed == purge.pk:
                        self.undo_claim(row, purge)

    def undo_claim(self, row: Kept, purge: NaivePurge) -> None:
        """It counts again, unless another purge is about it too."""
        other = self.purge_about(row, purge.asked_at, but=purge.pk)
        if other is None:
            self.restore(row)
        else:
            row.claimed = other.pk

    def counting(self, player: str) -> list[StandingState]:
        """What counts of a player, in the order in which it was accepted."""
        return [StandingState(row.value, row.at_ms) for row in self.rows if row.player == player and not row.is_void]

    def ranks(self, viewer: str = "") -> list[Row]:
        """The list that others see; or that the viewer sees, who is shadowed."""
        players = {row.player for row in self.rows if row.player == viewer or not self.hidden(row.player)}
        self.board.counted = {player: states for player in players if (states := self.counting(player))}
        return self.board.rows()
