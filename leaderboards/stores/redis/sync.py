"""The Redis side of resyncing and the mirror: generations, dirty marks, and standings restored from SQL."""

import sys
from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import starmap
from typing import Any, NamedTuple

from foundation.errors import Unavailable
from foundation.redis.client import Argument, RedisClient, RedisRefused, ScriptCall, values_by_key
from foundation.sync import redis_state
from foundation.sync.redis_state import RedisState
from leaderboards.models import Part
from leaderboards.stores.redis.player_cells import members_and_scores
from leaderboards.stores.redis.quiet import dirty_keys
from leaderboards.stores.redis.reads import lua_bool, placement_args, ranked_keys, run, run_of, script, writing_keys

KEYS_PER_COMMAND = 1000
MARKS_PER_CALL = 500  # dirty marks per call, which blocks Redis for 2 to 3 ms
ALL = sys.maxsize


class DirtyStanding(NamedTuple):
    """A standing that SQL does not have yet; without a score the player was removed."""

    player: str
    version: int
    score: float | None
    member: str
    stored_state: str


class RestoreRow(NamedTuple):
    """A standing of SQL, to be restored in Redis; without a score the player is removed."""

    player: str
    score: float | None
    member: str
    stored_state: str


class SyncStatus(NamedTuple):
    """A period's generation in Redis (0 for none), and the number of its open announcements."""

    generation: int
    inflight: int


class SyncOverview(NamedTuple):
    """Of many periods: the generation of each (None for none), and whether any has open announcements or is dirty."""

    generations: list[int | None]
    announced: bool
    dirty: bool


