"""Times on pages are said on the viewer's clock; the board's own stays in each title, and where the two are one."""

from datetime import datetime

import pytest
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from leaderboards import formats
from tests.browser.conftest import DESKTOP, Opened
from tests.competitions.site import make_board as make_event_board
from tests.competitions.site import open_competition
from tests.playing import make_board, score

HERE, THERE = "America/New_York", "Asia/Seoul"


@pytest.fixture
def board(live_server: LiveServer) -> int:
    """One of Seoul, on which robin leads; live_server brings a database that other threads see."""
    found = make_board(name="Weekly wins", update="increment", timezone=THERE)
    score(found, {"robin": 5, "mina": 3})
    return found


def test_times_are_said_on_the_viewers_clock_also_after_a_change(board: int, opened: Opened) -> None:
    page = opened(f"/boards/{board}/", viewport=DESKTOP, timezone_id=HERE)
    first, since = page.locator(".top tbody tr").first, page.locator(".top tbody tr .when time").first
    expect(first).to_contain_text("robin")
    expect(page.locator(".zone")).to_have_text(HERE)

    score(board, {"mina": 100})
    expect(first).to_contain_text("mina")

    at = datetime.fromisoformat(since.get_attribute("datetime") or "")
    expect(since).to_have_text(formats.moment(at, HERE))
    expect(since).to_have_attribute("title", f"{formats.moment(at, THERE)} {THERE}")


def test_on_the_boards_own_clock_nothing_is_said_twice(board: int, opened: Opened) -> None:
    page = opened(f"/boards/{board}/", viewport=DESKTOP, timezone_id=THERE)
    since = page.locator(".top tbody tr .when time").first
    expect(page.locator("[data-state=live]")).to_be_visible()

    at = datetime.fromisoformat(since.get_attribute("datetime") or "")

    expect(since).to_have_text(formats.moment(at, THERE))
    expect(page.locator("time[title]")).to_have_count(0)


def test_a_competitions_start_is_said_on_the_viewers_clock_too(live_server: LiveServer, opened: Opened) -> None:
    open_competition(make_event_board(timezone=THERE))
    page = opened("/competitions/", timezone_id=HERE)

    card = page.locator(".board-card").first
    start = card.locator("time").first

    expect(card.locator(".zone")).to_have_text(HERE)
    at = datetime.fromisoformat(start.get_attribute("datetime") or "")
    expect(start).to_have_text(formats.moment(at, HERE))
