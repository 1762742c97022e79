"""An id on a redis board whose request is held up while its period turns, and whose caller sends the entry again."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any
from unittest.mock import patch

import pytest

from foundation.redis import client as redis
from leaderboards import selectors
from leaderboards.core.input.entries import Entry, read_entry
from leaderboards.core.periods import Window
from leaderboards.core.submissions import Caller, Outcome
from leaderboards.models import Board, Period
from leaderboards.selectors.catalog.periods import clear_period_cache
from leaderboards.services.periods.open import open_period
from leaderboards.services.submit import decide_redis, request_periods
from leaderboards.services.submit.pipeline import backfill
from leaderboards.stores.redis.sync import ZsetSync
from leaderboards.stores.redis.writes import ZsetWriter
from tests.at_once import at_once
from tests.contracts.arena import Arena
from tests.leaderboards.services.contest import opened, send_to, told
from tests.leaderboards.services.site import DAY

SECOND = timedelta(seconds=1)
TURN = datetime.fromisoformat("2026-03-09T00:00:00+00:00")  # the end of NOW's week


ENTRY = {"player": "a", "points": 5, "id": "m1"}
NOT_OPENED = pytest.mark.parametrize("opens", [True, False], ids=["opened before", "never opened"])


def begun(opens: bool) -> Arena:
    """A board; where nobody opened its running period, the request that is held up does, when it goes on."""
    arena = opened("redis")
    if not opens:
        ZsetSync(redis.resync_client()).unlink(arena.period)
        Period.objects.filter(board=arena.board).delete()
        clear_period_cache()
    return arena


class TestAnIdAboutTheTurn:
    """A request is held up before its script; the period turns, and its caller sends the entry again."""

    @NOT_OPENED
    @pytest.mark.parametrize("at", [None, TURN, TURN + 4 * SECOND], ids=["no time", "the turn", "a time ahead"])
    def test_it_counts_in_one_of_the_two_periods(self, at: datetime | None, opens: bool) -> None:
        arena = begun(opens)
        entry = ENTRY | ({"at": at.isoformat()} if at else {})

        with held_up(lambda: send_to(arena, entry, at=TURN + 4 * SECOND)) as meanwhile:
            late = send_to(arena, entry, at=TURN - SECOND)
        again = send_to(arena, entry, at=TURN + 5 * SECOND)

        assert of(meanwhile[0]) == [("updated", "2026-11", 5)]
        assert of(late) == of(again) == [("duplicate", "2026-11", 5)]
        assert selectors.standings(arena.board, "2026-10").total == 0

    @NOT_OPENED
    @pytest.mark.parametrize("other", [{"points": 6}, {"player": "b"}], ids=str)
    def test_other_content_is_a_reuse_in_either_period(self, other: dict[str, Any], opens: bool) -> None:
        arena = begun(opens)

        with held_up(lambda: send_to(arena, ENTRY | other, at=TURN + SECOND)) as meanwhile:
            late = send_to(arena, ENTRY, at=TURN - SECOND)
        again = send_to(arena, ENTRY, at=TURN + 2 * SECOND)

        assert told(meanwhile[0]) == ["updated"]
        assert told(late) == told(again) == ["id_reused"]
        assert selectors.standings(arena.board, "2026-10").total == 0

    @NOT_OPENED
    def test_who_went_on_first_counts_and_the_repetition_is_told_so(self, opens: bool) -> None:
        arena = begun(opens)

        with held_up(lambda: send_to(arena, ENTRY, at=TURN - SECOND)) as meanwhile:
            late = send_to(arena, ENTRY, at=TURN + SECOND)

        assert of(meanwhile[0]) == [("updated", "2026-10", 5)]
        assert of(late) == [("duplicate", "2026-10", 5)]

    def test_one_that_was_refused_or_died_does_not_use_it_up(self) -> None:
        arena = opened("redis")
        send_to(arena, {**ENTRY, "points": -1}, at=TURN + SECOND)
        with patch.object(decide_redis, "decide", side_effect=KeyboardInterrupt), pytest.raises(KeyboardInterrupt):
            send_to(arena, {**ENTRY, "points": 7}, at=TURN + SECOND)

        other = send_to(arena, {**ENTRY, "at": (TURN - SECOND).isoformat()}, at=TURN + 2 * SECOND)

        assert of(other) == [("updated", "2026-10", 5)]


def of(outcomes: list[Outcome]) -> list[tuple[str, str | None, Any]]:
    return [(each.status.value, each.period, each.points) for each in outcomes]


def test_one_that_counted_in_a_period_long_over_is_known_in_the_middle_of_another_also_by_a_rehearsal() -> None:
    arena = opened("redis")
    backfilled = read_entry({**ENTRY, "board": arena.board.seq, "at": (TURN - 20 * DAY).isoformat()}, 0)
    assert isinstance(backfilled, Entry)
    backfill([backfilled], Caller("game"), TURN)
    same, other = ENTRY | {"at": (TURN - 20 * DAY).isoformat()}, ENTRY

    rehearsed = send_to(arena, same, other, at=TURN + 3 * DAY, dry_run=True)
    sent = send_to(arena, same, other, at=TURN + 3 * DAY)

    assert told(rehearsed) == told(sent) == ["duplicate", "id_reused"]
    assert sent[0].period == "2026-08"


def test_where_redis_cannot_tell_of_the_other_period_the_entry_is_to_be_sent_again() -> None:
    arena = opened("redis")
    send_to(arena, ENTRY, at=TURN - SECOND)

    with patch.object(ZsetWriter, "look_up", side_effect=redis.RedisAway("away")):
        late = send_to(arena, ENTRY, at=TURN + SECOND)

    assert told(late) == ["unavailable"]
    assert of(send_to(arena, ENTRY, at=TURN + SECOND)) == [("duplicate", "2026-10", 5)]


@contextmanager
def held_up(action: Callable[[], list[Outcome]]) -> Iterator[list[list[Outcome]]]:
    """The first request of this thread waits until the action is done in one of its own: where it opens its period, or
    else before its script.
    """
    done: list[list[Outcome]] = []
    first = threading.current_thread()

    def hold(step: str) -> None:
        if step == "submit.before_script" and threading.current_thread() is first and not done:
            done.extend(at_once([action]))

    def lock_open_period(board: Board, window: Window) -> Period:
        hold("submit.before_script")
        return open_period(board, window)

    with patch.object(decide_redis, "failpoint", hold), patch.object(request_periods, "open_period", lock_open_period):
        yield done
