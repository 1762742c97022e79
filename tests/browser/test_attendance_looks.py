"""The strip of ten weeks, and the admin's activity page: nothing sticks out, in both schemes and both languages."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from playwright.sync_api import Page, ViewportSize, expect
from pytest_django.live_server_helper import LiveServer

from foundation import clock, redis
from leaderboards.services.settle import settle_due
from likes.services.flush import keep_days
from likes.services.number import number_of
from likes.stores.activity import ActivityStore, Visit
from tests.browser.conftest import DESKTOP, SMALL_PHONE, Opened
from tests.browser.test_looks import SCHEMES, sideways
from tests.likes.counting import DAY, flush_all
from tests.playing import account

ABSENT = {0, 3, 4, 17, 18, 19, 20, 30, 44, 45, 46, 47, 48, 60}


@pytest.fixture
def cookie(live_server: LiveServer) -> str:
    """Robin's session: he runs the site, and was there on most days."""
    settle_due(clock.now())
    user = account("robin", "robin", is_staff=True, is_superuser=True)
    number = number_of(user.player.pk)
    for days in range(70):
        at = clock.now() - days * DAY
        for nth in range(3 + days % 11):
            visit = Visit(f"board:{nth % 4}", f"guest {nth}", number if days not in ABSENT and nth == 0 else None)
            ActivityStore(redis.boards()).visit(visit, at)
        if days % 2:  # each keeps its day and the one before
            keep_days(at + DAY)
    flush_all(clock.now())
    client = Client()
    client.force_login(user)
    return client.cookies["sessionid"].value


def signed_in(page: Page, cookie: str, address: str) -> None:
    page.context.add_cookies([{"name": "sessionid", "value": cookie, "url": page.url}])
    page.goto(address)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("viewport", [SMALL_PHONE, DESKTOP], ids=["360", "1280"])
def test_the_strip_fits_and_says_what_it_draws(
    opened: Opened, cookie: str, photograph: Callable[[Page, str], None], viewport: ViewportSize, scheme: Any
) -> None:
    page = opened("/healthz", viewport=viewport, color_scheme=scheme)

    signed_in(page, cookie, "/account/")

    expect(page.get_by_text("of the last 70 days")).to_be_visible()
    assert sideways(page) == ([], 0)
    squares = page.locator(".attendance-day")
    sizes = {round(squares.nth(place).bounding_box()["width"]) for place in (0, 30, 69)}  # type: ignore[index]  # visible
    assert len(sizes) == 1
    photograph(page, f"attendance-{viewport['width']}-{scheme}")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_activity_page_shows_its_chart(
    opened: Opened, cookie: str, photograph: Callable[[Page, str], None], scheme: Any
) -> None:
    page = opened("/healthz", viewport=DESKTOP, color_scheme=scheme)

    signed_in(page, cookie, "/admin/likes/activityday/")

    expect(page.locator(".activity-chart svg")).to_be_visible()
    assert sideways(page) == ([], 0)
    photograph(page, f"activity-1280-{scheme}")
