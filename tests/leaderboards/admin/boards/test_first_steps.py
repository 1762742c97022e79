"""A new board's page opens after it was saved, and says what comes next."""

import pytest
from django.test import Client

from leaderboards.models import Board
from tests.leaderboards.admin.typed import ADD, change, settings
from tests.staff import staff

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


def test_a_new_board_opens_with_key_test_score_and_page(admin: Client) -> None:
    answer = admin.post(ADD, settings(name="Weekly & fast"))
    board = Board.objects.get()
    html = admin.get(change(board)).content.decode()
    told = html.partition('class="messagelist"')[2].partition("</ul>")[0]

    assert answer["Location"] == change(board)
    assert "“Weekly &amp; fast” is made. Next:" in told
    assert (
        f"/admin/foundation/servicekey/add/?name=Weekly+%26+fast&amp;scopes=scores%3Awrite&amp;boards={board.pk}"
        in told
    )
    assert f"/admin/leaderboards/board/{board.pk}/test-score/" in told
    assert f'href="/boards/{board.pk}/"' in told


def test_only_what_one_may_do_is_offered() -> None:
    maker = staff("add_board", "view_board")

    html = maker.post(ADD, settings(name="Mine"), follow=True).content.decode()

    told = html.partition('class="messagelist"')[2].partition("</ul>")[0]
    assert "See the page" in told
    assert "servicekey" not in told
    assert "test-score" not in told


def test_other_buttons_lead_where_they_say(admin: Client) -> None:
    answer = admin.post(ADD, settings(name="One more") | {"_addanother": "1"})

    assert answer["Location"] == ADD
