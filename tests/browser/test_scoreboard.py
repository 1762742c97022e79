"""The face of the pages: type, hues, faces and flags, the viewer's plate, the tiles of the time left, and search."""

import gzip
import re
from datetime import timedelta
from itertools import product

import pytest
from django.conf import settings
from playwright.sync_api import Page, ViewportSize, expect

from foundation import clock
from leaderboards.core.hues import HUES
from leaderboards.models import Player
from tests.browser import checks
from tests.browser.conftest import DESKTOP, PHONE, SMALL_PHONE, Opened
from tests.leaderboards.views.pages import close_all_past
from tests.playing import account, make_board, name, score

WIDE = ViewportSize(width=1440, height=900)
HEIGHT = "each => Math.round(each.getBoundingClientRect().height)"
LOADED = """() => document.fonts.ready.then(() => [...document.fonts].filter((each) => each.status === "loaded")
    .map((each) => each.family.replaceAll('"', "")))"""
TRANSFERRED = """() => performance.getEntries().filter((each) => each.transferSize && /css|script|font|woff2/.test(
    `${each.initiatorType} ${each.name}`)).map((each) => [new URL(each.name).pathname, each.encodedBodySize])"""


@pytest.fixture
def played(weekly: int) -> str:
    """Its address. Robin is third of five, six points behind Freya."""
    account("robin", "robin")
    score(weekly, {"mina": 100, "freya": 56, "robin": 50, "omar": 9, "aiko": 8})
    name("freya", "Freya")
    name("robin", "Robin")
    Player.objects.filter(external_id="freya").update(country="SE")
    return f"/boards/{weekly}/"


def test_the_own_plate_says_the_rank_largest_and_the_gap_in_words(played: str, opened: Opened) -> None:
    page = opened(played, who="robin", viewport=WIDE)
    own = page.locator(".own.is-plate")

    expect(own.locator(".own-rank")).to_contain_text("3")
    expect(own.locator(".own-gap")).to_have_text("6 points behind Freya")
    sizes = page.locator("main *").evaluate_all("all => all.map(each => parseFloat(getComputedStyle(each).fontSize))")
    assert own.locator(".own-rank").evaluate("each => parseFloat(getComputedStyle(each).fontSize)") == max(sizes)
    own.get_by_text("Why 3?").click()
    expect(own.locator(".reasons")).to_be_visible()
    own.get_by_role("link", name="See the row").click()
    expect(page.locator("#me")).to_be_in_viewport()


@pytest.mark.parametrize("locale", ["en", "ko"])
def test_a_plate_of_a_shared_rank_is_no_higher_than_another_one_needs(opened: Opened, locale: str) -> None:
    board = make_board(name="Golf", ties="shared")
    account("robin", "robin")
    score(board, {f"p{number:02d}": 900 - number for number in range(36)} | dict.fromkeys(("robin", "a", "b", "c"), 9))
    name("p35", "Bartholomew")

    for size, most in ((SMALL_PHONE, 100), (PHONE, 100), (WIDE, 320)):
        page = opened(f"/boards/{board}/", who="robin", viewport=size, locale=locale)
        plate, buttons = page.locator(".own.is-plate"), page.locator(".own .plate-button")
        tops = {round(each["y"]) for each in (button.bounding_box() for button in buttons.all()) if each}

        assert plate.evaluate(HEIGHT) <= most, size
        assert len(tops) == 1, size
        assert checks.wrong_boxes(page, thumbs=size is not WIDE) == []


def test_who_is_not_signed_in_sees_the_leader_there_and_the_way_in(played: str, opened: Opened) -> None:
    page = opened(played, viewport=WIDE)

    expect(page.locator(".own.is-leader")).to_contain_text("44 points ahead of Freya")
    expect(page.get_by_role("link", name="Link your player")).to_be_hidden()
    page.get_by_role("link", name="Sign in to race").click()
    page.wait_for_url(f"**/accounts/login/?next={played}")


