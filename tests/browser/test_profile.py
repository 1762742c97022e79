"""A player's page with what they have finished, their own profile in one form, and pictures from this site alone."""

from io import BytesIO

import pytest
from PIL import Image
from playwright.sync_api import Page, expect
from pytest_django.fixtures import Settings

from foundation import clock
from leaderboards.services.players import pictures
from leaderboards.services.players.profiles import set_profile
from tests.browser.conftest import DESKTOP, SMALL_PHONE, Opened, Photograph
from tests.leaderboards.views.pages import WEEK, close_all_past
from tests.playing import HARD_NAMES, account, name, score

PAPER = "getComputedStyle(document.documentElement).getPropertyValue('--paper').trim()"
LIGHT, DARK = "#f1f2f5", "#0d0e13"


@pytest.fixture
def played(weekly: int) -> int:
    """Three weeks that robin and a player of a hard name finished next to each other, and one that runs."""
    for ago, points in (
        (3, {"robin": 9, "mina": 8, "zoe": 7}),
        (2, {"mina": 9, "robin": 8}),
        (1, {"robin": 9, "mina": 8}),
    ):
        score(weekly, points, clock.now() - ago * WEEK)
    close_all_past(weekly)
    score(weekly, {"robin": 5, "mina": 7})
    name("robin", "Robin")
    name("mina", HARD_NAMES[0])
    account("robin", "robin")
    return weekly


def choose(page: Page, theme: str) -> None:
    page.get_by_label(theme, exact=True).check()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_have_text("Saved.")


def test_who_chose_a_theme_has_it_on_every_page_whatever_the_device_says(played: int, opened: Opened) -> None:
    page = opened("/account/", who="robin", viewport=SMALL_PHONE, color_scheme="light")
    page.get_by_role("link", name="Edit my profile").click()
    page.wait_for_url("**/account/profile/")
    assert page.evaluate(PAPER) == LIGHT

    choose(page, "dark")

    for address in ("/account/profile/", f"/boards/{played}/", "/players/robin/", "/competitions/", "/"):
        page.goto(address)
        assert page.evaluate(PAPER) == DARK, address
        assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "dark"
    page.emulate_media(color_scheme="dark")
    page.goto("/account/profile/")
    choose(page, "light")
    assert page.evaluate(PAPER) == LIGHT
    choose(page, "as my device")
    assert page.evaluate(PAPER) == DARK


def test_what_a_player_finished_opens_on_a_phone_and_leads_to_its_period(
    played: int, opened: Opened, photograph: Photograph
) -> None:
    page = opened("/players/robin/", viewport=SMALL_PHONE)
    photograph(page, "profile-phone")

    page.get_by_text("Places over time").click()
    expect(page.get_by_role("table", name="Final ranks, the latest first").get_by_role("row")).to_have_count(4)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    expect(page.locator(".rival")).to_contain_text("passed")
    page.locator(".trophy a").first.click()
    expect(page.locator("#me")).to_be_visible()


def test_a_picture_comes_from_this_site_and_is_as_large_as_a_face(
    played: int, opened: Opened, settings: Settings, monkeypatch: pytest.MonkeyPatch, photograph: Photograph
) -> None:
    settings.PICTURE_HOSTS = ["img.example.org"]
    kept = BytesIO()
    Image.new("RGB", (600, 400), "teal").save(kept, "JPEG")
    monkeypatch.setattr(pictures, "fetch", lambda *_: kept.getvalue())
    set_profile("robin", {"avatar_url": "https://img.example.org/robin.jpg"}, clock.now())
    assert pictures.fetch_due_pictures(clock.now(), 60.0) == 1

    page = opened("/players/robin/", viewport=DESKTOP, color_scheme="dark")
    face = page.locator(".player-head img.face")
    photograph(page, "profile-picture")
    assert face.evaluate("each => each.decode().then(() => each.naturalWidth)") == 224
    page.goto(f"/boards/{played}/")
    row = page.locator(".top img.face").first
    assert row.evaluate("each => each.decode().then(() => each.naturalWidth)") == 64
    drawn = page.locator(".top th > p > i").first
    assert row.bounding_box()["width"] == drawn.bounding_box()["width"]  # type: ignore[index]  # both are on the page, so each has a box
