"""Amending a standing that is set aside, in every form that a redis board keeps, and voiding a submission."""

from typing import Any

import pytest

from foundation.models import DeadLetter
from leaderboards.core.input.entries import read_entry
from leaderboards.core.submissions import Caller
from leaderboards.errors import OutOfRange, PeriodClosed, StandingChanged
from leaderboards.models import Period, Standing, Submission
from leaderboards.services.moderation.void import void_submission
from leaderboards.services.periods.close import close_due
from leaderboards.services.submit.pipeline import submit
from leaderboards.services.sync.amend_dead_letter import amend, look, read_state
from leaderboards.services.sync.verify import verify_all
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
    set_aside,
)


class TestAmending:
    @staticmethod
    def of_two(**form: Any) -> tuple[Period, DeadLetter]:
        """A period of a and b, and what SQL refused of a; the cause is gone by now."""
        period = crowd(make_board("redis", **form), {"a": 5, "b": 5})
        with set_aside(period, "a", 4 if form.get("order") == "asc" else 9) as letter:
            return period, letter

    @pytest.mark.parametrize(
        "form",
        [
            {"tie_break": "score", "update": "increment"},
            {"tie_break": "member"},
            {"ties": "dense"},
            {"order": "asc", "ties": "last_come"},
        ],
        ids=str,
    )
    def test_an_amended_standing_is_the_same_in_redis_and_sql(self, form: dict[str, Any]) -> None:
        period, letter = self.of_two(**form)

        assert amend(letter, read_state(period, "a", "3", NOON), look(letter, period).score) == ""

        assert points(period.board) == {"a": 3, "b": 5}
        assert in_redis(period) == in_sql(period)
        assert sum(each.differences for each in verify_all(NOON, 60.0)) == 0
        assert [each.final for each in close_due(NOON + DAY)] == [True]

    def test_fields_are_amended_by_name_and_a_total_may_be_greater_than_a_single_entry(self) -> None:
        board = make_board("redis", criteria=[{"name": "stage", "max": 99, "order": "desc"}])
        submit([read_entry({"board": board.seq, "player": "a", "fields": {"stage": 12}}, 0)], Caller("tests"), NOON)
        period = period_of(board)
        follow(period)
        DeadLetter.note("mirror", f"{period.pk}:a", {"period": period.pk, "player": "a"}, "why", NOON)
        letter = DeadLetter.objects.get()
        sums = period_of(make_board("redis", name="Sums", update="increment", maximum=10, total_maximum=100))

        amend(letter, read_state(period, "a", '{"stage": 3}', NOON), look(letter, period).score)

        assert Standing.objects.get().fields == [3]
        assert in_redis(period) == in_sql(period)
        assert read_state(sums, "a", "99", NOON).value == (99,)
        for where, text in ((period, '{"stage": 100}'), (sums, "101")):
            with pytest.raises(OutOfRange):
                read_state(where, "a", text, NOON)

    def test_a_standing_that_moved_is_left_alone(self) -> None:
        period, letter = self.of_two()
        seen = look(letter, period).score
        score(period.board, {"a": 12})

        for expected in (seen, None):
            with pytest.raises(StandingChanged):
                amend(letter, read_state(period, "a", "3", NOON), expected)

        follow(period)
        assert points(period.board) == {"a": 12, "b": 5}


def void(number: int) -> None:
    void_submission(Submission.objects.get(points=number, player__external_id="a"), NOON)


class TestVoiding:
    """A standing is what the submissions that are left amount to."""

    @pytest.mark.parametrize("storage", ["hybrid", "sql"])
    @pytest.mark.parametrize(("update", "left"), [("best", 5), ("latest", 3), ("increment", 8)])
    def test_the_player_falls_back_to_what_the_others_amount_to(self, storage: str, update: str, left: int) -> None:
        board = make_board(storage, update=update)
        for hours, number in enumerate((5, 9, 3)):
            score(board, {"a": number}, NOON + hours * DAY / 24)
        period = crowd(board, {"b": 6})

        void(9)

        assert points(board) == {"a": left, "b": 6}
        assert storage == "sql" or in_redis(period) == in_sql(period)
        if update == "best":  # the time of the earlier score comes back with it
            assert Standing.objects.get(player__external_id="a").at == NOON

    @pytest.mark.parametrize("storage", ["hybrid", "sql"])
    @pytest.mark.parametrize(("sent", "voided", "left"), [((99, -50, 50), -50, 99), ((99, -60, -50), 99, -60)])
    def test_a_sum_that_the_rest_would_carry_beyond_the_limits_stops_there(
        self, storage: str, sent: tuple[int, ...], voided: int, left: int
    ) -> None:
        board = make_board(storage, update="increment", minimum=-60, maximum=99, total_maximum=99)
        for each in sent:
            score(board, {"a": each})
        period = crowd(board, {"b": 6})

        void(voided)

        assert points(board) == {"a": left, "b": 6}
        assert storage == "sql" or in_redis(period) == in_sql(period)

    def test_voiding_twice_is_voiding_once_and_a_voided_id_stays_used(self) -> None:
        board = make_board("hybrid", update="increment")
        score(board, {"a": 5}, id_="match")
        score(board, {"a": 9})

        void(9)
        void(9)
        assert (points(board), Standing.objects.get().version) == ({"a": 5}, 3)
        void(5)
        [again] = score(board, {"a": 5}, id_="match")

        assert (again.status, points(board), in_redis(period_of(board))) == ("duplicate", {}, {})

    def test_final_standings_stay_as_they_are(self) -> None:
        period = crowd(make_board("hybrid"), {"a": 9, "b": 6})
        close_due(NOON + DAY)
        standings = final(period)

        with pytest.raises(PeriodClosed):
            void(9)

        assert final(period) == standings
        assert Submission.objects.get(points=9).voided_at is None
