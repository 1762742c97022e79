"""GET /boards/{seq}/league and /boards/{seq}/players/{player}/league."""

from datetime import timedelta

import pytest

from competitions.models import League
from competitions.services.leagues.promotion import turn_due
from competitions.services.leagues.seasons import begin_due, place_due
from foundation import clock
from leaderboards.models import Board, Player
from leaderboards.services.periods.close import close_due
from tests.competitions.factories import LeagueFactory
from tests.leaderboards.api.conftest import Caller, problem, with_key
from tests.leaderboards.services.site import follow, period_of, redis_away
from tests.leaderboards.services.site import make_board as board_of
from tests.playing import score

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]


def place() -> None:
    begin_due(clock.now())
    place_due(clock.now())


def wins(**settings: object) -> Board:
    """A board of years with a league: no year ends while a test runs, nor did one begin just now, but for once."""
    return board_of(**{"storage": "hybrid", "at": clock.now(), "period": "year", **settings})  # type: ignore[arg-type]  # settings of boards, each of its own type


@pytest.fixture
def board() -> Board:
    """Four in a group of the lowest tier, dan alone in the next group."""
    board = wins()
    LeagueFactory.create(board=board)
    begin_due(clock.now())
    for name, points in {"ann": 9, "bob": 5, "cleo": 3, "eve": 1, "dan": 7}.items():
        score(board.seq, {name: points})
        place_due(clock.now())
    return board


def in_group(told: dict[str, object]) -> list[tuple[str, int, str, int]]:
    rows = told["rows"]
    assert isinstance(rows, list)
    return [(row["player"], row["place"], row["outcome"], row["rank"]) for row in rows]


def test_rows_of_a_group_have_their_metadata_when_asked(anybody: Caller, game: Caller, board: Board) -> None:
    game.submit({"board": board.seq, "player": "bob", "points": 6, "metadata": {"car": "red"}})

    path = f"/boards/{board.seq}/players/ann/league"
    asked, plain = (anybody.get(path + query).json() for query in ("?metadata=true", ""))

    assert [row.get("metadata") for row in asked["rows"] if row["player"] == "bob"] == [{"car": "red"}]
    assert [row for row in plain["rows"] if "metadata" in row] == []


def test_a_board_tells_its_ladder_and_how_many_move(anybody: Caller, board: Board) -> None:
    expected = {"tiers": ["Bronze", "Silver", "Gold"], "group_size": 4, "promoted": 1, "demoted": 1, "board": board.seq}

    assert anybody.get(f"/boards/{board.seq}/league").json() == expected

    League.objects.update(enabled=False)
    problem(anybody.get(f"/boards/{board.seq}/league"), 404, "no_league")
    problem(anybody.get("/boards/4711/league"), 404, "unknown_board")
    problem(anybody.get(f"/boards/{board.seq}/league?tier=1"), 422, "invalid_request")


def test_a_player_sees_the_group_with_places_in_it_and_what_each_comes_to(anybody: Caller, board: Board) -> None:
    told = anybody.get(f"/boards/{board.seq}/players/bob/league").json()

    head = {name: told[name] for name in ("tier", "tier_name", "group", "place", "outcome", "turned_at", "live")}
    assert head == {
        "tier": 1, "tier_name": "Bronze", "group": 1, "place": 2, "outcome": "stayed", "turned_at": None, "live": True,
    }  # fmt: skip  # as a table
    assert told["period"]["ends_at"]
    assert in_group(told) == [
        ("ann", 1, "promoted", 1), ("bob", 2, "stayed", 3), ("cleo", 3, "stayed", 4), ("eve", 4, "stayed", 5),
    ]  # fmt: skip  # as a table
    assert in_group(anybody.get(f"/boards/{board.seq}/players/dan/league").json()) == [("dan", 1, "stayed", 2)]


