"""A competition whose players have scored, and who stands where in it."""

from datetime import datetime
from typing import Any

from competitions.models import Competition
from competitions.selectors.standings import standings
from leaderboards.models import Board
from tests.competitions.site import SOON, open_competition, raced, reloaded

Ranks = list[tuple[str, int | None, object]]


def race(points: dict[str, int], board: Board | None = None, **settings: Any) -> Competition:
    """These players joined it and scored, an hour after its start."""
    competition = open_competition(board, **settings)
    raced(competition, points)
    return competition


def ranks(competition: Competition, at: datetime = SOON, full: bool = False) -> Ranks:
    """Player, rank and points, as the public is shown them or, in ``full``, as they are."""
    return [(row.player, row.rank, row.points) for row in standings(reloaded(competition), at, full=full).rows]
