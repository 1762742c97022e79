"""What one request asks of Redis: a score is one round trip, whoever counts its caller's requests."""

from collections.abc import Iterator, Sequence

import pytest
from django.conf import LazySettings

from foundation import rate_limit
from foundation import redis as links
from foundation.limits import Limit
from foundation.redis import Argument, Link
from tests.leaderboards.api.conftest import Caller, Make


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Link]]:
    """Whom each round trip went to, from the test's own requests on."""
    trips: list[Link] = []
    exchange = Link._exchange

    def counted(link: Link, commands: Sequence[Sequence[Argument]]) -> list[object]:
        trips.extend([link] if commands else [])
        return exchange(link, commands)

    monkeypatch.setattr(Link, "_exchange", counted)
    rate_limit.forget_own()
    yield trips
    rate_limit.forget_own()


def test_a_score_is_one_round_trip_to_the_boards(make_board: Make, game: Caller, asked: list[Link]) -> None:
    board = make_board(storage="redis")
    game.submit({"board": board, "player": "alice", "points": 1})
    asked.clear()

    game.submit({"board": board, "player": "alice", "points": 2})

    assert asked.count(links.boards()) == 1


def test_a_thousand_scores_are_four(make_board: Make, game: Caller, asked: list[Link]) -> None:
    board = make_board(storage="redis")
    game.submit({"board": board, "player": "alice", "points": 1})
    asked.clear()

    game.submit(*({"board": board, "player": f"p{nth}", "points": nth} for nth in range(1000)))

    assert asked.count(links.boards()) == 4


def test_the_brake_asks_for_a_handful_of_requests_at_once(
    make_board: Make, game: Caller, asked: list[Link], settings: LazySettings
) -> None:
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "write": Limit(8000, 3000)}
    board = make_board(storage="sql")

    for points in range(15):
        game.submit({"board": board, "player": "alice", "points": points})

    assert asked.count(rate_limit.link_of("boards")) == 4
