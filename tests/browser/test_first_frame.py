"""What a phone's first frame waits for and draws: two style sheets and eleven rows; the rest comes without moving it.

No time is measured: the first frame is held still, and so are the files that it must not wait for.
"""

from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.conftest import PHONE, Opened
from tests.playing import score

FIRST = 11  # rows that a phone's screen shows, and some more
BLOCKING = 16 * 1024  # bytes, packed: what the first paint waits for beside the page
ROWS = """() => [...document.querySelectorAll(".top tbody tr")].map((row) => [
    Math.round(row.getBoundingClientRect().top),
    row.querySelector("a").checkVisibility({ contentVisibilityAuto: true }),
])"""
WATCH = """
window.shifted = 0;
new PerformanceObserver((list) => list.getEntries().forEach((each) => { window.shifted += each.value; }))
    .observe({ type: "layout-shift", buffered: true });
"""
BLOCKERS = """() => performance.getEntriesByType("resource").filter((each) => each.renderBlockingStatus === "blocking")
    .map((each) => [new URL(each.name).pathname.split("/")[1], each.encodedBodySize])"""
PAINTED = "() => performance.getEntriesByName('first-contentful-paint').length > 0"


@pytest.fixture
def full(weekly: int) -> str:
    """The address of a board with fifty rows."""
    score(weekly, {f"p{number:03d}": 1000 - number for number in range(50)})
    return f"/boards/{weekly}/"


def held_still(browser: Browser, live_server: LiveServer, path: str) -> tuple[Page, Any]:
    """Open a page whose first frame stays: no animation goes on. The session lets them go on."""
    page = browser.new_context(base_url=live_server.url, viewport=PHONE).new_page()
    session = page.context.new_cdp_session(page)
    session.send("Animation.enable")
    session.send("Animation.setPlaybackRate", {"playbackRate": 0})
    page.add_init_script(WATCH)
    page.goto(path)
    return page, session


def test_the_first_frame_draws_eleven_rows_and_the_others_come_where_they_were(
    full: str, browser: Browser, live_server: LiveServer
) -> None:
    page, session = held_still(browser, live_server, full)

    first = page.evaluate(ROWS)
    assert [is_drawn for _, is_drawn in first] == [True] * FIRST + [False] * (50 - FIRST)
    assert first[FIRST][0] >= PHONE["height"]
    session.send("Animation.setPlaybackRate", {"playbackRate": 1})
    page.wait_for_function(f"() => ({ROWS})().every(([, isDrawn]) => isDrawn)")
    assert [top for top, _ in page.evaluate(ROWS)] == [top for top, _ in first]
    assert page.evaluate("shifted") < 0.05
    page.context.close()


def test_who_asks_for_a_row_further_down_gets_all_of_them_at_once(
    full: str, browser: Browser, live_server: LiveServer
) -> None:
    page, _ = held_still(browser, live_server, f"{full}#r40")

    assert all(is_drawn for _, is_drawn in page.evaluate(ROWS))
    expect(page.locator("#r40")).to_be_in_viewport()
    page.context.close()


def test_all_rows_are_drawn_without_scripts(full: str, opened: Opened) -> None:
    page = opened(full, java_script_enabled=False)

    expect(page.locator(".top tbody tr").last).to_contain_text("p049")
    page.locator(".top tbody tr").last.get_by_role("link").click()
    page.wait_for_url("**/players/p049/")


def test_scripts_are_asked_for_when_the_sheets_are_there_and_run_in_their_order(
    full: str, browser: Browser, live_server: LiveServer
) -> None:
    page = browser.new_context(base_url=live_server.url, viewport=PHONE).new_page()
    sheets: list[Route] = []
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.route("**/*.css", lambda route: sheets.append(route))  # noqa: PLW0108 - Playwright cannot mark a list's method
    page.goto(full, wait_until="commit")

    page.wait_for_timeout(1000)
    (loader,) = [each for each in asked if ".js" in each]
    assert loader.endswith("/typeface+later.js")
    for route in sheets:
        route.continue_()
    expect(page.locator(".top tbody .row-more")).to_have_count(50)
    expect(page.locator("[data-state=live]")).to_have_count(1)
    assert sum(".js" in each for each in asked) == 1 + page.locator("meta[name=script]").count()
    page.context.close()


@pytest.mark.parametrize("locale", ["en", "ko"])
def test_the_first_paint_waits_for_style_sheets_alone(
    full: str, browser: Browser, live_server: LiveServer, locale: str
) -> None:
    page = browser.new_context(base_url=live_server.url, viewport=PHONE, locale=locale).new_page()
    held: list[Route] = []
    for files in ("**/*.woff2", "**/*.js", "**/*.svg", "**/*.webp"):
        page.route(files, lambda route: held.append(route))  # noqa: PLW0108 - Playwright cannot mark a list's method

    page.goto(full, wait_until="commit")
    page.wait_for_function(PAINTED)

    expect(page.get_by_role("heading", name="Weekly wins")).to_be_visible()
    blocking = page.evaluate(BLOCKERS)
    assert [kind for kind, _ in blocking] == ["styles", "styles"]
    assert sum(size for _, size in blocking) <= BLOCKING
    assert page.locator("link[rel=preload]").count() == 0  # it would share a slow line with the sheets
    asked = [route.request.url for route in held if ".js" in route.request.url]
    assert len(asked) == 1  # what loads all others once the sheets are there
    for route in held:
        route.abort()
    page.context.close()
