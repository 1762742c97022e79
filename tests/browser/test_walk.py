"""What most players do, in one go: the only walk through a browser in `make test`."""

from playwright.sync_api import expect

from tests.browser import checks
from tests.browser.conftest import Opened
from tests.playing import score


def test_a_player_finds_themselves_by_keyboard_and_sees_their_row_move(weekly: int, opened: Opened) -> None:
    score(weekly, {f"p{number:03d}": 2000 - 2 * number for number in range(60)} | {"robin": 1887})
    page = opened("/", reduced_motion="reduce")
    own = page.locator(".own")

    page.get_by_role("heading", level=3).get_by_role("link", name="Weekly wins").click()
    page.wait_for_url(f"**/boards/{weekly}/")  # a key that is pressed before is pressed on the page before
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to the standings")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()

    page.get_by_label("Find a player or a rank").focus()
    page.keyboard.type("robin")
    page.keyboard.press("Enter")
    page.wait_for_url("**player=robin**")
    expect(own.locator(".own-rank")).to_contain_text("58")
    page.evaluate("window.kept = true")
    score(weekly, {"robin": 10})

    expect(page.locator(".top tbody tr").nth(2)).to_contain_text("robin")
    expect(own.locator(".own-rank")).to_contain_text("53")
    assert page.evaluate("window.kept") is True
    assert checks.wrong_frame(page, "en") + checks.wrong_boxes(page, thumbs=True) + checks.serious(page) == []
