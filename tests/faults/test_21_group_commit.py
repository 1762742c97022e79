"""A company whose COMMIT is cut: all of it hear that nobody knows, and each counts once, sent again by its id."""

import os
import socket
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from foundation.db.pipeline import _PipelinedRunner
from leaderboards.core.input.entries import read_entry
from leaderboards.services.submit import grouped
from leaderboards.services.sync.reconcile import reconcile
from tests.faults.world import wait_until
from tests.leaderboards.services.joining import GAME, Company, entry
from tests.leaderboards.services.site import NOON, in_redis, in_sql, make_board, period_of, points, score
from tests.links import links

__all__ = ["links"]

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("links"),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no connection to cut"),
]

Cut = Callable[[_PipelinedRunner, Callable[[_PipelinedRunner], None]], None]


def before_it_arrives(statements: _PipelinedRunner, commit: Callable[[_PipelinedRunner], None]) -> None:
    _hang_up(statements)
    commit(statements)


def before_its_answer(statements: _PipelinedRunner, commit: Callable[[_PipelinedRunner], None]) -> None:
    commit(statements)
    line = statements._pipeline.pgconn
    line.pipeline_sync()
    line.flush()
    _wait_for_the_end_of(line.backend_pid)
    _hang_up(statements)


def _hang_up(statements: _PipelinedRunner) -> None:
    ours, theirs = socket.socketpair()
    theirs.close()
    os.dup2(ours.fileno(), statements._pipeline.pgconn.socket)  # nobody answers on this, whatever was on its way
    ours.close()


def _wait_for_the_end_of(backend: int) -> None:
    other = connection.copy()

    def is_over() -> bool:
        with other.cursor() as cursor:
            cursor.execute("SELECT state FROM pg_stat_activity WHERE pid = %s", [backend])
            return bool(cursor.fetchone() == ("idle",))

    wait_until(is_over, "a transaction that has ended")
    other.close()


@pytest.mark.parametrize("storage", ["hybrid", "sql"])
@pytest.mark.parametrize(("cut", "kept"), [(before_it_arrives, 0), (before_its_answer, 5)])
def test_a_cut_commit_leaves_all_of_a_company_unknown(
    monkeypatch: pytest.MonkeyPatch, cut: Cut, kept: int, storage: str
) -> None:
    board = make_board(storage, update="increment")
    score(board, {"first": 1, "ann": 1, "bob": 1, "cee": 1})
    raws = [entry(board, player, 5, id=f"id-{player}") for player in ("ann", "bob", "cee")]
    sent, commit = Company(monkeypatch), _PipelinedRunner.commit

    def commits(statements: _PipelinedRunner) -> Any:
        if sent.batches[-1] == 1:
            return commit(statements)
        monkeypatch.setattr(_PipelinedRunner, "commit", commit)
        return cut(statements, commit)

    monkeypatch.setattr(_PipelinedRunner, "commit", commits)
    outcomes = sent.together(*raws)
    counted = points(board)
    again = [grouped.submit_grouped([read_entry(raw, 0)], GAME, NOON)[0] for raw in raws]

    assert sent.batches[:2] == [1, 3]
    assert [(each.status.value, each.code) for each in outcomes] == [("unknown", "outcome_unknown")] * 3
    assert counted == {"first": 2, "ann": 1 + kept, "bob": 1 + kept, "cee": 1 + kept}
    assert [each.status.value for each in again] == ["duplicate" if kept else "updated"] * 3
    assert points(board) == {"first": 2, "ann": 6, "bob": 6, "cee": 6}
    if storage == "hybrid":
        period = period_of(board)
        reconcile(period)  # what was announced and not published
        assert in_redis(period) == in_sql(period)
