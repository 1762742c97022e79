"""Scoring in competitions: which entries count, what is refused first, ids, attempts, hidden ranks, and the upkeep."""

from datetime import timedelta
from functools import partial
from typing import Any
from unittest.mock import patch

import pytest

from foundation.sql import SqlAway
from leaderboards.core.entries import read_entry
from leaderboards.core.periods import event_window
from leaderboards.core.submissions import Caller
from leaderboards.errors import BadBoard, NotRanked, PeriodClosed, StorageUnavailable
from leaderboards.models import Period, Player, State, Submission
from leaderboards.selectors import ranks
from leaderboards.services.close import close_due, close_period
from leaderboards.services.events import Event
from leaderboards.services.extend import move_end
from leaderboards.services.mirror import mirror_all
from leaderboards.services.remove import remove_from
from leaderboards.services.retain import drop_submissions, expire_due
from leaderboards.services.settle import settle_due
from leaderboards.services.submit import submit
from leaderboards.services.verify import verify_all
from leaderboards.services.void import void_submission
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
from tests.leaderboards.services.sending import WHO_DECIDES
from tests.leaderboards.services.site import DAY, NOON, final, finalists, follow, make_board, redis_client

STORAGES = pytest.mark.parametrize("storage", ["hybrid", "redis", "sql"])
HOUR = timedelta(hours=1)


def by(player: str, points: int = 30, **more: Any) -> dict[str, Any]:
    return {"player": player, "points": points, **more}


@WHO_DECIDES
class TestCounting:
    def test_one_request_counts_for_several_competitions_and_boards(self, declared: KnownEvents, storage: str) -> None:
        board, weekly = event_board(storage), make_board(storage, name="Weekly")
        event = declared.add(board, 7)
        declared.add(board, 8)
        workout = by("a", id="workout-93")
        sent = [{"competition": 7, **workout}, {"competition": 8, **workout}, {"board": weekly.seq, **workout}]

        rehearsed, outcomes, again = send(*sent, dry_run=True), send(*sent, ranks=True), send(*sent)

        assert [(each.competition, each.board, each.rank, each.previous_rank) for each in outcomes] == [
            (7, board.seq, 1, None),
            (8, board.seq, 1, None),
            (None, weekly.seq, 1, None),
        ]
        assert told(rehearsed) == told(outcomes) == ["updated", "updated", "updated"]
        assert told(again) == ["duplicate", "duplicate", "duplicate"]
        assert (outcomes[0].points, outcomes[0].period) == (30, "c7")
        assert (period_of(event).starts_at, period_of(event).ends_at) == (STARTS, ENDS)

    def test_rules_are_those_of_the_moment_at_which_it_opened(self, declared: KnownEvents, storage: str) -> None:
        event = declared.add(event_board(storage, maximum=100))
        send(by("a"))
        event.board.maximum = 10
        event.board.save()

        assert told(send(by("a", 50))) == ["updated"]
        assert period_of(event).rules.maximum == 100

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

    def test_an_event_that_hides_ranks_tells_points_and_no_place(self, declared: KnownEvents, storage: str) -> None:
        declared.add(event_board(storage), hides_ranks=True)
        weekly = make_board(storage, name="Weekly")
        entry = by("a", id="w1")

        outcomes = send(entry, {"board": weekly.seq, **entry}, ranks=True)
        [again] = send(entry, ranks=True)

        assert [(each.points, each.rank, each.hides_ranks) for each in [*outcomes, again]] == [
            (30, None, True),
            (30, 1, False),
            (30, None, True),
        ]


