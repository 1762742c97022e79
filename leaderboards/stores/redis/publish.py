"""Showing in Redis what SQL decides: announced under the row lock, published after the commit
(services/sync/publish.py).

A token is made anew for each attempt of each batch, and compared when a standing is shown: a call that comes late finds
another token, or none, and does nothing. So nothing here carries a deadline.
"""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from foundation import clock
from foundation.redis.client import Argument, RedisClient, ScriptCall
from foundation.sync.redis_state import raise_if_stale
from leaderboards.core.ranking.rules import Ties
from leaderboards.models import Period
from leaderboards.stores.redis.reads import lua_bool, ranked_keys, run, script
from leaderboards.stores.redis.writes import ENTRIES_PER_CALL, ZsetRow

SCANNED_AT_ONCE = 500
# One more than a value may have in a small hash that is kept as a list (`hash-max-listpack-value`): that is walked for
# each player, a table is not.
TOKEN_LENGTH = 65


def new_token() -> str:
    """A token that nobody has used. It tells when it was made, for who watches (``announced_at``)."""
    return f"{secrets.token_urlsafe(9)}.{round(1000 * clock.now().timestamp())}".ljust(TOKEN_LENGTH, ".")


def announced_at(token: str) -> datetime | None:
    """When a token was made, by its maker's clock; None of one that does not tell."""
    told = token.partition(".")[2].rstrip(".")
    return datetime.fromtimestamp(int(told) / 1000, UTC) if told.isdecimal() else None


class Publisher:
    """What changes a hybrid period in Redis. Each call raises ``StaleGeneration`` under another generation than the
    period's."""

    def __init__(self, link: RedisClient) -> None:
        self._link = link

    def announce(self, period: Period, players: Sequence[str], token: str) -> None:
        """Say that the standings of these players, whose rows the caller has locked, are being decided."""
        self._announce("announce", period, players, token)

    def claim(self, period: Period, players: Sequence[str], token: str) -> list[str]:
        """Announce those whom nobody has announced; who they are."""
        claimed = self._announce("claim_standings", period, players, token)
        return [player for player, is_ours in zip(players, claimed, strict=True) if is_ours]

    def publish(self, period: Period, announced: Mapping[str, Sequence[ZsetRow]]) -> int:
        """Show rows, by the token they were announced with, if it still stands; returns how many. In one round trip."""
        return self.send_prepared(self.prepare_publish(period, announced))

    def prepare_publish(self, period: Period, announced: Mapping[str, Sequence[ZsetRow]]) -> list[ScriptCall]:
        """What ``send_prepared`` will say, put together while there is time: nothing is sent."""
        keys, calls = [*ranked_keys(period), period.family.inflight], []
        for token, rows in announced.items():
            for start in range(0, len(rows), ENTRIES_PER_CALL):
                args = [*self._head(period), token]
                for player, score, member in rows[start : start + ENTRIES_PER_CALL]:
                    args += (player, "" if score is None else score, member)
                calls.append(ScriptCall(script("publish"), keys, args))
        return calls

    def send_prepared(self, prepared: Sequence[ScriptCall]) -> int:
        """Show what was prepared; returns how many rows that were."""
        with raise_if_stale():
            return sum(self._link.run_many(prepared))

    def fill(self, period: Period, rows: Sequence[ZsetRow]) -> None:
        """Fill a period that was emptied; who has no score is left out. In one round trip."""
        calls = []
        for start in range(0, len(rows), ENTRIES_PER_CALL):
            args = self._head(period)
            for row in rows[start : start + ENTRIES_PER_CALL]:
                if row.score is not None:
                    args += (row.player, row.score, row.member)
            calls.append(ScriptCall(script("fill"), ranked_keys(period), args))
        with raise_if_stale():
            self._link.run_many(calls)

    def inflight(self, period: Period) -> Iterator[dict[str, str]]:
        """The players whose announcement stands, and its token, some at a time."""
        cursor, keys = "0", [period.family.gen, period.family.inflight]
        while True:
            following, *cells = run(self._link, "inflight", keys, [period.generation, cursor, SCANNED_AT_ONCE])
            if cells:
                yield {name.decode(): token.decode() for name, token in zip(cells[::2], cells[1::2], strict=True)}
            cursor = following.decode()
            if cursor == "0":
                return

    def _announce(self, name: str, period: Period, players: Sequence[str], token: str) -> Any:
        keys = [period.family.gen, period.family.inflight]
        return run(self._link, name, keys, [period.generation, token, *players])

    def _head(self, period: Period) -> list[Argument]:
        return [period.generation, lua_bool(period.layout.in_member), lua_bool(period.rules.ties is Ties.DENSE)]
