"""Stages are full and cut nothing: a reveal on any screen, a competition's head at a desk, and its frame elsewhere."""

import pytest
from django.conf import LazySettings
from playwright.sync_api import ViewportSize, expect
from pytest_django.live_server_helper import LiveServer

from competitions.models import Competition
from competitions.services.lifecycle.finish import finish_due
from tests.browser import checks
from tests.browser.conftest import PHONE, SMALL_PHONE, Opened, Photograph
from tests.browser.test_competition_flow import show
from tests.browser.test_competition_race import WIDE, cup
from tests.competitions.factories import ParticipantFactory
from tests.competitions.site import DAY, HOUR, START, make_board, open_competition, player, score
from tests.playing import name

__all__ = ["cup", "show"]  # fixtures

SHORT, LOW = ViewportSize(width=1440, height=640), ViewportSize(width=1024, height=560)
# What of the stage's content is outside of it, of the screen, or below the buttons.
CUT = """() => {
    const stage = document.querySelector(".reveal-stage").getBoundingClientRect();
    const buttons = document.querySelector(".reveal-controls").getBoundingClientRect();
    return [...document.querySelectorAll(".reveal-stage > *")].filter((each) => {
        const { left, right, top, bottom, width } = each.getBoundingClientRect();
        const isOut = left < 0 || right > stage.right + 1 || top < stage.top - 1 || bottom > buttons.top + 1;
        const isWide = !each.matches(".face") && each.scrollWidth > each.clientWidth + 1;
        return width && (isOut || isWide);
    }).map((each) => each.className);
}"""

# Whether the sign of a shared rank stands in the line of its number, and in its colour.
PLACED = """(rank) => {
    const sign = rank.querySelector(".ties"), number = document.createRange();
    number.selectNodeContents(rank.lastChild);
    const [one, other] = [sign.getBoundingClientRect(), number.getBoundingClientRect()];
    const isBeside = other.top < one.bottom && one.top < other.bottom && one.right <= other.left + 1;
    return [isBeside, getComputedStyle(sign).color === getComputedStyle(rank).color];
}"""
# How far the letters of the name reach below the box that cuts them: a negative number is room.
BELOW = """(name) => {
    const letters = document.createRange();
    letters.selectNodeContents(name);
    return letters.getBoundingClientRect().bottom - name.getBoundingClientRect().bottom;
}"""


@pytest.mark.parametrize("size", [WIDE, SHORT, LOW, PHONE, SMALL_PHONE], ids=["1440", "640 high", "low", "390", "360"])
def test_nothing_on_the_stage_of_a_reveal_is_cut(
    show: str, opened: Opened, photograph: Photograph, size: ViewportSize
) -> None:
    page = opened(show, viewport=size, reduced_motion="reduce")

    assert page.evaluate(CUT) == []
    for _ in page.locator(".reveal-row").all():
        page.get_by_role("button", name="Next place").click()
        assert page.evaluate(CUT) == []
    photograph(page, f"reveal-stage-{size['width']}-{size['height']}")


def test_the_head_of_a_competition_has_its_best_three_where_there_is_room(
    cup: Competition, opened: Opened, photograph: Photograph
) -> None:
    page = opened(f"/competitions/{cup.pk}/", viewport=WIDE)

    best = page.get_by_role("list", name="The best three")
    expect(best.get_by_role("listitem")).to_have_count(3)
    expect(page.locator(".board-head .board-lead")).to_be_hidden()
    assert checks.wrong_boxes(page) == []
    assert checks.serious(page) == []
    photograph(page, "competition-head")
    page.set_viewport_size(PHONE)
    expect(best).to_be_hidden()
    expect(page.locator(".board-head .board-lead")).to_be_visible()


def test_a_competition_in_a_frame_takes_all_its_width(
    cup: Competition, live_server: LiveServer, settings: LazySettings, opened: Opened, photograph: Photograph
) -> None:
    del live_server, settings
    page = opened(f"/competitions/{cup.pk}/?embed=1", viewport=WIDE)

    table, head = (page.locator(each).bounding_box() for each in (".top .standings", ".board-head"))
    assert table
    assert head
    for box in (table, head):
        assert box["x"] + box["width"] > WIDE["width"] * 0.9
    photograph(page, "competition-embed")


def test_the_letters_of_a_name_of_two_lines_are_whole_on_the_stage(
    show: str, opened: Opened, photograph: Photograph
) -> None:
    name("aiko", "Gypsy Jeggings of Quayjogging")
    page = opened(show, viewport=WIDE, reduced_motion="reduce")

    page.get_by_role("button", name="Next place").click()

    shown = page.locator(".reveal-stage .reveal-name")
    expect(shown).to_contain_text("Quayjogging")
    assert shown.evaluate(BELOW) <= 0
    photograph(page, "reveal-name-of-two-lines")


@pytest.fixture
def shared(live_server: LiveServer) -> Competition:
    """A final result with three in the first place."""
    del live_server
    competition = open_competition(board=make_board(ties="shared"), starts_at=START - 3 * DAY, ends_at=START - DAY)
    points = dict.fromkeys(("mina", "omar", "robin"), 50)
    for each in points:
        ParticipantFactory.create(competition=competition, player=player(each), at=START - 2 * DAY)
    score(competition, points, START - 2 * DAY)
    finish_due(START - DAY + HOUR)
    return competition


@pytest.mark.parametrize("size", [WIDE, SMALL_PHONE], ids=["1440", "360"])
def test_all_who_share_the_first_place_stand_on_the_stage(
    shared: Competition, opened: Opened, photograph: Photograph, size: ViewportSize
) -> None:
    page = opened(f"/competitions/{shared.pk}/reveal/", viewport=size, reduced_motion="reduce")

    page.get_by_role("button", name="Next place").click()
    expect(page.locator(".reveal-equals")).to_have_count(0)
    page.get_by_role("button", name="Show all").click()

    stage = page.locator(".reveal-stage")
    for each in ("mina", "omar", "robin"):
        expect(stage).to_contain_text(each)
    assert page.evaluate(CUT) == []
    photograph(page, f"reveal-shared-{size['width']}")


def test_a_shared_place_on_the_podium_is_one_line_in_one_colour(
    shared: Competition, opened: Opened, photograph: Photograph
) -> None:
    page = opened(f"/competitions/{shared.pk}/", viewport=WIDE)

    steps = page.locator(".podium.is-steps .podium-rank")
    expect(steps).to_have_count(3)
    expect(steps.first).to_have_text("=1")
    for step in steps.all():
        assert step.evaluate(PLACED) == [True, True]
    photograph(page, "podium-shared")