class ZsetSync:
    """The worker's operations on a period in Redis.

    Methods that run a script of the period raise ``StaleGeneration`` under another generation than the period's.
    """

    def __init__(self, link: RedisClient) -> None:
        self._link = link

    def read_state(self, period: Part) -> RedisState:
        """Read the period's state under any generation."""
        return redis_state.read_redis_state(self._link, period.family)

    def read_statuses(self, periods: Sequence[Part]) -> list[SyncStatus | Unavailable | None]:
        """Read the status of each period in one round trip; None if Redis refuses it.

        In a cluster, the error in place of those whose server is away or silent. Raises it if nobody answers.
        """
        calls = [ScriptCall(script("sync_status"), [each.family.gen, each.family.inflight]) for each in periods]
        replies = self._link.try_many(calls)
        return [_to_status(reply) for reply in replies]

    def read_overview(self, periods: Sequence[Part]) -> SyncOverview:
        """Read an overview of all periods in one round trip, with three commands per thousand periods."""
        groups: list[list[str]] = []
        commands: dict[str, list[tuple[str, ...]]] = {"gen": [], "inflight": [], "dirty": []}
        for start in range(0, len(periods), KEYS_PER_COMMAND):
            families = [each.family for each in periods[start : start + KEYS_PER_COMMAND]]
            in_groups = self._link.groups([family.gen for family in families])
            groups += in_groups
            commands["gen"] += (("MGET", *keys) for keys in in_groups)
            for name in ("inflight", "dirty"):
                keys_of_all = [getattr(family, name) for family in families]
                commands[name] += (("EXISTS", *keys) for keys in self._link.groups(keys_of_all))
        replies = self._link.pipeline([*commands["gen"], *commands["inflight"], *commands["dirty"]])
        values, many = values_by_key(groups, replies), len(groups)
        generations = [None if (value := values[each.family.gen]) is None else int(value) for each in periods]
        announced, dirty = replies[many : many + len(commands["inflight"])], replies[many + len(commands["inflight"]) :]
        return SyncOverview(generations, announced=any(announced), dirty=any(dirty))

    def advance_watermark(self, periods: Sequence[Part], transaction: int) -> None:
        """Note that Redis has, or has announced, all that SQL transactions below this number have committed.

        The server must be registered.
        """
        calls = [
            ScriptCall(
                script("advance_watermark"),
                [period.family.gen, period.family.watermark],
                [period.generation, transaction],
            )
            for period in periods
        ]
        self._link.run_many(calls)

    def replace_generation(self, period: Part, generation: int) -> bool:
        """Set a new generation and keep the data; False if the state changed meanwhile."""
        return self.set_generation(period, generation, self.read_state(period), empty=False) is not None

    def set_generation(self, period: Part, generation: int, expected: RedisState, empty: bool) -> int | None:
        """Set a new generation; returns the version counter, None if the state is not the ``expected`` one.

        With ``empty`` the family is emptied.
        """
        return redis_state.set_generation(self._link, period.family, generation, expected, empty)

    def fence_generation(self, period: Part, generation: int) -> None:
        """Block reads and writes of the period in Redis with a ``generation`` that SQL gives to no row."""
        redis_state.fence_generation(self._link, period.family, generation)

    def close(self, period: Part) -> None:
        """Make the submit script refuse further entries."""
        self._link.call("SET", period.family.closed, "1")

    def expire(self, period: Part, after: timedelta) -> None:
        """Set the time to live of every key of the family."""
        for key in period.family.all_keys:
            self._link.call("EXPIRE", key, int(after.total_seconds()))

    def mark_dirty(self, period: Part, player: str, compared: float | str | None = "*") -> bool:
        """Mark a standing for the mirror; False if its score is not ``compared`` any more, or it is dirty already.

        ``compared`` is a score, None for an unranked player, or "*" for any state.
        """
        family = period.family
        keys = [family.gen, family.zset, family.members, family.seq, family.dirty]
        score = "" if compared is None else compared if isinstance(compared, str) else repr(compared)
        args: list[Argument] = [
            *(
                period.generation,
                self._link.deadline_ms(period.family.gen),
                lua_bool(period.layout.in_member),
                player,
                score,
            ),
        ]
        return bool(run(self._link, "mark_dirty", keys, args))

    def restore_stored_state(self, period: Part, player: str, score: float, stored_state: str) -> bool:
        """Restore what is stored beside a score; False if the player has another score or is dirty."""
        family = period.family
        keys = [family.gen, family.zset, family.members, family.stored_state, family.dirty]
        args: list[Argument] = [period.generation, lua_bool(period.layout.in_member), player, repr(score), stored_state]
        return bool(run(self._link, "restore_stored_state", keys, args))

    def remove_orphan(self, period: Part, player: str, member: str, remove: bool) -> float | None:
        """Return the score of a member that is not its player's current one, else None; remove it if ``remove``."""
        if period.family.is_compact:
            return None  # it has one number for each player
        args = [*placement_args(self._link, period), player, member, lua_bool(remove)]
        score = run(self._link, "remove_orphan", writing_keys(period), args)
        return float(score) if score else None

    def check_distinct_scores(self, period: Part, scores: Sequence[str], repair: bool) -> list[str]:
        """Return the scores (in the spelling of ``:scores``) that are missing or nobody's; correct if ``repair``."""
        keys = [period.family.gen, period.family.zset, period.family.scores]
        args: list[Argument] = [period.generation, lua_bool(repair), *scores]
        wrong = run_of(period, self._link, "check_distinct_scores", keys, args)
        return [score.decode() for score in wrong]

    def scan_distinct(self, period: Part, cursor: str, count: int) -> tuple[str, list[str]]:
        """Read about ``count`` distinct scores in their spelling; returns the next cursor too. "0" begins and ends.

        Levels are read all at once.
        """
        if period.family.has_levels:
            levels = self._link.call("GET", period.family.scores) or b""
            return "0", [str(at) for at in range(8 * len(levels)) if levels[at // 8] >> (7 - at % 8) & 1]
        next_cursor, cells = self._link.call("ZSCAN", period.family.scores, cursor, "COUNT", count)
        return next_cursor.decode(), [cell.decode() for cell in cells[::2]]

    def is_announced(self, period: Part, player: str) -> bool:
        """Whether a decision of SQL about the player is announced and not published yet."""
        return bool(self._link.call("HEXISTS", period.family.inflight, player))

    def is_dirty(self, period: Part, player: str) -> bool:
        """Whether SQL may lack the player's standing."""
        return bool(self._link.call("HEXISTS", period.family.dirty, player))

    def knows_player(self, period: Part, player: str) -> bool:
        """Whether the player has a standing or a dirty mark there."""
        family = period.family
        in_member = ("HEXISTS", family.members, player)
        has_standing = in_member if period.layout.in_member else ("ZSCORE", family.zset, player)
        replies = self._link.pipeline([("HEXISTS", family.dirty, player), has_standing])
        return any(reply not in (None, 0) for reply in replies)

    def unlink(self, period: Part) -> None:
        """Delete every key of the family without blocking the server."""
        self._link.call("UNLINK", *period.family.all_keys)

    def scan(self, period: Part, cursor: str, count: int) -> tuple[str, dict[str, float]]:
        """Read about ``count`` members with their scores; returns the next cursor too. "0" begins and ends."""
        keys = ranked_keys(period)[:3]
        next_cursor, *found = run_of(period, self._link, "scan", keys, [period.generation, cursor, count])
        return next_cursor.decode(), dict(members_and_scores(period, found))

    def iterate_ordered(self, period: Part, at_once: int) -> Iterator[tuple[str, float]]:
        """Yield every member and score, by score and member; consistent only while there are no writes."""
        keys, first = [period.family.gen, period.family.zset], 0
        while found := run_of(period, self._link, "walk", keys, [period.generation, first, first + at_once - 1]):
            yield from members_and_scores(period, found)
            first += at_once

    def restore(self, period: Part, rows: Sequence[RestoreRow]) -> None:
        """Write standings of SQL to Redis."""
        args = placement_args(self._link, period)
        for row in rows:
            args += (row.player, "" if row.score is None else row.score, row.member, row.stored_state)
        run(self._link, "restore", writing_keys(period, period.family.stored_state), args)

    def restore_lost(self, period: Part, rows: Sequence[RestoreRow], restore: bool, deadline: int) -> list[str]:
        """Return the players of these rows that Redis has lost, with neither standing nor dirty mark.

        They are restored if ``restore``. After the deadline (ms by Redis's clock) the script does nothing.
        """
        family = period.family
        generation, _, *flags = placement_args(self._link, period)
        args: list[Argument] = [generation, deadline, *flags, lua_bool(restore)]
        for row in rows:
            args += (row.player, "" if row.score is None else repr(row.score), row.member, row.stored_state)
        keys = writing_keys(period, family.stored_state, family.dirty)
        return [player.decode() for player in run(self._link, "restore_missing", keys, args)]

    def reassign_member(self, period: Part, player: str, member: str, reassign: bool, deadline: int) -> float | None:
        """Return the score of a member whose player has no member, else None.

        If ``reassign``, the player gets the member and a dirty mark.
        """
        family = period.family
        keys = [family.gen, family.zset, family.members, family.seq, family.dirty]
        args: list[Argument] = [period.generation, deadline, player, member, lua_bool(reassign)]
        score = run(self._link, "reclaim_member", keys, args)
        return float(score) if score else None

    def remove_unknown(self, period: Part, players: Sequence[str]) -> None:
        """Remove players that SQL does not know, with their dirty marks."""
        keys = writing_keys(period, period.family.stored_state, period.family.dirty)
        for start in range(0, len(players), MARKS_PER_CALL):
            args = [*placement_args(self._link, period), *players[start : start + MARKS_PER_CALL]]
            run(self._link, "remove_unknown", keys, args)

    def raise_sequence(self, period: Part, highest: int) -> None:
        """Raise the version counter above ``highest`` and above every version of earlier generations."""
        redis_state.raise_sequence(self._link, period.family, period.generation, highest)

    def dirty(self, period: Part, limit: int) -> tuple[int, list[DirtyStanding]]:
        """Return the number of dirty standings and about ``limit`` of them; all of them with ``ALL``."""
        keys, cursor = dirty_keys(period), "0"
        by_player: dict[str, DirtyStanding] = {}  # HSCAN may return a player twice
        while True:
            args: list[Argument] = [
                *(period.generation, lua_bool(period.layout.in_member), cursor, min(limit, MARKS_PER_CALL)),
            ]
            total, next_cursor, *cells = run(self._link, "mirror_read", keys, args)
            rows = zip(*(iter(cells),) * 5, strict=True)
            by_player |= {row.player: row for row in starmap(_to_dirty_standing, rows)}
            cursor = next_cursor.decode()
            if cursor == "0" or len(by_player) >= limit:
                return int(total), list(by_player.values())

    def clear_dirty(self, period: Part, rows: Sequence[DirtyStanding]) -> int:
        """Remove the dirty marks whose version did not change since; returns how many standings are still dirty."""
        left = 0
        for start in range(0, len(rows) or 1, MARKS_PER_CALL):
            marks = [(row.player, row.version) for row in rows[start : start + MARKS_PER_CALL]]
            left = redis_state.clear_dirty(self._link, period.family, period.generation, marks)
        return left


def _to_status(reply: Any) -> SyncStatus | Unavailable | None:
    if isinstance(reply, Unavailable):
        return None if isinstance(reply, RedisRefused) else reply
    generation, inflight = reply
    return SyncStatus(int(generation) if generation.isdigit() else 0, inflight)


def _to_dirty_standing(
    player: bytes, version: bytes, score: bytes, member: bytes, stored_state: bytes
) -> DirtyStanding:
    return DirtyStanding(
        player.decode(), int(version), float(score) if score else None, member.decode(), stored_state.decode()
    )
