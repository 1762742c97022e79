"""PUT and DELETE /competitions/{id}/players/{player}, and scoring in a competition: every refusal in words."""

from collections.abc import Callable
from typing import Any

import pytest

from competitions.models import Participant
from competitions.services.cancel import cancel
from competitions.services.disqualify import disqualify
from foundation import clock
from leaderboards.models import Player
from tests.competitions.site import (
    DAY,
    END,
    HOUR,
    START,
    draft,
    joined,
    make_board,
    open_competition,
    player,
    raced,
    reloaded,
)
from tests.leaderboards.api.conftest import Caller, problem

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]


def path(competition: Any, name: str = "alice") -> str:
    return f"/competitions/{competition.pk}/players/{name}"


class TestJoining:
    """PUT"""

    def test_a_player_who_was_unknown_takes_part_and_has_not_started(self, game: Caller) -> None:
        competition = open_competition()

        answer = game.send("PUT", path(competition), b"")

        assert answer.status_code == 200
        assert answer.json().keys() == {"competition", "player", "joined_at"}
        assert game.get(path(competition)).json()["status"] == "not_started"

    def test_twice_is_refused(self, game: Caller) -> None:
        competition = open_competition()
        game.send("PUT", path(competition), {})

        problem(game.send("PUT", path(competition), {}), 409, "already_joined")

    def test_who_guesses_codes_is_told_to_wait_and_nobody_else_is(self, game: Caller) -> None:
        competition = open_competition(joining="code", join_code="FRIENDS")
        for nth in range(10):
            problem(game.send("PUT", path(competition), {"code": f"GUESS{nth}"}), 403, "wrong_code")

        refused = game.send("PUT", path(competition), {"code": "FRIENDS"})

        problem(refused, 429, "rate_limited")
        assert 1 <= int(refused["Retry-After"]) <= 60
        assert game.send("PUT", path(competition, "bob"), {"code": "FRIENDS"}).status_code == 200

    def test_by_code(self, game: Caller) -> None:
        competition = open_competition(joining="code", join_code="FRIENDS")

        problem(game.send("PUT", path(competition), b""), 403, "wrong_code")
        problem(game.send("PUT", path(competition), {"code": "ENEMIES"}), 403, "wrong_code")
        problem(game.send("PUT", path(competition), {"code": "\ud800"}), 403, "wrong_code")  # no character at all
        assert game.send("PUT", path(competition), {"code": "FRIENDS"}).status_code == 200

    def test_by_list(self, game: Caller) -> None:
        competition = open_competition(joining="list")
        competition.invitations.create(external_id="bob")

        problem(game.send("PUT", path(competition), {}), 403, "not_invited")
        assert game.send("PUT", path(competition, "bob"), {}).status_code == 200

    def test_over_the_limit(self, game: Caller) -> None:
        competition = open_competition(most_participants=1)
        game.send("PUT", path(competition), {})

        problem(game.send("PUT", path(competition, "bob"), {}), 409, "competition_full")

    def test_before_it_is_published_it_is_unknown(self, game: Caller) -> None:
        problem(game.send("PUT", path(draft()), {}), 404, "unknown_competition")

    def test_too_late(self, game: Caller) -> None:
        competition = open_competition(join_until=START + HOUR)

        problem(game.send("PUT", path(competition), {}), 409, "joining_over")

    def test_after_the_end(self, game: Caller) -> None:
        competition = open_competition(starts_at=START - DAY, ends_at=START)

        problem(game.send("PUT", path(competition), {}), 409, "competition_over")

    def test_after_it_was_cancelled(self, game: Caller) -> None:
        competition = cancel(open_competition(), "Rain.", clock.now(), None)

        problem(game.send("PUT", path(competition), {}), 409, "competition_over")

    def test_after_a_disqualification(self, game: Caller) -> None:
        competition = open_competition()
        joined(competition, "alice")
        disqualify(competition, player("alice"), "Two accounts.", clock.now(), None)

        problem(game.send("PUT", path(competition), {}), 403, "disqualified")

    def test_an_unknown_competition_makes_no_player(self, game: Caller) -> None:
        problem(game.send("PUT", "/competitions/999999/players/alice", {}), 404, "unknown_competition")

        assert not Player.objects.exists()

    def test_who_is_banned(self, game: Caller) -> None:
        competition = open_competition()
        Player.objects.filter(pk=player("alice").pk).update(banned_at=clock.now())

        problem(game.send("PUT", path(competition), {}), 403, "banned")

    @pytest.mark.parametrize("body", [[], {"kode": "x"}, {"code": 5}, {"code": "x" * 41}, {"code": None}, b"null"])
    def test_a_body_of_the_wrong_shape_is_refused(self, game: Caller, body: Any) -> None:
        competition = open_competition()

        problem(game.send("PUT", path(competition), body), 422, "invalid_request")
        assert not Participant.objects.exists()

    def test_what_is_no_json_is_refused(self, game: Caller) -> None:
        problem(game.send("PUT", path(open_competition()), b"{"), 400, "malformed_body")

    @pytest.mark.parametrize("name", ["%20a", "a%2Cb", "a" * 65])
    def test_an_id_of_the_wrong_shape_is_refused(self, game: Caller, name: str) -> None:
        problem(game.send("PUT", path(open_competition(), name), {}), 422, "bad_player")


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

    def test_who_does_not_take_part_cannot_leave(self, game: Caller) -> None:
        competition = open_competition()
        player("stranger")

        for name in ("stranger", "nobody"):
            problem(game.send("DELETE", path(competition, name)), 404, "not_joined")

    def test_after_the_end_the_record_stays(self, game: Caller) -> None:
        competition = open_competition(starts_at=START - DAY, ends_at=START + HOUR)
        joined(competition, "alice")

        problem(game.send("DELETE", path(competition)), 409, "competition_over")


