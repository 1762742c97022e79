"""Liking over the API: the answers to the letter, refusals, and what is private."""

from collections.abc import Callable
from functools import partial

import pytest

from foundation import clock
from leaderboards.models import Board, Player
from likes.core.kinds import Storage
from tests.at_once import at_once
from tests.leaderboards.api.conftest import Caller, problem
from tests.leaderboards.factories import BoardFactory, PlayerFactory

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("songs")]

ALICES, IDS = "/likes/song/1/alice", "/likes/song?ids="


class TestLiking:
    @pytest.mark.parametrize("storage", Storage, ids=str)
    def test_asked_for_eight_times_at_once_each_is_told_the_same(self, game: Caller) -> None:
        game.send("PUT", "/likes/song/1/bob")

        answers = [at_once([partial(game.send, wanted, ALICES)] * 8) for wanted in ("PUT", "DELETE", "PUT")]
        told = [[each.json() for each in answer] for answer in answers]

        here, gone = [{"liked": True, "count": 2}] * 8, [{"liked": False, "count": 1}] * 8
        assert told == [here, gone, here]

    def test_it_is_there_once_and_gone_once_however_often_it_is_asked_for(self, game: Caller) -> None:
        wanted = [*[("PUT", "alice")] * 2, ("PUT", "bob"), *[("DELETE", "alice")] * 2, ("DELETE", "stranger")]

        answers = [game.send(method, f"/likes/song/1/{player}") for method, player in wanted]

        assert {answer.status_code for answer in answers} == {200}
        assert [tuple(answer.json().values()) for answer in answers] == [
            *[(True, 1), (True, 1), (True, 2)],
            *[(False, 1), (False, 1), (False, 1)],
        ]
        assert not Player.objects.filter(external_id="stranger").exists()

    def test_ids_and_players_of_any_script_are_taken_as_they_are(self, game: Caller) -> None:
        game.send("PUT", "/likes/song/opus:12.b-3/%EC%88%9C%EC%9C%84%20%231")

        told = game.get("/likes/song/opus:12.b-3?player=%EC%88%9C%EC%9C%84%20%231")

        assert told.json() == {"count": 1, "liked": True, "live": True}

    @pytest.mark.parametrize("repeatable", [True])
    def test_each_clap_of_a_repeatable_kind_counts_and_never_below_none(self, game: Caller) -> None:
        put, deleted = ([game.send(method, ALICES).json() for _ in range(3)] for method in ("PUT", "DELETE"))

        assert [each["count"] for each in put] == [1, 2, 3]
        assert [(each["count"], each["liked"]) for each in deleted] == [(2, True), (1, True), (0, False)]
        assert game.send("DELETE", ALICES).json() == {"liked": False, "count": 0}


class TestReading:
    def test_one_and_many_are_as_the_player_sees_them(self, game: Caller, anybody: Caller) -> None:
        game.send("PUT", ALICES)

        hers, others, nobodys = (
            anybody.get(f"/likes/song/1{of}").json() for of in ("?player=alice", "?player=bob", "")
        )
        many = anybody.get(f"{IDS}3,1,none,2%204&ids=2,1&player=alice").json()

        assert hers == {"count": 1, "liked": True, "live": True}
        assert others == nobodys == {"count": 1, "liked": False, "live": True}
        assert many == {
            "total": 3,
            "rows": [
                {"id": "3", "count": 0, "liked": False, "live": True},
                {"id": "1", "count": 1, "liked": True, "live": True},
                {"id": "2", "count": 0, "liked": False, "live": True},
            ],
        }

    def test_an_answer_has_an_etag_that_changes_with_the_likes(self, game: Caller, anybody: Caller) -> None:
        path = "/likes/song/1?player=alice"
        tag = anybody.get(path)["ETag"]

        head, same = anybody.send("HEAD", path), anybody.get(path, If_None_Match=tag)
        game.send("PUT", ALICES)
        other = anybody.get(path, If_None_Match=tag)

        assert (head.status_code, head.content, head["ETag"]) == (200, b"", tag)
        assert (same.status_code, other.status_code) == (304, 200)
        assert other["Access-Control-Allow-Origin"] == "*"

    def test_one_to_a_hundred_are_read_at_once(self, anybody: Caller) -> None:
        for ids in ("", ",,", ",".join(map(str, range(101)))):
            told = problem(anybody.get(IDS + ids), 422, "invalid_request")
            assert told["errors"][0]["parameter"] == "ids", ids

        assert anybody.get(IDS + ",".join(map(str, range(100)))).json()["total"] == 3


