"""Scoring in competitions: which entries count, which are refused in which order, ids, hidden ranks."""

from datetime import timedelta
from typing import Any

import pytest

from foundation.sql import SqlAway
from leaderboards.core.entries import read_entry
from leaderboards.core.submissions import Caller
from leaderboards.errors import PeriodClosed
from leaderboards.models import Period
from leaderboards.services.close import close_period
from leaderboards.services.submit import submit
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
from tests.leaderboards.services.site import DAY, NOON, make_board

pytestmark = pytest.mark.django_db(transaction=True)

STORAGES = pytest.mark.parametrize("storage", ["hybrid", "redis", "sql"])


@STORAGES
class TestCounting:
    def test_an_entry_counts_in_the_period_of_its_competition(self, declared: KnownEvents, storage: str) -> None:
        event = declared.add(event_board(storage))

        [outcome] = send({"player": "a", "points": 30}, ranks=True)

        assert (outcome.competition, outcome.board, outcome.period) == (7, event.board.seq, "c7")
        assert (outcome.status, outcome.points, outcome.rank, outcome.previous_rank) == ("updated", 30, 1, None)
        assert (period_of(event).starts_at, period_of(event).ends_at) == (STARTS, ENDS)

    def test_one_request_counts_for_several_competitions_and_boards(self, declared: KnownEvents, storage: str) -> None:
        board = event_board(storage)
        declared.add(board, 7)
        declared.add(board, 8)
        weekly = make_board(storage, name="Weekly")
        workout = {"player": "a", "points": 30, "id": "workout-93"}

        sent = [{"competition": 7, **workout}, {"competition": 8, **workout}, {"board": weekly.seq, **workout}]
        outcomes, again = send(*sent), send(*sent)

        assert told(outcomes) == ["updated", "updated", "updated"]
        assert [(each.competition, each.board) for each in outcomes] == [
            (7, board.seq),
            (8, board.seq),
            (None, weekly.seq),
        ]
        assert told(again) == ["duplicate", "duplicate", "duplicate"]

    def test_a_rehearsal_changes_nothing(self, declared: KnownEvents, storage: str) -> None:
        event = declared.add(event_board(storage))

        outcomes = send({"player": "a", "points": 30}, dry_run=True)

        assert told(outcomes) == ["updated"]
        assert close_period(period_of(event), ENDS + DAY).players == 0

    def test_rules_are_those_of_the_moment_at_which_it_opened(self, declared: KnownEvents, storage: str) -> None:
        board = event_board(storage, maximum=100)
        event = declared.add(board)
        send({"player": "a", "points": 30})
        board.maximum = 10
        board.save()

        outcomes = send({"player": "a", "points": 50})

        assert told(outcomes) == ["updated"]
        assert period_of(event).rules.maximum == 100


