"""How the pages of competitions look, in every phase: nothing sticks out, and thumbs find what they press."""

from collections.abc import Callable
from datetime import datetime
from io import BytesIO

import pytest
from django.test import Client
from PIL import Image
from playwright.sync_api import Page, ViewportSize, expect
from pytest_django.live_server_helper import LiveServer

from competitions.models import Competition, Notice, RewardTier
from competitions.services.cancel import cancel
from competitions.services.finish import finish_due
from competitions.services.freeze import freeze_due
from competitions.services.join import join
from competitions.services.picture import as_webp, set_picture
from competitions.services.publish import publish
from competitions.services.snapshot import take_due
from foundation import clock
from leaderboards.models import Board
from tests.browser.conftest import DESKTOP, PHONE, SMALL_PHONE, Opened
from tests.browser.test_looks import SCHEMES, sideways
from tests.competitions.site import DAY, HOUR, MINUTE, START, draft, make_board, open_competition, player, score
from tests.playing import HARD_NAMES, account, name

PRESSED = ", ".join(f"{each}:visible" for each in ("a", "button", "input", "textarea", "select", "summary"))
DESCRIPTION = "Run as far as you can.\n\nEvery workout counts, from the first minute to the last. Be kind."


def raced(competition: Competition, points: dict[str, int], at: datetime) -> None:
    """These join and score, and some more only join."""
    for each in (*points, *(f"late-{number}" for number in range(25))):
        join(competition, player(each), at)
    assert {outcome.code for outcome in score(competition, points, at)} == {None}


