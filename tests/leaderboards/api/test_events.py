"""Competitions at the edge of leaderboards: what a submission is told, and that nothing is read round them."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from foundation import clock
from leaderboards.services.events import Event
from tests.leaderboards.api.conftest import STORAGES, Caller, problem
from tests.leaderboards.services.contest import KnownEvents, event_board, known_events
from tests.links import links

__all__ = ["links"]

pytestmark = pytest.mark.django_db(transaction=True)

HOUR = timedelta(hours=1)
READS = ("standings?", "players?ids=a&", "players/a?", "players/a/around?", "distribution?", "standings.csv?")


@pytest.fixture
def declared(links: None) -> Iterator[KnownEvents]:
    with known_events() as declared:
        yield declared


def running(declared: KnownEvents, storage: str = "hybrid", hides_ranks: bool = False) -> Event:
    starts_at, ends_at = clock.now() - HOUR, clock.now() + HOUR
    return declared.add(event_board(storage), starts_at=starts_at, ends_at=ends_at, hides_ranks=hides_ranks)


@STORAGES
def test_a_score_in_a_competition_is_answered_with_its_number_board_and_period(
    declared: KnownEvents, game: Caller, storage: str
) -> None:
    event = running(declared, storage)

    answer = game.submit({"competition": 7, "player": "a", "points": 30}, query="?ranks=true")

    told = {
        "status": "updated",
        "player": "a",
        "board": event.board.seq,
        "competition": 7,
        "period": "c7",
        "points": 30,
    }
    assert answer["results"] == [told | {"rank": 1, "previous_rank": None}]


@STORAGES
def test_while_it_hides_ranks_they_are_absent(declared: KnownEvents, game: Caller, storage: str) -> None:
    running(declared, storage, hides_ranks=True)

    answer = game.submit({"competition": 7, "player": "a", "points": 30}, query="?ranks=true")

    assert not {"rank", "previous_rank"} & set(answer["results"][0])


def test_an_entry_that_cannot_be_read_is_refused_with_its_competition(declared: KnownEvents, game: Caller) -> None:
    answer = game.submit({"competition": 7, "player": "a", "points": "many"})

    [refused] = answer["results"]
    assert (refused["status"], refused["competition"], refused["code"]) == ("rejected", 7, "bad_points")


@STORAGES
@pytest.mark.parametrize("label", ["current", "previous", "c7", "c7-frozen", "c8"])
def test_an_event_board_is_read_through_its_competitions_alone(
    declared: KnownEvents, game: Caller, anybody: Caller, storage: str, label: str
) -> None:
    event = running(declared, storage)
    game.submit({"competition": 7, "player": "a", "points": 5})
    board = f"/boards/{event.board.seq}"

    refused = [problem(anybody.get(f"{board}/{path}period={label}"), 404, "unknown_period") for path in READS]

    assert {each["detail"].partition(": ")[2] for each in refused} == {"use the competition."}
    assert anybody.get(board).json()["period"] is None


def test_nobody_is_taken_out_of_an_event_board(declared: KnownEvents, game: Caller) -> None:
    event = running(declared)
    game.submit({"competition": 7, "player": "a", "points": 5})

    problem(game.send("DELETE", f"/boards/{event.board.seq}/players/a"), 404, "unknown_period")
