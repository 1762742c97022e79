"""What matters most on a page is seen first; and what the checks of every page are worth."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from foundation import clock, redis
from leaderboards.services.settle import settle_due
from likes.services.number import number_of
from likes.stores.activity import ActivityStore, Visit
from tests.browser import checks
from tests.browser.conftest import DESKTOP, PHONE, SMALL_PHONE, Opened
from tests.playing import account, score

WIDEST = "W" * 64


def is_on_screen(page: Page, locator: Locator) -> bool:
    box, size = locator.bounding_box(), page.viewport_size
    assert box is not None
    assert size is not None
    return bool(box["height"] > 0 and box["y"] >= 0 and box["y"] + box["height"] <= size["height"])


@pytest.mark.parametrize("player", ["robin", WIDEST])
def test_own_row_gap_and_time_left_are_seen_without_scrolling(weekly: int, opened: Opened, player: str) -> None:
    score(weekly, {f"player-{number:03d}": 1000 - number for number in range(60)} | {"robin": 964, WIDEST: 965})
    page = opened(f"/boards/{weekly}/?player={player}", viewport=PHONE)

    own = page.locator(".own")
    gap = own.locator(".own-gap")
    left = page.locator(".time-left")

    assert is_on_screen(page, own)
    expect(gap).to_contain_text("1 point" if player == "robin" else "level")
    assert is_on_screen(page, gap)
    expect(left).to_contain_text("Ends in")
    assert is_on_screen(page, left)


@pytest.mark.parametrize("viewport", [SMALL_PHONE, DESKTOP], ids=["360", "1280"])
def test_each_day_of_attendance_is_as_large_as_any_other(weekly: int, opened: Opened, viewport: object) -> None:
    robin = account("robin", "robin").player
    settle_due(clock.now())
    ActivityStore(redis.boards()).visit(Visit("home", "robin", number_of(robin.pk)), clock.now())

    page = opened("/account/", "robin", viewport=viewport)

    expect(page.get_by_text("1 of the last 70 days")).to_be_visible()
    widths = page.locator(".attendance-day").evaluate_all("all => all.map(each => each.getBoundingClientRect().width)")
    assert len(widths) == 70
    assert max(widths) - min(widths) < 0.5


def test_the_checks_find_what_is_wrong(opened: Opened) -> None:
    page = opened("/accounts/login/", viewport=SMALL_PHONE, locale="ko")

    page.evaluate(checks.AXE_CORE)

    page.evaluate(WRONG)

    assert {re.sub(r"^\d+|:.*", "", each) for each in checks.wrong_boxes(page, thumbs=True)} == {
        "sticks out", "cut off", "ends in dots", "text beyond its box", " px high", "not one h1", "skips a level",
        "no label", "no name", "nothing is nowhere", "twice",
    }  # fmt: skip  # as a list of words
    assert checks.english_words(page, ["Robin"]) == ["English: Robin leads."]
    assert {each.split()[1].rstrip(":") for each in checks.serious(page)} >= {"image-alt", "label"}
    assert [each.partition(" by ")[0] for each in checks.wrong_frame(page, "en")] == [
        "says it is in ko",
        "scrolls sideways",
    ]


# A page with one of everything that the checks look for.
WRONG = """() => {
    document.querySelector("#main").innerHTML = `<img src="data:,"><input class="field"><h4>나</h4><a href="#main"></a>
        <p id="same" aria-describedby="nowhere">Robin leads.</p><p id="same">UTC</p><p class="out">가</p>
        <p class="cut">가나다라마바사</p><p class="dots">가나다라마바사</p><button class="tight">가나다라</button>`;
    const style = (name, rules) => Object.assign(document.querySelector(`#main .${name}`).style, rules);
    const narrow = { width: "2rem", whiteSpace: "nowrap" };
    style("out", { width: "1000px" });
    style("cut", { ...narrow, overflow: "hidden" });
    style("dots", { ...narrow, overflow: "hidden", textOverflow: "ellipsis" });
    style("tight", { ...narrow, height: "20px" });
}"""
