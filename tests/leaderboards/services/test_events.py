"""Scoring in competitions: which entries count, what is refused first, ids, attempts, hidden ranks, and the upkeep."""

from datetime import datetime
from functools import partial
from typing import Any
from unittest.mock import patch

import pytest

from foundation.db.resilience import SqlAway
from leaderboards.core.input.entries import read_entry
from leaderboards.core.submissions import Caller
from leaderboards.errors import NotRanked, PeriodClosed
from leaderboards.models import Period, PeriodState, Player, Submission
from leaderboards.selectors import ranks
from leaderboards.services.moderation.remove import remove_from_period
from leaderboards.services.moderation.void import void_submission
from leaderboards.services.periods.close import close_due, close_period
from leaderboards.services.periods.reschedule import move_end
from leaderboards.services.periods.retention import drop_submissions, expire_due
from leaderboards.services.submit.pipeline import submit
from leaderboards.services.sync.mirror import mirror_all
from leaderboards.services.sync.resync_periods import resync_due
from leaderboards.services.sync.verify import verify_all
from tests.at_once import at_once
from tests.leaderboards.services.contest import (
    ENDS,
    STARTS,
    KnownEvents,
    event_board,
    just_before,
    period_of,
    send,
    told,
)
from tests.leaderboards.services.site import DAY, NOON, WHO_DECIDES, final, finalists, follow, make_board, redis_client

HOUR = DAY / 24


def by(player: str, points: int = 30, **more: Any) -> dict[str, Any]:
    return {"player": player, "points": points, **more}


@WHO_DECIDES
class TestCounting:
    def test_one_request_counts_for_several_competitions_and_boards(self, declared: KnownEvents, storage: str) -> None:
        board, weekly = event_board(storage), make_board(storage, name="Weekly")
        event = declared.add(board, 7)
        declared.add(board, 8, hides_ranks=True)
        workout = by("a", id="workout-93")
        sent = [{"competition": 7, **workout}, {"competition": 8, **workout}, {"board": weekly.seq, **workout}]

        rehearsed, outcomes, again = send(*sent, dry_run=True), send(*sent, ranks=True), send(*sent, ranks=True)

        assert [(each.competition, each.board, each.points, each.rank) for each in outcomes] == [
            (7, board.seq, 30, 1),
            (8, board.seq, 30, None),
            (None, weekly.seq, 30, 1),
        ]
        assert told(rehearsed) == told(outcomes) == ["updated", "updated", "updated"]
        assert told(again) == ["duplicate", "duplicate", "duplicate"]
        assert [each.hides_ranks for each in outcomes] == [each.hides_ranks for each in again] == [False, True, False]
        assert (outcomes[0].period, outcomes[0].previous_rank, again[1].rank) == ("c7", None, None)
        assert (period_of(event).starts_at, period_of(event).ends_at) == (STARTS, ENDS)

    @pytest.mark.parametrize("is_final", [False, True])
    def test_a_repetition_is_known_after_the_end_and_by_one_who_has_left(
        self, declared: KnownEvents, storage: str, is_final: bool
    ) -> None:
        event = declared.add(event_board(storage))
        entry = by("a", id="w1", at=NOON.isoformat())
        first = send(entry, entry)
        declared.players.clear()
        if is_final:
            assert close_period(period_of(event), ENDS + HOUR).final

        again = send(entry, {**entry, "points": 31}, at=ENDS + 3 * HOUR)

        assert (told(first), told(again)) == (["updated", "duplicate"], ["duplicate", "id_reused"])
        assert (again[0].points, again[0].period) == (30, "c7")


