"""The race in a browser: lines that end in their rows, rows that lift their line, and both live without disturbing."""

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import Page, ViewportSize, expect
from pytest_django.live_server_helper import LiveServer

from foundation import clock
from leaderboards.models import Period
from leaderboards.services.periods.rank_history import record_rank_history
from tests.browser import checks
from tests.browser.conftest import SMALL_PHONE, Opened, Photograph
from tests.browser.test_held import ANSWER, SELECT
from tests.playing import make_board, name, score

WIDE = ViewportSize(width=1440, height=900)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
PLAYERS = {f"p{number:02d}": 1000 - 10 * number for number in range(14)}

# Where each line ends, and the middle of its row, in pixels of the screen.
ENDS = """() => [...document.querySelectorAll(".race-line")].map((line) => {
    const at = line.getPointAtLength(line.getTotalLength()).matrixTransform(line.getScreenCTM());
    const nth = Number(line.getAttribute("class").match(/is-(\\d+)/)[1]);
    const row = document.querySelector(`.top tbody tr:nth-child(${nth})`).getBoundingClientRect();
    return { nth, by: Math.abs(at.y - (row.top + row.height / 2)), apart: row.left - at.x };
})"""
NAME_WIDTH = """(row) => row.querySelector("th bdi").getBoundingClientRect().width"""
# How far below the digits what was gained begins.
BELOW_POINTS = """(cell) => {
    const digits = document.createRange();
    digits.selectNodeContents(cell);
    const { top } = cell.getBoundingClientRect(), gain = getComputedStyle(cell, "::before");
    return top + parseFloat(gain.top) - digits.getBoundingClientRect().bottom + 2;
}"""
LIFTED = """() => [...document.querySelectorAll(".race-line")]
    .filter((line) => getComputedStyle(line).opacity === "1").map((line) => line.getAttribute("class"))"""


@pytest.fixture
def raced(live_server: LiveServer) -> int:
    """A board on which fourteen have raced for two days, and p05 has come up."""
    del live_server
    board = make_board(name="All time", period="all_time", update="increment")
    score(board, PLAYERS)
    period = Period.objects.select_related("board").get(board=board)
    midnight = clock.now().replace(hour=0, minute=0, second=0, microsecond=0)
    for nth, at in enumerate((midnight - 2 * DAY, midnight - DAY, midnight)):
        record_rank_history(period, at, at)
        score(board, {"p05": 12, f"p{9 + nth:02d}": 35})
    return board


def ends(page: Page) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = page.evaluate(ENDS)
    return found


def line(page: Page, nth: int) -> str:
    return page.locator(f".race-line.is-{nth}").get_attribute("d") or ""


@pytest.mark.parametrize(("language", "letters"), [("en", "16px"), ("ko", "16px"), ("en", "20px")])
def test_every_line_ends_in_its_row(raced: int, opened: Opened, language: str, letters: str) -> None:
    name("p00", "W" * 64)
    name("p01", "아주 긴 이름을 가진 사람 " * 4)
    page = opened(f"/boards/{raced}/?player=p03", viewport=WIDE, locale=language)
    page.evaluate("size => { document.documentElement.style.fontSize = size; }", letters)

    found = ends(page)

    assert sorted(each["nth"] for each in found) == list(range(1, 11))
    assert [each for each in found if each["by"] > 1.5 or not -2 <= each["apart"] <= 8] == []
    expect(page.locator(".race-drawing")).to_be_visible()
    expect(page.locator(".race-open")).to_be_hidden()


def test_a_row_under_the_pointer_or_the_keyboard_lifts_its_line(raced: int, opened: Opened) -> None:
    page = opened(f"/boards/{raced}/", viewport=WIDE, reduced_motion="reduce")
    assert len(page.evaluate(LIFTED)) == 10

    page.locator(".top tbody tr").nth(3).hover()
    assert page.evaluate(LIFTED) == ["race-line is-4"]
    page.mouse.move(2, 2)
    assert len(page.evaluate(LIFTED)) == 10

    page.locator(".top tbody tr th > p > a").nth(5).focus()
    assert page.evaluate(LIFTED) == ["race-line is-6"]
    page.keyboard.press("Tab")  # to the menu of the row
    assert page.evaluate(LIFTED) == ["race-line is-6"]
    page.keyboard.press("Tab")
    assert page.evaluate(LIFTED) == ["race-line is-7"]


