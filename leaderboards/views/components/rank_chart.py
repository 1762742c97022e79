"""A player's places over time, as a drawing and as the table beside it. Nothing is read here."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from leaderboards.models import Board
from leaderboards.selectors import PlayerRow, RankAtTime, Row, Standings
from leaderboards.views.components.line_chart import Chart, Moment, changes, chart
from leaderboards.views.components.table_rows import Scored, result


class ResultAtTime(Moment, Scored, Protocol):
    """A place at a moment, with what the player had."""


@dataclass(frozen=True, slots=True)
class RankChart:
    """The drawing, and each moment with another place, the latest first, with the result in words."""

    chart: Chart
    steps: list[tuple[ResultAtTime, str]]


def rank_chart_of(board: Board, moments: Sequence[ResultAtTime]) -> RankChart | None:
    """None where there is nothing to draw: a line needs two moments."""
    drawn = chart(moments)
    if drawn is None:
        return None
    return RankChart(drawn, [(each, result(board, each)) for each in changes(moments)])


def with_current_rank(kept: Sequence[RankAtTime], row: Row | None, found: Standings | PlayerRow) -> list[RankAtTime]:
    """Kept ranks of a period, and at last the place that the page shows; nothing where none was kept."""
    if not kept or row is None or row.rank is None:
        return []
    at = min(found.as_of, found.period.ends_at or found.as_of)
    return [*kept, RankAtTime(at, row.rank, row.points, row.fields)]