def test_places_follow_the_board_and_are_told_with_redis_away_too(anybody: Caller, board: Board) -> None:
    address = f"/boards/{board.seq}/players/bob/league"
    first = anybody.get(address)
    assert anybody.get(address, if_none_match=first["ETag"]).status_code == 304
    score(board.seq, {"bob": 90})

    again = anybody.get(address, if_none_match=first["ETag"]).json()
    with redis_away():
        without = anybody.get(address).json()

    assert in_group(again)[:2] == [("bob", 1, "promoted", 1), ("ann", 2, "stayed", 2)]
    assert (without["live"], [row["place"] for row in without["rows"]]) == (False, [1, 2, 3, 4])
    assert [row["player"] for row in without["rows"]] == [row["player"] for row in again["rows"]]


@pytest.mark.parametrize("storage", ["hybrid", "redis", "sql"])
def test_those_who_tie_on_a_board_of_shared_ranks_share_a_place_on_every_storage(anybody: Caller, storage: str) -> None:
    board = wins(storage=storage, ties="dense")
    LeagueFactory.create(board=board, promoted=1)
    score(board.seq, {"ann": 9, "bob": 9, "cleo": 3})
    follow(period_of(board, clock.now()))
    place()

    told = anybody.get(f"/boards/{board.seq}/players/cleo/league").json()

    assert [(row["place"], row["sharing"], row["outcome"], row["rank"]) for row in told["rows"]] == [
        (1, 2, "promoted", 1),
        (1, 2, "promoted", 1),
        (3, 1, "stayed", 2),
    ]


def test_the_banned_are_not_shown_and_the_others_have_moved_up(anybody: Caller, board: Board) -> None:
    Player.objects.filter(external_id="ann").update(banned_at=clock.now())

    told = anybody.get(f"/boards/{board.seq}/players/bob/league").json()

    assert in_group(told)[0] == ("bob", 1, "promoted", 2)
    assert len(told["rows"]) == 3
    problem(anybody.get(f"/boards/{board.seq}/players/ann/league"), 404, "not_in_league")


def test_after_the_turn_outcomes_stay_and_before_the_first_score_there_is_a_tier_without_a_group(
    anybody: Caller, board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    period = period_of(board, clock.now())
    over = period.ends_at + timedelta(days=1) if period.ends_at else clock.now()
    close_due(over)
    turn_due(over)
    monkeypatch.setattr(clock, "now", lambda: over)
    period_of(board, over)
    assert begin_due(over) == 1

    before, after = (
        anybody.get(f"/boards/{board.seq}/players/ann/league?period={name}").json() for name in ("previous", "current")
    )

    assert (before["outcome"], before["turned_at"] is not None) == ("promoted", True)
    assert in_group(before)[0] == ("ann", 1, "promoted", 1)
    assert (after["tier_name"], after["group"], after["place"], after["rows"]) == ("Silver", None, None, [])
    problem(anybody.get(f"/boards/{board.seq}/players/nobody/league"), 404, "not_in_league")


def test_a_private_board_tells_of_its_league_whom_it_tells_of_its_standings(anybody: Caller) -> None:
    board = wins(visibility="private")
    LeagueFactory.create(board=board)
    score(board.seq, {"ann": 9})
    place()

    for address in (f"/boards/{board.seq}/league", f"/boards/{board.seq}/players/ann/league"):
        problem(anybody.get(address), 401, "unauthenticated")
        problem(with_key("scores:write", name="game").get(address), 403, "forbidden")
        answer = with_key("boards:read", name="reader").get(address)
        assert (answer.status_code, answer["Cache-Control"]) == (200, "private, no-cache")


def test_boards_without_a_league_and_periods_without_one_say_so(anybody: Caller) -> None:
    board, cups = wins(), wins(period="event", name="Cups")
    score(board.seq, {"ann": 9})

    problem(anybody.get(f"/boards/{board.seq}/players/ann/league"), 404, "no_league")
    problem(anybody.get(f"/boards/{board.seq}/players/ann/league?period=1999"), 404, "unknown_period")
    problem(anybody.get(f"/boards/{cups.seq}/players/ann/league"), 404, "unknown_period")
