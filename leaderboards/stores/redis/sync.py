"""What settling and the mirror do in Redis: generations, dirty marks, standings put back."""

import sys
from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import starmap
from typing import NamedTuple

from foundation.redis.client import Argument, RedisClient, RedisRefused, ScriptCall
from foundation.sync import redis_state
from foundation.sync.redis_state import RedisState
from leaderboards.models import Period
from leaderboards.stores.redis.reads import lua_bool, placement_args, ranked_keys, run, script

KEYS_PER_COMMAND = 1000
MARKS_PER_CALL = 500  # dirty marks that one call looks at: Redis is held up for 2 to 3 ms
ALL = sys.maxsize


class DirtyStanding(NamedTuple):
    """A standing that SQL does not have yet; without a score the player was taken out."""

    player: str
    version: int
    score: float | None
    member: str
    stored_state: str


class RestoreRow(NamedTuple):
    """A standing as SQL has it, on its way back to Redis."""

    player: str
    score: float | None
    member: str
    stored_state: str


class SyncStatus(NamedTuple):
    """What one look at a period in Redis told: its generation (0 for none), and how many announcements stand."""

    generation: int
    inflight: int


class SyncOverview(NamedTuple):
    """What one look at many periods in Redis told: the generation of each (None for none), whether an announcement
    stands in any, and whether SQL lacks anything of any.
    """

    generations: list[int | None]
    announced: bool
    dirty: bool


