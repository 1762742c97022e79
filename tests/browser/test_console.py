"""The console in a browser: its rail on a phone, its banner, and the journeys of an admin, counted in clicks."""

from datetime import timedelta

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect
from pytest_django.live_server_helper import LiveServer

from config.console import status
from foundation import clock
from foundation.models import Heartbeat
from foundation.tasks import REDIS, WORKER
from leaderboards.models import Period
from tests.browser.checks import english_words, serious, wrong_frame
from tests.browser.conftest import DESKTOP, PHONE, SMALL_PHONE, Opened, Photograph
from tests.leaderboards.factories import AdminFactory
from tests.playing import make_board, score


@pytest.fixture
def admin(live_server: LiveServer) -> str:
    """Somebody who may do everything; the worker has just breathed."""
    AdminFactory.create()
    for name in (WORKER, REDIS):
        Heartbeat.note(name, clock.now())
    return "admin"


# What stays Latin on the Korean home: names, servers, units and what is typed into a terminal.
LATIN = [
    "manage.py rebuild --board NUMBER",
    "Weekly wins",
    "PostgreSQL",
    "rocket",
    "Redis",
    "admin",
    "beat",
    "SQL",
    "MB",
    "ms",
]


class Clicks:
    """Counts what is pressed."""

    def __init__(self) -> None:
        self.number = 0

    def on(self, target: Locator) -> None:
        target.click()
        self.number += 1


