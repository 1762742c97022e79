"""GET /competitions, /competitions/{id} and its comments; and what holds at every address of competitions."""

from collections.abc import Callable

import pytest

from competitions.models import Comment, Competition
from competitions.services.comments.comment import delete
from competitions.services.comments.moderate import hide
from competitions.services.lifecycle.cancel import cancel
from competitions.services.participants.join import leave
from competitions.services.picture import set_picture
from foundation import clock
from foundation.http.encoding import when
from tests.competitions.factories import DAY, END, HOUR, START
from tests.competitions.site import SOON, draft, joined, make_board, open_competition, player, raced
from tests.competitions.talking import liked, say
from tests.leaderboards.api.conftest import Caller, problem

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]

PARTS = (
    *("", "/standings", "/standings.csv", "/rewards", "/comments"),
    *("/players/alice", "/players/alice/around", "/players/alice/history"),
)


def listed(caller: Caller, query: str = "") -> list[int]:
    answer = caller.get(f"/competitions{query}")
    assert answer.status_code == 200, answer.content
    return [row["id"] for row in answer.json()["rows"]]


def test_each_row_of_the_list_says_what_the_contract_names_and_is_sent_once(anybody: Caller) -> None:
    competition = open_competition(name="Weekend")
    [*_, cleo] = joined(competition, "alice", "bob", "cleo")
    leave(competition, cleo, SOON)

    answer = anybody.get("/competitions")

    row = {
        "id": competition.pk,
        "name": "Weekend",
        "state": "running",
        "starts_at": f"{START:%Y-%m-%dT%H:%M:%S}Z",
        "ends_at": f"{END:%Y-%m-%dT%H:%M:%S}Z",
        "board": competition.board_id,
        "participants": 2,
    }
    assert answer.json() == {"total": 1, "rows": [row]}
    assert anybody.get("/competitions", If_None_Match=answer["ETag"]).status_code == 304


def test_state_board_and_pages_choose_among_them_and_drafts_are_unknown(anybody: Caller, game: Caller) -> None:
    board = make_board(name="Other")
    running = open_competition().pk
    coming = open_competition(board, starts_at=START + DAY, ends_at=END + DAY).pk
    cancelled = cancel(open_competition(board), "Rain.", clock.now(), None).pk
    hidden = draft(board).pk

    for query, numbers in {
        "": [coming, cancelled, running],
        "?limit=2": [coming, cancelled],
        "?offset=2&limit=2": [running],
        "?state=running": [running],
        "?state=cancelled": [cancelled],
        f"?board={board.seq}": [coming, cancelled],
        f"?board={board.seq}&state=open": [coming],
    }.items():
        assert listed(game, query) == numbers, query
    for wrong in ("?state=draft", "?state=RUNNING", "?board=x", "?limit=0", "?limit=101"):
        problem(anybody.get(f"/competitions{wrong}"), 422, "invalid_request")
    for number in (hidden, "0", "-1", "99999999", str(2**53)):
        problem(game.get(f"/competitions/{number}"), 404, "unknown_competition")
        problem(game.get(f"/competitions/{number}/comments"), 404, "unknown_competition")
    for number in ("x", "1.5", "٣", "9" * 40):
        problem(anybody.get(f"/competitions/{number}"), 422, "invalid_request")


def test_one_shows_its_settings_and_counts_and_no_code_and_its_etag_stays(anybody: Caller, game: Caller) -> None:
    competition = open_competition(
        name="Cup", description="Run.", freeze_minutes=60, attempts=3, vacated_places="stay_empty"
    )
    raced(competition, {"alice": 5})
    joined(competition, "bob")
    Competition.objects.update(joining="code", join_code="FRIENDS")
    set_picture(competition, b"webp")

    response, keyed, again = (each.get(f"/competitions/{competition.pk}") for each in (anybody, game, anybody))

    answer = response.json()
    assert (answer["name"], answer["description"], answer["attempts"]) == ("Cup", "Run.", 3)
    assert (answer["participants"], answer["total"], answer["not_started"]) == (2, 1, 1)
    assert answer["vacated_places"] == "stay_empty"
    assert answer["freezes_at"] == f"{END - HOUR:%Y-%m-%dT%H:%M:%S}Z"
    assert 0 < answer["seconds_left"] <= DAY.total_seconds()
    assert anybody._client.get(answer["picture"]).content == b"webp"
    assert again["ETag"] == response["ETag"]
    assert b"FRIENDS" not in response.content + keyed.content


