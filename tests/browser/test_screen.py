"""The big screen follows the scores: rows travel, points say what was gained, arrows and flags stand beside names."""

import re

from playwright.sync_api import ViewportSize, expect

from competitions.models import Competition
from foundation import clock
from leaderboards.services.players.profiles import set_profile
from tests.browser import checks
from tests.browser.conftest import DESKTOP, Opened, Photograph
from tests.browser.test_competition_race import cup
from tests.browser.test_race import WIDE, raced
from tests.playing import score

__all__ = ["cup", "raced"]  # fixtures

HALL = ViewportSize(width=1920, height=1080)
WATCH_ROWS = """() => {
    window.moved = [];
    document.addEventListener("live:changed", () => {
        const rows = [...document.querySelectorAll(".hall-row.is-moving")];
        if (rows.length) window.moved.push(rows.map((row) => row.dataset.key).sort());
    });
    window.sameAsBefore = true;
}"""


def test_who_moves_travels_with_what_was_gained_and_nobody_else_does(
    raced: int, opened: Opened, photograph: Photograph
) -> None:
    set_profile("p07", {"country": "KR"}, clock.now())
    page = opened(f"/boards/{raced}/?screen=1", viewport=HALL)
    expect(page.locator(".hall-live")).to_be_visible()
    page.evaluate(WATCH_ROWS)

    score(raced, {"p07": 25})  # past p06 and p05

    row = page.locator('.hall-row[data-key="p07"]')
    expect(row.locator(".hall-points")).to_have_attribute("data-gain", "+25")
    expect(row.locator(".flag")).to_be_visible()
    expect(row.locator(".hall-move")).to_have_class(re.compile("is-up"))
    photograph(page, "screen-moving")
    assert page.evaluate("window.moved[0]") == page.evaluate("window.moved[0].filter((each) => each >= 'p05')")
    assert "p07" in page.evaluate("window.moved[0]")
    assert page.evaluate("window.sameAsBefore")
    expect(row.locator(".hall-points")).not_to_have_attribute("data-gain", "+25")


def test_its_times_are_of_the_clock_on_the_wall(raced: int, opened: Opened) -> None:
    page = opened(f"/boards/{raced}/?screen=1", viewport=HALL, timezone_id="Asia/Seoul")

    expect(page.locator(".hall-foot time").last).to_have_attribute("title", re.compile(r"^\d\d:\d\d.* UTC$"))


def test_it_says_how_places_changed_in_both_themes_and_fits(raced: int, opened: Opened) -> None:
    for viewport, scheme in ((WIDE, "light"), (DESKTOP, "dark"), (HALL, "light")):
        page = opened(f"/boards/{raced}/?screen=1", viewport=viewport, color_scheme=scheme)
        expect(page.locator(".hall-move.is-up, .hall-move.is-down")).not_to_have_count(0)
        expect(page.locator(".hall-foot")).to_contain_text("± since")
        expect(page.locator(".hall-foot")).to_be_in_viewport(ratio=1)
        assert checks.wrong_frame(page, "en") == []
        assert checks.wrong_boxes(page) == []
        assert checks.serious(page) == []


def test_a_competitions_screen_does_so_too(cup: Competition, opened: Opened) -> None:
    page = opened(f"/competitions/{cup.pk}/?screen=1", viewport=HALL)

    expect(page.locator('.hall-row[data-key="p05"] .hall-move')).to_have_class(re.compile("is-up"))
    expect(page.locator(".hall-foot")).to_contain_text("± since")


def test_a_screen_of_one_page_stays_and_follows(weekly: int, opened: Opened) -> None:
    score(weekly, {"mina": 5, "omar": 3})
    page = opened(f"/boards/{weekly}/?screen=1", viewport=HALL, clock=True)
    page.evaluate("window.sameAsBefore = true")

    page.clock.run_for(15_000)
    assert page.evaluate("window.sameAsBefore")
    score(weekly, {"omar": 9})
    page.clock.run_for(5_000)

    expect(page.locator(".hall-row").first).to_contain_text("omar")
