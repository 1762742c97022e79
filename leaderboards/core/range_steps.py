"""The steps by which score ranges follow the partitions of a period, as rounds of commands to whoever executes them.

A plan yields the commands of a round, all to be sent together, and gets their answers in their order. It goes on only
if every command was answered: whoever executes it ends it otherwise, and the next run begins anew. So a step may be
lost, come late, or be the last of a worker that dies. Four rules make that harmless:

- **A fence.** Each run has a greater number than all before it, and raises that of every range first. A range refuses
  commands with a smaller one, so nothing of an earlier run arrives after that.
- **A note names every place at which ranges may have the player.** A partition notes the place that a player leaves, in
  the script that moves them. A pass adds the present place to the note before any range gets it.
- **A note is cleared last**, when all ranges have answered, and only if it is still the one that the pass has read. A
  player who has moved meanwhile keeps a note.
- **A range that can be read is followed.** An index that is replaced is deleted before the first pass without it.

So a player without a note is in the ranges where the partition has them, once. Ranges that are being filled follow as
those that are read do; filling leaves players with notes to the next pass.
"""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from leaderboards.core.score_ranges import Note, Place, RangeChange, changes, places_by_range

CHANGED_AT_ONCE = 500  # members of a range that one command changes

Result = TypeVar("Result")


class IndexLost(Exception):
    """A range is not as it was left: all of them are made anew."""


@dataclass(frozen=True, slots=True)
class RangeIndex:
    """Ranges over all players of a period. ``slot`` (0 or 1) names their keys, and ``epoch`` the cuts."""

    epoch: int
    slot: int
    cuts: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Begin:
    """Raise the fence of a range. The answer is ``RangeState``; None if the range is not one of this index."""

    index: RangeIndex
    number: int
    fence: int


class RangeState(NamedTuple):
    """How many players a range has, and how many it had when it was published; None if it was changed since."""

    size: int
    published: int | None


@dataclass(frozen=True, slots=True)
class Claim:
    """Read notes of a partition from a cursor on ("0" begins and ends); add the present place and ``mark`` to each."""

    partition: int
    mark: str
    cursor: str


class Claimed(NamedTuple):
    """The answer: the next cursor, and notes as they are now."""

    cursor: str
    notes: list[Note]


@dataclass(frozen=True, slots=True)
class Change:
    """Change a range, which is not read until it is published. The answer is its size."""

    index: RangeIndex
    number: int
    fence: int
    removed: Sequence[str]
    added: Sequence[tuple[str, float]]


@dataclass(frozen=True, slots=True)
class Publish:
    """Let a range be read. ``mark`` is that of all ranges of one state; ``as_of`` (ms) is None if it stays."""

    index: RangeIndex
    number: int
    fence: int
    mark: str
    as_of: int | None
    sizes: Sequence[int]


@dataclass(frozen=True, slots=True)
class Clear:
    """Clear notes of a partition; where the player has moved since, the note becomes the place that ranges have now."""

    partition: int
    notes: Sequence[Note]


@dataclass(frozen=True, slots=True)
class Init:
    """Empty the keys of a range for a new index."""

    index: RangeIndex
    number: int
    fence: int


@dataclass(frozen=True, slots=True)
class Drop:
    """Delete the keys of a range, if they are of this index."""

    index: RangeIndex
    number: int


@dataclass(frozen=True, slots=True)
class Arm:
    """Have a partition note what changes from now on."""

    partition: int


@dataclass(frozen=True, slots=True)
class Scan:
    """Read places of a partition from a cursor on, without players who have a note. The answer is ``Scanned``."""

    partition: int
    cursor: str


class Scanned(NamedTuple):
    """The next cursor, and places."""

    cursor: str
    places: list[Place]


Command = Begin | Claim | Change | Publish | Clear | Init | Drop | Arm | Scan
Steps = Generator[Sequence[Command], Sequence[Any], Result]


class Pass(NamedTuple):
    """What a pass has come to: the sizes of the ranges of each index, by epoch, and the cursor of each partition.

    The cursor is None where all notes were read that there were when the first pass began.
    """

    sizes: dict[int, list[int]]
    cursors: list[str | None]

    @property
    def whole(self) -> bool:
        """Whether all partitions were read to the end."""
        return not any(self.cursors)


