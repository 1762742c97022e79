"""A player's own division on the page of a competition, and their place in it."""

import pytest
from django.test import Client

from tests.competitions.factories import END, HOUR, MINUTE
from tests.competitions.grouping import in_division
from tests.competitions.site import SOON, open_competition, raced, score
from tests.competitions.views.conftest import SetClock, home
from tests.leaderboards.views.pages import signed_in, text

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]


def test_a_player_sees_their_division_and_their_place_in_it(
    ann: Client, bob: Client, client: Client, set_clock: SetClock
) -> None:
    competition = open_competition()
    raced(competition, {"ann": 9, "bob": 5, "cleo": 4})
    number = in_division(competition, "Masters", "bob", "cleo")
    set_clock(SOON)

    own = bob.get(home(competition))
    part = text(bob.get(home(competition, "?fragment=1")))

    for page in (text(own), part):
        assert "Your division: Masters · 1st of 2" in page
    assert f'href="/competitions/{competition.pk}/divisions/{number}/"><bdi>Masters' in own.content.decode()
    assert "ivision: Masters" not in text(ann.get(home(competition)))
    assert "Division: Masters · 2nd of 2" in text(client.get(home(competition, "?player=cleo")))


def test_behind_a_freeze_it_is_the_place_of_before(bob: Client, client: Client, set_clock: SetClock) -> None:
    competition = open_competition(freeze_minutes=60)
    raced(competition, {"ann": 9, "bob": 5})
    raced(competition, {"dan": 3}, END - HOUR + MINUTE)
    in_division(competition, "Masters", "ann", "bob", "dan")
    score(competition, {"bob": 100}, END - HOUR + MINUTE)
    set_clock(END - MINUTE)

    assert "Your division: Masters · 2nd of 2 before the freeze" in text(bob.get(home(competition)))
    assert "ivision: Masters" not in text(client.get(home(competition, "?player=dan")))
    own = text(signed_in(Client(), "dan", "dan").get(home(competition)))
    assert "Your division: Masters" in own
    assert "Masters ·" not in own