def test_it_is_drawn_anew_when_a_rank_changes_and_what_is_open_stays_open(raced: int, opened: Opened) -> None:
    page = opened(f"/boards/{raced}/", viewport=WIDE)
    expect(page.locator("[data-state=live]")).to_be_attached()
    page.get_by_text("The race as a table").click()
    before = line(page, 1)
    page.locator(".race-line.is-1").evaluate("each => { each.asItWas = true; }")

    score(raced, {"p09": 2000})

    expect(page.locator(".top tbody tr").first).to_contain_text("p09")
    assert line(page, 1) != before
    assert page.locator(".race-line.is-1").evaluate("each => each.asItWas")
    expect(page.locator(".race-table tbody tr").first).to_contain_text("p09")
    expect(page.locator(".race-table")).to_be_visible()
    expect(page.locator(".is-moving")).to_have_count(0)
    assert [each for each in ends(page) if each["by"] > 1.5] == []


def test_it_waits_while_somebody_presses_or_has_text_selected(raced: int, opened: Opened) -> None:
    page = opened(f"/boards/{raced}/", viewport=WIDE)
    expect(page.locator("[data-state=live]")).to_be_attached()
    page.get_by_text("The race as a table").click()
    before = line(page, 1)
    page.locator(".race-table caption").evaluate(SELECT)

    score(raced, {"p09": 2000})
    page.evaluate(ANSWER, "p09 leads")

    expect(page.get_by_text("Waits while text is selected.")).to_be_visible()
    assert line(page, 1) == before
    page.evaluate("getSelection().removeAllRanges()")
    expect(page.locator(".top tbody tr").first).to_contain_text("p09")
    assert line(page, 1) != before


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_on_a_phone_it_opens_behind_a_button_with_names_beside_the_lines(
    raced: int, opened: Opened, photograph: Photograph, scripts: bool
) -> None:
    page = opened(f"/boards/{raced}/?player=p12", viewport=SMALL_PHONE, java_script_enabled=scripts)
    expect(page.locator(".race-drawing")).to_be_hidden()
    expect(page.locator(".top tbody tr").first.locator("td:has(> svg)")).to_be_hidden()

    page.get_by_text("Race", exact=True).click()

    expect(page.locator(".race-svg")).to_be_visible()
    expect(page.locator(".race-names li")).to_have_count(10)
    page.get_by_text("The race as a table").click()
    expect(page.get_by_text("p00 leads.", exact=False).first).to_be_visible()
    expect(page.locator(".race-table .is-me")).to_contain_text("p12")
    if scripts:
        assert checks.wrong_frame(page, "en") + checks.wrong_boxes(page, thumbs=True) + checks.serious(page) == []
    photograph(page, f"race-phone-{scripts}")


def test_a_wide_page_holds_no_fault_in_either_language_and_theme(
    raced: int, opened: Opened, photograph: Photograph
) -> None:
    for language, scheme in (("en", "light"), ("ko", "dark")):
        page = opened(f"/boards/{raced}/?player=p12", viewport=WIDE, locale=language, color_scheme=scheme)
        page.locator(".race .twin").click()
        expect(page.locator(".race-table")).to_be_visible()
        photograph(page, f"race-wide-{language}-{scheme}")
        wrong = checks.wrong_frame(page, language) + checks.wrong_boxes(page) + checks.serious(page)
        assert wrong == [], (language, scheme)


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_who_gains_glows_for_less_than_an_answer_takes_unless_one_wants_less_motion(
    raced: int, opened: Opened, motion: str
) -> None:
    page = opened(f"/boards/{raced}/", viewport=WIDE, clock=True, reduced_motion=motion)
    page.clock.pause_at(page.evaluate("Date.now()") + 60_000)
    row = page.locator('.top tr[data-key="p03"]')
    today = row.locator("th + td + td")
    expect(today).to_have_text("0")

    score(raced, {"p03": 13})
    page.evaluate(ANSWER, "<td>+13<")

    expect(today).to_have_text("+13")
    if motion == "reduce":
        expect(page.locator("[data-gain]")).to_have_count(0)
        return
    expect(today).to_have_attribute("data-gain", "+13")
    expect(page.locator("[data-gain]")).to_have_count(1)
    page.clock.run_for(1000)
    score(raced, {"p07": 1})
    page.evaluate(ANSWER, "<td>+1<")
    expect(today).to_have_attribute("data-gain", "+13")  # an answer to others leaves it lit
    page.clock.run_for(800)
    expect(page.locator("[data-gain]")).to_have_count(1)
    assert today.get_attribute("data-gain") is None


