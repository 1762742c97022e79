"""What a row offers on a phone: dots for a thumb at its end; without scripts the row leads to its player."""

import pytest
from playwright.sync_api import ViewportSize, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser import checks
from tests.browser.conftest import DESKTOP, PHONE, SMALL_PHONE, Opened, Photograph
from tests.competitions.site import open_competition
from tests.competitions.site import raced as raced_in
from tests.playing import account, make_board, score

THUMB = {"has_touch": True, "is_mobile": True}
CRITERIA = [
    {"name": "stage", "max": 32750, "order": "desc"},
    {"name": "members", "max": 255, "order": "asc"},
]
HIGH = """() => [...document.querySelectorAll(".row-menu a, .row-menu button")]
    .map((each) => each.getBoundingClientRect().height)"""
NAMES = """() => [...document.querySelectorAll(".top tbody th > p > a")].map((each) => {
    const { left, top } = each.getBoundingClientRect();
    return [left, top];
})"""


@pytest.fixture
def board(weekly: int) -> int:
    account("robin", "robin")
    score(weekly, {"omar": 500, "mina": 300, "robin": 240, "W" * 64: 100})
    return weekly


@pytest.mark.parametrize("phone", [PHONE, SMALL_PHONE], ids=["390", "360"])
def test_every_row_has_dots_for_a_thumb_and_they_open_a_sheet_at_the_foot(
    board: int, opened: Opened, photograph: Photograph, phone: ViewportSize
) -> None:
    page = opened(f"/boards/{board}/", who="robin", viewport=phone, **THUMB)
    expect(page.locator(".top tbody .row-more")).to_have_count(4)
    names = page.evaluate(NAMES)
    for dots in page.locator(".top tbody .row-more").all():
        box = dots.bounding_box()
        assert box
        assert min(box["width"], box["height"]) >= 44
        assert box["x"] + box["width"] <= phone["width"]

    page.get_by_role("button", name="More about mina").tap()

    sheet = page.get_by_role("dialog", name="More about mina")
    for name in ("Profile", "Compare with me", "Share this row"):
        expect(sheet.get_by_role("link", name=name)).to_be_visible()
    expect(sheet.get_by_role("button", name="Follow")).to_be_visible()
    assert min(page.evaluate(HIGH)) >= 44
    box = sheet.bounding_box()
    assert box
    assert (box["x"], round(box["width"]), round(box["y"] + box["height"])) == (0, phone["width"], phone["height"])
    photograph(page, f"row-menu-{phone['width']}")
    sheet.get_by_role("link", name="Share this row").tap()
    expect(page.get_by_role("textbox", name="Link to the row of mina")).to_have_value(
        f"{page.url.split('/boards')[0]}/boards/{board}/?player=mina"
    )
    assert page.evaluate(NAMES) == names
    assert checks.wrong_frame(page, "en") == []


def test_ones_own_row_offers_what_makes_sense_there(board: int, opened: Opened) -> None:
    page = opened(f"/boards/{board}/", who="robin", **THUMB)

    page.get_by_role("button", name="More about robin").tap()

    expect(page.locator(".row-menu-way")).to_have_text(["Profile", "Share this row"])


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_a_row_leads_to_its_player_wherever_a_thumb_presses_it(board: int, opened: Opened, scripts: bool) -> None:
    page = opened(f"/boards/{board}/", java_script_enabled=scripts, **THUMB)

    box = page.locator(".top tbody tr").nth(1).get_by_text("300").bounding_box()
    assert box
    page.touchscreen.tap(box["x"] + 5, box["y"] + 5)

    page.wait_for_url("**/players/mina/")
    expect(page.get_by_role("link", name="Compare", exact=True)).to_be_visible()
    expect(page.get_by_role("link", name="Follow")).to_be_visible()
    page.get_by_role("link", name="Share this row of Weekly wins").tap()
    expect(page.get_by_role("textbox", name="Link to the row of mina")).to_be_visible()


def test_rows_of_criteria_and_of_competitions_have_them_too(
    board: int, live_server: LiveServer, opened: Opened
) -> None:
    del live_server
    raid = make_board(name="Raid", update="best", criteria=CRITERIA)
    score(raid, {"mina": {"stage": 31_000, "members": 200}, "W" * 64: {"stage": 30_000, "members": 255}})
    cup = open_competition(name="Spring run")
    raced_in(cup, {"mina": 50, "omar": 30})
    for path in (f"/boards/{raid}/", f"/competitions/{cup.pk}/"):
        page = opened(path, viewport=SMALL_PHONE, **THUMB)
        expect(page.locator(".row-more")).to_have_count(2)
        page.get_by_role("button", name="More about mina").tap()
        expect(page.get_by_role("dialog").get_by_role("link", name="Share this row")).to_be_visible()
        page.keyboard.press("Escape")
        assert checks.wrong_frame(page, "en") == []
        assert checks.wrong_boxes(page, thumbs=True) == []
        for plate in page.locator(".own.is-leader").all():
            box = plate.bounding_box()
            assert box
            assert box["height"] < 140


def test_on_a_desk_the_dots_are_there_for_the_row_under_the_pointer(board: int, opened: Opened) -> None:
    page = opened(f"/boards/{board}/", viewport=DESKTOP)
    mina, omar = (page.locator(f'.top tr[data-key="{player}"] .row-more') for player in ("mina", "omar"))

    page.locator('.top tr[data-key="mina"]').hover()

    expect(mina).to_have_css("opacity", "1")
    expect(omar).to_have_css("opacity", "0")


def test_on_a_phone_who_takes_part_sees_the_first_rows_of_a_competition_at_once(
    board: int, opened: Opened, photograph: Photograph
) -> None:
    del board
    cup = open_competition(name="Workout among friends")
    raced_in(cup, {"mina": 50, "omar": 30, "robin": 20})
    page = opened(f"/competitions/{cup.pk}/", who="robin", viewport=PHONE, **THUMB)

    second = page.locator('.top tr[data-key="omar"]').bounding_box()
    joined = page.locator(".competition-mine > .join").bounding_box()

    assert second
    assert joined
    assert second["y"] + second["height"] < PHONE["height"] - 56  # the bar at the foot
    assert joined["y"] > second["y"]
    assert checks.wrong_frame(page, "en") == []
    photograph(page, "competition-first-screen")
