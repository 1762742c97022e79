"""Editing what a submission is worth, and setting a standing where no submissions are kept; and undoing both."""

from datetime import timedelta
from decimal import Decimal

import pytest

from foundation.audit.models import AuditEntry
from foundation.audit.undo import undo
from foundation.reasons import BadReason
from leaderboards.core.input.entries import read_entry
from leaderboards.core.ranking.policies import StandingState
from leaderboards.core.ranking.rank_changes import RankChanges
from leaderboards.core.submissions import Caller
from leaderboards.errors import (
    BadEntry,
    NewerEditExists,
    NotEditable,
    OutOfRange,
    PeriodClosed,
    SubmissionsDropped,
    UnknownPlayer,
)
from leaderboards.models import Standing, Submission, SubmissionEdit
from leaderboards.selectors.moderation.purges import BASELINE
from leaderboards.selectors.previews.edits import preview_edit
from leaderboards.services.moderation.edit import EDITED, UNDONE, EditedValue, edit_submission
from leaderboards.services.moderation.void import void_submission
from leaderboards.services.periods.close import close_due
from leaderboards.services.players.erase import erase_player
from leaderboards.services.submit.pipeline import submit
from tests.leaderboards.factories import AdminFactory
from tests.leaderboards.services.site import (
    DAY,
    KEEPING,
    NOON,
    crowd,
    final,
    in_redis,
    in_sql,
    make_board,
    period_of,
    points,
    score,
)

HOUR = timedelta(hours=1)


def of(number: int) -> Submission:
    return Submission.objects.select_related("period__board", "player").get(points=number, player__external_id="a")


def edit(number: int, new: int, reason: str = "A typing error.") -> SubmissionEdit | None:
    return edit_submission(of(number), EditedValue(new), reason, NOON + HOUR, None)


def undo_last(act: str = EDITED) -> None:
    undo(AuditEntry.objects.filter(act=act, undone_by=None).latest("pk").pk, "It was right.", NOON + 2 * HOUR, None)


@KEEPING
@pytest.mark.parametrize(("update", "left"), [("best", 7), ("latest", 3), ("increment", 12)])
def test_the_standing_is_what_all_amount_to_with_the_new_value_and_with_the_old_one_again(
    storage: str, update: str, left: int
) -> None:
    board = make_board(storage, update=update)
    for nth, number in enumerate((2, 90, 3)):
        score(board, {"a": number, "b": 6}, NOON + nth * HOUR / 10)
    before = in_sql(period_of(board))

    edit(90, 7)

    assert points(board)["a"] == left
    assert storage == "sql" or in_redis(period_of(board)) == in_sql(period_of(board))
    undo_last()
    assert in_sql(period_of(board)) == before
    assert storage == "sql" or in_redis(period_of(board)) == before


def test_old_value_new_value_who_when_and_why_stand_in_the_log() -> None:
    boss = AdminFactory.create()
    board = make_board("sql", decimals=2)
    score(board, {"a": 5})

    edit_submission(of(500), EditedValue(Decimal("7.25")), " A typing error. ", NOON, boss)

    entry = AuditEntry.objects.get(act=EDITED)
    assert (entry.before, entry.after) == ({"worth": "5"}, {"worth": "7.25"})
    assert (entry.by, entry.at, entry.reason) == (boss, NOON, "A typing error.")
    assert set(entry.subjects.values_list("kind", flat=True)) == {"submission", "player", "board"}
    undo_last()
    undone = AuditEntry.objects.get(act=UNDONE)
    assert (undone.before, undone.after, undone.undoes) == ({"worth": "7.25"}, {"worth": "5"}, entry)


def test_an_edit_is_undone_only_while_none_came_after_it_even_one_back_to_its_value() -> None:
    board = make_board("sql")
    score(board, {"a": 1})
    first = edit(1, 2)
    edit(2, 3)
    edit(3, 2)
    assert first is not None

    with pytest.raises(NewerEditExists, match="undo the later edit first"):
        undo(first.entry, "It was right.", NOON, None)

    assert points(board) == {"a": 2}
    for left in (3, 2, 1):
        undo_last()
        assert points(board) == {"a": left}


