"""PUT and DELETE /competitions/{id}/players/{player}, and scoring in a competition: every refusal by its name."""

from collections.abc import Callable
from typing import Any

import pytest

from competitions.models import Competition, Participant
from competitions.services.cancel import cancel
from competitions.services.disqualify import disqualify
from foundation import clock
from leaderboards.models import Player
from tests.competitions.factories import DAY, HOUR, START
from tests.competitions.site import draft, joined, make_board, open_competition, player, raced, reloaded
from tests.leaderboards.api.conftest import Caller, problem

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]

OVER: dict[str, Any] = {"starts_at": START - DAY, "ends_at": START + HOUR}
BY_CODE: dict[str, Any] = {"joining": "code", "join_code": "FRIENDS"}


def path(competition: Competition, name: str = "alice") -> str:
    return f"/competitions/{competition.pk}/players/{name}"


class TestJoining:
    """PUT"""

    def test_a_player_who_was_unknown_takes_part_once_and_has_not_started(self, game: Caller) -> None:
        competition = open_competition()

        answer = game.send("PUT", path(competition), b"")

        assert answer.status_code == 200
        assert answer.json().keys() == {"competition", "player", "joined_at"}
        assert game.get(path(competition)).json()["status"] == "not_started"
        problem(game.send("PUT", path(competition), {}), 409, "already_joined")

    def test_who_guesses_codes_is_told_to_wait_and_nobody_else_is(self, game: Caller) -> None:
        competition = open_competition(**BY_CODE)
        no_character = "\ud800"
        for guess in (b"", {"code": no_character}, *({"code": f"GUESS{nth}"} for nth in range(8))):
            problem(game.send("PUT", path(competition), guess), 403, "wrong_code")

        refused = game.send("PUT", path(competition), {"code": "FRIENDS"})

        problem(refused, 429, "rate_limited")
        assert 1 <= int(refused["Retry-After"]) <= 60
        assert game.send("PUT", path(competition, "bob"), {"code": "FRIENDS"}).status_code == 200

    @pytest.mark.parametrize(
        ("settings", "status", "code"),
        [
            ({"joining": "list"}, 403, "not_invited"),
            ({"most_participants": 1}, 409, "competition_full"),
            ({"join_until": START + HOUR}, 409, "joining_over"),
            (OVER, 409, "competition_over"),
        ],
    )
    def test_who_may_not_join_is_told_why(self, game: Caller, settings: dict[str, Any], status: int, code: str) -> None:
        competition = open_competition(**settings)
        competition.participants.create(player=player("bob"), joined_at=START)
        competition.invitations.create(external_id="bob")

        problem(game.send("PUT", path(competition), {}), status, code)
        assert not Participant.objects.filter(player__external_id="alice").exists()

    def test_who_is_banned_or_disqualified_and_what_is_cancelled(self, game: Caller) -> None:
        competition = open_competition()
        joined(competition, "alice")
        disqualify(competition, player("alice"), "Two accounts.", clock.now(), None)
        Player.objects.filter(pk=player("bob").pk).update(banned_at=clock.now())

        problem(game.send("PUT", path(competition), {}), 403, "disqualified")
        problem(game.send("PUT", path(competition, "bob"), {}), 403, "banned")
        cancel(competition, "Rain.", clock.now(), None)
        problem(game.send("PUT", path(competition, "carol"), {}), 409, "competition_over")

    def test_in_an_unknown_competition_or_a_draft_no_player_is_made(self, game: Caller) -> None:
        for number in (999_999, draft().pk):
            problem(game.send("PUT", f"/competitions/{number}/players/alice", {}), 404, "unknown_competition")

        assert not Player.objects.exists()

    def test_what_has_the_wrong_shape_is_refused(self, game: Caller) -> None:
        competition = open_competition()
        bodies: tuple[Any, ...] = ([], {"kode": "x"}, {"code": 5}, {"code": "x" * 41}, {"code": None}, b"null")

        for body in bodies:
            problem(game.send("PUT", path(competition), body), 422, "invalid_request")
        for name in ("%20a", "a%2Cb", "a" * 65):
            problem(game.send("PUT", path(competition, name), {}), 422, "bad_player")
        problem(game.send("PUT", path(competition), b"{"), 400, "malformed_body")
        assert not Participant.objects.exists()


class TestLeaving:
    """DELETE"""

    def test_who_leaves_is_out_of_the_ranking_and_may_come_back(self, game: Caller) -> None:
        competition = open_competition()
        raced(competition, {"alice": 30, "bob": 20})

        left = game.send("DELETE", path(competition))

        assert (left.status_code, left.content) == (204, b"")
        problem(game.get(path(competition)), 404, "not_joined")
        assert game.get(path(competition, "bob")).json()["rank"] == 1
        assert game.send("PUT", path(competition), {}).status_code == 200

    def test_strangers_cannot_leave_and_after_the_end_the_record_stays(self, game: Caller) -> None:
        competition = open_competition(**OVER)
        joined(competition, "alice")
        player("stranger")

        for name in ("stranger", "nobody"):
            problem(game.send("DELETE", path(open_competition(), name)), 404, "not_joined")
        problem(game.send("DELETE", path(competition)), 409, "competition_over")


def test_only_a_key_with_the_scope_that_reaches_the_board_writes(anybody: Caller, make_key: Callable[..., str]) -> None:
    competition = open_competition()
    scores = Caller(make_key("scores:write"))
    elsewhere = Caller(make_key("players:write", boards=[competition.board_id + 1], name="e"))

    for method in ("PUT", "DELETE"):
        problem(anybody.send(method, path(competition), {}), 401, "unauthenticated")
        for caller in (scores, elsewhere):
            problem(caller.send(method, path(competition), {}), 403, "forbidden")
    assert not Participant.objects.exists()


class TestScoring:
    """POST /scores with a competition."""

    def test_one_workout_counts_for_several_competitions_each_of_which_may_refuse_it(self, game: Caller) -> None:
        board = make_board()
        first, second, over = open_competition(board), open_competition(board), open_competition(board, **OVER)
        for each in (first, second, over):
            joined(each, "alice")
        expected = [
            (first.pk, "updated"),
            (second.pk, "updated"),
            (over.pk, "period_closed"),
            (open_competition(board).pk, "not_joined"),
        ]

        answer = game.submit(
            *({"competition": number, "player": "alice", "points": 5, "id": "workout-1"} for number, _ in expected),
            {"board": board.seq, "player": "alice", "points": 5},
        )

        *told, of_the_board = answer["results"]
        assert [(row["competition"], row.get("code", row["status"])) for row in told] == expected
        assert of_the_board["status"] == "rejected"

    def test_during_a_freeze_ranks_are_not_told(self, game: Caller) -> None:
        competition = open_competition(freeze_minutes=24 * 60)
        joined(competition, "alice")

        result = game.submit({"competition": competition.pk, "player": "alice", "points": 5}, query="?ranks=true")

        assert result["results"][0]["status"] == "updated"
        assert "rank" not in result["results"][0]
        assert reloaded(competition).frozen_at is not None
