"""GET /competitions/{id}/view: what the single addresses answer, of one moment, and nothing of what a freeze hides."""

from typing import Any

import pytest
from django.db import OperationalError

from competitions.api import view as view_of_competition
from competitions.models import Competition
from competitions.services.lifecycle.finish import finish
from competitions.services.participants.disqualify import disqualify
from foundation import clock
from foundation.db import resilience as sql
from leaderboards.models import Visibility
from tests.competitions.factories import DAY, HOUR, START
from tests.competitions.site import STORAGES, joined, make_board, open_competition, player, raced, reloaded, score
from tests.leaderboards.api.conftest import Caller, problem, with_key

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

HEAD = ("competition", "board", "period", "total", "live", "not_started")


def get(caller: Caller, competition: Competition, query: str) -> Any:
    response = caller.get(f"/competitions/{competition.pk}/{query}")
    assert response.status_code == 200, response.content
    return response.json()


def assert_as_single(caller: Caller, cup: Competition, name: str) -> None:
    """The view for a player is what the addresses of its parts answer."""
    view = get(caller, cup, f"view?limit=2&player={name}&radius=1&ids={name},bob")
    page, own = get(caller, cup, "standings?limit=2"), get(caller, cup, f"players/{name}")

    assert {part: view[part] for part in HEAD} == {part: page[part] for part in HEAD}
    assert view["list"] == page["rows"]
    assert view["me"] == {part: told for part, told in own.items() if part not in (*HEAD, "as_of")}
    around = caller.get(f"/competitions/{cup.pk}/players/{name}/around?radius=1")
    if around.status_code == 404:
        assert (view["around"], view["around_previous_cursor"], view["around_next_cursor"]) == ([], None, None)
    else:
        near = around.json()
        assert view["around"] == near["rows"]
        for way in ("previous_cursor", "next_cursor"):
            assert view[f"around_{way}"] == near[way]
            if near[way]:
                read_on = get(caller, cup, f"standings?cursor={near[way]}")["rows"]
                assert read_on == get(caller, cup, f"view?cursor={near[way]}")["list"]
                edge, behind = (near["rows"][0], -1) if way == "previous_cursor" else (near["rows"][-1], 0)
                places = [row["player"] for row in get(caller, cup, "standings")["rows"]]
                step = -1 if way == "previous_cursor" else 1
                assert read_on[behind]["player"] == places[places.index(edge["player"]) + step]


@pytest.mark.parametrize("storage", STORAGES)
def test_it_is_what_the_single_addresses_answer(anybody: Caller, storage: str) -> None:
    cup = open_competition(make_board(storage, ties="shared"), starts_at=START - DAY, ends_at=START + HOUR)
    raced(cup, {"alice": 30, "bob": 20, "carol": 20, "dan": 10}, START)
    joined(cup, "erin")
    disqualify(cup, player("dan"), "Two accounts.", START, None)

    for name in ("alice", "carol", "erin"):
        assert_as_single(anybody, reloaded(cup), name)
    finish(cup, clock.now())
    for name in ("alice", "carol", "erin"):
        assert_as_single(anybody, reloaded(cup), name)

    for nobody in ("dan", "stranger"):
        view = get(anybody, cup, f"view?player={nobody}&ids=dan,carol")
        assert (view["me"], view["around"], [row["player"] for row in view["named"]]) == (None, [], ["carol"])
    bare = get(anybody, cup, "view")
    assert (bare["me"], bare["around"], bare["named"], len(bare["list"])) == (None, None, None, 3)


def test_before_the_start_nobody_stands_and_who_takes_part_has_not_started(anybody: Caller) -> None:
    cup = open_competition(starts_at=clock.now() + DAY, ends_at=clock.now() + 2 * DAY)
    joined(cup, "erin")

    view = get(anybody, cup, "view?player=erin&ids=erin")

    assert (view["list"], view["around"], view["named"], view["total"], view["not_started"]) == ([], [], [], 0, 1)
    assert (view["me"]["status"], view["me"]["rank"], view["me"]["points"]) == ("not_started", None, None)


@pytest.mark.parametrize("storage", STORAGES)
def test_a_freeze_hides_what_comes_after_it_in_every_part(anybody: Caller, game: Caller, storage: str) -> None:
    now = clock.now()
    cup = open_competition(
        make_board(storage), starts_at=now - DAY, ends_at=now + HOUR / 2, freeze_minutes=60, attempts=None
    )
    raced(cup, {"alice": 30, "bob": 20}, now - HOUR)
    joined(cup, "erin")
    query = "view?player={}&ids=alice,bob,erin"
    before = {name: get(anybody, cup, query.format(name)) for name in ("bob", "erin")}

    score(cup, {"bob": 99, "erin": 50}, now)

    for caller in (anybody, game):
        for name, told in before.items():
            view = get(caller, cup, query.format(name))
            assert view == told
            assert_as_single(caller, reloaded(cup), name)
    assert before["bob"]["me"]["points"] == 20
    assert before["erin"]["me"]["status"] == "hidden"


def test_a_private_one_a_draft_and_a_division_are_refused(anybody: Caller) -> None:
    cup = open_competition(make_board(visibility=Visibility.PRIVATE))

    problem(anybody.get(f"/competitions/{cup.pk}/view"), 401, "unauthenticated")
    with_private = with_key("boards:read").get(f"/competitions/{cup.pk}/view")
    assert (with_private.status_code, with_private["Cache-Control"]) == (200, "private, no-cache")
    problem(anybody.get("/competitions/999999/view"), 404, "unknown_competition")
    problem(with_key("boards:read").get(f"/competitions/{cup.pk}/view?division=1"), 422, "invalid_request")
    problem(with_key("boards:read").get(f"/competitions/{cup.pk}/view?period=current"), 422, "invalid_request")


def test_live_standings_are_read_while_sql_cannot_say_who_takes_part(
    anybody: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    cup = open_competition()
    raced(cup, {"alice": 30})
    joined(cup, "erin")

    def away(*_: object, **__: object) -> None:
        raise OperationalError

    monkeypatch.setattr(view_of_competition, "participant_of", away)
    view = get(anybody, cup, "view?player=erin")
    sql._Breaker.silent_until = 0.0

    assert (view["me"], [row["player"] for row in view["list"]]) == (None, ["alice"])
