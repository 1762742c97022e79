"""Liking over the API: the answers to the letter, refusals, and what is private."""

from collections.abc import Collection, Iterator
from functools import partial

import pytest

from foundation import clock
from leaderboards.errors import BoardForbidden
from leaderboards.models import Board, Player
from likes import registry
from likes.core.kinds import Storage
from likes.services.mirror import mirror_all
from likes.services.resync import resync_due
from tests.at_once import at_once
from tests.leaderboards.api.conftest import Caller, problem, with_key
from tests.leaderboards.factories import BoardFactory, PlayerFactory
from tests.likes.factories import LikeableFactory

pytestmark = pytest.mark.django_db(transaction=True)

SONGS = ("1", "2", "3", "opus:12.b-3")
ALICES, IDS = "/likes/song/1/alice", "/likes/song?ids="
ANYBODY = Caller()


def _admit(thing: str, player: str) -> None:
    if player == "critic":
        raise BoardForbidden("Critics like nothing.")


@pytest.fixture
def boards() -> dict[str, Board]:
    """The boards of those songs that have one."""
    return {}


@pytest.fixture
def hidden() -> set[str]:
    """The songs that nobody is shown any more."""
    return set()


@pytest.fixture(autouse=True)
def _songs(
    links: None, boards: dict[str, Board], hidden: set[str], storage: Storage, repeatable: bool
) -> Iterator[None]:
    """Things that are there to be liked."""

    def known(things: Collection[str]) -> dict[str, Board | None]:
        return {song: boards.get(song) for song in SONGS if song in things and song not in hidden}

    def withdrawn(things: Collection[str]) -> dict[str, Board | None]:
        return {song: boards.get(song) for song in SONGS if song in things and song in hidden}

    LikeableFactory.create(
        kind="song", boards=known, withdrawn=withdrawn, storage=storage, repeatable=repeatable, admit=_admit
    )
    resync_due(clock.now())
    yield
    registry.unregister_kind("song")


@pytest.fixture
def game(db: None) -> Caller:
    """A game server whose key likes, and no more."""
    return with_key("likes:write")


class TestLiking:
    @pytest.mark.parametrize("storage", Storage, ids=str)
    def test_asked_for_four_times_at_once_each_is_told_the_same(self, game: Caller) -> None:
        game.send("PUT", "/likes/song/1/bob")

        answers = [at_once([partial(game.send, wanted, ALICES)] * 4) for wanted in ("PUT", "DELETE", "PUT")]
        told = [[each.json() for each in answer] for answer in answers]

        here, gone = [{"liked": True, "count": 2}] * 4, [{"liked": False, "count": 1}] * 4
        assert told == [here, gone, here]

    def test_what_was_never_liked_is_taken_back_as_often_as_asked_for_and_makes_no_player(self, game: Caller) -> None:
        for _ in range(2):
            assert game.send("DELETE", ALICES).json() == {"liked": False, "count": 0}
        assert not Player.objects.exists()

    @pytest.mark.parametrize("repeatable", [True])
    def test_each_clap_of_a_repeatable_kind_counts(self, game: Caller) -> None:
        told = [tuple(game.send(method, ALICES).json().values()) for method in ("PUT", "PUT", "DELETE", "DELETE")]

        assert told == [(True, 1), (True, 2), (True, 1), (False, 0)]


class TestReading:
    def test_one_and_many_are_as_the_player_sees_them_and_ids_are_of_any_script(self, game: Caller) -> None:
        korean = "%EC%88%9C%EC%9C%84%20%231"
        for path in (ALICES, f"/likes/song/opus:12.b-3/{korean}"):
            game.send("PUT", path)

        hers, others, nobodys = (
            ANYBODY.get(f"/likes/song/1{of}").json() for of in ("?player=alice", "?player=bob", "")
        )
        many = ANYBODY.get(f"{IDS}3,1,none,2%204&ids=2,1&player=alice").json()

        assert hers == {"count": 1, "liked": True, "live": True}
        assert ANYBODY.get(f"/likes/song/opus:12.b-3?player={korean}").json() == hers
        assert others == nobodys == {"count": 1, "liked": False, "live": True}
        assert many == {
            "total": 3,
            "rows": [
                {"id": "3", "count": 0, "liked": False, "live": True},
                {"id": "1", "count": 1, "liked": True, "live": True},
                {"id": "2", "count": 0, "liked": False, "live": True},
            ],
        }

    def test_an_answer_has_an_etag_that_changes_with_the_likes(self, game: Caller) -> None:
        path = "/likes/song/1?player=alice"
        tag = ANYBODY.get(path)["ETag"]

        same = ANYBODY.get(path, If_None_Match=tag)
        game.send("PUT", ALICES)
        other = ANYBODY.get(path, If_None_Match=tag)

        assert (same.status_code, other.status_code) == (304, 200)
        assert other["Access-Control-Allow-Origin"] == "*"

    def test_one_to_a_hundred_are_read_at_once(self) -> None:
        for ids in ("", ",,", ",".join(map(str, range(101)))):
            told = problem(ANYBODY.get(IDS + ids), 422, "invalid_request")
            assert told["errors"][0]["parameter"] == "ids", ids

        assert ANYBODY.get(IDS + ",".join(map(str, range(100)))).json()["total"] == 3


