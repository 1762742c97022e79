"""The page that undoes an entry of the audit log says what that does to ranks, as the page of the act itself does."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client

from foundation import clock
from foundation.audit.models import AuditEntry
from leaderboards.models import Board, Player, Submission
from leaderboards.selectors.moderation.purges import PurgeRange
from leaderboards.services.moderation.ban import ban, unban
from leaderboards.services.moderation.edit import EditedValue, edit_submission
from leaderboards.services.moderation.purge import request_purge
from leaderboards.services.moderation.run_purge import run_due
from leaderboards.services.moderation.unvoid import unvoid_by_hand
from leaderboards.services.moderation.void import void_by_hand
from leaderboards.services.players.profiles import set_profile
from tests.leaderboards.admin.moderation.test_ban_pages import scored
from tests.leaderboards.admin.typed import make_board, page
from tests.leaderboards.services.restricting import keep_out, let_back_from

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

Deed = Callable[[Board], object]


def ann() -> Player:
    return Player.objects.get(external_id="ann")


def sent() -> Submission:
    return Submission.objects.get(player=ann())


def banned(_board: Board) -> None:
    ban([ann().pk], "A test.", clock.now(), None)


def let_in(board: Board) -> None:
    banned(board)
    unban([ann().pk], "A test.", clock.now(), None)


def hidden(board: Board) -> None:
    keep_out("hidden", board, "ann")


def shown_again(board: Board) -> None:
    hidden(board)
    let_back_from("hidden", board, "ann", at=clock.now())


def voided(_board: Board) -> None:
    void_by_hand(sent(), "A test.", clock.now(), None)


def restored(board: Board) -> None:
    voided(board)
    unvoid_by_hand(sent(), "A test.", clock.now(), None)


def edited(_board: Board) -> None:
    edit_submission(sent(), EditedValue(points=1), "A test.", clock.now(), None)


def purged(_board: Board) -> None:
    at = clock.now()
    Submission.objects.filter(player=ann()).update(created_at=at - timedelta(minutes=2))
    request_purge(PurgeRange(at - timedelta(hours=1), at - timedelta(minutes=1), player=ann().pk), "A test.", at, None)
    run_due(at)


@pytest.mark.parametrize(
    ("action", "act", "told"),
    [
        (banned, "player.banned", "On 1 running board they hold place 1 again."),
        (let_in, "player.unbanned", "On 1 running board they hold place 1;"),
        (hidden, "player.hidden", "On 1 running board they hold place 1 again."),
        (shown_again, "player.restriction_lifted", "On 1 running board they hold place 1;"),
        (voided, "score.voided", "Then: rank 1 with 9 points"),
        (restored, "score.restored", "Now: rank 1 with 9 points"),
        (edited, "submission.edited", "Now: rank 3 with 1 point"),
        (purged, "submissions.purged", "1 submission is restored, of 1 player."),
    ],
)
def test_the_page_that_undoes_says_what_moves_and_moves_nothing(
    admin: Client, action: Deed, act: str, told: str
) -> None:
    board = make_board(name="One")
    scored(board, {"ann": 9, "bob": 7, "cleo": 5})
    action(board)
    entries = AuditEntry.objects.count()

    shown = page(admin, f"/admin/foundation/auditentry/{AuditEntry.objects.get(act=act).pk}/undo/")

    assert "What changes" in shown
    assert told in shown
    assert "1 first place moves, 3 ranks change." in shown
    assert AuditEntry.objects.count() == entries


def test_an_act_that_moves_no_rank_has_no_such_list(admin: Client) -> None:
    scored(make_board(name="One"), {"ann": 9})
    set_profile("ann", {"name": "Ann"}, clock.now())

    shown = page(admin, f"/admin/foundation/auditentry/{AuditEntry.objects.get(act='player.changed').pk}/undo/")

    assert "What changes" not in shown


def test_what_is_gone_is_said_in_the_place_of_what_moves(admin: Client) -> None:
    scored(make_board(name="One"), {"ann": 9})
    voided(make_board(name="Two"))
    Submission.objects.all().delete()

    shown = page(admin, f"/admin/foundation/auditentry/{AuditEntry.objects.get(act='score.voided').pk}/undo/")

    assert "The submission was not kept: nothing can be done about it any more." in shown
