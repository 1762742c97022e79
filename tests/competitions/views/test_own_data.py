"""A person's own data tell nothing of what a freeze hides: the file waits for the reveal."""

import pytest
from django.test import Client

from foundation import clock
from tests.competitions.factories import END, HOUR, MINUTE
from tests.competitions.site import make_board, open_competition, raced
from tests.playing import account

pytestmark = pytest.mark.django_db(transaction=True)


def test_it_is_given_before_a_freeze_and_refused_during_it() -> None:
    raced(open_competition(make_board(), freeze_minutes=60), {"ann": 9})
    ann, told = account("ann", "ann"), []

    for when in (END - 2 * HOUR, END - HOUR + MINUTE):
        with clock.stand_at(when):
            client = Client()
            client.force_login(ann)
            response = client.get("/account/export/")
        told.append((response.status_code, '"standings"' in response.content.decode()))

    assert told == [(200, True), (409, False)]
