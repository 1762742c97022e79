"""How pages look: nothing scrolls sideways, and what matters most is seen first. Keeps pictures of all."""

from collections.abc import Callable
from datetime import timedelta
from typing import Literal

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect

from foundation import clock
from leaderboards.core.periods import Calendar, PeriodKind, window_at
from tests.browser.conftest import DESKTOP, PHONE, SMALL_PHONE, Opened
from tests.playing import HARD_NAMES, account, make_board, name, score

SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
SIDEWAYS = """() => [...document.querySelectorAll('body *')].filter(each => {
    const box = each.getBoundingClientRect();
    return box.width > 1 && (box.right > innerWidth + 0.5 || box.left < -0.5) && !each.closest('.visually-hidden');
}).map(each => each.outerHTML.slice(0, 120))"""


def sideways(page: Page) -> object:
    """What sticks out, and how far the page itself can be scrolled."""
    width, inner = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    return page.evaluate(SIDEWAYS), max(0, width - inner)


def is_on_screen(page: Page, locator: Locator) -> bool:
    box, size = locator.bounding_box(), page.viewport_size
    assert box is not None
    assert size is not None
    return bool(box["height"] > 0 and box["y"] >= 0 and box["y"] + box["height"] <= size["height"])


@pytest.fixture
def site(weekly: int) -> dict[str, str]:
    """Addresses of a site with everything that is hard to lay out."""
    score(weekly, {f"player-{number:03d}": 40_000 - 37 * number for number in range(120)} | {"robin": 36_120})
    for number, hard in enumerate(HARD_NAMES, start=1):
        name(f"player-{number:03d}", hard)
    name("robin", "Robin")
    score(weekly, dict.fromkeys(("가" * 64, "W" * 64), 36_500))
    for weeks in range(1, 9):
        score(weekly, {"robin": 100 * weeks, "mina": 150}, clock.now() - timedelta(weeks=weeks))
    raid = make_board(
        name="Raid",
        period="month",
        criteria=[{"name": each, "max": 9_999_999, "order": "desc"} for each in ("stage", "damage_dealt")],
    )
    score(raid, {f"p{n}": {"stage": 9_000_000 - n, "damage_dealt": 1_234_567} for n in range(9)})
    many = make_board(
        name="M" * 100,
        criteria=[{"name": f"criterion_number_{each}", "max": 250, "order": "desc"} for each in range(6)],
    )
    score(many, {"W" * 64: {f"criterion_number_{each}": 249 for each in range(6)}})
    golf = make_board(name="골프 리그", period="day", order="asc", ties="shared", storage="sql", timezone="Asia/Seoul")
    score(golf, {f"golfer-{n}": 70 + n // 4 for n in range(16)})
    speed = make_board(name="Speed run", period="all_time", order="asc", unit="milliseconds")
    score(speed, {"robin": 61_250, "mina": 59_999, "omar": 4_000_000})
    last_week = window_at(Calendar(PeriodKind.WEEK), clock.now() - timedelta(weeks=1)).label
    empty, event = make_board(name="Quiet"), make_board(name="Cup", period="event")
    return {
        "home": "/",
        "board": f"/boards/{weekly}/?player=robin",
        "board-hard-name": f"/boards/{weekly}/?player={'W' * 64}",
        "board-last-page": f"/boards/{weekly}/?player=robin&page=3",
        "board-past": f"/boards/{weekly}/?player=robin&period={last_week}",
        "raid": f"/boards/{raid}/?player=p3",
        "many-criteria": f"/boards/{many}/?player={'W' * 64}",
        "golf-ties": f"/boards/{golf}/?player=golfer-9",
        "speed-run": f"/boards/{speed}/?player=robin",
        "empty": f"/boards/{empty}/?player=robin",
        "event": f"/boards/{event}/",
        "sign-in": "/accounts/login/",
        "missing": "/nowhere/",
        "player": "/players/robin/",
        "player-hard-name": f"/players/{'W' * 64}/",
        "style-guide": "/styleguide/",
        "embedded": f"/boards/{weekly}/?embed=1",
        "screen": f"/boards/{weekly}/?screen=1",
    }


@pytest.mark.slow
def test_nothing_scrolls_sideways(
    site: dict[str, str], opened: Opened, photograph: Callable[[Page, str], None]
) -> None:
    page = opened("/", reduced_motion="reduce")
    found = {}

    for title, address in site.items():
        for device, size in {"small-phone": SMALL_PHONE, "phone": PHONE, "desktop": DESKTOP}.items():
            page.set_viewport_size(ViewportSize(width=size["width"], height=size["height"]))
            page.goto(address)
            for scheme in SCHEMES:
                page.emulate_media(color_scheme=scheme)
                photograph(page, f"{title}-{device}-{scheme}")
            found[title, device] = sideways(page)

    assert {where: what for where, what in found.items() if what != ([], 0)} == {}


@pytest.mark.parametrize("player", ["robin", "W" * 64])
def test_own_row_gap_and_time_left_are_seen_without_scrolling(
    site: dict[str, str], opened: Opened, player: str
) -> None:
    page = opened(site["board"].replace("robin", player), viewport=PHONE)

    own = page.locator(".own")
    gap = own.locator(".own-gap")
    left = page.locator(".time-left")

    assert is_on_screen(page, own)
    expect(gap).to_contain_text("32 points" if player == "robin" else "level")
    assert is_on_screen(page, gap)
    expect(left).to_contain_text("Ends in")
    assert is_on_screen(page, left)


def test_everything_to_press_is_large_enough_for_a_thumb(site: dict[str, str], opened: Opened) -> None:
    page = opened("/", viewport=SMALL_PHONE)
    small: dict[str, object] = {}

    for title, address in site.items():
        page.goto(address)
        boxes = page.locator("a:visible, button:visible, input:visible, summary:visible").evaluate_all(
            "all => all.filter(each => !each.classList.contains('skip-link') && !each.closest('.board-card'))"
            ".filter(each => each.getBoundingClientRect().height < 44).map(each => each.outerHTML.slice(0, 90))"
        )
        small |= {title: boxes} if boxes else {}

    assert small == {}


def test_a_name_cannot_turn_or_mark_up_its_neighbours(site: dict[str, str], opened: Opened) -> None:
    page = opened(site["board"], viewport=DESKTOP)

    rows = page.locator(".top tbody tr")

    expect(rows.nth(6)).to_contain_text("<b>bold</b><script>alert(1)</script>")
    for row in rows.all()[:10]:
        rank, points = row.locator(".rank").bounding_box(), row.locator(".result").bounding_box()
        assert rank is not None
        assert points is not None
        assert rank["x"] < points["x"]


def test_the_page_reads_from_right_to_left_where_the_language_does(
    site: dict[str, str], opened: Opened, photograph: Callable[[Page, str], None]
) -> None:
    page = opened(site["board"], viewport=SMALL_PHONE)

    page.evaluate("document.documentElement.dir = 'rtl'")
    photograph(page, "board-small-phone-right-to-left")

    assert sideways(page) == ([], 0)


def test_accounts_look_alike(weekly: int, opened: Opened, photograph: Callable[[Page, str], None]) -> None:
    account("robin", player="robin")
    account("W" * 150)
    for user in ("robin", "W" * 150):
        page = opened("/accounts/login/?next=/account/", viewport=SMALL_PHONE)
        page.get_by_label("Username").fill(user)
        page.get_by_label("Password").fill("secret")
        page.get_by_role("button", name="Sign in").click()

        expect(page.get_by_role("heading", name="Account")).to_be_visible()
        photograph(page, f"account-{user[:5]}-small-phone-light")
        assert sideways(page) == ([], 0)
