"""What a competition's page in the admin leads to, and that a form which was changed is not left without a word."""

import re

import pytest
from django.test import Client

from leaderboards.models import Period
from tests.competitions.admin.typed import ADD, act, change, page
from tests.competitions.site import draft, open_competition
from tests.staff import staff

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]
ASKS = "js/admin-unsaved"


def test_forms_ask_before_what_was_typed_is_lost_and_publishing_says_what_is_published(admin: Client) -> None:
    competition = draft()

    assert ASKS in page(admin, ADD)
    assert ASKS in page(admin, change(competition))
    assert ASKS not in page(staff("view_competition"), change(competition))
    assert "did not save is not part of it" in page(admin, act(competition, "publish"))


def test_a_page_that_is_only_read_leads_back_to_its_list_and_closes_nothing(admin: Client) -> None:
    open_competition()
    period = Period.objects.first()
    assert period is not None

    html = page(admin, f"/admin/leaderboards/period/{period.pk}/change/")

    ways = re.findall(r'<a href="([^"]+)" class="closelink">([^<]+)</a>', html)
    assert ways == [("/admin/leaderboards/period/", "Back to the list")]


def test_a_published_one_leads_to_its_page_and_cancelling_is_no_button_like_the_others(admin: Client) -> None:
    drafted, running = page(admin, change(draft())), page(admin, change(competition := open_competition()))

    assert f'<a href="/competitions/{competition.pk}/">See the page</a>' in running
    assert "See the page" not in drafted
    assert '<a class="button is-quiet is-danger" href="../cancel/">' in running
    assert '<a class="button" href="../move-end/">' in running


def test_beside_the_board_of_a_draft_there_is_nothing_that_changes_or_deletes_it(admin: Client) -> None:
    html = page(admin, change(draft()))

    assert 'id="id_board"' in html
    assert not re.findall(r'id="(?:change|delete|view)_id_board"', html)
