"""What players submitted lately on boards that Redis decides over: a short list for each, for limits of plausibility.

A row is ``mark:points:milliseconds``; the mark is of the entry's id and content, so that an entry that is sent again
is not held against itself. The trap: a list is written only as long as it is what was read, or two processes would
each let the last one of a minute pass.
"""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from foundation.redis import Argument, Link
from leaderboards.core import keys as named
from leaderboards.core.plausibility import Limits, Past
from leaderboards.core.policies import State
from leaderboards.core.rules import Order
from leaderboards.models import Period
from leaderboards.stores.zset import flag, run
from leaderboards.stores.zset_writes import state_from

KEPT_SECONDS = 8 * 24 * 3600  # a jump is held against what came before, across the turn of a week
MINUTE_SECONDS = 60


class Row(NamedTuple):
    """A row of a player's list."""

    mark: str
    past: Past

    @property
    def text(self) -> str:
        """As Redis keeps it."""
        return f"{self.mark}:{self.past.points}:{self.past.came_ms}"


class Lately(NamedTuple):
    """What was submitted lately by player, the earliest first; where they stand; the first place of those who are
    shown (None: unasked, or they are too few)."""

    rows: Mapping[str, Sequence[Row]]
    states: Mapping[str, State | None]
    first: State | None


def mark_of(service: str, external_id: str, content: str) -> str:
    """What stands for an entry's id and what was said under it."""
    return hashlib.blake2b(f"{service}\0{external_id}\0{content}".encode(), digest_size=8).hexdigest()


class RecentLists:
    """The lists of one period's players; those of a calendar board last from period to period."""

    def __init__(self, link: Link, period: Period, limits: Limits) -> None:
        self._link, self._period, self._limits = link, period, limits

    def read(self, players: Sequence[str], hidden: Collection[str] = ()) -> Lately:
        """What is known of these players, beside the first place of all but the ``hidden``.

        Raises ``Stale``, or what the link raises.
        """
        period, limits = self._period, self._limits
        keys = [period.family.gen, period.family.zset, period.family.members, *map(self._key, players)]
        wanted = limits.field_players if limits.field_jump is not None else 0
        args: list[Argument] = [
            *(period.generation, flag(period.layout.in_member), flag(period.rules.order is Order.ASC)),
            *(limits.kept, wanted, len(hidden)),
            *players,
            *hidden,
        ]
        member, score, *cells = [cell.decode() for cell in run(self._link, "recent", keys, args)]
        told = list(zip(players, cells[::3], cells[1::3], cells[2::3], strict=True))
        return Lately(
            rows={player: _rows(text) for player, _, _, text in told},
            states={player: self._state(score, member) for player, score, member, _ in told},
            first=self._state(score, member),
        )

    def note(self, before: Lately, passed: Mapping[str, Sequence[Row]]) -> bool:
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
        return MINUTE_SECONDS if self._limits.own_jump is None else KEPT_SECONDS

    def _key(self, player: str) -> str:
        return named.recent(self._period.ids_of, player)

    def _state(self, score: str, member: str) -> State | None:
        return state_from(self._period, float(score), member, "") if score else None


def _rows(text: str) -> list[Row]:
    cells = (row.split(":") for row in reversed(text.split()))
    return [Row(mark, Past(int(points), int(came_ms))) for mark, points, came_ms in cells]
