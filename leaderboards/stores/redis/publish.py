"""Write SQL's decisions to Redis: announce under the row lock, publish after the commit (services/sync/publish.py).

Every attempt of a batch has its own token. A player's open announcements are their tokens in a row, in the order of
the decisions. Publishing ends an announcement and the earlier ones: a late call does not find its token any more and
does nothing, so no call here needs a deadline.
"""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from foundation import clock
from foundation.errors import Unavailable
from foundation.redis.client import Argument, RedisClient, ScriptCall
from foundation.sync.redis_state import raise_if_stale
from leaderboards.core.ranking.rules import Ties
from leaderboards.models import Part
from leaderboards.stores.redis.player_cells import cell_of_member, cells_of
from leaderboards.stores.redis.reads import lua_bool, run, script, script_of, writing_keys
from leaderboards.stores.redis.writes import ENTRIES_PER_CALL, ZsetRow

SCANNED_AT_ONCE = 500
# One byte above Redis's `hash-max-listpack-value`, so that the hash is a hash table and not a list that is searched for
# each player.
TOKEN_LENGTH = 65


def new_token() -> str:
    """Return an unused token. It contains its time, for monitoring (``announced_at``)."""
    return f"{secrets.token_urlsafe(9)}.{round(1000 * clock.now().timestamp())}".ljust(TOKEN_LENGTH, ".")


def announced_at(tokens: str) -> datetime | None:
    """Return when the first of a player's open tokens was made, by its maker's clock; None if it does not say."""
    milliseconds = tokens[:TOKEN_LENGTH].partition(".")[2].rstrip(".")
    return datetime.fromtimestamp(int(milliseconds) / 1000, UTC) if milliseconds.isdecimal() else None


class Publisher:
    """Changes a hybrid period in Redis.

    Every call raises ``StaleGeneration`` if Redis has another generation than the period.
    """

    def __init__(self, link: RedisClient) -> None:
        self._link = link

    def announce(self, period: Part, players: Sequence[str], token: str) -> None:
        """Announce that the standings of these players are being decided; the caller has locked their rows."""
        self._announce("announce", period, players, token)

    def announce_each(self, groups: Sequence[tuple[Part, Sequence[str]]], token: str) -> list[Unavailable | None]:
        """Announce players of several families at once; returns the error of each family, None if it has heard."""
        try:
            if len(groups) == 1:
                self.announce(*groups[0], token)
                return [None]
            calls = [
                ScriptCall(
                    script("announce"), [part.family.gen, part.family.inflight], [part.generation, token, *players]
                )
                for part, players in groups
            ]
            answers = self._link.try_many(calls)
        except Unavailable as error:
            return [error] * len(groups)
        return [answer if isinstance(answer, Unavailable) else None for answer in answers]

    def claim(self, period: Part, players: Sequence[str], token: str) -> list[str]:
        """Announce the players without an announcement; returns them."""
        claimed = self._announce("claim_standings", period, players, token)
        return [player for player, is_ours in zip(players, claimed, strict=True) if is_ours]

    def publish(self, period: Part, announced: Mapping[str, Sequence[ZsetRow]]) -> set[str]:
        """Publish rows, by token or by several in a row, that were announced with it and not again since.

        Returns the players that were not published. One round trip.
        """
        return self.send_prepared(self.prepare_publish(period, announced, last=True))

    def prepare_publish(
        self, period: Part, announced: Mapping[str, Sequence[ZsetRow]], last: bool = False
    ) -> list[ScriptCall]:
        """Prepare the calls for ``send_prepared``. Nothing is sent yet.

        ``last``: only while nobody has announced the player since. Who decided a row has announced it themselves and
        leaves it out; who has only read the row needs it, since it may contain what was announced later.
        """
        publish, keys = script_of(period, "publish"), writing_keys(period, period.family.inflight)
        calls = []
        for token, rows in announced.items():
            for start in range(0, len(rows), ENTRIES_PER_CALL):
                cells = _cells_of_rows(period, rows[start : start + ENTRIES_PER_CALL])
                args = [*self._first_args(period), token, lua_bool(last), *cells]
                calls.append(ScriptCall(publish, keys, args))
        return calls

    def send_prepared(self, prepared: Sequence[ScriptCall]) -> set[str]:
        """Publish what was prepared; returns the players that were not published."""
        with raise_if_stale():
            return {player.decode() for others in self._link.run_many(prepared) for player in others}

    def fill(self, period: Part, rows: Sequence[ZsetRow]) -> None:
        """Fill an emptied period; rows without a score are left out. One round trip."""
        calls = []
        for start in range(0, len(rows), ENTRIES_PER_CALL):
            args = self._first_args(period)
            for row in rows[start : start + ENTRIES_PER_CALL]:
                if row.score is not None:
                    args += (row.player, row.score, cell_of_member(period, row.member))
            calls.append(ScriptCall(script_of(period, "fill"), writing_keys(period), args))
        with raise_if_stale():
            self._link.run_many(calls)

    def inflight(self, period: Part) -> Iterator[dict[str, str]]:
        """Yield the open announcements, player to tokens in a row, in parts."""
        cursor, keys = "0", [period.family.gen, period.family.inflight]
        while True:
            next_cursor, *cells = run(self._link, "inflight", keys, [period.generation, cursor, SCANNED_AT_ONCE])
            if cells:
                yield {name.decode(): token.decode() for name, token in zip(cells[::2], cells[1::2], strict=True)}
            cursor = next_cursor.decode()
            if cursor == "0":
                return

    def _announce(self, name: str, period: Part, players: Sequence[str], token: str) -> Any:
        keys = [period.family.gen, period.family.inflight]
        return run(self._link, name, keys, [period.generation, token, *players])

    def _first_args(self, period: Part) -> list[Argument]:
        return [period.generation, lua_bool(period.layout.in_member), lua_bool(period.rules.ties is Ties.DENSE)]


def _cells_of_rows(period: Part, rows: Sequence[ZsetRow]) -> list[Argument]:
    """Return player, score ("" to remove the player) and what Redis has for them, of each row."""
    if not period.layout.has_numbers:
        return [cell for row in rows for cell in (row.player, "" if row.score is None else row.score, row.member)]
    numbers, cells = cells_of(period), list[Argument]()
    numbers.look_up(row.player for row in rows if row.score is None and row.number is None)
    for player, score, member, number in rows:
        if score is None:
            cells += (player, "", numbers.cell(player, number))
        else:
            cells += (player, score, cell_of_member(period, member))
    return cells
