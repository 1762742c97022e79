"""The API of a board in DynamoDB: what it answers, what it does not, and what it says while the table is away."""

from typing import Any

import pytest

from leaderboards.stores.dynamodb import reads
from tests.dynamodb import dynamodb, moto_address
from tests.leaderboards.api.conftest import Caller, Make, players, problem

__all__ = ["dynamodb", "moto_address"]

pytestmark = pytest.mark.django_db(transaction=True)
MOST = 4


@pytest.fixture
def there(dynamodb: Any, make_board: Make, game: Caller, monkeypatch: pytest.MonkeyPatch) -> str:
    """A board with nine players, of whom p9 is the best, and where four are ranked at most."""
    monkeypatch.setattr(reads, "MOST_RANKED", MOST)
    board = make_board(storage="dynamodb")
    game.score(board, **{f"p{nth}": 10 * nth for nth in range(1, 10)})
    return f"/boards/{board}"


def test_rows_have_ranks_as_far_as_they_are_counted_and_a_cursor_leads_on(there: str, anybody: Caller) -> None:
    first = anybody.get(f"{there}/standings?limit=4").json()
    second = anybody.get(f"{there}/standings?limit=4&cursor={first['next_cursor']}").json()
    third = anybody.get(f"{there}/standings?limit=4&cursor={second['next_cursor']}").json()

    assert players(first) == [(1, "p9"), (2, "p8"), (3, "p7"), (4, "p6")]
    assert [row["player"] for row in second["rows"]] == ["p5", "p4", "p3", "p2"]
    assert {(row["rank"], row["tied"]) for row in (*second["rows"], *third["rows"])} == {(None, None)}
    assert (first["total"], first["live"], third["next_cursor"]) == (9, True, None)


def test_pages_by_number_end_where_ranks_do(there: str, anybody: Caller) -> None:
    refused = problem(anybody.get(f"{there}/standings?offset=4"), 422, "not_available")

    assert "Read on by the cursors of the pages." in refused["detail"]
    assert anybody.get(f"{there}/standings?offset=9").json()["rows"] == []


def test_one_player_is_told_with_a_rank_and_a_percentile_or_with_neither(there: str, anybody: Caller) -> None:
    best, last = (anybody.get(f"{there}/players/{name}").json() for name in ("p9", "p1"))

    assert (best["rank"], best["percentile"]) == (1, 100.0)
    assert (last["rank"], last["points"], last["percentile"]) == (None, 10, None)
    assert anybody.get(f"{there}/players/p1/percentile").json()["percentile"] is None
    around = anybody.get(f"{there}/players/p5/around?radius=1").json()["rows"]
    assert [(row["rank"], row["player"]) for row in around] == [(4, "p6"), (None, "p5"), (None, "p4")]


def test_a_score_is_told_with_the_ranks_before_and_after(there: str, game: Caller) -> None:
    board = int(there.rpartition("/")[2])
    told = game.submit({"board": board, "player": "p1", "points": 999, "id": "x"}, query="?ranks=true")
    again = game.submit({"board": board, "player": "p1", "points": 999, "id": "x"})

    [result] = told["results"]
    assert (result["rank"], result["previous_rank"]) == (1, None)
    assert again["results"][0]["status"] == "duplicate"


def test_what_would_read_everybody_is_left_out_or_refused(there: str, anybody: Caller) -> None:
    spread = anybody.get(f"{there}/distribution").json()
    refused = problem(anybody.get(f"{there}/standings.csv"), 422, "not_available")

    assert (spread["total"], spread["histogram"], spread["percentiles"]) == (9, [], {})
    assert "there is no file before that" in refused["detail"]


def test_a_removed_player_is_gone(there: str, game: Caller, anybody: Caller) -> None:
    assert game.send("DELETE", f"{there}/players/p9").status_code == 204

    assert anybody.get(f"{there}/standings?limit=1").json()["rows"][0]["player"] == "p8"
    problem(anybody.get(f"{there}/players/p9"), 404, "not_ranked")


def test_while_it_is_away_it_is_503_and_other_boards_answer(
    there: str, make_board: Make, game: Caller, anybody: Caller, settings: Any
) -> None:
    other = make_board("Other", storage="sql")
    settings.DYNAMODB_ENDPOINT = "http://127.0.0.1:1"

    for path in ("/standings", "/players/p9", "/players/p9/around", "/distribution"):
        answer = anybody.get(f"{there}{path}")
        problem(answer, 503, "unavailable")
        assert answer["Retry-After"] == "1"
    refused = game.send("POST", "/scores", {"entries": [{"board": int(there[8:]), "player": "a", "points": 1}]})
    assert refused.status_code == 503
    assert anybody.get(f"/boards/{other}/standings").status_code == 200
