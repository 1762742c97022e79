"""What settling, the mirror and the check do in Redis, for kinds that it decides over.

Each call carries the generation of the ``LikeKind`` row that its caller holds; another one in Redis is
``StaleGeneration``.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from foundation.redis.client import Argument, RedisClient
from foundation.sync import redis_state
from foundation.sync.redis_state import RedisState
from likes.core.keys import KindKeys, ThingKeys, is_of_a_thing, pattern_of_things, thing_of
from likes.registry import Likeable
from likes.stores.redis import run, thing_keys

SCANNED_AT_ONCE = 1_000


@dataclass(frozen=True, slots=True)
class DirtyLike:
    """A like that SQL does not have yet; amount 0 where it was taken back. ``mark`` is the mark as it was read."""

    thing: str
    player: str
    version: int
    amount: int
    at_ms: int
    mark: bytes


@dataclass(frozen=True, slots=True)
class LikeInSql:
    """A like as SQL has it."""

    thing: str
    player: str
    amount: int
    at_ms: int


@dataclass(frozen=True, slots=True)
class LikeInRedis:
    """How often a player likes a thing in Redis, and whether SQL may not have that yet."""

    amount: int
    dirty: bool


def read_due_state(link: RedisClient, kinds: Sequence[str]) -> tuple[list[int], bool]:
    """In one round trip: the generation of each kind (0 for none), and whether SQL lacks anything of any."""
    keys = [KindKeys(kind) for kind in kinds]
    commands = [("MGET", *(each.gen for each in keys)), ("EXISTS", *(each.dirty for each in keys))]
    generations, dirty = link.pipeline(commands)
    return [int(each or 0) for each in generations], bool(dirty)


class RedisKind:
    """One kind in Redis as the worker sees it."""

    def __init__(self, likeable: Likeable, link: RedisClient) -> None:
        self._kind = likeable.kind
        self._keys = KindKeys(likeable.kind)
        self._repeatable = int(likeable.repeatable)
        self._link = link

    def memory(self) -> RedisState:
        """What is there now, under whatever generation."""
        return redis_state.read_redis_state(self._link, self._keys)

    def set_generation(self, generation: int, judged: RedisState, empty: bool) -> int | None:
        """Write a new generation, let the kind's own keys go if asked; its sequence, None where it is not as judged."""
        return redis_state.set_generation(self._link, self._keys, generation, judged, empty)

    def fence_generation(self, generation: int) -> None:
        """Nobody reads or writes the kind any more: its memory is of a generation that SQL gives nothing."""
        redis_state.fence_generation(self._link, self._keys, generation)

    def keys_of_things(self) -> Iterator[list[str]]:
        """All keys of the kind's things, some at a time. This walks over everything that Redis has."""
        for keys in self._scanned(pattern_of_things(self._kind)):
            yield [key for key in keys if is_of_a_thing(key)]

    def drop(self, generation: int, keys: Sequence[str]) -> None:
        """Let these keys of things go, while the kind is settled under this generation."""
        redis_state.unlink_keys(self._link, self._keys, generation, keys)

    def drop_all(self) -> None:
        """Let all of the kind go, since it is kept elsewhere. The generation first: without one nobody writes here."""
        self._link.call("UNLINK", *self._keys.all_keys)
        for keys in self.keys_of_things():
            if keys:
                self._link.call("UNLINK", *keys)

    def things(self) -> Iterator[list[str]]:
        """Every thing of the kind that somebody likes, some at a time; one may come twice."""
        for keys in self._scanned(ThingKeys(self._kind, "*").liked_by):
            yield [thing_of(key) for key in keys]

    def restore(self, generation: int, rows: Sequence[LikeInSql]) -> None:
        """Put likes back."""
        keys, places = self._with_things([self._keys.gen], [row.thing for row in rows], 3)
        args: list[Argument] = [generation, self._link.deadline_ms(), self._repeatable]
        for row in rows:
            args += (places[row.thing], row.player, row.amount, row.at_ms)
        run(self._link, "restore", keys, args)

    def deadline_ms(self) -> int:
        """When a script that is sent now must not act any more, by Redis's clock."""
        return self._link.deadline_ms()

    def put_back(self, generation: int, row: LikeInSql, deadline: int) -> bool:
        """Put a like back that was lost without a trace; False where it is there or dirty."""
        keys = ThingKeys(self._kind, row.thing)
        named = [self._keys.gen, self._keys.dirty, keys.liked_by, keys.count, keys.amounts]
        args: list[Argument] = [generation, deadline, self._repeatable, row.thing, row.player, row.amount, row.at_ms]
        return bool(run(self._link, "put_back", named, args))

    def raise_sequence(self, generation: int, highest: int) -> None:
        """Let versions go on above ``highest``, and above all that earlier memories gave out."""
        redis_state.raise_sequence(self._link, self._keys, generation, highest)

    def dirty(self, generation: int, limit: int) -> tuple[int, list[DirtyLike]]:
        """How many likes SQL lacks, and about ``limit`` of them."""
        total, *cells = run(self._link, "mirror_read", [self._keys.gen, self._keys.dirty], [generation, limit])
        return int(total), [_dirty(field, mark) for field, mark in zip(cells[::2], cells[1::2], strict=True)]

    def has_dirty_marks_of(self, player: str) -> bool:
        """Whether a dirty mark is the player's, under whatever generation."""
        cursor = "0"
        while True:
            following, cells = self._link.call("HSCAN", self._keys.dirty, cursor, "COUNT", SCANNED_AT_ONCE)
            if any(field.decode().partition("\n")[2] == player for field in cells[::2]):
                return True
            cursor = following.decode()
            if cursor == "0":
                return False

    def clear_dirty(self, generation: int, rows: Sequence[DirtyLike]) -> int:
        """Take off the dirty marks that are still those that were read; returns how many likes are dirty yet."""
        marks = [(f"{row.thing}\n{row.player}", row.mark) for row in rows]
        return redis_state.clear_dirty(self._link, self._keys, generation, marks)

    def mark_dirty(self, generation: int, row: tuple[str, str], at_ms: int, compared: int | None = None) -> bool:
        """Have the mirror copy a like (thing, player) again, if it is still as ``compared`` (None: whatever it is)."""
        thing, player = row
        keys = ThingKeys(self._kind, thing)
        named = [self._keys.gen, self._keys.seq, self._keys.dirty, keys.liked_by, keys.amounts]
        args: list[Argument] = [generation, self._link.deadline_ms(), self._repeatable, thing, player]
        return bool(run(self._link, "mark_dirty", named, [*args, "*" if compared is None else compared, at_ms]))

    def recount(self, generation: int, things: Sequence[str], repair: bool) -> list[tuple[int, int]]:
        """The count of each thing, as it was, and how many likes it has; set right if asked to."""
        keys = [self._keys.gen, *(key for thing in things for key in thing_keys(self._kind, thing))]
        args = [generation, self._link.deadline_ms(), self._repeatable, int(repair)]
        cells = [int(cell) for cell in run(self._link, "recount", keys, args)]
        return list(zip(cells[::2], cells[1::2], strict=True))

    def inspect(self, generation: int, rows: Sequence[tuple[str, str]]) -> list[LikeInRedis]:
        """What Redis has of likes (thing, player)."""
        keys, places = self._with_things([self._keys.gen, self._keys.dirty], [thing for thing, _ in rows], 2)
        args: list[Argument] = [generation, self._repeatable]
        for thing, player in rows:
            args += (places[thing], thing, player)
        cells = [int(cell) for cell in run(self._link, "inspect", keys, args)]
        return [LikeInRedis(amount, bool(dirty)) for amount, dirty in zip(cells[::2], cells[1::2], strict=True)]

    def players(self, thing: str) -> Iterator[list[str]]:
        """Those who like a thing, some at a time; one may come twice."""
        cursor = "0"
        while True:
            following, cells = self._link.call(
                "ZSCAN", ThingKeys(self._kind, thing).liked_by, cursor, "COUNT", SCANNED_AT_ONCE
            )
            cursor = following.decode()
            yield [cell.decode() for cell in cells[::2]]
            if cursor == "0":
                return

    def _scanned(self, pattern: str) -> Iterator[list[str]]:
        cursor = "0"
        while True:
            following, keys = self._link.call("SCAN", cursor, "MATCH", pattern, "COUNT", SCANNED_AT_ONCE)
            cursor = following.decode()
            yield [key.decode() for key in keys]
            if cursor == "0":
                return

    def _with_things(self, keys: list[str], things: Sequence[str], each: int) -> tuple[list[str], dict[str, int]]:
        """The keys with those of the things behind them, and at which number in KEYS those of each thing begin."""
        places: dict[str, int] = {}
        for thing in dict.fromkeys(things):
            places[thing] = len(keys) + 1
            liked_by, count, amounts = thing_keys(self._kind, thing)
            keys += [liked_by, count, amounts] if each == 3 else [liked_by, amounts]
        return keys, places


def _dirty(field: bytes, mark: bytes) -> DirtyLike:
    thing, _, player = field.decode().partition("\n")
    version, amount, at_ms = mark.split(b"|")
    return DirtyLike(thing, player, int(version), int(amount), int(float(at_ms)), mark)
