"""A player's ranks over time, as a chart and a table. Reads no data."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from leaderboards.models import Board
from leaderboards.selectors import PlayerRow, RankAtTime, Row, Standings
from leaderboards.views.components.line_chart import Chart, Moment, changes, chart
from leaderboards.views.components.table_rows import Scored, result


class ResultAtTime(Moment, Scored, Protocol):
    """A rank at a moment, with the score."""


@dataclass(frozen=True, slots=True)
class RankChart:
    """The chart, and the changes of rank with the result as text, latest first."""

    chart: Chart
    steps: list[tuple[ResultAtTime, str]]


def rank_chart_of(board: Board, moments: Sequence[ResultAtTime]) -> RankChart | None:
    """Return the chart; None with fewer than two moments."""
    drawing = chart(moments)
    if drawing is None:
        return None
    return RankChart(drawing, [(each, result(board, each)) for each in changes(moments)])


def with_current_rank(
    history: Sequence[RankAtTime], row: Row | None, standings: Standings | PlayerRow
) -> list[RankAtTime]:
    """Append the shown rank to the recorded ranks of a period; empty if none was recorded."""
    if not history or row is None or row.rank is None:
        return []
    at = min(standings.as_of, standings.period.ends_at or standings.as_of)
    return [*history, RankAtTime(at, row.rank, row.points, row.fields)]
