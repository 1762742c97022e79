"""What people do in competitions: link a player, join, watch the own rank, read the inbox, follow the reveal."""

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from competitions.models import Competition, Participant
from competitions.services.lifecycle.finish import finish_due
from competitions.services.lifecycle.snapshots import take_due_snapshots
from competitions.services.notices.rank_notices import compare_due_snapshots
from foundation import clock
from leaderboards.services.players.link import make_code
from tests.browser.conftest import Opened
from tests.competitions.factories import ParticipantFactory
from tests.competitions.services.telling import wants
from tests.competitions.site import DAY, HOUR, START, open_competition, player, raced, score
from tests.playing import account

# The least room, in pixels, between an element's words and the edges of what it stands in.
LEAST_AROUND = """(each) => {
    const inner = each.getBoundingClientRect(), outer = each.parentElement.getBoundingClientRect();
    return Math.min(inner.top - outer.top, outer.bottom - inner.bottom);
}"""


@pytest.fixture
def running(live_server: LiveServer) -> Competition:
    """Mina leads omar; whoever takes first place hears of it."""
    competition = open_competition(name="Spring run", alert_hours=48)
    raced(competition, {"mina": 50, "omar": 30})
    return competition


@pytest.fixture
def show(live_server: LiveServer) -> str:
    """The address of the reveal of one that is over since yesterday."""
    competition = open_competition(name="Winter run", starts_at=START - 3 * DAY, ends_at=START - DAY)
    points = {"mina": 50, "omar": 30, "robin": 20, "aiko": 10}
    for each in points:
        ParticipantFactory.create(competition=competition, player=player(each), at=START - 2 * DAY)
    score(competition, points, START - 2 * DAY)
    finish_due(START - DAY + HOUR)
    return f"/competitions/{competition.pk}/reveal/"


def sign_in(page: Page) -> None:
    page.get_by_label("Username").fill("robin")
    page.get_by_label("Password").fill("secret")
    page.get_by_role("button", name="Sign in").click()


def test_somebody_signs_in_links_joins_takes_the_lead_and_reads_of_it(running: Competition, opened: Opened) -> None:
    account("robin")
    wants("robin", quiet_from=0, quiet_until=0)
    page = opened("/competitions/")
    page.get_by_role("link", name="Spring run").click()
    page.get_by_role("link", name="Sign in to join").click()
    sign_in(page)

    page.get_by_role("link", name="Link your player to join").click()
    page.get_by_label("Link code").fill(make_code("robin", clock.now())[0])
    page.get_by_role("button", name="Link").click()
    page.get_by_role("link", name="Competitions").click()
    page.get_by_role("link", name="Spring run").click()
    page.get_by_role("button", name="Join").click()
    expect(page.get_by_text("You have not started yet.")).to_be_visible()
    page.evaluate("window.kept = true")

    score(running, {"robin": 40}, clock.now())
    expect(page.locator(".own-rank")).to_contain_text("2")
    take_due_snapshots(START + HOUR)
    compare_due_snapshots(clock.now())
    score(running, {"robin": 90}, clock.now())
    expect(page.locator(".own-rank")).to_contain_text("1")
    expect(page.locator(".top tbody tr").first).to_contain_text("robin")
    assert page.evaluate("window.kept") is True

    take_due_snapshots(clock.now() + HOUR)
    compare_due_snapshots(clock.now() + HOUR)
    page.reload()
    page.get_by_role("link", name="Inbox 1 unread").click()
    expect(page.get_by_text("You took first place.")).to_be_visible()
    expect(page.locator(".message-subject a").first).to_have_css("text-decoration-line", "underline")  # seen as a link
    page.get_by_role("button", name="Mark all as read").click()
    expect(page.get_by_role("link", name="Inbox", exact=True)).to_be_visible()


def test_all_of_it_works_without_javascript(running: Competition, opened: Opened) -> None:
    running.joining, running.join_code = "code", "FRIENDS"
    running.save()
    account("robin", "robin")
    page = opened(f"/accounts/login/?next=/competitions/{running.pk}/", java_script_enabled=False)
    sign_in(page)

    page.get_by_label("Code").fill("enemies")
    page.get_by_role("button", name="Join").click()
    expect(page.get_by_role("alert")).to_have_text("This code does not open the competition.")
    page.get_by_label("Code").fill("friends")
    page.get_by_role("button", name="Join").click()
    expect(page.get_by_text("You take part.")).to_be_visible()
    page.get_by_role("link", name="Leave").click()
    page.get_by_role("button", name="Leave").click()

    expect(page.get_by_role("button", name="Join")).to_be_visible()
    assert Participant.objects.get(player__external_id="robin").left_at is not None


def test_the_reveal_goes_from_the_bottom_up_by_itself_until_it_pauses_and_by_the_space_bar(
    show: str, opened: Opened
) -> None:
    page = opened(show, reduced_motion="reduce", clock=True)
    plain = opened(show, java_script_enabled=False)
    rows, button = page.locator(".reveal-row:visible"), page.get_by_role("button", name="Next place")
    expect(rows).to_have_count(0)

    page.get_by_role("button", name="Play", exact=True).click()
    expect(rows).to_have_text(["4 aiko 10 points"])
    expect(page.get_by_role("status")).to_have_text("4 aiko 10 points")
    page.clock.run_for(3500)
    expect(rows.first).to_have_text("3 robin 20 points")
    page.get_by_role("button", name="Pause").click()
    page.clock.run_for(60_000)
    expect(rows).to_have_count(2)
    button.press("Space")
    expect(rows).to_have_count(3)
    page.get_by_role("button", name="Show all").click()

    expect(rows.first).to_have_text("1 mina 50 points")
    expect(button).to_be_disabled()
    expect(plain.locator(".reveal-row:visible")).to_have_count(4)
    expect(plain.get_by_role("button", name="Next place")).to_have_count(0)


def test_that_one_took_part_stands_apart_from_the_plate_above_it(show: str, opened: Opened) -> None:
    account("robin", "robin")
    page = opened(show.removesuffix("reveal/"), who="robin")

    words = page.get_by_text("You took part.")
    expect(words).to_be_visible()
    assert words.evaluate(LEAST_AROUND) >= 8
