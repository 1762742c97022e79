"""PUT and DELETE /competitions/{id}/players/{player}, and scoring in a competition: every refusal by its name."""

from collections.abc import Callable
from typing import Any

import pytest
import time_machine

from competitions.models import Competition, Participant
from competitions.services.lifecycle.freeze import freeze_due
from competitions.services.participants.disqualify import disqualify
from foundation import clock
from leaderboards.models import FinalStanding, Player, Standing
from leaderboards.services.players.erase import erase_player
from tests.competitions import site as competitions_site
from tests.competitions.factories import DAY, END, HOUR, START
from tests.competitions.grouping import in_division
from tests.competitions.site import draft, joined, make_board, open_competition, player, raced, reloaded
from tests.leaderboards.api.conftest import Caller, problem

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]

OVER: dict[str, Any] = {"starts_at": START - DAY, "ends_at": START + HOUR}


def path(competition: Competition, name: str = "alice") -> str:
    return f"/competitions/{competition.pk}/players/{name}"


def test_a_player_who_was_unknown_takes_part_once_leaves_the_ranking_and_may_come_back(game: Caller) -> None:
    competition = open_competition()
    raced(competition, {"bob": 20})

    answer = game.send("PUT", path(competition), b"")
    assert answer.status_code == 200
    assert answer.json().keys() == {"competition", "player", "joined_at", "team", "division"}
    assert game.get(path(competition)).json()["status"] == "not_started"
    problem(game.send("PUT", path(competition), {}), 409, "already_joined")

    left = game.send("DELETE", path(competition, "bob"))
    assert (left.status_code, left.content) == (204, b"")
    problem(game.get(path(competition, "bob")), 404, "not_joined")
    assert game.send("PUT", path(competition, "bob"), {}).status_code == 200


def test_what_a_form_sends_joins_nobody(game: Caller) -> None:
    competition = open_competition()

    refused = game.send("PUT", path(competition), {}, Content_Type="application/x-www-form-urlencoded")

    problem(refused, 415, "unsupported_media_type")
    assert not Participant.objects.exists()


def test_who_guesses_codes_is_told_to_wait_and_nobody_else_is(game: Caller) -> None:
    competition = open_competition(joining="code", join_code="FRIENDS")
    no_character = "\ud800"
    for guess in (b"", {"code": no_character}, *({"code": f"GUESS{nth}"} for nth in range(8))):
        problem(game.send("PUT", path(competition), guess), 403, "wrong_code")

    refused = game.send("PUT", path(competition), {"code": "FRIENDS"})

    problem(refused, 429, "rate_limited")
    assert 1 <= int(refused["Retry-After"]) <= 60
    assert game.send("PUT", path(competition, "bob"), {"code": "FRIENDS"}).status_code == 200


def test_who_may_not_join_or_leave_is_told_why(game: Caller) -> None:
    competition, over = open_competition(), open_competition(**OVER)
    full = open_competition(most_participants=1)
    joined(competition, "alice")
    joined(full, "bob")
    disqualify(competition, player("alice"), "Two accounts.", clock.now(), None)
    Player.objects.filter(pk=player("banned").pk).update(banned_at=clock.now())

    for method, unfit, name, status, code in (
        ("PUT", open_competition(joining="list"), "eve", 403, "not_invited"),
        ("PUT", full, "eve", 409, "competition_full"),
        ("PUT", open_competition(join_until=START + HOUR), "eve", 409, "joining_over"),
        ("PUT", over, "eve", 409, "competition_over"),
        ("PUT", competition, "alice", 403, "disqualified"),
        ("PUT", competition, "banned", 403, "banned"),
        ("PUT", draft(), "nobody", 404, "unknown_competition"),
        ("PUT", Competition(pk=999_999), "nobody", 404, "unknown_competition"),
        ("DELETE", competition, "bob", 404, "not_joined"),
        ("DELETE", competition, "nobody", 404, "not_joined"),
        ("DELETE", over, "bob", 409, "competition_over"),
    ):
        problem(game.send(method, path(unfit, name), {}), status, code)
    assert Participant.objects.count() == 2
    assert not Player.objects.filter(external_id="nobody").exists()


