"""What pages do: follow the scores without a reload, rest while hidden, and work without scripts or a mouse."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Request, expect

from tests.browser.conftest import DESKTOP, Opened
from tests.playing import account, make_board, score

HIDE = """hidden => {
    Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
    document.dispatchEvent(new Event("visibilitychange"));
}"""


def fragments_asked(page: Page) -> list[str]:
    """Filled from now on with each request for a fragment."""
    asked: list[str] = []

    def note(request: Request) -> None:
        if "fragment=1" in request.url:
            asked.append(request.url)

    page.on("request", note)
    return asked


@pytest.fixture
def played(weekly: int) -> str:
    """The address of a board on which robin is third of four, behind mina by 60."""
    score(weekly, {"omar": 500, "mina": 300, "robin": 240, "aiko": 10})
    return f"/boards/{weekly}/"


def test_a_submission_moves_a_row_without_a_reload(played: str, weekly: int, opened: Opened) -> None:
    page = opened(f"{played}?player=robin")
    page.evaluate("window.kept = true")
    own = page.locator(".own")
    expect(own.locator(".own-rank")).to_contain_text("3")
    expect(own.locator(".own-gap")).to_contain_text("60 points")

    score(weekly, {"robin": 100})

    expect(page.locator(".top tbody tr").nth(1)).to_contain_text("robin")
    expect(own.locator(".own-rank")).to_contain_text("2")
    expect(own.locator(".own-gap")).to_contain_text("160 points")
    assert page.evaluate("window.kept") is True


def test_the_first_score_appears_on_an_empty_board_and_on_the_list(opened: Opened, weekly: int) -> None:
    board, listed = opened(f"/boards/{weekly}/"), opened("/")
    expect(board.get_by_text("Nobody has scored yet.")).to_be_visible()
    expect(listed.get_by_text("Nobody has scored yet.")).to_be_visible()

    score(weekly, {"robin": 7})

    expect(board.locator(".top tbody tr")).to_have_count(1)
    expect(listed.get_by_text("7 points")).to_be_visible(timeout=15_000)


def test_scrolling_and_the_keyboards_place_survive_an_answer(weekly: int, opened: Opened) -> None:
    score(weekly, {f"p{number:03d}": 1000 - number for number in range(120)})
    page = opened(f"/boards/{weekly}/")
    following = page.get_by_role("link", name="Next")
    following.focus()
    before = page.evaluate("scrollY")

    score(weekly, {"p049": 100_000})

    expect(page.locator(".top tbody tr").first).to_contain_text("p049")
    expect(following).to_be_focused()
    assert before > 0
    assert page.evaluate("scrollY") == before


def test_a_hidden_tab_stops_asking_and_one_that_returns_asks_at_once(played: str, weekly: int, opened: Opened) -> None:
    page = opened("/accounts/login/")
    page.clock.install()
    page.goto(played)
    expect(page.locator("[data-state=live]")).to_be_visible()
    page.evaluate(HIDE, True)
    asked = fragments_asked(page)

    page.clock.run_for(10 * 60_000)
    score(weekly, {"aiko": 10_000})
    rested = list(asked)
    page.evaluate(HIDE, False)

    assert rested == []
    expect(page.locator(".top tbody tr").first).to_contain_text("aiko")


def test_unchanged_standings_are_answered_with_304(played: str, opened: Opened) -> None:
    page = opened(played)

    with page.expect_response(lambda response: "fragment=1" in response.url) as first:
        pass
    with page.expect_response(lambda response: "fragment=1" in response.url) as second:
        pass

    assert {first.value.status, second.value.status} == {304}


def test_a_page_that_gets_no_answer_says_so_and_asks_less_often(played: str, opened: Opened) -> None:
    page = opened("/accounts/login/")
    page.clock.install()
    page.goto(played)
    expect(page.get_by_text("Live", exact=True)).to_be_visible()
    page.context.set_offline(True)
    page.clock.run_for(3000)

    expect(page.get_by_text("Not live: no connection")).to_be_visible()
    expect(page.locator(".liveness-asof")).to_be_visible()
    asked = fragments_asked(page)
    page.clock.run_for(10 * 60_000)
    assert len(asked) < 30

    page.context.set_offline(False)
    expect(page.get_by_text("Live", exact=True)).to_be_visible()


def test_changes_are_summed_up_politely_and_rarely(played: str, weekly: int, opened: Opened) -> None:
    page = opened("/accounts/login/")
    page.clock.install()
    page.goto(f"{played}?player=robin")
    expect(page.locator("[data-state=live]")).to_be_visible()
    announcer = page.get_by_role("status")

    score(weekly, {"robin": 1000})
    page.clock.run_for(5000)
    expect(page.locator(".own-rank")).to_contain_text("1")
    expect(announcer).to_be_empty()
    page.clock.run_for(30_000)

    expect(announcer).to_have_text("You are number 1 of 4 with 1,240 points. robin leads.")


ROWS_ON_THEIR_WAY = """() => {
    window.moved = [];
    document.addEventListener("live:changed", () => {
        const rows = [...document.querySelectorAll(".top tbody tr")];
        window.moved.push(rows.filter(row => row.getAnimations().length).map(row => row.dataset.key));
    });
}"""


def test_rows_travel_to_their_places_and_numbers_count(played: str, weekly: int, opened: Opened) -> None:
    page = opened(played)
    page.evaluate(ROWS_ON_THEIR_WAY)

    score(weekly, {"robin": 100})

    expect(page.locator(".top tbody tr").nth(1)).to_contain_text("robin")
    assert page.evaluate("window.moved[0]") == ["robin", "mina"]
    expect(page.locator(".top tbody tr").nth(1).locator(".result")).to_have_text("340")
    expect(page.locator(".is-moving")).to_have_count(0)


def test_whoever_wants_less_motion_sees_none(played: str, weekly: int, opened: Opened) -> None:
    page = opened(played, reduced_motion="reduce")
    page.evaluate(ROWS_ON_THEIR_WAY)

    score(weekly, {"robin": 100})

    expect(page.locator(".top tbody tr").nth(1)).to_contain_text("robin")
    assert page.evaluate("window.moved.flat()") == []


def test_the_own_row_stays_in_sight_while_its_table_is(weekly: int, opened: Opened) -> None:
    score(weekly, {f"p{number:03d}": 1000 - number for number in range(120)})
    for player in ("p049", "p099"):  # the last of the page, and somebody on another one
        page = opened(f"/boards/{weekly}/?player={player}")
        own = page.locator(".top tr.is-me")

        page.locator(".top tbody tr").nth(15).scroll_into_view_if_needed()

        expect(own).to_contain_text(player)
        expect(own.locator(".rank")).to_be_in_viewport(ratio=0.9)


def test_a_rank_is_found_from_the_keyboard_and_marked(weekly: int, opened: Opened) -> None:
    score(weekly, {f"p{number:03d}": 1000 - number for number in range(120)})
    page = opened(f"/boards/{weekly}/")

    page.get_by_label("Find a player or a rank").fill("77")
    page.keyboard.press("Enter")

    page.wait_for_url("**/?page=2#rank-77")
    expect(page.locator("#rank-77")).to_be_in_viewport()


def test_sharing_copies_the_link_where_the_device_has_no_sheet(played: str, opened: Opened) -> None:
    page = opened(f"{played}?player=robin", permissions=["clipboard-read", "clipboard-write"])
    page.evaluate("delete Navigator.prototype.share")

    page.get_by_role("button", name="Share").click()

    expect(page.get_by_role("button", name="Link copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()").endswith(f"{played}?player=robin")


def test_a_big_screen_goes_on_to_the_next_ten_by_itself(weekly: int, opened: Opened) -> None:
    score(weekly, {f"p{number:03d}": 1000 - number for number in range(25)})

    page = opened(f"/boards/{weekly}/?screen=1&page=2", viewport=DESKTOP, java_script_enabled=False)

    expect(page.locator("tbody tr")).to_have_count(10)
    expect(page.locator("tbody tr").last).to_be_in_viewport()
    expect(page.locator("meta[http-equiv=refresh]")).to_have_attribute("content", "12; url=?screen=1&page=3")


def test_a_big_screen_waits_while_it_is_held_or_the_server_is_away(weekly: int, opened: Opened) -> None:
    score(weekly, {f"p{number:03d}": 1000 - number for number in range(25)})
    page = opened("/accounts/login/", viewport=DESKTOP)
    page.clock.install()
    page.goto(f"/boards/{weekly}/?screen=1")

    page.keyboard.press("Space")
    page.clock.run_for(60_000)
    expect(page.get_by_text("held: the space bar goes on")).to_be_visible()
    page.keyboard.press("Space")
    page.context.set_offline(True)
    page.clock.run_for(13_000)
    expect(page.locator("tbody tr").first).to_contain_text("p000")
    page.context.set_offline(False)
    page.clock.run_for(13_000)

    expect(page.locator("tbody tr").first).to_contain_text("p010")


def test_everything_works_without_javascript(played: str, weekly: int, opened: Opened) -> None:
    score(weekly, {f"p{number:03d}": number for number in range(60)})
    page = opened(played, java_script_enabled=False)

    page.get_by_label("Find a player or a rank").fill("robin")
    page.get_by_role("button", name="Find").click()
    expect(page.locator(".own-rank")).to_contain_text("3")
    page.get_by_role("link", name="Next").click()
    expect(page.locator(".top tbody tr").first).to_contain_text("51")
    page.get_by_role("link", name="Refresh").click()
    expect(page.locator(".liveness-asof")).to_be_visible()
    expect(page.locator(".liveness-live")).to_be_hidden()


def test_the_device_remembers_a_player_until_told_to_forget(played: str, weekly: int, opened: Opened) -> None:
    other = make_board(name="Other")
    score(other, {"robin": 5})
    page = opened(f"{played}?player=robin")

    page.goto(f"/boards/{other}/")
    expect(page.locator(".own-name")).to_contain_text("robin")
    page.get_by_role("link", name="Forget").click()
    expect(page.locator(".own")).to_have_count(0)
    page.goto(played)

    expect(page.locator(".top tbody tr")).to_have_count(4)
    expect(page.locator(".own")).to_have_count(0)


def test_a_signed_in_player_is_marked_whoever_the_address_names(played: str, opened: Opened) -> None:
    account("robin", player="robin")
    page = opened(f"/accounts/login/?next={played}", viewport=DESKTOP)

    page.get_by_label("Username").fill("robin")
    page.get_by_label("Password").fill("secret")
    page.get_by_label("Password").press("Enter")
    expect(page.locator(".own-you")).to_have_text("You")
    page.goto(f"{played}?player=omar")

    expect(page.locator(".own-name")).to_contain_text("robin")
    expect(page.locator(".top .is-me")).to_have_count(1)
    expect(page.locator(".top .is-me")).to_contain_text("robin")


def test_the_keyboard_skips_to_the_standings_and_walks_in_reading_order(played: str, opened: Opened) -> None:
    page = opened(f"{played}?player=robin")
    walked = []

    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to the standings")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()
    for _ in range(4):
        page.keyboard.press("Tab")
        walked.append(page.evaluate("document.activeElement.textContent.trim() || document.activeElement.name"))

    assert walked == ["See the row", "Share", "Why this place?", "find"]


def test_korean_readers_get_korean_pages(played: str, opened: Opened, photograph: Callable[[Page, str], None]) -> None:
    page = opened(f"{played}?player=robin", locale="ko-KR")

    expect(page.get_by_role("columnheader", name="순위")).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", "ko")
    photograph(page, "board-phone-korean")
