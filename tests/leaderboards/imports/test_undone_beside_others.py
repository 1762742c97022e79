"""Undoing an import whose scores somebody voided, purged or edited meanwhile, and undoing those acts afterwards."""

from datetime import timedelta
from typing import Any

import pytest

from foundation.audit.models import AuditEntry
from foundation.audit.undo import NotUndoable, undo
from leaderboards.models import Board, ImportRun, Player, PurgedSubmission, QuarantinedEntry, Submission
from leaderboards.selectors.moderation.purges import PurgeRange
from leaderboards.services.moderation import run_purge
from leaderboards.services.moderation.edit import EditedValue, edit_submission
from leaderboards.services.moderation.purge import request_purge
from leaderboards.services.moderation.run_purge import run_due
from leaderboards.services.moderation.unvoid import unvoid_by_hand
from leaderboards.services.moderation.void import void_by_hand
from tests.leaderboards.factories import BoardFactory
from tests.leaderboards.imports.files import AT, confirmed, play, points, sent, table, undone
from tests.leaderboards.services.restricting import keep_out

pytestmark = pytest.mark.django_db(transaction=True)

LATER = AT + timedelta(minutes=5)


@pytest.fixture
def board() -> Board:
    """Alice has 3 of her own."""
    made = BoardFactory.create(storage="sql", at=AT)
    play(made, "alice", 3)
    return made


def imported(board: Board) -> ImportRun:
    return confirmed(sent("scores", table("alice", "bob"), board), AT + timedelta(seconds=1))


def purge_all(board: Board) -> None:
    """All that the board received until a minute after the import."""
    request_purge(PurgeRange(AT, AT + timedelta(minutes=1), board=board.pk), "A leaked key.", LATER, None)
    run_due(LATER, 60.0)


def undo_last(act: str) -> None:
    undo(AuditEntry.objects.filter(act=act).latest("pk").pk, "A mistake.", LATER, None)
    run_due(LATER, 60.0)


def of(player: str) -> Submission:
    rows = Submission.objects.select_related("period__board", "player", "board")
    return rows.get(player__external_id=player, service="import")


def test_a_purge_that_is_undone_after_the_import_brings_back_the_others_alone(board: Board) -> None:
    run = imported(board)
    purge_all(board)
    assert points(board) == {}

    undone(run)
    undo_last("submissions.purged")

    assert points(board) == {"alice": 3}
    assert not PurgedSubmission.objects.exists()


def test_an_import_that_is_undone_after_the_purge_was_undone_leaves_the_others(board: Board) -> None:
    run = imported(board)
    purge_all(board)

    undo_last("submissions.purged")
    before = points(board)
    undone(run)

    assert (before, points(board)) == ({"alice": 5, "bob": 5}, {"alice": 3})


def test_a_purge_after_the_import_was_undone_takes_and_gives_back_the_others_alone(board: Board) -> None:
    undone(imported(board))
    purge_all(board)
    assert points(board) == {}

    undo_last("submissions.purged")

    assert points(board) == {"alice": 3}


def test_a_purge_that_is_being_undone_leaves_what_an_undone_import_took_from_it_meanwhile(
    board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = imported(board)
    purge_all(board)
    choose = run_purge._chosen

    def overtaken(*rows: Any) -> Any:
        chosen = choose(*rows)
        undone(run)
        return chosen

    monkeypatch.setattr(run_purge, "_chosen", overtaken)
    undo_last("submissions.purged")

    assert points(board) == {"alice": 3}


def test_an_edit_goes_with_its_score_and_undoing_it_brings_nothing_back(board: Board) -> None:
    run = imported(board)
    edit_submission(of("bob"), EditedValue(points=9), "A slip.", LATER, None)

    run = undone(run)
    undo_last("submission.edited")

    assert (run.undone, run.left) == (2, 0)
    assert points(board) == {"alice": 3}


def test_a_voiding_is_not_undone_by_the_log_once_the_import_was_but_by_hand(board: Board) -> None:
    run = imported(board)
    void_by_hand(of("bob"), "Impossible.", LATER, None)
    undone(run)

    with pytest.raises(NotUndoable, match="undone since"):
        undo_last("score.voided")
    assert points(board) == {"alice": 3}
    unvoid_by_hand(of("bob"), "It was right.", LATER, None)

    assert points(board) == {"alice": 3, "bob": 5}


def test_imports_are_held_against_no_limits_and_bans_hold() -> None:
    board = BoardFactory.create(storage="sql", at=AT, plausible_most=1, submissions_per_minute=1)
    Player.objects.create(external_id="bob")
    keep_out("banned", board, "bob")

    run = confirmed(sent("scores", table("alice", "alice", "bob", worth=50), board))

    assert points(board) == {"alice": 50}
    assert run.refused == 1
    assert not QuarantinedEntry.objects.exists()


@pytest.mark.parametrize("corrected", [5, 7], ids=["the same file", "a corrected one"])
def test_the_ids_of_an_undone_import_are_free_for_the_next(board: Board, corrected: int) -> None:
    wrong = confirmed(
        sent("scores", "player,points,id\nalice,5,m1\nbob,6,m2\n", board, id="id"), AT + timedelta(seconds=1)
    )
    undone(wrong)

    again = confirmed(sent("scores", f"player,points,id\nalice,{corrected},m1\nbob,6,m2\n", board, id="id"), LATER)

    assert points(board) == {"alice": corrected, "bob": 6}
    assert undone(again).left == 0
    assert points(board) == {"alice": 3}
