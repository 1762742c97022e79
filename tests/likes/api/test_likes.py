"""Liking over the API: the answers to the letter, whatever the storage; refusals; what is private."""

from collections.abc import Callable
from functools import partial

import pytest

from foundation import clock
from leaderboards.models import Player
from tests.at_once import at_once
from tests.leaderboards.api.conftest import Caller, Make, problem

pytestmark = pytest.mark.django_db(transaction=True)


class TestLiking:
    def test_it_is_there_once_however_often_it_is_asked_for(self, songs: str, game: Caller) -> None:
        first = game.send("PUT", f"/likes/{songs}/1/alice")
        again = game.send("PUT", f"/likes/{songs}/1/alice")
        other = game.send("PUT", f"/likes/{songs}/1/bob")

        assert (first.status_code, first.json()) == (200, {"liked": True, "count": 1})
        assert again.json() == {"liked": True, "count": 1}
        assert other.json() == {"liked": True, "count": 2}

    def test_asked_for_eight_times_at_once_each_is_told_the_same(self, songs: str, game: Caller) -> None:
        path = f"/likes/{songs}/1/ann"
        game.send("PUT", f"/likes/{songs}/1/bob")

        answers = [at_once([partial(game.send, wanted, path)] * 8) for wanted in ("PUT", "DELETE") * 3]
        told = [[each.json() for each in answer] for answer in answers]

        assert told == [[{"liked": True, "count": 2}] * 8, [{"liked": False, "count": 1}] * 8] * 3

    def test_taking_it_back_is_no_less_sure(self, songs: str, game: Caller) -> None:
        for player in ("alice", "bob"):
            game.send("PUT", f"/likes/{songs}/1/{player}")

        told = [game.send("DELETE", f"/likes/{songs}/1/alice").json() for _ in range(2)]

        assert told == [{"liked": False, "count": 1}] * 2

    def test_taking_back_what_was_never_there_is_no_error(self, songs: str, game: Caller) -> None:
        assert game.send("DELETE", f"/likes/{songs}/2/stranger").json() == {"liked": False, "count": 0}
        assert not Player.objects.filter(external_id="stranger").exists()

    def test_ids_and_players_of_any_script_are_taken_as_they_are(self, songs: str, game: Caller) -> None:
        game.send("PUT", f"/likes/{songs}/opus:12.b-3/%EC%88%9C%EC%9C%84%20%231")

        told = game.get(f"/likes/{songs}/opus:12.b-3?player=%EC%88%9C%EC%9C%84%20%231")

        assert told.json() == {"count": 1, "liked": True, "live": True}

    def test_each_clap_of_a_repeatable_kind_counts_and_never_below_none(
        self, provide: Callable[..., None], game: Caller
    ) -> None:
        provide(repeatable=True)
        put = [game.send("PUT", "/likes/song/1/alice").json()["count"] for _ in range(3)]

        deleted = [game.send("DELETE", "/likes/song/1/alice").json() for _ in range(4)]

        assert put == [1, 2, 3]
        assert [(each["count"], each["liked"]) for each in deleted] == [(2, True), (1, True), (0, False), (0, False)]


class TestReading:
    def test_one_is_as_the_player_sees_it(self, songs: str, game: Caller, anybody: Caller) -> None:
        game.send("PUT", f"/likes/{songs}/1/alice")

        assert anybody.get(f"/likes/{songs}/1?player=alice").json() == {"count": 1, "liked": True, "live": True}
        assert anybody.get(f"/likes/{songs}/1?player=bob").json() == {"count": 1, "liked": False, "live": True}
        assert anybody.get(f"/likes/{songs}/1").json() == {"count": 1, "liked": False, "live": True}

    def test_many_come_in_the_order_they_were_named_and_unknown_ones_not_at_all(
        self, songs: str, game: Caller, anybody: Caller
    ) -> None:
        game.send("PUT", f"/likes/{songs}/1/alice")

        told = anybody.get(f"/likes/{songs}?ids=3,1,none,2%204&ids=2,1&player=alice").json()

        assert told == {
            "total": 3,
            "rows": [
                {"id": "3", "count": 0, "liked": False, "live": True},
                {"id": "1", "count": 1, "liked": True, "live": True},
                {"id": "2", "count": 0, "liked": False, "live": True},
            ],
        }

    def test_an_answer_has_an_etag_that_changes_with_the_likes(self, songs: str, game: Caller, anybody: Caller) -> None:
        path = f"/likes/{songs}/1?player=alice"
        tag = anybody.get(path)["ETag"]

        same = anybody.get(path, If_None_Match=tag)
        game.send("PUT", f"/likes/{songs}/1/alice")
        other = anybody.get(path, If_None_Match=tag)

        assert (same.status_code, other.status_code) == (304, 200)
        assert other["Access-Control-Allow-Origin"] == "*"

    def test_head_answers_like_get(self, songs: str, anybody: Caller) -> None:
        head = anybody.send("HEAD", f"/likes/{songs}?ids=1")

        assert (head.status_code, head.content) == (200, b"")
        assert head["ETag"] == anybody.get(f"/likes/{songs}?ids=1")["ETag"]

    @pytest.mark.parametrize("ids", ["", ",,", ",".join(map(str, range(101)))])
    def test_no_ids_and_too_many_are_refused(self, provide: Callable[..., None], anybody: Caller, ids: str) -> None:
        provide()

        told = problem(anybody.get(f"/likes/song?ids={ids}"), 422, "invalid_request")

        assert told["errors"][0]["parameter"] == "ids"

    def test_a_hundred_are_not_too_many(self, provide: Callable[..., None], anybody: Caller) -> None:
        provide()

        assert anybody.get(f"/likes/song?ids={','.join(map(str, range(100)))}").json()["total"] == 3


