"""The share menu in a real browser: a dialog by keyboard and thumb, a page without scripts, and what it copies."""

import pytest
from django.conf import LazySettings
from playwright.sync_api import Page, expect

from tests.browser import checks
from tests.browser.conftest import DESKTOP, SMALL_PHONE, Opened, Photograph
from tests.browser.crowd.boards import WIDEST
from tests.playing import name, score

CLIPBOARD = ["clipboard-read", "clipboard-write"]


@pytest.fixture
def played(weekly: int) -> str:
    score(weekly, {"omar": 500, "mina": 300, "robin": 240})
    name("robin", "김민지")
    return f"/boards/{weekly}/"


def opened_menu(page: Page) -> None:
    """Opens the menu of the board, not of a row."""
    page.locator(".board-bar [data-share-menu]").click()
    expect(page.get_by_role("dialog")).to_be_visible()


def test_by_keyboard_it_opens_holds_the_focus_copies_says_so_and_gives_the_focus_back(
    played: str, opened: Opened, photograph: Photograph
) -> None:
    page = opened(f"{played}?player=robin", permissions=CLIPBOARD, viewport=DESKTOP)
    way = page.locator(".own [data-share-menu]")
    way.focus()

    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Share: Weekly wins")
    expect(dialog).to_be_visible()
    expect(dialog.locator("img")).to_have_js_property("complete", True)
    assert dialog.locator("img").evaluate("each => each.naturalWidth") == 1200
    photograph(page, "share-dialog-desktop")
    expect(dialog.get_by_role("button", name="Copy link")).to_be_focused()
    for _ in range(12):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement === document.body || !!document.activeElement.closest('dialog')")
    dialog.get_by_role("button", name="Copy link").click()
    expect(dialog.get_by_role("status")).to_have_text("Link copied")
    assert page.evaluate("navigator.clipboard.readText()").endswith(f"{played}?player=robin")
    page.keyboard.press("Escape")

    expect(dialog).to_be_hidden()
    expect(way).to_be_focused()


def test_the_html_of_a_frame_is_copied_and_the_sheet_of_the_device_gets_the_link(
    played: str, opened: Opened, settings: LazySettings
) -> None:
    settings.EMBED_SITES = ["https://game.example"]
    page = opened(played, permissions=CLIPBOARD)
    page.evaluate("navigator.share = (what) => { window.sent = what; return Promise.resolve(); }")

    opened_menu(page)
    page.get_by_text("Embed in another page").click()
    page.get_by_role("button", name="Copy HTML").click()
    expect(page.get_by_role("status").filter(has_text="HTML copied")).to_have_count(1)
    page.get_by_role("button", name="Share with …").click()

    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("<iframe src=")
    assert f'{played}?embed=1"' in copied
    assert page.evaluate("window.sent.url").endswith(played)
    page.get_by_role("button", name="Close").click()
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_without_an_answer_the_link_leads_to_the_page(played: str, opened: Opened) -> None:
    page = opened(played)
    page.route("**/share/**menu=1*", lambda route: route.fulfill(status=503, body=""))

    with page.expect_navigation():
        page.locator(".board-bar [data-share-menu]").click()

    expect(page.get_by_role("heading", level=1, name="Share: Weekly wins")).to_be_visible()


@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.parametrize("colours", ["light", "dark"])
def test_on_a_phone_nothing_sticks_out_all_is_large_enough_and_axe_finds_nothing(
    played: str, weekly: int, opened: Opened, photograph: Photograph, language: str, colours: str
) -> None:
    score(weekly, {WIDEST: 9})
    how = {"viewport": SMALL_PHONE, "locale": language, "color_scheme": colours}
    for player in ("robin", WIDEST):
        page = opened(f"{played}?player={player}", **how)
        opened_menu(page)
        expect(page.get_by_role("dialog").locator("img")).to_have_js_property("complete", True)

        photograph(page, f"share-dialog-{player[:5]}-{language}-{colours}")
        assert checks.wrong_boxes(page, thumbs=True) == []
        assert checks.serious(page) == []


def test_without_scripts_it_is_a_page_with_everything_to_copy_by_hand(
    played: str, opened: Opened, settings: LazySettings, photograph: Photograph
) -> None:
    settings.EMBED_SITES = ["https://game.example"]
    page = opened(f"{played}?player=robin", java_script_enabled=False, viewport=SMALL_PHONE)

    page.locator(".own [data-share-menu]").click()

    expect(page.get_by_label("Link to the row of 김민지")).to_have_value(
        f"{page.url.split('/boards/')[0]}{played}?player=robin"
    )
    expect(page.get_by_role("button", name="Copy link")).to_be_hidden()
    page.get_by_text("Embed in another page").click()
    expect(page.get_by_label("HTML for the other page")).to_be_visible()
    photograph(page, "share-page-without-scripts")
    with page.expect_download() as saved:
        page.get_by_role("link", name="Save the picture of this row").click()
    assert saved.value.suggested_filename.endswith(".png")
