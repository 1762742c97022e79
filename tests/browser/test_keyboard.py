"""Without a mouse: everything is reached in reading order, one sees where one is, nothing holds one fast, all works."""

from itertools import product

import pytest
from playwright.sync_api import Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from competitions.models import Competition, Participant
from tests.browser.conftest import DESKTOP, PHONE, Opened
from tests.browser.crowd.boards import final_weeks
from tests.competitions.site import open_competition, raced
from tests.competitions.talking import say
from tests.playing import account, score

MOST_STEPS = 150  # a page of fifty players has some ninety places to go to

# Where the keyboard is: the place's number among all that can be reached, and what is wrong with it. -1 outside.
WHERE = """() => {
    const wanted = "a[href], button:not(:disabled), input:not([type=hidden]), select, textarea, summary";
    const all = [...document.querySelectorAll(wanted)].filter((each) => each.checkVisibility());
    const at = document.activeElement;
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


@pytest.fixture
def talked(live_server: LiveServer) -> Competition:
    """Mina and omar run, and mina has said something; robin has an account."""
    competition = open_competition(name="Spring run")
    raced(competition, {"mina": 50, "omar": 30})
    say(competition, "mina", "What a run!")
    account("robin", "robin")
    return competition


@pytest.fixture
def played(weekly: int) -> str:
    """The address of a board with three pages and four weeks before this one; robin is on the second page."""
    final_weeks(weekly, 4)
    score(weekly, {f"p{number:03d}": 1000 - number for number in range(120)} | {"robin": 930})
    return f"/boards/{weekly}/"


def walked(page: Page) -> tuple[list[int], int, list[str]]:
    """The places that Tab goes to until it leaves the page, how many there are, and what is wrong with them."""
    places: list[int] = []
    wrong: list[str] = []
    for _ in range(MOST_STEPS):
        page.keyboard.press("Tab")
        place, count, complaint = page.evaluate(WHERE)
        if place == -1 or place in places:
            break
        places.append(place)
        wrong += [complaint] if complaint else []
    return places, count, wrong


def reach(page: Page, wanted: Locator) -> None:
    """Goes there by Tab alone."""
    expect(wanted).to_have_count(1)
    for _ in range(MOST_STEPS):
        if wanted.evaluate("each => each === document.activeElement"):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"Tab never came to {wanted}")


def test_tab_goes_everywhere_in_reading_order_is_seen_and_comes_out_again(
    played: str, talked: Competition, opened: Opened
) -> None:
    visits = {
        f"{played}?player=robin": "robin",
        f"/competitions/{talked.pk}/": "robin",
        "/accounts/login/": "",
        "/inbox/settings/": "robin",
    }

    for (address, who), viewport in product(visits.items(), (PHONE, DESKTOP)):
        places, count, wrong = walked(opened(address, who, viewport=viewport, reduced_motion="reduce"))
        assert (address, wrong) == (address, [])
        assert (address, places) == (address, list(range(count)))


def test_a_board_is_gone_through_by_its_pages_its_periods_and_its_ranks(played: str, opened: Opened) -> None:
    page = opened(played, viewport=DESKTOP)

    reach(page, page.get_by_role("link", name="Next"))
    page.keyboard.press("Enter")
    page.wait_for_url("**/?page=2")
    reach(page, page.locator(".period:not(.is-running)").first)
    page.keyboard.press("Enter")
    page.wait_for_url("**/?period=*")
    expect(page.get_by_text("Final standings")).to_be_visible()
    page.goto(played)
    reach(page, page.get_by_label("Find a player or a rank"))
    page.keyboard.type("77")
    page.keyboard.press("Enter")

    page.wait_for_url("**/?page=2#rank-77")
    expect(page.locator("#rank-77")).to_be_in_viewport()


def test_a_place_is_explained_and_its_row_shown(played: str, opened: Opened) -> None:
    page = opened(f"{played}?player=robin")

    reach(page, page.get_by_text("Why this place?", exact=True))
    page.keyboard.press("Enter")
    expect(page.locator(".reasons")).to_be_visible()
    page.keyboard.press("Space")
    expect(page.locator(".reasons")).to_be_hidden()
    page.reload()
    reach(page, page.get_by_role("link", name="See the row"))
    page.keyboard.press("Enter")

    expect(page.locator("#me")).to_be_in_viewport()


def test_somebody_joins_says_something_and_likes(talked: Competition, opened: Opened) -> None:
    page = opened(f"/competitions/{talked.pk}/", "robin")

    reach(page, page.get_by_role("button", name="Join"))
    page.keyboard.press("Enter")
    expect(page.get_by_text("You take part.")).to_be_visible()
    reach(page, page.get_by_label("Your comment"))
    page.keyboard.type("Here I am.")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(page.locator(".comment-text").first).to_have_text("Here I am.")
    like = page.get_by_role("button", name="Like the comment of mina")
    reach(page, like)
    page.keyboard.press("Space")

    expect(like).to_have_attribute("aria-pressed", "true")
    expect(like).to_be_focused()
    assert Participant.objects.get(player__external_id="robin").takes_part
