"""The menu of a row, following without leaving the page, filters that live refresh keeps, and two players compared."""

import pytest
from playwright.sync_api import Page, expect

from leaderboards.models import Follow
from tests.browser import checks
from tests.browser.conftest import DESKTOP, SMALL_PHONE, Opened
from tests.browser.test_held import answered
from tests.playing import account, name, score


@pytest.fixture
def board(weekly: int) -> int:
    account("robin", "robin")
    score(weekly, {"omar": 500, "mina": 300, "robin": 240, "eve": 100})
    return weekly


def players(page: Page) -> list[str]:
    return [
        each or "" for each in page.locator(".top tbody tr").evaluate_all("rows => rows.map((row) => row.dataset.key)")
    ]


def open_menu(page: Page, player: str) -> None:
    page.locator(f'.top tr[data-key="{player}"] th bdi').hover()
    page.locator(f'.top tr[data-key="{player}"] .row-more').click()
    expect(page.locator(".row-menu-inside")).to_be_visible()


def test_a_row_has_a_menu_that_follows_without_leaving_the_page(board: int, opened: Opened) -> None:
    page = opened(f"/boards/{board}/", who="robin", viewport=DESKTOP)
    page.evaluate("window.sameAsBefore = true")

    open_menu(page, "mina")
    page.locator(".row-menu").get_by_role("button", name="Follow").click()
    expect(page.locator(".row-menu").get_by_role("button", name="Unfollow")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".row-menu")).to_be_hidden()

    assert list(Follow.objects.values_list("player__external_id", flat=True)) == ["mina"]
    assert page.evaluate("window.sameAsBefore")


def test_the_menus_button_outlives_a_refresh_and_is_reached_by_keyboard(board: int, opened: Opened) -> None:
    page = opened(f"/boards/{board}/", who="robin", viewport=DESKTOP)
    page.locator('.top tr[data-key="mina"] th > p > a').focus()

    answered(page, board, {"mina": 7, "eve": 300})

    assert players(page) == ["omar", "eve", "mina", "robin"]
    page.keyboard.press("Tab")
    expect(page.locator('.top tr[data-key="mina"] .row-more')).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".row-menu").get_by_role("link", name="Profile")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator('.top tr[data-key="mina"] .row-more')).to_be_focused()
    expect(page.locator(".top tbody .row-more")).to_have_count(4)


def test_live_refresh_keeps_the_filter(board: int, opened: Opened) -> None:
    page = opened("/players/eve/", who="robin", viewport=DESKTOP)
    page.get_by_role("button", name="Follow").click()
    expect(page.get_by_role("button", name="Unfollow")).to_be_visible()
    page.goto(f"/boards/{board}/")
    page.get_by_role("link", name="Following").click()
    expect(page.locator(".top tbody tr")).to_have_count(2)

    answered(page, board, {"eve": 1000, "mina": 1})

    assert page.url.endswith("?of=following")
    assert players(page) == ["eve", "robin"]
    expect(page.locator('.top tr[data-key="eve"] > td:first-child')).to_have_text("1")
    page.get_by_role("link", name="Everyone").click()
    expect(page.locator(".top tbody tr")).to_have_count(4)


def test_all_of_it_works_without_scripts(board: int, opened: Opened) -> None:
    page = opened("/players/mina/", who="robin", java_script_enabled=False)
    page.get_by_role("button", name="Follow").click()
    expect(page.get_by_role("button", name="Unfollow")).to_be_visible()
    page.get_by_role("link", name="Compare with me").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("robin and mina compared")
    page.goto("/account/following/")
    page.get_by_role("button", name="Unfollow mina").click()
    expect(page.get_by_text("You follow nobody yet.")).to_be_visible()
    assert page.url.endswith("/account/following/")


def test_two_are_compared_from_a_row_and_the_address_can_be_shared(board: int, opened: Opened) -> None:
    page = opened(f"/boards/{board}/", who="robin", viewport=DESKTOP)

    open_menu(page, "omar")
    page.get_by_role("link", name="Compare with me").click()
    expect(page.locator(".compare-gap")).to_have_text("omar is ahead: 260 points")
    shared = page.url
    assert shared.endswith(f"/compare/?a=robin&b=omar&board={board}")

    stranger = opened(shared)
    expect(stranger.locator(".compare-gap")).to_have_text("omar is ahead: 260 points")
    stranger.get_by_role("link", name="Compare with somebody else").click()
    stranger.get_by_label("With whom?").fill("mina")
    stranger.keyboard.press("Enter")
    expect(stranger.locator(".compare-gap")).to_have_text("mina is ahead: 60 points")


def test_the_strip_of_a_small_phone_has_room_for_a_name(board: int, opened: Opened) -> None:
    score(board, {"robin": 710_000})
    name("robin", "Robin Hood")

    page = opened(f"/boards/{board}/", who="robin", viewport=SMALL_PHONE)

    shown = page.locator(".own-name bdi")
    assert shown.evaluate("(each) => each.scrollWidth <= each.clientWidth")
    assert page.locator(".own-you").evaluate("(each) => each.textContent") == "You"  # for who listens
    assert checks.wrong_boxes(page, thumbs=True) == []
