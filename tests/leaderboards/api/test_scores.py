"""POST /scores."""

from tests.leaderboards.api.conftest import Caller, Make


def test_a_submitted_score_is_answered_with_the_players_standing(make_board: Make, game: Caller) -> None:
    board = make_board()

    answer = game.submit({"board": board, "player": "alice", "points": 150})

    assert (answer["accepted"], answer["rejected"]) == (1, 0)
    (result,) = answer["results"]
    assert result == {
        "status": "updated", "player": "alice", "board": board, "period": result["period"], "points": 150,
    }  # fmt: skip


def test_ranks_are_told_on_request_with_null_for_who_is_new(make_board: Make, game: Caller) -> None:
    board = make_board()
    game.submit({"board": board, "player": "alice", "points": 10}, {"board": board, "player": "bob", "points": 20})

    answer = game.submit(
        {"board": board, "player": "alice", "points": 30},
        {"board": board, "player": "carol", "points": 25},
        query="?ranks=true",
    )

    assert [(each["rank"], each["previous_rank"]) for each in answer["results"]] == [(1, 2), (2, None)]


def test_what_was_submitted_is_read_back(make_board: Make, game: Caller, anybody: Caller) -> None:
    board = make_board()
    game.submit({"board": board, "player": "alice", "points": 150})

    answer = anybody.get(f"/boards/{board}/standings").json()

    assert answer["total"] == 1
    assert answer["live"] is True
    assert [(row["rank"], row["player"], row["points"]) for row in answer["rows"]] == [(1, "alice", 150)]
