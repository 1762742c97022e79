"""Nothing sticks out of its panel: a league's group beside a board, whose points have seven digits."""

import pytest
from playwright.sync_api import ViewportSize, expect
from pytest_django.live_server_helper import LiveServer

from competitions.services.leagues.seasons import begin_due, place_due
from foundation import clock
from leaderboards.models import Board
from tests.browser import checks
from tests.browser.conftest import SMALL_PHONE, Opened, Photograph
from tests.competitions.factories import LeagueFactory
from tests.playing import make_board, name, score

PLAYERS = {f"p{number:02d}": 2_345_678 - 1000 * number for number in range(8)}


@pytest.fixture
def grouped(live_server: LiveServer) -> int:
    """A weekly board with a league, in whose only group are eight players."""
    del live_server
    board = make_board(name="Weekly wins", update="increment")
    LeagueFactory.create(board=Board.objects.get(seq=board), group_size=8, promoted=3, demoted=2)
    score(board, PLAYERS)
    begin_due(clock.now())
    place_due(clock.now())
    name("p03", "Robin")
    return board


@pytest.mark.parametrize("viewport", [SMALL_PHONE, ViewportSize(width=1440, height=900)], ids=["phone", "desktop"])
@pytest.mark.parametrize("query", ["", "&of=group", "&period=current"])
def test_a_leagues_group_stays_in_its_panel_and_ones_own_name_is_readable(
    grouped: int, opened: Opened, photograph: Photograph, viewport: ViewportSize, query: str
) -> None:
    page = opened(f"/boards/{grouped}/?player=p03{query}", viewport=viewport)
    table = page.locator(".league-table")
    expect(table).to_be_visible()

    photograph(page, f"league-{viewport['width']}{query}")
    assert checks.wrong_boxes(page) == []
    assert table.locator(".is-me bdi").evaluate("each => each.scrollWidth <= each.clientWidth")


def test_the_check_sees_what_sticks_out_of_a_panel(grouped: int, opened: Opened) -> None:
    page = opened(f"/boards/{grouped}/?player=p03", viewport=ViewportSize(width=1440, height=900))
    page.locator(".league-table").evaluate("each => { each.style.minWidth = 'calc(100% + 60px)'; }")

    assert any(each.startswith("sticks out of its panel: <table") for each in checks.wrong_boxes(page))