class TestRefusing:
    def test_nobody_declares_events_unless_somebody_does(self) -> None:
        [outcome] = send(by("a"))

        assert (outcome.code, outcome.competition) == ("unknown_competition", 7)

    def test_what_is_for_the_board_itself_or_of_a_key_for_others_or_cancelled_is_refused_alone(
        self, declared: KnownEvents
    ) -> None:
        seq = declared.add(event_board(), 8).board.seq
        declared.by_number[7] = PeriodClosed("Competition 7 was cancelled.")
        entry = read_entry({"competition": 8, **by("a")}, 0)

        outcomes = send(by("a"), by("a", competition=8), {"board": seq, **by("a")})
        [refused] = submit([entry], Caller("game", frozenset({seq + 1})), NOON)
        [counted] = submit([entry], Caller("game", frozenset({seq})), NOON)

        assert told(outcomes) == ["period_closed", "updated", "bad_entry"]
        assert outcomes[0].detail == "Competition 7 was cancelled."
        assert told([refused, counted]) == ["forbidden", "unchanged"]

    @pytest.mark.parametrize(
        ("entry", "hours", "code"),
        [
            ({"player": "stranger", "at": just_before(STARTS)}, 0, "not_joined"),
            ({"player": "stranger"}, 48, "not_joined"),
            ({"player": "a", "at": just_before(STARTS)}, 0, "not_started"),
            ({"player": "a", "at": just_before(STARTS)}, 48, "not_started"),
            ({"player": "a"}, -25, "not_started"),
            ({"player": "a"}, 24, "period_closed"),
            ({"player": "a", "at": ENDS.isoformat()}, 24, "period_closed"),
            ({"player": "a", "at": just_before(ENDS)}, 24, "updated"),
            ({"player": "a", "at": just_before(ENDS)}, 25, "period_closed"),
            ({"player": "a", "at": STARTS.isoformat()}, 0, "updated"),
            ({"player": "a", "at": (NOON + DAY).isoformat()}, 0, "in_the_future"),
        ],
    )
    def test_what_is_refused_first(self, declared: KnownEvents, entry: dict[str, Any], hours: int, code: str) -> None:
        declared.add(event_board())

        assert told(send({"points": 30, **entry}, at=NOON + hours * HOUR)) == [code]
        assert Period.objects.filter(label="c7").exists() == (code == "updated")

    @pytest.mark.parametrize(("declared_end", "at"), [(NOON + HOUR, NOON + HOUR), (ENDS + DAY, ENDS)])
    def test_a_period_that_ends_otherwise_than_its_competition_takes_nothing_after_either(
        self, declared: KnownEvents, declared_end: datetime, at: datetime
    ) -> None:
        event = declared.add(event_board())
        send(by("a"))
        declared.add(event.board, ends_at=declared_end)

        assert told(send(by("a", 40), at=at)) == ["period_closed"]

    def test_rules_are_those_of_the_opening_and_where_they_do_not_fit_the_window_nothing_opens(
        self, declared: KnownEvents
    ) -> None:
        event = declared.add(event_board(maximum=100))
        declared.add(event_board(name="Long", tie_break="score"), 8, starts_at=NOON, ends_at=NOON + 400 * DAY)
        assert told(send(by("a"), by("a", competition=8))) == ["updated", "bad_board"]
        event.board.maximum = 10
        event.board.save()

        assert told(send(by("a", 50))) == ["updated"]
        assert period_of(event).rules.maximum == 100
        assert not Period.objects.filter(label="c8").exists()

    @pytest.mark.parametrize("question", ["find_events", "joined_times"])
    def test_competitions_that_cannot_be_asked_spoil_no_neighbour(self, declared: KnownEvents, question: str) -> None:
        declared.add(event_board())
        weekly = make_board("hybrid", name="Weekly")

        with patch.object(declared, question, side_effect=SqlAway("SQL is away.")):
            assert told(send(by("a"), by("a", board=weekly.seq))) == ["unavailable", "updated"]


