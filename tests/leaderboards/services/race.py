"""A competition that goes on while its end moves or it is frozen, beside an oracle."""

import random
from datetime import datetime, timedelta
from typing import Any

from leaderboards import selectors
from leaderboards.core.instants import milliseconds
from leaderboards.models import Period
from leaderboards.selectors import Row
from tests.leaderboards.services.contest import ENDS, LONG_AGO, KnownEvents, event_board, period_of, send
from tests.leaderboards.services.site import (
    DAY,
    NOON,
)
from tests.oracle import OracleBoard

BEGUN = NOON - 4 * DAY  # selectors show only what has begun by the real clock
HOUR = timedelta(hours=1)
LABEL = "c7-frozen"
Shown = list[tuple[int | None, str, tuple[Any, ...]]]
# 23 bits of points leave 30 for milliseconds, which is twelve days; 31 leave 22 for seconds, which is 48.
MILLISECONDS = {"tie_break": "score", "total_maximum": 2**23 - 1, "maximum": 2**23 - 1}
SECONDS = {"tie_break": "score"}
CRITERIA = [{"name": "stage", "bits": 15, "order": "desc"}, {"name": "members", "bits": 8, "order": "asc"}]


class Race:
    """Competition 7 on a new board beside its oracle: forty players, and so few points that many are equal."""

    def __init__(self, declared: KnownEvents, storage: str, settings: dict[str, Any]) -> None:
        self._dice = random.Random(7)
        self._declared = declared
        self._players = [f"p{number}" for number in range(40)]
        declared.players |= dict.fromkeys(self._players, LONG_AGO)
        self.event = declared.add(event_board(storage, **settings), starts_at=BEGUN)
        self.oracle = OracleBoard(self.event.board.rules, self.event.window)

    def begin(self) -> Period:
        """The first score of each."""
        self.go_on(NOON)
        return period_of(self.event)

    def go_on(self, at: datetime) -> None:
        """A score of each."""
        of_points = not self.event.board.criteria
        sent = [
            (player, self._dice.randint(1, 6), at - timedelta(milliseconds=self._dice.randrange(5_000)))
            for player in self._players
        ]
        entries = [
            {"player": player, "at": when.isoformat(), **({"points": n} if of_points else {"fields": _fields(n)})}
            for player, n, when in sent
        ]
        assert all(outcome.status.is_accepted for outcome in send(*entries, at=at))
        layout = period_of(self.event).layout
        for player, n, when in sent:
            value = (n,) if of_points else tuple(_fields(n).values())
            self.oracle.submit(player, value, layout.quantize(milliseconds(when)))

    def announce(self, by: timedelta) -> datetime:
        """The competition ends that much later, or sooner; returns when."""
        self._declared.add(self.event.board, starts_at=BEGUN, ends_at=ENDS + by)
        return ENDS + by

    def expected(self) -> Shown:
        return [(row.rank, row.player, row.value) for row in self.oracle.rows()]

    def shown(self, label: str = "c7") -> Shown:
        return [
            (row.rank, row.player, (row.points,) if row.fields is None else tuple(row.fields.values()))
            for row in self.rows(label)
        ]

    def times(self) -> dict[str, datetime | None]:
        return {row.player: row.achieved_at for row in self.rows()}

    def rows(self, label: str = "c7") -> list[Row]:
        return selectors.standings(self.event.board, label, 0, 100).rows


def _fields(n: int) -> dict[str, int]:
    return {"stage": n, "members": n % 2}
