"""The history of a period on a board's page: the race of the first ten rows, and points by day.

The data is cached for all viewers (``selectors/history/race.py``) and read when a page is rendered, not to compute the
ETag.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property

from leaderboards.selectors import Row, Standings
from leaderboards.selectors.history.race import (
    NO_HISTORY,
    PlayerHistory,
    RaceSnapshots,
    player_histories,
    race_snapshots,
)
from leaderboards.views.components.gains import PageGains, gain_cells, page_gains, row_gains
from leaderboards.views.components.race import build_race, race_html, race_table_html, viewer_in_race
from leaderboards.views.components.race_data import Mine, Race
from leaderboards.views.components.table_rows import Line


@dataclass
class PeriodHistory:
    """The past of ``standings``; ``since`` is the time of the latest snapshot. Only the first page ``has_race``."""

    standings: Standings
    since: datetime | None
    is_running: bool
    has_race: bool

    @cached_property
    def _data(self) -> tuple[RaceSnapshots, dict[str, PlayerHistory]] | None:
        shown = self.standings
        snapshots = race_snapshots(shown.board, shown.period, shown.rules, self.since) if shown.rows else None
        histories = player_histories(snapshots, [row.player for row in shown.rows]) if snapshots else None
        return None if snapshots is None or histories is None else (snapshots, histories)

    @cached_property
    def race(self) -> Race | None:
        """The race, or None if there is nothing to draw."""
        if not self.has_race or self._data is None:
            return None
        return build_race(self.standings, *self._data, is_running=self.is_running)

    @cached_property
    def gains(self) -> PageGains | None:
        """Points by day of all rows, or None if the board has none."""
        return page_gains(self.standings, *self._data, is_running=self.is_running) if self._data else None

    def with_gains(self, lines: Sequence[Line]) -> list[Line]:
        """The lines, each with its cells of points by day."""
        gains = self.gains
        if gains is None:
            return list(lines)
        return [replace(line, gained=gain_cells(gains, gains.by_player[line.player])) for line in lines]

    def race_for(self, row: Row | None, table_at: str) -> str:
        """The race as HTML, with the line of the viewer whose ``row`` is given, and a link to its table."""
        return race_html(self.race, self._in_race(row), table_at)

    def race_table_for(self, row: Row | None) -> str:
        """The race as a table, with the viewer whose ``row`` is given. Empty if there is none."""
        return race_table_html(self.race, self._in_race(row))

    def _in_race(self, row: Row | None) -> Mine | None:
        data = self._data_of(row) if self.race is not None else None
        if row is None or data is None or self.race is None:
            return None
        return viewer_in_race(self.race, *data, row)

    def cells_of(self, row: Row) -> str:
        """Return the cells of the viewer's row if it is not on this page."""
        data = self._data_of(row)
        if self.gains is None or data is None:
            return ""
        return gain_cells(self.gains, row_gains(self.standings, row, *data))

    def _data_of(self, row: Row | None) -> tuple[RaceSnapshots, PlayerHistory] | None:
        if row is None or row.rank is None or self._data is None:
            return None
        snapshots, histories = self._data
        own = histories if row.player in histories else player_histories(snapshots, [row.player])
        return None if own is None else (snapshots, own.get(row.player, NO_HISTORY))