def whole(page: Page, language: str = "en") -> list[str]:
    """What is wrong with it as it stands."""
    return [*wrong_frame(page, language), *serious(page)]


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("viewport", [DESKTOP, SMALL_PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("language", ["en", "ko"])
def test_home_and_health_are_whole(
    admin: str, opened: Opened, photograph: Photograph, viewport: object, colours: str, language: str
) -> None:
    board = make_board(name="Weekly wins", update="increment", plausible_most=1000)
    score(board, {"mina": 700, "rocket": 50_000})
    Period.objects.update(stale_since=clock.now() - timedelta(minutes=2))
    size = "phone" if viewport is SMALL_PHONE else "desktop"
    page = opened("/admin/", admin, viewport=viewport, color_scheme=colours, locale=language)

    for name in ("home", "health"):
        if name == "health":
            page.goto("/admin/health/")
        photograph(page, f"console-{name}-{size}-{colours}-{language}")
        found = whole(page, language)
        if language == "ko" and name == "home":
            found += english_words(page, LATIN)
        assert found == []


def test_the_rail_opens_by_a_link_on_a_phone_without_scripts(admin: str, opened: Opened) -> None:
    page = opened("/admin/", admin, viewport=PHONE, java_script_enabled=False)
    rail = page.get_by_role("navigation", name="Admin")
    expect(rail).to_be_hidden()

    page.get_by_role("link", name="Menu", exact=True).click()
    expect(rail).to_be_visible()
    rail.get_by_role("link", name="Players", exact=True).click()

    expect(page).to_have_url("/admin/leaderboards/player/".join([page.url.partition("/admin/")[0], ""]))
    expect(rail).to_be_hidden()


def test_the_banner_leads_to_what_is_to_be_done_and_goes_when_it_is(admin: str, opened: Opened) -> None:
    make_board(name="Golf")
    Heartbeat.note(WORKER, clock.now() - timedelta(minutes=5))
    status.forget()
    page = opened("/admin/leaderboards/board/", admin, viewport=DESKTOP)
    banner = page.get_by_role("region", name="What is wrong")
    expect(banner).to_contain_text("The worker has been silent since")

    banner.get_by_role("link", name="What to do").click()
    expect(page.locator("#worker_silent")).to_contain_text("See whether worker and beat run")

    Heartbeat.note(WORKER, clock.now())
    status.forget()
    page.get_by_role("link", name="Look again").click()
    expect(page.get_by_text("Nothing is wrong: there is nothing to do.")).to_be_visible()
    expect(banner).to_have_count(0)


def test_a_cheat_is_found_and_voided_in_four_clicks(admin: str, opened: Opened) -> None:
    board = make_board(name="Weekly wins", update="increment", plausible_most=1000)
    score(board, {"mina": 700, "rocket": 990})
    score(board, {"rocket": 50_000})
    status.forget()
    page, clicks = opened("/admin/", admin, viewport=DESKTOP), Clicks()

    clicks.on(page.get_by_role("link", name="Judge: Quarantined score"))
    clicks.on(page.get_by_role("link", name="submissions", exact=True))
    clicks.on(page.get_by_role("button", name="Void 1 submission…"))
    expect(page.locator("#content")).to_contain_text("Then: not ranked.")
    page.get_by_label("Reason").fill("Nobody is so fast.")
    clicks.on(page.get_by_role("button", name="Yes: Void submissions"))

    expect(page.locator(".messagelist")).to_contain_text("Voided: 1.")
    assert clicks.number == 4


def test_why_a_board_is_not_live_is_one_click_from_its_page(admin: str, opened: Opened) -> None:
    board = make_board(name="Weekly wins")
    score(board, {"mina": 700})
    Period.objects.update(stale_since=clock.now())
    page, clicks = opened(f"/boards/{board}/", admin, viewport=DESKTOP), Clicks()

    clicks.on(page.get_by_role("link", name="Manage", exact=True))

    expect(page.locator(".board-liveness")).to_contain_text("Not live: since")
    assert clicks.number == 1


def test_a_new_weekly_board_a_key_and_a_test_score_in_one_go(admin: str, opened: Opened) -> None:
    page, clicks = opened("/admin/", admin, viewport=DESKTOP), Clicks()

    clicks.on(page.get_by_role("link", name="New board"))
    page.get_by_label("Name:", exact=True).fill("Ours")
    clicks.on(page.get_by_role("button", name="Save and continue editing"))
    clicks.on(page.get_by_role("link", name="Test score"))
    clicks.on(page.get_by_role("button", name="Try it, without effect"))
    expect(page.locator("#content")).to_contain_text("Accepted: the standing changes.")
    clicks.on(page.get_by_role("button", name="Send it"))
    expect(page.locator(".messagelist")).to_contain_text("Rank: 1.")
    clicks.on(page.get_by_role("link", name="Back to the board"))
    clicks.on(page.get_by_role("link", name="New key for it"))
    expect(page.get_by_label("Name:", exact=True)).to_have_value("Ours")
    expect(page.get_by_label("scores:write")).to_be_checked()
    clicks.on(page.get_by_role("button", name="Save", exact=True))

    expect(page.locator(".ready-curl")).to_contain_text("/api/v1/scores?dry_run=true")
    assert clicks.number == 8


def test_each_state_of_a_check_has_a_shape_of_its_own(opened: Opened, admin: str) -> None:
    page = opened("/admin/health/", admin, viewport=DESKTOP)

    looks = page.evaluate("""() => ["good", "warning", "bad", "unknown"].map((state) => {
        const sign = document.querySelector(".check .sign").cloneNode();
        sign.className = `sign is-${state}`;
        document.querySelector(".check").append(sign);
        const look = getComputedStyle(sign);
        return [look.borderRadius, look.backgroundColor, look.clipPath, look.borderStyle].join(" ");
    })""")

    assert len(set(looks)) == 4
    assert "rgba(0, 0, 0, 0)" in looks[3]


@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.parametrize("width", [1280, 1440])
def test_the_table_of_boards_shows_its_last_column_whole(opened: Opened, admin: str, width: int, language: str) -> None:
    board = make_board(name="The long name of a board that runs week after week", update="increment")
    score(board, {"mina": 700})
    page = opened("/admin/", admin, viewport=ViewportSize(width=width, height=900), locale=language)

    cut = page.evaluate("""() => [...document.querySelectorAll(".part-scroll")].map(
        (each) => each.scrollWidth - each.clientWidth)""")

    expect(page.locator(".home-table tbody tr")).to_have_count(1)
    assert max(cut) <= 0


@pytest.mark.parametrize("language", ["en", "ko"])
def test_why_boards_are_not_live_hides_no_column_beside_long_names(admin: str, opened: Opened, language: str) -> None:
    board = make_board(name="A very long name that nobody would ever want to read in a list", update="increment")
    score(board, {"mina": 700})
    Period.objects.update(stale_since=clock.now() - timedelta(minutes=2))

    page = opened("/admin/", admin, viewport=ViewportSize(width=1440, height=900), locale=language)

    expect(page.locator(".home-scores strong")).to_be_visible()
    assert page.locator(".part-scroll").first.evaluate("each => each.scrollWidth - each.clientWidth") <= 0


def test_steps_in_a_message_look_like_links(admin: str, opened: Opened) -> None:
    page = opened("/admin/leaderboards/board/add/", admin, viewport=DESKTOP)
    page.fill("[name=name]", "Weekly wins")
    page.locator("[name=_save]").click()

    step = page.locator(".messagelist a").first

    expect(step).to_have_css("text-decoration-line", "underline")
