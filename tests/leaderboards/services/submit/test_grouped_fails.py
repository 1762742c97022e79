"""What fails for one of those who are decided together, and what becomes of the others."""

from datetime import datetime
from typing import Any

import pytest
from django.db import IntegrityError, OperationalError, connection, transaction

from foundation import clock
from foundation.db.resilience import SqlAway
from leaderboards.core.input.entries import Entry, read_entry
from leaderboards.core.ranking.policies import evaluate
from leaderboards.models import Board, Period
from leaderboards.services.submit import decide_redis, decide_sql, grouped, pending_items, redis_entries
from leaderboards.services.submit.entry_content import bucketed
from leaderboards.services.sync.publish import write_and_publish
from leaderboards.stores.sql import locks
from tests.leaderboards.services.joining import GAME, LONG, Company, entry
from tests.leaderboards.services.site import NOON, follow, make_board, period_of, points, score

STORAGES = pytest.mark.parametrize("storage", ["sql", "hybrid", "redis"])
IN_SQL = pytest.mark.parametrize("storage", ["sql", "hybrid"])


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Company:
    monkeypatch.setattr(clock, "now", lambda: NOON)
    return Company(monkeypatch)


def standing_on(board: Board) -> dict[str, Any]:
    follow(period_of(board))
    return points(board)


@STORAGES
def test_one_that_fails_as_nobody_foresaw_takes_nobody_along(sent: Company, storage: str) -> None:
    board = make_board(storage, update="increment")
    score(board, {"first": 1, "ann": 1, "bob": 1})

    def failing(rules: Any, old: Any, new: Any) -> Any:
        if new.value == (666,):
            raise ZeroDivisionError
        return evaluate(rules, old, new)

    def failing_before_the_script(row: Entry, service: str) -> Any:
        if row.points == 666:
            raise ZeroDivisionError
        return bucketed(row, service)

    sent.monkeypatch.setattr(decide_sql, "evaluate", failing)
    sent.monkeypatch.setattr(redis_entries, "bucketed", failing_before_the_script)
    sent.hold(board.seq)
    ann, bad, bob = [sent.send(entry(board, *each)) for each in (("ann", 5), ("ann", 666), ("bob", 7))]
    sent.let_go()

    assert [each.result(LONG)[0].points for each in (ann, bob)] == [6, 8]
    with pytest.raises(ZeroDivisionError):
        bad.result(LONG)
    assert standing_on(board) == {"first": 2, "ann": 6, "bob": 8}


@IN_SQL
def test_what_sql_refuses_of_one_takes_nobody_along(sent: Company, storage: str) -> None:
    """SQL says so after COMMIT was sent behind it, and has kept nothing."""
    board = make_board(storage, update="increment")
    score(board, {"first": 1, "ann": 1, "bad": 1, "bob": 1})

    def refused(statements: Any, period: Period, rows: Any, at: datetime) -> None:
        if any(row.player == "bad" for row in rows):
            statements.execute("INSERT INTO leaderboards_standing (version) VALUES (NULL)", ())
        write_and_publish(statements, period, rows, at)

    sent.monkeypatch.setattr(decide_sql, "write_and_publish", refused)
    sent.hold(board.seq)
    ann, bad, bob = [sent.send(entry(board, *each)) for each in (("ann", 5), ("bad", 6), ("bob", 7))]
    sent.let_go()

    assert [each.result(LONG)[0].points for each in (ann, bob)] == [6, 8]
    with pytest.raises(IntegrityError):
        bad.result(LONG)
    assert standing_on(board) == {"first": 2, "ann": 6, "bad": 1, "bob": 8}


def test_with_sql_away_each_is_told_so_where_redis_was_not_asked(sent: Company) -> None:
    board = make_board("redis", update="increment")
    score(board, {"first": 1, "ann": 1, "bob": 1})

    def away(_board: int) -> Any:
        raise SqlAway("SQL is away.")

    sent.hold(board.seq)
    both = [sent.send(entry(board, player, 5)) for player in ("ann", "bob")]
    sent.monkeypatch.setattr(decide_redis, "banned_players", away)
    sent.let_go()

    for each in both:
        with pytest.raises(SqlAway):
            each.result(LONG)
    assert sent.batches == [1, 2, 1, 1]


