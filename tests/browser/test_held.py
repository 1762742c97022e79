"""What follows the scores takes nothing from who uses the page: presses, selected text, the keyboard's place."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import DESKTOP, Opened
from tests.playing import make_board, score

SELECT = """cell => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
}"""
MARK = "nodes => nodes.forEach((each) => { each.asItWas = true; })"
# What strangers get is up to a second old.
ANSWER = """async told => {
    for (let tries = 0; tries < 500; tries += 1) {
        const text = await (await fetch("?fragment=1", { cache: "no-store" })).text();
        if (!text.includes(told)) continue;
        document.dispatchEvent(new CustomEvent("live:answer", { detail: text }));
        return;
    }
    throw new Error(`nobody told of ${told}`);
}"""
NOTE_TEXTS = """cell => {
    window.texts = [];
    new MutationObserver((changes) => changes.forEach((each) => each.addedNodes.forEach((text) =>
        window.texts.push(text.data)))).observe(cell, { childList: true });
}"""
MARKED = "nodes => nodes.map((each) => Boolean(each.asItWas))"


@pytest.fixture
def played(weekly: int) -> str:
    """The address of a board with omar before mina before robin."""
    score(weekly, {"omar": 500, "mina": 300, "robin": 240})
    return f"/boards/{weekly}/"


def rows(page: Page) -> Locator:
    return page.locator(".top tbody tr")


def answered(page: Page, board: int, points: dict[str, object]) -> None:
    """Scores, and waits until the page was told of it."""
    with page.expect_response(lambda each: "fragment=1" in each.url and each.status == 200) as told:
        score(board, points)
    told.value.finished()
    page.evaluate("() => new Promise(requestAnimationFrame)")


@pytest.mark.parametrize("chosen", [".top", ".top tbody tr:first-child th bdi"], ids=["table", "name"])
def test_selected_text_stays_and_the_page_says_that_it_waits(
    played: str, weekly: int, opened: Opened, chosen: str
) -> None:
    page = opened(played)
    expect(page.get_by_text("Live", exact=True)).to_be_visible()
    page.locator(chosen).evaluate(SELECT)
    words = page.evaluate("getSelection().toString()")

    answered(page, weekly, {"robin": 1000})

    expect(page.get_by_text("Waits while text is selected.")).to_be_visible()
    expect(page.get_by_text("Live", exact=True)).to_be_hidden()
    expect(rows(page).first).to_contain_text("omar")
    assert page.evaluate("getSelection().toString()") == words

    page.evaluate("getSelection().removeAllRanges()")

    expect(rows(page).first).to_contain_text("robin")
    expect(page.get_by_text("Live", exact=True)).to_be_visible()
    expect(page.get_by_text("Waits while text is selected.")).to_be_hidden()


def test_who_is_pressed_while_rows_change_is_who_was_meant(played: str, weekly: int, opened: Opened) -> None:
    page = opened(played, viewport=DESKTOP)
    rows(page).first.locator("th > p > a").hover()
    page.mouse.down()

    answered(page, weekly, {"robin": 1000})

    expect(rows(page).first).to_contain_text("omar")
    page.mouse.up()
    page.wait_for_url(re.compile("/players/omar/"))


def test_a_press_elsewhere_or_one_that_comes_to_nothing_holds_nothing(played: str, weekly: int, opened: Opened) -> None:
    page = opened(played, viewport=DESKTOP)
    page.mouse.move(2, 2)
    page.mouse.down()
    answered(page, weekly, {"robin": 1000})
    expect(rows(page).first).to_contain_text("robin")
    page.mouse.up()

    rows(page).first.locator("td").first.hover()
    page.mouse.down()
    answered(page, weekly, {"mina": 10_000})
    page.mouse.up()

    expect(rows(page).first).to_contain_text("mina")


def test_rows_stay_the_same_elements_and_go_with_their_player(played: str, weekly: int, opened: Opened) -> None:
    page = opened(f"{played}?player=robin")
    page.locator(".own-why > summary").click()
    rows(page).evaluate_all(MARK)
    page.locator(".own [data-share-menu]").evaluate_all(MARK)
    link = rows(page).filter(has_text="robin").locator("th > p > a")
    link.focus()

    answered(page, weekly, {"robin": 1000, "aiko": 5})

    expect(rows(page)).to_have_count(4)
    expect(rows(page).first).to_contain_text("robin")
    assert rows(page).evaluate_all(MARKED) == [True, True, True, False]
    assert page.locator(".own [data-share-menu]").evaluate_all(MARKED) == [True]
    expect(link).to_be_focused()
    expect(page.locator(".own-why")).to_have_attribute("open", "")
    assert page.locator("[data-part]:has([data-part])").count() == 0


def test_a_number_that_is_overtaken_while_it_counts_goes_on_to_the_last_one(
    played: str, weekly: int, opened: Opened
) -> None:
    page = opened(played, clock=True)
    page.clock.pause_at(page.evaluate("Date.now()") + 60_000)
    result = rows(page).filter(has_text="robin").locator("td").nth(-2)

    for points, told in ((100, "340"), (1000, "1,340")):
        score(weekly, {"robin": points})
        page.evaluate(ANSWER, told)
        page.clock.run_for(200)
    result.evaluate(NOTE_TEXTS)
    page.clock.run_for(2000)

    expect(result).to_have_text("1,340")
    counted = [int(each.replace(",", "")) for each in page.evaluate("window.texts")]
    assert len(counted) > 1
    assert counted == sorted(counted)


def test_boards_of_the_first_page_stay_the_same_elements(played: str, weekly: int, opened: Opened) -> None:
    other = make_board(name="Other")
    score(other, {"aiko": 7})
    page = opened("/")
    cards = page.locator(".board-card")
    cards.evaluate_all(MARK)

    score(weekly, {"robin": 1000})

    expect(page.locator(".board-list").get_by_text("1,240 points")).to_be_visible()
    assert cards.evaluate_all(MARKED) == [True, True]
