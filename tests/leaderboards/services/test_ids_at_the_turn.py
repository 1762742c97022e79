"""An id on a redis board whose request is held up while its period turns, and whose caller sends the entry again."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import ClassVar
from unittest.mock import patch

import pytest

from foundation import redis
from leaderboards import selectors
from leaderboards.core.submissions import Outcome
from leaderboards.models import Period, State
from leaderboards.services import decide_redis
from leaderboards.stores.zset_settling import ZsetSettler
from leaderboards.stores.zset_writes import ZsetWriter
from tests.at_once import at_once
from tests.leaderboards.services.contest import opened, send_to, told
from tests.leaderboards.services.site import redis_client

SECOND, HOUR = timedelta(seconds=1), timedelta(hours=1)
TURN = datetime.fromisoformat("2026-03-09T00:00:00+00:00")  # the end of NOW's week


class TestAnIdAboutTheTurn:
    """A request is held up before its script; the period turns, and its caller sends the entry again."""

    ENTRY: ClassVar = {"player": "a", "points": 5, "id": "m1"}

    @pytest.mark.parametrize("at", [None, TURN, TURN + 4 * SECOND], ids=["no time", "the turn", "a time ahead"])
    def test_it_counts_in_one_of_the_two_periods(self, at: datetime | None) -> None:
        arena = opened("redis")
        entry = self.ENTRY | ({"at": at.isoformat()} if at else {})

        def repeat() -> list[Outcome]:
            return send_to(arena, entry, at=TURN + 4 * SECOND)

        with held_up(repeat) as meanwhile:
            late = send_to(arena, entry, at=TURN - SECOND)

        assert [(each.status.value, each.period) for each in meanwhile[0]] == [("updated", "2026-11")]
        assert told(late) == ["unavailable"]
        assert [(each.status.value, each.period, each.points) for each in repeat()] == [("duplicate", "2026-11", 5)]
        assert selectors.standings(arena.board, "2026-10").total == 0

    def test_who_claimed_it_and_died_keeps_nobody_from_counting_it(self) -> None:
        arena = opened("redis")
        send_to(arena, {"player": "b", "points": 1}, at=TURN + SECOND)  # opens the period

        with patch.object(decide_redis, "decide", side_effect=KeyboardInterrupt), pytest.raises(KeyboardInterrupt):
            send_to(arena, self.ENTRY, at=TURN + SECOND)
        held = send_to(arena, self.ENTRY, at=TURN - SECOND)
        rehearsed = send_to(arena, self.ENTRY, at=TURN + 2 * SECOND, dry_run=True)
        again = send_to(arena, self.ENTRY, at=TURN + 2 * SECOND)

        assert told(held) == ["unavailable"]
        assert [(each.status.value, each.period) for each in rehearsed + again] == [("updated", "2026-11")] * 2

    def test_one_that_was_refused_there_does_not_use_it_up(self) -> None:
        arena = opened("redis")
        send_to(arena, {**self.ENTRY, "points": -1}, at=TURN + SECOND)

        other = send_to(arena, {**self.ENTRY, "at": (TURN - SECOND).isoformat()}, at=TURN + 2 * SECOND)

        assert [(each.status.value, each.period) for each in other] == [("updated", "2026-10")]

    def test_nothing_is_claimed_by_a_rehearsal_nor_where_the_period_before_takes_nothing_more(self) -> None:
        arena = opened("redis")
        before = Period.objects.select_related("board").get(board=arena.board, label="2026-10")

        send_to(arena, self.ENTRY, at=TURN + SECOND, dry_run=True)
        rehearsed = ids_kept(before)
        ZsetSettler(redis.settling()).close(before)
        send_to(arena, self.ENTRY, at=TURN + SECOND)
        closed = ids_kept(before)
        Period.objects.filter(pk=before.pk).update(state=State.FINAL)
        with patch.object(ZsetWriter, "claim", side_effect=AssertionError("it asks")):
            told_after = told(send_to(arena, {**self.ENTRY, "id": "m2"}, at=TURN + HOUR))

        assert (rehearsed, closed, told_after) == ([], [], ["updated"])


@contextmanager
def held_up(deed: Callable[[], list[Outcome]]) -> Iterator[list[list[Outcome]]]:
    """The first request that comes to its script waits there until the deed is done, in a thread of its own."""
    done: list[list[Outcome]] = []
    first = threading.current_thread()

    def hold(step: str) -> None:
        if step == "submit.before_script" and threading.current_thread() is first and not done:
            done.extend(at_once([deed]))

    with patch.object(decide_redis, "failpoint", hold):
        yield done


def ids_kept(period: Period) -> list[bytes]:
    with redis_client() as client:
        return list(client.scan_iter(match=f"*{period.family.zset}}}:ids:*"))
