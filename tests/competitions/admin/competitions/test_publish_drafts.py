"""Several drafts are published at once, after a page that says what that does."""

import re

import pytest
from django.test import Client

from competitions.models import Competition, SeriesEvent
from tests.competitions.admin.typed import LIST, page
from tests.competitions.factories import DAY, START, SeriesFactory
from tests.competitions.site import draft, open_competition
from tests.staff import staff

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]
PAGE = "/admin/competitions/competition/publish-drafts/"


@pytest.fixture
def drafts() -> list[Competition]:
    weeks = (START + nth * 7 * DAY for nth in (1, 2))
    return [draft(name=f"Week {nth}", starts_at=at, ends_at=at + DAY) for nth, at in enumerate(weeks, 1)]


def seal_of(text: str) -> str:
    found = re.search(r'name="shown" value="(\w+)"', text)
    assert found
    return found[1]


def published() -> set[str]:
    return set(Competition.objects.exclude(published_at=None).values_list("name", flat=True))


def test_the_drafts_that_are_chosen_in_the_list_are_shown_and_then_published(
    admin: Client, drafts: list[Competition]
) -> None:
    running = open_competition(name="Running")
    chosen = {"action": "publish_drafts", "_selected_action": [each.pk for each in (*drafts, running)]}

    address = admin.post(LIST, chosen)["Location"]
    text = page(admin, address)
    before = published()
    answer = admin.post(address, {"confirmed": "1", "shown": seal_of(text)}, follow=True)

    assert "Publish 2 drafts" in text
    assert "Anybody can see them and join from now on" in text
    assert before == {"Running"}
    assert published() == {"Running", "Week 1", "Week 2"}
    assert "2 drafts are published." in answer.content.decode()


def test_nothing_is_published_that_was_not_shown_or_that_cannot_be(admin: Client, drafts: list[Competition]) -> None:
    address = f"{PAGE}?of={drafts[0].pk},{drafts[1].pk}"
    seal = seal_of(page(admin, address))
    Competition.objects.filter(pk=drafts[1].pk).update(attempts=3)
    moved = admin.post(address, {"confirmed": "1", "shown": seal}).content.decode()
    assert "Week 1: Fixed from now on: attempts per player: no limit" in moved
    assert "Week 2: Fixed from now on: attempts per player: 3" in moved
    Competition.objects.filter(pk=drafts[0].pk).update(joining="code")
    late = page(admin, address)
    refused = admin.post(address, {"confirmed": "1", "shown": seal_of(late)}).content.decode()

    assert "Nothing was done: it changed meanwhile." in moved
    assert "Joining by code needs a code." in late
    assert "1 of them cannot be published as it is" in refused
    assert 'name="confirmed"' not in late
    assert published() == set()


def test_a_series_leads_to_its_drafts_alone(admin: Client, drafts: list[Competition]) -> None:
    series = SeriesFactory.create()
    SeriesEvent.objects.create(series=series, competition=drafts[0])

    form = page(admin, f"/admin/competitions/series/{series.pk}/change/")
    text = page(admin, f"{PAGE}?series={series.pk}")

    assert f'<a href="{PAGE}?series={series.pk}">Publish 1 draft</a>' in form
    assert "Week 1" in text
    assert "Week 2" not in text


def test_whoever_may_not_change_competitions_does_not_publish(drafts: list[Competition]) -> None:
    reader = staff("view_competition")

    assert reader.get(f"{PAGE}?of={drafts[0].pk}").status_code == 403
    assert "publish_drafts" not in page(reader, LIST)
