"""A competition's page behind a freeze: what is hidden from whom, the reveal, and the end of a frozen one."""

import pytest
from django.test import Client

from competitions.models import Competition
from competitions.services.lifecycle.finish import finish_due
from competitions.services.lifecycle.freeze import freeze_due, reveal
from tests.competitions.factories import END, HOUR, MINUTE, CompetitionFactory
from tests.competitions.site import open_competition, raced, score
from tests.competitions.views.conftest import SetClock, home
from tests.leaderboards.views.pages import signed_in, text

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]


@pytest.fixture
def freezing() -> Competition:
    """Ann leads bob and cleo; the standings freeze an hour before the end, and behind it bob takes the lead."""
    competition = CompetitionFactory.create(freeze_minutes=60)
    raced(competition, {"ann": 9, "bob": 5, "cleo": 4})
    freeze_due(END - HOUR)
    score(competition, {"bob": 7654}, END - HOUR + MINUTE)
    return competition


def test_behind_a_freeze_only_a_participant_sees_points_and_nobody_sees_a_place(
    freezing: Competition, client: Client, bob: Client, set_clock: SetClock
) -> None:
    set_clock(END - HOUR + MINUTE)

    public = text(client.get(home(freezing)))

    assert "A cup frozen Ends in 59 min" in public
    assert "The standings are frozen since" in public
    assert "1 ann 9" in public
    assert "2 Place before the freeze Your result now 7,654 points" in text(bob.get(home(freezing)))
    assert "7,654" not in text(client.get(home(freezing, "?player=bob")))


def test_the_reveal_is_for_staff_before_it_and_for_everybody_after(
    freezing: Competition, client: Client, set_clock: SetClock
) -> None:
    bare = signed_in(Client(), "bare", is_staff=True)
    staff = signed_in(Client(), "boss", is_staff=True, is_superuser=True)
    page, show = home(freezing), home(freezing, "reveal/")
    set_clock(END)
    assert [each.get(show).status_code for each in (client, staff)] == [404, 404]
    assert "Play the reveal" not in text(staff.get(page))
    finish_due(END + MINUTE)
    set_clock(END + HOUR)
    for visitor in (client, bare):
        assert visitor.get(show).status_code == 404
        assert "Play the reveal" not in text(visitor.get(page))
    assert "The result is final, and hidden from the public. Play the reveal" in text(staff.get(page))
    told = text(staff.get(show))

    reveal(freezing, END + HOUR, None)
    shown = text(client.get(show))

    assert ("Only you and others who run this site" in told, "Only you" in shown) == (True, False)
    for each in (told, shown):
        assert "1 bob 7,654 points 2 ann 9 points 3 cleo 4 points" in each
    assert "Final result 1 bob 7,654 points" in text(client.get(page))


def test_once_a_frozen_one_is_over_it_says_so_and_that_the_freeze_lasts(client: Client, set_clock: SetClock) -> None:
    competition = open_competition(freeze_minutes=60)
    raced(competition, {"ann": 9})
    freeze_due(END - MINUTE)
    over = "It has ended. The standings stay frozen until the result is revealed."
    set_clock(END - MINUTE)
    runs = client.get(home(competition, "?fragment=1"))
    set_clock(END)

    ended = client.get(home(competition, "?fragment=1"), headers={"If-None-Match": runs["ETag"]})

    assert (over in text(runs), ended.status_code, over in text(ended)) == (False, 200, True)
