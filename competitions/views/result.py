"""The final result as a page shows it: the podium, and what proves and repeats the ranking."""

from dataclasses import dataclass
from datetime import datetime

from competitions.core.lifecycle import Phase
from competitions.models import Competition
from leaderboards.selectors import BoardPage, content_hash_of
from leaderboards.selectors.periods import period_by_label
from leaderboards.views.lines import Line, lines, result

ON_PODIUM = 3
MOST_ON_PODIUM = 6


@dataclass(frozen=True, slots=True)
class Result:
    """The best, each with his result in words; and the hash over the whole ranking."""

    podium: list[tuple[Line, str]]
    content_hash: str


def result_of(competition: Competition, page: BoardPage, number: int, at: datetime) -> Result | None:
    """The result once the public may know it; the podium only above the first page."""
    if competition.phase(at) is not Phase.FINAL:
        return None
    found, board = page.standings, competition.board
    best = [row for row in found.rows if (row.rank or 0) <= ON_PODIUM] if number == 1 else []
    best = best[:MOST_ON_PODIUM]
    podium = [(line, result(board, row)) for line, row in zip(lines(found, best, None), best, strict=True)]
    period = period_by_label(board, competition.label)
    return Result(podium, content_hash_of(period) if period else "")
