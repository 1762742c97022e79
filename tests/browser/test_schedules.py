"""A board between two windows: what it shows on phone and desktop, in two languages and by night, and the opening."""

from datetime import timedelta

import pytest
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from foundation import clock
from leaderboards.core.periods import next_opening
from leaderboards.models import Board
from leaderboards.services.periods.close import close_due
from leaderboards.services.periods.open import open_due
from tests.browser import checks
from tests.browser.conftest import DESKTOP, SMALL_PHONE, Opened, Photograph
from tests.playing import make_board, score

HOUR = timedelta(hours=1)


@pytest.fixture
def arena(live_server: LiveServer) -> int:
    """A board that was open for two hours each day, until an hour ago, with players in its last two windows."""
    opened_at = (clock.now() - 3 * HOUR).replace(minute=0, second=0, microsecond=0)
    schedule = {"schedule": f"0 {opened_at.hour} * * *", "open_minutes": 120, "timezone": "UTC"}
    board = make_board(name="Daily arena", period="schedule", **schedule)
    for days in (2, 1, 0):
        start = opened_at - timedelta(days=days)
        score(board, {name: 900 - 7 * nth for nth, name in enumerate(("mina", "omar", "robin", "aiko"))}, start + HOUR)
    open_due(clock.now())
    close_due(clock.now() + 2 * HOUR)
    return board


@pytest.mark.parametrize("viewport", [SMALL_PHONE, DESKTOP], ids=["phone", "desktop"])
@pytest.mark.parametrize(("locale", "opens"), [("en", "Opens in"), ("ko", "열릴 때까지")])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_between_two_windows_the_page_counts_down_to_the_opening(
    opened: Opened, photograph: Photograph, arena: int, viewport: object, locale: str, opens: str, scheme: str
) -> None:
    page = opened(f"/boards/{arena}/", viewport=viewport, locale=locale, color_scheme=scheme)

    expect(page.locator(".time-left")).to_contain_text(opens)
    expect(page.locator(".time-left .tiles")).to_be_visible()
    expect(page.locator(".top tbody tr")).to_have_count(4)
    page.locator(".rules summary").click()
    expect(page.locator(".rules li")).to_have_count(10)
    width = "phone" if viewport is SMALL_PHONE else "desktop"
    photograph(page, f"schedule-closed-{width}-{locale}-{scheme}")
    assert checks.wrong_boxes(page, thumbs=viewport is SMALL_PHONE) == []

    page.goto("/")

    expect(page.locator(".board-card-foot")).to_contain_text(opens)
    photograph(page, f"schedule-home-{width}-{locale}-{scheme}")
    assert checks.wrong_boxes(page, thumbs=viewport is SMALL_PHONE) == []


@pytest.mark.parametrize(("zone", "dates"), [("Asia/Tokyo", "23:00–01:00"), ("America/New_York", "09:00–11:00")])
def test_all_times_of_a_page_are_on_the_clock_that_it_names(
    opened: Opened, live_server: LiveServer, zone: str, dates: str
) -> None:
    board = make_board(
        name="Evening", period="schedule", schedule="0 14 15 1 *", open_minutes=120, timezone="UTC"
    )  # in winter, an hour in which all three zones stand still
    page = opened(f"/boards/{board}/", timezone_id=zone)
    page.locator(".rules summary").click()

    windows = page.locator(".rules li").all_inner_texts()

    opens, closes = dates.split("–")
    assert len(windows) == 10
    assert all(opens in each and closes in each for each in windows), windows
    assert page.locator(".rules .zone").inner_text() == zone
    if zone == "Asia/Tokyo":  # the end is on the next day there, and says so
        assert all("15" in each and "16" in each for each in windows), windows

    page.goto("/")

    assert opens in page.locator(".board-card-period").inner_text()
    assert zone in page.locator(".board-card-period").inner_text()


def test_the_page_opens_by_itself(opened: Opened, arena: int, monkeypatch: pytest.MonkeyPatch) -> None:
    opens_at = next_opening(Board.objects.get(pk=arena).calendar, clock.now())
    assert opens_at is not None
    true_now, shift = clock.now, opens_at - clock.now() - timedelta(seconds=4)
    monkeypatch.setattr(clock, "now", lambda: true_now() + shift)
    page = opened(f"/boards/{arena}/")
    expect(page.locator(".time-left")).to_contain_text("Opens in")

    expect(page.locator(".time-left")).to_contain_text("Ends in")

    expect(page.locator(".stepper-now")).to_contain_text("Open now")
    expect(page.locator(".top")).to_contain_text("Nobody has scored yet.")
