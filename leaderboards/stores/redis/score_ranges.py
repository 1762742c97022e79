"""Execute the steps of score ranges (``core/range_steps.py``) on a period's keys in Redis.

Range ``n`` has its keys with partition ``n``, in its slot, and under its generation: who lost the one lost the other.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from foundation.errors import Unavailable
from foundation.redis.client import Argument, RedisClient, ScriptCall
from foundation.sync.redis_state import raise_if_stale
from leaderboards.core.range_steps import (
    Arm,
    Begin,
    Change,
    Claim,
    Claimed,
    Clear,
    Command,
    Drop,
    IndexLost,
    Init,
    Publish,
    RangeIndex,
    RangeState,
    Scan,
    Scanned,
    Steps,
)
from leaderboards.core.ranking.rules import Order
from leaderboards.core.score_ranges import Note, Place
from leaderboards.models import Part, Period
from leaderboards.stores.redis.partition_rounds import FoundRow, Rounds, place
from leaderboards.stores.redis.reads import lua_bool, quantiles_call, script

NOTES_AT_ONCE = 500
SCANNED_AT_ONCE = 1000
SAMPLES = 64  # places of each partition from which cuts are chosen
_ARMED = ".".ljust(65, ".")  # longer than `hash-max-listpack-value`, so that the hash is a hash table

Result = TypeVar("Result")


class RangeRefused(Unavailable):
    """A range is of another run or index by now: this run ends."""


class RangeStore:
    """Runs steps on the keys of a period. Every method raises what the client raises, and ``StaleGeneration``."""

    def __init__(self, link: RedisClient, period: Period) -> None:
        self._link, self._period = link, period

    def run(self, steps: Steps[Result]) -> Result:
        """Run steps to their end. Raises ``RangeRefused`` or ``IndexLost``."""
        try:
            commands = next(steps)
            while True:
                commands = steps.send(self._exchange(commands))
        except StopIteration as end:
            result: Result = end.value
            return result
        finally:
            steps.close()

    def sample(self) -> list[tuple[int, list[Place]]]:
        """Return how many players each partition has, and places at equal distances among them."""
        shares = [1000 * nth // SAMPLES for nth in range(SAMPLES)]
        with raise_if_stale():
            answers = self._link.run_many([quantiles_call(part, shares) for part in self._period.parts])
        return [
            (
                int(total),
                [Place(float(score), member.decode()) for member, score in zip(row[::2], row[1::2], strict=True)],
            )
            for total, *row in answers
            if int(total)
        ]

    def counts_before(self, cuts: Sequence[Place]) -> list[int] | None:
        """Count the players who stand at a better range than the one that ends at each cut, and last all players.

        They are counted in their partitions; None if a partition has changed since the ranges followed.
        """
        rounds = Rounds(self._link, self._period)
        rounds.wants_levels, is_descending = False, self._period.rules.order is Order.DESC
        asked = [place(FoundRow(cut.member, cut.score), is_after=is_descending) for cut in cuts]
        with raise_if_stale():
            replies = self._link.run_many([rounds.call(part, asked) for part in self._period.parts])
            if not all(self._link.run_many([none_moved_call(part) for part in self._period.parts])):
                return None
        told = [text.decode().split("\n") for text, _levels in replies]
        counts = zip(*([answer.before for answer in rounds.read_answers(lines)] for lines in told), strict=True)
        return [*map(sum, counts), sum(int(lines[0]) for lines in told)]

    def _exchange(self, commands: Sequence[Command]) -> list[Any]:
        calls, readers = zip(*map(self._call, commands), strict=True)
        with raise_if_stale():
            answers = self._link.run_many(calls)
        return [read(answer) for read, answer in zip(readers, answers, strict=True)]

    def _call(self, command: Command) -> tuple[ScriptCall, Callable[[Any], Any]]:
        if isinstance(command, Claim | Clear | Scan | Arm):
            return self._call_of_partition(command)
        match command:
            case Begin(index, number, fence):
                return self._range_call("range_begin", index, number, [fence]), _range_state
            case Init(index, number, fence):
                return self._range_call("range_init", index, number, [fence]), _require_done
            case Drop(index, number):
                return self._range_call("range_drop", index, number, []), int
            case Change(index, number, fence, removed, added):
                args: list[Argument] = [fence, len(removed), *removed, *(cell for row in added for cell in row)]
                return self._range_call("range_change", index, number, args), _require_done
            case Publish(index, number, fence, mark, as_of, sizes):
                told: list[Argument] = [
                    fence,
                    mark,
                    "" if as_of is None else as_of,
                    ",".join(map(str, sizes)),
                    sizes[number],
                ]
                return self._range_call("range_publish", index, number, told), _require_done

    def _call_of_partition(self, command: Claim | Clear | Scan | Arm) -> tuple[ScriptCall, Callable[[Any], Any]]:
        family, in_member = self._period.parts[command.partition].family, lua_bool(self._period.layout.in_member)
        standings = (family.zset, family.members, family.moved)
        match command:
            case Claim(partition, mark, cursor):
                claimed: list[Argument] = [in_member, mark, cursor, NOTES_AT_ONCE]
                return self._partition_call("moved_claim", partition, standings, claimed), _claimed
            case Clear(partition, notes):
                cells = [cell for note in notes for cell in (note.player, note.text, note.now.text if note.now else "")]
                return self._partition_call("moved_clear", partition, standings, [in_member, *cells]), int
            case Scan(partition, cursor):
                scanned: list[Argument] = [self._period.layout.parts_before_player, cursor, SCANNED_AT_ONCE]
                return self._partition_call("moved_scan", partition, (family.zset, family.moved), scanned), _scanned
            case Arm(partition):
                return self._partition_call("moved_arm", partition, (family.moved,), [_ARMED]), int

    def _range_call(self, name: str, index: RangeIndex, number: int, args: Sequence[Argument]) -> ScriptCall:
        part = self._period.parts[number]
        return ScriptCall(script(name), _range_keys(part, index), [part.generation, index.epoch, *args])

    def _partition_call(self, name: str, partition: int, keys: Sequence[str], args: Sequence[Argument]) -> ScriptCall:
        part = self._period.parts[partition]
        return ScriptCall(script(name), [part.family.gen, *keys], [part.generation, *args])


def none_moved_call(part: Part) -> ScriptCall:
    """The call that tells whether score ranges have all of a partition: 1 or 0."""
    return ScriptCall(script("moved_none"), [part.family.gen, part.family.moved], [part.generation])


def _range_keys(part: Part, index: RangeIndex) -> list[str]:
    return [part.family.gen, part.family.range(index.slot), part.family.range_head(index.slot)]


def _range_state(answer: Sequence[Any]) -> RangeState | None:
    if not answer:
        return None
    size, published = answer
    return RangeState(int(size), int(published) if published else None)


def _require_done(answer: int) -> int:
    if answer < 0:
        raise RangeRefused("A score range is of another run by now.")
    return answer


def _claimed(answer: Sequence[bytes]) -> Claimed:
    if not answer:
        raise IndexLost
    cursor, *cells = answer
    rows = zip(*(iter(cells),) * 4, strict=True)
    notes = [
        Note(player.decode(), text.decode(), Place(float(score), member.decode()) if score else None)
        for player, text, score, member in rows
    ]
    return Claimed(cursor.decode(), notes)


def _scanned(answer: Sequence[bytes]) -> Scanned:
    cursor, *cells = answer
    rows = zip(cells[::2], cells[1::2], strict=True)
    return Scanned(cursor.decode(), [Place(float(score), member.decode()) for member, score in rows])
