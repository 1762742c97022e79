"""Amending a standing that is set aside, in every form that a redis board keeps, and voiding a submission."""

from datetime import timedelta
from typing import Any

import pytest

from foundation.models import DeadLetter
from leaderboards.core.entries import read_entry
from leaderboards.core.submissions import Caller
from leaderboards.errors import OutOfRange, PeriodClosed, StandingMoved
from leaderboards.models import Period, Standing, Submission
from leaderboards.services.amend import amend, look, read_state
from leaderboards.services.close import close_due
from leaderboards.services.submit import submit
from leaderboards.services.verify import verify_all
from leaderboards.services.void import void_submission
from tests.leaderboards.services.site import (
    DAY,
    NOON,
    final,
    follow,
    in_redis,
    in_sql,
    make_board,
    period_of,
    points,
    score,
    set_aside,
)

FORMS: list[dict[str, Any]] = [
    {"tie_break": "score"},
    {"tie_break": "member"},
    {"ties": "shared"},
    {"ties": "dense"},
    {"update": "increment"},
    {"order": "asc", "ties": "last_come"},
]


class TestAmending:
    @staticmethod
    def of_two(**form: Any) -> tuple[Period, DeadLetter]:
        """A period of a and b, and what SQL refused of a; the cause is gone by now."""
        board = make_board("redis", **form)
        score(board, {"a": 5, "b": 5})
        period = period_of(board)
        follow(period)
        with set_aside(period, "a", 4 if form.get("order") == "asc" else 9) as letter:
            return period, letter

    @pytest.mark.parametrize("form", FORMS, ids=str)
    def test_an_amended_standing_is_the_same_in_redis_and_sql(self, form: dict[str, Any]) -> None:
        period, letter = self.of_two(**form)

        assert amend(letter, read_state(period, "a", "3", NOON), look(letter, period).score) == ""

        assert points(period.board) == {"a": 3, "b": 5}
        assert in_redis(period) == in_sql(period)
        assert sum(each.differences for each in verify_all(NOON, 60.0)) == 0
        assert [each.final for each in close_due(NOON + DAY)] == [True]

    def test_fields_are_amended_by_name(self) -> None:
        board = make_board("redis", criteria=[{"name": "stage", "max": 99, "order": "desc"}])
        entry = read_entry({"board": board.seq, "player": "a", "fields": {"stage": 12}}, 0)
        submit([entry], Caller("tests"), NOON)
        period = period_of(board)
        follow(period)
        DeadLetter.note("mirror", f"{period.pk}:a", {"period": period.pk, "player": "a"}, "why", NOON)
        letter = DeadLetter.objects.get()

        with pytest.raises(OutOfRange):
            read_state(period, "a", '{"stage": 100}', NOON)
        amend(letter, read_state(period, "a", '{"stage": 3}', NOON), look(letter, period).score)

        assert Standing.objects.get().fields == [3]
        assert in_redis(period) == in_sql(period)

    def test_a_total_may_be_greater_than_a_single_entry_and_no_greater_than_the_total_may_be(self) -> None:
        period = period_of(make_board("redis", update="increment", maximum=10, total_maximum=100))

        assert read_state(period, "a", "99", NOON).value == (99,)
        with pytest.raises(OutOfRange):
            read_state(period, "a", "101", NOON)

    def test_a_standing_that_moved_is_left_alone(self) -> None:
        period, letter = self.of_two()
        seen = look(letter, period).score
        score(period.board, {"a": 12})

        for expected in (seen, None):
            with pytest.raises(StandingMoved):
                amend(letter, read_state(period, "a", "3", NOON), expected)

        follow(period)
        assert points(period.board) == {"a": 12, "b": 5}


class TestVoiding:
    """A standing is what the submissions that are left amount to."""

    @staticmethod
    def scored(update: str, *numbers: int, storage: str = "hybrid") -> Period:
        board = make_board(storage, update=update)
        for step, number in enumerate(numbers):
            score(board, {"a": number}, NOON + timedelta(seconds=step))
        score(board, {"b": 6})
        return period_of(board)

    @staticmethod
    def void(number: int) -> None:
        void_submission(Submission.objects.get(points=number, player__external_id="a"), NOON)

    @pytest.mark.parametrize("storage", ["hybrid", "sql"])
    @pytest.mark.parametrize(("update", "left"), [("best", 5), ("latest", 3), ("increment", 8)])
    def test_the_player_falls_back_to_what_the_others_amount_to(self, storage: str, update: str, left: int) -> None:
        period = self.scored(update, 5, 9, 3, storage=storage)

        self.void(9)

        assert points(period.board) == {"a": left, "b": 6}
        assert storage == "sql" or in_redis(period) == in_sql(period)
        if update == "best":  # the time of the earlier score comes back with it
            assert Standing.objects.get(player__external_id="a").at == NOON

    def test_who_has_nothing_left_is_not_ranked(self) -> None:
        period = self.scored("best", 5)

        self.void(5)

        assert points(period.board) == {"b": 6}
        assert len(in_redis(period)) == 1

    def test_voiding_twice_is_voiding_once(self) -> None:
        period = self.scored("increment", 5, 9)

        self.void(9)
        self.void(9)

        assert points(period.board) == {"a": 5, "b": 6}
        assert Standing.objects.get(player__external_id="a").version == 3

    def test_a_voided_id_stays_used(self) -> None:
        board = make_board("hybrid", update="increment")
        score(board, {"a": 5}, id_="match")
        self.void(5)

        [again] = score(board, {"a": 5}, id_="match")

        assert (again.status, points(board)) == ("duplicate", {})

    def test_final_standings_stay_as_they_are(self) -> None:
        period = self.scored("best", 5, 9)
        close_due(NOON + DAY)
        standings = final(period)

        with pytest.raises(PeriodClosed):
            self.void(9)

        assert final(period) == standings
        assert Submission.objects.get(points=9).voided_at is None
