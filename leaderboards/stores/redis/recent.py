"""What players submitted lately on boards that Redis decides over: a short list for each, for limits of plausibility.

A row is ``mark:points:milliseconds``; the mark is of the entry's id and content, so that an entry that is sent again
is not held against itself. The trap: a list is written only as long as it is what was read, or two processes would
each let the last one of a minute pass.
"""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from foundation.redis.client import Argument, RedisClient
from leaderboards.core import keys as named
from leaderboards.core.plausibility import Limits, PastSubmission
from leaderboards.core.ranking.policies import StandingState
from leaderboards.core.ranking.rules import Order
from leaderboards.models import Period
from leaderboards.stores.redis.reads import lua_bool, run
from leaderboards.stores.redis.writes import state_from

HISTORY_TTL_SECONDS = 8 * 24 * 3600  # a jump is held against what came before, across the turn of a week
MINUTE_SECONDS = 60


class RecentRow(NamedTuple):
    """A row of a player's list."""

    mark: str
    past: PastSubmission

    @property
    def text(self) -> str:
        """As Redis keeps it."""
        return f"{self.mark}:{self.past.points}:{self.past.came_ms}"


class RecentSubmissions(NamedTuple):
    """What was submitted lately by player, the earliest first; where they stand; the first place of those who are
    shown (None: unasked, or they are too few)."""

    rows: Mapping[str, Sequence[RecentRow]]
    states: Mapping[str, StandingState | None]
    first: StandingState | None


def entry_fingerprint(service: str, external_id: str, content: str) -> str:
    """What stands for an entry's id and what was said under it."""
    return hashlib.blake2b(f"{service}\0{external_id}\0{content}".encode(), digest_size=8).hexdigest()


class RecentLists:
    """The lists of one period's players; those of a calendar board last from period to period."""

    def __init__(self, link: RedisClient, period: Period, limits: Limits) -> None:
        self._link, self._period, self._limits = link, period, limits

    def read(self, players: Sequence[str], hidden: Collection[str] = ()) -> RecentSubmissions:
        """What is known of these players, beside the first place of all but the ``hidden``.

        Raises ``StaleGeneration``, or what the link raises.
        """
        period, limits = self._period, self._limits
        keys = [period.family.gen, period.family.zset, period.family.members, *map(self._key, players)]
        wanted = limits.field_players if limits.field_jump is not None else 0
        args: list[Argument] = [
            *(period.generation, lua_bool(period.layout.in_member), lua_bool(period.rules.order is Order.ASC)),
            *(limits.kept, wanted, len(hidden)),
            *players,
            *hidden,
        ]
        member, score, *cells = [cell.decode() for cell in run(self._link, "recent", keys, args)]
        told = list(zip(players, cells[::3], cells[1::3], cells[2::3], strict=True))
        return RecentSubmissions(
            rows={player: _rows(text) for player, _, _, text in told},
            states={player: self._state(score, member) for player, score, member, _ in told},
            first=self._state(score, member),
        )

    def note(self, before: RecentSubmissions, passed: Mapping[str, Sequence[RecentRow]]) -> bool:
        """Note rows behind those that were read; False, and nothing noted, where somebody else has meanwhile."""
        if not self._limits.kept or not passed:
            return True
        args: list[Argument] = [self._limits.kept, self._seconds]
        for player, rows in passed.items():
            known = before.rows[player]
            args += [known[-1].text if known else "", len(rows), *(row.text for row in rows)]
        return bool(run(self._link, "note_recent", [*map(self._key, passed)], args))

    @property
    def _seconds(self) -> int:
        return MINUTE_SECONDS if self._limits.own_jump is None else HISTORY_TTL_SECONDS

    def _key(self, player: str) -> str:
        return named.recent(self._period.id_namespace, player)

    def _state(self, score: str, member: str) -> StandingState | None:
        return state_from(self._period, float(score), member, "") if score else None


def _rows(text: str) -> list[RecentRow]:
    cells = (row.split(":") for row in reversed(text.split()))
    return [RecentRow(mark, PastSubmission(int(points), int(came_ms))) for mark, points, came_ms in cells]