@pytest.mark.parametrize("size", [PHONE, SMALL_PHONE], ids=["390", "360"])
def test_on_a_phone_the_plate_is_pinned_above_the_ways_of_the_site(
    weekly: int, opened: Opened, size: ViewportSize
) -> None:
    account("robin", "robin")
    score(weekly, {f"p{number:03d}": 1000 - number for number in range(40)} | {"robin": 1})
    page = opened(f"/boards/{weekly}/", who="robin", viewport=size)
    own, ways = page.locator(".own.is-plate"), page.locator(".site-header")

    for _ in range(3):
        expect(own).to_be_in_viewport(ratio=0.99)
        expect(ways).to_be_in_viewport(ratio=0.99)
        bottom, top = own.evaluate("each => each.getBoundingClientRect().bottom"), ways.bounding_box()
        assert top is not None
        assert abs(bottom - top["y"]) <= 1
        page.mouse.wheel(0, 900)
    row = page.locator(".top tbody tr").nth(4)
    assert row.evaluate(HEIGHT) in range(55, 59)
    assert checks.wrong_frame(page, "en") + checks.wrong_boxes(page, thumbs=True) == []


def test_rows_are_people_with_a_face_and_a_flag_and_the_first_three_stand_on_metal(played: str, opened: Opened) -> None:
    page = opened(played, viewport=WIDE)
    rows = page.locator(".top tbody tr")

    expect(rows.locator("th > p > i")).to_have_count(5)
    expect(rows.locator("th img[title]")).to_have_count(1)
    expect(rows.nth(1).get_by_role("img", name="Sweden")).to_be_visible()
    tiles = rows.locator(".rank-tile").evaluate_all("all => all.map(each => getComputedStyle(each).backgroundColor)")
    assert len(set(tiles)) == len(tiles) == 3
    assert rows.nth(4).evaluate(HEIGHT) in range(44, 48)
    face = rows.nth(0).locator("th > p > i").get_attribute("data-f")
    assert face
    page.goto("/players/mina/")
    assert page.locator(".player-head .face").get_attribute("data-f") == face


def test_the_tiles_count_down_with_the_words_beside_them(played: str, opened: Opened) -> None:
    page = opened(played, clock=True)
    digits = page.locator(".tiles-digit")

    shown = "".join(digits.all_text_contents())
    page.clock.run_for(2 * 86_400_000)

    assert re.fullmatch(r"\d{6}", shown)
    expect(digits).to_have_count(6)
    assert "".join(digits.all_text_contents()) != shown
    expect(page.locator(".tiles")).to_have_attribute("aria-hidden", "true")


def look_of(page: Page) -> list[str]:
    """What colours the stage and the plate have."""
    stage, plate = page.locator(".board-head"), page.locator(".mark").first
    return [each.evaluate("each => getComputedStyle(each).backgroundColor") for each in (stage, plate)]


def test_each_board_has_its_hue_and_the_stage_is_the_same_in_both_themes(weekly: int, opened: Opened) -> None:
    boards = [weekly, make_board(name="Second")]
    looks = [
        look_of(opened(f"/boards/{board}/", color_scheme=scheme)) for board in boards for scheme in ("light", "dark")
    ]

    assert looks[0] == looks[1]
    assert looks[2] == looks[3]
    assert len(HUES) == 10
    assert looks[0] != looks[2]


def test_only_korean_pages_load_korean_and_all_of_latin_is_one_file(played: str, opened: Opened) -> None:
    name("mina", "Łukasz Şahin-José")
    english = opened(played, viewport=WIDE).evaluate(LOADED)
    korean = opened(played, viewport=WIDE, locale="ko").evaluate(LOADED)
    heading = opened("/players/mina/", viewport=WIDE).evaluate(LOADED)

    assert english == heading == ["Archivo"]
    assert sorted(korean) == ["Archivo", "Sunwi Hangul"]


