"""Partitions and score ranges in memory, which execute the commands of the steps as scripts do: or late, or never."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from random import Random
from typing import Any

from leaderboards.core.range_steps import (
    Claimed,
    Command,
    IndexLost,
    RangeIndex,
    RangeState,
    Scanned,
    Steps,
    beginning,
    dropping,
    filling,
    passing,
    preparing,
)
from leaderboards.core.score_ranges import CLAIMED, Note, Place, choose_cuts, place_of, range_of

PARTITIONS = 4
PLAYERS = [f"p{nth}" for nth in range(8)]


class Unanswered(Exception):
    """A command was lost, or refused: the run ends."""


@dataclass
class Range:
    epoch: int
    fence: int
    mark: str | None = None
    size: int = 0
    members: dict[str, float] = field(default_factory=dict)


@dataclass
class World:
    """Of ``trouble`` runs, one round of commands is not answered as a whole. What is late may come at any time."""

    random: Random
    trouble: float = 0.5
    scores: int = 4
    stamps: int = 3  # members change with the time, as those that carry it do
    ignored: frozenset[str] = frozenset()  # rules that this world does not keep, to see that each is needed
    partitions: list[dict[str, Place]] = field(default_factory=lambda: [{} for _ in range(PARTITIONS)])
    moved: list[dict[str, str] | None] = field(default_factory=lambda: [None] * PARTITIONS)
    ranges: dict[tuple[int, int], Range] = field(default_factory=dict)
    late: list[Command] = field(default_factory=list)
    fence: int = 0
    epochs: int = 0
    index: RangeIndex | None = None
    following: RangeIndex | None = None
    read: dict[int, RangeIndex] = field(default_factory=dict)  # those that anybody may have heard of
    fill_partition: int | None = None
    fill_cursor: str = "0"
    rounds_left: int | None = None  # until one is not answered
    ended_early: int = 0

    def move(self) -> None:
        """A player gets another place, or leaves."""
        nth = self.random.randrange(len(PLAYERS))
        player, partition = PLAYERS[nth], nth % PARTITIONS
        before, notes = self.partitions[partition].get(player), self.moved[partition]
        if notes is not None:
            notes.setdefault(player, before.text if before else "")
        if self.random.random() < 0.2:
            self.partitions[partition].pop(player, None)
        else:
            stamp, score = self.random.randrange(self.stamps), self.random.randrange(self.scores)
            self.partitions[partition][player] = Place(float(score), f"{stamp}_{player}")

    def run(self, cut: bool = False) -> None:
        """One run of the worker, as ``services/sync/score_ranges.py`` has it."""
        self.fence += 1
        self.rounds_left = self.random.randrange(24) if self.random.random() < self.trouble else None
        try:
            self._run(cut)
        except Unanswered:
            self.ended_early += 1
        except IndexLost:
            self._forget()

    def _forget(self) -> None:
        try:
            for index in (self.index, self.following):
                if index:
                    self._execute(dropping(index, PARTITIONS))
        except Unanswered:
            self.ended_early += 1
        else:
            self.index = self.following = None

    def _run(self, cut: bool) -> None:
        fence = self.fence
        if self.following and self.fill_partition == PARTITIONS:
            self._switch(self.following)
        if (self.index is None or cut) and self.following is None:
            self.epochs += 1
            sampled = [(len(partition), list(partition.values())) for partition in self.partitions if partition]
            self.following = RangeIndex(
                self.epochs, 1 - self.index.slot if self.index else 0, tuple(choose_cuts(sampled, PARTITIONS))
            )
            self.fill_partition = None
        if self.following and self.fill_partition is None:
            self._execute(preparing(self.following, PARTITIONS, fence))
            self.fill_partition, self.fill_cursor = 0, "0"
        self._pass(fence, "a")
        if self.following and self.fill_partition is not None:
            while self.fill_partition < PARTITIONS:
                cursor = self._execute(filling(self.following, self.fill_partition, self.fill_cursor, fence))
                self.fill_cursor, self.fill_partition = cursor, self.fill_partition + (cursor == "0")
            self._pass(fence, "b")
            self._switch(self.following)

    def _switch(self, following: RangeIndex) -> None:
        if self.index and "drop" not in self.ignored:
            self._execute(dropping(self.index, PARTITIONS))
        self.index, self.following = following, None
        self.read[following.epoch] = following

    def _pass(self, fence: int, name: str) -> None:
        indexes = [index for index in (self.index, self.following) if index]
        found = self._execute(beginning(indexes, PARTITIONS, fence))
        nth = 0
        while not found.whole:
            nth += 1
            found = self._execute(passing(indexes, fence, int(f"{ord(name)}{nth}"), 0, found))

    def _execute(self, steps: Steps[Any]) -> Any:
        try:
            commands = next(steps)
            while True:
                commands = steps.send(self._round(commands))
        except StopIteration as end:
            return end.value
        finally:
            steps.close()

    def _round(self, commands: Sequence[Command]) -> list[Any]:
        """Execute commands in any order, with moves and late commands between them; some, perhaps, late or never."""
        order = list(range(len(commands)))
        self.random.shuffle(order)
        if self.rounds_left is not None:
            self.rounds_left -= 1
        if self.rounds_left == -1:
            kept = self.random.randrange(len(order) + 1)
            for nth in order[:kept]:
                self.between()
                self.execute(commands[nth])
            self.late += [commands[nth] for nth in order[kept:] if self.random.random() < 0.5]
            raise Unanswered
        answers: dict[int, Any] = {}
        for nth in order:
            self.between()
            answers[nth] = self.execute(commands[nth])
            if isinstance(answers[nth], int) and answers[nth] < 0:
                raise Unanswered
        return [answers[nth] for nth in range(len(commands))]

    def between(self) -> None:
        """What may happen between any two commands."""
        if self.trouble and self.random.random() < 0.2:
            self.move()
        if self.late and self.random.random() < 0.05:
            self.execute(self.late.pop(self.random.randrange(len(self.late))))
        self.check()

    def execute(self, command: Command) -> Any:
        executed: Callable[..., Any] = getattr(self, f"_{type(command).__name__.lower()}")
        answer = executed(*(getattr(command, each.name) for each in fields(command)))
        self.check()
        return answer

    def _init(self, index: RangeIndex, number: int, fence: int) -> int:
        there = self.ranges.get((index.slot, number))
        if there and there.fence > fence and "fence" not in self.ignored:
            return 0
        self.ranges[index.slot, number] = Range(index.epoch, fence)
        return 1

    def _drop(self, index: RangeIndex, number: int) -> int:
        there = self.ranges.get((index.slot, number))
        if there is None or there.epoch != index.epoch:
            return 0
        del self.ranges[index.slot, number]
        return 1

    def _begin(self, index: RangeIndex, number: int, fence: int) -> RangeState | None:
        there = self.ranges.get((index.slot, number))
        if there is None or there.epoch != index.epoch or there.fence > fence:
            return None
        there.fence = fence
        return RangeState(len(there.members), there.size if there.mark else None)

    def _ours(self, index: RangeIndex, number: int, fence: int) -> Range | None:
        there = self.ranges.get((index.slot, number))
        if there is None or there.epoch != index.epoch:
            return None
        return there if there.fence == fence or "fence" in self.ignored else None

    def _change(
        self, index: RangeIndex, number: int, fence: int, removed: Sequence[str], added: Sequence[tuple[str, float]]
    ) -> int:
        there = self._ours(index, number, fence)
        if there is None:
            return -1
        there.mark = None
        for member in removed:
            there.members.pop(member, None)
        there.members |= dict(added)
        return len(there.members)

    def _publish(
        self, index: RangeIndex, number: int, fence: int, mark: str, as_of: int | None, sizes: Sequence[int]
    ) -> int:
        there = self._ours(index, number, fence)
        if there is None or len(there.members) != sizes[number]:
            return -1
        there.mark, there.size = mark, sizes[number]
        return 1

    def _claim(self, partition: int, mark: str, cursor: str) -> Claimed:
        notes, found = self.moved[partition], []
        if notes is None:
            raise IndexLost
        players = sorted(notes)
        start = int(cursor)
        for player in players[start : start + 3]:
            now = self.partitions[partition].get(player)
            lines = [line for line in notes[player].split("\n") if line and not line.startswith(CLAIMED)]
            if now and now.text not in lines and "claim" not in self.ignored:
                lines.append(now.text)
            marked = [] if "mark" in self.ignored else [CLAIMED + mark]
            notes[player] = "\n".join([*marked, *lines])
            found.append(Note(player, notes[player], now))
        return Claimed("0" if start + 3 >= len(players) else str(start + 3), found)

    def _clear(self, partition: int, claimed: Sequence[Note]) -> int:
        notes = self.moved[partition] or {}
        for note in claimed:
            if notes.get(note.player) != note.text:
                continue
            if self.partitions[partition].get(note.player) == note.now or "clear" in self.ignored:
                del notes[note.player]
            else:
                notes[note.player] = note.now.text if note.now else ""
        return 1

    def _arm(self, partition: int) -> int:
        self.moved[partition] = self.moved[partition] or {}
        return 1

    def _scan(self, partition: int, cursor: str) -> Scanned:
        notes, rows = self.moved[partition] or {}, sorted(self.partitions[partition].items())
        start = int(cursor)
        without = () if "scan" in self.ignored else notes
        places = [place for player, place in rows[start : start + 2] if player not in without]
        return Scanned("0" if start + 2 >= len(rows) else str(start + 2), places)

    def check(self) -> None:
        """Each range that may be read has who belongs to it, of those without a note; others at a noted place."""
        for (slot, number), there in self.ranges.items():
            index = self.read.get(there.epoch)
            if index and index.slot == slot and (there.mark or index is self.index):
                self._check_range(index, number, there)

    def _check_range(self, index: RangeIndex, number: int, there: Range) -> None:
        members = {member.partition("_")[2]: Place(score, member) for member, score in there.members.items()}
        assert len(members) == len(there.members)
        for nth, player in enumerate(PLAYERS):
            partition = nth % PARTITIONS
            notes, now, found = self.moved[partition] or {}, self.partitions[partition].get(player), members.get(player)
            if player not in notes:
                belongs = now is not None and range_of(index.cuts, now) == number
                assert found == (now if belongs else None), player
            elif found:
                lines = [line for line in notes[player].split("\n") if line and not line.startswith(CLAIMED)]
                assert found in map(place_of, lines), player
