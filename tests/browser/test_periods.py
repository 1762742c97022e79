"""From period to period: the steps beside what is shown, the way to the running one, and who won last."""

from playwright.sync_api import expect

from tests.browser.conftest import SMALL_PHONE, Opened
from tests.browser.crowd.boards import final_weeks
from tests.playing import score


def test_one_goes_back_from_period_to_period_and_to_the_running_one_in_one_press(opened: Opened, weekly: int) -> None:
    final_weeks(weekly, 6)
    score(weekly, {"robin": 7})
    page = opened(f"/boards/{weekly}/", viewport=SMALL_PHONE)
    shown, running = page.locator(".stepper-now"), page.get_by_role("link", name="To the running one")
    expect(shown).to_contain_text("This week")
    expect(page.locator("span.step.is-next")).to_be_visible()  # an end is not pressed, and not gone

    for _ in range(6):
        page.get_by_role("link", name="The period before").click()
        expect(shown).not_to_contain_text("This week")
        expect(shown).to_be_in_viewport()
        expect(running).to_be_in_viewport(ratio=0.99)
        expect(page.locator("a.step[rel=next]")).to_be_visible()
    expect(page.get_by_role("link", name="The period before")).to_have_count(0)
    expect(page.locator("span.step.is-prev")).to_be_visible()

    running.click()

    expect(page.get_by_role("link", name="The period after")).to_have_count(0)
    expect(shown).to_contain_text("This week")


def test_who_won_last_gives_way_to_the_first_score(opened: Opened, weekly: int) -> None:
    final_weeks(weekly, 2)
    page = opened(f"/boards/{weekly}/")
    won = page.get_by_role("complementary", name="Won last")
    expect(won).to_be_visible()

    score(weekly, {"robin": 7})

    expect(page.locator(".top tbody tr")).to_have_count(1)
    expect(won).to_have_count(0)