@pytest.mark.parametrize("locale", ["en", "ko"])
def test_all_that_a_board_loads_is_light(played: str, opened: Opened, locale: str) -> None:
    page = opened(played, viewport=WIDE, locale=locale)
    page.evaluate(LOADED)

    loaded = dict(page.evaluate(TRANSFERRED))
    for path in loaded:
        if path.startswith("/static/js/"):  # tests serve them as they lie, a real server compresses them
            loaded[path] = len(gzip.compress((settings.BASE_DIR / path.lstrip("/")).read_bytes()))

    sheets_and_scripts = {path for path in loaded if path.startswith(("/styles/", "/scripts/"))}
    assert len(sheets_and_scripts) == 5, loaded
    # A full page has eighteen flags, faces and headers beside these: 20 KB in English, 22 in Korean (docs/pages.md).
    assert sum(loaded.values()) <= (98 if locale == "ko" else 78) * 1024, loaded
    assert len(page.request.get(played).body()) <= 30 * 1024  # as it was sent, before scripts add to it


def test_a_key_leads_to_the_search_which_finds_boards_and_players(played: str, opened: Opened) -> None:
    page = opened("/", viewport=DESKTOP)

    page.keyboard.press("/")
    field = page.get_by_role("combobox")
    expect(field).to_be_focused()
    page.keyboard.type("a/b")
    expect(field).to_have_value("a/b")
    field.fill("freya")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search/?q=freya")
    page.locator("main").get_by_role("link", name="Freya").click()
    page.wait_for_url("**/players/freya/")

    page.goto("/search/?q=weekly")
    expect(page.locator("main").get_by_role("link", name="Weekly wins")).to_be_visible()
    page.goto("/search/?q=nobody")
    expect(page.get_by_text("Nothing is called so.")).to_be_visible()
    assert checks.wrong_frame(page, "en") + checks.wrong_boxes(page) + checks.serious(page) == []


def test_the_first_page_says_where_one_stands_oneself(played: str, opened: Opened) -> None:
    page = opened("/", who="robin", viewport=WIDE)
    place = page.locator(".own-place")

    expect(place).to_have_count(1)
    expect(place).to_contain_text("6 points behind Freya")
    place.get_by_role("link", name="Weekly wins").click()
    page.wait_for_url(f"**{played}#me")
    expect(opened("/", viewport=WIDE).locator(".own-place")).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [SMALL_PHONE, WIDE], ids=["phone", "desktop"])
def test_nothing_serious_is_wrong_with_a_board(played: str, opened: Opened, scheme: str, size: ViewportSize) -> None:
    for who in ("robin", ""):
        page = opened(played, who=who, viewport=size, color_scheme=scheme)
        thumbs = size is SMALL_PHONE
        assert checks.wrong_frame(page, "en") + checks.wrong_boxes(page, thumbs=thumbs) + checks.serious(page) == []


def test_the_list_of_periods_has_faces_fits_a_phone_and_a_count_has_no_sign_as_a_gap_has(opened: Opened) -> None:
    board = make_board(name="Weekly wins of the whole town")
    for weeks in (1, 6):  # one of them is within a month, the other one may be of two
        score(board, {"mina": 2_314_000}, at=clock.now() - timedelta(weeks=weeks))
    name("mina", "Valentina")
    close_all_past(board)

    for locale, size in product(("en", "ko"), (SMALL_PHONE, PHONE, WIDE)):
        page = opened(f"/boards/{board}/periods/", viewport=size, locale=locale)
        table, panel = page.locator(".periods-table").bounding_box(), page.locator(".panel").bounding_box()
        assert table
        assert panel
        assert table["x"] + table["width"] <= panel["x"] + panel["width"], (locale, size)
        assert page.locator(".periods-table .face").first.is_visible() == (size is not SMALL_PHONE)
    count = page.locator("td.is-count").first
    expect(count).to_have_text("1")
    assert count.evaluate("each => getComputedStyle(each, '::before').content") == "none"
