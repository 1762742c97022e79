"""What a page of a board shows of its period's past: the race of its first ten, and what each row has gained by day.

Read once for all who watch (``selectors/race.py``), and made when somebody's answer is rendered, not to compare it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property

from leaderboards.selectors import Row, Standings
from leaderboards.selectors.race import NEVER, Past, Then, past_of, stood
from leaderboards.views.gains import Told, cells, gains, gains_of
from leaderboards.views.lines import Line
from leaderboards.views.race import Race, mine_in, race_html, race_of


@dataclass
class Kept:
    """The past of the standings that a page shows; ``since`` is the last look. ``has_race`` on the first page."""

    found: Standings
    since: datetime | None
    runs: bool
    has_race: bool

    @cached_property
    def _read(self) -> tuple[Past, dict[str, Then]] | None:
        found = self.found
        past = past_of(found.board, found.period, found.rules, self.since) if found.rows else None
        then = stood(past, [row.player for row in found.rows]) if past else None
        return None if past is None or then is None else (past, then)

    @cached_property
    def race(self) -> Race | None:
        """The race, where there is one."""
        return race_of(self.found, *self._read, runs=self.runs) if self.has_race and self._read else None

    @cached_property
    def told(self) -> Told | None:
        """What is told of points by day."""
        return gains(self.found, *self._read, runs=self.runs) if self._read else None

    def with_gains(self, lines: Sequence[Line]) -> list[Line]:
        """The lines, each with its cells."""
        told = self.told
        if told is None:
            return list(lines)
        return [replace(each, gained=cells(told, told.gains[each.player])) for each in lines]

    def race_for(self, row: Row | None) -> str:
        """The race with the line of the viewer, whose ``row`` it is; as everybody sees it without one."""
        own = self._then(row) if self.race is not None else None
        if row is None or own is None or self.race is None:
            return race_html(self.race)
        return race_html(self.race, mine_in(self.race, *own, row))

    def cells_of(self, row: Row) -> str:
        """The cells of a viewer's row that stands on another page."""
        own = self._then(row)
        return "" if self.told is None or own is None else cells(self.told, gains_of(self.found, row, *own))

    def _then(self, row: Row | None) -> tuple[Past, Then] | None:
        if row is None or row.rank is None or self._read is None:
            return None
        past, then = self._read
        own = then if row.player in then else stood(past, [row.player])
        return None if own is None else (past, own.get(row.player, NEVER))
