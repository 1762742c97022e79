"""From period to period: the steps beside what is shown, its mark in the strip, and who won before the first score."""

from playwright.sync_api import expect

from tests.browser.conftest import SMALL_PHONE, Opened
from tests.browser.crowd.boards import final_weeks
from tests.playing import score


def test_one_goes_back_from_period_to_period_and_to_the_running_one_in_one_press(opened: Opened, weekly: int) -> None:
    final_weeks(weekly, 6)
    score(weekly, {"robin": 7})
    page = opened(f"/boards/{weekly}/", viewport=SMALL_PHONE)
    strip = page.locator(".periods > .period-strip")

    for _ in range(6):  # more than there is room for in the strip
        page.get_by_role("link", name="The period before").click()
        expect(strip.locator("[aria-current=page]")).to_be_in_viewport()
        expect(strip.locator(".is-running")).to_be_in_viewport(ratio=0.99)
        expect(page.locator(".step[rel=next]")).to_be_visible()
    expect(page.get_by_role("link", name="The period before")).to_have_count(0)

    strip.locator(".is-running").click()

    expect(page.get_by_role("link", name="The period after")).to_have_count(0)
    expect(strip.locator("[aria-current=page]")).to_contain_text("running")


def test_who_won_last_gives_way_to_the_first_score(opened: Opened, weekly: int) -> None:
    final_weeks(weekly, 2)
    page = opened(f"/boards/{weekly}/")
    won = page.get_by_role("complementary", name="Won last")
    expect(won).to_be_visible()

    score(weekly, {"robin": 7})

    expect(page.locator(".top tbody tr")).to_have_count(1)
    expect(won).to_have_count(0)
