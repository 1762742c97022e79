"""A player's places over time, as a drawing and as the table beside it. Nothing is read here."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from leaderboards.models import Board
from leaderboards.selectors import PlayerRow, RankThen, Row, Standings
from leaderboards.views.chart import Chart, Moment, changes, chart
from leaderboards.views.lines import Scored, result


class Then(Moment, Scored, Protocol):
    """A place at a moment, with what the player had."""


@dataclass(frozen=True, slots=True)
class Way:
    """The drawing, and each moment with another place, the latest first, with the result in words."""

    chart: Chart
    steps: list[tuple[Then, str]]


def way_of(board: Board, moments: Sequence[Then]) -> Way | None:
    """None where there is nothing to draw: a line needs two moments."""
    drawn = chart(moments)
    if drawn is None:
        return None
    return Way(drawn, [(each, result(board, each)) for each in changes(moments)])


def until_now(kept: Sequence[RankThen], row: Row | None, found: Standings | PlayerRow) -> list[RankThen]:
    """Kept ranks of a period, and at last the place that the page shows; nothing where none was kept."""
    if not kept or row is None or row.rank is None:
        return []
    at = min(found.as_of, found.period.ends_at or found.as_of)
    return [*kept, RankThen(at, row.rank, row.points, row.fields)]
