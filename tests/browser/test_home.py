"""The home page in a browser: the leader of a running competition follows the scores without a reload."""

from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.conftest import DESKTOP, Opened
from tests.competitions.factories import CompetitionFactory
from tests.competitions.site import MINUTE, START, make_board, raced, score


def test_the_leader_on_a_competitions_card_changes_while_one_looks(live_server: LiveServer, opened: Opened) -> None:
    del live_server
    cup = CompetitionFactory.create(board=make_board(update="increment"), name="Spring cup")
    raced(cup, {"ann": 9, "bob": 5}, START + MINUTE)
    page = opened("/", viewport=DESKTOP)
    leader = page.locator(".home-competitions .card-leader")
    expect(leader).to_contain_text("ann")

    score(cup, {"bob": 50}, START + 2 * MINUTE)

    expect(leader).to_contain_text("bob", timeout=30_000)