@IN_SQL
def test_what_sql_refuses_once_it_has_committed_is_decided_no_second_time(sent: Company, storage: str) -> None:
    board = make_board(storage, update="increment")
    score(board, {"first": 1, "ann": 1, "bob": 1})

    def refused_behind(statements: Any, period: Period, rows: Any, at: datetime) -> None:
        write_and_publish(statements, period, rows, at)
        if len(rows) == 2:  # the company's
            transaction.on_commit(ask_in_vain)

    def ask_in_vain() -> None:
        with connection.cursor() as cursor:
            cursor.execute("INSERT INTO leaderboards_standing (version) VALUES (NULL)")

    sent.monkeypatch.setattr(decide_sql, "write_and_publish", refused_behind)
    sent.hold(board.seq)
    ann, bob = [sent.send(entry(board, *each)) for each in (("ann", 5), ("bob", 7))]
    sent.let_go()

    with pytest.raises(IntegrityError):
        ann.result(LONG)
    assert bob.result(LONG)[0].code == "outcome_unknown"
    assert standing_on(board) == {"first": 2, "ann": 6, "bob": 8}


@pytest.mark.parametrize("step", ["make_players", "make_standings"])
def test_a_newcomer_whom_sql_refuses_takes_nobody_along(sent: Company, step: str) -> None:
    board = make_board("sql")
    score(board, {"first": 1, "ann": 1})
    action = getattr(locks, step)

    def refused(*args: Any) -> None:
        if any("bad" in arg for arg in args if isinstance(arg, set)):
            raise IntegrityError
        action(*args)

    sent.monkeypatch.setattr(locks, step, refused)
    sent.hold(board.seq)
    ann, bad, new = [sent.send(entry(board, player, 5)) for player in ("ann", "bad", "new")]
    sent.let_go()

    assert [each.result(LONG)[0].points for each in (ann, new)] == [5, 5]
    with pytest.raises(IntegrityError):
        bad.result(LONG)


@IN_SQL
def test_ids_that_cannot_be_looked_up_leave_nobody_unknown(sent: Company, storage: str) -> None:
    board = make_board(storage, update="increment")
    score(board, {"first": 1, "ann": 1, "bob": 1})
    send_of = {player: entry(board, player, 5, id=f"id-{player}") for player in ("ann", "bob")}
    grouped.submit_grouped([read_entry(send_of["ann"], 0)], GAME, NOON)

    def away(*_args: Any) -> Any:
        raise SqlAway("SQL is away.")

    sent.hold(board.seq)
    both = [sent.send(raw) for raw in send_of.values()]
    sent.monkeypatch.setattr(pending_items, "find_duplicates", away)
    sent.let_go()

    with pytest.raises(SqlAway):
        both[0].result(LONG)
    assert both[1].result(LONG)[0].points == 6


@IN_SQL
def test_a_commit_without_an_answer_leaves_all_of_them_unknown_and_none_counts_twice(
    sent: Company, storage: str
) -> None:
    board = make_board(storage, update="increment")
    score(board, {"first": 1, "ann": 1, "bob": 1})
    raws = [entry(board, player, 5, id=f"id-{player}") for player in ("ann", "bob")]

    def lost(*args: Any) -> None:
        write_and_publish(*args)
        if len(args[2]) == len(raws):  # the standings of the company
            args[0].commit = cut

    def cut() -> None:
        raise OperationalError("the connection ended")

    sent.monkeypatch.setattr(decide_sql, "write_and_publish", lost)
    outcomes = sent.together(*raws)
    again = [grouped.submit_grouped([read_entry(raw, 0)], GAME, NOON)[0] for raw in raws]

    assert [(each.status.value, each.code) for each in outcomes] == [("unknown", "outcome_unknown")] * 2
    assert [each.points for each in again] == [6, 6]
    assert standing_on(board) == {"first": 2, "ann": 6, "bob": 6}
