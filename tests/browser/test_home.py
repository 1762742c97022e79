"""The home page in a browser: one race leads it for new visitors, and follows the scores without a reload."""

import pytest
from playwright.sync_api import ViewportSize, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser import checks
from tests.browser.conftest import DESKTOP, PHONE, SMALL_PHONE, Opened, Photograph
from tests.competitions.factories import CompetitionFactory
from tests.competitions.site import MINUTE, START, make_board, raced, score
from tests.playing import account
from tests.playing import make_board as make_weekly
from tests.playing import score as score_weekly


def test_the_leader_on_a_competitions_card_changes_while_one_looks(live_server: LiveServer, opened: Opened) -> None:
    del live_server
    cup = CompetitionFactory.create(board=make_board(update="increment"), name="Spring cup")
    raced(cup, {"ann": 9, "bob": 5}, START + MINUTE)
    page = opened("/", viewport=DESKTOP)
    leader = page.locator(".home-lead-row.is-first")
    expect(leader).to_contain_text("ann")

    score(cup, {"bob": 50}, START + 2 * MINUTE)

    expect(leader).to_contain_text("bob", timeout=30_000)


@pytest.mark.parametrize("size", [SMALL_PHONE, PHONE, DESKTOP], ids=["360", "390", "1280"])
def test_a_new_visitor_sees_one_race_first_with_its_leader_and_the_time_left(
    live_server: LiveServer, opened: Opened, photograph: Photograph, size: ViewportSize
) -> None:
    del live_server
    score_weekly(make_weekly(name="Weekly wins"), {"W" * 64: 12, "omar": 7, "mina": 7, "eve": 1})
    make_weekly(name="All time", period="all_time")
    page = opened("/", viewport=size)
    lead = page.get_by_role("region", name="Weekly wins")

    expect(lead.locator(".home-lead-row")).to_have_count(3)
    for each in (lead.get_by_role("heading"), lead.locator(".tiles"), lead.locator(".is-first")):
        expect(each).to_be_in_viewport(ratio=1)
    first, boards = (page.locator(each).bounding_box() for each in (".home-lead", ".board-list"))
    assert first
    assert boards
    assert first["y"] + first["height"] <= boards["y"]
    assert checks.wrong_frame(page, "en") == []
    assert checks.wrong_boxes(page, thumbs=size["width"] < 500) == []
    photograph(page, f"home-lead-{size['width']}")
    lead.get_by_role("link", name="Watch the race").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Weekly wins")


def test_who_has_places_sees_those_first_and_a_competition_that_leads_stands_there_once(
    live_server: LiveServer, opened: Opened
) -> None:
    del live_server
    cup = CompetitionFactory.create(board=make_board(update="increment"), name="Spring cup")
    raced(cup, {"ann": 9, "bob": 5}, START + MINUTE)
    score_weekly(make_weekly(name="Weekly wins"), {"robin": 12})
    account("robin", "robin")

    stranger = opened("/", viewport=DESKTOP)
    expect(stranger.locator(".home-lead-name")).to_have_text("Spring cup")
    expect(stranger.get_by_role("link", name="Spring cup")).to_have_count(1)
    page = opened("/", who="robin", viewport=DESKTOP)
    expect(page.locator(".own-place")).to_have_count(1)
    expect(page.locator(".home-lead")).to_have_count(0)
    expect(page.locator(".home-competitions")).to_contain_text("Spring cup")


def test_an_account_leads_to_all_of_it_in_groups(live_server: LiveServer, opened: Opened) -> None:
    del live_server
    account("robin", "robin")
    page = opened("/account/", who="robin", viewport=SMALL_PHONE)

    ways = page.get_by_role("navigation", name="Your account")
    assert ways.get_by_role("heading").all_text_contents() == ["Player", "Notices", "Sign-in", "Privacy"]
    for group, link in (("Player", "My page"), ("Notices", "What you are told"), ("Privacy", "Download my data")):
        expect(ways.get_by_role("region", name=group).get_by_role("link", name=link)).to_be_visible()
    assert checks.wrong_boxes(page, thumbs=True) == []
