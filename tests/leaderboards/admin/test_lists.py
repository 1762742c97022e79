"""The lists by which moderators find what they did: players who are kept out, running restrictions, and submissions by
what became of them."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from foundation import clock
from foundation.audit.models import AuditEntry
from leaderboards.models import Board, Player, PurgedSubmission, Restriction, Submission
from leaderboards.selectors.moderation.purges import PurgeRange
from leaderboards.services.moderation.ban import ban
from leaderboards.services.moderation.edit import EditedValue, edit_submission
from leaderboards.services.moderation.purge import request_purge
from leaderboards.services.moderation.review_quarantine import accept
from leaderboards.services.moderation.run_purge import run_due
from leaderboards.services.moderation.void import void_by_hand
from tests.leaderboards.admin.moderation.test_ban_pages import PLAYERS, scored
from tests.leaderboards.admin.moderation.test_quarantine_admin import member_of, of, send
from tests.leaderboards.admin.test_proof import LATE
from tests.leaderboards.admin.typed import act, make_board, page
from tests.leaderboards.services.restricting import keep_out

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

RESTRICTIONS = "/admin/leaderboards/restriction/"
SUBMISSIONS = "/admin/leaderboards/submission/"


@pytest.fixture
def board(db: None) -> Board:
    """Ann leads before bob, cleo, dan and eve."""
    made = make_board(name="One")
    scored(made, {"ann": 9, "bob": 7, "cleo": 5, "dan": 3, "eve": 1})
    return made


def player(name: str) -> Player:
    return Player.objects.get(external_id=name)


def rows(html: str) -> str:
    """The text of the list's rows, without filters and menus."""
    found = re.search(r'<table id="result_list">.*?</table>', html, re.DOTALL)
    return re.sub(r"<[^>]+>", " ", found.group()) if found else ""


def listed(html: str) -> set[str]:
    """Which of the five the list shows."""
    return set(re.findall(r"\b(?:ann|bob|cleo|dan|eve)\b", rows(html)))


@pytest.mark.parametrize(
    ("asked", "whom"),
    [
        ("any", {"ann", "bob", "cleo", "dan"}),
        ("everything", {"ann"}),
        ("banned", {"bob"}),
        ("hidden", {"cleo"}),
        ("shadowed", {"dan"}),
    ],
)
def test_players_are_listed_by_what_is_kept_from_them_and_not_by_what_was(
    admin: Client, board: Board, asked: str, whom: set[str]
) -> None:
    ban([player("ann").pk], "A bot.", clock.now(), None)
    keep_out("banned", board, "bob")
    keep_out("hidden everywhere", board, "cleo")
    keep_out("shadowed", board, "dan")
    keep_out("hidden", board, "eve")
    Restriction.objects.filter(player=player("eve")).update(lifted_at=clock.now())

    assert listed(page(admin, f"{PLAYERS}?kept_out={asked}")) == whom


def test_the_list_of_players_says_what_is_kept_from_each_with_one_question_for_all(admin: Client, board: Board) -> None:
    with CaptureQueriesContext(connection) as before:
        page(admin, PLAYERS)
    ban([player("ann").pk], "A bot.", clock.now(), None)
    keep_out("hidden everywhere", board, "ann")
    keep_out("shadowed", board, "bob")
    Player.objects.filter(external_id="cleo").update(banned_at=clock.now(), erasing_since=clock.now())
    with CaptureQueriesContext(connection) as after:
        told = rows(page(admin, PLAYERS))

    assert "banned from everything since" in told
    assert "hidden: all boards" in told
    assert f"shadowed: board {board.seq}, One" in told
    assert len(after) <= len(before) + 1  # the boards' names


def test_an_erasure_that_runs_is_no_ban_in_the_column(admin: Client, board: Board) -> None:
    at = clock.now()
    Player.objects.filter(external_id="cleo").update(banned_at=at, erasing_since=at)

    told = rows(page(admin, f"{PLAYERS}?kept_out=everything"))

    assert "being erased" in told
    assert "banned from everything" not in told


def test_what_runs_is_listed_with_who_and_why_and_what_is_over_when_asked_for(admin: Client, board: Board) -> None:
    keep_out("hidden everywhere", board, "ann")
    keep_out("banned", board, "bob")
    Restriction.objects.filter(player=player("bob")).update(lifted_at=clock.now(), lift_reason="No bot.")

    running, lifted, both = (page(admin, RESTRICTIONS + asked) for asked in ("", "?state=lifted", "?state=all"))

    assert (listed(running), listed(lifted), listed(both)) == ({"ann"}, {"bob"}, {"ann", "bob"})
    assert "hidden: all boards" in rows(running)
    assert "A test." in rows(running)
    assert f"banned from the board: board {board.seq}, One" in rows(lifted)
    assert f'href="{PLAYERS}?kept_out=everything"' in running
    assert listed(page(admin, f"{RESTRICTIONS}?kind__exact=hidden&state=all")) == {"ann"}


