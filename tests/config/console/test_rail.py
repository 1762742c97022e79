"""The rail with its search is on every page of the admin, and says where one is."""

import re
from contextlib import suppress

import pytest
from django.contrib import admin
from django.urls import NoReverseMatch, reverse

from foundation import clock
from foundation.models import ServiceKey
from foundation.security import service_keys
from leaderboards.models import Board, Period, Player
from tests.competitions.site import joined, open_competition
from tests.leaderboards.services.site import make_board, score
from tests.staff import chief, staff

pytestmark = pytest.mark.django_db


def addresses() -> list[str]:
    """Every list and every form that adds, forms of some rows, and pages of the console and of acts."""
    at = clock.now()
    board = make_board("hybrid", at)
    score(board, {"ann": 5}, at)
    joined(open_competition(), "bob")
    service_keys.make("game", ["scores:write"])
    found = ["/admin/", "/admin/health/", "/admin/search/", "/admin/search/?q=nobody"]
    for model in admin.site._registry:
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        found += [reverse(f"{name}_changelist")]
        with suppress(NoReverseMatch):  # a list without rows of its own
            found += [reverse(f"{name}_add")]
    rows = (Board.objects.first(), Period.objects.first(), Player.objects.first(), ServiceKey.objects.first())
    for row in filter(None, rows):
        name = f"admin:{row._meta.app_label}_{row._meta.model_name}"
        found += [reverse(f"{name}_change", args=[row.pk])]
    number = Player.objects.values_list("pk", flat=True)[0]
    return [*found, f"/admin/leaderboards/board/{board.pk}/test-score/", f"/admin/leaderboards/player/{number}/ban/"]


def test_it_is_on_every_page_with_its_search_once(links: None) -> None:
    client, looked = chief(), 0

    for address in addresses():
        answer = client.get(address)
        if answer.status_code != 200:
            assert address.endswith("/add/"), address
            continue
        html = answer.content.decode()
        looked += 1
        assert html.count('id="rail"') == 1, address
        assert len(re.findall(r'role="search"[^>]*>.*?name="q".*?data-search-key', html, re.DOTALL)) == 1, address
        assert "js/search-key.js" in html, address
        for group in ("run", "people", "system"):
            assert f'id="{group}"' in html, address

    assert looked > 50


def test_it_says_where_one_is(links: None) -> None:
    board = make_board("sql", clock.now())

    html = chief().get(f"/admin/leaderboards/board/{board.pk}/change/").content.decode()

    assert re.findall(r'href="([^"]+)" aria-current="page"', html) == ["/admin/leaderboards/board/"]


def test_who_may_see_nothing_has_no_groups_but_the_way_to_health(links: None) -> None:
    html = staff().get("/admin/health/").content.decode()

    assert 'href="/admin/health/"' in html.partition('id="rail"')[2]
    assert "rail-group" not in html
