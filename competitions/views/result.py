"""The final result as a page shows it: the podium, and what proves and repeats the ranking."""

from dataclasses import dataclass
from datetime import datetime

from competitions.core.lifecycle import Phase
from competitions.models import Competition
from competitions.selectors.grouped import TeamRow
from competitions.views.groups import team_podium, team_result
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
    board = competition.board
    period = period_by_label(board, competition.label)
    podium = _podium(competition, page, at) if number == 1 else []
    return Result(podium, content_hash_of(period) if period else "")


def _podium(competition: Competition, page: BoardPage, at: datetime) -> list[tuple[Line, str]]:
    """The best players, or the best teams where players compete in teams."""
    if competition.has_teams:
        teams = team_podium(competition, ON_PODIUM, at)[:MOST_ON_PODIUM]
        return [(_line_of(row), team_result(competition, row)) for row in teams]
    found, board = page.standings, competition.board
    best = [row for row in found.rows if (row.rank or 0) <= ON_PODIUM][:MOST_ON_PODIUM]
    return [(line, result(board, row)) for line, row in zip(lines(found, best, None), best, strict=True)]


def _line_of(row: TeamRow) -> Line:
    """A team as the podium writes it; no player has an empty id."""
    return Line("", row.name, row.rank, (row.tied or 1) > 1, [], None, is_me=False)
