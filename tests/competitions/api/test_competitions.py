"""GET /competitions and /competitions/{id}"""

from collections.abc import Callable

import pytest

from competitions.models import Competition
from competitions.services.cancel import cancel
from competitions.services.picture import set_picture
from foundation import clock
from tests.competitions.site import DAY, END, HOUR, START, draft, joined, make_board, open_competition, raced
from tests.leaderboards.api.conftest import Caller, problem

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]

PARTS = ("", "/standings", "/standings.csv", "/rewards", "/players/alice", "/players/alice/around")


def listed(caller: Caller, query: str = "") -> list[int]:
    answer = caller.get(f"/competitions{query}")
    assert answer.status_code == 200, answer.content
    rows = answer.json()["rows"]
    assert answer.json()["total"] >= len(rows)
    return [row["id"] for row in rows]


class TestList:
    """All of them, the latest start first."""

    def test_each_row_says_what_the_contract_names_and_is_sent_once(self, anybody: Caller) -> None:
        competition = open_competition(name="Weekend")
        joined(competition, "alice", "bob")

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

    def test_state_board_and_pages_choose_among_them(self, anybody: Caller) -> None:
        board = make_board(name="Other")
        running = open_competition().pk
        coming = open_competition(board, starts_at=START + DAY, ends_at=END + DAY).pk
        cancelled = cancel(open_competition(board), "Rain.", clock.now(), None).pk

        for query, numbers in {
            "": [coming, cancelled, running],
            "?limit=2": [coming, cancelled],
            "?offset=2&limit=2": [running],
            "?state=running": [running],
            "?state=open": [coming],
            "?state=cancelled": [cancelled],
            f"?board={board.seq}": [coming, cancelled],
            f"?board={board.seq}&state=open": [coming],
        }.items():
            assert listed(anybody, query) == numbers, query
        for wrong in ("?state=draft", "?state=RUNNING", "?board=x", "?limit=0", "?limit=101"):
            problem(anybody.get(f"/competitions{wrong}"), 422, "invalid_request")

    def test_drafts_are_unknown(self, game: Caller) -> None:
        competition = draft()

        assert listed(game) == []
        problem(game.get(f"/competitions/{competition.pk}"), 404, "unknown_competition")


class TestOne:
    """Its settings, where it stands, how many."""

    def test_it_shows_settings_and_counts_and_no_code_and_its_etag_stays(self, anybody: Caller, game: Caller) -> None:
        competition = open_competition(name="Cup", description="Run.", freeze_minutes=60, attempts=3)
        raced(competition, {"alice": 5})
        joined(competition, "bob")
        Competition.objects.update(joining="code", join_code="FRIENDS")
        set_picture(competition, b"webp")

        response, keyed, again = (each.get(f"/competitions/{competition.pk}") for each in (anybody, game, anybody))

        answer = response.json()
        assert (answer["name"], answer["description"], answer["attempts"]) == ("Cup", "Run.", 3)
        assert (answer["participants"], answer["total"], answer["not_started"]) == (2, 1, 1)
        assert answer["freezes_at"] == f"{END - HOUR:%Y-%m-%dT%H:%M:%S}Z"
        assert 0 < answer["seconds_left"] <= DAY.total_seconds()
        assert anybody._client.get(answer["picture"]).content == b"webp"
        assert again["ETag"] == response["ETag"]
        assert b"FRIENDS" not in response.content + keyed.content

    def test_an_unknown_number_is_not_found_and_what_is_none_is_refused(self, anybody: Caller) -> None:
        for number in ("0", "-1", "99999999", str(2**53)):
            problem(anybody.get(f"/competitions/{number}"), 404, "unknown_competition")
        for number in ("x", "1.5", "٣", "9" * 40):
            problem(anybody.get(f"/competitions/{number}"), 422, "invalid_request")


def test_a_private_one_is_read_by_a_key_with_the_scope_that_reaches_its_board(
    anybody: Caller, make_key: Callable[..., str]
) -> None:
    competition = open_competition(make_board(visibility="private"))
    raced(competition, {"alice": 5})
    reader, writer = Caller(make_key("boards:read", name="r")), Caller(make_key("scores:write", name="w"))
    elsewhere = Caller(make_key("boards:read", boards=[competition.board_id + 1], name="e"))

    for part in (*PARTS, "/players/alice/history"):
        path = f"/competitions/{competition.pk}{part}"
        allowed = reader.get(path)
        problem(anybody.get(path), 401, "unauthenticated")
        problem(writer.get(path), 403, "forbidden")
        problem(elsewhere.get(path), 403, "forbidden")
        assert allowed.status_code == 200
        assert allowed["Cache-Control"].startswith("private")
    assert (listed(anybody), listed(reader)) == ([], [competition.pk])
