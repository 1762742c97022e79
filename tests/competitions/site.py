"""Competitions with participants, through the services: what tests of competitions begin with.

The windows lie around the real time: selectors ask the clock whether a period has begun.
"""

from datetime import datetime
from typing import Any

from competitions.models import Competition
from competitions.selectors.standings.standings import standings
from leaderboards.core.input.entries import read_entry
from leaderboards.core.submissions import Caller, Outcome
from leaderboards.models import Board, Period, Player, Standing
from leaderboards.services.submit.pipeline import submit
from leaderboards.services.sync.mirror import mirror
from tests.competitions.factories import (
    DAY,
    END,
    HOUR,
    MINUTE,
    START,
    CompetitionFactory,
    DraftFactory,
    EventBoardFactory,
    ParticipantFactory,
)
from tests.leaderboards.factories import PlayerFactory

__all__ = ["DAY", "END", "HOUR", "MINUTE", "START"]

STORAGES = ("hybrid", "redis", "sql")
SOON = START + HOUR


def make_board(storage: str = "hybrid", **wanted: Any) -> Board:
    """Asked for again, it is the same board."""
    return EventBoardFactory.create(**{"name": f"An event board in {storage}", "storage": storage, **wanted})


def draft(board: Board | None = None, **wanted: Any) -> Competition:
    return DraftFactory.create(board=board or make_board(), **wanted)


def open_competition(board: Board | None = None, **wanted: Any) -> Competition:
    return CompetitionFactory.create(board=board or make_board(), **wanted)


def player(name: str) -> Player:
    return PlayerFactory.create(external_id=name)


def joined(competition: Competition, *names: str) -> list[Player]:
    return [ParticipantFactory.create(competition=competition, player=player(name)).player for name in names]


def score(competition: Competition, points: dict[str, int], at: datetime = SOON, id_: str = "") -> list[Outcome]:
    """One submission a player; ``id_`` makes their ids."""
    rows: list[dict[str, Any]] = [
        {
            "competition": competition.pk,
            "player": name,
            "points": number,
            **({"id": f"{id_}:{name}"} if id_ else {}),
        }
        for name, number in points.items()
    ]
    return submit([read_entry(row, place) for place, row in enumerate(rows)], Caller("tests"), at)


def raced(competition: Competition, points: dict[str, int], at: datetime = SOON) -> None:
    """These players join and score, and SQL follows where Redis decides."""
    joined(competition, *points)
    codes = {outcome.code for outcome in score(competition, points, at)}
    assert codes == {None}
    follow(competition)


def race(points: dict[str, int], board: Board | None = None, **settings: Any) -> Competition:
    """A competition that these players joined and scored in, an hour after its start."""
    competition = open_competition(board, **settings)
    raced(competition, points)
    return competition


def ranks(competition: Competition, at: datetime = SOON, full: bool = False) -> list[tuple[str, int | None, object]]:
    """Player, rank and points, as the public is shown them or, in ``full``, as they are."""
    return [(row.player, row.rank, row.points) for row in standings(reloaded(competition), at, full=full).rows]


def period_of(competition: Competition) -> Period:
    return Period.objects.select_related("board").get(board=competition.board_id, label=competition.label)


def follow(competition: Competition) -> None:
    """Let SQL follow, where Redis decides."""
    period = period_of(competition)
    if period.board.storage == "redis":
        mirror(period)


def points_of(competition: Competition) -> dict[str, int | None]:
    """Who stands with what in SQL."""
    follow(competition)
    rows = Standing.objects.filter(period=period_of(competition), score__isnull=False)
    return dict(rows.values_list("player__external_id", "points"))


def reloaded(competition: Competition) -> Competition:
    return Competition.objects.select_related("board").get(pk=competition.pk)
