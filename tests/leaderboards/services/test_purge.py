"""Purging a range of submissions: what it voids, what it leaves, in turns, and how it is undone."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any
from unittest.mock import Mock, patch

import pytest

from foundation.audit.models import AuditEntry
from foundation.audit.undo import NotUndoable, undo
from leaderboards.core.entries import read_entry
from leaderboards.core.moves import Moves
from leaderboards.core.submissions import Caller
from leaderboards.errors import BadPurge, BadReason
from leaderboards.models import Board, Player, Purge, PurgedSubmission, Standing, Submission
from leaderboards.selectors import purging
from leaderboards.selectors.purging import BASELINE, Range, foresee_purge
from leaderboards.services import purge as asking
from leaderboards.services import run_purge
from leaderboards.services.close import close_due
from leaderboards.services.purge import ask_purge
from leaderboards.services.retain import drop_submissions
from leaderboards.services.run_purge import run_due
from leaderboards.services.submit import submit
from leaderboards.services.unvoid import unvoid_submission
from leaderboards.services.void import void_submission
from tests.at_once import at_once
from tests.competitions.services.mishaps import dying_at, redis_away
from tests.leaderboards.factories import AdminFactory
from tests.leaderboards.services.site import DAY, NOON, crowd, final, in_redis, in_sql, make_board, period_of, points

HOUR = timedelta(hours=1)
KEEPING = pytest.mark.parametrize("storage", ["hybrid", "sql"])


def send(board: Board, player: str, number: int, at: datetime = NOON, service: str = "one") -> Submission:
    """One submission, received at that moment."""
    [outcome] = submit([read_entry({"board": board.seq, "player": player, "points": number}, 0)], Caller(service), at)
    assert outcome.status.is_accepted
    return Submission.objects.latest("pk")


def of(player: str = "", *, since: datetime = NOON, until: datetime = NOON + HOUR, **named: Any) -> Range:
    """An hour from noon on, of a player or of what else is named."""
    number = Player.objects.get(external_id=player).pk if player else None
    return Range(since, until, number, **named)


def ask(chosen: Range, at: datetime = NOON + 2 * HOUR) -> Purge:
    return ask_purge(chosen, "A leaked key.", at, None)


def purge(chosen: Range, at: datetime = NOON + 2 * HOUR) -> Purge:
    """Asked for, and done to the end."""
    made = ask(chosen, at)
    run_due(at, 60.0)
    made.refresh_from_db()
    assert made.finished_at == at
    return made


def undo_it(made: Purge, at: datetime = NOON + 3 * HOUR) -> None:
    undo(AuditEntry.objects.get(act=asking.PURGED, note__purge=made.pk).pk, "Not leaked.", at, None)
    run_due(at, 60.0)
    made.refresh_from_db()
    assert made.undone_at == at


def void_numbers() -> list[int | None]:
    return list(Submission.objects.exclude(voided_at=None).order_by("points").values_list("points", flat=True))


@contextmanager
def small_turns() -> Iterator[None]:
    with patch.multiple(run_purge, STRETCH=2, MOST_OF_A_PLAYER=2, PLAYERS_AT_ONCE=1, RESTORED_AT_ONCE=2):
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
    assert Standing.objects.get().unput


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
    foreseen = foresee_purge(chosen)

    made = purge(chosen, NOON + 2 * DAY)

    assert void_numbers() == [7]
    assert (made.voided, made.kept) == (1, 1)
    assert (foreseen.submissions, foreseen.players, foreseen.kept) == (1, 1, 1)
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


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({}, "name a player, a board or a service key"),
        ({"service": "one", "until": NOON}, "ends before it begins"),
        ({"service": "one", "until": NOON + DAY}, "in the future"),
    ],
)
def test_a_range_of_nothing_or_of_what_is_to_come_is_refused(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(BadPurge, match=said):
        ask(of(**wrong))
    assert not Purge.objects.exists()
    assert not AuditEntry.objects.filter(act=asking.PURGED).exists()


def test_a_board_that_keeps_no_submissions_is_refused_and_says_what_is_possible() -> None:
    board = make_board("redis")

    with pytest.raises(BadPurge, match="set or remove standings of its running period instead"):
        ask(of(board=board.seq))


def test_who_when_why_and_what_stand_in_the_log() -> None:
    boss = AdminFactory.create()
    board = make_board("sql")
    send(board, "a", 3)
    for reason in ("", " ", "x" * 301):
        with pytest.raises(BadReason):
            ask_purge(of("a"), reason, NOON + HOUR, boss)

    made = ask_purge(of("a"), " A leaked key. ", NOON + HOUR, boss)

    entry = AuditEntry.objects.get(act=asking.PURGED)
    assert (entry.act, entry.at, entry.by, entry.reason) == (asking.PURGED, NOON + HOUR, boss, "A leaked key.")
    assert set(entry.subjects.values_list("kind", "key")) == {
        ("purge", str(made.pk)),
        ("player", str(made.player_id)),
    }


@KEEPING
def test_it_is_told_before_what_ranks_do(storage: str) -> None:
    board = make_board(storage)
    send(board, "a", 9)
    send(board, "a", 5, NOON - HOUR)
    for name, number in {"b": 8, "c": 7, "d": 4}.items():
        send(board, name, number, NOON - HOUR)

    foreseen = foresee_purge(of("a"))

    assert foreseen.moves == Moves(firsts=1, ranks=3)  # b is first, c second, a third; d stays fourth
    assert (foreseen.submissions, foreseen.players, foreseen.kept) == (1, 1, 0)


@pytest.mark.parametrize("bound", ["MOST_REPLAYED", "MOST_PERIODS"])
def test_ranks_are_not_worked_out_of_a_range_that_is_too_great(monkeypatch: pytest.MonkeyPatch, bound: str) -> None:
    send(make_board("sql"), "a", 9)
    send(make_board("sql", name="Other"), "a", 9)
    worked_out = Mock(return_value=Moves())
    monkeypatch.setattr(purging, "_moves", worked_out)
    assert foresee_purge(of("a")).moves == Moves()

    monkeypatch.setattr(purging, bound, 1)
    foreseen = foresee_purge(of("a"))

    assert (foreseen.submissions, foreseen.moves) == (2, None)
    assert worked_out.call_count == 1
