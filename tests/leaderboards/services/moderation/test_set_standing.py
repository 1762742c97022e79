"""Setting a standing of a board that keeps no submissions: as seen, on record, and undone."""

from typing import Any

import pytest

from foundation.audit import undo as undoing
from foundation.audit.models import AuditEntry
from foundation.audit.undo import NotUndoable, undo
from leaderboards.core.ranking.policies import StandingState
from leaderboards.errors import (
    NotEditable,
    PeriodClosed,
    StandingChanged,
    StorageUnavailable,
)
from leaderboards.models import Board, Player
from leaderboards.services.moderation.set_standing import SET, UNDONE, StandingChange, set_standing, standing_in_redis
from leaderboards.services.periods.close import close_due
from tests.competitions.services.mishaps import dying_at, redis_away
from tests.leaderboards.services.moderation.test_edit import undo_last
from tests.leaderboards.services.site import (
    DAY,
    NOON,
    crowd,
    follow,
    in_redis,
    in_sql,
    make_board,
    period_of,
    points,
    score,
)


class TestSettingAStanding:
    @staticmethod
    def wanted(board: Board, number: int | None, name: str = "a") -> StandingChange:
        period, player = period_of(board), Player.objects.get(external_id=name)
        state = (
            None if number is None else StandingState((number,), period.layout.quantize(int(NOON.timestamp() * 1000)))
        )
        return StandingChange(period.pk, player, state, standing_in_redis(period, name).score)

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
        with pytest.raises(StandingChanged):
            set_standing(stale, "A bug of the game.", NOON, None)
        assert not AuditEntry.objects.filter(act=SET).exists()
        self.put(board, 3)
        score(board, {"a": 7})

        with pytest.raises(StandingChanged, match="has another standing since"):
            undo_last(SET)

        follow(period_of(board))
        assert points(board) == {"a": 7}

    @pytest.mark.parametrize("number", [1, None])
    def test_an_undo_that_died_before_its_record_is_recorded_when_it_is_asked_for_again(
        self, number: int | None
    ) -> None:
        board = make_board("redis")
        crowd(board, {"a": 100, "b": 5})
        self.put(board, number)
        with dying_at(undoing, "audit.undo.before_commit"):
            undo_last(SET)
        follow(period_of(board))
        assert points(board) == {"a": 100, "b": 5}
        assert not AuditEntry.objects.get(act=SET).is_undone

        undo_last(SET)

        follow(period_of(board))
        told = AuditEntry.objects.get(act=UNDONE)
        assert points(board) == {"a": 100, "b": 5}
        assert told.undoes == AuditEntry.objects.get(act=SET)
        assert (told.before["worth"], told.after["worth"]) == ("1" if number else "not ranked", "100")

    def test_what_was_set_anew_to_the_standing_of_before_is_not_taken_for_an_undo_that_died(self) -> None:
        board = make_board("redis", tie_break="member")
        crowd(board, {"a": 5})
        self.put(board, 3)
        self.put(board, 5)
        first = AuditEntry.objects.filter(act=SET).earliest("pk")

        with pytest.raises(NotUndoable, match="changed again since"):
            undo(first.pk, "A slip.", NOON, None)

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
        wanted = StandingChange(period_of(kept).pk, Player.objects.get(), None, 5.0)
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
