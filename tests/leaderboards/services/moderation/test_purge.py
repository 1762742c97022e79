"""Purging a range of submissions: what it voids, what it leaves, in turns, and how it is undone."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import pytest

from foundation.audit.models import AuditEntry
from foundation.audit.undo import NotUndoable, undo
from leaderboards.models import PurgedSubmission, Standing, Submission
from leaderboards.selectors.moderation.purges import BASELINE, UnaffectedCounts, preview_purge
from leaderboards.services.moderation import purge as asking
from leaderboards.services.moderation import run_purge
from leaderboards.services.moderation.run_purge import run_due
from leaderboards.services.moderation.unvoid import unvoid_by_hand, unvoid_submission
from leaderboards.services.moderation.void import void_by_hand, void_submission
from leaderboards.services.periods.close import close_due
from leaderboards.services.periods.retention import drop_submissions
from tests.at_once import at_once
from tests.competitions.services.mishaps import dying_at, redis_away
from tests.leaderboards.services.purging import HOUR, ask, of, purge, send, undo_it
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
)


def void_numbers() -> list[int | None]:
    return list(Submission.objects.exclude(voided_at=None).order_by("points").values_list("points", flat=True))


@contextmanager
def small_turns() -> Iterator[None]:
    with patch.multiple(run_purge, SCAN_CHUNK=2, PLAYER_SCAN_CHUNK=2, PLAYERS_PER_TRANSACTION=1, RESTORE_CHUNK=2):
        yield


@KEEPING
@pytest.mark.parametrize(("update", "left"), [("best", 3), ("latest", 4), ("increment", 7)])
def test_what_was_received_in_the_range_goes_and_the_player_falls_back_to_the_rest(
    storage: str, update: str, left: int
) -> None:
    board = make_board(storage, update=update)
    send(board, "a", 3, NOON - HOUR)
    for number in (8, 9):
        send(board, "a", number, NOON + HOUR / 2)
    send(board, "b", 5, NOON + HOUR / 2)
    if update != "best":
        send(board, "a", 4, NOON + HOUR)  # the end lies outside

    made = purge(of("a", board=board.seq))

    assert void_numbers() == [8, 9]
    assert points(board) == {"a": left, "b": 5}
    assert (made.voided, made.kept) == (2, 0)
    assert storage == "sql" or in_redis(period_of(board)) == in_sql(period_of(board))


@KEEPING
def test_undoing_restores_what_the_purge_voided_and_nothing_that_was_void_before_or_judged_since(storage: str) -> None:
    board = make_board(storage, update="increment")
    rows = {number: send(board, "a", number) for number in (1, 2, 4, 8)}
    void_submission(rows[1], NOON)
    made = purge(of(service="one"))
    assert points(board) == {}
    unvoid_submission(rows[2], NOON)  # and by hand it goes again
    void_submission(rows[2], NOON)

    undo_it(made)

    assert void_numbers() == [1, 2]
    assert points(board) == {"a": 12}
    assert (made.voided, made.restored, made.lost) == (3, 2, 0)
    assert storage == "sql" or in_redis(period_of(board)) == in_sql(period_of(board))
    with pytest.raises(NotUndoable):
        undo_it(made)


@pytest.mark.parametrize("scope", ["player", "board", "service"])
def test_a_range_is_of_whoever_is_named_and_of_nobody_else(scope: str) -> None:
    board, other = make_board("sql"), make_board("sql", name="Other")
    send(board, "a", 1)
    send(board, "b", 2, service="two")
    send(other, "a", 3, service="two")
    scopes: dict[str, dict[str, Any]] = {"player": {}, "board": {"board": board.seq}, "service": {"service": "two"}}
    named = scopes[scope]

    with small_turns():
        purge(of("a" if scope == "player" else "", **named))

    assert void_numbers() == {"player": [1, 3], "board": [1, 2], "service": [2, 3]}[scope]


@pytest.mark.parametrize("step", ["purge.before_commit_of_some", "purge.before_progress", "purge.before_undo_progress"])
def test_a_worker_that_dies_anywhere_leaves_it_to_the_next_one_and_nothing_is_counted_twice(step: str) -> None:
    board = make_board("hybrid", update="increment")
    for number in (1, 2, 4):
        send(board, "a", number)
        send(board, "b", number)
    made = ask(of(board=board.seq))

    with small_turns():
        if "undo" not in step:
            with dying_at(run_purge, step):
                run_due(NOON + 2 * HOUR, 60.0)
        run_due(NOON + 2 * HOUR, 60.0)
        made.refresh_from_db()
        assert (points(board), made.voided, made.kept) == ({}, 6, 0)
        assert made.finished_at is not None
        undo(AuditEntry.objects.get(act=asking.PURGED).pk, "Not leaked.", NOON, None)
        with dying_at(run_purge, step if step != "purge.before_progress" else ""):
            run_due(NOON + 3 * HOUR, 60.0)
        run_due(NOON + 3 * HOUR, 60.0)

    made.refresh_from_db()
    assert (points(board), made.restored, made.lost) == ({"a": 7, "b": 7}, 6, 0)
    assert made.undone_at is not None
    assert in_redis(period_of(board)) == in_sql(period_of(board))


def test_two_workers_at_once_void_and_restore_each_once() -> None:
    board = make_board("hybrid", update="increment")
    for name in "abcdef":
        send(board, name, 3)
    made = ask(of(board=board.seq))

    with small_turns():
        voided = at_once([lambda: run_due(NOON + 2 * HOUR, 60.0)] * 2)
        undo(AuditEntry.objects.get(act=asking.PURGED).pk, "Not leaked.", NOON, None)
        restored = at_once([lambda: run_due(NOON + 2 * HOUR, 60.0)] * 2)

    made.refresh_from_db()
    assert (sum(voided), sum(restored), made.voided, made.restored) == (6, 6, 6, 6)
    assert points(board) == dict.fromkeys("abcdef", 3)
    assert not PurgedSubmission.objects.exists()


@KEEPING
def test_what_somebody_restored_since_it_was_asked_for_stays(storage: str) -> None:
    board = make_board(storage, period="all_time")
    row = send(board, "ann", 9)
    send(board, "bob", 3)
    made = ask(of(board=board.pk))  # and the worker is busy
    void_by_hand(row, "A suspicion.", NOON + 2 * HOUR, None)
    restored = Submission.objects.select_related("period__board", "player", "board").get(pk=row.pk)
    unvoid_by_hand(restored, "Unfounded.", NOON + 2 * HOUR, None)

    run_due(NOON + 3 * HOUR, 60.0)

    made.refresh_from_db()
    assert points(board) == {"ann": 9}
    assert (made.voided, made.kept) == (1, 1)
    later = purge(of(board=board.pk), NOON + 4 * HOUR)
    assert (points(board), later.voided) == ({}, 1)


def test_what_somebody_restores_between_the_look_and_the_locks_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    board = make_board("sql", period="all_time")
    row = send(board, "ann", 9)
    void_by_hand(row, "A suspicion.", NOON + HOUR / 60, None)
    ask(of(board=board.pk))
    chosen = run_purge._chosen

    def restored_meanwhile(rows: Any) -> Any:
        found = chosen(Submission.objects.filter(pk=row.pk))
        fresh = Submission.objects.select_related("period__board", "player", "board").get(pk=row.pk)
        unvoid_by_hand(fresh, "Unfounded.", NOON + 2 * HOUR, None)
        return found

    monkeypatch.setattr(run_purge, "_chosen", restored_meanwhile)
    run_due(NOON + 3 * HOUR, 60.0)

    assert points(board) == {"ann": 9}


def test_one_that_is_not_through_stops_where_it_is_undone() -> None:
    board = make_board("sql")
    for name in "abcd":
        send(board, name, 3)
    made = ask(of(board=board.seq))
    with small_turns():
        while not made.voided:
            run_due(NOON, 0.0)
            made.refresh_from_db()
        assert made.voided < 4

        undo(AuditEntry.objects.get(act=asking.PURGED).pk, "Not leaked.", NOON, None)
        run_due(NOON, 60.0)

    assert points(board) == dict.fromkeys("abcd", 3)


def test_without_redis_a_hybrid_board_goes_on_and_is_settled_later() -> None:
    board = make_board("hybrid")
    send(board, "a", 3)

    with redis_away():
        purge(of("a"))

    assert points(board) == {}
    assert Standing.objects.get().pending_publish


def test_closed_periods_of_a_calendar_and_baselines_stay_and_are_counted() -> None:
    board = make_board("sql")
    crowd(board, {"a": 9, "b": 6})
    close_due(NOON + DAY)
    standings = final(period_of(board))
    running = make_board("sql", name="All time", period="all_time")
    send(running, "a", 5)
    send(running, "a", 7)
    Submission.objects.filter(points=5).update(service=BASELINE)
    chosen = of("a", until=NOON + DAY)
    foreseen = preview_purge(chosen)

    made = purge(chosen, NOON + 2 * DAY)

    assert void_numbers() == [7]
    assert (made.voided, made.kept) == (1, 1)
    assert (foreseen.submissions, foreseen.players, foreseen.kept) == (1, 1, UnaffectedCounts(closed=1))
    assert final(period_of(board)) == standings


def test_what_was_not_kept_meanwhile_is_not_restored_and_that_is_said() -> None:
    board = make_board("sql")
    send(board, "a", 3)
    made = purge(of("a"))
    close_due(NOON + DAY)
    undo_it(made, NOON + 2 * DAY)

    assert (made.restored, made.lost) == (0, 1)
    drop_submissions(NOON + 400 * DAY)  # whoever deletes submissions is not kept from it
    assert not Submission.objects.exists()
