"""What pages do: follow the scores without a reload, rest while hidden, and work without scripts."""

import pytest
from django.core.cache import cache
from playwright.sync_api import expect

from tests.browser.conftest import DESKTOP, PHONE, Opened
from tests.playing import score

HIDE = """hidden => {
    Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
    document.dispatchEvent(new Event("visibilitychange"));
}"""
ROWS_ON_THEIR_WAY = """() => {
    window.moved = [];
    document.addEventListener("live:changed", () => {
        const rows = [...document.querySelectorAll(".top tbody tr")];
        window.moved.push(rows.filter(row => row.getAnimations().length).map(row => row.dataset.key));
    });
}"""


@pytest.fixture
def played(weekly: int) -> str:
    """The address of a board on which robin is third of four, behind mina by 60."""
    score(weekly, {"omar": 500, "mina": 300, "robin": 240, "aiko": 10})
    return f"/boards/{weekly}/"


@pytest.fixture
def long(weekly: int) -> str:
    """The address of a board with three pages."""
    score(weekly, {f"p{number:03d}": 1000 - number for number in range(120)})
    return f"/boards/{weekly}/"


def test_the_first_score_appears_on_an_empty_board_and_on_the_list(opened: Opened, weekly: int) -> None:
    board, listed = opened(f"/boards/{weekly}/"), opened("/")
    for page in (board, listed):
        expect(page.get_by_text("Nobody has scored yet.")).to_be_visible()

    score(weekly, {"robin": 7})

    expect(board.locator(".top tbody tr")).to_have_count(1)
    expect(listed.get_by_text("7 points")).to_be_visible(timeout=15_000)


def test_scrolling_and_the_keyboards_place_survive_an_answer_and_the_own_row_stays_in_sight(
    long: str, weekly: int, opened: Opened
) -> None:
    page = opened(long)
    following = page.get_by_role("link", name="Next")
    following.focus()
    before = page.evaluate("scrollY")

    score(weekly, {"p049": 100_000})

    expect(page.locator(".top tbody tr").first).to_contain_text("p049")
    expect(following).to_be_focused()
    assert before > 0
    assert page.evaluate("scrollY") == before

    for player in ("p048", "p099"):  # the last of the page, and somebody on another one
        page.goto(f"{long}?player={player}")
        page.locator(".top tbody tr").nth(15).scroll_into_view_if_needed()
        expect(page.locator(".own.is-plate")).to_contain_text(player)
        expect(page.locator(".own-rank")).to_be_in_viewport(ratio=0.9)  # on a phone the plate is what stays
        page.set_viewport_size(DESKTOP)
        page.locator(".top tbody tr").nth(15).scroll_into_view_if_needed()
        own = page.locator(".top tr.is-me")
        expect(own).to_contain_text(player)
        expect(own.locator("td").first).to_be_in_viewport(ratio=0.9)
        page.set_viewport_size(PHONE)


def test_a_hidden_tab_stops_asking_one_that_returns_asks_at_once_and_without_an_answer_the_page_says_so(
    played: str, weekly: int, opened: Opened
) -> None:
    page = opened(played, clock=True)
    expect(page.get_by_text("Live", exact=True)).to_be_visible()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "fragment=1" in request.url else None)

    page.evaluate(HIDE, True)
    page.clock.run_for(10 * 60_000)
    score(weekly, {"aiko": 10_000})
    rested = list(asked)
    page.evaluate(HIDE, False)
    expect(page.locator(".top tbody tr").first).to_contain_text("aiko")
    with page.expect_response(lambda response: "fragment=1" in response.url and response.status == 304):
        page.clock.run_for(5000)

    page.context.set_offline(True)
    page.clock.run_for(3000)
    expect(page.get_by_text("Not live: no connection")).to_be_visible()
    expect(page.locator(".liveness-asof")).to_be_visible()
    asked.clear()
    page.clock.run_for(10 * 60_000)
    assert (rested, len(asked) < 30) == ([], True)

    page.context.set_offline(False)
    expect(page.get_by_text("Live", exact=True)).to_be_visible()


def test_changes_are_summed_up_politely_and_rarely_and_sharing_copies_the_link(
    played: str, weekly: int, opened: Opened
) -> None:
    page = opened(f"{played}?player=robin", clock=True, permissions=["clipboard-read", "clipboard-write"])
    expect(page.locator("[data-state=live]")).to_be_visible()
    announcer = page.get_by_role("status")

    score(weekly, {"robin": 1000})
    page.clock.run_for(5000)
    expect(page.locator(".own-rank")).to_contain_text("1")
    expect(announcer).to_be_empty()
    page.clock.run_for(30_000)

    expect(announcer).to_have_text("You are number 1 of 4 with 1,240 points. robin leads.")

    page.locator(".own [data-share-menu]").click()
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Link copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()").endswith(f"{played}?player=robin")


@pytest.mark.parametrize(
    ("motion", "moved"), [("no-preference", ["robin", "mina"]), ("reduce", [])], ids=["motion", "less motion"]
)
def test_rows_travel_and_numbers_count_unless_one_wants_less_motion(
    played: str, weekly: int, opened: Opened, motion: str, moved: list[str]
) -> None:
    page = opened(f"{played}?player=robin", reduced_motion=motion)
    own = page.locator(".own")
    expect(own.locator(".own-gap")).to_contain_text("60 points")
    page.evaluate(ROWS_ON_THEIR_WAY)

    score(weekly, {"robin": 100})

    row = page.locator(".top tbody tr").nth(1)
    expect(row).to_contain_text("robin")
    assert page.evaluate("window.moved[0]") == moved
    expect(row.locator("td").nth(-2)).to_have_text("340")
    expect(page.locator(".is-moving")).to_have_count(0)
    expect(own.locator(".own-rank")).to_contain_text("2")
    expect(own.locator(".own-gap")).to_contain_text("160 points")


def test_a_big_screen_goes_on_by_itself_and_waits_while_held_or_the_server_is_away(long: str, opened: Opened) -> None:
    page = opened(f"{long}?screen=1", viewport=DESKTOP, clock=True)
    first = page.locator("tbody tr").first

    page.keyboard.press("Space")
    page.clock.run_for(60_000)
    expect(page.get_by_text("held: the space bar goes on")).to_be_visible()
    page.keyboard.press("Space")
    page.context.set_offline(True)
    page.clock.run_for(13_000)
    expect(first).to_contain_text("p000")
    page.context.set_offline(False)
    page.clock.run_for(13_000)

    expect(first).to_contain_text("p010")
    plain = opened(f"{long}?screen=1&page=2", viewport=DESKTOP, java_script_enabled=False)
    expect(plain.locator("tbody tr")).to_have_count(10)
    expect(plain.locator("tbody tr").last).to_be_in_viewport()
    expect(plain.locator("meta[http-equiv=refresh]")).to_have_attribute("content", "12; url=?screen=1&page=3")


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


def test_the_bars_of_the_spread_follow_the_scores_and_its_open_table_stays_open(weekly: int, opened: Opened) -> None:
    score(weekly, {f"p{number:03d}": 1000 - number for number in range(30)})
    page = opened(f"/boards/{weekly}/", viewport=DESKTOP)
    spread = page.locator(".spread")
    spread.locator(".twin").click()
    expect(spread.locator("figcaption")).to_contain_text("1,000")

    score(weekly, {"p029": 4029})
    cache.delete(f"spread:{weekly}:current")  # it is counted anew every half a minute

    expect(spread.locator("figcaption")).to_contain_text("5,0")
    expect(spread.locator("table")).to_contain_text("5,0")
    expect(spread.locator("table")).to_be_visible()
