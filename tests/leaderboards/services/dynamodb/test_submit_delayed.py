"""Scores of boards in DynamoDB whose process stood still or waited, whose keys come back, and who may not score."""

import time
from collections import Counter
from contextlib import nullcontext
from typing import Any
from unittest.mock import patch

import pytest

from foundation import clock
from foundation.models import AuditEntry
from leaderboards.errors import Banned, StorageUnavailable
from leaderboards.models import Board, Standing
from leaderboards.selectors.rankings.store_routing import totals
from leaderboards.services.moderation.remove import REMOVED, remove_player
from leaderboards.services.submit import decide_dynamodb
from leaderboards.stores.dynamodb.client import DynamoClient
from leaderboards.stores.dynamodb.writes import DynamoWriter
from leaderboards.stores.sql.locks import lock_period_and_standings
from tests.leaderboards.services.dynamodb.conftest import silent_after_writes
from tests.leaderboards.services.dynamodb.test_submit import BANS, points, send, summed, told
from tests.leaderboards.services.restricting import keep_out
from tests.leaderboards.services.site import NOON, make_board, period_of

__all__ = ["summed"]
pytestmark = pytest.mark.django_db(transaction=True)


def test_ranks_that_nobody_tells_are_left_out_and_what_was_written_is_told(summed: Board) -> None:
    send(summed, ("a", 9, None))
    call, wrote = DynamoClient.call, list[str]()

    def silent_once_written(self: DynamoClient, operation: str, deadline: float, **asked: Any) -> Any:
        if wrote and not asked.get("is_write"):
            raise StorageUnavailable("DynamoDB is away.")
        wrote.extend([operation] if asked.get("is_write") else [])
        return call(self, operation, deadline, **asked)

    with patch.object(DynamoClient, "call", silent_once_written):
        (outcome,) = send(summed, ("a", 5, None), ranks=True)

    assert (outcome.status.value, outcome.points, outcome.rank) == ("updated", 14, None)
    assert points(summed) == {"a": 14}


@pytest.mark.parametrize("how", BANS)
def test_a_banned_player_who_tries_gets_no_standing_and_no_total_counts_them(how: str) -> None:
    board, other = make_board("dynamodb"), make_board("dynamodb", name="Other")
    send(board, ("a", 9, None), ("b", 7, None))
    send(other, ("x", 1, None))
    keep_out(how, board, "x")

    outcomes = send(board, ("x", 3, None), ("a", 10, None))

    assert [each.code for each in outcomes] == [Banned.code, None]
    assert totals([period_of(board)]) == {period_of(board).pk: 2}
    assert not Standing.objects.filter(period=period_of(board), player__external_id="x").exists()


def test_a_process_that_stood_still_with_its_locks_writes_nothing_when_it_wakes(
    summed: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    send(summed, ("a", 9, None))
    monkeypatch.setattr(decide_dynamodb, "WRITE_SECONDS", 0.2)
    frozen = {"dynamodb.before_write": 0.3}
    monkeypatch.setattr(decide_dynamodb, "failpoint", lambda name: time.sleep(frozen.get(name, 0)))

    (outcome,) = send(summed, ("a", 100, "late"))

    assert outcome.code == StorageUnavailable.code
    assert points(summed) == {"a": 9}
    frozen.clear()
    assert told(send(summed, ("a", 100, "late"))) == [("updated", None, 109)]


def test_who_waited_long_for_a_lock_has_the_whole_time_to_write(summed: Board, monkeypatch: pytest.MonkeyPatch) -> None:
    send(summed, ("a", 9, None))
    monkeypatch.setattr(decide_dynamodb, "WRITE_SECONDS", 0.3)

    def slowly(*asked: Any) -> Any:
        time.sleep(0.5)
        return lock_period_and_standings(*asked)

    monkeypatch.setattr(decide_dynamodb, "lock_period_and_standings", slowly)

    assert told(send(summed, ("a", 1, None))) == [("updated", None, 10)]


def test_an_id_that_is_sent_a_thousand_times_is_looked_up_a_few_times(summed: Board) -> None:
    with patch.object(DynamoWriter, "look_up_ids", autospec=True, side_effect=DynamoWriter.look_up_ids) as asked:
        outcomes = send(summed, *[("a", 5, "x")] * 1000)

    assert Counter(each.status.value for each in outcomes) == {"updated": 1, "duplicate": 999}
    assert points(summed) == {"a": 5}
    assert asked.call_count <= 6


def test_keys_that_are_given_back_are_asked_for_again_after_a_pause(summed: Board) -> None:
    send(summed, ("a", 9, None))
    call, asked = DynamoClient.call, list[str]()

    def gives_back(self: DynamoClient, operation: str, deadline: float, **more: Any) -> Any:
        if operation != "batch_get_item":
            return call(self, operation, deadline, **more)
        asked.append(operation)
        if clock.monotonic() >= deadline:
            raise StorageUnavailable("DynamoDB is away.")
        return {"Responses": {}, "UnprocessedKeys": more["RequestItems"]}

    with patch.object(DynamoClient, "call", gives_back), patch.object(decide_dynamodb, "WRITE_SECONDS", 1.0):
        (outcome,) = send(summed, ("a", 1, None))

        assert outcome.code == StorageUnavailable.code
        assert len(asked) <= decide_dynamodb.WRITE_SECONDS / 0.01


@pytest.mark.parametrize("is_asked_again", [True, False])
def test_a_removal_whose_answer_was_lost_is_looked_up_and_noted(summed: Board, is_asked_again: bool) -> None:
    send(summed, ("a", 9, None), ("b", 7, None))
    stored = DynamoWriter().look_up(period_of(summed), ["a"])
    after: Any = {} if is_asked_again else StorageUnavailable("DynamoDB is away.")

    with (
        silent_after_writes(),
        patch.object(DynamoWriter, "look_up", side_effect=[stored, after]),
        nullcontext() if is_asked_again else pytest.raises(StorageUnavailable),
    ):
        remove_player(summed, "a", NOON)

    assert points(summed) == {"b": 7}
    assert AuditEntry.objects.filter(act=REMOVED).count() == is_asked_again