def test_several_restrictions_are_lifted_at_once_with_one_reason_after_a_look(admin: Client, board: Board) -> None:
    keep_out("hidden", board, "ann", "bob")
    keep_out("shadowed everywhere", board, "cleo")
    keep_out("hidden", board, "dan")
    chosen = list(Restriction.objects.exclude(player=player("dan")))

    shown = act(admin, RESTRICTIONS, "lift_selected", *chosen)
    missing = act(admin, RESTRICTIONS, "lift_selected", *chosen, confirmed="1", reason=" ")
    still = Restriction.objects.filter(lifted_at=None).count()
    done = act(admin, RESTRICTIONS, "lift_selected", *chosen, confirmed="1", reason="A mistake.")
    again = act(admin, f"{RESTRICTIONS}?state=all", "lift_selected", *chosen)

    assert "3 restrictions" in shown
    assert f"hidden: board {board.seq}, One: ann, bob." in shown
    assert "they hold places 1 and 1 again." in shown
    assert "1 first place moves" in shown
    assert "Give a reason of 1 to 300 characters." in missing
    assert still == 4
    assert "Lifted: 3 (ann, bob, cleo)." in done
    assert [row.player.external_id for row in Restriction.objects.filter(lifted_at=None)] == ["dan"]
    assert AuditEntry.objects.filter(act="player.restriction_lifted", reason="A mistake.").count() == 3
    assert "nothing was done" in again


def test_who_may_look_at_players_reads_the_list_and_lifts_nothing_and_others_do_not_see_it(
    board: Board, stranger: Client
) -> None:
    keep_out("hidden", board, "ann")
    viewer = member_of("viewer")

    told = page(viewer, RESTRICTIONS)
    act(viewer, RESTRICTIONS, "lift_selected", Restriction.objects.get(), confirmed="1", reason="Mine.")

    assert listed(told) == {"ann"}
    assert "lift_selected" not in told
    assert Restriction.objects.get().lifted_at is None
    assert stranger.get(RESTRICTIONS).status_code == 403


def test_restrictions_of_more_than_twenty_players_are_lifted_only_after_a_proof(board: Board) -> None:
    names = [f"p{number}" for number in range(21)]
    scored(board, dict.fromkeys(names, 1))
    keep_out("hidden", board, *names)
    moderator = member_of("moderator")
    numbers = [row.pk for row in Restriction.objects.all()]
    sent = {"action": "lift_selected", "_selected_action": numbers, "confirmed": "1", "reason": "All."}

    with clock.freeze_at(clock.now() + LATE):
        onward = moderator.post(RESTRICTIONS, sent)["Location"]
    late = Restriction.objects.exclude(lifted_at=None).count()
    moderator.post(RESTRICTIONS, sent)

    assert onward.startswith("/accounts/confirm/")
    assert late == 0
    assert not Restriction.objects.filter(lifted_at=None).exists()


def submission(name: str) -> Submission:
    return Submission.objects.get(player__external_id=name)


def test_submissions_are_listed_by_what_became_of_them(admin: Client, board: Board) -> None:
    at = clock.now()
    void_by_hand(submission("ann"), "A cheat.", at, None)
    Submission.objects.filter(player=player("bob")).update(created_at=at - timedelta(hours=1))
    request_purge(
        PurgeRange(at - timedelta(hours=2), at - timedelta(minutes=30), player=player("bob").pk), "A leak.", at, None
    )
    run_due(at)
    edit_submission(submission("cleo"), EditedValue(points=6), "A bug.", at, None)
    assert PurgedSubmission.objects.count() == 1

    def found(state: str) -> str:
        return page(admin, f"{SUBMISSIONS}?state={state}")

    assert listed(found("counts")) == {"cleo", "dan", "eve"}
    assert listed(found("edited")) == {"cleo"}
    assert "counts · edited" in rows(found("edited"))
    assert listed(found("void")) == {"ann", "bob"}
    assert listed(found("purged")) == {"bob"}
    assert "void by a purge since" in rows(found("purged"))
    assert "void since" in rows(found("void"))


def test_submissions_that_came_out_of_quarantine_are_found(admin: Client) -> None:
    limited = make_board(plausible_most=100)
    send(limited, ann=500, bob=5)
    accept(of("ann").pk, "She can.", clock.now(), None)

    told = page(admin, f"{SUBMISSIONS}?state=accepted")

    assert listed(told) == {"ann"}
    assert "counts · accepted out of quarantine" in rows(told)


def test_a_list_without_rows_says_so_and_offers_no_actions(admin: Client) -> None:
    address = "/admin/leaderboards/quarantinedentry/"

    empty, filtered = admin.get(address).content.decode(), admin.get(f"{address}?decided=voided&q=x").content.decode()

    assert "Nothing waits for a decision." in empty
    assert 'name="action"' not in empty
    assert "Nothing matches the search and filters." in filtered
