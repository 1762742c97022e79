"""What resyncs, mirrors and checks do in Redis, for kinds that it decides.

Calls carry the generation of the ``LikeKind`` row; if Redis has another one, they raise ``StaleGeneration``.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from foundation.redis.client import Argument, RedisClient, values_by_key
from foundation.sync import redis_state
from foundation.sync.redis_state import RedisState
from likes.core.keys import KindKeys, ThingKeys, is_of_a_thing, pattern_of_things, thing_of
from likes.registry import Likeable
from likes.stores.redis import run, thing_keys

SCANNED_AT_ONCE = 1_000


@dataclass(frozen=True, slots=True)
class DirtyLike:
    """A like that SQL does not have yet; amount 0 if it was taken back. ``mark`` is the value of the dirty mark."""

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


def read_due_state(client: RedisClient, kinds: Sequence[str]) -> tuple[list[int], bool]:
    """The generation of each kind (0 for none), and whether any has dirty likes, in one round trip."""
    keys = [KindKeys(kind) for kind in kinds]
    in_groups, dirty = client.groups([each.gen for each in keys]), client.groups([each.dirty for each in keys])
    commands = [*(("MGET", *group) for group in in_groups), *(("EXISTS", *group) for group in dirty)]
    replies = client.pipeline(commands)
    generations = values_by_key(in_groups, replies)
    return [int(generations[each.gen] or 0) for each in keys], any(replies[len(in_groups) :])


class RedisKind:
    """One kind in Redis, for the worker."""

    def __init__(self, likeable: Likeable, client: RedisClient) -> None:
        self._kind = likeable.kind
        self._keys = KindKeys(likeable.kind)
        self._repeatable = int(likeable.repeatable)
        self._redis = client

    def memory(self) -> RedisState:
        """The kind's generation and sequence in Redis now."""
        return redis_state.read_redis_state(self._redis, self._keys)

    def set_generation(self, generation: int, judged: RedisState, empty: bool) -> int | None:
        """Write a new generation, and delete the kind's own keys if ``empty``.

        Returns the sequence; None if Redis's state is not ``judged`` any more.
        """
        return redis_state.set_generation(self._redis, self._keys, generation, judged, empty)

    def fence_generation(self, generation: int) -> None:
        """Write a generation that SQL never assigns to a reader, so that nobody reads or writes the kind."""
        redis_state.fence_generation(self._redis, self._keys, generation)

    def keys_of_things(self) -> Iterator[list[str]]:
        """All keys of the kind's things, in chunks. This scans the whole Redis database."""
        for keys in self._scan(pattern_of_things(self._kind)):
            yield [key for key in keys if is_of_a_thing(key)]

    def drop(self, generation: int, keys: Sequence[str]) -> None:
        """Delete these keys of things, during a resync under this generation."""
        redis_state.unlink_keys(self._redis, self._keys, generation, keys)

    def drop_all(self) -> None:
        """Delete the whole kind, which has another storage now. The generation goes first, so that nobody writes."""
        self._redis.call("UNLINK", *self._keys.all_keys)
        for keys in self.keys_of_things():
            if keys:
                self._redis.call("UNLINK", *keys)

    def things(self) -> Iterator[list[str]]:
        """The kind's things with likes, in chunks; a thing may come twice."""
        for keys in self._scan(ThingKeys(self._kind, "*", is_decided=True).liked_by):
            yield [thing_of(key) for key in keys]

    def restore(self, generation: int, rows: Sequence[LikeInSql]) -> None:
        """Write likes from SQL to Redis."""
        keys, places = self._keys_with_things([self._keys.gen], [row.thing for row in rows], 3)
        args: list[Argument] = [generation, self._redis.deadline_ms(self._keys.gen), self._repeatable]
        for row in rows:
            args += (places[row.thing], row.player, row.amount, row.at_ms)
        run(self._redis, "restore", keys, args)

    def deadline_ms(self) -> int:
        """The deadline of a script that is sent now, on Redis's clock."""
        return self._redis.deadline_ms(self._keys.gen)

    def put_back(self, generation: int, row: LikeInSql, deadline: int) -> bool:
        """Put a lost like back; False if Redis has it, or a dirty mark of it."""
        of_thing = ThingKeys(self._kind, row.thing, is_decided=True)
        keys = [self._keys.gen, self._keys.dirty, of_thing.liked_by, of_thing.count, of_thing.amounts]
        args: list[Argument] = [generation, deadline, self._repeatable, row.thing, row.player, row.amount, row.at_ms]
        return bool(run(self._redis, "put_back", keys, args))

    def raise_sequence(self, generation: int, highest: int) -> None:
        """Raise the sequence of versions above ``highest``, and above all versions of earlier generations."""
        redis_state.raise_sequence(self._redis, self._keys, generation, highest)

    def dirty(self, generation: int, limit: int) -> tuple[int, list[DirtyLike]]:
        """The number of dirty likes, and about ``limit`` of them."""
        total, *cells = run(self._redis, "mirror_read", [self._keys.gen, self._keys.dirty], [generation, limit])
        return int(total), [_parse_dirty(field, mark) for field, mark in zip(cells[::2], cells[1::2], strict=True)]

    def has_dirty_marks_of(self, player: str) -> bool:
        """Whether the player has dirty marks, under any generation."""
        cursor = "0"
        while True:
            next_cursor, cells = self._redis.call("HSCAN", self._keys.dirty, cursor, "COUNT", SCANNED_AT_ONCE)
            if any(field.decode().partition("\n")[2] == player for field in cells[::2]):
                return True
            cursor = next_cursor.decode()
            if cursor == "0":
                return False

    def clear_dirty(self, generation: int, rows: Sequence[DirtyLike]) -> int:
        """Remove the dirty marks that are unchanged since they were read; return how many likes are still dirty."""
        marks = [(f"{row.thing}\n{row.player}", row.mark) for row in rows]
        return redis_state.clear_dirty(self._redis, self._keys, generation, marks)

    def mark_dirty(self, generation: int, row: tuple[str, str], at_ms: int, compared: int | None = None) -> bool:
        """Mark a like (thing, player) dirty, if its amount is still ``compared`` (None: in any case)."""
        thing, player = row
        of_thing = ThingKeys(self._kind, thing, is_decided=True)
        keys = [self._keys.gen, self._keys.seq, self._keys.dirty, of_thing.liked_by, of_thing.amounts]
        args: list[Argument] = [generation, self._redis.deadline_ms(self._keys.gen), self._repeatable, thing, player]
        return bool(run(self._redis, "mark_dirty", keys, [*args, "*" if compared is None else compared, at_ms]))

    def recount(self, generation: int, things: Sequence[str], repair: bool) -> list[tuple[int, int]]:
        """The count of each thing, as it was, and how many likes it has; set right if asked to."""
        keys = [self._keys.gen, *(key for thing in things for key in thing_keys(self._kind, thing))]
        args = [generation, self._redis.deadline_ms(self._keys.gen), self._repeatable, int(repair)]
        cells = [int(cell) for cell in run(self._redis, "recount", keys, args)]
        return list(zip(cells[::2], cells[1::2], strict=True))

    def inspect(self, generation: int, rows: Sequence[tuple[str, str]]) -> list[LikeInRedis]:
        """Redis's state of likes (thing, player)."""
        keys, places = self._keys_with_things([self._keys.gen, self._keys.dirty], [thing for thing, _ in rows], 2)
        args: list[Argument] = [generation, self._repeatable]
        for thing, player in rows:
            args += (places[thing], thing, player)
        cells = [int(cell) for cell in run(self._redis, "inspect", keys, args)]
        return [LikeInRedis(amount, bool(dirty)) for amount, dirty in zip(cells[::2], cells[1::2], strict=True)]

    def players(self, thing: str) -> Iterator[list[str]]:
        """The players who like a thing, in chunks; a player may come twice."""
        cursor, key = "0", ThingKeys(self._kind, thing, is_decided=True).liked_by
        while True:
            next_cursor, cells = self._redis.call("ZSCAN", key, cursor, "COUNT", SCANNED_AT_ONCE)
            cursor = next_cursor.decode()
            yield [cell.decode() for cell in cells[::2]]
            if cursor == "0":
                return

    def _scan(self, pattern: str) -> Iterator[list[str]]:
        cursor, server = "0", self._redis.server_of(self._keys.gen)
        while True:
            next_cursor, keys = server.call("SCAN", cursor, "MATCH", pattern, "COUNT", SCANNED_AT_ONCE)
            cursor = next_cursor.decode()
            yield [key.decode() for key in keys]
            if cursor == "0":
                return

    def _keys_with_things(self, keys: list[str], things: Sequence[str], each: int) -> tuple[list[str], dict[str, int]]:
        """Append the keys of the things to ``keys``; return all, and where those of each thing begin in Lua's KEYS."""
        places: dict[str, int] = {}
        for thing in dict.fromkeys(things):
            places[thing] = len(keys) + 1
            liked_by, count, amounts = thing_keys(self._kind, thing)
            keys += [liked_by, count, amounts] if each == 3 else [liked_by, amounts]
        return keys, places


def _parse_dirty(field: bytes, mark: bytes) -> DirtyLike:
    thing, _, player = field.decode().partition("\n")
    version, amount, at_ms = mark.split(b"|")
    return DirtyLike(thing, player, int(version), int(amount), int(float(at_ms)), mark)
