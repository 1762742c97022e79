"""A person's own data tell nothing of what a freeze hides: the file waits for the reveal."""

import pytest
from django.test import Client

from foundation import clock
from tests.competitions.factories import END, HOUR, MINUTE
from tests.competitions.site import make_board, open_competition, raced
from tests.leaderboards.views.pages import signed_in

pytestmark = pytest.mark.django_db(transaction=True)


def test_it_is_refused_during_a_freeze_and_given_before_it() -> None:
    competition = open_competition(make_board(), freeze_minutes=60)
    raced(competition, {"ann": 9})

    def asked() -> tuple[int, bool]:
        with clock.stand_at(when):
            response = signed_in(Client(), "ann", "ann").get("/account/export/")
        return (
            response.status_code,
            "participations" in response.content.decode() or "participants" in response.content.decode(),
        )

    when = END - 2 * HOUR
    before = asked()
    when = END - HOUR + MINUTE
    during = asked()

    assert before == (200, True)
    assert during == (409, False)
