"""What is offered while somebody types in a field that finds things: by keyboard, by thumb, and without scripts."""

import pytest
from playwright.sync_api import Page, Route, ViewportSize, expect

from tests.browser import checks
from tests.browser.conftest import DESKTOP, PHONE, SMALL_PHONE, Opened, Photograph
from tests.playing import make_board, name, score

NAMES = {"p1": "Zoë", "p2": "Zoe Quux " * 8, "p3": "김민지", "p4": "Łukasz"}


@pytest.fixture
def named(weekly: int) -> int:
    """The number of a board on which players of these names stand; another board is called "Zoetrope"."""
    score(weekly, dict.fromkeys(NAMES, 9))
    for player, shown in NAMES.items():
        name(player, shown.strip())
    make_board(name="Zoetrope")
    return weekly


def typed(page: Page, letters: str) -> None:
    page.keyboard.type(letters, delay=20)


def test_by_keyboard_a_list_is_walked_closed_and_followed(named: int, opened: Opened, photograph: Photograph) -> None:
    page = opened("/", viewport=DESKTOP)
    field, options = page.get_by_role("combobox"), page.get_by_role("option")

    page.keyboard.press("/")
    typed(page, "zoe")
    expect(options).to_have_count(4)
    expect(options.first).to_have_text("Zoë")
    expect(field).to_have_attribute("aria-expanded", "true")
    expect(page.get_by_role("status").filter(has_text="Suggestions: 3")).to_have_count(1)
    page.keyboard.press("ArrowDown")
    first = options.nth(0)
    expect(first).to_have_attribute("aria-selected", "true")
    assert field.get_attribute("aria-activedescendant") == first.get_attribute("id")
    expect(field).to_be_focused()
    photograph(page, "search-suggestions-desktop")
    assert checks.serious(page) == []
    page.keyboard.press("ArrowUp")
    assert field.get_attribute("aria-activedescendant") is None
    page.keyboard.press("ArrowUp")
    expect(options.last).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Escape")
    expect(page.get_by_role("listbox")).to_be_hidden()
    expect(field).to_have_value("zoe")
    expect(field).to_have_attribute("aria-expanded", "false")
    page.keyboard.press("ArrowDown")  # opens it again
    expect(options).to_have_count(4)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/players/p1/")


def test_without_a_choice_enter_sends_the_form_and_the_last_option_leads_there_too(named: int, opened: Opened) -> None:
    page = opened("/", viewport=DESKTOP)

    page.keyboard.press("/")
    typed(page, "lukasz")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search/?q=lukasz")
    expect(page.locator("main").get_by_role("link", name="Łukasz")).to_be_visible()

    page.goto("/")
    page.keyboard.press("/")
    typed(page, "zo")
    page.get_by_role("option", name="See all results").click()
    page.wait_for_url("**/search/?q=zo")
    expect(page.locator("main").get_by_role("heading", name="Players")).to_be_visible()


def test_too_few_letters_ask_for_nothing_that_is_shown_and_leaving_closes(named: int, opened: Opened) -> None:
    page = opened("/", viewport=DESKTOP)

    page.keyboard.press("/")
    with page.expect_response("**/search/suggestions/?q=z&*"):
        typed(page, "z")
    expect(page.get_by_role("listbox")).to_be_hidden()
    typed(page, "o")
    expect(page.get_by_role("listbox")).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("listbox")).to_be_hidden()


def test_an_answer_to_fewer_letters_that_comes_late_is_not_shown_and_one_that_fails_leaves_the_form(
    named: int, opened: Opened
) -> None:
    page = opened("/", viewport=DESKTOP)
    held: list[Route] = []
    page.route("**/search/suggestions/?q=zo&*", lambda route: held.append(route))  # noqa: PLW0108 - Playwright sets attributes on the handler
    page.route("**/search/suggestions/?q=bad&*", lambda route: route.fulfill(status=204))

    page.keyboard.press("/")
    with page.expect_request("**/search/suggestions/?q=zo&*"):
        typed(page, "zo")
    typed(page, "e q")
    expect(page.get_by_role("option")).to_have_count(2)
    for route in held:
        route.abort()
    expect(page.get_by_role("option")).to_have_count(2)
    page.get_by_role("combobox").fill("bad")
    expect(page.get_by_role("listbox")).to_be_hidden()
    page.keyboard.press("Enter")
    page.wait_for_url("**/search/?q=bad")


@pytest.mark.parametrize("size", [PHONE, SMALL_PHONE], ids=["390", "360"])
def test_on_a_phone_a_thumb_chooses_and_nothing_sticks_out(
    named: int, opened: Opened, photograph: Photograph, size: ViewportSize
) -> None:
    page = opened("/search/", viewport=size, has_touch=True, is_mobile=True, locale="ko-KR", color_scheme="dark")
    field = page.locator("main").get_by_role("combobox")
    field.tap()
    typed(page, "zoe")
    options = page.get_by_role("option")

    expect(options).to_have_count(4)
    photograph(page, f"search-suggestions-{size['width']}")
    assert checks.wrong_frame(page, "ko") + checks.wrong_boxes(page, thumbs=True) + checks.serious(page) == []
    assert all(box >= 44 for box in options.evaluate_all("all => all.map(each => each.getBoundingClientRect().height)"))
    field.fill("기")
    expect(options).to_have_text(["김민지", "검색 결과 모두 보기"])
    options.first.tap()
    page.wait_for_url("**/players/p3/")


def test_without_scripts_the_field_is_a_plain_form(named: int, opened: Opened) -> None:
    page = opened("/search/", viewport=PHONE, java_script_enabled=False)
    field = page.locator("main").get_by_role("searchbox")

    field.fill("ZOË")
    field.press("Enter")
    page.wait_for_url("**/search/?q=*")
    expect(page.locator("main").get_by_role("link", name="Zoë")).to_be_visible()
    expect(page.locator("main").get_by_role("link", name="Zoetrope")).to_be_visible()
