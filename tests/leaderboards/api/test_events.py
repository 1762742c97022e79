"""Competitions at the edge of leaderboards: what a submission is told, and that nothing is read round them."""

from datetime import timedelta

import pytest

from foundation import clock
from leaderboards.services.events import Event
from tests.leaderboards.api.conftest import Caller, problem
from tests.leaderboards.services.conftest import declared, links
from tests.leaderboards.services.contest import KnownEvents, event_board

__all__ = ["declared", "links"]

pytestmark = pytest.mark.django_db(transaction=True)

HOUR = timedelta(hours=1)
READS = ("standings?", "players?ids=a&", "players/a?", "players/a/around?", "distribution?", "standings.csv?")


def running(declared: KnownEvents, hides_ranks: bool = False) -> Event:
    starts_at, ends_at = clock.now() - HOUR, clock.now() + HOUR
    return declared.add(event_board(), starts_at=starts_at, ends_at=ends_at, hides_ranks=hides_ranks)


@pytest.mark.parametrize("hides_ranks", [False, True])
def test_a_score_in_a_competition_is_answered_with_its_number_board_and_period(
    declared: KnownEvents, game: Caller, hides_ranks: bool
) -> None:
    event = running(declared, hides_ranks)

    answer = game.submit(
        {"competition": 7, "player": "a", "points": 30},
        {"competition": 7, "player": "a", "points": "many"},
        query="?ranks=true",
    )

    told = {"player": "a", "board": event.board.seq, "competition": 7, "period": "c7", "points": 30}
    ranks = {} if hides_ranks else {"rank": 1, "previous_rank": None}
    good, refused = answer["results"]
    assert good == {"status": "updated"} | told | ranks
    assert (refused["status"], refused["competition"], refused["code"]) == ("rejected", 7, "bad_points")


def test_an_event_board_is_read_and_changed_through_its_competitions_alone(
    declared: KnownEvents, game: Caller, anybody: Caller
) -> None:
    event = running(declared)
    game.submit({"competition": 7, "player": "a", "points": 5})
    board = f"/boards/{event.board.seq}"

    for label in ("current", "previous", "c7", "c7-frozen", "c8"):
        for path in READS:
            refused = problem(anybody.get(f"{board}/{path}period={label}"), 404, "unknown_period")
            assert refused["detail"].endswith(": use the competition."), (label, path)
    assert anybody.get(board).json()["period"] is None
    problem(game.send("DELETE", f"{board}/players/a"), 404, "unknown_period")
