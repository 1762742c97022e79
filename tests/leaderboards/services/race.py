"""A competition beside its oracle: forty players, and so few different points that many are equal."""

import random
from datetime import datetime, timedelta
from typing import Any

from leaderboards import selectors
from leaderboards.core.instants import milliseconds
from leaderboards.models import Period
from leaderboards.selectors import Row
from leaderboards.services.open import open_period
from tests.leaderboards.services.contest import ENDS, KnownEvents, event_board, period_of, send
from tests.leaderboards.services.site import DAY, NOON
from tests.oracle import OracleBoard

MILLISECONDS = {"tie_break": "score", "total_maximum": 2**23 - 1, "maximum": 2**23 - 1}
BEGUN = NOON - 4 * DAY  # selectors show only what has begun by the real clock
Shown = list[tuple[int | None, str, tuple[Any, ...]]]


class Race:
    """Competition 7 on a new board."""

    def __init__(self, declared: KnownEvents, storage: str, settings: dict[str, Any], seed: int = 7) -> None:
        self._dice = random.Random(seed)
        self._declared = declared
        self._players = [f"p{number}" for number in range(40)]
        declared.players |= set(self._players)
        self.event = declared.add(event_board(storage, **settings), starts_at=BEGUN)

    def begin(self) -> Period:
        """The first score of each."""
        sent = self._send(NOON)
        period = period_of(self.event)
        self._layout, self.oracle = period.layout, OracleBoard(period.rules, period.window)
        self._tell_oracle(sent)
        return period

    def open(self) -> Period:
        """Without any score."""
        return open_period(self.event.board, self.event.window)

    def go_on(self, at: datetime) -> None:
        """Another score of each."""
        sent = self._send(at)
        self._layout = period_of(self.event).layout
        self._tell_oracle(sent)

    def announce(self, by: timedelta) -> datetime:
        """The competition ends that much later, or sooner; returns when."""
        self._declared.add(self.event.board, starts_at=BEGUN, ends_at=ENDS + by)
        return ENDS + by

    def expected(self) -> Shown:
        return [(row.rank, row.player, row.value) for row in self.oracle.rows()]

    def shown(self) -> Shown:
        return [(row.rank, row.player, _value(row)) for row in self._rows()]

    def times(self) -> dict[str, datetime | None]:
        return {row.player: row.achieved_at for row in self._rows()}

    def _rows(self) -> list[Row]:
        return selectors.standings(self.event.board, self.event.window.label, 0, 100).rows

    def _send(self, at: datetime) -> list[tuple[str, int, datetime]]:
        chosen = [
            (player, self._dice.randint(1, 6), at - timedelta(milliseconds=self._dice.randrange(5_000)))
            for player in self._players
        ]
        entries = [{"player": player, "at": when.isoformat(), **self._worth(n)} for player, n, when in chosen]
        assert all(outcome.status.is_accepted for outcome in send(*entries, at=at))
        return chosen

    def _worth(self, n: int) -> dict[str, Any]:
        return {"fields": {"stage": n, "members": n % 2}} if self.event.board.criteria else {"points": n}

    def _tell_oracle(self, sent: list[tuple[str, int, datetime]]) -> None:
        for player, n, when in sent:
            value = (n, n % 2) if self.event.board.criteria else (n,)
            self.oracle.submit(player, value, self._layout.quantize(milliseconds(when)))


def _value(row: Row) -> tuple[Any, ...]:
    return (row.points,) if row.fields is None else tuple(row.fields.values())
