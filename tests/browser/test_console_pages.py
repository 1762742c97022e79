"""The console's home refreshes by itself, its search is a key away, and pages of boards, periods and keys are whole."""

from datetime import timedelta

import pytest
from playwright.sync_api import expect

from config.console import status
from foundation import clock
from foundation.models import Heartbeat
from foundation.monitoring import minutes
from foundation.security import service_keys
from foundation.tasks import WORKER
from leaderboards.models import Period
from tests.browser.conftest import DESKTOP, PHONE, Opened, Photograph
from tests.browser.test_console import admin, whole
from tests.playing import make_board, score

__all__ = ["admin"]


def test_home_refreshes_by_itself_and_keeps_place_focus_and_what_is_typed(admin: str, opened: Opened) -> None:
    board = make_board(name="Weekly wins", update="increment")
    score(board, {"mina": 700})
    status.forget()
    page = opened("/admin/", admin, viewport=PHONE)
    row = page.locator(f'tr[data-key="{board}"]')
    expect(row).to_contain_text("1")
    page.get_by_role("searchbox").first.fill("min")
    page.evaluate("""() => { document.querySelector(".home-table a").focus(); scrollTo(0, 300);
        window.kept = document.activeElement; }""")
    before = page.evaluate("scrollY")

    score(board, {"rocket": 990, "zoe": 5})
    Heartbeat.note(WORKER, clock.now() - timedelta(minutes=5))
    status.forget()

    expect(row.locator("td").first).to_have_text("3")
    expect(page.get_by_role("region", name="What is wrong")).to_contain_text("The worker has been silent since")
    assert page.evaluate("window.kept === document.activeElement && window.kept.isConnected")
    assert page.get_by_role("searchbox").first.input_value() == "min"
    assert page.evaluate("scrollY") >= before


def test_home_waits_while_text_is_selected(admin: str, opened: Opened) -> None:
    page = opened("/admin/", admin, viewport=DESKTOP)
    page.evaluate("""() => getSelection().selectAllChildren(document.querySelector(".tile-title"))""")
    selected = page.evaluate("getSelection().toString()")

    expect(page.locator("#container[data-held]")).to_have_count(1)

    assert page.evaluate("getSelection().toString()") == selected != ""
    clock_before = page.locator(".home-when").inner_text()
    page.evaluate("getSelection().removeAllRanges()")
    expect(page.locator(".home-when")).not_to_have_text(clock_before)


def test_home_leads_to_signing_in_once_the_session_is_over(admin: str, opened: Opened) -> None:
    page = opened("/admin/", admin, viewport=DESKTOP)
    expect(page.locator("#container[data-state=live]")).to_have_count(1)

    page.context.clear_cookies()

    expect(page.locator("input[name=password]")).to_be_visible()


def test_a_slash_leads_to_the_search_from_any_page_and_finds(admin: str, opened: Opened) -> None:
    board = make_board(name="Weekly wins")
    score(board, {"mina": 700})
    page = opened("/admin/leaderboards/period/", admin, viewport=DESKTOP)

    page.keyboard.press("/")
    page.keyboard.type("Weekly")
    page.keyboard.press("Enter")

    expect(page.locator("h1")).to_have_text("Weekly wins")


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("language", ["en", "ko"])
def test_pages_of_a_board_a_period_and_a_key_are_whole(
    admin: str, opened: Opened, photograph: Photograph, viewport: object, colours: str, language: str
) -> None:
    board = make_board(name="Weekly wins", update="increment", plausible_most=1000)
    score(board, {"mina": 700, "rocket": 50_000})
    key, _text = service_keys.make("game", ["scores:write", "boards:read"], [board])
    period = Period.objects.filter(board=board, starts_at__lte=clock.now()).latest("starts_at")
    size = "phone" if viewport is PHONE else "desktop"
    addresses = {
        "board": f"/admin/leaderboards/board/{board}/change/",
        "period": f"/admin/leaderboards/period/{period.pk}/change/",
        "key": f"/admin/foundation/servicekey/{key.pk}/change/",
    }
    page = opened("/admin/", admin, viewport=viewport, color_scheme=colours, locale=language)

    found = {}
    for name, address in addresses.items():
        page.goto(address)
        photograph(page, f"console-{name}-{size}-{colours}-{language}")
        found[name] = whole(page, language)

    assert {name: what for name, what in found.items() if what} == {}


def test_the_time_left_of_a_board_counts_down_on_its_page(admin: str, opened: Opened) -> None:
    board = make_board(name="Daily", period="day")
    page = opened(f"/admin/leaderboards/board/{board}/change/", admin, viewport=DESKTOP, clock=True)
    left = page.locator("[data-countdown]")
    before = left.inner_text()

    page.clock.run_for(3 * 60 * 1000)

    expect(left).not_to_have_text(before)


def test_the_command_of_a_key_is_copied(admin: str, opened: Opened) -> None:
    key, _text = service_keys.make("game", ["boards:read"])
    granted = ["clipboard-read", "clipboard-write"]
    page = opened(f"/admin/foundation/servicekey/{key.pk}/change/", admin, viewport=DESKTOP, permissions=granted)

    page.get_by_role("button", name="Copy the command").click()

    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()").startswith("curl ")


def test_bars_of_all_boards_are_as_wide_and_numbers_stand_below_each_other(admin: str, opened: Opened) -> None:
    for name, players in (("One", 1), ("Two", 30), ("Three", 1)):
        score(make_board(name=name, update="increment"), {f"p{nth}": 5 for nth in range(players)})
    minutes.write()
    page = opened("/admin/", admin, viewport=DESKTOP)

    edges = page.evaluate("""() => [...document.querySelectorAll(".home-table .home-bars")].map((bars) => [
        bars.querySelector(".spark").getBoundingClientRect().left,
        bars.querySelector(".spark").getBoundingClientRect().right,
        bars.querySelector(".num").getBoundingClientRect().right])""")

    assert len(edges) == 3
    assert len({tuple(map(round, each)) for each in edges}) == 1


def test_the_search_of_a_list_has_a_line_of_its_own_on_a_phone(admin: str, opened: Opened) -> None:
    board = make_board(name="Weekly wins")
    score(board, {"mina": 700})

    page = opened("/admin/leaderboards/submission/?q=mina", admin, viewport=PHONE)

    box = page.locator("#searchbar").bounding_box()
    assert box is not None
    assert box["width"] > 0.75 * PHONE["width"]
