"""Editing what a submission is worth, and setting a standing where no submissions are kept; and undoing both."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from foundation.audit.models import AuditEntry
from foundation.audit.undo import undo
from leaderboards.core.entries import read_entry
from leaderboards.core.moves import Moves
from leaderboards.core.policies import State
from leaderboards.core.submissions import Caller
from leaderboards.errors import (
    BadEntry,
    BadReason,
    EditedSince,
    NotEditable,
    OutOfRange,
    PeriodClosed,
    StandingMoved,
    StorageUnavailable,
    SubmissionsDropped,
    UnknownPlayer,
)
from leaderboards.models import Board, Player, Standing, Submission, SubmissionEdit
from leaderboards.selectors.foreseen_edit import foresee_edit
from leaderboards.selectors.purging import BASELINE
from leaderboards.services.close import close_due
from leaderboards.services.edit import EDITED, UNDONE, Worth, edit_submission
from leaderboards.services.erase import erase_player
from leaderboards.services.set_standing import SET, Setting, set_standing, standing_in_redis
from leaderboards.services.submit import submit
from leaderboards.services.void import void_submission
from tests.competitions.services.mishaps import redis_away
from tests.leaderboards.factories import AdminFactory
from tests.leaderboards.services.site import (
    DAY,
    NOON,
    crowd,
    final,
    follow,
    in_redis,
    in_sql,
    make_board,
    period_of,
    points,
    score,
)

HOUR = timedelta(hours=1)
KEEPING = pytest.mark.parametrize("storage", ["hybrid", "sql"])


def of(number: int) -> Submission:
    return Submission.objects.select_related("period__board", "player").get(points=number, player__external_id="a")


def edit(number: int, new: int, reason: str = "A typing error.") -> SubmissionEdit | None:
    return edit_submission(of(number), Worth(new), reason, NOON + HOUR, None)


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

    edit_submission(of(500), Worth(Decimal("7.25")), " A typing error. ", NOON, boss)

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

    with pytest.raises(EditedSince, match="undo the later edit first"):
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

    edit_submission(row, Worth(fields={"stage": 3}), "A typing error.", NOON, None)

    assert Standing.objects.get().fields == [3]
    assert AuditEntry.objects.get(act=EDITED).after == {"worth": "stage 3"}
    for wrong, refusal in ((Worth(5), BadEntry), (Worth(fields={"stage": 100}), OutOfRange)):
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
        edit_submission(row, Worth(4), "A typing error.", NOON, None)
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
        edit_submission(row, Worth(5), "A typing error.", NOON, None)
    with pytest.raises(SubmissionsDropped):
        undo_last()


@KEEPING
def test_it_is_told_before_where_the_player_will_stand_and_what_ranks_do(storage: str) -> None:
    board = make_board(storage)
    crowd(board, {"a": 9, "b": 8, "c": 7, "d": 1})

    found = foresee_edit(of(9), State((7,), 0))

    assert found.now is not None
    assert found.then is not None
    assert (found.now.rank, found.then.rank) == (1, 2)  # of 7, the earlier one is ahead
    assert found.moves == Moves(firsts=1, ranks=2)


class TestSettingAStanding:
    @staticmethod
    def wanted(board: Board, number: int | None, name: str = "a") -> Setting:
        period, player = period_of(board), Player.objects.get(external_id=name)
        state = None if number is None else State((number,), period.layout.quantize(int(NOON.timestamp() * 1000)))
        return Setting(period.pk, player, state, standing_in_redis(period, name).score)

    def put(self, board: Board, number: int | None) -> bool:
        done = set_standing(self.wanted(board, number), "A bug of the game.", NOON, None)
        follow(period_of(board))
        return done

    @pytest.mark.parametrize(
        "form",
        [
            {"tie_break": "score", "update": "increment"},
            {"tie_break": "member"},
            {"ties": "dense"},
            {"order": "asc", "ties": "shared", "update": "latest"},
        ],
        ids=str,
    )
    def test_it_is_set_removed_and_given_back_in_redis_and_sql_alike(self, form: dict[str, Any]) -> None:
        board = make_board("redis", **form)
        crowd(board, {"a": 5, "b": 5})
        before = in_redis(period_of(board))

        for number, expected in ((3, {"a": 3, "b": 5}), (None, {"b": 5}), (8, {"a": 8, "b": 5})):
            assert self.put(board, number)
            assert points(board) == expected
            assert in_redis(period_of(board)) == in_sql(period_of(board))
        assert not self.put(board, 8)
        for expected in ({"b": 5}, {"a": 3, "b": 5}, {"a": 5, "b": 5}):
            undo_last(SET)
            follow(period_of(board))
            assert points(board) == expected

        assert in_redis(period_of(board)) == in_sql(period_of(board)) == before

    def test_a_standing_that_moved_is_left_alone_by_setting_and_by_undoing(self) -> None:
        board = make_board("redis")
        crowd(board, {"a": 5})
        stale = self.wanted(board, 3)
        score(board, {"a": 6})
        with pytest.raises(StandingMoved):
            set_standing(stale, "A bug of the game.", NOON, None)
        assert not AuditEntry.objects.filter(act=SET).exists()
        self.put(board, 3)
        score(board, {"a": 7})

        with pytest.raises(StandingMoved, match="has another standing since"):
            undo_last(SET)

        follow(period_of(board))
        assert points(board) == {"a": 7}

    def test_old_and_new_stand_in_the_log(self) -> None:
        board = make_board("redis")
        crowd(board, {"a": 5})
        self.put(board, None)

        entry = AuditEntry.objects.get(act=SET)
        assert (entry.before["worth"], entry.after) == ("5", {"worth": "not ranked"})
        assert entry.reason == "A bug of the game."

    def test_elsewhere_it_is_refused_and_says_what_is_possible(self) -> None:
        kept = make_board("hybrid")
        crowd(kept, {"a": 5})
        wanted = Setting(period_of(kept).pk, Player.objects.get(), None, 5.0)
        with pytest.raises(NotEditable, match="edit or void those"):
            set_standing(wanted, "A bug of the game.", NOON, None)

    def test_without_redis_and_in_a_closed_period_nothing_is_set_and_no_record_says_so(self) -> None:
        board = make_board("redis")
        crowd(board, {"a": 5})
        wanted = self.wanted(board, 3)
        with redis_away(), pytest.raises(Exception, match="away"):
            set_standing(wanted, "A bug of the game.", NOON, None)
        close_due(NOON + DAY)
        with pytest.raises((PeriodClosed, StorageUnavailable)):
            set_standing(wanted, "A bug of the game.", NOON, None)

        assert not AuditEntry.objects.filter(act=SET).exists()
        assert points(board) == {"a": 5}
