"""The leader of a board for the head of its page: result, lead, and how many share the first rank."""

from collections.abc import Sequence
from dataclasses import dataclass

from leaderboards.selectors import Standings
from leaderboards.views.components.table_rows import Gap, Line, gap_behind, result


@dataclass(frozen=True, slots=True)
class Lead:
    """The first row; ``others`` share its rank, ``gap`` is to the next worse rank on the page."""

    line: Line
    result: str
    others: int
    gap: Gap | None


def lead_of(standings: Standings, lines: Sequence[Line]) -> Lead | None:
    """Return the lead; None if the page does not begin with the first rank."""
    if not lines or lines[0].rank != 1:
        return None
    first = standings.rows[0]
    return Lead(
        lines[0],
        result(standings.board, first),
        (first.tied or 1) - 1,
        gap_behind(standings.board, first, standings.rows),
    )
