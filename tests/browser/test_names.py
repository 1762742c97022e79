"""Sixty hard names at once: right to left, emoji, combining, 64 wide letters, markup. The page stays whole and safe."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Dialog, Page, ViewportSize, expect

from tests.browser.checks import wrong_boxes
from tests.browser.conftest import DESKTOP, PHONE, SMALL_PHONE, Opened
from tests.playing import name, score

NAMES: list[str] = json.loads((Path(__file__).parents[1] / "data" / "names.json").read_text())
MOST_HEIGHT = 110  # two lines of a name and a tag below


def heard(said: list[str], dialog: Dialog) -> None:
    """Notes what a script would have said."""
    said.append(dialog.message)
    dialog.dismiss()


def test_there_are_sixty() -> None:
    assert len(NAMES) == len(set(NAMES)) == 60
    assert max(map(len, NAMES)) == 64


@pytest.mark.slow
def test_sixty_hard_names_leave_the_page_whole_and_safe(
    weekly: int, opened: Opened, photograph: Callable[[Page, str], None]
) -> None:
    score(weekly, {f"p{nth:02d}": 1000 - nth for nth in range(len(NAMES))})
    for nth, hard in enumerate(NAMES):
        name(f"p{nth:02d}", hard)
    page = opened("/", reduced_motion="reduce")
    said: list[str] = []
    page.on("dialog", partial(heard, said))
    spilt = {}

    for address in (f"/boards/{weekly}/?player=p14", f"/boards/{weekly}/?page=2&player=p30", "/players/p15/", "/"):
        for size in (SMALL_PHONE, PHONE, DESKTOP):
            page.set_viewport_size(ViewportSize(width=size["width"], height=size["height"]))
            page.goto(address)
            if wrong := wrong_boxes(page):
                spilt[address, size["width"]] = wrong
            heights = page.locator(".top tbody tr").evaluate_all("all => all.map(row => row.offsetHeight)")
            assert max(heights, default=0) <= MOST_HEIGHT
            photograph(page, f"names-{address}-{size['width']}")

    assert spilt == {}
    assert said == []
    page.goto(f"/boards/{weekly}/")
    shown = page.locator(".top tbody .name").all_text_contents()
    assert shown == NAMES[:50]
    for row in page.locator(".top tbody tr").all():
        rank, points = row.locator(".rank").bounding_box(), row.locator(".result").bounding_box()
        assert rank is not None
        assert points is not None
        assert rank["x"] < points["x"]
    expect(page.locator(".top b, .top script, .top img, .top svg")).to_have_count(0)
