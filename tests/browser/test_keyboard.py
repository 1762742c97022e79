"""Without a mouse: everything is reached in reading order, one sees where one is, nothing holds one fast, all works."""

from itertools import product

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import DESKTOP, PHONE, Opened
from tests.browser.crowd.boards import final_weeks
from tests.competitions.site import open_competition, raced
from tests.competitions.talking import say
from tests.playing import account, score

MOST_STEPS = 150  # a page of fifty players has some ninety places to go to

# Where the keyboard is: the place's number among all that can be reached, and what is wrong with it. -1 outside.
WHERE = """() => {
    const wanted = "a[href], button:not(:disabled), input:not([type=hidden]), select, textarea, summary";
    const isOfRow = (each) => each.matches(".row-more"); // one in each row, beside its link
    const all = [...document.querySelectorAll(wanted)].filter((each) => each.checkVisibility() && !isOfRow(each));
    const at = document.activeElement;
    if (isOfRow(at)) return [-2, all.length, ""];
    if (!all.includes(at)) return [-1, all.length, ""];
    const outlined = [null, "::after"].some((part) => {
        const { outlineStyle, outlineWidth } = getComputedStyle(at, part);
        return outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
    });
    const { top, bottom, left, right } = at.getBoundingClientRect();
    const seen = bottom > 0 && top < innerHeight && right > 0 && left < innerWidth;
    const wrong = [outlined || "not marked", seen || "out of sight"].filter((each) => each !== true);
    return [all.indexOf(at), all.length, wrong.length ? `${wrong} ${at.outerHTML.slice(0, 100)}` : ""];
}"""

# What of the focused element's middle is hidden by something else, if it is in sight.
COVERED = """() => {
    const at = document.activeElement, { left, top, width, height } = at.getBoundingClientRect();
    const over = document.elementFromPoint(left + width / 2, top + height / 2);
    const pinned = over && over.closest(".own.is-plate, .site-header");
    return pinned && !pinned.contains(at) ? [at.outerHTML.slice(0, 100)] : [];
}"""


@pytest.fixture
def played(weekly: int) -> str:
    """The address of a board with three pages and four weeks before this one; robin is on the second page."""
    final_weeks(weekly, 4)
    score(weekly, {f"p{number:03d}": 1000 - number for number in range(120)} | {"robin": 930})
    return f"/boards/{weekly}/"


def reach(page: Page, wanted: Locator) -> None:
    """Goes there by Tab alone."""
    expect(wanted).to_have_count(1)
    for _ in range(MOST_STEPS):
        if wanted.evaluate("each => each === document.activeElement"):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"Tab never came to {wanted}")


def test_tab_goes_everywhere_in_reading_order_is_seen_and_comes_out_again(played: str, opened: Opened) -> None:
    competition = open_competition(name="Spring run")
    raced(competition, {"mina": 50, "omar": 30})
    say(competition, "mina", "What a run!")
    account("robin", "robin")
    visits = {
        f"{played}?player=robin": "robin",
        f"/competitions/{competition.pk}/": "robin",
        "/accounts/login/": "",
        "/accounts/reset/": "",
        "/accounts/security/": "robin",
        "/accounts/security/app/": "robin",
        "/inbox/settings/": "robin",
    }

    for (address, who), viewport in product(visits.items(), (PHONE, DESKTOP)):
        page = opened(address, who, viewport=viewport, reduced_motion="reduce")
        places: list[int] = []
        wrong: list[str] = []
        for _ in range(MOST_STEPS):
            page.keyboard.press("Tab")
            place, count, complaint = page.evaluate(WHERE)
            if place == -2:
                continue
            if place == -1 or place in places:
                break
            places.append(place)
            wrong += [complaint] if complaint else []

        assert (address, wrong) == (address, [])
        assert (address, places) == (address, list(range(count)))


def test_a_board_is_gone_through_by_its_pages_periods_and_ranks_and_a_place_is_explained(
    played: str, opened: Opened
) -> None:
    page = opened(played, viewport=DESKTOP)

    reach(page, page.get_by_role("link", name="Next"))
    page.keyboard.press("Enter")
    page.wait_for_url("**/?page=2")
    reach(page, page.get_by_role("link", name="The period before"))
    page.keyboard.press("Enter")
    page.wait_for_url("**/?period=*")
    expect(page.get_by_text("Final standings")).to_be_visible()
    page.goto(played)
    reach(page, page.get_by_label("Find a player or a rank"))
    page.keyboard.type("77")
    page.keyboard.press("Enter")

    page.wait_for_url("**/?page=2#r77")
    expect(page.locator("#r77")).to_be_in_viewport()

    page.goto(f"{played}?player=robin")
    reach(page, page.locator(".own-why > summary"))
    page.keyboard.press("Enter")
    expect(page.locator(".reasons")).to_be_visible()
    page.keyboard.press("Space")
    expect(page.locator(".reasons")).to_be_hidden()
    reach(page, page.get_by_role("link", name="See the row"))
    page.keyboard.press("Enter")
    expect(page.locator("#me")).to_be_in_viewport()


def test_a_password_is_shown_while_its_button_is_pressed_down_and_never_kept_as_text(opened: Opened) -> None:
    account("robin")
    page = opened("/accounts/login/", viewport=PHONE)
    field, button = page.get_by_label("Password", exact=True), page.get_by_role("button", name="Show")
    page.get_by_label("Username").fill("robin")
    field.fill("a long enough password")

    reach(page, button)
    page.keyboard.press("Enter")
    expect(field).to_have_attribute("type", "text")
    expect(button).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Space")
    expect(field).to_have_attribute("type", "password")
    expect(button).to_have_attribute("aria-pressed", "false")
    page.keyboard.press("Enter")
    page.evaluate("document.forms[0].addEventListener('submit', (sent) => sent.preventDefault())")
    field.press("Enter")

    expect(field).to_have_attribute("type", "password")


def test_on_a_phone_nothing_that_the_keyboard_is_on_lies_under_what_is_pinned(played: str, opened: Opened) -> None:
    account("robin", "robin")
    for address, who in ((played, "robin"), (played, ""), ("/", "")):
        page = opened(address, who, viewport=PHONE, reduced_motion="reduce")
        covered = []
        for _ in range(60):
            page.keyboard.press("Tab")
            covered += page.evaluate(COVERED)
        assert covered == [], (address, who)


def test_what_is_sought_in_vain_is_said_where_the_page_opens(played: str, opened: Opened) -> None:
    page = opened(f"{played}?page=2", viewport=PHONE)
    field = page.get_by_label("Find a player or a rank")
    field.fill("nobodyx")
    field.press("Enter")

    page.wait_for_url("**/?find=nobodyx#find")
    expect(page.get_by_role("alert")).to_be_in_viewport()
    field.fill("77")
    field.press("Enter")
    page.wait_for_url("**/?page=2#r77")