class TestRefusals:
    def test_writing_needs_a_key_with_the_scope(self, anybody: Caller, make_key: Callable[..., str]) -> None:
        for method in ("PUT", "DELETE"):
            problem(anybody.send(method, ALICES), 401, "unauthenticated")
            problem(Caller(make_key("scores:write")).send(method, ALICES), 403, "forbidden")

    @pytest.mark.parametrize(
        ("path", "code"),
        [
            ("moon/1", "unknown_kind"),
            *[(f"song/{thing}", "unknown_thing") for thing in ("9", "%20", "%00", "a%2Cb", "x" * 65, "%EC%88%9C")],
        ],
    )
    def test_what_does_not_exist_is_unknown(self, game: Caller, path: str, code: str) -> None:
        for method in ("PUT", "DELETE"):
            problem(game.send(method, f"/likes/{path}/alice"), 404, code)
        problem(game.get(f"/likes/{path}"), 404, code)
        assert not Player.objects.exists()

    def test_a_list_of_an_unknown_kind_is_refused(self, anybody: Caller) -> None:
        problem(anybody.get("/likes/moon?ids=1"), 404, "unknown_kind")

    @pytest.mark.parametrize("player", ["a%2Cb", "%20a", "%E2%80%AEa", "x" * 65])
    def test_an_id_that_is_no_players_is_refused(self, game: Caller, player: str) -> None:
        for method in ("PUT", "DELETE"):
            problem(game.send(method, f"/likes/song/1/{player}"), 422, "bad_player")
        problem(game.get(f"/likes/song/1?player={player}"), 422, "bad_player")
        problem(game.get(f"{IDS}1&player={player}"), 422, "bad_player")

    def test_whom_the_game_has_banned_or_the_registrant_does_not_admit_likes_nothing(self, game: Caller) -> None:
        PlayerFactory.create(external_id="eve", banned_at=clock.now())

        problem(game.send("PUT", "/likes/song/1/eve"), 403, "banned")
        problem(game.send("PUT", "/likes/song/1/critic"), 403, "forbidden")

        assert game.get("/likes/song/1?player=eve").json() == {"count": 0, "liked": False, "live": True}

    def test_other_methods_are_not_allowed(self, game: Caller) -> None:
        for method in ("GET", "POST", "PATCH"):
            response = game.send(method, ALICES)
            problem(response, 405, "method_not_allowed")
            assert response["Allow"] == "DELETE, OPTIONS, PUT"


class TestPrivate:
    def test_its_likes_are_for_keys_that_may_read_it(
        self, secret: Board, anybody: Caller, make_key: Callable[..., str]
    ) -> None:
        reader, liker = Caller(make_key("boards:read")), Caller(make_key("likes:write"))
        elsewhere = Caller(make_key("boards:read", boards=[BoardFactory.create().seq]))

        answer = reader.get("/likes/song/1")
        public, private = anybody.get(f"{IDS}1,2"), reader.get(f"{IDS}1,2")

        assert (answer.status_code, answer["Cache-Control"]) == (200, "private, no-cache")
        assert "Access-Control-Allow-Origin" not in answer
        problem(anybody.get("/likes/song/1"), 401, "unauthenticated")
        for caller in (liker, elsewhere):
            problem(caller.get("/likes/song/1"), 403, "forbidden")
        assert [row["id"] for row in public.json()["rows"]] == ["2"]
        assert [row["id"] for row in private.json()["rows"]] == ["1", "2"]
        assert private["Cache-Control"] == "private, no-cache"

    def test_a_key_of_other_boards_does_not_reach_it(self, secret: Board, make_key: Callable[..., str]) -> None:
        here, elsewhere = (
            Caller(make_key("likes:write", boards=[board.seq])) for board in (secret, BoardFactory.create())
        )

        for method in ("PUT", "DELETE"):
            assert here.send(method, ALICES).status_code == 200
            problem(elsewhere.send(method, ALICES), 403, "forbidden")
