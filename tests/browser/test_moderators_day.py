"""A moderator's day, by links and buttons alone: a cheat is found in the queue, looked at, voided and banned from the
board; somebody banned by mistake comes back from the log; and the board's log tells all of it."""

from dataclasses import dataclass
from datetime import timedelta

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect
from pytest_django.live_server_helper import LiveServer

from foundation import clock
from leaderboards.models import Board, Player, RestrictionKind
from leaderboards.selectors.visibility.restrictions import active_restrictions
from leaderboards.services.moderation.restrict import RestrictionScope, restrict
from tests.browser.conftest import DESKTOP, PHONE, Opened, Photograph
from tests.playing import make_board, score
from tests.staff import member

QUEUE, LOG = "/admin/leaderboards/quarantinedentry/", "/admin/foundation/auditentry/"
BOARD = "Weekly wins"
TOO_FAST, ROBOT, MISTAKE = "Nobody is so fast.", "Looked like a robot.", "A mistake: it was somebody else."
CANNOT_BE = "Sent what cannot be."


@pytest.fixture
def board(live_server: LiveServer) -> int:
    """Rocket leads with what no human has, and sent still more, which waits; omar was banned an hour ago by mistake."""
    seq = make_board(name=BOARD, update="increment", plausible_most=1000)
    moderator = member(name="moderator", groups=["moderator"])
    score(seq, {"mina": 700, "omar": 600, "robin": 500, "rocket": 990})
    score(seq, {"rocket": 980})
    score(seq, {"rocket": 50_000})
    omar, what = (
        Player.objects.get(external_id="omar"),
        RestrictionScope(RestrictionKind.BANNED, Board.objects.get(seq=seq)),
    )
    assert restrict([omar.pk], what, ROBOT, clock.now() - timedelta(hours=1), moderator)
    return seq


@dataclass(frozen=True, slots=True)
class Desk:
    """A moderator's window, and beside it the board as anybody sees it."""

    page: Page
    public: Page
    photograph: Photograph
    size: str

    def expect_ranked(self, *names: str) -> None:
        """On the public board, best first."""
        self.public.reload()
        expect(self.public.locator(".standings tbody th bdi")).to_have_text(names)

    @property
    def rows(self) -> Locator:
        """Of a list."""
        return self.page.locator("#result_list tbody tr")

    @property
    def foretold(self) -> Locator:
        """The lines that say what comes of it, before it is done."""
        return self.page.locator("#content ul:not(.errorlist) li")

    def follow(self, link: str) -> None:
        self.page.get_by_role("link", name=link, exact=True).first.click()

    def ask(self, action: str) -> None:
        """Choose all rows of a list, and an action, which asks first."""
        self.page.locator("#action-toggle").check()
        self.page.locator("select[name=action]").select_option(label=action)
        self.page.locator(".actions button[type=submit]").click()

    def say_yes(self, reason: str, button: str, told: str) -> None:
        """Give the reason, and read that it was done."""
        self.page.get_by_label("Reason").fill(reason)
        self.page.get_by_role("button", name=button).click()
        expect(self.page.locator(".messagelist")).to_contain_text(told)

    def keep(self, name: str) -> None:
        """The page fits its window, while a list within scrolls by itself; and a picture of it."""
        self.page.wait_for_load_state()
        assert self.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, name
        self.photograph(self.page, f"moderator-{self.size}-{name}")


@pytest.mark.parametrize("viewport", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_a_cheat_goes_a_mistake_is_undone_and_the_log_tells_of_both(
    board: int, viewport: ViewportSize, opened: Opened, photograph: Photograph
) -> None:
    page, public = opened("/admin/", "moderator", viewport=viewport), opened(f"/boards/{board}/", viewport=viewport)
    desk = Desk(page, public, photograph, str(viewport["width"]))
    desk.expect_ranked("rocket", "mina", "robin")

    sees_all_that_the_cheat_did(desk)
    voids_what_counted(desk)
    desk.expect_ranked("mina", "robin")
    voids_what_waited(desk)
    bans_from_the_board(desk, board)
    assert banned_from("rocket") == [board]
    undoes_the_mistake(desk)
    assert banned_from("omar") == []
    desk.expect_ranked("mina", "omar", "robin")
    reads_the_log_of_the_board(desk)


def sees_all_that_the_cheat_did(desk: Desk) -> None:
    desk.follow("Quarantined entries")
    expect(desk.rows).to_have_count(1)
    expect(desk.rows).to_contain_text("rocket")
    expect(desk.rows).to_contain_text("50000 / 1000")
    desk.keep("queue")
    desk.follow("submissions")
    expect(desk.rows).to_have_count(2)
    desk.keep("submissions")


def voids_what_counted(desk: Desk) -> None:
    desk.ask("Void the selected submissions")
    expect(desk.foretold).to_contain_text(
        ["Now: rank 1 with 1,970 points. Then: not ranked.", "1 first place moves, 3 ranks"]
    )
    desk.keep("void")
    desk.say_yes(TOO_FAST, "Yes: Void submissions", "Voided: 2.")


def voids_what_waited(desk: Desk) -> None:
    desk.page.goto(QUEUE)
    desk.ask("Void the selected entries")
    desk.say_yes(TOO_FAST, "Yes: Void quarantined entries", "Voided: 1.")
    expect(desk.rows).to_have_count(0)


def bans_from_the_board(desk: Desk, board: int) -> None:
    desk.page.goto(f"{QUEUE}?decided=voided")
    desk.follow("rocket")
    desk.follow("Hide, shadow or ban from a board")
    desk.page.get_by_label("What:", exact=True).select_option("banned")
    desk.page.get_by_label("Where").select_option(str(board))
    desk.page.get_by_role("button", name="Show what changes").click()
    expect(desk.foretold.last).to_contain_text("no ranking changes")
    desk.keep("ban")
    desk.say_yes(CANNOT_BE, f"Yes: Ban rocket from {BOARD}", f"Banned from {BOARD}: rocket.")


def undoes_the_mistake(desk: Desk) -> None:
    desk.page.goto(f"{LOG}?q=robot")
    desk.rows.get_by_role("link").first.click()
    expect(desk.page.locator(".readonly", has_text=ROBOT)).to_be_visible()
    desk.follow("Undo…")
    desk.keep("undo")
    desk.say_yes(MISTAKE, "Yes, undo it", "Undone")


def reads_the_log_of_the_board(desk: Desk) -> None:
    desk.page.goto("/admin/leaderboards/board/")
    desk.follow(BOARD)
    desk.follow("History")
    reasons = desk.page.locator("#result_list .field-short_reason")
    expect(reasons).to_have_text([MISTAKE, CANNOT_BE, TOO_FAST, TOO_FAST, TOO_FAST, "-", ROBOT])
    expect(desk.page.locator("#result_list .field-whose").first).to_have_text("moderator")
    desk.keep("log")


def banned_from(player: str) -> list[int]:
    """The boards that they are banned from now."""
    return [row.board.seq for row in active_restrictions().filter(player__external_id=player) if row.board is not None]
