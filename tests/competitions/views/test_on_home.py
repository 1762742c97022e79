"""Participants see on the first page what starts and ends next for them, and what they have not read yet."""

import pytest
from django.test import Client

from competitions.models import Notice
from foundation import clock
from tests.competitions.factories import DAY, HOUR
from tests.competitions.site import joined, make_board, open_competition
from tests.leaderboards.views.pages import signed_in, text

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]


def test_own_competitions_stand_under_next_also_private_ones_and_those_to_come(client: Client) -> None:
    at = clock.now()
    hidden = make_board(name="Hidden board", visibility="private")
    joined(open_competition(name="Coming cup", starts_at=at + HOUR, ends_at=at + DAY), "ann")
    joined(open_competition(hidden, name="Secret cup"), "ann")
    joined(open_competition(name="Cup of others"), "bob")
    signed_in(client, "ann's", "ann")

    page = text(client.get("/")).partition("All boards")[0].partition("Next for you")[2]

    assert "Coming cup Starts in 59 min" in page
    assert "Secret cup Ends in 21 h" in page
    assert page.index("Coming cup") < page.index("Secret cup")
    assert "Cup of others" not in page


def test_unread_notices_lead_to_the_inbox_and_read_ones_are_gone(client: Client) -> None:
    cup = open_competition(name="A cup")
    (ann,) = joined(cup, "ann")
    told = Notice.objects.create(competition=cup, player=ann, kind="first_lost", rank=2, created_at=clock.now())
    signed_in(client, "ann's", "ann")

    page = client.get("/")
    Notice.objects.filter(pk=told.pk).update(read_at=clock.now())
    later = client.get("/")

    assert "What happened You lost first place A cup" in text(page)
    assert '<a href="/inbox/">' in page.content.decode()
    assert "You lost first place" not in text(later)


def test_competitions_that_are_still_to_come_stand_behind_those_that_run_also_for_who_is_in_none(
    client: Client,
) -> None:
    at = clock.now()
    open_competition(name="Coming cup", starts_at=at + HOUR, ends_at=at + DAY)
    open_competition(name="Running cup")
    signed_in(client, "ann's", "ann")

    page = text(client.get("/")).partition("Competitions now and next")[2]

    assert 0 < page.index("Running cup") < page.index("Coming cup")
    assert "Starts in" in page