@pytest.mark.usefixtures("provide")
class TestRefusals:
    @pytest.fixture(autouse=True)
    def _songs(self, provide: Callable[..., None]) -> None:
        provide()

    @pytest.mark.parametrize("method", ["PUT", "DELETE"])
    def test_writing_needs_a_key_with_the_scope(
        self, anybody: Caller, make_key: Callable[..., str], method: str
    ) -> None:
        problem(anybody.send(method, "/likes/song/1/alice"), 401, "unauthenticated")
        problem(Caller(make_key("scores:write")).send(method, "/likes/song/1/alice"), 403, "forbidden")

    def test_what_nobody_registered_is_unknown(self, game: Caller) -> None:
        for method, path in (("PUT", "/likes/moon/1/alice"), ("DELETE", "/likes/moon/1/alice")):
            problem(game.send(method, path), 404, "unknown_kind")
        problem(game.get("/likes/moon/1"), 404, "unknown_kind")
        problem(game.get("/likes/moon?ids=1"), 404, "unknown_kind")

    @pytest.mark.parametrize("thing", ["9", "%20", "%00", "a%2Cb", "x" * 65, "%EC%88%9C"])
    def test_what_does_not_exist_is_unknown(self, game: Caller, thing: str) -> None:
        for method in ("PUT", "DELETE"):
            problem(game.send(method, f"/likes/song/{thing}/alice"), 404, "unknown_thing")
        problem(game.get(f"/likes/song/{thing}"), 404, "unknown_thing")
        assert not Player.objects.exists()

    @pytest.mark.parametrize("player", ["a%2Cb", "%20a", "%E2%80%AEa", "x" * 65])
    def test_an_id_that_is_no_players_is_refused(self, game: Caller, player: str) -> None:
        for method in ("PUT", "DELETE"):
            problem(game.send(method, f"/likes/song/1/{player}"), 422, "bad_player")
        problem(game.get(f"/likes/song/1?player={player}"), 422, "bad_player")
        problem(game.get(f"/likes/song?ids=1&player={player}"), 422, "bad_player")

    def test_a_banned_player_likes_nothing(self, game: Caller) -> None:
        Player.objects.create(external_id="eve", banned_at=clock.now())

        problem(game.send("PUT", "/likes/song/1/eve"), 403, "banned")

        assert game.get("/likes/song/1?player=eve").json() == {"count": 0, "liked": False, "live": True}

    def test_whom_the_registrant_does_not_admit_likes_nothing(self, game: Caller) -> None:
        problem(game.send("PUT", "/likes/song/1/critic"), 403, "forbidden")

        assert game.get("/likes/song/1").json()["count"] == 0

    @pytest.mark.parametrize("method", ["GET", "POST", "PATCH"])
    def test_other_methods_are_not_allowed(self, game: Caller, method: str) -> None:
        response = game.send(method, "/likes/song/1/alice")

        problem(response, 405, "method_not_allowed")
        assert response["Allow"] == "DELETE, OPTIONS, PUT"


class TestPrivate:
    def test_its_likes_are_for_keys_that_may_read_it(
        self, secret: int, anybody: Caller, make_key: Callable[..., str], make_board: Make
    ) -> None:
        reader, elsewhere = Caller(make_key("boards:read")), make_key("boards:read", boards=[make_board("Other")])

        answer = reader.get("/likes/song/1")

        assert (answer.status_code, answer["Cache-Control"]) == (200, "private, no-cache")
        assert "Access-Control-Allow-Origin" not in answer
        problem(anybody.get("/likes/song/1"), 401, "unauthenticated")
        problem(Caller(make_key("likes:write")).get("/likes/song/1"), 403, "forbidden")
        problem(Caller(elsewhere).get("/likes/song/1"), 403, "forbidden")

    def test_a_list_leaves_it_out_for_everybody_else(
        self, secret: int, anybody: Caller, make_key: Callable[..., str]
    ) -> None:
        public, private = anybody.get("/likes/song?ids=1,2"), Caller(make_key("boards:read")).get("/likes/song?ids=1,2")

        assert [row["id"] for row in public.json()["rows"]] == ["2"]
        assert [row["id"] for row in private.json()["rows"]] == ["1", "2"]
        assert private["Cache-Control"] == "private, no-cache"

    @pytest.mark.parametrize("method", ["PUT", "DELETE"])
    def test_a_key_of_other_boards_does_not_reach_it(
        self, secret: int, make_key: Callable[..., str], make_board: Make, method: str
    ) -> None:
        here, elsewhere = (
            make_key("likes:write", boards=[secret]),
            make_key("likes:write", boards=[make_board("Other")]),
        )

        assert Caller(here).send(method, "/likes/song/1/alice").status_code == 200
        problem(Caller(elsewhere).send(method, "/likes/song/1/alice"), 403, "forbidden")