class ZsetSync:
    """The period in Redis as the worker sees it."""

    def __init__(self, link: RedisClient) -> None:
        self._link = link

    def read_state(self, period: Period) -> RedisState:
        """What is there now, under whatever generation."""
        return redis_state.read_redis_state(self._link, period.family)

    def read_statuses(self, periods: Sequence[Period]) -> list[SyncStatus | None]:
        """A look at each, in one round trip; None where Redis refuses it."""
        calls = [ScriptCall(script("sync_status"), [each.family.gen, each.family.inflight]) for each in periods]
        return [None if isinstance(told, RedisRefused) else _status(*told) for told in self._link.try_many(calls)]

    def read_overview(self, periods: Sequence[Period]) -> SyncOverview:
        """A look at all of them in one round trip, of three commands for each thousand."""
        commands: list[tuple[str, ...]] = []
        for start in range(0, len(periods), KEYS_PER_COMMAND):
            families = [each.family for each in periods[start : start + KEYS_PER_COMMAND]]
            commands.append(("MGET", *(family.gen for family in families)))
            commands.append(("EXISTS", *(family.inflight for family in families)))
            commands.append(("EXISTS", *(family.dirty for family in families)))
        told = self._link.pipeline(commands)
        found = [None if each is None else int(each) for part in told[::3] for each in part]
        return SyncOverview(found, announced=any(told[1::3]), dirty=any(told[2::3]))

    def advance_watermark(self, periods: Sequence[Period], transaction: int) -> None:
        """All that SQL committed before its ``transaction`` is there, or announced there. The server must be known."""
        names = [(each.generation, each.family) for each in periods]
        calls = [
            ScriptCall(script("advance_watermark"), [family.gen, family.watermark], [gen, transaction])
            for gen, family in names
        ]
        self._link.run_many(calls)

    def replace_generation(self, period: Period, generation: int) -> bool:
        """Write a new generation into the memory as it is; False where it changed meanwhile."""
        return self.set_generation(period, generation, self.read_state(period), empty=False) is not None

    def set_generation(self, period: Period, generation: int, judged: RedisState, empty: bool) -> int | None:
        """Write a new generation, and empty the family if asked; its sequence, None where memory is not as judged."""
        return redis_state.set_generation(self._link, period.family, generation, judged, empty)

    def fence_generation(self, period: Period, generation: int) -> None:
        """Nobody reads or writes the period in Redis any more: its memory is of a generation that SQL gives nothing."""
        redis_state.fence_generation(self._link, period.family, generation)

    def close(self, period: Period) -> None:
        """From here on the submit script refuses what is new."""
        self._link.call("SET", period.family.closed, "1")

    def expire(self, period: Period, after: timedelta) -> None:
        """Let every key of the family go after that time, unless it goes sooner."""
        for key in period.family.all_keys:
            self._link.call("EXPIRE", key, int(after.total_seconds()))

    def mark_dirty(self, period: Period, player: str, compared: float | str | None = "*") -> bool:
        """Have the mirror copy a standing again, if its score is still the one ``compared`` (None: not ranked)."""
        family = period.family
        keys = [family.gen, family.zset, family.members, family.seq, family.dirty]
        score = "" if compared is None else compared if isinstance(compared, str) else repr(compared)
        args: list[Argument] = [
            *(period.generation, self._link.deadline_ms(), lua_bool(period.layout.in_member), player, score),
        ]
        return bool(run(self._link, "mark_dirty", keys, args))

    def restore_stored_state(self, period: Period, player: str, score: float, stored_state: str) -> bool:
        """Give back what is kept beside a score; False where it is another by now, or dirty."""
        family = period.family
        keys = [family.gen, family.zset, family.members, family.stored_state, family.dirty]
        args: list[Argument] = [period.generation, lua_bool(period.layout.in_member), player, repr(score), stored_state]
        return bool(run(self._link, "restore_stored_state", keys, args))

    def remove_orphan(self, period: Period, player: str, member: str, remove: bool) -> float | None:
        """The score of a member that does not stand for its player any more, None if it does; taken out if asked to."""
        args = [*placement_args(self._link, period), player, member, lua_bool(remove)]
        score = run(self._link, "remove_orphan", ranked_keys(period), args)
        return float(score) if score else None

    def check_distinct_scores(self, period: Period, scores: Sequence[str], repair: bool) -> list[str]:
        """Which of these scores (as ``:scores`` spells them) are there and nobody has them, or the other way round."""
        keys = [period.family.gen, period.family.zset, period.family.scores]
        return [
            score.decode()
            for score in run(self._link, "check_distinct_scores", keys, [period.generation, lua_bool(repair), *scores])
        ]

    def scan_distinct(self, period: Period, cursor: str, count: int) -> tuple[str, list[str]]:
        """About ``count`` of the distinct scores as they are spelled, and where to go on; "0" begins and ends."""
        following, cells = self._link.call("ZSCAN", period.family.scores, cursor, "COUNT", count)
        return following.decode(), [cell.decode() for cell in cells[::2]]

    def is_announced(self, period: Period, player: str) -> bool:
        """Whether somebody is deciding over the player's standing in SQL, or has, and nobody has shown it yet."""
        return bool(self._link.call("HEXISTS", period.family.inflight, player))

    def is_dirty(self, period: Period, player: str) -> bool:
        """Whether SQL may lack the player's standing."""
        return bool(self._link.call("HEXISTS", period.family.dirty, player))

    def knows_player(self, period: Period, player: str) -> bool:
        """Whether a standing there is the player's, or a dirty mark."""
        family = period.family
        in_member = ("HEXISTS", family.members, player)
        placed = in_member if period.layout.in_member else ("ZSCORE", family.zset, player)
        answers = self._link.pipeline([("HEXISTS", family.dirty, player), placed])
        return any(answer not in (None, 0) for answer in answers)

    def unlink(self, period: Period) -> None:
        """Let the whole family go, without blocking the server for its size."""
        self._link.call("UNLINK", *period.family.all_keys)

    def scan(self, period: Period, cursor: str, count: int) -> tuple[str, dict[str, float]]:
        """About ``count`` members with their scores, and where to go on; "0" begins and ends."""
        keys = [period.family.gen, period.family.zset]
        following, *cells = run(self._link, "scan", keys, [period.generation, cursor, count])
        pairs = zip(cells[::2], cells[1::2], strict=True)
        return following.decode(), {member.decode(): float(score) for member, score in pairs}

    def iterate_ordered(self, period: Period, at_once: int) -> Iterator[tuple[str, float]]:
        """Every member with its score, by score and member; whole only while nobody writes."""
        keys, first = [period.family.gen, period.family.zset], 0
        while cells := run(self._link, "walk", keys, [period.generation, first, first + at_once - 1]):
            yield from ((m.decode(), float(score)) for m, score in zip(cells[::2], cells[1::2], strict=True))
            first += at_once

    def restore(self, period: Period, rows: Sequence[RestoreRow]) -> None:
        """Put standings back."""
        args = placement_args(self._link, period)
        for row in rows:
            args += (row.player, "" if row.score is None else row.score, row.member, row.stored_state)
        run(self._link, "restore", [*ranked_keys(period), period.family.stored_state], args)

    def restore_lost(self, period: Period, rows: Sequence[RestoreRow], put: bool, deadline: int) -> list[str]:
        """Which of these Redis lost without a trace; put back if asked to. After the deadline (ms) it does nothing."""
        family = period.family
        generation, _, *flags = placement_args(self._link, period)
        args: list[Argument] = [generation, deadline, *flags, lua_bool(put)]
        for row in rows:
            args += (row.player, "" if row.score is None else repr(row.score), row.member, row.stored_state)
        keys = [*ranked_keys(period), family.stored_state, family.dirty]
        return [player.decode() for player in run(self._link, "restore_missing", keys, args)]

    def reassign_member(self, period: Period, player: str, member: str, give: bool, deadline: int) -> float | None:
        """The score of a member whose player has none, None where that is not so; given back and dirty if asked to."""
        family = period.family
        keys = [family.gen, family.zset, family.members, family.seq, family.dirty]
        score = run(self._link, "reclaim_member", keys, [period.generation, deadline, player, member, lua_bool(give)])
        return float(score) if score else None

    def remove_unknown(self, period: Period, players: Sequence[str]) -> None:
        """Take players out whom SQL does not know, with their dirty marks."""
        keys = [*ranked_keys(period), period.family.stored_state, period.family.dirty]
        for start in range(0, len(players), MARKS_PER_CALL):
            args = [*placement_args(self._link, period), *players[start : start + MARKS_PER_CALL]]
            run(self._link, "remove_unknown", keys, args)

    def raise_sequence(self, period: Period, highest: int) -> None:
        """Let versions go on above ``highest``, and above all that earlier memories gave out."""
        redis_state.raise_sequence(self._link, period.family, period.generation, highest)

    def dirty(self, period: Period, limit: int) -> tuple[int, list[DirtyStanding]]:
        """How many standings SQL lacks, and about ``limit`` of them, all with ``ALL``."""
        family, cursor = period.family, "0"
        keys = [family.gen, family.zset, family.members, family.stored_state, family.dirty]
        found: dict[str, DirtyStanding] = {}  # a hash that grows meanwhile may show a player twice
        while True:
            args: list[Argument] = [
                *(period.generation, lua_bool(period.layout.in_member), cursor, min(limit, MARKS_PER_CALL)),
            ]
            total, following, *cells = run(self._link, "mirror_read", keys, args)
            rows = zip(*(iter(cells),) * 5, strict=True)
            found |= {row.player: row for row in starmap(_dirty, rows)}
            cursor = following.decode()
            if cursor == "0" or len(found) >= limit:
                return int(total), list(found.values())

    def clear_dirty(self, period: Period, rows: Sequence[DirtyStanding]) -> int:
        """Take off the dirty marks that are still of the version read; returns how many standings are dirty yet."""
        left = 0
        for start in range(0, len(rows) or 1, MARKS_PER_CALL):
            marks = [(row.player, row.version) for row in rows[start : start + MARKS_PER_CALL]]
            left = redis_state.clear_dirty(self._link, period.family, period.generation, marks)
        return left


def _status(generation: bytes, inflight: int) -> SyncStatus:
    return SyncStatus(int(generation) if generation.isdigit() else 0, inflight)


def _dirty(player: bytes, version: bytes, score: bytes, member: bytes, stored_state: bytes) -> DirtyStanding:
    return DirtyStanding(
        player.decode(), int(version), float(score) if score else None, member.decode(), stored_state.decode()
    )
