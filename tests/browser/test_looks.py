"""What matters most on a page is seen first, whatever names are in its way, and times are on the viewer's clock."""

import json
from datetime import datetime
from pathlib import Path

import pytest
from playwright.sync_api import Dialog, Locator, expect

from leaderboards import formats
from tests.browser.checks import wrong_boxes
from tests.browser.conftest import DESKTOP, PHONE, SMALL_PHONE, Opened, Photograph
from tests.competitions.site import make_board as make_event_board
from tests.competitions.site import open_competition
from tests.playing import make_board, name, score

# Right to left, emoji, combining, 64 wide letters, markup.
NAMES: list[str] = json.loads((Path(__file__).parents[1] / "data" / "names.json").read_text())
WIDEST = "W" * 64
# Names that do not fit; each of them must be told whole in a title.
CUT = "all => all.filter(each => each.scrollHeight > each.clientHeight + 1).map(each => each.textContent)"
MOST_HEIGHT = 110  # two lines of a name and a tag below
HERE, THERE = "America/New_York", "Asia/Seoul"


@pytest.mark.parametrize("player", ["robin", WIDEST])
def test_own_row_gap_and_time_left_are_seen_without_scrolling(weekly: int, opened: Opened, player: str) -> None:
    score(weekly, {f"player-{number:03d}": 1000 - number for number in range(60)} | {"robin": 964, WIDEST: 965})

    page = opened(f"/boards/{weekly}/?player={player}", viewport=PHONE)

    gap, left = page.locator(".own .own-gap"), page.locator(".time-left")
    expect(gap).to_contain_text("1 point" if player == "robin" else "level")
    expect(left).to_contain_text("Ends in")
    for each in (page.locator(".own"), gap, left):
        expect(each).to_be_in_viewport(ratio=1)


def test_sixty_hard_names_leave_the_page_whole_and_safe(weekly: int, opened: Opened, photograph: Photograph) -> None:
    assert (len(set(NAMES)), max(map(len, NAMES))) == (60, 64)
    score(weekly, {f"p{nth:02d}": 1000 - nth for nth in range(len(NAMES))})
    for nth, hard in enumerate(NAMES):
        name(f"p{nth:02d}", hard)
    page = opened("/", reduced_motion="reduce")
    said: list[str] = []
    spilt = {}

    def heard(dialog: Dialog) -> None:
        said.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", heard)

    for address in ("/", "/players/p15/", f"/boards/{weekly}/?page=2&player=p30", f"/boards/{weekly}/?player=p14"):
        page.goto(address)
        for size in (SMALL_PHONE, PHONE, DESKTOP):
            page.set_viewport_size(size)
            cut = page.locator(".top th bdi:not([title])").evaluate_all(CUT)
            assert cut == [], (address, size)
            if wrong := wrong_boxes(page):
                spilt[address, size["width"]] = wrong
            heights = page.locator(".top tbody tr").evaluate_all("all => all.map(row => row.offsetHeight)")
            assert max(heights, default=0) <= MOST_HEIGHT
            photograph(page, f"names-{address}-{size['width']}")

    assert spilt == {}
    assert said == []
    assert page.locator(".top tbody th bdi").all_text_contents() == NAMES[:50]
    left = "all => all.map(each => each.getBoundingClientRect().x)"
    ranks, points = (
        page.locator(each).evaluate_all(left)
        for each in (".top tbody td:first-child", ".top tbody td:nth-last-child(2)")
    )
    assert all(rank < point for rank, point in zip(ranks, points, strict=True))
    expect(page.locator(".top b, .top script, .top img, .top svg")).to_have_count(0)


def moment_of(time: Locator, zone: str) -> str:
    """What it says in this zone."""
    return formats.moment(datetime.fromisoformat(time.get_attribute("datetime") or ""), zone)


def test_times_are_said_on_the_viewers_clock_also_after_a_change(weekly: int, opened: Opened) -> None:
    board = make_board(name="Of Seoul", update="increment", timezone=THERE)
    score(board, {"robin": 5, "mina": 3})
    page = opened(f"/boards/{board}/", viewport=DESKTOP, timezone_id=HERE)
    at_home = opened(f"/boards/{board}/", viewport=DESKTOP, timezone_id=THERE)
    expect(page.locator(".top tbody tr").first).to_contain_text("robin")
    expect(page.locator(".zone")).to_have_text(HERE)
    expect(at_home.locator("[data-state=live]")).to_be_visible()

    score(board, {"mina": 100})
    for each in (page, at_home):
        expect(each.locator(".top tbody tr").first).to_contain_text("mina")

    page.context.set_offline(True)  # so that the moment which is read stays the one that is shown
    asof = page.locator(".liveness-asof time")
    expect(page.locator("[data-state=lost]")).to_be_visible()
    at = datetime.fromisoformat(asof.get_attribute("datetime") or "")
    expect(asof).to_have_text(formats.time_of_day(at, HERE))
    expect(asof).to_have_attribute("title", f"{formats.time_of_day(at, THERE)} {THERE}")
    page.context.set_offline(False)
    expect(at_home.locator("time[title]")).to_have_count(0)  # nothing is said twice

    open_competition(make_event_board(timezone=THERE))
    page.goto("/competitions/")
    start = page.locator(".board-card time").first
    expect(page.locator(".board-card .zone").first).to_have_text(HERE)
    expect(start).to_have_text(moment_of(start, HERE))