class TestRefusing:
    def test_nobody_declares_events_unless_somebody_does(self, links: None) -> None:
        outcomes = send({"player": "a", "points": 30})

        assert told(outcomes) == ["unknown_competition"]
        assert outcomes[0].competition == 7

    def test_an_entry_for_the_board_itself_is_refused(self, declared: KnownEvents) -> None:
        event = declared.add(event_board())

        outcomes = send({"board": event.board.seq, "player": "a", "points": 30})

        assert told(outcomes) == ["bad_entry"]

    def test_a_key_for_other_boards_does_not_reach_the_competition(self, declared: KnownEvents) -> None:
        event = declared.add(event_board())
        entry = read_entry({"competition": 7, "player": "a", "points": 30}, 0)

        [refused] = submit([entry], Caller("game", frozenset({event.board.seq + 1})), NOON)
        [counted] = submit([entry], Caller("game", frozenset({event.board.seq})), NOON)

        assert (refused.code, counted.status) == ("forbidden", "updated")

    def test_a_refusal_in_place_of_an_event_is_that_of_its_entries(self, declared: KnownEvents) -> None:
        declared.by_number[7] = PeriodClosed("Competition 7 was cancelled.")
        declared.add(event_board(), 8)

        outcomes = send({"player": "a", "points": 30}, {"competition": 8, "player": "a", "points": 30})

        assert told(outcomes) == ["period_closed", "updated"]
        assert outcomes[0].detail == "Competition 7 was cancelled."

    @STORAGES
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
    def test_what_is_refused_first(
        self, declared: KnownEvents, storage: str, entry: dict[str, Any], hours: int, code: str
    ) -> None:
        declared.add(event_board(storage))

        outcomes = send({"points": 30, **entry}, at=NOON + timedelta(hours=hours))

        assert told(outcomes) == [code]

    def test_a_period_that_ends_later_than_its_competition_takes_nothing_more(self, declared: KnownEvents) -> None:
        event = declared.add(event_board())
        send({"player": "a", "points": 30})
        declared.add(event.board, ends_at=NOON + timedelta(hours=1))

        outcomes = send({"player": "a", "points": 40}, at=NOON + timedelta(hours=1))

        assert told(outcomes) == ["period_closed"]

    def test_a_period_that_ends_sooner_than_its_competition_takes_nothing_more(self, declared: KnownEvents) -> None:
        event = declared.add(event_board())
        send({"player": "a", "points": 30})
        declared.add(event.board, ends_at=ENDS + DAY)

        outcomes = send({"player": "a", "points": 40}, at=ENDS)

        assert told(outcomes) == ["period_closed"]

    @STORAGES
    def test_a_closed_competition_takes_nothing(self, declared: KnownEvents, storage: str) -> None:
        event = declared.add(event_board(storage))
        send({"player": "a", "points": 30})
        close_period(period_of(event), NOON)

        outcomes = send({"player": "a", "points": 40})

        assert told(outcomes) == ["period_closed"]

    def test_what_starts_before_it_is_refused_opens_no_period(self, declared: KnownEvents) -> None:
        declared.add(event_board())

        send({"player": "a", "points": 30}, at=STARTS - timedelta(seconds=1))

        assert not Period.objects.filter(label="c7").exists()

    def test_rules_that_do_not_fit_the_window_open_no_period(self, declared: KnownEvents) -> None:
        board = event_board(tie_break="score")
        declared.add(board, starts_at=NOON - 300 * DAY, ends_at=NOON + 100 * DAY)

        outcomes = send({"player": "a", "points": 30})

        assert told(outcomes) == ["bad_board"]
        assert not Period.objects.filter(label="c7").exists()

    @pytest.mark.parametrize("question", ["named", "joined"])
    def test_competitions_that_cannot_be_asked_spoil_no_neighbour(
        self, declared: KnownEvents, monkeypatch: pytest.MonkeyPatch, question: str
    ) -> None:
        declared.add(event_board())
        weekly = make_board("hybrid", name="Weekly")

        def away(*_: object) -> None:
            raise SqlAway("SQL is away.")

        monkeypatch.setattr(declared, question, away)

        outcomes = send({"player": "a", "points": 30}, {"board": weekly.seq, "player": "a", "points": 30})

        assert told(outcomes) == ["unavailable", "updated"]


@STORAGES
class TestIds:
    def test_a_repetition_is_known_after_the_end_and_by_one_who_has_left(
        self, declared: KnownEvents, storage: str
    ) -> None:
        declared.add(event_board(storage))
        entry = {"player": "a", "points": 30, "id": "w1", "at": NOON.isoformat()}
        send(entry)
        declared.players.clear()

        again = send(entry, {**entry, "points": 31}, at=ENDS + timedelta(hours=3))

        assert told(again) == ["duplicate", "id_reused"]
        assert (again[0].points, again[0].period) == (30, "c7")

    def test_a_repetition_is_known_once_the_competition_is_final(self, declared: KnownEvents, storage: str) -> None:
        event = declared.add(event_board(storage))
        entry = {"player": "a", "points": 30, "id": "w1"}
        send(entry)
        assert close_period(period_of(event), ENDS + timedelta(hours=1)).final

        again = send(entry, at=ENDS + timedelta(hours=2))

        assert told(again) == ["duplicate"]

    def test_one_id_twice_in_a_request_counts_once(self, declared: KnownEvents, storage: str) -> None:
        declared.add(event_board(storage, update="increment"))
        entry = {"player": "a", "points": 30, "id": "w1"}

        outcomes = send(entry, entry)

        assert told(outcomes) == ["updated", "duplicate"]
        assert outcomes[1].points == 30


@STORAGES
class TestHiding:
    def test_an_event_that_hides_ranks_tells_points_and_no_place(self, declared: KnownEvents, storage: str) -> None:
        declared.add(event_board(storage), hides_ranks=True)
        weekly = make_board(storage, name="Weekly")
        entry = {"player": "a", "points": 30, "id": "w1"}

        outcomes = send(entry, {"board": weekly.seq, **entry}, ranks=True)
        [again] = send(entry, ranks=True)

        assert [(each.points, each.rank, each.hides_ranks) for each in [*outcomes, again]] == [
            (30, None, True),
            (30, 1, False),
            (30, None, True),
        ]
