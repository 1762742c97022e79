"""A process that is frozen with a request in its hands: once others count on the request being over, it is refused."""

from datetime import timedelta
from typing import Any

import pytest

from foundation import clock
from leaderboards.core.input.entries import read_entry
from leaderboards.core.submissions import Outcome
from leaderboards.models import Board, Submission
from leaderboards.selectors.moderation.purges import IN_FLIGHT_MARGIN
from leaderboards.services.moderation.run_purge import run_due
from leaderboards.services.submit import decide_redis, decide_sql
from leaderboards.services.submit.grouped import submit_grouped
from leaderboards.services.submit.request_periods import MAX_REQUEST_AGE
from tests.leaderboards.services.joining import GAME, LONG, Company, entry
from tests.leaderboards.services.purging import ask, of
from tests.leaderboards.services.site import NOON, follow, make_board, period_of, points, score

SECOND = timedelta(seconds=1)
STORAGES = pytest.mark.parametrize("storage", ["sql", "hybrid", "redis"])


def held_up(patch: pytest.MonkeyPatch, storage: str, for_so_long: timedelta) -> None:
    """The process is frozen for so long where nothing can come in between any more: behind the barrier, or just before
    the script."""
    where, step = (decide_redis, "retry_if_stale") if storage == "redis" else (decide_sql, "lock_period_and_standings")
    action, seconds = getattr(where, step), clock.monotonic

    def freeze() -> None:
        patch.setattr(clock, "monotonic", lambda: seconds() + for_so_long.total_seconds())

    def frozen(*args: Any) -> Any:
        if storage == "redis":
            freeze()
            return action(*args)
        answer = action(*args)
        freeze()
        return answer

    patch.setattr(where, step, frozen)


def sent(board: Board) -> Outcome:
    """As the API sends it."""
    [outcome] = submit_grouped([read_entry(entry(board, "ann", 1000), 0)], GAME, NOON + SECOND)
    return outcome


@pytest.fixture(autouse=True)
def a_second_past_noon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now", lambda: NOON + SECOND)


def standing_on(board: Board) -> dict[str, int]:
    follow(period_of(board))
    return points(board)


@STORAGES
def test_it_is_refused_and_counts_when_it_is_sent_again(monkeypatch: pytest.MonkeyPatch, storage: str) -> None:
    board = make_board(storage)
    score(board, {"ann": 1, "bob": 7})  # known from now on
    with monkeypatch.context() as patch:
        held_up(patch, storage, MAX_REQUEST_AGE + SECOND)
        late = sent(board)
    before = standing_on(board)

    again = sent(board)

    assert (late.status, late.code) == ("rejected", "unavailable")
    assert "held up" in str(late.detail)
    assert before == {"ann": 1, "bob": 7}
    assert again.status == "updated"
    assert standing_on(board) == {"ann": 1000, "bob": 7}


@STORAGES
def test_for_as_long_as_a_request_takes_it_counts(monkeypatch: pytest.MonkeyPatch, storage: str) -> None:
    board = make_board(storage)
    score(board, {"ann": 1, "bob": 7})
    held_up(monkeypatch, storage, MAX_REQUEST_AGE - SECOND)

    assert sent(board).status == "updated"


def test_nothing_of_a_purged_range_comes_in_once_the_purge_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    board = make_board("sql")
    score(board, {"ann": 1, "bob": 7})
    until = NOON + 2 * SECOND
    purge = ask(of(until=until, board=board.pk), until)
    run_due(until + IN_FLIGHT_MARGIN, 60.0)
    purge.refresh_from_db()
    held_up(monkeypatch, "sql", IN_FLIGHT_MARGIN + SECOND)

    late = sent(board)

    assert purge.finished_at is not None
    assert (late.code, points(board)) == ("unavailable", {})


@pytest.mark.parametrize("storage", ["sql", "hybrid"])
def test_what_queues_while_the_process_is_frozen_is_received_after_it(
    monkeypatch: pytest.MonkeyPatch, storage: str
) -> None:
    """So it is no part of what a purge of the time before has gone through and is done with."""
    board, queue = make_board(storage), Company(monkeypatch)
    score(board, {"ann": 1, "first": 1})
    queue.hold(board.seq)
    late = queue.send(entry(board, "ann", 1000), at=NOON + SECOND)
    seconds, thawed = clock.monotonic, NOON + SECOND + IN_FLIGHT_MARGIN + SECOND
    monkeypatch.setattr(clock, "monotonic", lambda: seconds() + (thawed - NOON).total_seconds())
    monkeypatch.setattr(clock, "now", lambda: thawed)
    queue.let_go()

    [outcome] = late.result(LONG)
    assert outcome.status == "updated"
    assert Submission.objects.get(player__external_id="ann", points=1000).created_at == thawed
