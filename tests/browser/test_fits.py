"""What a board's page says at widths at which there is hardly room for it, and what stays where it is."""

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect
from pytest_django.live_server_helper import LiveServer

from leaderboards.models import Player
from tests.browser.conftest import DESKTOP, PHONE, SMALL_PHONE, Opened, Photograph
from tests.playing import account, make_board, name, score

NARROW_DESKTOP = ViewportSize(width=1120, height=800)
# Texts of the lead that are shown in part: wider than their box, or beyond its card.
CUT = """(lead) => [...lead.querySelectorAll("*")].filter((each) => {
    const style = getComputedStyle(each);
    if (!each.innerText || style.display === "none" || style.display === "inline") return false;
    const hidden = style.overflowX !== "visible" || style.overflowY !== "visible";
    const box = each.getBoundingClientRect(), card = lead.getBoundingClientRect();
    const beyond = box.right > card.right + 1 || box.left < card.left - 1;
    return beyond || (hidden && each.scrollWidth > each.clientWidth + 1);
}).map((each) => `${each.className}: ${each.innerText}`)"""

# Numbers that stand on two lines.
BROKEN = """(each) => {
    const words = document.createTreeWalker(each, NodeFilter.SHOW_TEXT), found = [];
    while (words.nextNode()) {
        for (const number of words.currentNode.data.matchAll(/[0-9,.]+/g)) {
            const range = document.createRange();
            range.setStart(words.currentNode, number.index);
            range.setEnd(words.currentNode, number.index + number[0].length);
            if (range.getBoundingClientRect().height > 1.6 * parseFloat(getComputedStyle(each).fontSize)) {
                found.push(number[0]);
            }
        }
    }
    return found;
}"""
# What lies between a face and its name.
APART = """(each) => each.querySelector("bdi").getBoundingClientRect().left
    - each.querySelector(".face").getBoundingClientRect().right"""
# How much wider each box is than its words: with less than nothing they end in dots.
SPARE = """(all) => all.map((each) => {
    const words = document.createRange();
    words.selectNodeContents(each);
    return each.getBoundingClientRect().width - words.getBoundingClientRect().width;
})"""
# Of each row: the room of a name that is cut, and how far the result comes into its cell.
ROOM = """(rows) => rows.map((row) => {
    const [cell, name] = ["th", "th > p bdi"].map((each) => row.querySelector(each).getBoundingClientRect());
    const range = document.createRange();
    range.selectNodeContents(row.querySelector("td:not(:first-child):nth-last-child(2), td:last-child"));
    const isWhole = row.querySelector("bdi").scrollWidth <= row.querySelector("bdi").clientWidth;
    return [isWhole ? Infinity : name.width, cell.right - range.getBoundingClientRect().left];
})"""


@pytest.fixture
def played(weekly: int) -> str:
    account("robin", "robin")
    score(weekly, {"mina": 1_234_567, "freya": 56, "robin": 50, "omar": 9, "aiko": 8})
    score(weekly, {f"p{nth:02d}": 10 * nth for nth in range(1, 40)})  # so that the page draws how points are spread
    name("mina", "Mina Vandenberg")
    return f"/boards/{weekly}/"


def places(*parts: Locator) -> list[tuple[float, float]]:
    boxes = [part.bounding_box() for part in parts]
    return [(box["x"], box["y"]) for box in boxes if box]


@pytest.mark.parametrize("viewport", [PHONE, DESKTOP, NARROW_DESKTOP], ids=lambda each: str(each["width"]))
def test_nothing_moves_when_the_reasons_of_a_place_open(
    played: str, opened: Opened, photograph: Photograph, viewport: ViewportSize
) -> None:
    page: Page = opened(f"{played}?player=robin", viewport=viewport)
    own = page.locator(".own.is-plate")
    toggle = own.locator(".own-why > summary")
    toggle.scroll_into_view_if_needed()
    parts = toggle, own.locator("[data-share-menu]"), own.locator(".own-rank"), page.locator(".board-bar")
    before = places(*parts)

    toggle.click()

    expect(own.locator(".reasons li").first).to_be_visible()
    photograph(page, f"reasons-{viewport['width']}")
    assert len(before) == len(parts)
    assert places(*parts) == before
    box = own.locator(".reasons").bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= viewport["width"]
    in_front = (
        "each => each.contains(document.elementFromPoint(...(b => [b.x + 20, b.y + 20])(each.getBoundingClientRect())))"
    )
    assert own.locator(".reasons").evaluate(in_front)


@pytest.mark.parametrize("viewport", [SMALL_PHONE, NARROW_DESKTOP, DESKTOP], ids=lambda each: str(each["width"]))
def test_who_leads_is_shown_whole(played: str, opened: Opened, photograph: Photograph, viewport: ViewportSize) -> None:
    page: Page = opened(played, viewport=viewport)
    photograph(page, f"lead-{viewport['width']}")

    lead = page.locator(".board-lead")
    expect(lead).to_contain_text("Mina Vandenberg")
    assert lead.evaluate(CUT) == []


HUGE = {"mina": 999_999_999_999_999, "robin": 111_111_111_111_111, "freya": 1_700_000_000, "omar": 9}


@pytest.fixture
def huge(live_server: LiveServer) -> str:
    del live_server
    board = make_board(name="Dust", ties="shared", maximum=10**15 - 1, total_maximum=10**15 - 1)
    for player in ("mina", "robin", "freya", "omar"):
        account(player, player)
    score(board, HUGE)
    name("mina", "Mina Vandenberg")
    return f"/boards/{board}/"


@pytest.mark.parametrize("player", ["mina", "robin", "freya", "omar"])
@pytest.mark.parametrize("locale", ["en", "ko"])
def test_a_phones_plate_stays_low_and_breaks_no_number_whatever_is_counted(
    huge: str, opened: Opened, photograph: Photograph, player: str, locale: str
) -> None:
    page: Page = opened(huge, who=player, viewport=SMALL_PHONE, locale=locale)
    plate = page.locator(".own.is-plate")
    photograph(page, f"plate-of-{player}-{locale}")

    box = plate.bounding_box()
    assert box
    assert box["height"] <= 110
    assert plate.locator(".own-gap").evaluate(BROKEN) == []
    assert plate.locator(".own-name").evaluate(APART) <= 10


def test_beside_long_results_a_phone_leaves_a_name_some_room(huge: str, opened: Opened, photograph: Photograph) -> None:
    distance = make_board(name="Metres", ties="shared", decimals=3)
    score(distance, {"x-long-player-name": "1000000.000", "y-other-player": "1000.000"})
    Player.objects.update(country="SE")
    for address, least in ((huge, 68), (f"/boards/{distance}/", 80)):
        page: Page = opened(address, viewport=SMALL_PHONE)
        photograph(page, f"long-results-{address}")
        rows = page.locator(".top tbody tr").evaluate_all(ROOM)
        assert rows
        assert min(room for room, _ in rows) >= least, rows
        assert max(beyond for _, beyond in rows) <= 0, rows


def test_a_card_cuts_a_long_name_and_not_the_score(weekly: int, opened: Opened, photograph: Photograph) -> None:
    score(weekly, {"mina": 1_234_567, "w" * 60: 59})
    page: Page = opened("/", viewport=SMALL_PHONE)
    page.locator(".board-card-best").evaluate("each => { each.style.width = '15rem'; }")
    photograph(page, "card-with-a-long-name")

    figures = page.locator(".board-card-best .figure")
    expect(figures).to_have_count(2)
    assert min(figures.evaluate_all(SPARE)) >= 0
