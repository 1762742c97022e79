"""Who scores for the first time behind a freeze: their pages, and what everybody else is told of them."""

import re

import pytest
from django.test import Client

from competitions.models import Competition
from foundation.http.fast_path import API
from tests.competitions.addresses import ADMIN, EXAMPLES, addresses
from tests.competitions.factories import END, HOUR, MINUTE, SeriesFactory, TeamFactory
from tests.competitions.grouping import in_division
from tests.competitions.site import DAY, SOON, joined, make_board, open_competition, score
from tests.competitions.talking import say
from tests.competitions.views.conftest import SetClock, home
from tests.leaderboards.views.pages import text

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]

WHOLE = int(DAY / MINUTE)


def frozen(minutes: int, **scored: int) -> Competition:
    """Ann, bob and cleo take part in a competition with teams and a division; these score after its freeze came."""
    competition = open_competition(freeze_minutes=minutes, team_score="sum")
    joined(competition, "ann", "bob", "cleo")
    team = TeamFactory.create(competition=competition, name="Owls")
    in_division(competition, "Masters", "ann", "cleo")
    competition.participants.filter(player__external_id__in=("ann", "cleo")).update(team=team)
    at = SOON if minutes == WHOLE else END - HOUR + MINUTE
    assert {outcome.code for outcome in score(competition, scored, at)} == {None}
    return competition


@pytest.mark.parametrize("minutes", [60, WHOLE])
def test_a_player_whose_first_score_came_behind_the_freeze_has_their_page(
    minutes: int, ann: Client, set_clock: SetClock
) -> None:
    competition = frozen(minutes, ann=4321)
    set_clock(END - MINUTE)

    for rest in ("", "?fragment=1"):
        page = text(ann.get(home(competition, rest)))
        assert "– Place before the freeze Your result now 4,321 points" in page


@pytest.mark.long
def test_no_address_breaks_for_them(ann: Client, client: Client, set_clock: SetClock) -> None:
    competition = frozen(WHOLE, ann=4321)
    series = SeriesFactory.create(competitions=[competition])
    values = {
        "c": competition.pk,
        "board": competition.board_id,
        "other": make_board(name="Other", period="all_time").seq,
        "comment": say(competition, "ann", "Helo", at=SOON).pk,
        "series": series.pk,
        "team": competition.teams.get().pk,
        "division": competition.divisions.get().pk,
        "picture": "abc",
    }
    set_clock(END - MINUTE)
    walked = [
        (who is ann, address, who.get(address))
        for route in EXAMPLES
        if not route.startswith(ADMIN) and "logout" not in route
        for address in addresses(route, **values)
        for who in ((client,) if address.startswith(API) else (ann, client))  # the API knows nobody who signed in
    ]
    told = [
        address
        for own, address, answer in walked
        if not own and re.search(r"(?<![\d.])4,?321(?!\d)", answer.getvalue().decode(errors="replace"))
    ]

    assert [address for _own, address, answer in walked if answer.status_code >= 500] == []
    assert told == []


def test_a_freeze_of_everything_says_of_nobody_whether_they_have_scored(
    ann: Client, client: Client, set_clock: SetClock
) -> None:
    competition = frozen(WHOLE, ann=4321)
    team, division = competition.teams.get(), competition.divisions.get()
    nothing = "Nothing is shown before the reveal."
    set_clock(END - MINUTE)

    for at in (END - MINUTE, END + MINUTE):
        set_clock(at)
        page = text(client.get(home(competition)))
        told = text(client.get(home(competition, "?player=bob")))
        groups = [
            text(client.get(home(competition, rest)))
            for rest in ("teams/", f"teams/{team.pk}/", f"divisions/{division.pk}/")
        ]
        assert (page.count(nothing), "Not started" in page) == (1, False)
        assert "bob has" not in told
        assert [nothing in each for each in groups] == [False, True, True]
        assert "Owls 2 hidden" in groups[0]
        for each in (page, told, *groups):
            assert not re.search(r"(?i)scored|not started", each)


def test_a_freeze_of_the_last_hour_says_what_was_so_when_it_came(client: Client, set_clock: SetClock) -> None:
    competition = frozen(60, ann=4321)
    set_clock(END - MINUTE)

    page = text(client.get(home(competition, "?player=ann")))
    of_team = text(client.get(home(competition, f"teams/{competition.teams.get().pk}/")))

    assert "Nobody had scored at the freeze." in page
    assert "Not started at the freeze ann bob cleo" in page
    assert "ann had not started at the freeze." in page
    assert of_team.count("not started at the freeze") == 2


@pytest.mark.parametrize(("minutes", "waiting"), [(60, 3), (WHOLE, None)])
def test_the_api_says_of_nobody_behind_a_freeze_that_they_have_not_started(
    minutes: int, waiting: int | None, client: Client, set_clock: SetClock
) -> None:
    competition = frozen(minutes, ann=4321)
    set_clock(END - MINUTE)
    address = f"/api/v1/competitions/{competition.pk}"

    rows = [client.get(f"{address}/players/{name}").json() for name in ("ann", "bob")]

    assert [(row["status"], row["rank"], row["points"]) for row in rows] == [("hidden", None, None)] * 2
    assert client.get(address).json()["not_started"] == waiting
    assert client.get(f"{address}/standings").json()["not_started"] == waiting
    division = client.get(f"{address}/standings?division={competition.divisions.get().pk}").json()
    assert division["not_started"] == (waiting and 2)
