"""What players do most often, counted in clicks: my row, another period, taking part. Admins': ``test_console.py``."""

from datetime import timedelta

import pytest
from django.test import Client
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from competitions.models import Competition
from foundation import clock
from tests.browser.conftest import DESKTOP, PHONE, Opened
from tests.browser.test_console import Clicks
from tests.competitions.site import make_board as make_event_board
from tests.competitions.site import open_competition
from tests.leaderboards.views.pages import signed_in
from tests.playing import make_board, score

pytestmark = pytest.mark.parametrize("viewport", [PHONE, DESKTOP], ids=["phone", "desktop"])


@pytest.fixture
def board(live_server: LiveServer) -> int:
    """Robin is fortieth this week, and was first the week before."""
    del live_server
    board = make_board(name="Weekly wins", update="increment")
    score(board, {"robin": 9, "mina": 5}, clock.now() - timedelta(days=7))
    score(board, {f"p{nth:02d}": 1000 - nth for nth in range(39)} | {"robin": 1})
    signed_in(Client(), "robin's", "robin")
    return board


@pytest.fixture
def cup(board: int) -> Competition:
    del board
    return open_competition(make_event_board(), name="Spring run")


def test_my_row_is_one_click_from_home(board: int, opened: Opened, viewport: dict[str, int]) -> None:
    page, clicks = opened("/", "robin's", viewport=viewport), Clicks()

    clicks.on(page.locator(".own-places-list a").first)

    page.wait_for_url(f"**/boards/{board}/#me")
    expect(page.locator("#me")).to_be_in_viewport()
    expect(page.locator("#me td").first).to_contain_text("40")
    assert clicks.number == 1


def test_another_period_is_one_click_away(board: int, opened: Opened, viewport: dict[str, int]) -> None:
    page, clicks = opened(f"/boards/{board}/", "robin's", viewport=viewport), Clicks()

    clicks.on(page.locator(".stepper a[rel=prev]"))

    expect(page.locator(".top tbody tr")).to_have_count(2)
    expect(page.locator(".own-rank")).to_contain_text("1")
    assert clicks.number == 1


def test_taking_part_is_two_clicks_from_home(cup: Competition, opened: Opened, viewport: dict[str, int]) -> None:
    page, clicks = opened("/", "robin's", viewport=viewport), Clicks()

    clicks.on(page.get_by_role("link", name="Spring run"))
    clicks.on(page.get_by_role("button", name="Join"))

    expect(page.get_by_text("You have not started yet.")).to_be_visible()
    assert cup.participants.filter(player__external_id="robin").exists()
    assert clicks.number == 2
