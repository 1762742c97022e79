"""Attempts: how often a player may score in a competition, counted where his standing is locked."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from leaderboards.core.periods import event_window
from leaderboards.core.submissions import Outcome
from leaderboards.errors import BadBoard
from leaderboards.models import Submission
from leaderboards.services.events import Event
from leaderboards.services.void import void_submission
from tests.leaderboards.services.contest import ENDS, STARTS, KnownEvents, event_board, send, told
from tests.leaderboards.services.site import NOON

pytestmark = pytest.mark.django_db(transaction=True)

BY_SQL = pytest.mark.parametrize("storage", ["hybrid", "sql"])


@BY_SQL
def test_no_more_count_than_there_are(declared: KnownEvents, storage: str) -> None:
    declared.add(event_board(storage), attempts=2)

    outcomes = send(*({"player": "a", "points": n} for n in (5, 3, 9)), {"player": "b", "points": 1})
    later = send({"player": "a", "points": 10}, {"player": "b", "points": 2})

    assert told(outcomes) == ["updated", "unchanged", "too_many_attempts", "updated"]
    assert told(later) == ["too_many_attempts", "updated"]


@BY_SQL
def test_duplicates_and_refused_entries_use_none_up_and_voided_ones_do(declared: KnownEvents, storage: str) -> None:
    declared.add(event_board(storage, maximum=100), attempts=2)
    entry = {"player": "a", "points": 5, "id": "w1"}

    outcomes = send(entry, entry, {"player": "a", "points": 101})
    void_submission(Submission.objects.get(), NOON)
    later = send(entry, {"player": "a", "points": 6}, {"player": "a", "points": 7})

    assert told(outcomes) == ["updated", "duplicate", "out_of_range"]
    assert told(later) == ["duplicate", "updated", "too_many_attempts"]


@BY_SQL
def test_each_competition_counts_its_own(declared: KnownEvents, storage: str) -> None:
    board = event_board(storage)
    declared.add(board, 7, attempts=1)
    declared.add(board, 8, attempts=1)

    outcomes = send({"player": "a", "points": 5}, {"competition": 8, "player": "a", "points": 5})

    assert told(outcomes) == ["updated", "updated"]


@BY_SQL
def test_a_rehearsal_counts_them_too_and_uses_none_up(declared: KnownEvents, storage: str) -> None:
    declared.add(event_board(storage), attempts=1)
    entries = [{"player": "a", "points": 5}, {"player": "a", "points": 6}]

    rehearsed = send(*entries, dry_run=True)
    outcomes = send(*entries)

    assert told(rehearsed) == told(outcomes) == ["updated", "too_many_attempts"]


@BY_SQL
def test_as_many_as_there_are_count_however_many_come_at_once(declared: KnownEvents, storage: str) -> None:
    declared.add(event_board(storage), attempts=3)

    def attempt(n: int) -> list[Outcome]:
        try:
            return send({"player": "a", "points": n}, {"player": "b", "points": n})
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        outcomes = [each for answer in pool.map(attempt, range(12)) for each in answer]

    accepted = [each.player for each in outcomes if each.status.is_accepted]
    assert sorted(map(str, accepted)) == ["a"] * 3 + ["b"] * 3
    assert {each.code for each in outcomes if not each.status.is_accepted} == {"too_many_attempts"}
    assert Submission.objects.filter(competition=7).count() == 6


def test_a_board_that_redis_decides_over_cannot_count_attempts(links: None) -> None:
    board = event_board("redis")

    with pytest.raises(BadBoard, match="cannot count attempts"):
        Event(7, board, event_window(7, STARTS, ENDS), attempts=1)