def test_what_has_the_wrong_shape_is_refused(game: Caller) -> None:
    competition = open_competition()
    bodies: tuple[Any, ...] = ([], {"kode": "x"}, {"code": 5}, {"code": "x" * 41}, {"code": None}, b"null")

    for body in bodies:
        problem(game.send("PUT", path(competition), body), 422, "invalid_request")
    for name in ("%20a", "a%2Cb", "a" * 65):
        problem(game.send("PUT", path(competition, name), {}), 422, "bad_player")
    problem(game.send("PUT", path(competition), b"{"), 400, "malformed_body")
    assert not Participant.objects.exists()


def test_only_a_key_with_the_scope_that_reaches_the_board_writes(anybody: Caller, make_key: Callable[..., str]) -> None:
    competition = open_competition()
    scores = Caller(make_key("scores:write"))
    elsewhere = Caller(make_key("players:write", boards=[competition.board_id + 1], name="e"))

    for method in ("PUT", "DELETE"):
        problem(anybody.send(method, path(competition), {}), 401, "unauthenticated")
        for caller in (scores, elsewhere):
            problem(caller.send(method, path(competition), {}), 403, "forbidden")
    assert not Participant.objects.exists()


def test_an_entry_of_a_competition_counts_there_alone_and_during_a_freeze_no_rank_is_told(game: Caller) -> None:
    competition = open_competition(freeze_minutes=24 * 60)
    joined(competition, "alice")
    entry = {"player": "alice", "points": 5}

    answer = game.submit(
        entry | {"competition": competition.pk}, entry | {"board": competition.board_id}, query="?ranks=true"
    )

    counted, of_the_board = answer["results"]
    assert (counted["competition"], counted["status"], "rank" in counted) == (competition.pk, "updated", False)
    assert of_the_board["status"] == "rejected"
    assert reloaded(competition).frozen_at is not None


def test_the_metadata_of_a_competitions_rows_is_told_and_not_what_came_during_a_freeze(game: Caller) -> None:
    told = open_competition()
    frozen = open_competition(freeze_minutes=24 * 60)
    for competition in (told, frozen):
        joined(competition, "alice")
        entry = {"competition": competition.pk, "player": "alice", "points": 5, "metadata": {"car": "red"}}
        assert game.submit(entry)["accepted"] == 1

    for rest in ("/standings?", "/players/alice/around?", "/view?player=alice&", "/players/alice?"):
        answers = [game.get(f"/competitions/{each.pk}{rest}metadata=true").content for each in (told, frozen)]
        assert [b'"car":"red"' in answer for answer in answers] == [True, False]


@pytest.mark.parametrize("storage", ["hybrid", "sql"])
def test_a_freeze_shows_the_metadata_of_before_it_everywhere_and_nothing_later(game: Caller, storage: str) -> None:
    competition = open_competition(make_board(storage, update="latest"), freeze_minutes=60)
    joined(competition, "alice", "bob")
    division = in_division(competition, "Juniors", "alice")
    entry = {"competition": competition.pk, "player": "alice", "points": 5, "metadata": {"car": "red"}}
    paths = [
        *("standings?", f"standings?division={division}&", "players/alice/around?", "view?player=alice&ids=alice&"),
        *("players/alice?", "standings.csv?"),
    ]

    def read() -> list[bytes]:
        responses = [game.get(f"/competitions/{competition.pk}/{path}metadata=true") for path in paths]
        return [b"".join(each) if each.streaming else each.content for each in responses]

    assert game.submit(entry)["accepted"] == 1
    running = read()
    with time_machine.travel(END - HOUR, tick=False):
        assert freeze_due(clock.now()) == 1
        competitions_site.score(competition, {"alice": 6}, clock.now())
        Standing.objects.filter(player__external_id="alice").update(metadata='{"car":"blue"}')
        frozen = read()
        erase_player("alice", clock.now(), reason="Asked for it.")

    assert [b"red" in content for content in running] == [True] * 6
    assert [b"red" in content for content in frozen] == [True] * 6
    assert not [content for content in frozen if b"blue" in content]
    assert not FinalStanding.objects.exclude(metadata=None).exists()
