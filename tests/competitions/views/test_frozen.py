"""What pages say during a freeze, and the reveal. That nothing else changes is what test_freeze_walk.py sees."""

import pytest
from django.test import Client

from competitions.models import Competition
from competitions.services.finish import finish_due
from competitions.services.freeze import freeze_due, reveal
from tests.competitions.factories import CompetitionFactory
from tests.competitions.site import END, HOUR, MINUTE, raced, score
from tests.competitions.views.conftest import SetClock
from tests.leaderboards.views.pages import signed_in, text

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]

FREEZE = END - HOUR


def address(competition: Competition, rest: str = "") -> str:
    return f"/competitions/{competition.pk}/{rest}"


@pytest.fixture
def freezing() -> Competition:
    """Ann leads bob and cleo; the standings freeze an hour before the end, and behind it bob takes the lead."""
    competition = CompetitionFactory.create(freeze_minutes=60)
    raced(competition, {"ann": 9, "bob": 5, "cleo": 4})
    freeze_due(FREEZE)
    score(competition, {"bob": 7654}, FREEZE + MINUTE)
    return competition


def test_only_a_participant_sees_points_and_nobody_sees_a_place(
    freezing: Competition, client: Client, bob: Client, set_clock: SetClock
) -> None:
    set_clock(FREEZE + MINUTE)

    public = text(client.get(address(freezing)))

    assert "A cup frozen Ends in 59 min" in public
    assert "The standings are frozen since" in public
    assert "1 ann 9" in public
    assert "Your result now 7,654 points Place before the freeze 2" in text(bob.get(address(freezing)))
    assert "7,654" not in text(client.get(address(freezing, "?player=bob")))


def test_the_reveal_is_for_staff_before_it_and_for_everybody_after(
    freezing: Competition, client: Client, set_clock: SetClock
) -> None:
    staff = signed_in(Client(), "boss", is_staff=True)
    page, show = address(freezing), address(freezing, "reveal/")
    set_clock(END)
    early = [each.get(show).status_code for each in (client, staff)]
    early_page = text(staff.get(page))
    finish_due(END + MINUTE)
    set_clock(END + HOUR)
    hidden, hidden_page = client.get(show), text(client.get(page))
    told, told_page = text(staff.get(show)), text(staff.get(page))

    reveal(freezing, END + HOUR, None)
    shown = text(client.get(show))

    assert early == [404, 404]
    assert hidden.status_code == 404
    assert "The result is final, and hidden from the public. Play the reveal" in told_page
    assert "Play the reveal" not in early_page
    assert "Play the reveal" not in hidden_page
    assert "Only you and others who run this site see this page." in told
    assert "Only you" not in shown
    for each in (told, shown):
        assert "1 bob 7,654 points 2 ann 9 points 3 cleo 4 points" in each
    assert "Final result 1 bob 7,654 points" in text(client.get(page))
