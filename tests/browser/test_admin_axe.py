"""axe finds nothing serious on the admin's pages that add rows of any model, nor on those that change some of them."""

from django.contrib import admin
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from foundation.security import service_keys
from leaderboards.models import Period, Player
from tests.browser.checks import serious
from tests.browser.conftest import DESKTOP, Opened
from tests.competitions.factories import LeagueFactory, SeriesFactory
from tests.competitions.site import draft, joined, open_competition
from tests.leaderboards.factories import AdminFactory, BoardFactory

# The help icon of Django's own widget for permissions is a span with a label, which it must not have.
DJANGOS = "help-tooltip search-label-icon"


def test_pages_that_add_and_change_rows_have_no_serious_finding(live_server: LiveServer, opened: Opened) -> None:
    del live_server
    AdminFactory.create()
    running = open_competition()
    joined(running, "ann")
    league = LeagueFactory.create(board=BoardFactory.create(name="Weekly", storage="sql"))
    key, _text = service_keys.make("game", ["scores:write"])
    boards = [running.board, league.board]
    periods = [Period.objects.filter(board=board).order_by("starts_at")[0] for board in boards]
    rows = [draft(), running, *boards, *periods, key, SeriesFactory.create(), league, Player.objects.get()]
    adds = [f"/admin/{each._meta.app_label}/{each._meta.model_name}/add/" for each in admin.site._registry]
    changes = [f"/admin/{each._meta.app_label}/{each._meta.model_name}/{each.pk}/change/" for each in rows]
    page = opened("/admin/", who="admin", viewport=DESKTOP)
    found = {}

    for address in (*adds, *changes):
        answer = page.goto(page.url.split("/admin/")[0] + address)
        assert answer is not None
        if answer.status == 200:
            expect(page.locator("h1")).to_be_visible()
            found[address] = [each for each in serious(page) if DJANGOS not in each]

    assert {address: what for address, what in found.items() if what} == {}
    assert set(changes) <= found.keys()