def beginning(indexes: Sequence[RangeIndex], ranges: int, fence: int) -> Steps[Pass]:
    """Raise the fence everywhere. Returns what the first pass goes on from. Raises ``IndexLost``."""
    commands = [Begin(index, number, fence) for index in indexes for number in range(ranges)]
    states = yield commands
    sizes: dict[int, list[int]] = {index.epoch: [0] * ranges for index in indexes}
    for command, state in zip(commands, states, strict=True):
        if state is None or state.published not in {None, state.size}:
            raise IndexLost
        sizes[command.index.epoch][command.number] = state.size
    return Pass(sizes, ["0"] * ranges)


def passing(indexes: Sequence[RangeIndex], fence: int, nth: int, as_of: int, before: Pass) -> Steps[Pass]:
    """Bring the ranges of all indexes up to the partitions: the ``nth`` pass of a run that has begun.

    ``as_of`` (ms) is a moment before the first one. It goes on from what the pass ``before`` has come to.
    """
    partitions = [partition for partition, cursor in enumerate(before.cursors) if cursor is not None]
    mark = f"{fence}.{nth}"
    claimed: Sequence[Claimed] = yield [
        Claim(partition, mark, before.cursors[partition] or "0") for partition in partitions
    ]
    cursors = [*before.cursors]
    for partition, each in zip(partitions, claimed, strict=True):
        cursors[partition] = None if each.cursor == "0" else each.cursor
    notes = [note for each in claimed for note in each.notes]
    sizes = yield from _changing([(index, changes(notes, index.cuts)) for index in indexes], fence, before.sizes)
    told = None if any(cursors) else as_of
    yield [
        Publish(index, number, fence, mark, told, sizes[index.epoch])
        for index in indexes
        for number in range(len(cursors))
    ]
    if notes:
        yield [Clear(partition, each.notes) for partition, each in zip(partitions, claimed, strict=True) if each.notes]
    return Pass(sizes, cursors)


def preparing(index: RangeIndex, ranges: int, fence: int) -> Steps[None]:
    """Empty the ranges of a new index, and have the partitions note what changes."""
    yield [Init(index, number, fence) for number in range(ranges)]
    yield [Arm(partition) for partition in range(ranges)]


def dropping(index: RangeIndex, ranges: int) -> Steps[None]:
    """Delete an index. Until that was heard, passes bring it up to the partitions too: somebody may be reading it."""
    yield [Drop(index, number) for number in range(ranges)]


def filling(index: RangeIndex, partition: int, cursor: str, fence: int) -> Steps[str]:
    """Give a new index a part of a partition, from a cursor on; returns the next. A whole pass goes before it."""
    scanned: Scanned
    (scanned,) = yield [Scan(partition, cursor)]
    yield from _changing([(index, places_by_range(scanned.places, index.cuts))], fence, {})
    return scanned.cursor


def _changing(
    wanted: Sequence[tuple[RangeIndex, Mapping[int, RangeChange]]], fence: int, sizes: dict[int, list[int]]
) -> Steps[dict[int, list[int]]]:
    """Change ranges; returns the sizes by epoch, as told afterwards."""
    commands = [
        command
        for index, found in wanted
        for number, change in found.items()
        for command in _in_parts(index, number, fence, change)
    ]
    sizes = {epoch: [*each] for epoch, each in sizes.items()}
    if commands:
        answers = yield commands
        for command, size in zip(commands, answers, strict=True):
            if command.index.epoch in sizes:
                sizes[command.index.epoch][command.number] = size
    return sizes


def _in_parts(index: RangeIndex, number: int, fence: int, change: RangeChange) -> list[Change]:
    everything = [*((member, None) for member in change.removed), *change.added.items()]
    parts = (everything[start : start + CHANGED_AT_ONCE] for start in range(0, len(everything), CHANGED_AT_ONCE))
    return [
        Change(
            index,
            number,
            fence,
            [member for member, score in part if score is None],
            [(member, score) for member, score in part if score is not None],
        )
        for part in parts
    ]
