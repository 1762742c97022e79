"""Competitions at the edge of leaderboards: what a submission is told, and that nothing is read round them."""

from datetime import timedelta

import pytest

from foundation import clock
from tests.leaderboards.api.conftest import Caller, problem
from tests.leaderboards.services.conftest import declared, links
from tests.leaderboards.services.contest import KnownEvents, event_board

__all__ = ["declared", "links"]

pytestmark = pytest.mark.django_db(transaction=True)

HOUR = timedelta(hours=1)
READS = (
    *("standings?", "view?", "players?ids=a&", "players/a?", "players/a/around?", "distribution?", "standings.csv?"),
)


def test_a_score_in_a_competition_is_answered_with_its_number_board_and_period_and_read_there_alone(
    declared: KnownEvents, game: Caller, anybody: Caller
) -> None:
    event = declared.add(event_board(), starts_at=clock.now() - HOUR, ends_at=clock.now() + HOUR)
    board = f"/boards/{event.board.seq}"
    entries = [{"competition": 7, "player": "a", "points": points} for points in (30, "many")]

    good, refused = game.submit(*entries, query="?ranks=true")["results"]

    told = {"status": "updated", "player": "a", "board": event.board.seq, "competition": 7, "period": "c7"}
    assert good == told | {"points": 30, "rank": 1, "previous_rank": None}
    assert (refused["status"], refused["competition"], refused["code"]) == ("rejected", 7, "bad_points")
    for label in ("current", "previous", "c7", "c7-frozen", "c8"):
        for path in READS:
            answer = problem(anybody.get(f"{board}/{path}period={label}"), 404, "unknown_period")
            assert answer["detail"].endswith(": use the competition."), (label, path)
    assert anybody.get(board).json()["period"] is None
    problem(game.send("DELETE", f"{board}/players/a"), 404, "unknown_period")
