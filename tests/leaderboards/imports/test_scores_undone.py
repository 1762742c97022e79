"""Undoing an import of scores: exactly what it made goes, once, with a reason, and what stays is counted."""

from datetime import timedelta

import pytest

from foundation.audit.models import AuditEntry
from foundation.audit.undo import undo as undo_entry
from foundation.reasons import BadReason
from leaderboards.import_errors import ImportNotReady, ImportNotUndoable
from leaderboards.models import Board, Period, Submission
from leaderboards.models.imports import Phase
from leaderboards.services.imports import actions
from tests.leaderboards.factories import BoardFactory
from tests.leaderboards.imports.files import AT, confirmed, moved, play, points, sent, table, undone

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def board() -> Board:
    return BoardFactory.create(storage="sql", at=AT)


def test_undoing_voids_exactly_what_the_import_made(board: Board) -> None:
    play(board, "alice", 3)
    first = confirmed(sent("scores", "player,points,id\nalice,5,a\nbob,6,b\n", board, id="id"))
    second = confirmed(
        sent("scores", "player,points,id\nbob,6,b\ncarol,7,c\n", board, id="id"), AT + timedelta(seconds=1)
    )
    assert second.report["statuses"] == {"duplicate": 1, "updated": 1}

    second = undone(second)

    assert (second.phase, second.undone, second.left) == (Phase.UNDONE, 1, 0)
    assert points(board) == {"alice": 5, "bob": 6}
    assert undone(first).undone == 2
    assert points(board) == {"alice": 3}


def test_undoing_is_once_with_a_reason_and_on_record(board: Board) -> None:
    run = confirmed(sent("scores", table("alice"), board))

    with pytest.raises(BadReason):
        actions.undo(run.pk, " ", AT, None)
    undone(run)
    with pytest.raises(ImportNotReady):
        actions.undo(run.pk, "Again.", AT, None)

    confirmed_entry = AuditEntry.objects.get(act="import.confirmed")
    undo = AuditEntry.objects.get(act="import.undone")
    assert (undo.undoes, undo.reason) == (confirmed_entry, "Wrong file.")
    assert ("import", str(run.pk)) in undo.subjects.values_list("kind", "key")


def test_the_log_undoes_an_import_too(board: Board) -> None:
    run = confirmed(sent("scores", table("alice"), board))

    undo_entry(AuditEntry.objects.get(act="import.confirmed").pk, "Not this one.", AT, None)

    assert moved(run).phase is Phase.UNDONE
    assert points(board) == {}


def test_what_lies_in_a_closed_period_stays_and_is_counted(board: Board) -> None:
    run = confirmed(sent("scores", table("alice", "bob"), board))
    Period.objects.filter(submissions__isnull=False).update(state="final")

    run = undone(run)

    assert (run.phase, run.undone, run.left) == (Phase.UNDONE, 0, 2)
    assert not Submission.objects.exclude(voided_at=None).exists()


def test_the_same_file_does_not_count_twice_unless_it_was_undone(board: Board) -> None:
    first, second = (sent("scores", table("alice"), board) for _ in range(2))
    first = confirmed(first)

    with pytest.raises(ImportNotUndoable, match=f"import {first.pk}"):
        actions.confirm(second.pk, AT + timedelta(seconds=1), None)
    undone(first)

    assert confirmed(second, AT + timedelta(seconds=2)).phase is Phase.DONE


def test_a_redis_board_takes_an_import_and_says_before_that_it_stays() -> None:
    board = BoardFactory.create(storage="redis", at=AT)
    run = sent("scores", table("alice"), board)

    assert "cannot be undone" in actions.why_not_undoable(run)
    run = confirmed(run)

    assert run.report["statuses"] == {"updated": 1}
    with pytest.raises(ImportNotUndoable):
        actions.undo(run.pk, "Wrong.", AT, None)