class TestKeys:
    """Who may."""

    @pytest.mark.parametrize("method", ["PUT", "DELETE"])
    def test_only_a_key_with_the_scope_that_reaches_the_board(
        self, anybody: Caller, make_key: Callable[..., str], method: str
    ) -> None:
        competition = open_competition()
        elsewhere = make_key("players:write", boards=[competition.board_id + 1], name="e")

        problem(anybody.send(method, path(competition), {}), 401, "unauthenticated")
        problem(Caller(make_key("scores:write")).send(method, path(competition), {}), 403, "forbidden")
        problem(Caller(elsewhere).send(method, path(competition), {}), 403, "forbidden")
        assert not Participant.objects.exists()


class TestScoring:
    """POST /scores with a competition."""

    def code(self, game: Caller, competition: Any, **entry: Any) -> str:
        entry = {"competition": competition.pk, "player": "alice", "points": 5, **entry}
        result = game.submit(entry)["results"][0]
        return str(result.get("code", result["status"]))

    def test_one_workout_counts_for_several_competitions_in_one_call(self, game: Caller) -> None:
        board = make_board()
        first, second = open_competition(board), open_competition(board)
        for each in (first, second):
            joined(each, "alice")

        answer = game.submit(
            *({"competition": each.pk, "player": "alice", "points": 5, "id": "workout-1"} for each in (first, second))
        )

        assert [(row["status"], row["competition"]) for row in answer["results"]] == [
            ("updated", first.pk),
            ("updated", second.pk),
        ]

    def test_without_having_joined(self, game: Caller) -> None:
        assert self.code(game, open_competition()) == "not_joined"

    def test_an_unknown_competition_and_a_draft(self, game: Caller) -> None:
        competition = draft()

        assert self.code(game, competition) == "unknown_competition"
        competition.pk = 999_999
        assert self.code(game, competition) == "unknown_competition"

    def test_before_the_start(self, game: Caller) -> None:
        competition = open_competition(starts_at=START + DAY, ends_at=END + DAY)
        joined(competition, "alice")

        assert self.code(game, competition) == "not_started"

    def test_after_the_end(self, game: Caller) -> None:
        competition = open_competition(starts_at=START - DAY, ends_at=START + HOUR)
        joined(competition, "alice")

        assert self.code(game, competition) == "period_closed"

    def test_after_it_was_cancelled(self, game: Caller) -> None:
        competition = open_competition()
        joined(competition, "alice")
        cancel(competition, "Rain.", clock.now(), None)

        assert self.code(game, competition) == "period_closed"

    def test_over_the_attempts(self, game: Caller) -> None:
        competition = open_competition(attempts=1)
        joined(competition, "alice")
        assert self.code(game, competition) == "updated"

        assert self.code(game, competition) == "too_many_attempts"

    def test_an_event_board_itself_takes_none(self, game: Caller) -> None:
        board = make_board()

        result = game.submit({"board": board.seq, "player": "alice", "points": 5})["results"][0]

        assert result["status"] == "rejected"

    def test_during_a_freeze_ranks_are_not_told(self, game: Caller) -> None:
        competition = open_competition(freeze_minutes=24 * 60)
        joined(competition, "alice")

        result = game.submit({"competition": competition.pk, "player": "alice", "points": 5}, query="?ranks=true")

        assert result["results"][0]["status"] == "updated"
        assert "rank" not in result["results"][0]
        assert reloaded(competition).frozen_at is not None