class TestRefusing:
    def test_nobody_declares_events_unless_somebody_does(self) -> None:
        [outcome] = send(by("a"))

        assert (outcome.code, outcome.competition) == ("unknown_competition", 7)

    def test_an_entry_for_the_board_itself_or_by_a_key_for_other_boards_is_refused(self, declared: KnownEvents) -> None:
        seq = declared.add(event_board()).board.seq
        entry = read_entry({"competition": 7, **by("a")}, 0)

        [refused] = submit([entry], Caller("game", frozenset({seq + 1})), NOON)
        [counted] = submit([entry], Caller("game", frozenset({seq})), NOON)

        assert told(send({"board": seq, **by("a")})) == ["bad_entry"]
        assert (refused.code, counted.status) == ("forbidden", "updated")

    def test_a_refusal_in_place_of_an_event_is_that_of_its_entries(self, declared: KnownEvents) -> None:
        declared.by_number[7] = PeriodClosed("Competition 7 was cancelled.")
        declared.add(event_board(), 8)

        outcomes = send(by("a"), by("a", competition=8))

        assert told(outcomes) == ["period_closed", "updated"]
        assert outcomes[0].detail == "Competition 7 was cancelled."

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
        self, declared: KnownEvents, declared_end: Any, at: Any
    ) -> None:
        event = declared.add(event_board())
        send(by("a"))
        declared.add(event.board, ends_at=declared_end)

        assert told(send(by("a", 40), at=at)) == ["period_closed"]

    @STORAGES
    def test_a_closed_competition_takes_nothing(self, declared: KnownEvents, storage: str) -> None:
        event = declared.add(event_board(storage))
        send(by("a"))
        close_period(period_of(event), NOON)

        assert told(send(by("a", 40))) == ["period_closed"]
        with pytest.raises(StorageUnavailable if storage == "redis" else PeriodClosed):
            remove_from(period_of(event), "a", NOON)

    def test_rules_that_do_not_fit_the_window_open_no_period(self, declared: KnownEvents) -> None:
        declared.add(event_board(tie_break="score"), starts_at=NOON - 300 * DAY, ends_at=NOON + 100 * DAY)

        assert told(send(by("a"))) == ["bad_board"]
        assert not Period.objects.filter(label="c7").exists()

    @pytest.mark.parametrize("question", ["named", "joined"])
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
        remove_from(period_of(event), "a", NOON)
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

    def test_a_board_that_redis_decides_over_cannot_count_them(self) -> None:
        board = event_board("redis")

        with pytest.raises(BadBoard, match="cannot count attempts"):
            Event(7, board, event_window(7, STARTS, ENDS), attempts=1)


@STORAGES
class TestUpkeep:
    """Periods of competitions are periods like others: players are removed, and the schedule looks after them."""

    def test_a_player_is_taken_out_and_what_redis_lost_is_settled(self, declared: KnownEvents, storage: str) -> None:
        event = declared.add(event_board(storage))
        send(by("a", 30), by("b", 20), by("d", 40))

        remove_from(period_of(event), "d", NOON)
        with pytest.raises(NotRanked):
            remove_from(period_of(event), "d", NOON)
        mirror_all()
        with redis_client() as client:
            client.flushdb()
        settle_due(NOON)

        assert told(send(by("a", 29), by("c", 1))) == ["unchanged", "updated"]
        assert ranks(period_of(event), "abcd") == {"a": 1, "b": 2, "c": 3}

    def test_it_is_verified_ends_by_the_schedule_and_expires(self, declared: KnownEvents, storage: str) -> None:
        event = declared.add(event_board(storage))
        send(by("a", 30), by("b", 20))
        mirror_all()

        verified = [(each.label, each.compared, each.differences) for each in verify_all(NOON, seconds=10)]
        [closed] = close_due(ENDS + DAY)
        expire_due(ENDS + 200 * DAY)
        drop_submissions(ENDS + 200 * DAY)

        assert verified == ([] if storage == "sql" else [("c7", 2, 0)])
        assert (closed.label, closed.final, closed.players) == ("c7", True, 2)
        assert [rank for _, rank, _, _ in final(period_of(event))] == [1, 2]
        assert (period_of(event).state, Submission.objects.exists()) == (State.EXPIRED, False)
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

        assert (closed.final, period_of(event).state) == (False, State.OPEN)
        assert told(send(by("a", 10))) == ["updated"]
        with redis_client() as client:
            assert [client.ttl(key) for key in client.keys("*LeaderBoard*")] == [-1] * client.dbsize()