@KEEPING
def test_an_id_stands_for_what_was_sent_also_after_edits(storage: str) -> None:
    board = make_board(storage)
    score(board, {"a": 9}, id_="match")
    edit(9, 4)
    edit(4, 3)

    [again] = score(board, {"a": 9}, id_="match")
    [other] = score(board, {"a": 3}, id_="match")

    assert (again.status, again.points) == ("duplicate", 3)
    assert other.code == "id_reused"


def test_the_same_value_changes_nothing_and_leaves_no_record() -> None:
    board = make_board("hybrid")
    score(board, {"a": 9})

    assert edit(9, 9) is None

    assert not AuditEntry.objects.filter(act=EDITED).exists()
    assert Standing.objects.get().version == 1


def test_a_void_submission_is_edited_and_counts_with_the_new_value_once_it_is_restored() -> None:
    board = make_board("sql")
    score(board, {"a": 9})
    void_submission(of(9), NOON)
    edit(9, 4)
    assert points(board) == {}


def test_fields_are_edited_by_name() -> None:
    board = make_board("sql", criteria=[{"name": "stage", "max": 99, "order": "desc"}])
    submit([read_entry({"board": board.seq, "player": "a", "fields": {"stage": 12}}, 0)], Caller("tests"), NOON)
    row = Submission.objects.select_related("period__board", "player").get()

    edit_submission(row, EditedValue(fields={"stage": 3}), "A typing error.", NOON, None)

    assert Standing.objects.get().fields == [3]
    assert AuditEntry.objects.get(act=EDITED).after == {"worth": "stage 3"}
    for wrong, refusal in ((EditedValue(5), BadEntry), (EditedValue(fields={"stage": 100}), OutOfRange)):
        with pytest.raises(refusal):
            edit_submission(row, wrong, "A typing error.", NOON, None)


def test_what_cannot_be_edited_says_why_and_nothing_changes() -> None:
    board = make_board("sql", maximum=100)
    score(board, {"a": 9})
    for reason in ("", "x" * 301):
        with pytest.raises(BadReason):
            edit(9, 4, reason)
    with pytest.raises(OutOfRange):
        edit(9, 101)
    Submission.objects.update(competition=7)
    with pytest.raises(NotEditable, match="void it, and accept the right one"):
        edit(9, 4)
    Submission.objects.update(competition=0, service=BASELINE)
    with pytest.raises(NotEditable, match="sums up submissions"):
        edit(9, 4)
    Submission.objects.update(service="tests")
    row = of(9)
    close_due(NOON + DAY)
    standings = final(period_of(board))
    with pytest.raises(PeriodClosed):
        edit_submission(row, EditedValue(4), "A typing error.", NOON, None)
    assert final(period_of(board)) == standings
    assert points(board) == {"a": 9}


def test_what_is_gone_or_erased_by_now_is_neither_edited_nor_is_its_edit_undone() -> None:
    board = make_board("sql")
    score(board, {"a": 9})
    row = of(9)
    edit(9, 4)
    erase_player("a", NOON)
    with pytest.raises(UnknownPlayer):
        undo_last()
    Submission.objects.all().delete()
    with pytest.raises(SubmissionsDropped):
        edit_submission(row, EditedValue(5), "A typing error.", NOON, None)
    with pytest.raises(SubmissionsDropped):
        undo_last()


@KEEPING
def test_it_is_told_before_where_the_player_will_stand_and_what_ranks_do(storage: str) -> None:
    board = make_board(storage)
    crowd(board, {"a": 9, "b": 8, "c": 7, "d": 1})

    found = preview_edit(of(9), StandingState((7,), 0))

    assert found.now is not None
    assert found.then is not None
    assert (found.now.rank, found.then.rank) == (1, 2)  # of 7, the earlier one is ahead
    assert found.moves == RankChanges(firsts=1, ranks=2)