def test_somebody_who_takes_the_lead_has_their_line_drawn(raced: int, opened: Opened) -> None:
    page = opened(f"/boards/{raced}/", viewport=WIDE, clock=True)
    page.clock.pause_at(page.evaluate("Date.now()") + 60_000)
    first = page.locator(".race-line.is-1")

    score(raced, {"p03": 5000})
    page.evaluate(ANSWER, "p03 leads")

    expect(first).to_have_class("race-line is-1 is-drawing")
    page.clock.run_for(1000)
    expect(first).to_have_class("race-line is-1")


@pytest.mark.parametrize("viewport", [SMALL_PHONE, WIDE], ids=["phone", "wide"])
def test_what_somebody_gained_covers_neither_name_nor_flag_nor_what_they_gained_today(
    raced: int, opened: Opened, photograph: Photograph, viewport: ViewportSize
) -> None:
    name("p03", "Zuzanna Kowalska")
    score(raced, {"p03": 1_654_000})
    page = opened(f"/boards/{raced}/", viewport=viewport, clock=True)
    page.clock.pause_at(page.evaluate("Date.now()") + 60_000)
    row = page.locator('.top tr[data-key="p03"]')
    high, wide = row.evaluate("each => each.offsetHeight"), row.evaluate(NAME_WIDTH)

    score(raced, {"p03": 13})
    page.evaluate(ANSWER, "<td>+1,654,013<")

    lit = row.locator("[data-gain]")
    expect(lit).to_have_attribute("data-gain", "+13")
    photograph(page, f"gain-{viewport['width']}")
    assert lit.evaluate("each => getComputedStyle(each).color") != "rgba(0, 0, 0, 0)"
    assert row.evaluate("each => each.offsetHeight") == high
    assert row.evaluate(NAME_WIDTH) == wide  # no letter of the name goes
    if viewport == SMALL_PHONE:
        assert 0 <= lit.evaluate(BELOW_POINTS) <= 4


def test_where_many_gain_at_once_only_who_changed_places_is_lit(raced: int, opened: Opened) -> None:
    page = opened(f"/boards/{raced}/", viewport=WIDE, clock=True)
    page.clock.pause_at(page.evaluate("Date.now()") + 60_000)

    score(raced, {**dict.fromkeys(PLAYERS, 1), "p03": 14})  # passes p02
    page.evaluate(ANSWER, "<td>+14<")

    expect(page.locator('.top tr[data-key="p03"] [data-gain]')).to_have_count(1)
    expect(page.locator("[data-gain]")).to_have_count(2)


def test_on_a_phone_the_head_says_how_many_share_first_place(live_server: LiveServer, opened: Opened) -> None:
    del live_server
    board = make_board(name="Level", ties="shared")
    score(board, dict.fromkeys(PLAYERS, 10))

    page = opened(f"/boards/{board}/?player=p03", viewport=SMALL_PHONE)

    expect(page.locator(".board-lead-others")).to_have_text("+13")
    expect(page.locator(".board-lead-others")).to_be_visible()


def test_the_times_above_the_lines_say_their_zone(raced: int, opened: Opened) -> None:
    page = opened(f"/boards/{raced}/", viewport=WIDE)

    expect(page.locator(".race-zone")).to_have_text("Times: UTC")
    expect(page.locator(".race-zone")).to_be_visible()


def test_times_of_day_above_the_lines_are_told_in_the_readers_zone(live_server: LiveServer, opened: Opened) -> None:
    del live_server
    board = make_board(name="Today", period="all_time", update="increment")
    score(board, PLAYERS)
    period = Period.objects.select_related("board").get(board=board)
    for hours in (6, 4, 2):
        at = clock.now() - hours * HOUR
        record_rank_history(period, at, at)
        score(board, {"p05": 12})

    page = opened(f"/boards/{board}/", viewport=WIDE, timezone_id="Asia/Seoul")

    expect(page.locator(".race-zone .zone")).to_have_text("Asia/Seoul")
    told = page.evaluate("""() => [...document.querySelectorAll(".race-svg text[data-at]")]
        .map((tick) => [tick.dataset.at, tick.textContent])""")
    assert len(told) > 2
    for at, text in told:
        assert text == f"{datetime.fromisoformat(at).astimezone(ZoneInfo('Asia/Seoul')):%H:%M}"


def test_a_big_screen_has_faces_and_metals_on_the_boards_stage(raced: int, opened: Opened) -> None:
    for scheme in ("light", "dark"):
        page = opened(f"/boards/{raced}/?screen=1", viewport=WIDE, color_scheme=scheme)
        expect(page.locator(".hall-row .face")).to_have_count(10)
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
        assert checks.serious(page) == []
