"""What a board's page says at widths at which there is hardly room for it, and what stays where it is."""

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect

from tests.browser.conftest import DESKTOP, PHONE, SMALL_PHONE, Opened, Photograph
from tests.playing import account, name, score

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
