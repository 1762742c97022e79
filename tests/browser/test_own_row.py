"""The viewer's row stays in sight while their table is, and hides nothing that says what the columns mean.

On a phone it rests in its place: there the plate is pinned (test_scoreboard.py).
"""

from playwright.sync_api import ViewportSize

from tests.browser.conftest import DESKTOP, Opened
from tests.playing import account, score

LOW = 300  # so that the heading begins below the first screen
# What lies on top in the middle of each heading that is in sight: itself, or what hides it.
HIDDEN = """(seen) => {
    const top = document.querySelector(".top .standings").getBoundingClientRect().top + scrollY;
    scrollTo(0, top - innerHeight + seen);
    const parts = [...document.querySelectorAll(".top caption, .top thead th")].filter((each) => each.innerText);
    return parts.filter((each) => {
        const { left, top, height } = each.getBoundingClientRect();
        const [x, y] = [left + 20, top + height / 2];
        return y > 0 && y < innerHeight && !each.contains(document.elementFromPoint(x, y));
    }).map((each) => each.innerText);
}"""


def test_it_goes_behind_the_heading_where_hardly_more_is_in_sight(weekly: int, opened: Opened) -> None:
    account("robin", "robin")
    score(weekly, {f"p{number:03d}": 1000 - number for number in range(40)} | {"robin": 1})
    page = opened(f"/boards/{weekly}/", who="robin", viewport=ViewportSize(width=DESKTOP["width"], height=LOW))

    hidden = {seen: page.evaluate(HIDDEN, seen) for seen in range(20, 160, 10)}

    assert {seen: words for seen, words in hidden.items() if words} == {}
    assert page.locator(".top .is-me").evaluate("each => each.firstElementChild.getBoundingClientRect().top") > 0
