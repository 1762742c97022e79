"""Who scores for the first time behind a freeze: their pages, and what everybody else is told of them."""

import re

import pytest
from django.test import Client

from competitions.models import Competition
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
        assert "Your result now 4,321 points Place before the freeze –" in page


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
        for who in (ann, client)
    ]
    told = [
        address
        for own, address, answer in walked
        if not own and re.search("4,?321", answer.getvalue().decode(errors="replace"))
    ]

    assert [address for _own, address, answer in walked if answer.status_code >= 500] == []
    assert told == []