def test_a_private_one_is_read_by_a_key_with_the_scope_that_reaches_its_board(
    anybody: Caller, make_key: Callable[..., str]
) -> None:
    competition = open_competition(make_board(visibility="private"))
    raced(competition, {"alice": 5})
    reader, writer = Caller(make_key("boards:read", name="r")), Caller(make_key("scores:write", name="w"))
    elsewhere = Caller(make_key("boards:read", boards=[competition.board_id + 1], name="e"))

    for part in PARTS:
        path = f"/competitions/{competition.pk}{part}"
        allowed = reader.get(path)
        problem(anybody.get(path), 401, "unauthenticated")
        problem(writer.get(path), 403, "forbidden")
        problem(elsewhere.get(path), 403, "forbidden")
        assert allowed.status_code == 200
        assert allowed["Cache-Control"].startswith("private")
    assert (listed(anybody), listed(reader)) == ([], [competition.pk])


def test_a_page_of_comments_has_its_shape_and_order_and_what_is_hidden_or_deleted_is_in_no_answer(
    anybody: Caller, game: Caller
) -> None:
    competition = open_competition()
    address = f"/competitions/{competition.pk}/comments"
    first, second = say(competition, "ann", "One\ntwo", at=SOON), say(competition, "bob", "Three", at=SOON)
    known = anybody.get(address)["ETag"]
    assert anybody.get(address, If_None_Match=known).status_code == 304
    liked(first, "bob", "cleo")
    Comment.objects.filter(pk=first.pk).update(like_count=2)
    hide(say(competition, "ann", "Rude").pk, "Rude.", SOON, None)
    delete(say(competition, "ann", "Gone").pk, player("ann"), SOON)

    page = game.get(f"{address}?offset=1&limit=1")

    row = {"id": first.pk, "player": "ann", "text": "One\ntwo", "created_at": when(SOON), "likes": 2}
    assert page.json() == {"total": 2, "rows": [row]}
    assert anybody.get(address, If_None_Match=known).status_code == 200
    best = anybody.get(f"{address}?order=likes").json()["rows"]
    assert [each["id"] for each in best] == [first.pk, second.pk]
    for wrong in ("?order=worst", "?limit=0", "?limit=101", "?offset=-1"):
        problem(anybody.get(address + wrong), 422, "invalid_request")


def test_other_sites_may_read_and_other_methods_and_paths_are_not_known(db: None, game: Caller) -> None:
    asked = {"Origin": "https://game.example", "Access_Control_Request_Method": "PUT"}
    for part in ("", *(f"/1{part}" for part in (*PARTS, "/result.json", "/revisions"))):
        path = f"/competitions{part}"
        known = {"GET", "PUT", "DELETE"} if path.endswith("/players/alice") else {"GET"}
        for method in {"GET", "POST", "PUT", "PATCH", "DELETE", "TRACE"} - known:
            response = game.send(method, path, {})
            problem(response, 405, "method_not_allowed")
            assert known <= set(response["Allow"].split(", "))
        of_others = game.send("OPTIONS", path, **asked)
        assert (of_others.status_code, of_others["Access-Control-Allow-Methods"]) == (204, "GET, HEAD")

    for path in ("/competitions/", "/competitions/1/", "/competitions/1/players", "/competitions/1/x"):
        problem(game.get(path), 404, "no_such_path")
