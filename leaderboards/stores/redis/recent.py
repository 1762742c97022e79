"""The recent submissions of each player on boards that Redis decides: a short list, for plausibility limits.

A row is ``mark:points:milliseconds``. The mark is a fingerprint of the entry's id and content, so that a repeated entry
is not compared with itself. The trap: a list is written only if it did not change since it was read, or two processes
could each allow the last submission of a minute.
"""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from foundation.redis.client import Argument, RedisClient
from leaderboards.core import keys as named
from leaderboards.core.plausibility import Limits, PastSubmission
from leaderboards.core.ranking.policies import StandingState
from leaderboards.core.ranking.rules import Order
from leaderboards.models import Part
from leaderboards.stores.redis.reads import lua_bool, run
from leaderboards.stores.redis.stored_states import state_from

HISTORY_TTL_SECONDS = 8 * 24 * 3600  # longer than a week: jumps are also compared with the previous period
MINUTE_SECONDS = 60


class RecentRow(NamedTuple):
    """A row of a player's list."""

    mark: str
    past: PastSubmission

    @property
    def text(self) -> str:
        """The row as it is stored in Redis."""
        return f"{self.mark}:{self.past.points}:{self.past.came_ms}"


class RecentSubmissions(NamedTuple):
    """Recent submissions by player, the earliest first; standings by player; and the first place among shown players.

    ``first`` is None if no limit needs it or too few players are shown.
    """

    rows: Mapping[str, Sequence[RecentRow]]
    states: Mapping[str, StandingState | None]
    first: StandingState | None


def entry_fingerprint(service: str, external_id: str, content: str) -> str:
    """Return a fingerprint of an entry's id and content."""
    return hashlib.blake2b(f"{service}\0{external_id}\0{content}".encode(), digest_size=8).hexdigest()


class RecentLists:
    """The lists of the players of a period. Those of a calendar board are shared by its periods."""

    def __init__(self, link: RedisClient, period: Part, limits: Limits) -> None:
        self._link, self._period, self._limits = link, period, limits

    def read(self, players: Sequence[str], hidden: Collection[str] = ()) -> RecentSubmissions:
        """Read the lists and standings of these players, and the first place of all but the ``hidden`` ones.

        Raises ``StaleGeneration``, or what the client raises.
        """
        period, limits = self._period, self._limits
        keys = [period.family.gen, period.family.zset, period.family.members, *map(self._key, players)]
        min_players = limits.field_players if limits.field_jump is not None else 0
        args: list[Argument] = [
            *(period.generation, lua_bool(period.layout.in_member), lua_bool(period.rules.order is Order.ASC)),
            *(limits.kept, min_players, len(hidden)),
            *players,
            *hidden,
        ]
        member, score, *cells = [cell.decode() for cell in run(self._link, "recent", keys, args)]
        per_player = list(zip(players, cells[::3], cells[1::3], cells[2::3], strict=True))
        return RecentSubmissions(
            rows={player: _rows(text) for player, _, _, text in per_player},
            states={player: self._state(score, member) for player, score, member, _ in per_player},
            first=self._state(score, member),
        )

    def note(self, before: RecentSubmissions, passed: Mapping[str, Sequence[RecentRow]]) -> bool:
        """Append the rows that passed; False, and nothing is written, if a list changed since it was read."""
        if not self._limits.kept or not passed:
            return True
        args: list[Argument] = [self._limits.kept, self._ttl_seconds]
        for player, rows in passed.items():
            known = before.rows[player]
            args += [known[-1].text if known else "", len(rows), *(row.text for row in rows)]
        return bool(run(self._link, "note_recent", [*map(self._key, passed)], args))

    @property
    def _ttl_seconds(self) -> int:
        return MINUTE_SECONDS if self._limits.own_jump is None else HISTORY_TTL_SECONDS

    def _key(self, player: str) -> str:
        return named.recent(self._period.id_namespace, player)

    def _state(self, score: str, member: str) -> StandingState | None:
        return state_from(self._period, float(score), member, "") if score else None


def _rows(text: str) -> list[RecentRow]:
    cells = (row.split(":") for row in reversed(text.split()))
    return [RecentRow(mark, PastSubmission(int(points), int(came_ms))) for mark, points, came_ms in cells]
