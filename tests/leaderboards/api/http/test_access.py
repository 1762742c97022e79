"""Whose key may write where, and who may read what is private."""

from tests.leaderboards.api.conftest import Caller, Make, problem, with_key

WRITES = {
    ("POST", "/scores"): "scores:write",
    ("DELETE", "/boards/1/players/a"): "scores:write",
    ("PUT", "/players/a"): "players:write",
    ("POST", "/players/a/link-code"): "players:write",
}
READS = (
    "",
    "/standings",
    "/view",
    "/standings.csv",
    "/players/a",
    "/players/a/around",
    "/players/a/percentile",
    "/players?ids=a",
    "/distribution",
)


def test_writing_takes_a_key_with_the_scope(db: None, anybody: Caller) -> None:
    for (method, path), scope in WRITES.items():
        other = with_key(*{"scores:write", "players:write", "boards:read", "likes:write"} - {scope})
        unknown = anybody.send(method, path, "no JSON")
        problem(unknown, 401, "unauthenticated")
        assert unknown["WWW-Authenticate"].startswith("Bearer")
        assert scope in problem(other.send(method, path, "no JSON"), 403, "forbidden")["detail"]


def test_a_board_outside_the_keys_is_forbidden_for_its_entries_alone(make_board: Make, game: Caller) -> None:
    inside, outside = make_board("In"), make_board("Out")
    limited = with_key("scores:write", boards=[inside])
    game.score(outside, alice=5)

    answer = limited.submit(*({"board": seq, "player": "alice", "points": 1} for seq in (inside, outside)))
    removal = limited.send("DELETE", f"/boards/{outside}/players/alice")

    assert [each.get("code") for each in answer["results"]] == [None, "forbidden"]
    problem(removal, 403, "forbidden")
    assert game.get(f"/boards/{outside}/players/alice").json()["points"] == 5


def test_a_private_board_is_read_and_listed_with_a_key_that_has_the_scope_and_reaches_it(
    make_board: Make, game: Caller, anybody: Caller
) -> None:
    board, other = make_board("Secret", visibility="private"), make_board("Other")
    game.score(board, a=1)
    reader, elsewhere = with_key("boards:read", boards=[board]), with_key("boards:read", boards=[other])
    writer = with_key("scores:write")

    for path in READS:
        address = f"/boards/{board}{path}"
        response = reader.get(address)
        assert response.status_code == 200, path
        assert response["Cache-Control"].startswith("private"), path
        assert "Access-Control-Allow-Origin" not in response, path
        problem(anybody.get(address), 401, "unauthenticated")
        problem(writer.get(address), 403, "forbidden")
        problem(elsewhere.get(address), 403, "forbidden")
    for caller, listed in {anybody: [other], writer: [other], elsewhere: [other], reader: [board, other]}.items():
        assert [row["seq"] for row in caller.get("/boards").json()["rows"]] == listed
