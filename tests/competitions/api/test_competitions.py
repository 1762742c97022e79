"""GET /competitions and /competitions/{id}"""

from collections.abc import Callable

import pytest

from competitions.services.cancel import cancel
from competitions.services.picture import set_picture
from foundation import clock
from tests.competitions.site import DAY, END, HOUR, START, draft, joined, make_board, open_competition, raced
from tests.leaderboards.api.conftest import Caller, problem

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]


def listed(caller: Caller, query: str = "") -> list[int]:
    answer = caller.get(f"/competitions{query}")
    assert answer.status_code == 200, answer.content
    rows = answer.json()["rows"]
    assert answer.json()["total"] >= len(rows)
    return [row["id"] for row in rows]


class TestList:
    """All of them, the latest start first."""

    def test_each_row_says_what_the_contract_names(self, anybody: Caller) -> None:
        competition = open_competition(name="Weekend")
        joined(competition, "alice", "bob")

        answer = anybody.get("/competitions").json()

        assert answer == {
            "total": 1,
            "rows": [
                {
                    "id": competition.pk,
                    "name": "Weekend",
                    "state": "running",
                    "starts_at": f"{START:%Y-%m-%dT%H:%M:%S}Z",
                    "ends_at": f"{END:%Y-%m-%dT%H:%M:%S}Z",
                    "board": competition.board_id,
                    "participants": 2,
                }
            ],
        }

    def test_state_and_board_choose_among_them(self, anybody: Caller) -> None:
        board = make_board(name="Other")
        running = open_competition()
        coming = open_competition(board, starts_at=START + DAY, ends_at=END + DAY)
        cancelled = cancel(open_competition(board), "Rain.", clock.now(), None)

        assert listed(anybody, "?state=running") == [running.pk]
        assert listed(anybody, "?state=open") == [coming.pk]
        assert listed(anybody, "?state=cancelled") == [cancelled.pk]
        assert set(listed(anybody, f"?board={board.seq}")) == {coming.pk, cancelled.pk}
        assert listed(anybody, f"?board={board.seq}&state=open") == [coming.pk]

    def test_pages_follow_each_other(self, anybody: Caller) -> None:
        board = make_board()
        numbers = [open_competition(board, name=str(nth)).pk for nth in range(3)]

        assert listed(anybody, "?limit=2") + listed(anybody, "?offset=2&limit=2") == sorted(numbers, reverse=True)

    @pytest.mark.parametrize("query", ["?state=draft", "?state=RUNNING", "?board=x", "?limit=0", "?limit=101"])
    def test_parameters_of_the_wrong_shape_are_refused(self, anybody: Caller, query: str) -> None:
        problem(anybody.get(f"/competitions{query}"), 422, "invalid_request")

    def test_drafts_are_unknown(self, game: Caller) -> None:
        competition = draft()

        assert listed(game) == []
        problem(game.get(f"/competitions/{competition.pk}"), 404, "unknown_competition")

    def test_one_that_is_known_already_is_not_sent_again(self, anybody: Caller) -> None:
        open_competition()
        first = anybody.get("/competitions")

        assert anybody.get("/competitions", If_None_Match=first["ETag"]).status_code == 304


class TestOne:
    """Its settings, where it stands, how many."""

    def test_it_shows_settings_and_counts(self, anybody: Caller) -> None:
        competition = open_competition(name="Cup", description="Run.", freeze_minutes=60, attempts=3)
        raced(competition, {"alice": 5})
        joined(competition, "bob")

        answer = anybody.get(f"/competitions/{competition.pk}").json()

        assert (answer["name"], answer["description"], answer["attempts"]) == ("Cup", "Run.", 3)
        assert (answer["participants"], answer["total"], answer["not_started"]) == (2, 1, 1)
        assert answer["freezes_at"] == f"{END - HOUR:%Y-%m-%dT%H:%M:%S}Z"
        assert 0 < answer["seconds_left"] <= DAY.total_seconds()

    def test_a_join_code_is_told_to_nobody(self, anybody: Caller, game: Caller) -> None:
        competition = open_competition(joining="code", join_code="FRIENDS")

        for caller in (anybody, game):
            assert b"FRIENDS" not in caller.get(f"/competitions/{competition.pk}").content

    def test_its_picture_lies_where_it_says(self, anybody: Caller) -> None:
        competition = open_competition()
        set_picture(competition, b"webp")

        address = anybody.get(f"/competitions/{competition.pk}").json()["picture"]

        assert anybody._client.get(address).content == b"webp"

    def test_its_etag_does_not_change_by_the_second(self, anybody: Caller) -> None:
        path = f"/competitions/{open_competition().pk}"

        assert anybody.get(path)["ETag"] == anybody.get(path)["ETag"]

    @pytest.mark.parametrize("number", ["0", "-1", "99999999", str(2**53)])
    def test_an_unknown_number_is_not_found(self, anybody: Caller, number: str) -> None:
        problem(anybody.get(f"/competitions/{number}"), 404, "unknown_competition")

    @pytest.mark.parametrize("number", ["x", "1.5", "٣", "9" * 40])
    def test_what_is_no_number_is_refused(self, anybody: Caller, number: str) -> None:
        problem(anybody.get(f"/competitions/{number}"), 422, "invalid_request")


PARTS = ("", "/standings", "/standings.csv", "/rewards", "/players/alice", "/players/alice/around")


class TestPrivate:
    """A private board's competitions."""

    @pytest.mark.parametrize("part", [*PARTS, "/players/alice/history"])
    def test_only_a_key_with_the_scope_that_reaches_the_board_reads(
        self, anybody: Caller, make_key: Callable[..., str], part: str
    ) -> None:
        competition = open_competition(make_board(visibility="private"))
        raced(competition, {"alice": 5})
        path = f"/competitions/{competition.pk}{part}"
        reader, writer = make_key("boards:read", name="r"), make_key("scores:write", name="w")
        elsewhere = make_key("boards:read", boards=[competition.board_id + 1], name="e")

        allowed = Caller(reader).get(path)

        problem(anybody.get(path), 401, "unauthenticated")
        problem(Caller(writer).get(path), 403, "forbidden")
        problem(Caller(elsewhere).get(path), 403, "forbidden")
        assert allowed.status_code == 200
        assert allowed["Cache-Control"].startswith("private")

    def test_lists_show_it_to_that_key_alone(self, anybody: Caller, make_key: Callable[..., str]) -> None:
        competition = open_competition(make_board(visibility="private"))

        assert listed(anybody) == []
        assert listed(Caller(make_key("boards:read"))) == [competition.pk]