class TestAttempts:
    """How often a player may score in a competition, counted where their standing is locked."""

    def test_no_more_count_than_there_are_in_each_competition(self, declared: KnownEvents) -> None:
        board = event_board()
        event = declared.add(board, 7, attempts=2)
        declared.add(board, 8, attempts=1)
        entries = [by("a", 5), by("a", 3), by("a", 9), by("b", 1), by("a", 5, competition=8)]

        rehearsed, outcomes = send(*entries, dry_run=True), send(*entries)
        remove_from_period(period_of(event), "a", NOON)
        later = send(by("a", 10), by("b", 2))

        assert told(rehearsed) == told(outcomes) == ["updated", "unchanged", "too_many_attempts", "updated", "updated"]
        assert told(later) == ["too_many_attempts", "updated"]

    def test_duplicates_and_refused_entries_use_none_up_and_voided_ones_do(self, declared: KnownEvents) -> None:
        declared.add(event_board(maximum=100), attempts=2)
        entry = by("a", 5, id="w1")

        outcomes = send(entry, entry, by("a", 101))
        void_submission(Submission.objects.get(), NOON)
        later = send(entry, by("a", 6), by("a", 7))

        assert told(outcomes) == ["updated", "duplicate", "out_of_range"]
        assert told(later) == ["duplicate", "updated", "too_many_attempts"]

    @pytest.mark.parametrize("storage", ["hybrid", "sql"])
    def test_as_many_as_there_are_count_however_many_come_at_once(self, declared: KnownEvents, storage: str) -> None:
        declared.add(event_board(storage), attempts=3)

        answers = at_once([partial(send, by("a", n), by("b", n)) for n in range(8)])

        outcomes = [each for answer in answers for each in answer]
        accepted = [str(each.player) for each in outcomes if each.status.is_accepted]
        assert sorted(accepted) == ["a"] * 3 + ["b"] * 3
        assert {each.code for each in outcomes if not each.status.is_accepted} == {"too_many_attempts"}
        assert Submission.objects.filter(competition=7).count() == 6


@pytest.mark.parametrize("storage", ["hybrid", "redis", "sql"])
class TestUpkeep:
    """Periods of competitions are periods like others: players are removed, and the schedule looks after them."""

    def test_players_are_taken_out_and_it_is_settled_verified_closed_and_expires(
        self, declared: KnownEvents, storage: str
    ) -> None:
        event = declared.add(event_board(storage))
        send(by("a", 30), by("b", 20), by("d", 40))
        remove_from_period(period_of(event), "d", NOON)
        with pytest.raises(NotRanked):
            remove_from_period(period_of(event), "d", NOON)
        mirror_all()
        with redis_client() as client:
            client.flushdb()
        resync_due(NOON)

        assert told(send(by("a", 29), by("c", 1))) == ["unchanged", "updated"]
        assert ranks(period_of(event), "abcd") == {"a": 1, "b": 2, "c": 3}

        mirror_all()
        verified = [(each.label, each.compared, each.differences) for each in verify_all(NOON, seconds=10)]
        [closed] = close_due(ENDS + DAY)
        expire_due(ENDS + 200 * DAY)
        drop_submissions(ENDS + 200 * DAY)

        assert verified == ([] if storage == "sql" else [("c7", 4, 0)])  # the one taken out too
        assert (closed.label, closed.final, closed.players) == ("c7", True, 3)
        assert [rank for _, rank, _, _ in final(period_of(event))] == [1, 2, 3]
        assert (period_of(event).state, Submission.objects.exists()) == (PeriodState.EXPIRED, False)
        assert ranks(period_of(event), "a") == {"a": 1}

    def test_who_takes_part_no_more_gets_no_final_rank(self, declared: KnownEvents, storage: str) -> None:
        event = declared.add(event_board(storage))
        send(by("a", 9), by("b", 5))
        follow(period_of(event))
        declared.no_more = set(Player.objects.filter(external_id="a").values_list("pk", flat=True))

        [closed] = close_due(ENDS + DAY)

        assert (closed.final, closed.players) == (True, 1)
        assert finalists(period_of(event)) == ["b"]
        assert [rank for _, rank, _, _ in final(period_of(event))] == [1]

    def test_who_looked_before_the_end_was_moved_closes_nothing(self, declared: KnownEvents, storage: str) -> None:
        event = declared.add(event_board(storage))
        send(by("a", 9))
        looked = period_of(event)
        move_end(period_of(event), ENDS + DAY, NOON)

        closed = close_period(looked, ENDS + DAY / 2)

        assert (closed.final, period_of(event).state) == (False, PeriodState.OPEN)
        assert told(send(by("a", 10))) == ["updated"]
        with redis_client() as client:
            assert [client.ttl(key) for key in client.keys("*LeaderBoard*")] == [-1] * client.dbsize()