class TestRefusals:
    def test_writing_needs_a_key_with_the_scope_and_is_no_other_method(self, game: Caller) -> None:
        for method in ("PUT", "DELETE"):
            problem(ANYBODY.send(method, ALICES), 401, "unauthenticated")
            problem(with_key("scores:write").send(method, ALICES), 403, "forbidden")
        problem(game.send("POST", ALICES), 405, "method_not_allowed")

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
        problem(game.get("/likes/moon?ids=1"), 404, "unknown_kind")
        assert not Player.objects.exists()

    @pytest.mark.parametrize("storage", Storage, ids=str)
    def test_what_was_hidden_since_can_be_taken_back_by_who_liked_it_and_is_unknown_otherwise(
        self, game: Caller, hidden: set[str]
    ) -> None:
        for player in ("alice", "bob"):
            game.send("PUT", f"/likes/song/1/{player}")
        mirror_all()
        hidden.add("1")

        taken = [game.send("DELETE", ALICES).json() for _ in range(2)]

        assert taken == [{"liked": False, "count": 1}] * 2
        for method, player in (("PUT", "alice"), ("PUT", "bob"), ("DELETE", "eve")):
            problem(game.send(method, f"/likes/song/1/{player}"), 404, "unknown_thing")
        problem(game.get("/likes/song/1"), 404, "unknown_thing")
        assert game.get(f"{IDS}1").json()["total"] == 0
        hidden.clear()
        assert game.get("/likes/song/1").json()["count"] == 1

    def test_a_key_that_does_not_reach_the_board_takes_nothing_hidden_back(
        self, game: Caller, boards: dict[str, Board], hidden: set[str]
    ) -> None:
        boards["1"] = BoardFactory.create(visibility="private")
        game.send("PUT", ALICES)
        hidden.add("1")
        elsewhere = with_key("likes:write", boards=[BoardFactory.create(name="Other").seq])

        problem(elsewhere.send("DELETE", ALICES), 403, "forbidden")
        problem(elsewhere.send("DELETE", "/likes/song/1/bob"), 404, "unknown_thing")

    @pytest.mark.parametrize("player", ["a%2Cb", "%20a", "%E2%80%AEa", "x" * 65])
    def test_an_id_that_is_no_players_is_refused(self, game: Caller, player: str) -> None:
        for method in ("PUT", "DELETE"):
            problem(game.send(method, f"/likes/song/1/{player}"), 422, "bad_player")
        for path in ("/likes/song/1?", f"{IDS}1&"):
            problem(game.get(f"{path}player={player}"), 422, "bad_player")

    def test_whom_the_game_has_banned_or_the_registrant_does_not_admit_likes_nothing(self, game: Caller) -> None:
        PlayerFactory.create(external_id="eve", banned_at=clock.now())

        problem(game.send("PUT", "/likes/song/1/eve"), 403, "banned")
        problem(game.send("PUT", "/likes/song/1/critic"), 403, "forbidden")

        assert game.get("/likes/song/1?player=eve").json() == {"count": 0, "liked": False, "live": True}


def test_private_likes_are_for_keys_that_may_read_them_and_changed_by_keys_of_their_board(
    boards: dict[str, Board], game: Caller
) -> None:
    boards["1"] = secret = BoardFactory.create(visibility="private")
    other = BoardFactory.create().seq
    reader, elsewhere = with_key("boards:read"), with_key("boards:read", boards=[other])
    writer, another = (with_key("likes:write", boards=[board]) for board in (secret.seq, other))

    answer = reader.get("/likes/song/1")
    public, private = ANYBODY.get(f"{IDS}1,2"), reader.get(f"{IDS}1,2")

    assert (answer.status_code, answer["Cache-Control"]) == (200, "private, no-cache")
    assert "Access-Control-Allow-Origin" not in answer
    problem(ANYBODY.get("/likes/song/1"), 401, "unauthenticated")
    for caller in (game, elsewhere):
        problem(caller.get("/likes/song/1"), 403, "forbidden")
    assert [[row["id"] for row in listed.json()["rows"]] for listed in (public, private)] == [["2"], ["1", "2"]]
    assert private["Cache-Control"] == "private, no-cache"
    for method in ("PUT", "DELETE"):
        assert writer.send(method, ALICES).status_code == 200
        problem(another.send(method, ALICES), 403, "forbidden")