def running(board: Board) -> Competition:
    """With everything that a page can show, and a way that goes up and down for robin."""
    competition = open_competition(
        board, name="Spring Marathon 2026", description=DESCRIPTION, attempts=500, most_participants=500,
        join_until=START + 20 * HOUR, freeze_minutes=60, timezone="Asia/Seoul",
    )  # fmt: skip  # as a table
    picture = BytesIO()
    Image.linear_gradient("L").resize((1600, 900)).convert("RGB").save(picture, "JPEG")
    set_picture(competition, as_webp(picture.getvalue()))
    for tier in (
        {"name": "Gold trophy", "kind": "rank", "limit": 1},
        {"name": "A reward with quite a long name, as sponsors like them", "kind": "percent", "limit": 10},
        {"name": "Finisher", "kind": "points", "limit": 10_000},
    ):
        RewardTier.objects.create(competition=competition, **tier)
    raced(competition, {f"player-{n:03d}": 40_000 - 37 * n for n in range(70)} | {"robin": 36_120}, START + MINUTE)
    for minutes, points in ((10, 37_000), (31, 37_100), (61, 39_500), (91, 39_400)):
        score(competition, {"robin": points} | {f"player-{n:03d}": 38_500 + n for n in range(minutes // 2)},
              START + minutes * MINUTE)  # fmt: skip  # as a table
        take_due(START + (minutes + 1) * MINUTE)
    return competition


def over(board: Board, rest: str = "", freeze: int | None = None) -> Competition:
    """Ended yesterday; final where its rest is not hidden."""
    competition = draft(
        board, name=f"Winter Cup{rest}", starts_at=START - 3 * DAY, ends_at=START - DAY, freeze_minutes=freeze,
        description=DESCRIPTION,
    )  # fmt: skip  # as a table
    publish(competition, START - 4 * DAY, None)
    points = {f"player-{n:03d}": 5000 - 40 * n for n in range(1, 12)} | {"robin": 4870}
    raced(competition, points, START - 2 * DAY)
    finish_due(START - DAY + HOUR)
    return competition


@pytest.fixture
def site(live_server: LiveServer) -> dict[str, str]:
    """Addresses of competitions in every phase, for robin."""
    board = make_board()
    for number, hard in enumerate(HARD_NAMES, start=1):
        player(f"player-{number:03d}")
        name(f"player-{number:03d}", hard)
    account("robin", "robin")
    now = running(board)
    frozen = open_competition(
        board, name="Frozen lake swim", freeze_minutes=22 * 60 + 30, joining="code", join_code="X"
    )
    for each in ("robin", "mina"):
        join(frozen, player(each), START, "x")
    score(frozen, {"robin": 5, "mina": 9}, START + HOUR)
    freeze_due(clock.now())
    score(frozen, {"robin": 70}, clock.now())
    coming = open_competition(
        make_board(name="M" * 100), name="W" * 100, description="M" * 400, joining="code", join_code="X",
        starts_at=clock.now() + DAY, ends_at=clock.now() + 3 * DAY,
    )  # fmt: skip  # as a table
    cancelled = open_competition(board, name="Rained off")
    cancel(cancelled, "The park is under water until the end of the month.", clock.now(), None)
    final = over(board)
    for kind, more in (
        ("first_taken", {"previous_rank": 4}), ("top10_entered", {"rank": 8, "read_at": START}),
        ("first_lost", {"rank": 2}),
    ):  # fmt: skip  # as a table
        Notice.objects.create(competition=now, player=player("robin"), kind=kind, created_at=START, **more)
    return {
        "list": "/competitions/",
        "running": f"/competitions/{now.pk}/?player=robin",
        "frozen": f"/competitions/{frozen.pk}/?player=robin",
        "coming": f"/competitions/{coming.pk}/",
        "cancelled": f"/competitions/{cancelled.pk}/",
        "final": f"/competitions/{final.pk}/?player=robin",
        "reveal": f"/competitions/{final.pk}/reveal/",
        "event-board": f"/boards/{board.seq}/",
        "leave": f"/competitions/{now.pk}/leave/",
        "inbox": "/inbox/",
        "inbox-settings": "/inbox/settings/",
    }


def as_robin(page: Page) -> None:
    """Signed in, in this browser."""
    client = Client()
    assert client.login(username="robin", password="secret")
    url = page.url.split("/", 3)
    page.context.add_cookies(
        [{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": f"{url[0]}//{url[2]}"}]
    )


@pytest.mark.slow
def test_nothing_scrolls_sideways_and_all_can_be_pressed(
    site: dict[str, str], opened: Opened, photograph: Callable[[Page, str], None]
) -> None:
    assert wrong_looks(site, opened, lambda page, name: photograph(page, f"competition-{name}")) == {}


def wrong_looks(
    site: dict[str, str], opened: Opened, photograph: Callable[[Page, str], None]
) -> dict[tuple[str, str, str], object]:
    """What sticks out or is too small, where: for anybody and robin, on each device, in each language and scheme."""
    found: dict[tuple[str, str, str], object] = {}
    for locale in ("en", "ko"):
        page = opened("/accounts/login/", reduced_motion="reduce", locale=locale)
        for who in ("anybody", "robin"):
            for title, address in site.items():
                for device, size in {"small-phone": SMALL_PHONE, "phone": PHONE, "desktop": DESKTOP}.items():
                    page.set_viewport_size(ViewportSize(width=size["width"], height=size["height"]))
                    page.goto(address)
                    for scheme in SCHEMES:
                        page.emulate_media(color_scheme=scheme)
                        photograph(page, f"{title}-{who}-{locale}-{device}-{scheme}")
                    found[title, who, device] = (sideways(page), _small(page))
            as_robin(page)
    return {where: what for where, what in found.items() if what != (([], 0), [])}


def _small(page: Page) -> object:
    """What is too small for a thumb."""
    return page.locator(PRESSED).evaluate_all(
        "all => all.filter(each => !each.classList.contains('skip-link') && !each.closest('.board-card, .choice'))"
        ".filter(each => each.getBoundingClientRect().height < 44).map(each => each.outerHTML.slice(0, 90))"
    )


def test_everything_has_a_name_and_headings_are_in_order(site: dict[str, str], opened: Opened) -> None:
    page = opened("/accounts/login/")
    as_robin(page)
    found: dict[str, object] = {}

    for title, address in site.items():
        page.goto(address)
        found[title] = page.evaluate(UNNAMED)

    assert {where: what for where, what in found.items() if what} == {}


# What would stop somebody who listens: headings that skip a level, fields and links without a name, ids twice.
UNNAMED = """() => {
    const wrong = [];
    let level = 0;
    for (const each of document.querySelectorAll('h1, h2, h3, h4')) {
        if (Number(each.localName[1]) > level + 1) wrong.push(`skips to ${each.outerHTML.slice(0, 80)}`);
        level = Number(each.localName[1]);
    }
    if (document.querySelectorAll('h1').length !== 1) wrong.push('not one h1');
    for (const each of document.querySelectorAll('input:not([type=hidden]), select')) {
        if (!each.labels.length) wrong.push(`no label: ${each.outerHTML.slice(0, 80)}`);
    }
    for (const each of document.querySelectorAll('a, button')) {
        if (!each.textContent.trim()) wrong.push(`no name: ${each.outerHTML.slice(0, 80)}`);
    }
    for (const each of document.querySelectorAll('[aria-labelledby], [aria-describedby]')) {
        const ids = `${each.getAttribute('aria-labelledby') ?? ''} ${each.getAttribute('aria-describedby') ?? ''}`;
        for (const id of ids.trim().split(/\\s+/)) if (!document.getElementById(id)) wrong.push(`nothing is ${id}`);
    }
    const ids = [...document.querySelectorAll('[id]')].map((each) => each.id);
    wrong.push(...ids.filter((id, nth) => ids.indexOf(id) !== nth).map((id) => `twice: ${id}`));
    return wrong;
}"""


def test_the_chart_has_words_and_a_table(site: dict[str, str], opened: Opened) -> None:
    page = opened(site["running"])

    expect(page.locator("svg[role=img]")).to_have_accessible_name("From place 71 to place 15; the best was 15.")
    page.get_by_text("As a table").click()
    expect(page.get_by_role("table", name="Changes of place, the latest first")).to_be_visible()
